//! The file of a trace. Invariant: nothing is written before the first record, so a run that is refused replaces no file.

use crate::VerbError;
use crate::output::{Destination, Draft};
use windfall_report::perfetto::Perfetto;
use windfall_time::Instant;
use windfall_trace::codec::Writer;
use windfall_trace::{Event, Header, Sink};

/// A trace's file, and what is written there.
pub(super) struct Tape {
    to: Destination,
    header: Header,
    form: Form,
    state: State,
}

#[derive(Clone, Copy)]
enum Form {
    Compact,
    Perfetto,
}

enum State {
    /// It can be written, and was not.
    Blank(Draft),
    Compact(Writer<Draft>),
    Perfetto(Box<Perfetto<Draft>>),
    Closed,
}

impl Tape {
    /// Makes sure that a trace can be written there, in the form that the name says.
    pub(super) fn open(to: Destination, header: &Header) -> Result<Tape, VerbError> {
        let form = match to.extension("wft") {
            "wft" => Form::Compact,
            "pftrace" | "perfetto-trace" => Form::Perfetto,
            _ => {
                return Err(VerbError(format!(
                    "windfall: cannot tell from `{}` what trace to write; end the name in `.wft` (compact) or \
                     `.pftrace` (Perfetto)",
                    to.name()
                )));
            }
        };
        let state = State::Blank(to.open()?);
        Ok(Tape { to, header: header.clone(), form, state })
    }

    /// The trace begins.
    fn begin(&mut self) {
        self.state = match std::mem::replace(&mut self.state, State::Closed) {
            State::Blank(out) => match self.form {
                Form::Compact => State::Compact(Writer::new(out, &self.header)),
                Form::Perfetto => State::Perfetto(Box::new(Perfetto::new(out, &self.header))),
            },
            begun => begun,
        };
    }

    /// Writes the rest when the run is over, and puts the file into its place.
    pub(super) fn close(mut self) -> Result<(), VerbError> {
        if matches!(self.state, State::Blank(_)) {
            self.begin(); // nothing at all has happened
        }
        let written = match self.state {
            State::Compact(writer) => writer.finish().map_err(|error| self.to.write_error(&error)),
            State::Perfetto(writer) => writer.finish().map_err(|error| self.to.write_error(&error)),
            State::Blank(draft) => Ok(draft),
            State::Closed => return Ok(()),
        };
        written?.commit()
    }
}

impl Sink for Tape {
    fn record(&mut self, at: Instant, event: &Event) {
        if matches!(self.state, State::Blank(_)) {
            self.begin();
        }
        match &mut self.state {
            State::Compact(writer) => writer.record(at, event),
            State::Perfetto(writer) => writer.record(at, event),
            State::Blank(_) | State::Closed => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Destinations;
    use std::path::PathBuf;

    fn held(name: &str, before: Option<&str>) -> (PathBuf, Result<Tape, VerbError>) {
        let path = std::env::temp_dir().join(format!("windfall-{}-{name}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        if let Some(text) = before {
            std::fs::write(&path, text).unwrap();
        }
        let header = Header::new("test", "run", 1);
        let to = Destinations::new(true, []).and_then(|mut all| all.claim("--trace", &path));
        let tape = to.and_then(|to| Tape::open(to, &header));
        (path, tape)
    }

    #[test]
    fn law_a_file_is_as_it_was_until_the_trace_is_whole() {
        for name in ["old.wft", "old.pftrace"] {
            let long = "what was there before ".repeat(1_000);
            let (path, tape) = held(name, Some(&long));
            drop(tape);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), long);

            let (path, tape) = held(name, Some(&long));
            let mut tape = tape.ok().unwrap();
            tape.record(Instant::ZERO, &Event::Mark { thread: None, text: "it begins".to_owned() });
            assert_eq!(std::fs::read_to_string(&path).unwrap(), long);
            tape.close().ok().unwrap();
            let written = std::fs::read(&path).unwrap();
            let end = String::from_utf8_lossy(&written).into_owned();
            assert!(end.contains("it begins") && !end.contains("what was there before"), "{end}");
            std::fs::remove_file(path).unwrap();
        }
    }

    #[test]
    fn law_a_file_that_nothing_came_into_is_not_left_behind() {
        let (path, tape) = held("new.wft", None);
        drop(tape);
        assert!(!path.exists());
        let (path, tape) = held("empty.wft", None);
        tape.ok().unwrap().close().ok().unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() > 0, "a trace in which nothing happens");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn refuses_a_name_that_tells_no_form_and_leaves_its_file() {
        let (path, tape) = held("notes.txt", Some("notes"));
        assert!(tape.is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "notes");
        std::fs::remove_file(path).unwrap();
    }
}

//! The file of a trace. Invariant: what was in it before stays until the first record comes, so whoever is refused has lost
//! nothing.

use crate::Trouble;
use std::fs::{File, OpenOptions};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use windfall_time::Instant;
use windfall_trace::codec::Writer;
use windfall_trace::export::perfetto::Perfetto;
use windfall_trace::{Event, Header, Sink};

/// A trace's file, and what is written there.
pub(super) struct Tape {
    path: PathBuf,
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
    /// The file can be written, and was not; whether it is one that we have made.
    Blank {
        file: File,
        made: bool,
    },
    Compact(Writer<BufWriter<File>>),
    Perfetto(Box<Perfetto<BufWriter<File>>>),
    /// What was in it could not be taken out.
    Failed(String),
}

impl Tape {
    /// Makes sure that a trace can be written there, in the form that the name tells.
    pub(super) fn open(path: &Path, header: &Header) -> Result<Tape, Trouble> {
        let form = match super::extension(path) {
            "wft" => Form::Compact,
            "pftrace" | "perfetto-trace" => Form::Perfetto,
            other => {
                return Err(Trouble(format!(
                    "windfall: cannot tell from `.{other}` what trace to write; end the name in `.wft` (compact) or \
                     `.pftrace` (Perfetto)"
                )));
            }
        };
        let made = !path.exists();
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file =
            file.map_err(|error| Trouble(format!("windfall: {}: {error}", path.display())))?;
        let state = State::Blank { file, made };
        Ok(Tape { path: path.to_owned(), header: header.clone(), form, state })
    }

    /// What was in the file goes, and the trace begins.
    fn begin(&mut self) {
        let State::Blank { file, .. } = &self.state else { return };
        let emptied = match file.metadata() {
            Ok(data) if data.is_file() => file.set_len(0),
            other => other.map(drop), // a pipe has nothing in it to lose
        };
        let state = match emptied.and_then(|()| file.try_clone()).map(BufWriter::new) {
            Err(error) => State::Failed(error.to_string()),
            Ok(out) => match self.form {
                Form::Compact => State::Compact(Writer::new(out, &self.header)),
                Form::Perfetto => State::Perfetto(Box::new(Perfetto::new(out, &self.header))),
            },
        };
        self.state = state;
    }

    /// Writes what is left, when it is over.
    pub(super) fn close(mut self) -> Result<(), Trouble> {
        self.begin(); // if nothing at all has happened
        let blank = State::Failed(String::new());
        let closed = match std::mem::replace(&mut self.state, blank) {
            State::Compact(writer) => writer.finish().map(drop).map_err(|e| e.to_string()),
            State::Perfetto(writer) => writer.finish().map(drop).map_err(|e| e.to_string()),
            State::Blank { .. } => Ok(()),
            State::Failed(why) => Err(why),
        };
        closed.map_err(|why| Trouble(format!("windfall: {}: {why}", self.path.display())))
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        if let State::Blank { made: true, .. } = self.state {
            let _ = std::fs::remove_file(&self.path); // or somebody else has
        }
    }
}

impl Sink for Tape {
    fn record(&mut self, at: Instant, event: &Event) {
        self.begin();
        match &mut self.state {
            State::Compact(writer) => writer.record(at, event),
            State::Perfetto(writer) => writer.record(at, event),
            State::Blank { .. } | State::Failed(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(name: &str, before: Option<&str>) -> (PathBuf, Result<Tape, Trouble>) {
        let path = std::env::temp_dir().join(format!("windfall-{}-{name}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        if let Some(text) = before {
            std::fs::write(&path, text).unwrap();
        }
        let header = Header { source: "test".to_owned(), clock: "run".to_owned(), cpus: 1 };
        let tape = Tape::open(&path, &header);
        (path, tape)
    }

    #[test]
    fn law_a_file_is_as_it_was_until_something_happens() {
        for name in ["old.wft", "old.pftrace"] {
            let long = "what was there before ".repeat(1_000);
            let (path, tape) = held(name, Some(&long));
            drop(tape);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), long);

            let (path, tape) = held(name, Some(&long));
            let mut tape = tape.ok().unwrap();
            tape.record(Instant::ZERO, &Event::Mark { thread: None, text: "it begins".to_owned() });
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
        assert!(path.exists());
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

//! Threads.

use super::reader::Reader;
use super::{external, kind, program, steps};
use crate::decode::decode;
use crate::diagnostic::Code;
use crate::file::{ProgramFile, TextOr, ThreadFile, WithRequirements};
use crate::model::{Run, Thread};
use crate::source::Path;
use crate::tree::Node;
use windfall_time::Instant;

pub(super) fn threads(node: Option<Node<'_>>, reader: &mut Reader<'_>) -> Vec<Thread> {
    let entries = reader.named(node, "threads");
    entries.into_iter().map(|(name, node)| thread(name, node, reader)).collect()
}

/// The keys that define the program, in words.
pub(super) fn programs() -> String {
    let [first @ .., last] = ProgramFile::names();
    format!("one of `{}` and `{last}`", first.join("`, `"))
}

fn thread(name: String, node: Node<'_>, reader: &mut Reader<'_>) -> Thread {
    let path = Path::of(&["threads", &name]);
    let file: WithRequirements<ThreadFile> = decode(node, &mut reader.mistakes).unwrap_or_default();
    let WithRequirements { own: mut file, requirements } = file;
    let requires = reader.requirements(requirements, &path);
    let start = reader.get(file.start.clone(), &path.key("start"));
    let start = start.unwrap_or(Instant::ZERO);
    let count = reader.get(file.count.clone(), &path.key("count"));
    if count == Some(0) {
        reader.wrong(Code::OutOfRange, &path.key("count"), "no threads", "write 1 or more");
    }
    let working_set = reader.get(file.working_set.clone(), &path.key("working-set"));
    let parent = reader.get(file.parent.clone(), &path.key("parent"));
    let external = external::external(&mut file, &path, reader);
    let run = run(file, start, &path, reader);
    Thread {
        name,
        count,
        parent,
        requires,
        external,
        run,
        start,
        working_set_kib: working_set.map_or(0, |size| size.0),
    }
}

fn run(mut file: ThreadFile, start: Instant, path: &Path, reader: &mut Reader<'_>) -> Run {
    let own = file.take_program();
    let of_kind = match file.program {
        Some(TextOr::Table(of_kind)) => Some(of_kind),
        Some(TextOr::Text(name)) => {
            let _: Option<String> = reader.scalar(&name, &path.key("program"));
            None
        }
        None => None,
    };
    let more = [("profile", file.profile.is_some()), ("program", of_kind.is_some())];
    let keys = own.keys().into_iter().chain(more);
    let is_external = external::is_named(path, reader);
    let given: Vec<&str> = keys.filter(|(_, given)| *given).map(|(key, _)| key).collect();
    match given.as_slice() {
        [_] => {}
        [] if is_external => {}
        // A program that could not be read, or found, has been reported.
        [] if unread(path, reader) => {}
        [] => reader.wrong(Code::NoProgram,
            &path.key(""),
            "it is not said what this thread runs",
            &format!(
                "write {}; or `program`, which names one of `[programs.NAME]` or a kind of the catalogue; or name a program of a real \
                 machine by `exec`, `pid`, `cgroup`, `unit` or `of`",
                programs()
            ),
        ),
        [first, .., last] => exclude(first, last, path, reader),
    }
    let of_kind = of_kind.and_then(|file| kind::program(file, &path.key("program"), reader));
    let found = of_kind.or_else(|| program(own, start, path, reader));
    let profile = file.profile.and_then(|name| reader.get(Some(name), &path.key("profile")));
    let unsaid = if is_external { Run::Unknown } else { Run::spin() };
    profile.map(Run::Profile).or(found).unwrap_or(unsaid)
}

/// Whether the file contains a program that could not be read.
fn unread(path: &Path, reader: &Reader<'_>) -> bool {
    ProgramFile::names()
        .into_iter()
        .chain(["profile", "program"])
        .any(|key| reader.origin.has(&path.key(key)))
}

/// Two keys that define the program.
pub(super) fn exclude(first: &str, last: &str, path: &Path, reader: &mut Reader<'_>) {
    let message = format!("`{first}` and `{last}` exclude each other");
    reader.wrong(
        Code::ExclusiveKeys,
        &path.key(last),
        message,
        &format!("write exactly {}", programs()),
    );
}

/// The program that the keys define for a thread that starts then; the last one of several.
pub(super) fn program(
    file: ProgramFile,
    start: Instant,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Option<Run> {
    if file.loops.is_some() && file.steps.is_none() && file.phases.is_none() {
        reader.wrong(
            Code::MisplacedKey,
            &path.key("loops"),
            "`loops` goes with `steps` or `phases`",
            "leave it out",
        );
    }
    let mut found = None;
    if let Some(spin) = file.run {
        let spin = reader.get(Some(spin), &path.key("run"));
        found = spin.map(|spin| Run::Spin { from: spin.0 });
    }
    if let Some(periodic) = file.periodic {
        found = program::periodic(periodic, start, &path.key("periodic"), reader);
    }
    if let Some(sporadic) = file.sporadic {
        found = program::sporadic(sporadic, start, &path.key("sporadic"), reader);
    }
    if let Some(after) = file.after {
        found = program::after(after, &path.key("after"), reader);
    }
    if let Some(instead) = file.instead {
        found = program::instead(instead, &path.key("instead"), reader);
    }
    if let Some(list) = file.steps {
        found = steps::alone(list, file.loops.clone(), path, reader);
    }
    if let Some(list) = file.phases {
        found = steps::phases(list, file.loops, path, reader);
    }
    if let Some(recorded) = file.recorded {
        let inner = path.key("recorded");
        let file = reader.need(recorded.file, &inner.key("file"), "the trace's name");
        let what = "a thread's name in the trace, or `#TID`";
        let thread = reader.need(recorded.thread, &inner.key("thread"), what);
        found = file.zip(thread).map(|(file, thread)| Run::Recorded { file, thread });
    }
    found
}

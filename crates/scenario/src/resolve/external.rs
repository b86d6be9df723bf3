//! Programs of a real machine.

use super::reader::Reader;
use crate::diagnostic::Code;
use crate::file::{Lax, ThreadFile};
use crate::model::{External, ExternalProgram, ThreadMatch};
use crate::source::Path;
use std::collections::BTreeMap;

/// The keys that name such a program.
const PROGRAMS: [&str; 5] = ["exec", "pid", "cgroup", "unit", "of"];

/// Whether an entry names a program of a real machine, correctly or not.
pub(super) fn is_named(path: &Path, reader: &Reader<'_>) -> bool {
    PROGRAMS.iter().any(|key| reader.origin.has(&path.key(key)))
}

/// The program that an entry names and which of its threads; takes it out of the file.
pub(super) fn external(
    file: &mut ThreadFile,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Option<External> {
    let given: Vec<&str> =
        PROGRAMS.into_iter().filter(|key| reader.origin.has(&path.key(key))).collect();
    if let [first, .., last] = given.as_slice() {
        let message = format!("`{first}` and `{last}` exclude each other");
        let help = "write exactly one of `exec`, `pid`, `cgroup`, `unit` and `of`";
        reader.wrong(Code::ExclusiveKeys, &path.key(last), message, help);
    }
    let goes_with = |key: &str, with: &str, reader: &mut Reader<'_>| {
        let message = format!("`{key}` goes with {with}");
        reader.wrong_key(Code::MisplacedKey, &path.key(key), message, "leave it out");
    };
    if file.env.is_some() && !given.contains(&"exec") {
        goes_with("env", "`exec`", reader);
    }
    if file.each.is_some() && !given.iter().any(|key| *key != "of") {
        goes_with("each", "one of `exec`, `pid`, `cgroup` and `unit`", reader);
    }
    for (key, present) in [("match", file.only.is_some()), ("profile", file.profile.is_some())] {
        if present && given.is_empty() {
            goes_with(key, "one of `exec`, `pid`, `cgroup`, `unit` and `of`", reader);
        }
    }
    let mut text = |value: Option<Lax<String>>, key: &str| reader.get(value, &path.key(key));
    let cgroup = text(file.cgroup.take(), "cgroup").map(ExternalProgram::Cgroup);
    let unit = text(file.unit.take(), "unit").map(ExternalProgram::Unit);
    let of = text(file.of.take(), "of").map(ExternalProgram::Of);
    let each = reader.get(file.each.take(), &path.key("each")).unwrap_or(false);
    let pid = reader.get(file.pid.take(), &path.key("pid")).map(ExternalProgram::Pid);
    let env = file.env.take().unwrap_or_default().into_iter();
    let env: BTreeMap<String, String> = env
        .filter_map(|(name, value)| {
            let value = reader.get(Some(value), &path.key("env").key(&name))?;
            Some((name, value))
        })
        .collect();
    let exec = file.exec.take().map(|command| {
        let words = command.0.into_iter().enumerate();
        let word = |(at, word)| reader.get(Some(word), &path.key("exec").item(at));
        ExternalProgram::Exec { command: words.filter_map(word).collect(), env }
    });
    let only = file.only.take().unwrap_or_default();
    let at = path.key("match");
    let threads = ThreadMatch {
        comm: reader.get(only.comm, &at.key("comm")),
        exe: reader.get(only.exe, &at.key("exe")),
        routine: reader.get(only.routine, &at.key("routine")),
    };
    let program = exec.or(pid).or(cgroup).or(unit).or(of)?;
    Some(External { program, threads, each })
}

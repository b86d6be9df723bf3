//! Programs of a real machine: that each can be found, and that `of` and `match` fit together.

use super::Checker;
use crate::diagnostic::Code;
use crate::model::{External, ExternalProgram, Run, Scenario, Thread};
use crate::source::Path;
use crate::suggest;
use crate::together;
use std::collections::BTreeMap;
use windfall_time::Instant;

/// Linux gives no process a larger number.
const LARGEST_PID: u32 = 4_194_304;

/// The kernel keeps so many bytes of a thread's name.
const COMM_BYTES: usize = 15;

pub(super) fn check(checker: &mut Checker<'_>) {
    let scenario = checker.scenario;
    for (at, thread) in scenario.threads.iter().enumerate() {
        let path = Path::of(&["threads", &thread.name]);
        let Some(external) = &thread.external else {
            if matches!(thread.run, Run::Profile(_) | Run::Unknown) && !checker.is_reported(&path) {
                let help = "give it a program, or name one of a real machine";
                checker.wrong(
                    Code::NoProgram,
                    &[path],
                    "it is not said what this thread runs",
                    help,
                );
            }
            continue;
        };
        if thread.count.is_some() {
            let help = "leave it out; for another process write another entry";
            let message = "a program of a real machine has as many threads as it makes";
            checker.wrong_key(Code::MisplacedKey, &path.key("count"), message, help);
        }
        program(checker, &external.program, &path);
        together(checker, thread, &path);
        patterns(checker, external, &path);
        if let ExternalProgram::Of(name) = &external.program {
            of(checker, thread, name, &path);
        } else if let Some(other) =
            scenario.threads[..at].iter().find(|other| is_same(other, external))
        {
            let message = format!("`{}` names the same program", other.name);
            let help = format!("write `of = \"{}\"` and `match`", other.name);
            checker.wrong(
                Code::DuplicateProgram,
                &["pid", "cgroup", "unit"].map(|key| path.key(key)),
                message,
                &help,
            );
        }
    }
}

/// The scheduler that its threads share has a name of its own.
fn together(checker: &mut Checker<'_>, thread: &Thread, path: &Path) {
    if together::shared(thread).is_none() {
        return;
    }
    let name = together::name(&thread.name);
    let names = &checker.names;
    if names.is_ever_scheduler(&name) || names.threads.contains(&name.as_str()) {
        let message = format!("its threads share a scheduler `{name}`, and that name is taken");
        let help = "choose another name; or write `each = true`, where each thread has its own";
        checker.wrong_key(Code::DuplicateName, path, message, help);
    }
}

/// Whether an entry names something that exists once only; a command can be started twice.
fn is_same(other: &Thread, external: &External) -> bool {
    let found = !matches!(external.program, ExternalProgram::Exec { .. });
    found && other.external.as_ref().is_some_and(|other| other.program == external.program)
}

fn program(checker: &mut Checker<'_>, program: &ExternalProgram, path: &Path) {
    let mut wrong = |code: Code, key: &str, message: String, help: &str| {
        checker.wrong(code, &[path.key(key)], message, help);
    };
    match program {
        ExternalProgram::Exec { command: words, env } => command(checker, words, env, path),
        ExternalProgram::Pid(pid) if !(2..=LARGEST_PID).contains(pid) => {
            let help = format!("write 2 to {LARGEST_PID}; 1 is the system itself");
            wrong(Code::OutOfRange, "pid", format!("no program has the number {pid}"), &help);
        }
        ExternalProgram::Cgroup(group) => {
            let plain = group.strip_prefix('/').is_some_and(|rest| {
                rest.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.contains('\0'))
            });
            if !plain {
                let message =
                    format!("`{}` is not the path of a control group", group.escape_debug());
                let help = "write it from the root of the control groups on, as \
                            `/user.slice/game.scope`; the root itself is the whole system";
                wrong(Code::InvalidCgroup, "cgroup", message, help);
            }
        }
        ExternalProgram::Unit(unit) => {
            let ends = [".service", ".scope", ".slice"].iter().any(|end| {
                unit.strip_suffix(end).is_some_and(|name| !name.is_empty() && name != "-")
            });
            if !ends || unit.contains(['/', '\0']) {
                let message = format!("`{}` is not a unit with processes", unit.escape_debug());
                wrong(
                    Code::InvalidUnit,
                    "unit",
                    message,
                    "write a service, scope or slice, as `pipewire.service`",
                );
            }
        }
        ExternalProgram::Pid(_) | ExternalProgram::Of(_) => {}
    }
}

/// A command that no program can be started with.
fn command(
    checker: &mut Checker<'_>,
    command: &[String],
    env: &BTreeMap<String, String>,
    path: &Path,
) {
    let mut wrong = |key: &str, message: &str, help: &str| {
        checker.wrong(Code::InvalidCommand, &[path.key(key)], message, help);
    };
    if command.first().is_none_or(String::is_empty) {
        let help = "write the program first, as `[\"ffmpeg\", \"-i\", \"film.mkv\"]`";
        wrong("exec", "a command without a program", help);
    }
    if command.iter().any(|word| word.contains('\0')) {
        wrong("exec", "a word with a zero byte", "leave the byte out");
    }
    for (name, value) in env {
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            let message = format!("`{}` cannot stand in an environment", name.escape_debug());
            wrong("env", &message, "a name is not empty and has no `=`; neither has zero bytes");
        }
    }
}

/// Patterns that no thread can fit.
fn patterns(checker: &mut Checker<'_>, external: &External, path: &Path) {
    let path = path.key("match");
    if let Some(comm) = &external.threads.comm {
        let least = comm.bytes().filter(|byte| *byte != b'*').count();
        if least > COMM_BYTES {
            let kept: String = comm.chars().take(8).collect();
            let message =
                format!("no thread is called `{comm}`: the kernel keeps 15 bytes of a name");
            let help = format!("write less and a `*`, as `{kept}*`");
            checker.wrong(Code::HopelessPattern, &[path.key("comm")], message, &help);
        }
    }
    if let Some(exe) = &external.threads.exe
        && !exe.starts_with(['/', '*'])
    {
        let message = format!("`{exe}` is not the path of a file from the root on");
        let help = format!("write the whole path, or `*/{exe}`");
        checker.wrong(Code::HopelessPattern, &[path.key("exe")], message, &help);
    }
    if let Some(routine) = &external.threads.routine
        && !routine.replace("::", "").contains(['*', ':', '+'])
    {
        let message = format!("`{routine}` is not a routine of a file");
        let help = format!("write `FILE:SYMBOL` as the profile does, or `*:{routine}`");
        checker.wrong(Code::HopelessPattern, &[path.key("routine")], message, &help);
    }
}

/// An entry that takes some threads of another's program.
fn of(checker: &mut Checker<'_>, thread: &Thread, name: &str, path: &Path) {
    let at = path.key("of");
    let scenario = checker.scenario;
    if !is_program(scenario, name) && checker.thread_exists(name, &at) {
        let names = scenario.threads.iter().map(|thread| thread.name.as_str());
        let help = suggest::hint(name, names.filter(|name| is_program(scenario, name)));
        checker.wrong(
            Code::NotAProgram,
            &[at],
            format!("`{name}` names no program of its own"),
            &help,
        );
    }
    let only = path.key("match");
    if thread.external.as_ref().is_some_and(|external| external.threads.is_any())
        && !checker.is_reported(&only)
    {
        let help = "say which threads, as `match = { comm = \"data-loop*\" }`";
        checker.wrong_key(
            Code::MissingKey,
            &path.key("of"),
            "`of` without `match` leaves the program nothing",
            help,
        );
    }
    if thread.start != Instant::ZERO {
        let message = "its threads are there when the program makes them";
        checker.wrong(
            Code::MisplacedKey,
            &[path.key("start")],
            message,
            "write `start` for the program",
        );
    }
}

/// Whether there is an entry of that name that names a program itself.
fn is_program(scenario: &Scenario, name: &str) -> bool {
    let thread = scenario.threads.iter().find(|thread| thread.name == name);
    let external = thread.and_then(|thread| thread.external.as_ref());
    external.is_some_and(|external| !matches!(external.program, ExternalProgram::Of(_)))
}

//! Programs that are phases of steps.

use super::reader::Reader;
use crate::diagnostic::Code;
use crate::file::{Lax, PhaseFile, Priority, Raw, Reservation, Share, StepFile, TextOr, WORDS};
use crate::model::{Phase, Run, Step};
use crate::source::Path;
use windfall_programs::OwnRequest;
use windfall_time::Span;

/// `steps` of a thread: one phase.
pub(super) fn alone(
    list: Vec<TextOr<StepFile>>,
    loops: Option<Lax<u64>>,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Option<Run> {
    let loops = reader.get(loops, &path.key("loops"));
    let steps = steps(list, &path.key("steps"), reader);
    Some(Run::Phases { loops, phases: vec![Phase::new("main", steps)] })
}

/// `phases` of a thread.
pub(super) fn phases(
    list: Vec<PhaseFile>,
    loops: Option<Lax<u64>>,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Option<Run> {
    let loops = reader.get(loops, &path.key("loops"));
    let path = path.key("phases");
    if list.is_empty() {
        reader.wrong(
            Code::EmptyPhase,
            &path,
            "no phases",
            "write at least one, or another program",
        );
    }
    let phases = list.into_iter().enumerate().map(|(number, file)| {
        let path = path.item(number);
        let name = reader.get(file.name, &path.key("name"));
        let count = reader.get(file.loops, &path.key("loops"));
        if file.steps.is_none() {
            reader.missing(&path.key("steps"), "`steps = [{ run = \"1ms\" }]`");
        }
        let steps = steps(file.steps.unwrap_or_default(), &path.key("steps"), reader);
        let name = name.unwrap_or_else(|| format!("phase-{}", number + 1));
        Phase::new(name, steps).loops(count.unwrap_or(1))
    });
    let phases = phases.collect();
    Some(Run::Phases { loops, phases })
}

fn steps(list: Vec<TextOr<StepFile>>, path: &Path, reader: &mut Reader<'_>) -> Vec<Step> {
    list.into_iter()
        .enumerate()
        .map(|(number, step)| {
            let path = path.item(number);
            let step = match step {
                TextOr::Text(raw) => word(&raw, &path, reader),
                TextOr::Table(file) => table(file, &path, reader),
            };
            // A step that could not be read and has been reported takes time and names nothing.
            step.unwrap_or(Step::Sleep(Span::from_secs(1)))
        })
        .collect()
}

/// The steps without a value.
fn words() -> String {
    let words: Vec<String> = WORDS.iter().map(|(word, _)| format!("`{word}`")).collect();
    let (last, others) = words.split_last().map_or(("", &[][..]), |(last, rest)| (last, rest));
    format!("{} or {last}", others.join(", "))
}

fn word(raw: &Raw, path: &Path, reader: &mut Reader<'_>) -> Option<Step> {
    let known = WORDS.into_iter().find(|(word, _)| matches!(raw, Raw::Text(text) if text == word));
    if known.is_none() {
        let help = format!("write {}, or a table, as `{{ run = \"3ms\" }}`", words());
        reader.wrong(Code::UnknownWordError, path, format!("{} is not a step", raw.show()), &help);
    }
    known.map(|(_, step)| step)
}

/// The one key that defines a step; none, or several, is a mistake.
fn only_key(file: &StepFile, path: &Path, reader: &mut Reader<'_>) -> Option<&'static str> {
    let waits = file.wait.is_some();
    let visits = file.visit.is_some();
    let keys = [
        ("run", file.run.is_some() && !visits),
        ("visit", visits),
        ("sleep", file.sleep.is_some()),
        ("timer", file.timer.is_some()),
        ("lock", file.lock.is_some() && !waits),
        ("unlock", file.unlock.is_some()),
        ("wait", waits),
        ("signal", file.signal.is_some()),
        ("broadcast", file.broadcast.is_some()),
        ("barrier", file.barrier.is_some()),
        ("resume", file.resume.is_some()),
        ("reserve", file.reserve.is_some()),
        ("guarantee", file.guarantee.is_some()),
        ("share", file.share.is_some()),
        ("priority", file.priority.is_some()),
        ("move", file.r#move.is_some()),
    ];
    let given: Vec<&str> = keys.iter().filter(|(_, given)| *given).map(|(key, _)| *key).collect();
    if let [only] = given.as_slice() {
        return Some(only);
    }
    if let [first, second, ..] = given.as_slice() {
        let message = format!("a step does one thing, not `{first}` and `{second}`");
        reader.wrong(Code::InvalidStep, path, message, "write two steps, one after the other");
    } else if !reader.cut_from(path) {
        let all: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
        let help = format!("write one of `{}`, or the word {}", all.join("`, `"), words());
        reader.wrong(Code::InvalidStep, path, "a step that does nothing", &help);
    }
    None
}

/// A request of a thread for itself.
fn own(file: StepFile, path: &Path, reader: &mut Reader<'_>) -> Option<OwnRequest> {
    if file.reserve.is_some() || file.guarantee.is_some() {
        let to = reader.get(file.to, &path.key("to"));
        let request = match file.guarantee {
            Some(guarantee) => {
                OwnRequest::guarantee(reader.get(Some(guarantee), &path.key("guarantee"))?)
            }
            None => {
                let Reservation(amount, period) = reader.get(file.reserve, &path.key("reserve"))?;
                OwnRequest::reserve(amount, period)
            }
        };
        return Some(match to {
            Some(to) => request.at(to),
            None => request,
        });
    }
    if file.share.is_some() {
        let Share(share) = reader.get(file.share, &path.key("share"))?;
        return Some(OwnRequest::Share(share));
    }
    if file.priority.is_some() {
        let Priority(priority) = reader.get(file.priority, &path.key("priority"))?;
        return Some(OwnRequest::Priority(priority));
    }
    reader.get(file.r#move, &path.key("move")).map(OwnRequest::Move)
}

/// A step that visits a station: so many times, or as it computes.
fn visit(file: StepFile, path: &Path, reader: &mut Reader<'_>) -> Option<Step> {
    let station = reader.get(file.visit, &path.key("visit"));
    let times = reader.get(file.times, &path.key("times"));
    let Some(run) = file.run else {
        if file.every.is_some() {
            let message = "`every` goes with `run` and `visit`";
            let help = "say how much it computes, as `run = \"10ms\"`, or leave `every` out";
            reader.wrong(Code::MisplacedKey, &path.key("every"), message, help);
        }
        return Some(Step::Visit { station: station?, times: times.unwrap_or(1) });
    };
    if times.is_some() {
        let message = "`times` does not go with `run`";
        let help = "write `every`, the computed time from one visit to the next";
        reader.wrong(Code::MisplacedKey, &path.key("times"), message, help);
    }
    let work = reader.get(Some(run), &path.key("run"));
    let what = "the computed time from one visit to the next, as `every = \"100us\"`";
    let every = reader.need(file.every, &path.key("every"), what);
    Some(Step::RunVisiting { work: work?.work(), station: station?, every: every? })
}

fn table(file: StepFile, path: &Path, reader: &mut Reader<'_>) -> Option<Step> {
    let only = only_key(&file, path, reader)?;
    if only != "timer" && (file.name.is_some() || file.mode.is_some()) {
        let message = "`name` and `mode` go with `timer`";
        reader.wrong(Code::MisplacedKey, path, message, "leave them out");
    }
    if !matches!(only, "reserve" | "guarantee") && file.to.is_some() {
        let message = "`to` goes with `reserve` and `guarantee`";
        reader.wrong(Code::MisplacedKey, path, message, "leave it out");
    }
    if only != "visit" && (file.times.is_some() || file.every.is_some()) {
        let message = "`times` and `every` go with `visit`";
        reader.wrong(Code::MisplacedKey, path, message, "leave them out");
    }
    if only == "visit" {
        return visit(file, path, reader);
    }
    if matches!(only, "reserve" | "guarantee" | "share" | "priority" | "move") {
        return own(file, path, reader).map(Step::OwnRequest);
    }
    let mut at = |value: Option<Lax<String>>, key: &str| reader.get(value, &path.key(key));
    Some(match only {
        "lock" => Step::Lock(at(file.lock, "lock")?),
        "unlock" => Step::Unlock(at(file.unlock, "unlock")?),
        "signal" => Step::Signal(at(file.signal, "signal")?),
        "broadcast" => Step::Broadcast(at(file.broadcast, "broadcast")?),
        "barrier" => Step::Barrier(at(file.barrier, "barrier")?),
        "resume" => Step::Resume(at(file.resume, "resume")?),
        "wait" => {
            let what = "the lock that it holds, as `lock = \"m\"`";
            let lock = reader.need(file.lock, &path.key("lock"), what);
            Step::Wait { condition: reader.get(file.wait, &path.key("wait"))?, lock: lock? }
        }
        "sleep" => Step::Sleep(reader.get(file.sleep, &path.key("sleep"))?),
        "run" => Step::Run(reader.get(file.run, &path.key("run"))?.work()),
        _ => {
            let period = reader.get(file.timer, &path.key("timer"));
            let period = reader.above_zero(period, &path.key("timer"));
            let name = reader.get(file.name, &path.key("name"));
            let mode = reader.get(file.mode, &path.key("mode"));
            Step::Timer {
                timer: name.unwrap_or_else(|| "timer".to_owned()),
                period: period?,
                tick: mode.unwrap_or_default(),
            }
        }
    })
}

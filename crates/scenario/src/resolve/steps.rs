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

/// How a step of one form is read from its table.
type Read = fn(StepFile, &Path, &mut Reader<'_>) -> Option<Step>;

/// Reads a step that is the value of one key.
macro_rules! read {
    ($key:ident, $step:expr) => {
        |file, path, reader| reader.get(file.$key, &path.key(stringify!($key))).map($step)
    };
}

/// A way to define a step: its key, whether that is given, and how the step is read then.
struct Form {
    key: &'static str,
    given: bool,
    read: Read,
}

/// Keys that go with some others.
struct Beside {
    keys: &'static str,
    given: bool,
    with: &'static [&'static str],
}

/// All forms of a step, and the keys beside them. A key of the table that has no place here does not compile.
fn forms(file: &StepFile) -> ([Form; 16], [Beside; 3]) {
    let StepFile {
        run,
        visit,
        times,
        every,
        sleep,
        timer,
        name,
        mode,
        lock,
        unlock,
        wait,
        signal,
        broadcast,
        barrier,
        resume,
        reserve,
        guarantee,
        to,
        share,
        priority,
        r#move,
    } = file;
    let form = |key, given, read: Read| Form { key, given, read };
    let forms = [
        form("run", run.is_some() && visit.is_none(), computes),
        form("visit", visit.is_some(), visits),
        form("sleep", sleep.is_some(), read!(sleep, Step::Sleep)),
        form("timer", timer.is_some(), ticks),
        form("lock", lock.is_some() && wait.is_none(), read!(lock, Step::Lock)),
        form("unlock", unlock.is_some(), read!(unlock, Step::Unlock)),
        form("wait", wait.is_some(), waits),
        form("signal", signal.is_some(), read!(signal, Step::Signal)),
        form("broadcast", broadcast.is_some(), read!(broadcast, Step::Broadcast)),
        form("barrier", barrier.is_some(), read!(barrier, Step::Barrier)),
        form("resume", resume.is_some(), read!(resume, Step::Resume)),
        form("reserve", reserve.is_some(), reserves),
        form("guarantee", guarantee.is_some(), requests),
        form("share", share.is_some(), read!(share, shares)),
        form("priority", priority.is_some(), read!(priority, ranks)),
        form("move", r#move.is_some(), moves),
    ];
    let beside = |keys, given, with| Beside { keys, given, with };
    let besides = [
        beside("`name` and `mode` go", name.is_some() || mode.is_some(), &["timer"][..]),
        beside("`to` goes", to.is_some(), &["reserve", "guarantee"]),
        beside("`times` and `every` go", times.is_some() || every.is_some(), &["visit"]),
    ];
    (forms, besides)
}

const fn shares(Share(share): Share) -> Step {
    Step::OwnRequest(OwnRequest::Share(share))
}

const fn ranks(Priority(priority): Priority) -> Step {
    Step::OwnRequest(OwnRequest::Priority(priority))
}

fn computes(file: StepFile, path: &Path, reader: &mut Reader<'_>) -> Option<Step> {
    Some(Step::Run(reader.get(file.run, &path.key("run"))?.work()))
}

fn moves(file: StepFile, path: &Path, reader: &mut Reader<'_>) -> Option<Step> {
    let to = reader.get(file.r#move, &path.key("move"))?;
    Some(Step::OwnRequest(OwnRequest::Move(to)))
}

fn waits(file: StepFile, path: &Path, reader: &mut Reader<'_>) -> Option<Step> {
    let what = "the lock that it holds, as `lock = \"m\"`";
    let lock = reader.need(file.lock, &path.key("lock"), what);
    let condition = reader.get(file.wait, &path.key("wait"))?;
    Some(Step::Wait { condition, lock: lock? })
}

fn reserves(file: StepFile, path: &Path, reader: &mut Reader<'_>) -> Option<Step> {
    let to = reader.get(file.to, &path.key("to"));
    let Reservation(amount, period) = reader.get(file.reserve, &path.key("reserve"))?;
    Some(own_request(OwnRequest::reserve(amount, period), to))
}

fn requests(file: StepFile, path: &Path, reader: &mut Reader<'_>) -> Option<Step> {
    let to = reader.get(file.to, &path.key("to"));
    let guarantee = reader.get(file.guarantee, &path.key("guarantee"))?;
    Some(own_request(OwnRequest::guarantee(guarantee), to))
}

/// A request of a thread for itself, of the scheduler of this name if one is given.
fn own_request(request: OwnRequest, to: Option<String>) -> Step {
    Step::OwnRequest(match to {
        Some(to) => request.at(to),
        None => request,
    })
}

fn ticks(file: StepFile, path: &Path, reader: &mut Reader<'_>) -> Option<Step> {
    let period = reader.get(file.timer, &path.key("timer"));
    let period = reader.above_zero(period, &path.key("timer"));
    let name = reader.get(file.name, &path.key("name"));
    let mode = reader.get(file.mode, &path.key("mode"));
    let timer = name.unwrap_or_else(|| "timer".to_owned());
    Some(Step::Timer { timer, period: period?, tick: mode.unwrap_or_default() })
}

/// A step that visits a station: so many times, or as it computes.
fn visits(file: StepFile, path: &Path, reader: &mut Reader<'_>) -> Option<Step> {
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

/// A step that is a table: of the one form whose key is given. None, or several, are a mistake.
fn table(file: StepFile, path: &Path, reader: &mut Reader<'_>) -> Option<Step> {
    let (forms, besides) = forms(&file);
    let all = forms.each_ref().map(|form| form.key);
    let mut given = forms.into_iter().filter(|form| form.given);
    let (Form { key, read, .. }, second) = match (given.next(), given.next()) {
        (Some(first), second) => (first, second),
        (None, _) => {
            if !reader.cut_from(path) {
                let help = format!("write one of `{}`, or the word {}", all.join("`, `"), words());
                reader.wrong(Code::InvalidStep, path, "a step that does nothing", &help);
            }
            return None;
        }
    };
    if let Some(second) = second {
        let message = format!("a step does one thing, not `{key}` and `{}`", second.key);
        reader.wrong(Code::InvalidStep, path, message, "write two steps, one after the other");
        return None;
    }
    for Beside { keys, with, .. } in besides.into_iter().filter(|beside| beside.given) {
        if !with.contains(&key) {
            let message = format!("{keys} with `{}`", with.join("` and `"));
            let help = if keys.contains(" and ") { "leave them out" } else { "leave it out" };
            reader.wrong(Code::MisplacedKey, path, message, help);
        }
    }
    read(file, path, reader)
}

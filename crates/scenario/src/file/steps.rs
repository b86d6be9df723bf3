//! How each step is spelled: its keys, how it is written, and how it is read. The steps are rt-app's.

use super::lax::{Lax, Raw};
use super::own::{Priority, Reservation, Share};
use super::scalar::Range;
use super::text_or::TextOr;
use crate::Guarantee;
use crate::diagnostic::Code;
use crate::model::Step;
use crate::resolve::Reader;
use crate::source::Path;
use serde::{Deserialize, Serialize};
use windfall_programs::{OwnRequest, Tick};
use windfall_time::Span;

/// Steps that are a word.
const WORDS: [(&str, Step); 4] = [
    ("job", Step::Job),
    ("yield", Step::Yield),
    ("suspend", Step::Suspend),
    ("unreserve", Step::OwnRequest(OwnRequest::Unreserve)),
];

/// One step: exactly one of these keys (`wait` with `lock`; `visit` with `times`, or with `run` and `every`; `timer` with `name` and `mode`; `reserve` and `guarantee` with `to`), or one of
/// the words `job`, `yield`, `suspend` and `unreserve`.
// Fields: keys of a table of the file, which stand beside each other there.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Step"))]
pub(crate) struct StepFile {
    /// Computes.
    pub(crate) run: Option<Lax<Range>>,
    /// Visits a station of the machine, while the processor stands still; with `run`, whenever it has computed `every`.
    pub(crate) visit: Option<Lax<String>>,
    /// Without `run`: the number of visits; one when absent.
    pub(crate) times: Option<Lax<u64>>,
    /// With `run` and `visit`: computed time from one visit to the next.
    pub(crate) every: Option<Lax<Span>>,
    /// Waits for this time.
    pub(crate) sleep: Option<Lax<Span>>,
    /// Waits for the next tick of a timer with this period, counted from when the thread began; a job
    /// ends and the next begins.
    pub(crate) timer: Option<Lax<Span>>,
    /// The name of the timer; `timer` when absent.
    pub(crate) name: Option<Lax<String>>,
    /// The timer's grid after a late arrival: `relative` (when absent) or `absolute`.
    pub(crate) mode: Option<Lax<Tick>>,
    /// Takes a lock.
    pub(crate) lock: Option<Lax<String>>,
    /// Gives a lock back.
    pub(crate) unlock: Option<Lax<String>>,
    /// Waits for a condition, with `lock`.
    pub(crate) wait: Option<Lax<String>>,
    /// Wakes the longest waiting thread of a condition.
    pub(crate) signal: Option<Lax<String>>,
    /// Wakes all threads that wait for a condition.
    pub(crate) broadcast: Option<Lax<String>>,
    /// Waits until all threads that use this barrier have arrived.
    pub(crate) barrier: Option<Lax<String>>,
    /// Resumes a suspended thread.
    pub(crate) resume: Option<Lax<String>>,
    /// Begins or changes a reservation of this thread.
    pub(crate) reserve: Option<Lax<Reservation>>,
    /// Requests a guarantee for this thread, which the run judges.
    pub(crate) guarantee: Option<Lax<Guarantee>>,
    /// The scheduler that is to give the reservation or the guarantee, to which the thread moves; the one above it when absent.
    pub(crate) to: Option<Lax<String>>,
    /// Sets the share of this thread.
    pub(crate) share: Option<Lax<Share>>,
    /// Sets the priority of this thread.
    pub(crate) priority: Option<Lax<Priority>>,
    /// Moves this thread to a scheduler at or below the one that it began at.
    pub(crate) r#move: Option<Lax<String>>,
}

impl StepFile {
    /// The step that is written so; a mistake is reported.
    pub(crate) fn read(from: TextOr<Self>, path: &Path, reader: &mut Reader<'_>) -> Option<Step> {
        match from {
            TextOr::Text(raw) => word(&raw, path, reader),
            TextOr::Table(file) => table(file, path, reader),
        }
    }

    /// A value that the step cannot have: the code, the key, the message and the help.
    pub(crate) const fn mistake(
        step: &Step,
    ) -> Option<(Code, &'static str, &'static str, &'static str)> {
        match step {
            Step::Visit { times: 0, .. } => {
                let help = "write 1 or more, or leave the step out";
                Some((Code::OutOfRange, "times", "no visits at all", help))
            }
            Step::RunVisiting { every, .. } if every.is_zero() => {
                let help = "write the computed time from one visit to the next, above zero";
                Some((Code::ZeroTime, "every", "visits without end", help))
            }
            _ => None,
        }
    }

    /// A step as it is written.
    pub(crate) fn of(step: &Step) -> TextOr<StepFile> {
        if let Some((word, _)) = WORDS.iter().find(|(_, known)| known == step) {
            return TextOr::Text(Raw::Text((*word).to_owned()));
        }
        let none = StepFile::default();
        let name = |name: &String| Lax::good(name.clone());
        TextOr::Table(match step {
            // These are words.
            Step::Job | Step::Yield | Step::Suspend => none,
            Step::Run(work) => StepFile { run: Lax::good(Range::of(*work)), ..none },
            Step::Visit { station, times } => StepFile {
                visit: name(station),
                times: (*times != 1).then_some(Lax(Ok(*times))),
                ..none
            },
            Step::RunVisiting { work, station, every } => StepFile {
                run: Lax::good(Range::of(*work)),
                visit: name(station),
                every: Lax::good(*every),
                ..none
            },
            Step::Sleep(span) => StepFile { sleep: Lax::good(*span), ..none },
            Step::Timer { timer, period, tick } => StepFile {
                timer: Lax::good(*period),
                name: (timer != "timer").then_some(Lax(Ok(timer.clone()))),
                mode: (*tick != Tick::Relative).then_some(Lax(Ok(*tick))),
                ..none
            },
            Step::Lock(lock) => StepFile { lock: name(lock), ..none },
            Step::Unlock(lock) => StepFile { unlock: name(lock), ..none },
            Step::Wait { condition, lock } => {
                StepFile { wait: name(condition), lock: name(lock), ..none }
            }
            Step::Signal(condition) => StepFile { signal: name(condition), ..none },
            Step::Broadcast(condition) => StepFile { broadcast: name(condition), ..none },
            Step::Barrier(barrier) => StepFile { barrier: name(barrier), ..none },
            Step::Resume(thread) => StepFile { resume: name(thread), ..none },
            Step::OwnRequest(request) => StepFile::own_request(request),
        })
    }

    /// A request in its written form, for requests that are more than a word.
    fn own_request(request: &OwnRequest) -> StepFile {
        let (none, own) = (StepFile::default(), request.clone());
        let to = |at: &Option<String>| at.clone().and_then(Lax::good);
        match request {
            OwnRequest::Reserve { at, .. } => {
                StepFile { reserve: Lax::good(Reservation(own)), to: to(at), ..none }
            }
            OwnRequest::Guarantee { guarantee, at } => {
                StepFile { guarantee: Lax::good(*guarantee), to: to(at), ..none }
            }
            OwnRequest::Share(_) => StepFile { share: Lax::good(Share(own)), ..none },
            OwnRequest::Priority(_) => StepFile { priority: Lax::good(Priority(own)), ..none },
            OwnRequest::Move(to) => StepFile { r#move: Lax::good(to.clone()), ..none },
            _ => none,
        }
    }
}

/// The steps without a value.
fn words() -> String {
    let [others @ .., last] = WORDS.map(|(word, _)| format!("`{word}`"));
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
        form("share", share.is_some(), read!(share, |own| Step::OwnRequest(own.0))),
        form("priority", priority.is_some(), read!(priority, |own| Step::OwnRequest(own.0))),
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
    let Reservation(request) = reader.get(file.reserve, &path.key("reserve"))?;
    Some(own_request(request, to))
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
    let Some(Form { key, read, .. }) = given.next() else {
        if !reader.cut_from(path) {
            let help = format!("write one of `{}`, or the word {}", all.join("`, `"), words());
            reader.wrong(Code::InvalidStep, path, "a step that does nothing", &help);
        }
        return None;
    };
    if let Some(second) = given.next() {
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

#[cfg(test)]
mod tests;

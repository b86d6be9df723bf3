//! Control requests.

use super::reader::Reader;
use super::scheduler;
use crate::decode::decode;
use crate::diagnostic::Code;
use crate::file::{AtFile, Lax};
use crate::model::{Change, Request, Requirements, Timer, Whom};
use crate::source::Path;
use crate::suggest;
use crate::tree::Node;
use toml::Spanned;
use toml::de::DeValue;
use windfall_schedulers::parameters;
use windfall_time::Instant;

/// Each request, and the keys that go with it; with a move whatever a child may be told as well.
const REQUESTS: [(&str, &[&str]); 12] = [
    ("create", &["name", "with"]),
    ("destroy", &["scheduler"]),
    ("default", &["scheduler"]),
    ("move", &["thread", "to", "guarantee"]),
    ("reserve", &["thread", "scheduler", "processor", "reserve"]),
    ("guarantee", &["thread", "scheduler", "processor", "guarantee"]),
    ("unreserve", &["thread", "scheduler", "processor"]),
    ("share", &["thread", "scheduler", "processor", "share"]),
    ("warp", &["thread", "scheduler", "processor", "warp"]),
    ("priority", &["thread", "scheduler", "processor", "priority"]),
    ("quantum", &["scheduler", "quantum"]),
    ("timer", &["timer"]),
];

/// The keys of all requests, but for what a child may be told.
const OTHER_KEYS: [&str; 9] =
    ["thread", "scheduler", "processor", "to", "name", "with", "quantum", "timer", "guarantee"];

/// Stands for one that could not be read and has been told of, so that the others keep their
/// numbers.
const UNREADABLE: Request = Request { time: Instant::ZERO, change: Change::Timer(Timer::Precise) };

pub(super) fn requests(node: Option<Node<'_>>, reader: &mut Reader<'_>) -> Vec<Request> {
    let entries = reader.items(node, "at");
    entries
        .into_iter()
        .enumerate()
        .map(|(number, node)| {
            let path = Path::of(&["at"]).item(number);
            request(node, &path, reader).unwrap_or(UNREADABLE)
        })
        .collect()
}

fn request(mut node: Node<'_>, path: &Path, reader: &mut Reader<'_>) -> Option<Request> {
    // A scheduler to create has keys that only its kind knows.
    let with = match node.get_mut() {
        DeValue::Table(table) => table.remove(&Spanned::new(0..0, "with".into())),
        _ => None,
    };
    let file: AtFile = decode(node, &mut reader.mistakes).unwrap_or_default();
    let what = "when, as `time = \"2 s\"`";
    let time = reader.need(file.time.clone(), &path.key("time"), what);
    let names = || REQUESTS.iter().map(|(name, _)| *name);
    let what =
        format!("what, as `do = \"move\"`; known: {}", names().collect::<Vec<_>>().join(", "));
    let verb = reader.need(file.r#do.clone(), &path.key("do"), &what)?;
    let Some((verb, keys)) = REQUESTS.iter().find(|(name, _)| *name == verb) else {
        let help = suggest::hint(&verb, names());
        reader.wrong(
            Code::UnknownRequest,
            &path.key("do"),
            format!("unknown request `{verb}`"),
            &help,
        );
        return None;
    };
    let told = || parameters::ALL.iter().map(|parameter| parameter.key);
    let mut keys = keys.to_vec();
    if *verb == "move" {
        keys.extend(told());
    }
    for key in OTHER_KEYS.into_iter().chain(told()) {
        if reader.origin.has(&path.key(key)) && !keys.contains(&key) {
            let help = format!("`{verb}` takes `time`, `do`, `{}`", keys.join("`, `"));
            reader.wrong_key(
                Code::MisplacedKey,
                &path.key(key),
                format!("`{key}` does not go with `{verb}`"),
                &help,
            );
        }
    }
    let change = change(verb, file, with, path, reader);
    Some(Request { time: time.unwrap_or(Instant::ZERO), change: change? })
}

fn change(
    verb: &str,
    file: AtFile,
    with: Option<Node<'_>>,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Option<Change> {
    const SCHEDULER: &str = "a scheduler's name";
    let requires = reader.requirements(file.requirements(), path);
    Some(match verb {
        "create" => {
            let name = reader.need(file.name, &path.key("name"), "the scheduler's name");
            let path = path.key("with");
            let Some(with) = with else {
                reader.missing(&path, "`with = { scheduler = \"rez\", parent = \"top\" }`");
                return None;
            };
            let name = name.unwrap_or_default();
            Change::Create(scheduler::scheduler(name, with, &path, reader))
        }
        "destroy" => {
            Change::Destroy(reader.need(file.scheduler, &path.key("scheduler"), SCHEDULER)?)
        }
        "default" => {
            Change::Default(reader.need(file.scheduler, &path.key("scheduler"), SCHEDULER)?)
        }
        "move" => {
            let thread = reader.need(file.thread, &path.key("thread"), "a thread's name");
            let to = reader.need(file.to, &path.key("to"), SCHEDULER);
            Change::Move { thread: thread?, to: to?, requires }
        }
        "quantum" => {
            let scheduler = reader.need(file.scheduler, &path.key("scheduler"), SCHEDULER);
            let what = "a length of time, as `quantum = \"10ms\"`";
            let quantum = reader.need(file.quantum, &path.key("quantum"), what);
            let quantum = reader.above_zero(quantum, &path.key("quantum"));
            Change::Quantum(scheduler?, quantum?)
        }
        "timer" => {
            let what = "`timer = \"1024Hz\"` or `\"precise\"`";
            Change::Timer(reader.need(file.timer, &path.key("timer"), what)?.0)
        }
        _ => {
            let whom = whom(file.thread, file.scheduler, file.processor, path, reader);
            parameter(verb, whom, requires, path, reader)?
        }
    })
}

fn parameter(
    verb: &str,
    whom: Option<Whom>,
    requires: Requirements,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Option<Change> {
    let change = match verb {
        "reserve" => requires
            .reserve
            .map(|reserve| Change::Reserve(whom.clone().unwrap_or_else(nobody), reserve)),
        "guarantee" => requires
            .guarantee
            .map(|guarantee| Change::Guarantee(whom.clone().unwrap_or_else(nobody), guarantee)),
        "share" => {
            requires.share.map(|share| Change::Share(whom.clone().unwrap_or_else(nobody), share))
        }
        "warp" => requires.warp.map(|warp| Change::Warp(whom.clone().unwrap_or_else(nobody), warp)),
        "priority" => {
            requires.priority.map(|p| Change::Priority(whom.clone().unwrap_or_else(nobody), p))
        }
        _ => return whom.map(Change::Unreserve),
    };
    if change.is_none() {
        reader.missing(&path.key(verb), "its value");
    }
    whom.and(change)
}

fn nobody() -> Whom {
    Whom::Thread(String::new())
}

fn whom(
    thread: Option<Lax<String>>,
    scheduler: Option<Lax<String>>,
    processor: Option<Lax<u16>>,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Option<Whom> {
    let processor = reader.get(processor, &path.key("processor"));
    match (thread, scheduler) {
        (Some(thread), None) => {
            if processor.is_some() {
                let path = path.key("processor");
                reader.wrong_key(
                    Code::MisplacedKey,
                    &path,
                    "`processor` goes with `scheduler`",
                    "leave it out",
                );
            }
            reader.get(Some(thread), &path.key("thread")).map(Whom::Thread)
        }
        (None, Some(scheduler)) => {
            let name = reader.get(Some(scheduler), &path.key("scheduler"))?;
            Some(Whom::Scheduler(name, processor.unwrap_or(0)))
        }
        (None, None) => {
            let help = "write `thread = ` or `scheduler = ` with a name";
            reader.wrong(
                Code::MissingKey,
                &path.key("thread"),
                "neither `thread` nor `scheduler` is written",
                help,
            );
            None
        }
        (Some(_), Some(_)) => {
            let path = path.key("scheduler");
            reader.wrong_key(
                Code::ExclusiveKeys,
                &path,
                "`thread` and `scheduler` exclude each other",
                "leave one out",
            );
            None
        }
    }
}

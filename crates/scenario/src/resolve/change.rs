//! Control requests.

use super::reader::Reader;
use super::scheduler;
use crate::decode::decode;
use crate::diagnostic::Code;
use crate::file::{AtFile, Lax, RequirementsFile, WithRequirements, requirement_keys};
use crate::model::{Change, Request, Requirements, Timer, Whom};
use crate::source::Path;
use crate::suggest;
use crate::tree::Node;
use toml::Spanned;
use toml::de::DeValue;
use windfall_schedulers::{kinds::REZ, parameters};
use windfall_time::Instant;

/// The keys that name the owner of requirements at a parent.
const WHOM: [&str; 3] = ["thread", "scheduler", "processor"];

/// Each request except those that set a parameter, and its keys; a move also takes the requirements at the new parent.
const REQUESTS: [(&str, &[&str]); 13] = [
    ("create", &["name", "with"]),
    ("destroy", &["scheduler"]),
    ("default", &["scheduler"]),
    ("move", &["thread", "scheduler", "processor", "to"]),
    ("add-parent", &["scheduler", "to"]),
    ("remove-parent", &["scheduler", "processor"]),
    ("guarantee", &["thread", "scheduler", "processor", "guarantee"]),
    ("unreserve", &WHOM),
    ("quantum", &["scheduler", "quantum"]),
    ("transfer", &["from", "to", "work"]),
    ("enqueue", &["queue", "datum"]),
    ("timer", &["timer"]),
    (TRANSACTION, &["requests"]),
];

/// The request that consists of others.
const TRANSACTION: &str = "transaction";

/// The keys of all requests, except those of requirements at a parent.
const OTHER_KEYS: [&str; 13] = [
    "thread",
    "scheduler",
    "processor",
    "from",
    "to",
    "work",
    "name",
    "with",
    "requests",
    "quantum",
    "queue",
    "datum",
    "timer",
];

/// A placeholder for one that could not be read and has been reported, so that the others keep their
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

fn request(node: Node<'_>, path: &Path, reader: &mut Reader<'_>) -> Option<Request> {
    let (time, change) = entry(node, path, true, reader);
    Some(Request { time: time.unwrap_or(Instant::ZERO), change: change? })
}

/// An entry of `[[at]]`, or one of a transaction, which has no `time`.
fn entry(
    mut node: Node<'_>,
    path: &Path,
    timed: bool,
    reader: &mut Reader<'_>,
) -> (Option<Instant>, Option<Change>) {
    // A scheduler to create has keys that only its kind knows.
    let mut take = |key: &'static str| match node.get_mut() {
        DeValue::Table(table) => table.remove(&Spanned::new(0..0, key.into())),
        _ => None,
    };
    let inside = Inside { with: take("with"), requests: take("requests") };
    let file: WithRequirements<AtFile> = decode(node, &mut reader.mistakes).unwrap_or_default();
    let WithRequirements { own: file, requirements } = file;
    let time = if timed {
        reader.need(file.time.clone(), &path.key("time"), "when, as `time = \"2 s\"`")
    } else {
        if reader.origin.has(&path.key("time")) {
            let help = "leave it out: a transaction is carried out at one time";
            reader.wrong_key(
                Code::MisplacedKey,
                &path.key("time"),
                "a part of a transaction has no `time`",
                help,
            );
        }
        None
    };
    (time, verb(file, requirements, inside, path, reader))
}

/// The keys of an entry that are read separately.
struct Inside<'i> {
    with: Option<Node<'i>>,
    requests: Option<Node<'i>>,
}

fn verb(
    file: AtFile,
    requirements: RequirementsFile,
    inside: Inside<'_>,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Option<Change> {
    let set = parameters::ALL.iter().map(|parameter| parameter.key);
    let names = REQUESTS.iter().map(|(name, _)| *name).chain(set);
    let what = format!(
        "what, as `do = \"move\"`; known: {}",
        names.clone().collect::<Vec<_>>().join(", ")
    );
    let verb = reader.need(file.r#do.clone(), &path.key("do"), &what)?;
    let Some(keys) = keys(&verb) else {
        let help = suggest::hint(&verb, names);
        reader.wrong(
            Code::UnknownRequest,
            &path.key("do"),
            format!("unknown request `{verb}`"),
            &help,
        );
        return None;
    };
    for key in OTHER_KEYS.into_iter().chain(requirement_keys()) {
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
    change(&verb, (file, requirements), inside, path, reader)
}

/// The parts of a transaction, of which none is one.
fn parts(node: Option<Node<'_>>, path: &Path, reader: &mut Reader<'_>) -> Option<Change> {
    let path = path.key("requests");
    let Some(node) = node else {
        reader.missing(&path, "`requests = [{ do = \"move\", thread = \"a\", to = \"b\" }]`");
        return None;
    };
    let DeValue::Array(list) = node.into_inner() else {
        let help = "write `requests = [{ do = .. }, ..]`";
        reader.wrong(Code::WrongType, &path, "`requests` is a list of requests", help);
        return None;
    };
    let mut parts = Vec::new();
    for (number, node) in list.into_iter().enumerate() {
        let path = path.item(number);
        match entry(node, &path, false, reader).1 {
            Some(Change::Transaction(_)) => {
                let help = "write its requests here";
                let message = "a transaction within a transaction";
                reader.wrong(Code::MisplacedKey, &path.key("do"), message, help);
            }
            Some(Change::Enqueue { .. }) => {
                let help = "make it a request of its own: what a process took out of a queue cannot be taken back";
                let message = "`enqueue` within a transaction";
                reader.wrong(Code::MisplacedKey, &path.key("do"), message, help);
            }
            part => parts.extend(part),
        }
    }
    if parts.is_empty() {
        reader.wrong(Code::MissingKey, &path, "no requests", "write at least one");
        return None;
    }
    Some(Change::Transaction(parts))
}

/// The keys of a request, in addition to `time` and `do`.
fn keys(verb: &str) -> Option<Vec<&'static str>> {
    if let Some(parameter) = parameters::ALL.iter().find(|parameter| parameter.key == verb) {
        return Some(WHOM.into_iter().chain([parameter.key]).collect());
    }
    let (_, keys) = REQUESTS.iter().find(|(name, _)| *name == verb)?;
    let mut keys = keys.to_vec();
    if matches!(verb, "move" | "add-parent") {
        keys.extend(requirement_keys());
    }
    Some(keys)
}

// Length: a table: what each request becomes.
fn change(
    verb: &str,
    (file, requirements): (AtFile, RequirementsFile),
    inside: Inside<'_>,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Option<Change> {
    const SCHEDULER: &str = "a scheduler's name";
    let requires = reader.requirements(requirements, path);
    Some(match verb {
        "create" => {
            let name = reader.need(file.name, &path.key("name"), "the scheduler's name");
            let path = path.key("with");
            let Some(with) = inside.with else {
                let example = format!("`with = {{ scheduler = \"{REZ}\", parent = \"top\" }}`");
                reader.missing(&path, &example);
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
            let whom = whom(file.thread, file.scheduler, file.processor, path, reader);
            let to = reader.need(file.to, &path.key("to"), SCHEDULER);
            match whom? {
                Whom::Thread(thread) => Change::Move { thread, to: to?, requires },
                Whom::Scheduler(name, own) => Change::MoveScheduler {
                    own: (name, own),
                    to: scheduler::parent_of(to),
                    requires,
                },
            }
        }
        "add-parent" => {
            let scheduler = reader.need(file.scheduler, &path.key("scheduler"), SCHEDULER);
            let to = reader.need(file.to, &path.key("to"), "a scheduler's name, or `top`");
            Change::AddParent { scheduler: scheduler?, to: scheduler::parent_of(to), requires }
        }
        "remove-parent" => {
            let scheduler = reader.need(file.scheduler, &path.key("scheduler"), SCHEDULER);
            let own = reader.get(file.processor, &path.key("processor"));
            Change::RemoveParent(scheduler?, own.unwrap_or(0))
        }
        TRANSACTION => return parts(inside.requests, path, reader),
        "quantum" => {
            let scheduler = reader.need(file.scheduler, &path.key("scheduler"), SCHEDULER);
            let what = "a length of time, as `quantum = \"10ms\"`";
            let quantum = reader.need(file.quantum, &path.key("quantum"), what);
            let quantum = reader.above_zero(quantum, &path.key("quantum"));
            Change::Quantum(scheduler?, quantum?)
        }
        "transfer" => {
            let from = reader.need(file.from, &path.key("from"), SCHEDULER);
            let to = reader.need(file.to, &path.key("to"), SCHEDULER);
            let work = reader.need(file.work, &path.key("work"), "how much, as `work = \"5ms\"`");
            let work = reader.above_zero(work, &path.key("work"));
            Change::Transfer { from: from?, to: to?, work: work? }
        }
        "enqueue" => {
            let what = "the name by which processes know it, as `queue = \"obstacles\"`";
            let queue = reader.need(file.queue, &path.key("queue"), what);
            let what = "a whole number, as `datum = 1`";
            let datum = reader.need(file.datum, &path.key("datum"), what);
            let most = i64::MAX.unsigned_abs();
            if datum.is_some_and(|datum| datum > most) {
                let help = format!("write at most {most}");
                let message = "a datum that no file can hold";
                reader.wrong(Code::OutOfRange, &path.key("datum"), message, &help);
            }
            Change::Enqueue { queue: queue?, datum: datum? }
        }
        "timer" => {
            let what = "`timer = \"1024Hz\"` or `\"precise\"`";
            Change::Timer(reader.need(file.timer, &path.key("timer"), what)?.0)
        }
        _ => {
            let whom = whom(file.thread, file.scheduler, file.processor, path, reader);
            requested(verb, whom, &requires, path, reader)?
        }
    })
}

/// A requirement at a parent, by the key that names it.
fn requested(
    verb: &str,
    whom: Option<Whom>,
    requires: &Requirements,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Option<Change> {
    if verb == "unreserve" {
        return whom.map(Change::Unreserve);
    }
    let parameter = parameters::ALL.iter().copied().find(|parameter| parameter.key == verb);
    let value = parameter.and_then(|parameter| Some((parameter, requires.get(parameter)?)));
    let guarantee = requires.guarantee.filter(|_| verb == "guarantee");
    if value.is_none() && guarantee.is_none() {
        reader.missing(&path.key(verb), "its value");
    }
    let whom = whom?;
    match value {
        Some((parameter, value)) => Some(Change::Set(whom, parameter, value)),
        None => guarantee.map(|guarantee| Change::Guarantee(whom, guarantee)),
    }
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

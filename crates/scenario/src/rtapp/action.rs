//! Events: the one that a key denotes, and its value.

use super::json::{Member, Node, Value};
use super::keys::{Findings, span, text};
use super::{Action, Event};
use windfall_time::Span;

/// The beginnings of event keys in the order in which rt-app tries them.
pub(super) const EVENTS: [&str; 20] = [
    "lock", "unlock", "wait", "signal", "broad", "sync", "sleep", "runtime", "run", "timer",
    "suspend", "resume", "memrun", "mem", "iorun", "yield", "barrier", "fork", "sem_post",
    "sem_wait",
];

/// The event that a key denotes, if any.
pub(super) fn kind(key: &str) -> Option<&'static str> {
    EVENTS.into_iter().find(|event| key.starts_with(event))
}

/// Reads one event; `None` when it was refused.
pub(super) fn event(member: &Member, f: &mut Findings) -> Option<Event> {
    let (key, node) = (member.key.as_str(), &member.node);
    let named = |f: &mut Findings| text(node, key, f);
    let action = match kind(key)? {
        "run" => Action::Run(span(node, key, f)?),
        "runtime" => Action::Runtime(span(node, key, f)?),
        "sleep" => Action::Sleep(span(node, key, f)?),
        "timer" => timer(node, key, f)?,
        "mem" => Action::Memory(bytes(node, key, f)?),
        "iorun" => Action::Io(bytes(node, key, f)?),
        "memrun" => memory_run(node, key, f)?,
        "lock" => Action::Lock(named(f)?),
        "unlock" => Action::Unlock(named(f)?),
        "signal" => Action::Signal(named(f)?),
        "broad" => Action::Broadcast(named(f)?),
        "wait" => {
            let (reference, mutex) = condition(node, key, f)?;
            Action::Wait { reference, mutex }
        }
        "sync" => {
            let (reference, mutex) = condition(node, key, f)?;
            Action::Sync { reference, mutex }
        }
        "barrier" => Action::Barrier(named(f)?),
        "sem_post" => Action::SemaphorePost(named(f)?),
        "sem_wait" => Action::SemaphoreWait(named(f)?),
        "suspend" => Action::Suspend,
        "resume" => Action::Resume(named(f)?),
        "fork" => Action::Fork(named(f)?),
        _ => Action::Yield,
    };
    Some(Event { name: key.to_owned(), line: member.place.line, action })
}

fn bytes(node: &Node, key: &str, f: &mut Findings) -> Option<u64> {
    let value = super::keys::integer(node, key, f)?;
    let bytes = u64::try_from(value).ok();
    if bytes.is_none() {
        f.refuse(node.place, format!("`{key}` is {value}; allowed: 0 bytes and more"));
    }
    bytes
}

fn timer(node: &Node, key: &str, f: &mut Findings) -> Option<Action> {
    let mut keys = f.open(node, &format!("`{key}`"))?;
    let reference = keys.text("ref", f);
    let period = keys.span("period", f);
    let place = keys.place();
    let mode = keys.text("mode", f);
    keys.close(&["ref", "period", "mode"], f);
    let absolute = match mode.as_deref() {
        None | Some("relative") => false,
        Some("absolute") => true,
        Some(other) => {
            let text = format!("`mode` of `{key}` is `{other}`; allowed: relative, absolute");
            f.refuse(place, text);
            return None;
        }
    };
    let period = required(period, "period", node, key, f)?;
    if period == Span::ZERO {
        f.refuse(place, format!("`period` of `{key}` is 0; allowed: 1 microsecond and more"));
        return None;
    }
    let reference = reference.unwrap_or_else(|| unnamed("ref", node, key, f));
    Some(Action::Timer { reference, period, absolute })
}

fn memory_run(node: &Node, key: &str, f: &mut Findings) -> Option<Action> {
    let mut keys = f.open(node, &format!("`{key}`"))?;
    let kind = keys.text("type", f).unwrap_or_else(|| "read".to_owned());
    let range = "0 and more";
    let size = keys.small("size", range, f);
    let count = keys.small("count", range, f);
    let stride = keys.small("stride", range, f).unwrap_or(64);
    let pattern = keys.text("pattern", f).unwrap_or_else(|| "random".to_owned());
    let reference = keys.text("ref", f);
    keys.close(&["type", "size", "count", "stride", "pattern", "ref"], f);
    let size = required(size, "size", node, key, f)?;
    let count = required(count, "count", node, key, f)?;
    if !["read", "write", "chase"].contains(&kind.as_str()) {
        let text = format!("`type` of `{key}` is `{kind}`; allowed: read, write, chase");
        f.refuse(node.place, text);
        return None;
    }
    Some(Action::MemoryRun { kind, size, count, stride, pattern, reference })
}

fn condition(node: &Node, key: &str, f: &mut Findings) -> Option<(String, String)> {
    let mut keys = f.open(node, &format!("`{key}`"))?;
    let (reference, mutex) = (keys.text("ref", f), keys.text("mutex", f));
    keys.close(&["ref", "mutex"], f);
    let reference = reference.unwrap_or_else(|| unnamed("ref", node, key, f));
    Some((reference, mutex.unwrap_or_else(|| unnamed("mutex", node, key, f))))
}

/// rt-app's name for a timer, condition or mutex without a name; all of them are one.
fn unnamed(name: &str, node: &Node, key: &str, f: &mut Findings) -> String {
    f.warn(node.place, format!("`{key}` has no `{name}`; rt-app calls it `unknown`"));
    "unknown".to_owned()
}

/// A required part of an event. A part that was refused already is not refused again.
fn required<T>(part: Option<T>, name: &str, node: &Node, key: &str, f: &mut Findings) -> Option<T> {
    let given = match &node.value {
        Value::Object(members) => members.iter().any(|member| member.key == name),
        _ => true,
    };
    if part.is_none() && !given {
        f.refuse(node.place, format!("`{key}` has no `{name}`"));
    }
    part
}

//! Text of tracefs and of `trace-cmd report`.

use super::Format;
use crate::import::line::{
    Head, candidates, is_name, number, processor, spaces, thread_number, time,
};

pub(super) const FORMAT: Format =
    Format { name: "ftrace", help: "Text of tracefs or of trace-cmd", head: ftrace };

/// Reads a line of tracefs or `trace-cmd report`.
pub(super) fn ftrace(line: &str) -> Option<Head<'_>> {
    candidates(line, |byte| byte == b'-', |comm, rest| ftrace_behind_name(comm, &rest[1..]))
}

fn ftrace_behind_name<'a>(comm: &'a str, rest: &'a str) -> Option<Head<'a>> {
    let (tid, rest) = number(rest)?;
    let mut rest = spaces(rest)?;
    let mut pid = None;
    if let Some(inside) = rest.strip_prefix('(') {
        let (group, behind) = inside.split_once(')')?;
        let group = group.trim();
        if !group.bytes().all(|byte| byte == b'-') {
            pid = Some(group.parse().ok().and_then(thread_number)?);
        }
        rest = behind.trim_start();
    }
    let (cpu, rest) = processor(rest)?;
    let mut interrupt = None;
    let rest = spaces(rest)?;
    let (ns, rest) = match time(rest) {
        Some(found) => found,
        None => {
            let (flags, rest) = rest.split_once(|c: char| c.is_ascii_whitespace())?;
            interrupt = Some(context(flags)?);
            time(rest.trim_start())?
        }
    };
    let (event, args) = spaces(rest)?.split_once(':')?;
    if args.starts_with(|c: char| !c.is_ascii_whitespace()) {
        return None;
    }
    let tid = Some(thread_number(tid)?);
    let comm = (comm != "<...>" && !comm.is_empty()).then_some(comm);
    let args = args.trim_start();
    is_name(event).then_some(Head { comm, tid, pid, cpu, interrupt, ns, event, args })
}

/// Whether the kernel's flags name an interrupt, which the third tells. `None` if they are no
/// flags.
fn context(flags: &str) -> Option<bool> {
    let sound = (4..=6).contains(&flags.len())
        && flags.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'#'));
    let third = flags.as_bytes().get(2)?;
    sound.then_some(matches!(third, b'h' | b'H' | b's' | b'z' | b'Z'))
}

//! Text of tracefs and of `trace-cmd report`.

use super::Format;
use crate::import::line::{
    candidates, is_name, number, number_behind, processor, spaces, thread_number, time,
};
use crate::import::{Aside, Head, Heading, args};

pub(super) const FORMAT: Format = Format {
    name: "ftrace",
    help: "Text of tracefs or of trace-cmd",
    command: "trace-cmd report",
    aside,
    head: ftrace,
    event: |head| args::read(head.event, head.args, head.tid),
};

/// Comments of tracefs, trace-cmd's own lines, and what either says of losses.
fn aside(line: &str) -> Option<Aside<'_>> {
    if !line.starts_with('#') && !is_heading(line) {
        return loss(line);
    }
    let processors = ["#P:", "cpus="].iter().find_map(|key| number_behind(line, key));
    Some(Aside::Heading(Heading { processors, lost: overwritten(line), ..Heading::default() }))
}

/// trace-cmd's own lines.
fn is_heading(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.strip_prefix("cpus=").is_some_and(digits)
        || text.strip_prefix("version = ").is_some_and(digits)
        || (text.starts_with("CPU") && text.ends_with(" is empty"))
}

/// `# entries-in-buffer/entries-written: 900/1200   #P:4` of tracefs: 300.
fn overwritten(text: &str) -> Option<u64> {
    let counts = text.strip_prefix("# entries-in-buffer/entries-written")?.split_once(':')?.1;
    let mut numbers = counts.split(['/', ' ']).filter(|part| !part.is_empty());
    let mut next = || Some(number(numbers.next()?)?.0);
    let (kept, written) = (next()?, next()?);
    written.checked_sub(kept).filter(|lost| *lost > 0)
}

/// `CPU:1 [LOST 3412 EVENTS]` of trace_pipe, `CPU:7 [204600 EVENTS DROPPED]` of trace-cmd.
fn loss(text: &str) -> Option<Aside<'_>> {
    let (cpu, rest) = text.strip_prefix("CPU:")?.split_once(' ')?;
    let inside = rest.trim().strip_prefix('[')?.strip_suffix(']')?;
    let count = match inside.strip_prefix("LOST ") {
        Some(rest) => rest.strip_suffix("EVENTS")?.trim(),
        None => inside.strip_suffix("EVENTS DROPPED")?.trim(),
    };
    let count = if count.is_empty() { None } else { Some(count.parse().ok()?) };
    Some(Aside::Loss { cpu: Some(cpu.parse().ok()?), count })
}

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
    let ns = Some(ns);
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

//! Text of `perf script`.

use super::Format;
use crate::import::line::{Head, candidates, is_name, number, processor, signed, spaces, time};

pub(super) const FORMAT: Format =
    Format { name: "perf", help: "Text of `perf script`", head: perf };

/// Reads a line of `perf script`, with one number (the thread) or two (process/thread).
pub(super) fn perf(line: &str) -> Option<Head<'_>> {
    let ends = |byte: u8| byte.is_ascii_whitespace();
    candidates(line, ends, |comm, rest| perf_behind_name(comm, &rest[1..]))
}

fn perf_behind_name<'a>(comm: &'a str, rest: &'a str) -> Option<Head<'a>> {
    let (first, rest) = signed(rest)?;
    let (pid, tid, rest) = match rest.strip_prefix('/') {
        Some(rest) => {
            let (tid, rest) = signed(rest)?;
            (first, tid, rest)
        }
        None => (None, first, rest),
    };
    let (cpu, rest) = processor(spaces(rest)?)?;
    let (ns, rest) = time(spaces(rest)?)?;
    let mut rest = spaces(rest)?;
    if let Some((_, behind)) = number(rest)
        && let Some(behind) = spaces(behind)
    {
        // A period that some versions print.
        rest = behind;
    }
    let (event, args) = if rest.starts_with("PERF_RECORD_") {
        let end = rest.find(|c: char| c != '_' && !c.is_ascii_uppercase() && !c.is_ascii_digit());
        rest.split_at(end.unwrap_or(rest.len()))
    } else {
        let (first, behind) = rest.split_once(':')?;
        match behind.split_once(':') {
            Some((second, args)) if is_name(first) && is_name(second) => (second, args),
            _ => (first, behind),
        }
    };
    let comm = (!comm.is_empty() && !comm.starts_with(':')).then_some(comm);
    let (interrupt, args) = (None, args.trim_start());
    is_name(event).then_some(Head { comm, tid, pid, cpu, interrupt, ns, event, args })
}

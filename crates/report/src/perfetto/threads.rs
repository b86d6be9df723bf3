//! The state known of each thread, and its number in the Perfetto file.
//!
//! Invariant: no two threads have the same number, and none has 0. A thread keeps the number of its
//! source when that is free; else (simulated threads, recycled numbers) it gets one above all that
//! a kernel gives.

use super::out::{Out, Track};
use super::proto::{Packet, Process, ProcessTree, Thread};
use crate::promised_share;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use windfall_time::{Instant, Ratio, Span};
use windfall_trace::{NodeId, ThreadId};

/// Numbers from here on are ours: Linux stops at 2^22.
const OURS: u32 = 1 << 30;
/// Processes that stand for schedulers; the first one for no scheduler.
const GROUPS: u32 = 1 << 29;

/// One thread.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) tid: i64,
    pub(super) name: String,
    pub(super) received: Span,
    /// A wake-up came while it still ran.
    pub(super) woken_early: bool,
    /// Its line says "unknown".
    pub(super) lost: bool,
    pub(super) ended: bool,
    share: Option<Ratio>,
    since: Instant,
    before: Span,
}

impl Known {
    /// Time promised until `at`, summed over its promises, if they name a share of a processor.
    pub(super) fn promised(&self, at: Instant) -> Option<Span> {
        let part = promised_share::part(self.share?, at.saturating_since(self.since))?;
        Some(self.before.saturating_add(part))
    }

    /// Takes a new promise; gives what the old ones add up to, when either names a share.
    pub(super) fn promise(&mut self, at: Instant, text: Option<&str>) -> Option<Span> {
        let before = self.promised(at);
        self.before = before.unwrap_or(self.before);
        self.share = text.and_then(promised_share::share);
        self.since = at;
        (before.is_some() || self.share.is_some()).then_some(self.before)
    }
}

/// All threads.
#[derive(Debug, Default)]
pub(super) struct Threads {
    known: BTreeMap<ThreadId, Known>,
    tids: BTreeSet<i64>,
    pids: BTreeSet<u32>,
}

impl Threads {
    pub(super) fn has(&self, thread: ThreadId) -> bool {
        self.known.contains_key(&thread)
    }

    pub(super) fn all(&self) -> Vec<ThreadId> {
        self.known.keys().copied().collect()
    }

    /// A thread, which has been declared.
    pub(super) fn get(&mut self, thread: ThreadId) -> &mut Known {
        self.known.entry(thread).or_insert_with(|| Known {
            tid: 0,
            name: String::new(),
            received: Span::ZERO,
            woken_early: false,
            lost: false,
            ended: false,
            share: None,
            since: Instant::ZERO,
            before: Span::ZERO,
        })
    }

    /// Tells Perfetto of a thread, or of its new name or place.
    pub(super) fn declare(
        &mut self,
        out: &mut Out<impl Write>,
        thread: ThreadId,
        tid: u32,
        pid: u32,
        name: &str,
        under: Option<(NodeId, &str)>,
    ) {
        let fresh = !self.has(thread);
        if fresh {
            let tid = i64::from(tid);
            let free = tid > 0 && self.tids.insert(tid);
            let tid = if free { tid } else { i64::from(OURS.saturating_add(thread.0)) };
            self.tids.insert(tid);
            self.get(thread).tid = tid;
        }
        let known = self.get(thread);
        name.clone_into(&mut known.name);
        let number = known.tid;
        let (group, label) = match under {
            _ if pid != 0 => (pid, if pid == tid { name } else { "" }.to_owned()),
            Some((node, label)) => {
                (GROUPS.saturating_add(node.0).saturating_add(1), format!("under {label}"))
            }
            None => (GROUPS, "threads".to_owned()),
        };
        let new = self.pids.insert(group);
        let process =
            Process { pid: Some(i64::from(group)), cmdline: (!label.is_empty()).then_some(label) };
        let line = Thread {
            tid: Some(number),
            pid: Some(i64::from(group)),
            comm: Some(name.to_owned()),
            is_main_thread: Some(pid != 0 && pid == tid),
        };
        let named = new || (pid != 0 && pid == tid);
        let tree = ProcessTree {
            processes: if named { vec![process] } else { Vec::new() },
            threads: vec![line],
        };
        out.packet(None, Packet { process_tree: Some(tree), ..Packet::default() });
        if fresh {
            let group = group.cast_signed(); // different ones stay different
            out.describe_thread(thread, group, number, name);
            out.describe(Track::Received(thread), "received ms", Some(Track::Thread(thread)));
        }
    }
}

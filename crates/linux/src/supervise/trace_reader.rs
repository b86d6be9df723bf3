//! Takes a run's records out of memory: to a sink while it runs, or all that are kept when `ctl` asks for them.
//!
//! The lock is held for one short copy at a time, so that no decision waits longer than that; ordinary threads do all other work
//! outside of it. A reader that is too slow is told how many records it has lost.

use crate::supervise::locked::Locked;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;
use windfall_observe::procfs;
use windfall_time::{Instant, Span};
use windfall_trace::codec::{WriteError, Writer};
use windfall_trace::{Event, Header, Record, Reorder, Ring, Sink};

/// Number of records that are copied at a time, within some microseconds.
const PIECE: usize = 1024;
/// Time between two copies of the sink's thread.
const PAUSE: Duration = Duration::from_millis(20);
/// Records older than this are in order: kernel events are read at least with every heartbeat (50 ms).
const SETTLED: Span = Span::from_millis(200);

/// Passes the run's records to a sink until the other end of `over` is dropped.
pub(crate) fn take(host: &Locked, over: &Receiver<()>, sink: &mut dyn Sink) {
    host.step_apart("trace");
    let (mut orderly, mut next) = (Reorder::default(), 0);
    while over.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
        let now = pull(host, &mut next, &mut orderly);
        let settled = Instant::ZERO + (now - Instant::ZERO).saturating_sub(SETTLED);
        orderly.before(settled).for_each(|record| give(sink, record));
    }
    pull(host, &mut next, &mut orderly);
    orderly.rest().for_each(|record| give(sink, record));
}

/// Returns the kept records as a trace.
pub(crate) fn window(host: &Locked) -> Result<Vec<u8>, WriteError> {
    let (mut orderly, mut next) = host.call(|s| {
        let mut orderly = Reorder::default();
        s.host.account_all();
        let next = s.host.machine.trace.tracer.sink().map(|ring| {
            ring.standing(&mut orderly);
            ring.oldest()
        });
        (orderly, next)
    });
    let now = next.as_mut().map(|next| pull(host, next, &mut orderly));
    let end = Event::Mark { thread: None, text: "asked".to_owned() };
    orderly.extend(now.map(|at| Record { at, event: end }));
    let cpus =
        u16::try_from(host.call(|s| s.host.machine.cpus.len())).expect("at most 1,024 processors");
    let header = Header::new("windfall run", "run", cpus);
    let mut writer = Writer::new(Vec::new(), &header);
    orderly.rest().for_each(|record| give(&mut writer, record));
    writer.finish()
}

/// Copies all records from number `next` on. Returns the time of the last copy.
fn pull(host: &Locked, next: &mut u64, into: &mut Reorder) -> Instant {
    loop {
        let (from, mut piece) = (*next, Vec::with_capacity(2 * PIECE));
        let (until, now, piece) = host.call(move |s| {
            let read = |ring: &Ring| ring.read(from, PIECE, &mut piece);
            (s.host.machine.trace.tracer.sink().map_or(from, read), s.time(), piece)
        });
        let done = until.saturating_sub(*next) < PIECE as u64;
        *next = until;
        into.extend(piece);
        if done {
            return now;
        }
    }
}

/// Name in the trace for threads of this process that are no programs of the scenario.
const OURSELVES: &str = "Windfall itself";

/// Passes a record on. It first looks up the names of threads that are not supervised, which are recorded without one.
fn give(sink: &mut dyn Sink, mut record: Record) {
    if let Event::Thread { tid, name, .. } = &mut record.event
        && name.is_empty()
    {
        let tid = tid.cast_signed();
        *name = match procfs::process_of(tid) {
            Some(pid) if pid.cast_unsigned() == std::process::id() => OURSELVES.to_owned(),
            _ => procfs::stat(tid)
                .map_or_else(|| "a thread not supervised".to_owned(), |stat| stat.comm),
        };
    }
    sink.record(record.at, &record.event);
}

//! Takes what a run records out of its memory: to a sink while it runs, or all that is there when somebody asks.
//!
//! A few records at a time are copied under the lock, so that no decision waits longer than for those; all else
//! is done by ordinary threads outside of it. Who is too slow is told how many records were lost.

use crate::supervise::locked::Locked;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;
use windfall_observe::procfs;
use windfall_time::{Instant, Span};
use windfall_trace::codec::{WriteError, Writer};
use windfall_trace::{Event, Header, Record, Reorder, Ring, Sink};

/// So many are copied at a time, in some microseconds.
const PIECE: usize = 1024;
/// How often the sink's thread looks.
const PAUSE: Duration = Duration::from_millis(20);
/// What the kernel has seen is read at least on every beat of the event loop's heart (50 ms); what is older than this is in order.
const SETTLED: Span = Span::from_millis(200);

/// Gives the run's records to a sink until the other end of `over` is gone.
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

/// The records that are there, as a trace.
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

/// Copies all records from number `next` on; when that was.
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

/// What threads of ours are called that are no programs of the scenario.
const OURSELVES: &str = "Windfall itself";

/// Gives a record on. Threads that are not supervised are recorded without a name.
fn give(sink: &mut dyn Sink, mut record: Record) {
    if let Event::Thread { tid, name, .. } = &mut record.event
        && name.is_empty()
    {
        let tid = tid.cast_signed();
        *name = match procfs::process_of(tid) {
            Some(pid) if pid.cast_unsigned() == std::process::id() => OURSELVES.to_owned(),
            _ => procfs::stat(tid)
                .map_or_else(|| "somebody not supervised".to_owned(), |stat| stat.comm),
        };
    }
    sink.record(record.at, &record.event);
}

//! A batch of rounds: a thread on each processor, all at the same time, and a watchdog that waits for them no longer than their work can take.
//!
//! The steps of the work are known, so the deadline is, too. A thread that has not come back by then is left behind with its block of memory, and its processor is named. The watchdog is the calling thread: were it on the processor that hangs, nobody would notice.

use crate::answers::{LEAST, refused};
use crate::judge::Digest;
use crate::patience::Patience;
use crate::report::{Ended, NoAnswer};
use crate::work::{self, Place, Words};
use crate::{Effect, Fault, Kind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;
use windfall_clocks::SystemClock;
use windfall_os::sched::{Affinity, own_tid};
use windfall_time::Span;

/// The time that a step of work may take: 20 to 200 times what it usually does. A processor with much other load is slow, and answers.
const STEP: Span = Span::from_nanos(2_000);
/// Threads wait for each other this long before they begin.
const TOGETHER: Duration = Duration::from_secs(1);

/// A round of a kind.
pub(crate) struct Entry {
    pub(crate) judge: usize,
    pub(crate) kind: Kind,
    pub(crate) round: u64,
}

/// A processor that works.
pub(crate) struct Worker {
    pub(crate) processor: u16,
    /// Its place among those that work, which stays when another ends.
    pub(crate) number: usize,
    pub(crate) block: Vec<u64>,
    pub(crate) ended: Option<Ended>,
    pub(crate) is_kept: bool,
}

/// The result of a thread's batch: the digest and the processor time of each entry of its plan.
pub(crate) type Done = Vec<(Digest, Span)>;

/// The message that it sends at its end, with its block of memory.
struct Came {
    number: usize,
    block: Vec<u64>,
    done: Result<Done, String>,
}

/// The data that all threads of a batch share. They own it too, since one of them may be left behind.
pub(crate) struct Batch {
    plan: Arc<[Entry]>,
    faults: Arc<[Fault]>,
    shared: Arc<Words>,
    /// By the number of the worker.
    progress: Vec<Progress>,
    start: Start,
}

/// Where a thread is.
#[derive(Default)]
struct Progress {
    /// 0 before it runs.
    tid: AtomicI32,
    /// Entries of the plan that it has begun.
    begun: AtomicUsize,
}

/// Where threads wait for each other.
struct Start {
    expected: usize,
    there: Mutex<usize>,
    all: Condvar,
}

/// So long the threads of a batch may take, each with a block of so many words.
pub(crate) fn deadline(plan: &[Entry], words: usize) -> Span {
    let steps = plan.iter().map(|entry| entry.kind.steps(words)).fold(0, u64::saturating_add);
    STEP.saturating_mul(steps).max(LEAST)
}

impl Batch {
    /// For these workers.
    pub(crate) fn new(
        plan: Arc<[Entry]>,
        faults: Arc<[Fault]>,
        shared: Arc<Words>,
        workers: &[Worker],
    ) -> Batch {
        let expected = workers.iter().filter(|worker| worker.ended.is_none()).count();
        let start = Start { expected, there: Mutex::new(0), all: Condvar::new() };
        let progress = workers.iter().map(|_| Progress::default()).collect();
        Batch { plan, faults, shared, progress, start }
    }

    /// Does it on all workers that have not ended. Returns the result of each; `None` for those that ended.
    pub(crate) fn run(self, workers: &mut [Worker], deadline: Span) -> Vec<Done> {
        let batch = Arc::new(self);
        let (sender, receiver) = channel();
        let mut all: Vec<Option<Done>> = workers.iter().map(|_| None).collect();
        for worker in workers.iter_mut().filter(|worker| worker.ended.is_none()) {
            let (batch, sender) = (batch.clone(), sender.clone());
            let mut block = std::mem::take(&mut worker.block);
            let Worker { number, processor, is_kept, .. } = *worker;
            let body = move || {
                let words = batch.shared.clone();
                let mut place = Place { block: &mut block, words: &words, number };
                let done = batch.work(&mut place, processor, is_kept);
                // Nobody waits for one that comes too late.
                let _ = sender.send(Came { number, block, done });
            };
            worker.ended = Builder::new()
                .spawn(body)
                .err()
                .map(|why| Ended::Refused(format!("no thread can be started for it ({why})")));
        }
        drop(sender);
        let mut patience = Patience::new(deadline);
        while let Some(came) = patience.receive(&receiver) {
            let worker = &mut workers[came.number];
            worker.block = came.block;
            match came.done {
                Ok(done) => all[came.number] = Some(done),
                Err(why) => worker.ended = Some(Ended::Refused(why)),
            }
        }
        let left = |worker: &&mut Worker| worker.ended.is_none() && all[worker.number].is_none();
        for worker in workers.iter_mut().filter(left) {
            worker.ended = Some(Ended::NoAnswer(batch.no_answer(worker.number, deadline)));
        }
        all.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// The thread of a worker.
    ///
    /// # Errors
    /// When it cannot be kept on its processor, why.
    fn work(&self, place: &mut Place<'_>, processor: u16, is_kept: bool) -> Result<Done, String> {
        let progress = &self.progress[place.number];
        progress.tid.store(own_tid(), Ordering::Relaxed);
        let kept = if is_kept { Affinity::one(processor).give(0) } else { Ok(()) };
        self.start.wait();
        kept.map_err(|why| refused(&why))?;
        let clock = SystemClock::ThreadCpuTime;
        let mut once = |entry: &Entry| {
            progress.begun.fetch_add(1, Ordering::Relaxed);
            let planted =
                self.faults.iter().filter(|fault| fault.is_of(processor, entry.kind, entry.round));
            let effects = planted.map(|fault| fault.effect).collect::<Vec<_>>();
            let begun = clock.now();
            let digest = digest(entry, &effects, place);
            (digest, clock.now().saturating_since(begun))
        };
        Ok(self.plan.iter().map(&mut once).collect())
    }

    /// Of a thread that has not come back.
    fn no_answer(&self, number: usize, waited: Span) -> NoAnswer {
        let progress = &self.progress[number];
        let begun = progress.begun.load(Ordering::Relaxed).checked_sub(1);
        let entry = begun.and_then(|place| self.plan.get(place));
        let work = entry.map(|entry| (entry.kind, entry.round));
        let tid = progress.tid.load(Ordering::Relaxed);
        NoAnswer { work, waited, ran: if tid == 0 { Some(Span::ZERO) } else { ran(tid) } }
    }
}

impl Start {
    /// Until all are there, or those that are late have had their time.
    fn wait(&self) {
        let mut there = self.there.lock().unwrap_or_else(PoisonError::into_inner);
        *there += 1;
        if *there == self.expected {
            self.all.notify_all();
        }
        let is_missing = |there: &mut usize| *there < self.expected;
        drop(self.all.wait_timeout_while(there, TOGETHER, is_missing));
    }
}

/// The processor time of a thread of this process, where the kernel counts it.
fn ran(tid: i32) -> Option<Span> {
    let text = std::fs::read_to_string(format!("/proc/self/task/{tid}/schedstat")).ok()?;
    text.split_ascii_whitespace().next()?.parse().ok().map(Span::from_nanos)
}

/// A round. A processor that computes wrongly may do so where an index comes from, so a panic is a wrong answer, and no end.
fn digest(entry: &Entry, effects: &[Effect], place: &mut Place<'_>) -> Digest {
    let bits = effects.iter().fold(0, |bits, effect| match effect {
        Effect::Bits(more) => bits ^ more,
        Effect::Panic | Effect::Hang => bits,
    });
    let work = || {
        assert!(!effects.contains(&Effect::Panic), "a planted fault");
        while effects.contains(&Effect::Hang) {
            std::thread::park();
        }
        work::digest(entry.kind, work::pattern(entry.round), bits, place)
    };
    catch_unwind(AssertUnwindSafe(work)).map_or(Digest::Panicked, Digest::Of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_deadline_follows_from_the_steps_of_the_work() {
        let entry = |kind| Entry { judge: 0, kind, round: 1 };
        assert_eq!(deadline(&[entry(Kind::Integer)], 0), LEAST);
        // Six passes over 2^27 words of eight bytes, eight words a step: 2^27 * 6 / 8 * 2 us.
        let memory = [entry(Kind::Memory)];
        assert_eq!(deadline(&memory, 1 << 27).as_nanos(), (6 << 24) * 2_000);
        let all: Vec<Entry> = (0..1_000).map(|_| entry(Kind::Float)).collect();
        assert_eq!(deadline(&all, 0).as_nanos(), 1_000 * 16 * 8_192 * 2_000);
    }

    #[test]
    fn law_those_that_are_there_begin_when_one_does_not_come() {
        let start = Start { expected: 2, there: Mutex::new(0), all: Condvar::new() };
        start.wait();
        assert_eq!(*start.there.lock().unwrap(), 1);
    }
}

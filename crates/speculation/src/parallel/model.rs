//! All ways in which two threads can meet, tried one by one (loom): what is in the mail when time is told, what comes too late, what is taken back.
//!
//! `cargo xtask model`.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use super::worker::{Share, Shared, Worker};
use super::{Limits, begin};
use crate::{Cancellation, Context, Key, Model, ProcessNumber, Saving};
use loom::thread;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use windfall_time::{Instant, Span};

/// The first process sends the second something that comes before what that does by itself and sends the first.
#[derive(Clone, Copy, Debug)]
struct Two {
    /// So many events each begins with, of one time.
    first: u64,
    /// Different delays between an event and the next.
    delays: u64,
}

/// The model, and how much has room in the mail of each thread.
type Begin = (Two, usize);

/// The most events that are here.
const ALL: usize = 20;
/// Ways with more preemptions are not tried.
const PREEMPTIONS: usize = 3;
/// One event after the other, and room in which nothing is held back.
const FREE: &Begin = &(Two { first: 1, delays: 1 }, 5);
/// A message fills the mail, what is certain at one time is more than what is handed on at once, and what is sent later may be earlier.
const FULL: &Begin = &(Two { first: 2, delays: 2 }, 1);
/// More turns than are left at most.
const LEFT: u32 = 60;
const END: Instant = Instant::from_nanos(6);

impl Model for Two {
    type State = u64;
    type Event = u64;
    type Output = u64;
    type Change = u64;

    fn processes(&self) -> u32 {
        2
    }

    fn start(&self, context: &mut Context<'_, Self>) -> u64 {
        let at = [1, 3][context.me().index()];
        (0..self.first)
            .for_each(|more| context.send(context.me(), Instant::from_nanos(at), at + more));
        0
    }

    fn handle(&self, state: &mut u64, event: &u64, context: &mut Context<'_, Self>) {
        context.log(*state);
        *state = *state * 10 + event;
        context.output(*state);
        let other = ProcessNumber(1 - context.me().0);
        let after = Span::from_nanos(1 + *state % self.delays);
        context.send(other, context.now() + after, *state);
    }

    fn undo(&self, state: &mut u64, before: u64) {
        *state = before;
    }

    fn saving(&self, _: ProcessNumber) -> Saving {
        Saving::Log
    }
}

type Given = Arc<Mutex<Vec<(Key, u64)>>>;

fn take(given: Given) -> impl FnMut(Key, u64) + Send {
    move |key, output| given.lock().unwrap().push((key, output))
}

/// Both threads take so many turns, and one after the other as many as are left. How many events were undone, and how many messages held back.
fn turns(cancellation: Cancellation, many: u32, (model, room): &'static Begin) -> [u64; 2] {
    let (parts, committer) = begin(model, 2, 10, cancellation).unwrap();
    let limits = Limits::new(END, 10);
    let given = Given::default();
    let share = Share { ahead: 5, room: *room };
    let shared =
        Arc::new(Shared::new((model, limits), (2, share), committer, take(given.clone())).unwrap());
    let threads = (0..).zip(parts).map(|(index, part)| {
        let shared = shared.clone();
        thread::spawn(move || {
            let mut worker = Worker::new(index, part);
            worker.reserve(ALL, share).unwrap();
            let mut held = 0;
            for _ in 0..many {
                worker.turn(&shared);
                held += worker.part.outgoing.len() as u64;
            }
            (worker, held)
        })
    });
    let threads: Vec<_> = threads.collect();
    let ended = threads.into_iter().map(|thread| thread.join().unwrap());
    let (mut workers, held): (Vec<_>, Vec<_>) = ended.unzip();
    for _ in 0..LEFT {
        workers.iter_mut().for_each(|worker| _ = worker.turn(&shared));
    }
    let given = given.lock().unwrap();
    let found: Vec<_> = given.iter().map(|(key, output)| (key.at.as_nanos(), *output)).collect();
    assert_eq!(found, expected(*model));
    let undone = workers.iter().map(|worker| worker.part.counts().undone);
    [undone.sum(), held.iter().sum()]
}

fn expected(model: Two) -> Vec<(u64, u64)> {
    let mut all = Vec::new();
    let mut run = crate::Sequential::new(model, 10).unwrap();
    run.run_until(END, |key, output| all.push((key.at.as_nanos(), output))).unwrap();
    all
}

fn model(cancellation: Cancellation, many: u32, begin: &'static Begin) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(PREEMPTIONS);
    builder.max_branches = 10_000;
    builder.checkpoint_interval = 500;
    let seconds = std::env::var("WINDFALL_MODEL_SECONDS").ok();
    builder.max_duration = seconds.and_then(|text| text.parse().ok()).map(Duration::from_secs);
    let found = Arc::new([const { AtomicU64::new(0) }; 3]);
    let counted = found.clone();
    let begun = std::time::Instant::now();
    builder.check(move || {
        let [undone, held] = turns(cancellation, many, begin);
        let all = counted.iter().zip([1, undone, held]);
        all.for_each(|(count, more)| _ = count.fetch_add(more, Ordering::Relaxed));
    });
    let over = builder.max_duration.is_some_and(|most| begun.elapsed() >= most);
    let all = if over { "; there are more" } else { "" };
    let [ways, undone, held] = [0, 1, 2].map(|count| found[count].load(Ordering::Relaxed));
    eprintln!(
        "{ways} ways{all}, in which {undone} events were undone and {held} messages held back"
    );
    assert!(undone > 0 && (held > 0) == (begin.1 == FULL.1), "nothing is tried");
}

#[test]
fn law_nothing_comes_before_what_is_certain() {
    model(Cancellation::Aggressive, 4, FREE);
}

#[test]
fn law_nothing_comes_before_what_is_certain_with_lazy_cancellation() {
    model(Cancellation::Lazy, 4, FREE);
}

#[test]
fn law_nothing_comes_before_what_is_certain_without_risk() {
    model(Cancellation::WithoutRisk, 4, FREE);
}

#[test]
fn law_nothing_comes_before_what_is_certain_where_mail_is_held_back() {
    model(Cancellation::Aggressive, 6, FULL);
}

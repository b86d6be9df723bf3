//! PHOLD by a bare heap, in order, and on two threads, each by turns.

use crate::statistics::{median, quantile};
use std::hint::black_box;
use windfall_clocks::Lap;
use windfall_speculation::phold::{Bare, Phold, State};
use windfall_speculation::{
    Cancellation, Context, Model, Parallel, ProcessNumber, Saving, Sequential,
};
use windfall_time::Instant;

/// So many events are done ahead at most.
const AHEAD: usize = 2_000;
/// Of so many events one says when it was handled.
const STAMPED: u64 = 64;

/// How much is measured.
pub(super) struct Setup<'a> {
    pub(super) rounds: usize,
    /// Empty ones; fewer where an event takes longer.
    pub(super) events: u64,
    pub(super) progress: &'a dyn Fn(&str),
}

/// Medians of rounds: million events a second, how many of a hundred were undone on threads, and microseconds of a round of global virtual time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) heap: f64,
    pub(super) in_order: f64,
    pub(super) threads: f64,
    pub(super) undone: f64,
    pub(super) round: f64,
}

#[expect(clippy::cast_precision_loss, reason = "shown, not compared")]
const fn shown(count: u64) -> f64 {
    count as f64
}

/// Million events a second, and for how many microseconds it ran.
fn rate(run: impl FnOnce() -> u64) -> (f64, f64) {
    let lap = Lap::begin();
    let events = black_box(run());
    let micros = lap.passed().as_secs_f64() * 1e6;
    (shown(events) / micros, micros)
}

/// The time until which about so many events are handled: each leads to one a microsecond later, in the mean.
pub(super) fn end(model: &Phold, events: u64) -> Instant {
    // An event with work takes longer than one without.
    let events = events / (1 + model.grain / 100);
    Instant::from_nanos((events * 1_000 / u64::from(model.processes)).max(4_000))
}

/// PHOLD of 1,000 processes with a quarter of the events for others, changed in this way.
pub(super) fn measure(setup: &Setup<'_>, change: impl FnOnce(&mut Phold)) -> Found {
    let mut model = Phold::new(1_000, 250);
    change(&mut model);
    let end = end(&model, setup.events);
    let mut all = [const { Vec::new() }; 5];
    for _ in 0..setup.rounds {
        let mut heap = Bare::new(&model);
        let heap = rate(|| heap.run(&model, end.as_nanos())).0;
        let mut run = Sequential::new(model.clone(), model.waiting()).expect("PHOLD begins");
        let in_order = rate(|| run.run_until(end, |_, ()| ()).expect("PHOLD runs")).0;
        let run = Parallel::new(model.clone(), end, model.waiting(), Cancellation::Aggressive, 2);
        let mut run = run.expect("PHOLD begins").ahead(AHEAD);
        let (threads, micros) = rate(|| run.run(|_, ()| ()).expect("PHOLD runs"));
        let counts = run.counts();
        let undone = shown(counts.undone) * 100.0 / shown(counts.committed.max(1));
        let round = micros / shown(run.rounds().max(1));
        let found = [heap, in_order, threads, undone, round];
        all.iter_mut().zip(found).for_each(|(all, one)| all.push(one));
    }
    let [heap, in_order, threads, undone, round] = all.map(|values| median(&values));
    Found { heap, in_order, threads, undone, round }
}

/// Million events a second on one thread that could undo them; the median of rounds.
pub(super) fn alone(setup: &Setup<'_>, change: impl FnOnce(&mut Phold)) -> f64 {
    let mut model = Phold::new(1_000, 250);
    change(&mut model);
    let end = end(&model, setup.events);
    let rates = (0..setup.rounds).map(|_| {
        let run = Parallel::new(model.clone(), end, model.waiting(), Cancellation::Aggressive, 1);
        let mut run = run.expect("PHOLD begins").ahead(AHEAD);
        rate(|| run.run(|_, ()| ()).expect("PHOLD runs")).0
    });
    median(&rates.collect::<Vec<_>>())
}

/// PHOLD that says of some events when they were handled. The clock is no part of what it comes to: nothing but the measurement reads it.
struct Stamped {
    model: Phold,
    begun: Lap,
}

impl Model for Stamped {
    type State = (State, u64);
    type Event = u64;
    type Output = u64;
    type Change = (State, u64);

    fn processes(&self) -> u32 {
        self.model.processes
    }

    fn start(&self, context: &mut Context<'_, Self>) -> (State, u64) {
        let me = context.me();
        // Processes say so at different times, and each also in a short run.
        let before = u64::from(me.0) % STAMPED;
        (self.model.begin(me, |to, at, event| context.send(to, at, event)), before)
    }

    fn handle(&self, state: &mut (State, u64), event: &u64, context: &mut Context<'_, Self>) {
        context.log(*state);
        let (from, now) = (context.from(), context.now());
        let (to, at) = self.model.go(&mut state.0, context.me(), from, now);
        context.send(to, at, *event);
        state.1 += 1;
        if state.1.is_multiple_of(STAMPED) {
            context.output(self.begun.passed().as_nanos());
        }
    }

    fn undo(&self, state: &mut (State, u64), before: (State, u64)) {
        *state = before;
    }

    fn saving(&self, _: ProcessNumber) -> Saving {
        self.model.saving
    }
}

/// By length of a turn.
pub(super) struct Latency {
    /// Million events a second on two threads.
    pub(super) rate: f64,
    /// Microseconds of a round.
    pub(super) round: f64,
    /// Microseconds from handling to giving away.
    pub(super) median: f64,
    pub(super) p99: f64,
}

/// How late what is certain is given away.
pub(super) fn latency(setup: &Setup<'_>, turn: u32) -> Latency {
    let mut model = Phold::new(1_000, 250);
    model.grain = 500;
    let end = end(&model, setup.events);
    let mut all = [const { Vec::new() }; 4];
    for _ in 0..setup.rounds {
        let begun = Lap::begin();
        let stamped = Stamped { model: model.clone(), begun };
        let run = Parallel::new(stamped, end, model.waiting(), Cancellation::Aggressive, 2);
        let mut run = run.expect("PHOLD begins").ahead(AHEAD).turns_of(turn);
        let mut late: Vec<f64> = Vec::new();
        let (rate, micros) = rate(|| {
            let take = |_, handled: u64| {
                late.push(begun.passed().as_secs_f64() * 1e6 - shown(handled) / 1e3);
            };
            run.run(take).expect("PHOLD runs")
        });
        let round = micros / shown(run.rounds().max(1));
        let found = [rate, round, median(&late), quantile(&late, 99)];
        all.iter_mut().zip(found).for_each(|(all, one)| all.push(one));
    }
    let [rate, round, median, p99] = all.map(|values| median(&values));
    Latency { rate, round, median, p99 }
}

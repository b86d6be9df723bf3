//! PHOLD on more processors than this machine has, simulated with what one and two of them took.

use super::measured::{Setup, alone, end, measure};
use windfall_speculation::phold::Phold;
use windfall_speculation::{Cancellation, Parallel, Prices};
use windfall_time::{Instant, Span};

/// The cost of a turn without anything to do in it: a lock and a few words that others write.
const TURN: Span = Span::from_nanos(100);
/// So many events are simulated.
const EVENTS: u64 = 200_000;

/// Measured and fitted costs, and their consequences.
pub(super) struct Found {
    /// The time of an event in order, in nanoseconds.
    pub(super) in_order: f64,
    pub(super) prices: Prices,
    /// Million events a second on two real threads, and on two simulated ones.
    pub(super) two: [f64; 2],
    /// By number of processors: how many times as fast as in order, and how many of a hundred events were undone.
    pub(super) speed_ups: Vec<(u32, f64, f64)>,
}

#[expect(clippy::cast_precision_loss, reason = "shown, not compared")]
const fn shown(count: u64) -> f64 {
    count as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive price")]
fn nanos(of: f64) -> Span {
    Span::from_nanos(of.max(1.0) as u64)
}

/// Million events a second, and how many of a hundred were undone.
fn simulated(model: &Phold, end: Instant, prices: &Prices, processors: u32) -> (f64, f64) {
    let aggressive = Cancellation::Aggressive;
    let run = Parallel::new(model.clone(), end, model.waiting(), aggressive, processors);
    let mut run = run.expect("PHOLD begins");
    let (events, took) = run.simulate(prices, |_, ()| ()).expect("PHOLD runs");
    let undone = shown(run.counts().undone) * 100.0 / shown(events.max(1));
    (shown(events) * 1e3 / shown(took.as_nanos().max(1)), undone)
}

/// With so many steps of work an event.
pub(super) fn measured(setup: &Setup<'_>, grain: u64, processors: &[u32]) -> Found {
    let mut model = Phold::new(10_000, 250);
    model.grain = grain;
    let change = |to: &mut Phold| (to.processes, to.grain) = (10_000, grain);
    let here = measure(setup, change);
    // An empty event takes as long to undo as to handle, about (`--bench undo`).
    let empty = alone(setup, |to| to.processes = 10_000);
    let one = alone(setup, change);
    let price = |message| Prices {
        handle: nanos(1e3 / one),
        undo: nanos(1e3 / empty),
        message: Span::from_nanos(message),
        turn: TURN,
    };
    // The work of many events is simulated at once, so none has to be done.
    let mut empty_model = model.clone();
    empty_model.grain = 0;
    let until = end(&empty_model, EVENTS.min(setup.events));
    let far = |message: &u64| {
        (simulated(&empty_model, until, &price(*message), 2).0 - here.threads).abs()
    };
    let messages = [0, 50, 100, 200, 400, 800, 1_600];
    let fitted = messages.into_iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0);
    let prices = price(fitted);
    let in_order = 1e3 / here.in_order;
    let all = processors.iter().map(|processors| {
        let (rate, undone) = simulated(&empty_model, until, &prices, *processors);
        (*processors, rate / here.in_order, undone)
    });
    let two = [here.threads, simulated(&empty_model, until, &prices, 2).0];
    Found { in_order, prices, two, speed_ups: all.collect() }
}

//! Siblings that sleep and wake at the worst times: around the ends of turns, briefly or for long.

use super::{Host, MS, T, reserve, span};
use proptest::prelude::*;
use windfall_guarantees::{ChildParams, Guarantee, Length, Supply};
use windfall_hierarchy::{Message, VpState};
use windfall_schedulers::catalogue::{Kind, Value};
use windfall_schedulers::kinds;
use windfall_time::Ratio;

/// The guarantees that a kind offers to children of these weights.
pub(crate) fn offers(
    kind: &str,
    settings: &[(&str, Value<'_>)],
    own: &[Guarantee],
    weights: &[u32],
) -> Vec<Option<Guarantee>> {
    let params = |weight: &u32| ChildParams::default().weight(Ratio::whole((*weight).into()));
    let children: Vec<ChildParams> = weights.iter().map(params).collect();
    let offers = super::conversion(kind, settings).give(Supply::of(own), &children).into_iter();
    offers.map(|offer| offer.gives.first().map(|given| given.guarantee)).collect()
}

/// A step of an adversary.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Wakes a thread, or makes it wait.
    Toggle(u8),
    /// The thread that runs on a processor waits, and wakes at once or a little later.
    Nap(u8, u64),
    /// Lets this time pass.
    Pass(u64),
    /// Runs to the next timer, or a little further.
    Turn(u64),
    /// Repeats this many of the steps before (without `Again` steps) this many times.
    Again(u8, u8),
}

/// Steps that suit turns of 10 ms.
pub(crate) fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let time = || {
        prop_oneof![
            Just(1),
            1_u64..3 * MS,
            1_u64..50 * MS,
            Just(10 * MS - 1),
            Just(10 * MS),
            Just(10 * MS + 1)
        ]
    };
    let step = prop_oneof![
        4 => any::<u8>().prop_map(Step::Toggle),
        3 => (any::<u8>(), time()).prop_map(|(on, ns)| Step::Nap(on, ns)),
        3 => time().prop_map(Step::Pass),
        4 => prop_oneof![Just(0), Just(1), 0..MS].prop_map(Step::Turn),
        1 => (1_u8..6, 2_u8..20).prop_map(|(back, times)| Step::Again(back, times)),
    ];
    prop::collection::vec(step, 1..most)
}

fn is_awake(host: &Host, thread: T) -> bool {
    host.tree.thread_state(host.threads[thread].id) != Some(VpState::Waiting)
}

fn toggle(host: &mut Host, thread: T) {
    if is_awake(host, thread) {
        host.block(thread);
    } else {
        host.wake(thread);
    }
}

/// Carries out steps with these threads, which work for ever while awake. Other threads are left alone.
pub(crate) fn play(host: &mut Host, threads: &[T], steps: &[Step]) {
    for (place, step) in steps.iter().enumerate() {
        if let Step::Again(back, times) = step {
            let from = place.saturating_sub(usize::from(*back));
            for _ in 0..*times {
                steps[from..place].iter().for_each(|step| once(host, threads, step));
            }
        } else {
            once(host, threads, step);
        }
    }
}

fn once(host: &mut Host, threads: &[T], step: &Step) {
    match step {
        Step::Again(..) => {}
        Step::Toggle(number) => {
            if !threads.is_empty() {
                toggle(host, threads[usize::from(*number) % threads.len()]);
            }
        }
        Step::Nap(on, ns) => {
            let processor = u16::from(*on) % host.tree.processors();
            if let Some(thread) = host.on(processor).filter(|thread| threads.contains(thread)) {
                host.block(thread);
                host.run_for(*ns);
                host.wake(thread);
            }
        }
        Step::Pass(ns) => host.run_for(*ns),
        Step::Turn(after) => {
            let soon = host.now + 20 * MS;
            let timer = host.tree.next_timer().map_or(soon, |timer| timer.as_nanos());
            host.run_to(timer.clamp(host.now, soon));
            host.run_for(*after);
        }
    }
}

/// Threads with these weights below a scheduler at the top; those but the first, if there are others, do steps: what is offered is kept.
pub(crate) fn keeps_at_the_top(kind: &'static Kind, weights: &[u32], steps: &[Step]) {
    let mut host = Host::new(1);
    let root = host.top(kind);
    let spawn = |(n, weight): (usize, &u32)| {
        host.thread(root, &format!("t{n}"), &[Message::Share(*weight)])
    };
    let threads: Vec<_> = weights.iter().enumerate().map(spawn).collect();
    host.wake(threads[0]);
    play(&mut host, &threads[usize::from(threads.len() > 1)..], steps);
    let whole = Guarantee::BoundedShare(Ratio::ONE, Length::ZERO);
    keeps(&host, &threads, &offers(kind.name, &[], &[whole], weights));
}

/// The same below a reservation of `amount` in `period` milliseconds, whose owner gets its time as early or as late as a sibling makes it.
pub(crate) fn keeps_below_a_reservation(
    kind: &'static Kind,
    weights: &[u32],
    (amount, period): (u64, u64),
    steps: &[Step],
) {
    let mut host = Host::new(1);
    let rez = host.top(kinds::REZ);
    let node = host.below(rez, kind.name, kind.name, &[reserve(amount * MS, period * MS)]);
    let s = Ratio::new(amount.into(), period.into()).unwrap();
    let gap = Length::from(span(2 * (period - amount) * MS));
    let own = Guarantee::BoundedShare(s, gap.checked_mul(s).unwrap());
    let spawn = |(n, weight): (usize, &u32)| {
        host.thread(node, &format!("t{n}"), &[Message::Share(*weight)])
    };
    let threads: Vec<_> = weights.iter().enumerate().map(spawn).collect();
    let mut players = threads[1..].to_vec();
    players.extend(host.try_thread(rez, "rival", &[reserve(3 * MS, 11 * MS)]));
    host.wake(threads[0]);
    play(&mut host, &players, steps);
    keeps(&host, &threads, &offers(kind.name, &[], &[own], weights));
}

fn keeps(host: &Host, threads: &[T], offers: &[Option<Guarantee>]) {
    for (thread, offer) in threads.iter().zip(offers) {
        if let Some(offer) = offer {
            host.keeps(*thread, 0, offer);
        }
    }
}

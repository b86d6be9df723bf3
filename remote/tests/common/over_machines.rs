//! What replicas on three machines are put to, over any transport that reaches several.

use super::machines::{Faults, Machines};
use super::{Heard, Plan, Processes, arguments};
use std::process::Command;
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);

/// A round trip takes a millisecond.
const NEAR: Faults = Faults { latency: Duration::from_micros(500), ..Faults::NONE };

const BAD: Faults = Faults {
    latency: MS,
    jitter_us: 1_000,
    lost: 50,
    doubled: 30,
    late: (20, Duration::from_millis(20)),
};

/// Runs the program of a replica of this number on its machine.
type Start = fn(&Machines, usize) -> Command;

fn lies_and_dies(plan: &Plan, faults: Faults, start: Start, transport: &str, before: &str) {
    let Some(machines) = Machines::new(faults) else { return };
    let places = Machines::addresses(before);
    super::law_a_lie_and_a_kill_are_tolerated(
        plan,
        |number| start(&machines, number),
        transport,
        &places,
    );
    let [carried, lost, doubled, late] = machines.counts();
    println!("{carried} frames, {lost} lost, {doubled} doubled, {late} late");
    // Each vote takes two values to each of two others, or what carries them.
    assert!(carried > plan.last, "{carried} frames");
    let share = |count: u64, of_a_thousand: u64| count >= carried * of_a_thousand / 2_000;
    assert!(
        share(lost, faults.lost) && share(doubled, faults.doubled) && share(late, faults.late.0)
    );
}

/// 10,000 iterations: one lies, one is killed and comes back.
pub(crate) fn law_a_lie_and_a_kill_are_tolerated(start: Start, transport: &str, before: &str) {
    let plan = Plan {
        last: 10_000,
        lies: (1_000, 2_900),
        killed_at: 3_000,
        patience: 20_000,
        value: "word",
    };
    lies_and_dies(&plan, NEAR, start, transport, before);
}

/// The same while frames are lost, doubled and late, and overtake each other.
pub(crate) fn law_a_bad_network_is_tolerated(start: Start, transport: &str, before: &str) {
    let plan =
        Plan { last: 6_000, lies: (200, 600), killed_at: 700, patience: 10_000, value: "word" };
    lies_and_dies(&plan, BAD, start, transport, before);
}

fn is_of_both(none: &str) -> bool {
    none.contains("nothing was heard of replicas 0, 2")
}

/// One machine is cut off until the others say so, and then comes back by the voted state.
pub(crate) fn law_a_pulled_cable_is_tolerated(start: Start, transport: &str, before: &str) {
    const AWAY: usize = 1;
    let Some(machines) = Machines::new(NEAR) else { return };
    let plan = Plan { last: 15_000, lies: (0, 0), killed_at: 0, patience: 1_000, value: "word" };
    let (mut processes, mut heard) = (Processes::new(), Heard::default());
    for number in 0..3 {
        let mut command = start(&machines, number);
        command.args(arguments(&plan, number, transport, &Machines::addresses(before)));
        command.args(["--tries", "60"]);
        processes.start(number, 1, command);
    }
    let (mut is_pulled, mut back_at) = (false, None);
    while heard.statuses.len() < 3 {
        let (number, life, line) = processes.hears();
        let Some(line) = line else {
            heard.statuses.insert(number, processes.status(number));
            continue;
        };
        let voted = heard.hears(number, life, &line);
        if !is_pulled && number == AWAY && voted >= Some(300) {
            is_pulled = true;
            machines.set_down(AWAY, true);
        }
        // Of its last wait; in the first one something may have come just before the cut.
        let is_told =
            heard.none.get(&(AWAY, 1)).is_some_and(|none| none.iter().any(|none| is_of_both(none)));
        // Both are to have said it, and the others to have gone on.
        let reached = heard.votes.get(&(0, 1)).and_then(|votes| votes.last()).copied();
        let is_said = is_told && heard.faults.contains_key(&(0, 1));
        if back_at.is_none() && is_said && reached > Some(1_000) {
            machines.set_down(AWAY, false);
            back_at = reached;
        }
    }
    let back_at = back_at.expect("the cut was noticed on both sides");
    let away = &heard.votes[&(AWAY, 1)];
    assert_eq!(away.last(), Some(&plan.last), "it came back");
    assert!((away.len() as u64) < plan.last, "it was cut off");
    // Some of its values may have come before the cut, so that one of the others was behind at first.
    let alone = 700..back_at;
    for number in [0, 2] {
        let votes = heard.votes[&(number, 1)].iter().filter(|vote| alone.contains(vote));
        assert_eq!(votes.count(), alone.clone().count(), "replica {number} has each vote");
        let faults = &heard.faults[&(number, 1)];
        assert!(faults.iter().all(|fault| fault.starts_with("1 ")), "{faults:?}");
        assert!(
            faults.iter().any(|fault| fault.ends_with("is far behind and silent")),
            "{faults:?}"
        );
    }
}

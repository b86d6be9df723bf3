//! Laws of the epoch scheduler, for random needs, slices, priorities and arrivals.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use crate::common::{Host, MS, T, US, reserve, span};
use proptest::prelude::*;
use std::collections::BTreeMap;
use windfall_guarantees::{Guarantee, Length};
use windfall_hierarchy::{Count, JournalEvent, Message, NodeId, Note, Target, VpState};
use windfall_schedulers::catalogue::Value;

/// The parameters of a process.
#[derive(Clone, Copy, Debug)]
struct Told {
    /// In thousandths of what is left of the epoch.
    need: u64,
    slice: u64,
    priority: i32,
}

#[derive(Clone, Debug)]
struct Case {
    epoch: u64,
    useful: u64,
    /// Timers fire at multiples of this; 1 for a precise clock.
    tick: u64,
    told: Vec<Told>,
    /// The processes that wake or begin to wait, and the time until the next step.
    steps: Vec<(u8, u64)>,
}

fn cases(tick: u64) -> impl Strategy<Value = Case> {
    let slice = prop_oneof![300 * US..2 * MS, 300 * US..60 * MS];
    let told = (prop_oneof![Just(0), 0_u64..=1_000], slice, 0_i32..4)
        .prop_map(|(need, slice, priority)| Told { need, slice, priority });
    let pass = prop_oneof![Just(0), 1_u64..2 * MS, 1_u64..30 * MS, 30 * MS..300 * MS];
    let steps = prop::collection::vec((any::<u8>(), pass), 1..60);
    let epoch = prop_oneof![Just(100 * MS), 5 * MS..100 * MS];
    let useful = prop_oneof![Just(1), Just(300 * US)];
    (epoch, useful, prop::collection::vec(told, 1..7), steps)
        .prop_map(move |(epoch, useful, told, steps)| Case { epoch, useful, tick, told, steps })
}

/// A case in execution. Threads work for ever while they are awake.
struct World {
    host: Host,
    node: NodeId,
    case: Case,
    threads: Vec<T>,
    needs: Vec<u64>,
    /// Processes that are certain of their need in this epoch: ready since its beginning, or since before its CSP
    /// began.
    sure: Vec<bool>,
    /// Number of times that a process which was ready at the end of an epoch, but not certain, lost part of its
    /// need.
    lost: u64,
}

impl World {
    fn new(case: Case) -> World {
        let mut host = Host::new(1);
        let settings =
            [("epoch", Value::Span(span(case.epoch))), ("useful", Value::Span(span(case.useful)))];
        host.tick = case.tick;
        let node = host.root("epoch", &settings);
        host.tree.open_journal(100_000, false);
        let mut left = case.epoch;
        let mut world =
            World { host, node, threads: vec![], needs: vec![], sure: vec![], lost: 0, case };
        for (number, told) in world.case.told.clone().into_iter().enumerate() {
            let need = left * told.need / 1_000;
            left -= need;
            let mut asks =
                vec![Message::Quantum(span(told.slice)), Message::Priority(told.priority)];
            if need > 0 {
                asks.push(reserve(need, world.case.epoch));
            }
            let name = format!("t{number}");
            world.threads.push(world.host.thread(world.node, &name, &asks));
            world.needs.push(need);
            world.sure.push(false);
        }
        world
    }

    fn figures(&self, of: Target) -> BTreeMap<&'static str, u64> {
        let plain = |count| match count {
            Count::Times(times) => times,
            Count::Time(time) => time.as_nanos(),
            Count::At(at) => at.as_nanos(),
        };
        let figures = self.host.tree.counted(crate::common::at(self.host.now), of).into_iter();
        figures.map(|(name, count)| (name, plain(count))).collect()
    }

    fn own(&self) -> BTreeMap<&'static str, u64> {
        self.figures(Target::Node(self.node))
    }

    fn each(&self) -> Vec<BTreeMap<&'static str, u64>> {
        let of = |thread: &T| self.figures(Target::Thread(self.host.threads[*thread].id));
        self.threads.iter().map(of).collect()
    }

    fn is_awake(&self, number: usize) -> bool {
        let id = self.host.threads[self.threads[number]].id;
        self.host.tree.thread_state(id) != Some(VpState::Waiting)
    }

    /// An epoch ends: every process that was certain has received its need.
    fn judge_epoch(&mut self) -> Result<(), TestCaseError> {
        let from = self.host.now - self.case.epoch;
        for number in 0..self.threads.len() {
            let ran = self.host.ran_within(self.threads[number], from, self.host.now);
            let (awake, need) = (self.is_awake(number), self.needs[number]);
            prop_assert!(
                !self.sure[number] || ran >= need,
                "{number} had {ran} of {need} from {from} on"
            );
            self.lost += u64::from(awake && ran < need);
            self.sure[number] = awake;
        }
        Ok(())
    }

    /// A process that moves to its low queue does so in the CSP, or so shortly before it that the time is of no
    /// use.
    fn judge_demotions(&mut self) -> Result<(), TestCaseError> {
        let critical = self.own()["critical-from"];
        let latest = self.host.now + self.case.useful - 1;
        let now = crate::common::at(self.host.now);
        let demoted =
            |what: &JournalEvent| matches!(what, JournalEvent::Noted { note: Note::Exhausted, .. });
        let count =
            self.host.tree.drain_journal().filter(|e| e.at == now && demoted(&e.what)).count();
        prop_assert!(
            count == 0 || critical <= latest,
            "demoted at {}, CSP {critical}",
            self.host.now
        );
        Ok(())
    }

    /// Time passes, event by event.
    fn pass(&mut self, ns: u64) -> Result<(), TestCaseError> {
        let end = self.host.now + ns;
        while self.host.now < end {
            let epoch = (self.host.now / self.case.epoch + 1) * self.case.epoch;
            let timer = self.host.tree.next_timer().map(|at| at.as_nanos());
            let timer = timer.filter(|at| *at > self.host.now).unwrap_or(end);
            self.host.run_to(timer.min(epoch).min(end));
            self.judge_demotions()?;
            if self.host.now == epoch && self.case.tick == 1 {
                self.judge_epoch()?;
            }
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), TestCaseError> {
        for (who, ns) in self.case.steps.clone() {
            let number = usize::from(who) % self.threads.len();
            if self.is_awake(number) {
                self.sure[number] = false;
                self.host.block(self.threads[number]);
            } else {
                self.sure[number] = self.host.now <= self.own()["critical-from"];
                self.host.wake(self.threads[number]);
            }
            self.judge_demotions()?;
            self.pass(ns)?;
        }
        Ok(())
    }
}

/// The parts of all epochs, from the host's observations: of a process's time in an epoch, its need comes first.
fn parts_add_up(case: Case) -> Result<(), TestCaseError> {
    let mut world = World::new(case);
    world.run()?;
    let (own, each, epoch) = (world.own(), world.each(), world.case.epoch);
    let epochs = world.host.now / epoch;
    prop_assert_eq!(own["epochs"], epochs);
    prop_assert_eq!(own["committed"] + own["uncommitted"] + own["windfall"], epochs * epoch);
    let mut committed = 0;
    for ((thread, need), figures) in world.threads.iter().zip(&world.needs).zip(&each) {
        let had = |k| world.host.ran_within(*thread, k * epoch, (k + 1) * epoch);
        let used: u64 = (0..epochs).map(|k| had(k).min(*need)).sum();
        prop_assert_eq!(figures["windfall-given"], epochs * need - used);
        prop_assert_eq!(figures["ran"], world.host.ran(*thread));
        prop_assert!(figures["windfall-taken"] <= figures["ran"] - used);
        committed += used;
    }
    prop_assert_eq!(own["committed"], committed);
    prop_assert_eq!(own["uncommitted"], epochs * (epoch - world.needs.iter().sum::<u64>()));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// Section 2.4, and 3.4: only a process that becomes ready after the start of the CSP may lose its need. In
    /// windows of time, whenever it wakes: RESBS need epoch. And no process is demoted before the CSP (3.2).
    #[test]
    fn law_need_is_met_of_whoever_is_ready_before_the_csp(case in cases(1)) {
        let mut world = World::new(case);
        world.run()?;
        let length = |ns: u64| Length::from(span(ns));
        for (thread, need) in world.threads.iter().zip(&world.needs).filter(|(_, need)| **need > 0) {
            let promise = Guarantee::BasicSoft(length(*need), length(world.case.epoch));
            world.host.keeps(*thread, 0, &promise);
        }
    }

    /// Section 2.4. Unused time is lost: each epoch counts by itself.
    #[test]
    fn law_committed_uncommitted_and_windfall_time_are_the_epoch(case in cases(1)) {
        parts_add_up(case)?;
    }

    /// Even if timers are late, time is charged to its own epoch.
    #[test]
    fn law_late_timers_put_no_time_down_to_another_epoch(case in cases(7 * MS)) {
        parts_add_up(case)?;
    }

    /// Section 4.1: every start of a process was counted on one of the ways that lead there.
    #[test]
    fn law_schedulings_are_what_the_ways_count(case in cases(1)) {
        let mut world = World::new(case);
        world.run()?;
        let own = world.own();
        let scheduled: u64 = world.each().iter().map(|figures| figures["scheduled"]).sum();
        let ways = ["switched", "restarted", "started", "resumed"].map(|way| own[way]);
        prop_assert_eq!(scheduled, ways.iter().sum::<u64>());
        prop_assert!(own["interrupted-low"] <= own["switched"]);
        let begins = own["started"] + own["resumed"];
        prop_assert!(begins - own["stopped"] <= 1, "it is idle after each stop, and then begins");
    }
}

/// The laws above are not vacuous: needs are lost, time is lent, low queues are run.
#[test]
fn law_the_cases_hold_what_they_are_to_test() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut lost, mut taken, mut interrupted) = (0, 0, 0);
    for _ in 0..100 {
        let mut world = World::new(cases(1).new_tree(&mut runner).unwrap().current());
        world.run().unwrap();
        lost += world.lost;
        taken += world.each().iter().map(|figures| figures["windfall-taken"]).sum::<u64>();
        interrupted += world.own()["interrupted-low"];
    }
    assert!(lost > 50 && taken > 100 * MS && interrupted > 50, "{lost} {taken} {interrupted}");
}

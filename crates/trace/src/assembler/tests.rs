use super::*;
use crate::timeline::State as Followed;
use crate::timeline::follow::Follower;
use crate::{Memory, Timeline};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;
use std::collections::BTreeMap;

const CPUS: u16 = 3;
const THREADS: usize = 5;

/// A step of a machine: the processor, what happens there, which of those that can be chosen, and whether the source omits it.
type Step = (u16, u8, usize, bool);

/// A sound machine whose events a source tells the assembler, all but some.
struct Machine {
    runs: [Option<ThreadId>; CPUS as usize],
    ready: Vec<ThreadId>,
    waiting: Vec<ThreadId>,
    records: Memory,
    assembler: Assembler,
    /// The state of whoever reads the records, and how many it has read.
    reader: (Follower, usize),
    /// How much was judged, by kind.
    judged: BTreeMap<&'static str, u64>,
}

impl Machine {
    fn new() -> Machine {
        let mut machine = Machine {
            runs: [None; CPUS as usize],
            ready: Vec::new(),
            waiting: Vec::new(),
            records: Memory::default(),
            assembler: Assembler::default(),
            reader: (Follower::default(), 0),
            judged: BTreeMap::new(),
        };
        for tid in 1..=5 {
            let thread = machine.assembler.new_thread();
            let (pid, name, node) = (tid, String::new(), None);
            let event = Event::Thread { thread, tid, pid, name, node };
            machine.records.record(Instant::ZERO, &event);
            machine.waiting.push(thread);
        }
        for cpu in 0..CPUS {
            machine.assembler.turn(&mut machine.records, Instant::ZERO, Cpu(cpu), None, None);
        }
        machine
    }

    fn count(&mut self, what: &'static str) {
        *self.judged.entry(what).or_default() += 1;
    }

    /// The assembler knows what the records say, no more and no less.
    fn is_read_alike(&mut self) {
        let (reader, read) = &mut self.reader;
        for record in &self.records.records[*read..] {
            reader.take(record.at, &record.event);
        }
        *read = self.records.records.len();
        for number in 0..self.assembler.threads() {
            let thread = ThreadId(number);
            let state = reader.place(thread).and_then(|place| reader.state(place));
            let on = if let Some(Followed::Running(cpu)) = state { Some(cpu) } else { None };
            assert_eq!(self.assembler.place(thread), on, "{thread:?}");
        }
        for cpu in (0..CPUS).map(Cpu) {
            let runs = self.assembler.runs(cpu);
            let what =
                self.assembler.overheads(cpu).last().map_or(runs, |kind| What::Overhead(*kind));
            assert_eq!(reader.state_of(cpu).map(|(_, what)| what), Some(what), "{cpu:?}");
        }
    }

    /// Whether the records say that a thread can run and does not.
    fn is_read_as_ready(&self, thread: ThreadId) -> bool {
        let (reader, _) = &self.reader;
        reader.place(thread).and_then(|place| reader.state(place)) == Some(Followed::Ready)
    }

    fn step(&mut self, at: Instant, (cpu, what, pick, omitted): Step) {
        let number = usize::from(cpu % CPUS);
        let cpu = Cpu(cpu % CPUS);
        let (to, assembler) = (&mut self.records, &mut self.assembler);
        match what % 8 {
            0..=2 if !self.waiting.is_empty() => {
                let thread = self.waiting.swap_remove(pick % self.waiting.len());
                self.ready.push(thread);
                if !omitted && !assembler.wake(to, at, thread, self.runs[number]) {
                    assert!(self.is_read_as_ready(thread), "{thread:?}");
                    self.count("a wake-up of a ready thread");
                }
            }
            3 => {
                let count = Some(pick as u64);
                assembler.lose(to, at, (pick % 4 != 0).then_some(cpu), count);
                self.count("a loss");
            }
            4 if !omitted => assembler.begin_overhead(to, at, cpu, OverheadKind::Interrupt, 0),
            5 if !omitted => {
                let ends = assembler.end_overhead(to, at, cpu);
                self.count(if ends { "an overhead's end" } else { "no overhead to end" });
            }
            6 if self.ready.len() + self.waiting.len() == THREADS => {
                // Nobody runs: one ends, and another thread takes its place.
                let all =
                    [&mut self.ready, &mut self.waiting].into_iter().find(|all| !all.is_empty());
                let Some(thread) = all.and_then(Vec::pop) else { return };
                let missing = assembler.exit(to, at, thread);
                let new = assembler.new_thread();
                let (pid, tid, name, node) = (1, new.0 + 1, String::new(), None);
                to.record(at, &Event::Thread { thread: new, tid, pid, name, node });
                self.waiting.push(new);
                self.count(if missing.is_some() { "a lost end" } else { "an end" });
            }
            _ => {
                let stop = if pick % 2 == 0 { Stop::Preempted } else { Stop::Blocked };
                let next = (!self.ready.is_empty())
                    .then(|| self.ready.swap_remove(pick % self.ready.len()));
                let prev = std::mem::replace(&mut self.runs[number], next).map(|prev| (prev, stop));
                if let Some((thread, stop)) = prev {
                    let list =
                        if stop == Stop::Preempted { &mut self.ready } else { &mut self.waiting };
                    list.push(thread);
                }
                if omitted {
                    return;
                }
                let found = assembler.switch(to, at, cpu, prev, next);
                self.count(match found[..] {
                    [] => "a switch",
                    [Contradiction::Ran { .. }] => "another thread ran",
                    [Contradiction::Elsewhere { .. }] => "a thread was elsewhere",
                    _ => "several contradictions",
                });
            }
        }
    }
}

#[test]
fn law_records_of_a_source_that_omits_events_do_not_contradict_each_other() {
    let judged = RefCell::new(BTreeMap::<&str, u64>::new());
    let steps = proptest::collection::vec(
        (0..CPUS, 0_u8..8, 0_usize..60, prop::bool::weighted(0.2)),
        1..80,
    );
    let mut runner = TestRunner::new_with_rng(
        ProptestConfig::with_cases(2_000),
        prop::test_runner::TestRng::deterministic_rng(prop::test_runner::RngAlgorithm::ChaCha),
    );
    runner
        .run(&(steps, any::<bool>()), |(steps, complete)| {
            let mut machine = Machine::new();
            let mut losses = false;
            for (at, (cpu, what, pick, omitted)) in (1..).zip(steps) {
                losses |= what == 3;
                machine.step(Instant::from_nanos(at), (cpu, what, pick, omitted && !complete));
                machine.is_read_alike();
            }
            let timeline = Timeline::build(machine.records.records.into_iter());
            prop_assert_eq!(timeline.conflicts, 0);
            let contradictions = [
                "another thread ran",
                "a thread was elsewhere",
                "several contradictions",
                "a lost end",
            ];
            if complete && !losses {
                for what in contradictions {
                    prop_assert!(!machine.judged.contains_key(what), "{}", what);
                }
                *machine.judged.entry("nothing omitted").or_default() += 1;
            }
            for (what, count) in machine.judged {
                *judged.borrow_mut().entry(what).or_default() += count;
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    let judged = judged.into_inner();
    for what in [
        "a switch",
        "another thread ran",
        "a thread was elsewhere",
        "several contradictions",
        "a wake-up of a ready thread",
        "a loss",
        "an overhead's end",
        "no overhead to end",
        "an end",
        "a lost end",
        "nothing omitted",
    ] {
        assert!(judged.get(what).is_some_and(|count| *count >= 10), "{what}: {judged:?}");
    }
}

#[test]
fn law_a_wake_up_while_a_thread_runs_does_not_hide_the_next_one() {
    let (mut records, mut assembler) = (Memory::default(), Assembler::default());
    let (thread, at) = (assembler.new_thread(), Instant::from_nanos);
    let cpu = Cpu(0);
    let (name, node) = (String::new(), None);
    records.record(at(0), &Event::Thread { thread, tid: 1, pid: 1, name, node });
    assembler.switch(&mut records, at(0), cpu, None, Some(thread));
    // It was about to wait and goes on instead: no switch follows. Later it waits indeed.
    assert!(assembler.wake(&mut records, at(10), thread, None));
    assembler.switch(&mut records, at(20), cpu, Some((thread, Stop::Blocked)), None);
    assert!(assembler.wake(&mut records, at(50), thread, None));
    assert!(!assembler.wake(&mut records, at(55), thread, None));
    assembler.switch(&mut records, at(60), cpu, None, Some(thread));
    let timeline = Timeline::build(records.records.into_iter());
    let states: Vec<_> = timeline.threads[0]
        .stretches
        .iter()
        .map(|stretch| (stretch.to.as_nanos(), stretch.state))
        .collect();
    use crate::timeline::State::{Blocked, Ready, Running};
    assert_eq!(states, [(20, Running(cpu)), (50, Blocked), (60, Ready)]);
}

//! Two processors that submit tasks to each other over an interconnect (PORTS, section 4), simulated.
//!
//! Each admits by deadline what it is offered, works on its tasks, and waits while a line of memory comes from the other. That wait, and the analysis of a task, take
//! processor time from tasks: to those that were admitted it is stolen, and those that are submitted next have less idle time. Half of the tasks that come up on a
//! processor are for the other. A sender whose task was refused submits a smaller one, of the idle time that the answer names.
//!
//! `machine.rs` has the machines and what memory costs on them.

mod machine;
mod node;

pub(crate) use machine::{MACHINES, Machine, Ways};

use crate::random::Random;
use node::{Node, Offer};
use std::collections::BTreeMap;
use windfall_ports::transport::{Faults, Network};
use windfall_ports::{Answer, Event, Outcome};
use windfall_time::{Instant, Span};

/// Processors.
const NODES: usize = 2;

/// The settings of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    pub(crate) machine: &'static Machine,
    pub(crate) ways: Ways,
    /// The longest task, in cycles; its bound is evenly between one cycle and this, and it uses half to all of that.
    pub(crate) longest: u64,
    /// Work that is offered, without analysis and waiting, in hundredths of the processors.
    pub(crate) load: u64,
    /// How many tasks come up.
    pub(crate) tasks: u64,
    pub(crate) seed: u64,
}

/// The outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Found {
    /// Tasks that came up.
    pub(crate) asked: u64,
    /// Those of which neither the whole nor a smaller one was admitted.
    pub(crate) refused: u64,
    /// Those of which a smaller one was admitted.
    pub(crate) smaller: u64,
    /// Tasks that were done.
    pub(crate) done: u64,
    /// Those that were done after their deadlines.
    pub(crate) late: u64,
    /// Time in which processors waited for lines of memory.
    pub(crate) waited: Span,
    /// Time that analysis took.
    pub(crate) analysed: Span,
    /// All time, of both processors.
    pub(crate) passed: Span,
}

/// The processors and what is between them.
struct System {
    setup: Setup,
    nodes: Vec<Node>,
    network: Network,
    random: Random,
    /// Unanswered submissions to the other: the sender, and the number.
    open: BTreeMap<(usize, u64), Offer>,
    found: Found,
}

/// Lets processors be offered tasks, and do them.
pub(crate) fn run(setup: Setup) -> Found {
    let network = Network::new(setup.seed, Faults::none(setup.machine.line));
    let nodes =
        (0..NODES).map(|own| Node::new(network.member(own), setup.machine.cycles(setup.longest)));
    let (nodes, random) = (nodes.collect(), Random(setup.seed));
    let (open, found) = (BTreeMap::new(), Found::default());
    let mut system = System { setup, nodes, network, random, open, found };
    while let Some(at) = system.next_event() {
        for node in &mut system.nodes {
            node.pass_to(at);
        }
        for own in 0..NODES {
            if system.nodes[own].free_at <= at {
                system.act(own, at);
            }
        }
    }
    let passed = system.nodes.iter().map(|node| node.member.processor.now() - Instant::ZERO);
    system.found.passed = passed.fold(Span::ZERO, Span::saturating_add);
    system.found
}

impl System {
    fn next_event(&self) -> Option<Instant> {
        let now = self.nodes[0].member.processor.now();
        let arrival = self.network.next_arrival().filter(|at| *at > now);
        let more = self.found.asked < self.setup.tasks;
        self.nodes.iter().filter_map(|node| node.next_event(more)).chain(arrival).min()
    }

    /// The next act of a processor that is free at this moment; it is free again when it has waited for all that it needs.
    fn act(&mut self, own: usize, now: Instant) {
        let (late, done) = self.nodes[own].finish();
        self.found.done += done;
        self.found.late += late;
        for event in self.nodes[own].member.turn() {
            match event {
                Event::Analysed { from, number, answer } => {
                    self.analysed(own, (from, number), answer);
                }
                Event::Outcome(of, outcome) => self.answered(own, of.number, outcome),
                _ => {}
            }
        }
        while self.nodes[own].next_offer <= now && self.found.asked < self.setup.tasks {
            let offer = self.draw(own);
            self.found.asked += 1;
            if self.random.uniform(2) == 0 { self.send(own, offer) } else { self.keep(own, offer) }
        }
    }

    /// A task that comes up, and when the next one does.
    fn draw(&mut self, own: usize) -> Offer {
        let Setup { machine, longest, load, .. } = self.setup;
        let bound = 1 + self.random.uniform(longest);
        let real = bound - self.random.uniform(bound / 2 + 1);
        // A task uses three eighths of the longest in the mean, and intervals are even from nothing to twice their mean.
        let interval = self.random.uniform(longest * 3 / 4 * 100 / load);
        let after = bound + self.random.uniform(longest * 4);
        let node = &mut self.nodes[own];
        let came = node.next_offer;
        node.next_offer = came + machine.cycles(interval);
        let (bound, real) = (machine.cycles(bound), machine.cycles(real));
        Offer { bound, real, deadline: came + machine.cycles(after), smaller: false }
    }

    /// Submits to the processor's own scheduler.
    fn keep(&mut self, own: usize, offer: Offer) {
        self.analyse(own);
        let answer = self.nodes[own].submit(offer);
        self.settle(own, own, offer, answer);
    }

    /// Submits to the other processor.
    fn send(&mut self, own: usize, offer: Offer) {
        let Setup { machine, ways, .. } = self.setup;
        self.wait(own, machine.to_submit(ways));
        let to = (own + 1) % NODES;
        match self.nodes[own].member.submit(to, 0, offer.request(), offer.deadline) {
            Some(submission) => {
                self.open.insert((own, submission.number), offer);
            }
            None => self.found.refused += 1,
        }
    }

    /// A processor has analysed what another submitted, and answered.
    fn analysed(&mut self, own: usize, of: (usize, u64), answer: Answer) {
        let Setup { machine, ways, .. } = self.setup;
        self.wait(own, machine.to_take_in());
        self.analyse(own);
        self.wait(own, machine.to_answer(ways));
        if let (Answer::Admitted(task), Some(offer)) = (answer, self.open.get(&of)) {
            self.nodes[own].begin(task, offer.real);
        }
    }

    fn answered(&mut self, own: usize, number: u64, outcome: Outcome) {
        let Setup { machine, ways, .. } = self.setup;
        let Some(offer) = self.open.remove(&(own, number)) else { return };
        let Outcome::Answered(answer) = outcome else {
            self.found.refused += 1;
            return;
        };
        self.wait(own, machine.to_read(ways));
        self.settle(own, (own + 1) % NODES, offer, answer);
    }

    /// An offer has its answer, of this processor. If a smaller task fits, that is submitted to it.
    fn settle(&mut self, own: usize, of: usize, offer: Offer, answer: Answer) {
        match answer {
            Answer::Admitted(_) => self.found.smaller += u64::from(offer.smaller),
            Answer::NoRoom { idle, .. } if !offer.smaller && offer.has_use_for(idle) => {
                let smaller = offer.cut_to(idle);
                if of == own { self.keep(own, smaller) } else { self.send(own, smaller) }
            }
            _ => self.found.refused += 1,
        }
    }

    fn wait(&mut self, own: usize, time: Span) {
        self.nodes[own].delay(time);
        self.found.waited += time;
    }

    fn analyse(&mut self, own: usize) {
        let time = self.setup.machine.analysis;
        self.nodes[own].delay(time);
        self.found.analysed += time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(machine: &'static Machine, ways: Ways, load: u64) -> Setup {
        Setup { machine, ways, longest: 80_000, load, tasks: 2_000, seed: 5 }
    }

    #[test]
    fn law_every_task_has_one_end_and_equal_seeds_give_equal_runs() {
        for (machine, ways) in MACHINES.iter().zip(Ways::ALL) {
            let found = run(setup(machine, ways, 90));
            assert_eq!(found, run(setup(machine, ways, 90)));
            assert_eq!(found.asked, 2_000);
            assert_eq!(found.asked, found.done + found.refused, "{found:?}");
            assert!(found.refused > 50 && found.smaller > 10, "{found:?}");
        }
    }

    #[test]
    fn law_more_load_is_refused_and_an_idle_machine_refuses_little() {
        let refused = |load| run(setup(&MACHINES[2], Ways::ALL[0], load)).refused;
        assert!(refused(5) < 40, "{}", refused(5));
        assert!(refused(150) > refused(90) + 200 && refused(90) > refused(5));
    }

    #[test]
    fn law_prefetching_takes_two_lines_of_each_submission_to_the_other() {
        let waited = |ways| run(setup(&MACHINES[0], ways, 10)).waited;
        let [none, prefetch, poststore, _] = Ways::ALL;
        assert!(waited(none).saturating_mul(2) > waited(prefetch).saturating_mul(3));
        // What a sender reads without waiting, its peer has waited to store.
        assert_eq!(waited(none), waited(poststore));
    }
}

//! Weighted round robin: ready children in turn, each for as many quanta as its weight, on one processor or several.
//!
//! Takes    PSBE s d on its only own VP; any guarantee if only turns are wanted.
//! Gives    PSBE (s p) ((d + B) p) to each child: p its part of all weights, B the turns of all others (`promise.rs`).
//! Admits   everyone, with a weight from 1 on (default 1). A new weight counts from the child's next turn on.
//! Assumes  nothing of its children. One that yields keeps its turn, because others' turns are part of the promise.
//! Costs    O(log n) per event; 50 bytes per child; one timer per processor.
//! Ties     none: children are in a queue. One that is preempted from above keeps its place and the rest of its turn.
//! Source   Katevenis, Sidiropoulos and Courcoubetis 1991; of processors instead of links.
//! Checked  laws, the test below, `tests/all/weighted_round_robin.rs`.

mod promise;

use crate::catalogue::{Kind, Properties};
use crate::parameters::SHARE;
use crate::parts::line::{Line, ONE};
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::parts::quantum::{self, Quanta};
use crate::parts::slots;
use alloc::{boxed::Box, vec::Vec};
use windfall_hierarchy::{Answer, AnswerError, ChildVp, Context, Message, OwnVp, TimerId};
use windfall_time::Span;

settings! { WeightedRoundRobin, "weighted_round_robin.rs":
    /// the longest time that a child of weight 1 runs while others wait
    quantum: Span = "10ms",
}

pub(crate) const KIND: Kind = WeightedRoundRobin::kind(
    "weighted-round-robin",
    "each ready child in turn, as many quanta long as its weight says",
    |settings| {
        let quanta = Quanta::new(WeightedRoundRobin::read(settings).quantum);
        Ok(Box::new(Pooled::new(Weighted { line: Line::default(), weights: Vec::new(), quanta })))
    },
)
.with_parameters(&[&SHARE])
.with_properties(
    Properties::NONE.quantum(|settings| Some(WeightedRoundRobin::read(settings).quantum)),
)
.with_conversion(promise::conversion);

#[derive(Clone)]
struct Weighted {
    line: Line,
    weights: Vec<u32>,
    quanta: Quanta,
}

impl Weighted {
    /// Puts a child that does not run at the end of the queue, with a whole turn.
    fn queue(&mut self, child: ChildVp) {
        self.line.queue(child, ONE);
        self.quanta
            .give(child, self.quanta.length.saturating_mul(self.weights[child.index()].into()));
    }
}

impl Policy for Weighted {
    type Key = u64;
    const PREEMPTS: bool = false;
    const TAKES: &'static str = "share, quantum (to the instance)";

    fn key(&self, child: ChildVp) -> u64 {
        self.line.place(child)
    }

    fn started(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        self.quanta.started(child, own, context);
    }

    fn stopped(&mut self, child: ChildVp, _: OwnVp, context: &mut Context<'_>) {
        if self.quanta.stop(child, context.now()) {
            self.queue(child);
        }
    }

    fn idle(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.quanta.idle(own, context);
    }

    fn timers(&self, owns: usize) -> usize {
        owns
    }

    fn register(&mut self, child: ChildVp) {
        self.line.register(child);
        self.quanta.register(child);
        slots::put(&mut self.weights, child, 1);
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.queue(child);
        pool.request(child, self, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        _: &mut Pool<Self>,
        _: &mut Context<'_>,
    ) -> Answer {
        let none = AnswerError::OutOfRange { what: "share", allowed: "1 or more" };
        match (child, message) {
            (Some(_), Message::Share(0)) => return Err(none),
            (Some(child), Message::Share(weight)) => self.weights[child.index()] = weight,
            (None, Message::Quantum(length)) => self.quanta.length = quantum::checked(length)?,
            _ => return Self::not_understood(message),
        }
        Ok(())
    }

    fn timer(&mut self, _: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        while let Some((own, child)) =
            self.quanta.first_over(pool.own_vps(), context, |child| self.line.place(child))
        {
            self.queue(child);
            self.quanta.started(child, own, context); // its next turn, here or later
            pool.pass(child, self, context);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KindSettings;
    use windfall_hierarchy::{Hierarchy, NodeSpec, Parent, Processor};
    use windfall_time::Instant;

    #[test]
    fn law_each_turn_is_as_many_quanta_long_as_the_weight() {
        let (mut tree, now) = (Hierarchy::new(1), Instant::ZERO);
        let scheduler = WeightedRoundRobin::default().build().unwrap();
        let spec = NodeSpec::new("wrr", "wrr", scheduler, &[(Parent::Top, &[])]);
        let node = tree.create(now, spec).unwrap();
        let create = |weight| tree.create_thread(now, node, &[Message::Share(weight)]).unwrap();
        let threads = [3, 1, 2].map(create);
        threads.iter().for_each(|thread| tree.ready(now, *thread).unwrap());
        for (end, turn) in [(30, 0), (40, 1), (60, 2), (90, 0), (100, 1), (120, 2)] {
            let seen = (tree.running(Processor(0)), tree.next_timer());
            assert_eq!(seen, (Some(threads[turn]), Some(now + Span::from_millis(end))));
            tree.timer_due(now + Span::from_millis(end)).unwrap();
        }
        assert!(tree.quarantined().is_empty());
    }
}

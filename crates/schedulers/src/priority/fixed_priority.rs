//! Fixed priority: the ready child with the largest priority number runs, and preempts smaller ones.
//!
//! Takes    any guarantee, on one processor or several.
//! Gives    its own guarantee to the child of highest priority, if no other has that priority (`exclusive =
//!          true` ensures it); NULL to the others. If n of its own VPs have ALL, ALL to each child with fewer
//!          than n others at or above its priority. Of RESU only PS follows, because deadlines that children
//!          report are not passed on.
//! Admits   everyone; with `exclusive`, each priority once.
//! Assumes  children set their priority. Children without a priority share a rank below all others, with
//!          `exclusive` as well.
//! Costs    O(log n) per event; 46 bytes per child; no timer of its own.
//! Ties     the running child stays, and a preempted one goes before those that requested after it; else first
//!          come, first served.
//! Source   HLS 5.3.1.1, 9.3; table 5.1: any to (any, NULL+).
//! Checked  laws, `tests/all/fixed_priority.rs`, `hierarchy/tests/example_4_4.rs`, reference schedules fp_*.

use crate::catalogue::{Kind, Properties, RanksBy};
use crate::parameters::PRIORITY;
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::parts::slots;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;
use core::cmp::Reverse;
use windfall_guarantees::{ChildParam, ChildParams, Conversion, Guarantee, Offer, Supply, Type};
use windfall_hierarchy::{Answer, AnswerError, ChildVp, Context, Message, TimerId, View};
use windfall_time::Span;

settings! { FixedPriority, "fixed_priority.rs":
    /// refuse a priority that another child has, so that the guarantee reaches the highest
    exclusive: bool = "false",
}

pub(crate) const KIND: Kind = FixedPriority::kind(
    "fixed-priority",
    "preemptive fixed priorities: the largest number first",
    |settings| {
        let exclusive = FixedPriority::read(settings).exclusive;
        Ok(Box::new(Pooled::new(State::new(exclusive))))
    },
)
.with_parameters(&[&PRIORITY])
.with_properties(Properties {
    ranks_by: |_| RanksBy::Priority,
    lends_ranks: |settings| !FixedPriority::read(settings).exclusive,
    ..Properties::NONE
})
.with_conversion(|settings| {
    Ok(Box::new(Passing { exclusive: FixedPriority::read(settings).exclusive }))
});

/// The conversion `any -> (any, NULL+)`.
#[derive(Clone)]
struct Passing {
    exclusive: bool,
}

impl Passing {
    /// Whether the child is refused its priority because an earlier child has it. A refused child takes nothing
    /// from the others.
    fn is_refused(&self, children: &[ChildParams], at: usize) -> bool {
        let priority = children[at].priority;
        let before = children[..at].iter().any(|other| other.priority == priority);
        self.exclusive && priority.is_some() && before
    }
}

impl Conversion for Passing {
    fn takes(&self) -> &'static [Type] {
        &[]
    }

    fn parameter_for(&self, _: &Guarantee) -> Result<ChildParam, &'static str> {
        Ok(ChildParam::Nothing)
    }

    fn at_ticks(&mut self, _: Span) -> bool {
        true
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        let whole = own.guarantees.iter().filter(|own| **own == Guarantee::All).count();
        let offer = |(at, child): (usize, &ChildParams)| {
            let rivals = children.iter().enumerate().filter(|(other, params)| {
                params.priority >= child.priority && !self.is_refused(children, *other)
            });
            let rivals = rivals.count().saturating_sub(1);
            match own.guarantees {
                _ if self.is_refused(children, at) => Offer::lacking(
                    "a sibling that comes before it has its priority, and each is given once; \
                     give it another"
                        .into(),
                ),
                _ if rivals < whole => Offer::one(Guarantee::All, "fewer above than processors"),
                [Guarantee::Slower(rate)] if rivals == 0 => {
                    Offer::one(Guarantee::Share(*rate), "highest priority, its deadlines untold")
                }
                [own] if rivals == 0 => Offer::one(*own, "highest priority"),
                [_] => Offer::lacking(format!(
                    "{rivals} of its siblings have its priority or a higher one; give it the highest"
                )),
                _ => Offer::lacking(format!(
                    "{rivals} of its siblings have its priority or a higher one, and {whole} of {} \
                     processors are whole; give it a higher one, or its parent `ALL` on more",
                    own.guarantees.len()
                )),
            }
        };
        children.iter().enumerate().map(offer).collect()
    }
}

#[derive(Clone, Copy, Default)]
struct Place {
    priority: Option<i32>,
    /// Number of the request by which the child became ready.
    turn: u64,
}

/// The priority of each child, and its turn among those of the same.
#[derive(Clone, Default)]
pub(crate) struct State {
    places: Vec<Place>,
    turns: u64,
    exclusive: bool,
    /// The priorities in use; kept only when `exclusive`.
    taken: BTreeSet<i32>,
}

impl State {
    /// `exclusive`: each priority is given to one child.
    pub(crate) fn new(exclusive: bool) -> State {
        State { exclusive, ..State::default() }
    }
}

impl Policy for State {
    type Key = (Reverse<Option<i32>>, u64);
    const GROWS: bool = true;
    const LETS_YIELD: bool = true;
    const TAKES: &'static str = "priority";

    #[inline]
    fn key(&self, child: ChildVp) -> Self::Key {
        let place = &self.places[child.index()];
        (Reverse(place.priority), place.turn)
    }

    #[inline]
    fn preempts(ready: &Self::Key, running: &Self::Key) -> bool {
        ready.0 < running.0
    }

    fn register(&mut self, child: ChildVp) {
        slots::put(&mut self.places, child, Place::default());
    }

    fn unregister(&mut self, child: ChildVp, _: &mut Context<'_>) {
        let place = &mut self.places[child.index()];
        if let Some(priority) = place.priority.take() {
            self.taken.remove(&priority);
        }
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.turns += 1;
        self.places[child.index()].turn = self.turns;
        pool.request(child, self, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) -> Answer {
        let (Some(child), Message::Priority(priority)) = (child, message) else {
            return Self::not_understood(message);
        };
        let before = self.places[child.index()].priority;
        if before == Some(priority) {
            return Ok(());
        }
        if self.exclusive {
            if !self.taken.insert(priority) {
                return Err(AnswerError::Taken { what: "priority" });
            }
            if let Some(before) = before {
                self.taken.remove(&before);
            }
        }
        self.places[child.index()].priority = Some(priority);
        pool.rerank(child, self, context);
        Ok(())
    }

    fn timer(&mut self, _: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        pool.settled(self, context);
    }

    fn check(&self, _: &Pool<Self>, view: &View<'_>) -> Result<(), &'static str> {
        let given = view.children().filter(|child| self.places[child.index()].priority.is_some());
        if self.exclusive && given.count() != self.taken.len() {
            return Err("a priority is given twice, or taken by nobody");
        }
        Ok(())
    }
}

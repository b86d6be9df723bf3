//! Activity: its threads in turn, except that a thread whose time constraint is being served runs alone.
//!
//! Takes    any guarantee; for constraints, a `time-line`, which notifies it of the constraint that is served.
//! Gives    NULL to each child. A child whose constraint was accepted receives the work that it requested
//!          before the deadline, if it does not block.
//! Admits   everyone; the parent decides whether a constraint is accepted.
//! Assumes  children set constraints (`constraint`, or a `job` of known work and deadline), one at a time; the
//!          parent says which deadline is served (`constrained`).
//! Costs    O(log n) per event, O(n) when service of a constraint begins; one timer per processor.
//! Ties     between equal deadlines, the ready child, then the lower slot; else children are in a queue.
//! Source   HLS 6.2.4, figure 6.5 (AC); Jones, Rosu and Rosu 1997.
//! Checked  laws, `tests/all/rialto.rs`.

use crate::catalogue::{Kind, Properties};
use crate::parameters::{CONSTRAINT, constraint, read_constraint};
use crate::parts::line::{Line, ONE};
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::parts::quantum::{self, Quanta};
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{
    Answer, ChildVp, Context, Message, OwnVp, ParentNotice, TimerId, VpState,
};
use windfall_time::{Instant, Span};

settings! { Activity, "activity.rs":
    /// the longest time that a thread without a constraint runs while others wait
    quantum: Span = "10ms",
}

pub(crate) const KIND: Kind = Activity::kind(
    "activity",
    "threads in turn, except while a thread's time constraint is being served",
    |settings| Ok(Box::new(Pooled::new(State::new(Activity::read(settings).quantum)))),
)
.with_parameters(&[&CONSTRAINT])
.with_properties(Properties::NONE.quantum(|settings| Some(Activity::read(settings).quantum)));

/// The children in turn, the deadline of each one's last constraint, and the child whose constraint is served.
#[derive(Clone)]
pub(crate) struct State {
    line: Line,
    quanta: Quanta,
    /// The deadline of each child's last constraint.
    deadlines: Vec<Option<Instant>>,
    /// The child whose constraint is being served.
    urgent: Option<ChildVp>,
}

impl State {
    /// `quantum` is above zero.
    pub(crate) fn new(quantum: Span) -> State {
        State {
            line: Line::default(),
            quanta: Quanta::new(quantum),
            deadlines: Vec::new(),
            urgent: None,
        }
    }

    /// The child with a constraint of that deadline.
    fn due(&self, deadline: Instant, context: &Context<'_>) -> Option<ChildVp> {
        let children = (0_u32..).zip(&self.deadlines);
        let mut due = children.filter(|(_, own)| **own == Some(deadline)).map(|(n, _)| ChildVp(n));
        let first = due.next()?;
        let mut all = core::iter::once(first).chain(due);
        all.find(|child| context.child(*child) != VpState::Waiting).or(Some(first))
    }

    /// Changes the child whose constraint is being served; `None` for no child.
    fn serve(&mut self, child: Option<ChildVp>, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let before = core::mem::replace(&mut self.urgent, child);
        if before != child {
            for changed in [before, child].into_iter().flatten() {
                pool.refresh(changed, self, context);
            }
            pool.preempt(self, context);
        }
    }
}

impl Policy for State {
    /// Whether another child's constraint is being served, then the turn.
    type Key = (bool, u64);
    const TAKES: &'static str = "constraint, job; quantum (to the instance)";

    fn key(&self, child: ChildVp) -> Self::Key {
        (self.urgent != Some(child), self.line.place(child))
    }

    fn preempts(ready: &Self::Key, running: &Self::Key) -> bool {
        running.0 && !ready.0
    }

    fn started(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        self.quanta.started(child, own, context);
    }

    fn stopped(&mut self, child: ChildVp, _: OwnVp, context: &mut Context<'_>) {
        if self.quanta.is_over(child, context.now()) {
            self.line.queue(child, ONE);
            self.quanta.renew(child);
        } else {
            self.quanta.stopped(child, context);
        }
    }

    fn idle(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.quanta.idle(own, context);
    }

    fn timers(&self, owns: usize) -> usize {
        owns
    }

    fn register(&mut self, child: ChildVp) {
        self.quanta.register(child);
        self.line.register(child);
        self.deadlines.resize(self.deadlines.len().max(child.index() + 1), None);
    }

    fn unregister(&mut self, child: ChildVp, _: &mut Context<'_>) {
        self.deadlines[child.index()] = None;
        self.urgent = self.urgent.filter(|urgent| *urgent != child);
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.line.queue(child, ONE);
        self.quanta.renew(child);
        pool.request(child, self, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) -> Answer {
        let (child, deadline, work) = match (child, message) {
            (Some(child), _) if let Some((work, deadline)) = read_constraint(message) => {
                (child, deadline, work)
            }
            (Some(child), Message::Job { deadline, work: Some(work), .. })
                if deadline < Instant::MAX =>
            {
                (child, deadline, work)
            }
            (Some(child), Message::Job { .. }) => {
                self.deadlines[child.index()] = None;
                return Ok(());
            }
            (None, Message::Quantum(length)) => {
                self.quanta.length = quantum::checked(length)?;
                return Ok(());
            }
            _ => {
                return Self::not_understood(message);
            }
        };
        self.deadlines[child.index()] = Some(deadline);
        for own in pool.own_vps() {
            context.message(own, constraint(work, deadline));
        }
        Ok(())
    }

    fn parent_notice(
        &mut self,
        notice: ParentNotice,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        if let ParentNotice::Constrained(deadline) = notice {
            let child = deadline.and_then(|deadline| self.due(deadline, context));
            self.serve(child, pool, context);
        }
    }

    fn timer(&mut self, timer: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let own = quantum::own_of(timer);
        let Some(child) = context.held_by(own) else {
            return;
        };
        if !self.quanta.is_over(child, context.now()) {
            return;
        }
        if pool.best().is_some() && self.urgent != Some(child) {
            pool.rotate(child, self, context);
        } else {
            self.line.queue(child, ONE);
            self.quanta.renew(child);
            self.quanta.started(child, own, context);
            pool.refresh(child, self, context);
        }
    }
}

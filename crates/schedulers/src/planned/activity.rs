//! Activity: its threads in turn, but the one with a time constraint while that is being served.
//!
//! Takes    any guarantee; to serve constraints, one from `time-line`, which says for which.
//! Gives    NULL to each child. A child whose constraint was accepted has what it asked for before its
//!          deadline, if it does not block.
//! Admits   everyone; whether a constraint is accepted is the parent's affair.
//! Assumes  children tell constraints (`constraint`, or a `job` of known work and deadline), one at a
//!          time; the parent tells whose is served (`constrained`).
//! Costs    O(log n) per event, O(n) when a constraint begins to be served; one timer per processor.
//! Ties     between equal deadlines, whoever is ready, then the lower slot; else children stand in line.
//! Source   HLS 6.2.4, figure 6.5 (AC); Jones, Rosu and Rosu 1997.
//! Checked  laws, `tests/rialto.rs`.

use crate::catalogue::{Form, Kind, Setting};
use crate::parts::best_effort::BestEffort;
use crate::parts::pool::{Policy, Pool, SETTLED};
use crate::parts::quantum::{self, Quanta};
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{
    ChildVp, Context, HierarchyError, Message, OwnVp, ParentNotice, Scheduler, TimerId, View,
    VpState,
};
use windfall_time::{Instant, Span};

const TAKES: &str = "constraint, job; quantum (to the instance)";
/// The quantum where none is set.
const QUANTUM: Span = Span::from_millis(10);

pub(crate) const KIND: Kind = Kind {
    name: "activity",
    summary: "threads in turn, but the one whose time constraint is being served",
    source: include_str!("activity.rs"),
    settings: &[Setting {
        name: "quantum",
        form: Form::Span,
        default: "10ms",
        help: "the longest time that a thread without a constraint runs while others wait",
    }],
    build: |settings| Ok(Box::new(Activity::new(settings.span("quantum", QUANTUM)?))),
    conversion: |_| Ok(Box::new(BestEffort)),
};

struct Line {
    /// Place in line by child: a number drawn when it went to the end.
    turns: Vec<u64>,
    drawn: u64,
    quanta: Quanta,
    /// The deadline of each child's last constraint.
    deadlines: Vec<Option<Instant>>,
    /// Whose constraint is being served.
    urgent: Option<ChildVp>,
}

impl Line {
    /// A child that does not run goes to the end of the line.
    fn queue(&mut self, child: ChildVp) {
        self.drawn += 1;
        self.turns[child.index()] = self.drawn;
    }

    /// The child with a constraint of that deadline.
    fn due(&self, deadline: Instant, context: &Context<'_>) -> Option<ChildVp> {
        let children = (0_u32..).zip(&self.deadlines);
        let mut due = children.filter(|(_, own)| **own == Some(deadline)).map(|(n, _)| ChildVp(n));
        let first = due.next()?;
        let mut all = core::iter::once(first).chain(due);
        all.find(|child| context.child(*child) != VpState::Waiting).or(Some(first))
    }
}

impl Policy for Line {
    /// Whether another's constraint is served, turn.
    type Key = (bool, u64);

    fn key(&self, child: ChildVp) -> Self::Key {
        (self.urgent != Some(child), self.turns[child.index()])
    }

    fn preempts(ready: &Self::Key, running: &Self::Key) -> bool {
        running.0 && !ready.0
    }

    fn started(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        self.quanta.started(child, own, context);
    }

    fn stopped(&mut self, child: ChildVp, _: OwnVp, context: &mut Context<'_>) {
        if self.quanta.is_over(child, context.now()) {
            self.queue(child);
            self.quanta.renew(child);
        } else {
            self.quanta.stopped(child, context);
        }
    }

    fn idle(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.quanta.idle(own, context);
    }
}

/// The scheduler.
pub struct Activity {
    pool: Pool<Line>,
    line: Line,
}

impl Activity {
    /// With the quantum, above zero.
    #[must_use]
    pub fn new(quantum: Span) -> Activity {
        let line = Line {
            turns: Vec::new(),
            drawn: 0,
            quanta: Quanta::new(quantum),
            deadlines: Vec::new(),
            urgent: None,
        };
        Activity { pool: Pool::default(), line }
    }

    /// This child's constraint is being served from now on, or nobody's.
    fn serve(&mut self, child: Option<ChildVp>, context: &mut Context<'_>) {
        let before = core::mem::replace(&mut self.line.urgent, child);
        if before != child {
            for changed in [before, child].into_iter().flatten() {
                self.pool.refresh(changed, &self.line, context);
            }
            self.pool.preempt(&mut self.line, context);
        }
    }
}

impl Scheduler for Activity {
    fn timers(&self, owns: usize) -> usize {
        quantum::timers(owns)
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.pool.init(context);
    }

    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Result<(), HierarchyError> {
        self.pool.register(child);
        self.line.quanta.register(child);
        let room = self.line.turns.len().max(child.index() + 1);
        self.line.turns.resize(room, 0);
        self.line.deadlines.resize(room, None);
        Ok(())
    }

    fn unregister(&mut self, child: ChildVp, _: &mut Context<'_>) {
        self.line.deadlines[child.index()] = None;
        self.line.urgent = self.line.urgent.filter(|urgent| *urgent != child);
    }

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.line.queue(child);
        self.line.quanta.renew(child);
        self.pool.request(child, &mut self.line, context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.pool.release(child, held, &mut self.line, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Result<(), HierarchyError> {
        let (child, deadline, work) = match (child, message) {
            (Some(child), Message::Constraint { work, deadline }) => (child, deadline, work),
            (Some(child), Message::Job { deadline, work: Some(work), .. })
                if deadline < Instant::MAX =>
            {
                (child, deadline, work)
            }
            (Some(child), Message::Job { .. }) => {
                self.line.deadlines[child.index()] = None;
                return Ok(());
            }
            (None, Message::Quantum(length)) => {
                self.line.quanta.length = quantum::checked(length)?;
                return Ok(());
            }
            _ => {
                return Err(HierarchyError::NotUnderstood {
                    message: message.name(),
                    takes: TAKES,
                });
            }
        };
        self.line.deadlines[child.index()] = Some(deadline);
        for own in self.pool.own_vps() {
            context.message(own, Message::Constraint { work, deadline });
        }
        Ok(())
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.pool.grant(own, &mut self.line, context);
    }

    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.pool.revoke(own, child, &mut self.line, context);
    }

    fn parent_notice(&mut self, _: OwnVp, notice: ParentNotice, context: &mut Context<'_>) {
        if let ParentNotice::Constrained(deadline) = notice {
            let child = deadline.and_then(|deadline| self.line.due(deadline, context));
            self.serve(child, context);
        }
    }

    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>) {
        if timer == SETTLED {
            return self.pool.settled(&mut self.line, context);
        }
        let own = quantum::own_of(timer);
        let Some(child) = context.held_by(own) else {
            return;
        };
        if !self.line.quanta.is_over(child, context.now()) {
            return;
        }
        if self.pool.best().is_some() && self.line.urgent != Some(child) {
            self.pool.rotate(child, &mut self.line, context);
        } else {
            self.line.queue(child);
            self.line.quanta.renew(child);
            self.line.quanta.started(child, own, context);
            self.pool.refresh(child, &self.line, context);
        }
    }

    fn next(&self, _: OwnVp, _: &View<'_>) -> Option<ChildVp> {
        self.pool.best()
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.pool.check(&self.line, view)
    }
}

//! One processor in turns: the child that a [`Line`] picks keeps it for a turn, even if another wakes.
//!
//! A line only determines which child is next and how long a turn is. Own VP 0 is requested while a child does not
//! wait; no other own VP ever is. Children of weight 0 are in the background, which the line does not see: they
//! take turns while no child of the line is ready, and are preempted at once. Each event costs what the line costs,
//! and O(log n) in the background. Nothing allocates except in `register`.

use crate::parts::quantum;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, OwnVp, Scheduler, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

const ONE: OwnVp = OwnVp(0);
const TURN: TimerId = TimerId(0);

/// The order of children. The running child is not in the queue, but still takes part.
pub(crate) trait Line: Clone + Send + 'static {
    /// The messages that it takes.
    const TAKES: &'static str;

    /// The length of a turn, for messages to the instance.
    fn quantum(&mut self) -> &mut Span;

    /// Makes room for a child. Debts of an earlier child with the same number may fall to it.
    fn register(&mut self, child: ChildVp);

    /// A waiting child begins to take part, and is ready.
    fn joins(&mut self, child: ChildVp);

    /// A child stops taking part. If it ran, it has been charged.
    fn leaves(&mut self, child: ChildVp);

    /// Takes the first child out of the queue; it runs from now on.
    fn pick(&mut self) -> Option<ChildVp>;

    /// How long the running child may run.
    fn turn(&self, child: ChildVp) -> Span;

    /// Charges the running child for the time since the last charge.
    fn charge(&mut self, child: ChildVp, ran: Span);

    /// The running child, which has been charged, is ready again: its turn has ended, or the processor was revoked.
    fn returns(&mut self, child: ChildVp);

    /// Changes a weight; it is above zero.
    fn weigh(&mut self, child: ChildVp, weight: u32, state: VpState);

    /// Handles any other message about a child. If the child runs, it has been charged.
    ///
    /// # Errors
    /// When the line does not take such a message.
    fn set(&mut self, _: ChildVp, message: Message, _: VpState) -> Answer {
        Err(AnswerError::NotUnderstood { message: message.name(), takes: Self::TAKES })
    }

    /// The child that [`pick`](Self::pick) would take if the running child, with this time not yet charged, left
    /// now.
    fn next(&self, running: Option<(ChildVp, Span)>) -> Option<ChildVp>;

    /// Checks that the queue holds exactly the ready children for which `counts` is true.
    ///
    /// # Errors
    /// The invariant that does not hold.
    fn check(&self, view: &View<'_>, counts: &dyn Fn(ChildVp) -> bool) -> Result<(), &'static str>;
}

/// The scheduler that a line makes.
#[derive(Clone)]
pub(crate) struct Turns<L> {
    line: L,
    running: Option<ChildVp>,
    charged: Instant,
    ends: Instant,
    /// By child: whether it is in the background.
    behind: Vec<bool>,
    /// Ready children of the background, by turn.
    background: Heap<(u64, u32)>,
    turn: u64,
}

impl<L: Line> Turns<L> {
    pub(crate) const fn new(line: L, background: Heap<(u64, u32)>) -> Turns<L> {
        let (charged, ends) = (Instant::ZERO, Instant::ZERO);
        Turns { line, running: None, charged, ends, behind: Vec::new(), background, turn: 0 }
    }

    fn is_behind(&self, child: ChildVp) -> bool {
        self.behind[child.index()]
    }

    fn charge(&mut self, now: Instant) {
        let since = core::mem::replace(&mut self.charged, now);
        if let Some(child) = self.running.filter(|child| !self.is_behind(*child)) {
            self.line.charge(child, now.saturating_since(since));
        }
    }

    fn join(&mut self, child: ChildVp) {
        if self.is_behind(child) {
            self.turn += 1;
            self.background.set(child.0, (self.turn, child.0));
        } else {
            self.line.joins(child);
        }
    }

    fn leave(&mut self, child: ChildVp) {
        if !self.is_behind(child) {
            self.line.leaves(child);
        }
        self.background.remove(child.0);
    }

    /// The running child, which has been charged, becomes ready.
    fn put_back(&mut self, child: ChildVp) {
        self.running = None;
        if self.is_behind(child) {
            self.join(child);
        } else {
            self.line.returns(child);
        }
    }

    /// Begins the turn of the next child. `holder` holds the processor, if any child does.
    fn dispatch(&mut self, holder: Option<ChildVp>, context: &mut Context<'_>) {
        let next =
            self.line.pick().or_else(|| self.background.pop().map(|(_, child)| ChildVp(child)));
        if holder.is_some() && holder != next {
            holder.map(|holder| context.revoke(holder));
        }
        (self.running, self.charged) = (next, context.now());
        let Some(child) = next else {
            context.set_timer(TURN, None);
            return context.release(ONE);
        };
        if holder != next {
            context.grant(child, ONE);
        }
        self.begin(child, context);
    }

    fn begin(&mut self, child: ChildVp, context: &mut Context<'_>) {
        let turn = if self.is_behind(child) { *self.line.quantum() } else { self.line.turn(child) };
        self.ends = self.charged.saturating_add(turn);
        context.set_timer(TURN, Some(self.ends));
    }

    /// Changes a weight, and moves the child between the line and the background if necessary.
    fn weigh(&mut self, child: ChildVp, weight: u32, context: &mut Context<'_>) {
        let state = context.child(child);
        let moves = self.is_behind(child) != (weight == 0) && state != VpState::Waiting;
        let runs = moves && self.running == Some(child);
        if moves {
            self.leave(child);
        }
        self.behind[child.index()] = weight == 0;
        if weight > 0 {
            let state = if moves { VpState::Waiting } else { state };
            self.line.weigh(child, weight, state);
        }
        if moves {
            self.join(child);
        }
        if runs {
            self.running = None;
            self.dispatch(Some(child), context);
        } else {
            self.displace(context);
        }
    }

    /// Preempts a child of the background if a child of the line is ready.
    fn displace(&mut self, context: &mut Context<'_>) {
        if let Some(child) = self.running.filter(|child| self.is_behind(*child))
            && self.line.next(None).is_some()
        {
            self.put_back(child);
            self.dispatch(Some(child), context);
        }
    }
}

impl<L: Line> Scheduler for Turns<L> {
    fn timers(&self, _: usize) -> usize {
        1
    }

    fn init(&mut self, _: &mut Context<'_>) {}

    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Answer {
        let room = self.behind.len().max(child.index() + 1);
        self.behind.resize(room, false);
        self.behind[child.index()] = false;
        self.background.reserve(room);
        self.line.register(child);
        Ok(())
    }

    fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {}

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.charge(context.now());
        self.join(child);
        if context.own(ONE) == VpState::Waiting {
            context.request(ONE);
        }
        self.displace(context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.charge(context.now());
        self.leave(child);
        if held.is_some() {
            self.running = None;
            self.dispatch(None, context);
        } else if context.own(ONE) == VpState::Ready && self.next(ONE, &context.view()).is_none() {
            context.release(ONE);
        }
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Answer {
        self.charge(context.now());
        match (child, message) {
            (Some(child), Message::Share(weight)) => {
                self.weigh(child, weight, context);
                Ok(())
            }
            (None, Message::Quantum(length)) => {
                *self.line.quantum() = quantum::checked(length)?;
                Ok(())
            }
            (Some(child), message) => self.line.set(child, message, context.child(child)),
            _ => Err(AnswerError::NotUnderstood { message: message.name(), takes: L::TAKES }),
        }
    }

    fn grant(&mut self, _: OwnVp, context: &mut Context<'_>) {
        self.dispatch(None, context);
    }

    fn revoke(&mut self, _: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.charge(context.now());
        context.revoke(child);
        context.set_timer(TURN, None);
        self.put_back(child);
    }

    fn timer(&mut self, _: TimerId, context: &mut Context<'_>) {
        let Some(child) = self.running else { return };
        if context.now() < self.ends {
            return;
        }
        self.charge(context.now());
        self.put_back(child);
        self.dispatch(Some(child), context);
    }

    fn next(&self, own: OwnVp, view: &View<'_>) -> Option<ChildVp> {
        if own != ONE {
            return None;
        }
        let ran = view.now().saturating_since(self.charged);
        let running = self.running.filter(|child| !self.is_behind(*child));
        let next = self.line.next(running.map(|child| (child, ran)));
        next.or_else(|| self.background.peek().map(|(_, child)| ChildVp(child)))
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        if view.held_by(ONE) != self.running {
            return Err("another child runs than the one whose turn it is");
        }
        let mut wanted = false;
        for child in view.children() {
            let ready = view.child(child) == VpState::Ready;
            wanted |= view.child(child) != VpState::Waiting;
            if self.background.contains(child.0) != (ready && self.is_behind(child)) {
                return Err("a ready child is missing in the background, or another is there");
            }
        }
        if wanted != (view.own(ONE) != VpState::Waiting) {
            return Err("the processor is not asked for exactly while a child does not wait");
        }
        self.line.check(view, &|child| !self.is_behind(child))
    }
}

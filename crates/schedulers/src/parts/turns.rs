//! One processor in turns: whoever a [`Line`] picks keeps it for a turn, whoever wakes meanwhile.
//!
//! Lines say only who is next and how long a turn is. Own VP 0 is asked for while a child does not
//! wait; no other own VP ever is. Children of weight 0 stand in the background, where the line does
//! not see them: they take turns one after the other while nobody in the line is ready, and make room
//! at once.
//! Each event costs what the line costs, and O(log n) in the background; nothing allocates after
//! `register`.

use crate::parts::quantum;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, OwnVp, Scheduler, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

const ONE: OwnVp = OwnVp(0);
const TURN: TimerId = TimerId(0);

/// Who is next. The running child is not in the line, but still takes part in it.
pub(crate) trait Line: Send {
    /// The messages that it understands.
    const TAKES: &'static str;

    /// The length of a turn, for messages to the instance.
    fn quantum(&mut self) -> &mut Span;

    /// Makes room for a child. What one of that number that is gone still owed may fall to it.
    fn register(&mut self, child: ChildVp);

    /// A waiting child takes part from now on, and is ready.
    fn joins(&mut self, child: ChildVp);

    /// A child no longer takes part. If it ran, it has been charged.
    fn leaves(&mut self, child: ChildVp);

    /// Takes the first out of the line: it runs from now on.
    fn pick(&mut self) -> Option<ChildVp>;

    /// How long the running child may run.
    fn turn(&self, child: ChildVp) -> Span;

    /// The running child has run so long since it was last charged.
    fn charge(&mut self, child: ChildVp, ran: Span);

    /// The running child, charged, is ready again: its turn has ended, or the processor is gone.
    fn returns(&mut self, child: ChildVp);

    /// Another weight, above zero.
    fn weigh(&mut self, child: ChildVp, weight: u32, state: VpState);

    /// Any other message about a child; if it runs, it has been charged.
    ///
    /// # Errors
    /// When it means nothing here.
    fn told(&mut self, _: ChildVp, message: Message, _: VpState) -> Answer {
        Err(AnswerError::NotUnderstood { message: message.name(), takes: Self::TAKES })
    }

    /// Whom [`pick`](Self::pick) would take if the running child, not charged for so long, left now.
    fn next(&self, running: Option<(ChildVp, Span)>) -> Option<ChildVp>;

    /// Whether the line holds exactly those children that are ready, `counts` saying who is in it.
    ///
    /// # Errors
    /// The invariant that does not hold.
    fn check(&self, view: &View<'_>, counts: &dyn Fn(ChildVp) -> bool) -> Result<(), &'static str>;
}

/// A scheduler of one processor by a line.
pub(crate) struct Turns<L> {
    line: L,
    running: Option<ChildVp>,
    charged: Instant,
    ends: Instant,
    /// By child: whether it stands in the background.
    behind: Vec<bool>,
    /// Ready ones of these, by turn.
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

    /// The running child, charged, is ready from now on.
    fn put_back(&mut self, child: ChildVp) {
        self.running = None;
        if self.is_behind(child) {
            self.join(child);
        } else {
            self.line.returns(child);
        }
    }

    /// A turn of the next begins; `holder` has the processor, if anybody.
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

    /// A weight, and with it the place in the line or in the background.
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

    /// Nobody in the line waits for one in the background.
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
            (Some(child), message) => self.line.told(child, message, context.child(child)),
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

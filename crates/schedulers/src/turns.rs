//! One processor in turns: whoever a [`Line`] picks keeps it for a turn, whoever wakes meanwhile.
//!
//! Lines say only who is next and how long a turn is. Own VP 0 is asked for while a child does not
//! wait; no other own VP ever is. Children of weight 0 stand in the background, where the line does
//! not see them: they take turns one after the other while nobody in the line is ready, and make room
//! at once.
//! Each event costs what the line costs, and O(log n) in the background; nothing allocates after
//! `register`.

use crate::quantum;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{Child, Message, Own, Port, Refusal, Scheduler, TimerId, View, VpState};
use windfall_time::{Instant, Span};

const ONE: Own = Own(0);
const TURN: TimerId = TimerId(0);

/// Who is next. The running child is not in the line, but still takes part in it.
pub(crate) trait Line: Send {
    /// The messages that it understands.
    const TAKES: &'static str;

    /// The length of a turn, for messages to the instance.
    fn quantum(&mut self) -> &mut Span;

    /// Makes room for a child. What one of that number that is gone still owed may fall to it.
    fn register(&mut self, child: Child);

    /// A waiting child takes part from now on, and is ready.
    fn joins(&mut self, child: Child);

    /// A child no longer takes part. If it ran, it has been charged.
    fn leaves(&mut self, child: Child);

    /// Takes the first out of the line: it runs from now on.
    fn pick(&mut self) -> Option<Child>;

    /// How long the running child may run.
    fn turn(&self, child: Child) -> Span;

    /// The running child has run so long since it was last charged.
    fn charge(&mut self, child: Child, ran: Span);

    /// The running child, charged, is ready again: its turn has ended, or the processor is gone.
    fn returns(&mut self, child: Child);

    /// Another weight, above zero.
    fn weigh(&mut self, child: Child, weight: u32, state: VpState);

    /// Any other message about a child; if it runs, it has been charged.
    ///
    /// # Errors
    /// When it means nothing here.
    fn told(&mut self, _: Child, message: Message, _: VpState) -> Result<(), Refusal> {
        Err(Refusal::NotUnderstood { message: message.name(), takes: Self::TAKES })
    }

    /// Whom [`pick`](Self::pick) would take if the running child, not charged for so long, left now.
    fn next(&self, running: Option<(Child, Span)>) -> Option<Child>;

    /// Whether the line holds exactly those children that are ready, `counts` saying who is in it.
    ///
    /// # Errors
    /// The invariant that does not hold.
    fn check(&self, view: &View<'_>, counts: &dyn Fn(Child) -> bool) -> Result<(), &'static str>;
}

/// A scheduler of one processor by a line.
pub(crate) struct Turns<L> {
    line: L,
    running: Option<Child>,
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

    fn is_behind(&self, child: Child) -> bool {
        self.behind[child.index()]
    }

    fn charge(&mut self, now: Instant) {
        let since = core::mem::replace(&mut self.charged, now);
        if let Some(child) = self.running.filter(|child| !self.is_behind(*child)) {
            self.line.charge(child, now.saturating_since(since));
        }
    }

    fn join(&mut self, child: Child) {
        if self.is_behind(child) {
            self.turn += 1;
            self.background.set(child.0, (self.turn, child.0));
        } else {
            self.line.joins(child);
        }
    }

    fn leave(&mut self, child: Child) {
        if !self.is_behind(child) {
            self.line.leaves(child);
        }
        self.background.remove(child.0);
    }

    /// The running child, charged, is ready from now on.
    fn put_back(&mut self, child: Child) {
        self.running = None;
        if self.is_behind(child) {
            self.join(child);
        } else {
            self.line.returns(child);
        }
    }

    /// A turn of the next begins; `holder` has the processor, if anybody.
    fn dispatch(&mut self, holder: Option<Child>, port: &mut Port<'_>) {
        let next =
            self.line.pick().or_else(|| self.background.pop().map(|(_, child)| Child(child)));
        if holder.is_some() && holder != next {
            holder.map(|holder| port.revoke(holder));
        }
        (self.running, self.charged) = (next, port.now());
        let Some(child) = next else {
            port.set_timer(TURN, None);
            return port.release(ONE);
        };
        if holder != next {
            port.grant(child, ONE);
        }
        self.begin(child, port);
    }

    fn begin(&mut self, child: Child, port: &mut Port<'_>) {
        let turn = if self.is_behind(child) { *self.line.quantum() } else { self.line.turn(child) };
        self.ends = self.charged.saturating_add(turn);
        port.set_timer(TURN, Some(self.ends));
    }

    /// A weight, and with it the place in the line or in the background.
    fn weigh(&mut self, child: Child, weight: u32, port: &mut Port<'_>) {
        let state = port.child(child);
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
            self.dispatch(Some(child), port);
        } else {
            self.displace(port);
        }
    }

    /// Nobody in the line waits for one in the background.
    fn displace(&mut self, port: &mut Port<'_>) {
        if let Some(child) = self.running.filter(|child| self.is_behind(*child))
            && self.line.next(None).is_some()
        {
            self.put_back(child);
            self.dispatch(Some(child), port);
        }
    }
}

impl<L: Line> Scheduler for Turns<L> {
    fn timers(&self, _: usize) -> usize {
        1
    }

    fn init(&mut self, _: &mut Port<'_>) {}

    fn register(&mut self, child: Child, _: &mut Port<'_>) -> Result<(), Refusal> {
        let room = self.behind.len().max(child.index() + 1);
        self.behind.resize(room, false);
        self.behind[child.index()] = false;
        self.background.reserve(room);
        self.line.register(child);
        Ok(())
    }

    fn unregister(&mut self, _: Child, _: &mut Port<'_>) {}

    fn request(&mut self, child: Child, port: &mut Port<'_>) {
        self.charge(port.now());
        self.join(child);
        if port.own(ONE) == VpState::Waiting {
            port.request(ONE);
        }
        self.displace(port);
    }

    fn release(&mut self, child: Child, held: Option<Own>, port: &mut Port<'_>) {
        self.charge(port.now());
        self.leave(child);
        if held.is_some() {
            self.running = None;
            self.dispatch(None, port);
        } else if port.own(ONE) == VpState::Ready && self.next(ONE, &port.view()).is_none() {
            port.release(ONE);
        }
    }

    fn message(
        &mut self,
        child: Option<Child>,
        message: Message,
        port: &mut Port<'_>,
    ) -> Result<(), Refusal> {
        self.charge(port.now());
        match (child, message) {
            (Some(child), Message::Share(weight)) => {
                self.weigh(child, weight, port);
                Ok(())
            }
            (None, Message::Quantum(length)) => {
                *self.line.quantum() = quantum::checked(length)?;
                Ok(())
            }
            (Some(child), message) => self.line.told(child, message, port.child(child)),
            _ => Err(Refusal::NotUnderstood { message: message.name(), takes: L::TAKES }),
        }
    }

    fn grant(&mut self, _: Own, port: &mut Port<'_>) {
        self.dispatch(None, port);
    }

    fn revoke(&mut self, _: Own, child: Child, port: &mut Port<'_>) {
        self.charge(port.now());
        port.revoke(child);
        port.set_timer(TURN, None);
        self.put_back(child);
    }

    fn timer(&mut self, _: TimerId, port: &mut Port<'_>) {
        let Some(child) = self.running else { return };
        if port.now() < self.ends {
            return;
        }
        self.charge(port.now());
        self.put_back(child);
        self.dispatch(Some(child), port);
    }

    fn next(&self, own: Own, view: &View<'_>) -> Option<Child> {
        if own != ONE {
            return None;
        }
        let ran = view.now().saturating_since(self.charged);
        let running = self.running.filter(|child| !self.is_behind(*child));
        let next = self.line.next(running.map(|child| (child, ran)));
        next.or_else(|| self.background.peek().map(|(_, child)| Child(child)))
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

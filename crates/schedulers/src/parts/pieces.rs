//! Runs each child in the pieces of time that a plan holds for it. No two pieces overlap.
//!
//! Invariant: of the children that do not wait, one has its turn while its piece lasts, and the next piece of each
//! other one is known. A child that blocks gets the rest of its piece back if it wakes in time.

use crate::parts::policy::Policy;
use crate::parts::pool::{Pool, SETTLED};
use crate::parts::search::Task;
use crate::parts::slots;
use crate::parts::table::Block;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{ChildVp, Context, Note, OwnVp, TimerId, View, VpState};
use windfall_time::Instant;

/// Fires when the current piece ends, or the next one begins.
const TURN: TimerId = TimerId(1);

/// The plan for one child.
#[derive(Clone, Copy)]
pub(crate) enum Piece {
    /// A block in each period, from the given moment on.
    Always(Block, Instant),
    /// A job, with the moment at which it begins.
    Once(Task, Instant),
}

impl Piece {
    /// The end of the piece that `now` lies in.
    fn end(&self, now: Instant) -> Option<Instant> {
        match self {
            Piece::Always(block, from) => block.end(now).filter(|_| *from <= now),
            Piece::Once(task, start) => {
                Some(start.saturating_add(task.work)).filter(|end| *start <= now && now < *end)
            }
        }
    }

    /// The beginning of the next piece.
    fn next(&self, now: Instant) -> Option<Instant> {
        match self {
            Piece::Always(block, from) => Some(block.next(now).max(*from)),
            Piece::Once(_, start) => Some(*start).filter(|start| now < *start),
        }
    }

    pub(crate) fn is_over(&self, now: Instant) -> bool {
        self.end(now).is_none() && self.next(now).is_none()
    }
}

/// The child whose piece it is.
#[derive(Clone, Default)]
struct Turn {
    whose: Option<ChildVp>,
}

impl Policy for Turn {
    type Key = u32;
    const PREEMPTS: bool = false;

    fn key(&self, child: ChildVp) -> u32 {
        child.0
    }

    fn eligible(&self, child: ChildVp) -> bool {
        self.whose == Some(child)
    }
}

/// The plan, and the child that runs by it.
#[derive(Clone, Default)]
pub(crate) struct Pieces {
    pool: Pool<Turn>,
    turn: Turn,
    /// The end of the present piece.
    end: Instant,
    /// By child.
    pub(crate) plan: Vec<Option<Piece>>,
    /// The beginnings of the pieces of children that do not wait and do not have their turn.
    starts: Heap<Instant>,
}

impl Pieces {
    pub(crate) fn init(&mut self, context: &Context<'_>) {
        self.pool.init(1, context);
    }

    /// Makes room for a child.
    pub(crate) fn register(&mut self, child: ChildVp) {
        self.pool.register(child);
        self.starts.reserve(child.index() + 1);
        slots::put(&mut self.plan, child, None);
    }

    /// The blocks of all children except `but`.
    pub(crate) fn blocks(&self, but: ChildVp) -> Vec<Block> {
        let others = self.plan.iter().enumerate().filter(|(at, _)| *at != but.index());
        let block = |(_, piece): (usize, &Option<Piece>)| match piece {
            Some(Piece::Always(block, _)) => Some(*block),
            _ => None,
        };
        others.filter_map(block).collect()
    }

    /// Changes the plan for a child.
    pub(crate) fn assign(
        &mut self,
        child: ChildVp,
        piece: Option<Piece>,
        context: &mut Context<'_>,
    ) {
        self.stop(child, context);
        self.plan[child.index()] = piece;
        self.enter(child, context);
        self.turn(context);
    }

    /// Whether the plan holds no further piece for a child.
    pub(crate) fn is_over(&self, child: ChildVp, now: Instant) -> bool {
        self.plan[child.index()].is_none_or(|piece| piece.is_over(now))
    }

    /// Ends the piece that is over, and begins the one that is due.
    pub(crate) fn turn(&mut self, context: &mut Context<'_>) {
        let now = context.now();
        if let Some(child) = self.turn.whose.filter(|_| self.end <= now) {
            self.stop(child, context);
            self.enter(child, context);
            if self.is_over(child, now) {
                context.note(Some(child), Note::Exhausted);
            }
        }
        while let Some((_, slot)) = self.starts.peek().filter(|(at, _)| *at <= now) {
            self.enter(ChildVp(slot), context);
        }
        let first = self.starts.peek().map(|(at, _)| at);
        let ends = self.turn.whose.map(|_| self.end);
        context.set_timer(TURN, first.into_iter().chain(ends).min());
    }

    /// A child that does not wait begins its turn, now or at its next piece.
    pub(crate) fn enter(&mut self, child: ChildVp, context: &mut Context<'_>) {
        let now = context.now();
        self.starts.remove(child.0);
        let Some(piece) = self.plan[child.index()] else {
            return;
        };
        if context.child(child) == VpState::Waiting {
            return;
        }
        if let Some(end) = piece.end(now) {
            (self.turn.whose, self.end) = (Some(child), end);
            self.pool.request(child, &mut self.turn, context);
        } else if let Some(next) = piece.next(now) {
            self.starts.set(child.0, next);
        }
    }

    /// Ends a child's turn, if it has it.
    pub(crate) fn stop(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.starts.remove(child.0);
        if self.turn.whose != Some(child) {
            return;
        }
        self.turn.whose = None;
        match context.child(child) {
            VpState::Running(_) => self.pool.rotate(child, &mut self.turn, context),
            _ => self.pool.withdraw(child, context),
        }
    }

    /// A child begins to wait.
    pub(crate) fn release(
        &mut self,
        child: ChildVp,
        held: Option<OwnVp>,
        context: &mut Context<'_>,
    ) {
        self.starts.remove(child.0);
        if self.turn.whose == Some(child) {
            self.turn.whose = None;
        }
        self.pool.release(child, held, &mut self.turn, context);
        self.turn(context);
    }

    /// Handles a grant.
    pub(crate) fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.pool.grant(own, &mut self.turn, context);
    }

    /// Handles a revocation.
    pub(crate) fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.pool.revoke(own, child, &mut self.turn, context);
    }

    /// Handles a timer.
    pub(crate) fn timer(&mut self, timer: TimerId, context: &mut Context<'_>) {
        match timer {
            SETTLED => self.pool.settled(&mut self.turn, context),
            _ => self.turn(context),
        }
    }

    /// The child that would run next.
    pub(crate) fn best(&self) -> Option<ChildVp> {
        self.pool.best()
    }

    /// Checks this data against the infrastructure's states.
    pub(crate) fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.pool.check(&self.turn, view)?;
        for child in view.children() {
            let waits = view.child(child) == VpState::Waiting;
            let known = self.starts.contains(child.0) || self.turn.whose == Some(child);
            let just_over = !waits && self.end <= view.now() && self.turn.whose == Some(child);
            let due = !waits && !self.is_over(child, view.now());
            if known != due && !just_over {
                return Err("the pieces of a child are not followed, or of one that waits");
            }
        }
        Ok(())
    }
}

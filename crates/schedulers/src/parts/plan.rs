//! The part of a planned scheduler that is its own: how messages change the plan.
//!
//! [`Planned`] is the scheduler that a plan makes. It runs each child in its pieces ([`Pieces`]).

use crate::parts::pieces::Pieces;
use windfall_hierarchy::{
    Answer, ChildVp, Context, Message, Note, OwnVp, Scheduler, TimerId, View,
};

/// The messages that change the pieces of children.
pub(crate) trait Plan: Clone + Send + Sized + 'static {
    /// Whether the plan of a child can be over, which is noted when such a child becomes ready.
    const ENDS: bool;

    /// Handles a message from, or for, a child.
    ///
    /// # Errors
    /// When the message is not understood, or the plan has no room for what it asks.
    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        pieces: &mut Pieces,
        context: &mut Context<'_>,
    ) -> Answer;
}

/// Runs children by a plan.
#[derive(Clone)]
pub(crate) struct Planned<P> {
    plan: P,
    pieces: Pieces,
}

impl<P: Plan> Planned<P> {
    /// With an empty plan.
    pub(crate) fn new(plan: P) -> Planned<P> {
        Planned { plan, pieces: Pieces::default() }
    }
}

impl<P: Plan> Scheduler for Planned<P> {
    fn timers(&self, _: usize) -> usize {
        2
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.pieces.init(context);
    }

    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Answer {
        self.pieces.register(child);
        Ok(())
    }

    fn unregister(&mut self, child: ChildVp, _: &mut Context<'_>) {
        self.pieces.plan[child.index()] = None;
    }

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.pieces.turn(context);
        if P::ENDS && self.pieces.is_over(child, context.now()) {
            return context.note(Some(child), Note::Expired);
        }
        self.pieces.enter(child, context);
        self.pieces.turn(context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.pieces.release(child, held, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Answer {
        self.plan.message(child, message, &mut self.pieces, context)
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.pieces.grant(own, context);
    }

    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.pieces.revoke(own, child, context);
    }

    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>) {
        self.pieces.timer(timer, context);
    }

    fn next(&self, _: OwnVp, _: &View<'_>) -> Option<ChildVp> {
        self.pieces.best()
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.pieces.check(view)
    }
}

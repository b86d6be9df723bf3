//! The part of a pooled scheduler that is its own: the order of children, and further consequences of events.
//!
//! Only the order is required. Each event has a default, which passes it on to the pool; a policy that does more
//! overrides the default and calls the pool itself. [`Pooled`] is the scheduler that a policy makes. The pool makes
//! room for a child before [`Policy::register`], and is checked before [`Policy::check`].

use crate::parameters::read_processors;
use crate::parts::pool::{Pool, SETTLED};
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Count, Message, OwnVp, ParentNotice, Scheduler,
    TemporalAnswer, TemporalQuery, TimerId, View,
};
use windfall_time::Instant;

/// The order of children, and the handling of events.
pub(crate) trait Policy: Clone + Send + Sized + 'static {
    /// A child's rank: the smallest goes first. It includes tie-breakers, so no two children have equal keys. It
    /// changes only while the child is neither ready nor running, or before [`Pool::rerank`] or [`Pool::refresh`].
    type Key: Ord + Copy + Send;

    /// The key of a child that is ready, or that runs.
    fn key(&self, child: ChildVp) -> Self::Key;

    /// Whether a ready child ever preempts a running one. If not, running children are kept in no order.
    const PREEMPTS: bool = true;

    /// Whether a ready child preempts a running one. Coarser than the order of keys: among equals, the running
    /// child stays.
    #[inline]
    fn preempts(_ready: &Self::Key, _running: &Self::Key) -> bool {
        false
    }

    /// Whether children are kept on the own VPs on which they last ran ([`key_at_home`](Self::key_at_home)).
    fn has_affinity(&self) -> bool {
        false
    }

    /// The key with which a child counts on the own VP on which it last ran; at most its key. Called only with affinity
    /// and several own VPs; it changes when the key may, and its order among children need not be that of their keys.
    fn key_at_home(&self, child: ChildVp) -> Self::Key {
        self.key(child)
    }

    /// Whether children may be bound to some own VPs ([`PROCESSORS`](crate::parameters::PROCESSORS)); the pool takes the message.
    const BINDS: bool = false;

    /// A child may run on other own VPs than before. It is not in the order, and has been charged if it ran.
    fn rebound(&mut self, _child: ChildVp, _pool: &Pool<Self>, _context: &mut Context<'_>) {}

    /// Whether a ready child may be served now.
    #[inline]
    fn eligible(&self, _child: ChildVp) -> bool {
        true
    }

    /// A child begins to run.
    #[inline]
    fn started(&mut self, _child: ChildVp, _own: OwnVp, _context: &mut Context<'_>) {}

    /// A child has stopped running; it is ready or waiting, as `context` says.
    #[inline]
    fn stopped(&mut self, _child: ChildVp, _own: OwnVp, _context: &mut Context<'_>) {}

    /// No child runs on `own` any longer.
    #[inline]
    fn idle(&mut self, _own: OwnVp, _context: &mut Context<'_>) {}

    /// Whether a child that yields lets others run first (`Scheduler::lets_yield`).
    const LETS_YIELD: bool = false;

    /// The number of own VPs that are used, the first ones, if there are more.
    const OWNS: u16 = u16::MAX;

    /// Number of timers besides the pool's; they are numbered from 1.
    fn timers(&self, _owns: usize) -> usize {
        0
    }

    /// The instance begins its life.
    fn init(&mut self, _context: &mut Context<'_>) {}

    /// Whether the instance can be given another own VP while it lives. [`init`](Self::init), which makes room for each own VP, is then
    /// called again.
    const GROWS: bool = false;

    /// One more own VP, which waits, is added.
    ///
    /// # Errors
    /// When the instance cannot have another.
    fn own_added(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) -> Answer {
        if !Self::GROWS {
            let limit = "its number of virtual processors is fixed when it is created";
            return Err(AnswerError::Full { limit });
        }
        self.init(context);
        self.registered(pool, context);
        Ok(())
    }

    /// Makes room for a new child.
    fn register(&mut self, _child: ChildVp) {}

    /// A child has been registered, or an own VP been added.
    fn registered(&mut self, _pool: &mut Pool<Self>, _context: &mut Context<'_>) {}

    /// A child is removed.
    fn unregister(&mut self, _child: ChildVp, _context: &mut Context<'_>) {}

    /// A child becomes ready.
    #[inline]
    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        pool.request(child, self, context);
    }

    /// A child begins to wait; `held` is the own VP on which it ran, if it did.
    #[inline]
    fn release(
        &mut self,
        child: ChildVp,
        held: Option<OwnVp>,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        pool.release(child, held, self, context);
    }

    /// The messages that it takes, for errors.
    const TAKES: &'static str = "nothing";

    /// Handles a message; the default refuses all.
    ///
    /// # Errors
    /// As for `Scheduler::message`.
    fn message(
        &mut self,
        _child: Option<ChildVp>,
        message: Message,
        _pool: &mut Pool<Self>,
        _context: &mut Context<'_>,
    ) -> Answer {
        Self::not_understood(message)
    }

    /// The answer to a message that the scheduler does not take.
    ///
    /// # Errors
    /// Always [`AnswerError::NotUnderstood`].
    fn not_understood(message: Message) -> Answer {
        Err(AnswerError::NotUnderstood { message: message.name(), takes: Self::TAKES })
    }

    /// An own VP is granted.
    #[inline]
    fn grant(&mut self, own: OwnVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        pool.grant(own, self, context);
    }

    /// An own VP is revoked; `child` held it.
    #[inline]
    fn revoke(
        &mut self,
        own: OwnVp,
        child: ChildVp,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        pool.revoke(own, child, self, context);
    }

    /// A parent sends a notice.
    fn parent_notice(
        &mut self,
        _notice: ParentNotice,
        _pool: &mut Pool<Self>,
        _context: &mut Context<'_>,
    ) {
    }

    /// The pool's timer has fired.
    #[inline]
    fn settled(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        pool.settled(self, context);
    }

    /// One of its own timers has fired.
    fn timer(&mut self, _timer: TimerId, _pool: &mut Pool<Self>, _context: &mut Context<'_>) {}

    /// The child that would run on `own` next.
    fn next(&self, own: OwnVp, pool: &Pool<Self>, _view: &View<'_>) -> Option<ChildVp> {
        pool.next_on(own)
    }

    /// Answers a question about time to come.
    fn temporal_query(&mut self, _: TemporalQuery<'_>, _: &View<'_>) -> Option<TemporalAnswer> {
        None
    }

    /// Reports statistics about a child, or about the instance.
    fn stats(&self, _child: Option<ChildVp>, _report: &mut dyn FnMut(&'static str, Count)) {}

    /// Checks its own data against the infrastructure's states.
    ///
    /// # Errors
    /// The invariant that does not hold.
    fn check(&self, _pool: &Pool<Self>, _view: &View<'_>) -> Result<(), &'static str> {
        Ok(())
    }
}

/// The scheduler that a policy makes.
#[derive(Clone)]
pub(crate) struct Pooled<P: Policy> {
    pub(crate) pool: Pool<P>,
    pub(crate) policy: P,
}

impl<P: Policy> Pooled<P> {
    pub(crate) fn new(policy: P) -> Pooled<P> {
        Pooled { pool: Pool::default(), policy }
    }
}

impl<P: Policy> Scheduler for Pooled<P> {
    fn timers(&self, owns: usize) -> usize {
        1 + self.policy.timers(owns)
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.pool.init(P::OWNS, context);
        self.policy.init(context);
        if self.policy.has_affinity() {
            self.pool.keep_homes();
        }
    }

    fn own_added(&mut self, own: OwnVp, context: &mut Context<'_>) -> Answer {
        self.policy.own_added(&mut self.pool, context)?;
        self.pool.own_added(own, &mut self.policy, context);
        Ok(())
    }

    fn register(&mut self, child: ChildVp, context: &mut Context<'_>) -> Answer {
        self.pool.register(child);
        self.policy.register(child);
        self.policy.registered(&mut self.pool, context);
        Ok(())
    }

    fn unregister(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.policy.unregister(child, context);
        self.pool.unregister(child);
    }

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.policy.request(child, &mut self.pool, context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.policy.release(child, held, &mut self.pool, context);
    }

    fn lets_yield(&self) -> bool {
        P::LETS_YIELD
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Answer {
        match (child, read_processors(message)) {
            (Some(child), Some(allowed)) if P::BINDS => {
                self.pool.bind(child, allowed, &mut self.policy, context)
            }
            _ => self.policy.message(child, message, &mut self.pool, context),
        }
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.policy.grant(own, &mut self.pool, context);
    }

    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.policy.revoke(own, child, &mut self.pool, context);
    }

    fn parent_notice(&mut self, _: OwnVp, notice: ParentNotice, context: &mut Context<'_>) {
        self.policy.parent_notice(notice, &mut self.pool, context);
    }

    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>) {
        if timer == SETTLED {
            self.policy.settled(&mut self.pool, context);
        } else {
            self.policy.timer(timer, &mut self.pool, context);
        }
    }

    fn next(&self, own: OwnVp, view: &View<'_>) -> Option<ChildVp> {
        self.policy.next(own, &self.pool, view)
    }

    fn temporal_query(
        &mut self,
        query: TemporalQuery<'_>,
        view: &View<'_>,
    ) -> Option<TemporalAnswer> {
        self.policy.temporal_query(query, view)
    }

    fn stats(
        &self,
        child: Option<ChildVp>,
        _: Instant,
        report: &mut dyn FnMut(&'static str, Count),
    ) {
        self.policy.stats(child, report);
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.pool.check(&self.policy, view)?;
        self.policy.check(&self.pool, view)
    }
}

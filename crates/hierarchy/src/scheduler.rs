//! The trait that every loadable scheduler implements.

use crate::answer::{Answer, AnswerError};
use crate::context::{Context, View};
use crate::count::Count;
use crate::id::{ChildVp, OwnVp, TimerId};
use crate::message::{Message, ParentNotice};
use crate::temporal::{TemporalAnswer, TemporalQuery};
use alloc::boxed::Box;
use windfall_time::Instant;

/// Shares the processors granted to one instance among the virtual processors of its children.
///
/// A scheduler owns no clock, lock, thread or file. It is notified of events and asks for effects
/// through [`Context`]. Equal calls in equal order give equal effects on every host. Source: HLS 4.3
/// and appendix B.
///
/// # Units
/// [`windfall_time::Instant`] and [`windfall_time::Span`]: nanoseconds of the host's monotonic
/// clock, origin unspecified.
///
/// # The infrastructure promises
/// - H1. `now` never decreases between calls on one instance.
/// - H2. `init` comes first; `register` precedes every other call that names a child, and
///   `unregister`, which comes only while the child waits, follows all of them.
/// - H3. Calls on one instance neither overlap nor nest, and all effects of one call have been
///   carried down to the threads before the next call on that instance.
/// - H4. A call reports only transitions that figure 4.2 allows from the state that the scheduler
///   last learned of or caused.
///
/// # The implementor promises
/// - S1. On return, each processor granted to the instance is granted on to a child or released
///   (HLS 4.3.4, first and third rule).
/// - S2. Only a child with a pending request is granted, through an own VP that is running and
///   not granted to another.
/// - S3. On return from `revoke`, the child that had that processor has been revoked.
/// - S4. Own VPs are requested only while waiting, released only while ready or running, and a
///   running one only after its child has been revoked.
/// - S5. Outside `init`, `register`, `unregister`, `message` and `own_added`: no allocation, no loop longer than the number
///   of own VPs, and no more effects than [`Context`] allows.
///
/// # Errors
/// `register` and `message` may refuse, and must then leave the instance unchanged. A broken promise
/// is a defect, not an error: the infrastructure quarantines the instance and names the rule.
///
/// # Copies
/// Every scheduler is `Clone`: a copy behaves as the original would. The infrastructure tries requests out on a copy of
/// the whole hierarchy ([`Hierarchy::query`](crate::Hierarchy::query)), and keeps one while a
/// [transaction](crate::Hierarchy::transaction) is carried out. Copies share nothing that changes.
///
/// # Not promised
/// Fairness among children that hold no guarantee. That a request is granted at all.
///
/// # Example
/// This scheduler has one child and passes everything on. The front page of this crate shows a scheduler of several children.
///
/// ```
/// use windfall_hierarchy::{
///     Answer, AnswerError, ChildVp, Context, Message, OwnVp, Scheduler, TimerId,
/// };
///
/// #[derive(Clone)]
/// struct PassOn;
///
/// const OWN: OwnVp = OwnVp(0);
///
/// impl Scheduler for PassOn {
///     fn timers(&self, _: usize) -> usize {
///         0
///     }
///     fn init(&mut self, _: &mut Context<'_>) {}
///     fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Answer {
///         match child {
///             ChildVp(0) => Ok(()),
///             _ => Err(AnswerError::Full { limit: "it has one child" }),
///         }
///     }
///     fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {}
///     fn request(&mut self, _: ChildVp, context: &mut Context<'_>) {
///         context.request(OWN);
///     }
///     fn release(&mut self, _: ChildVp, _: Option<OwnVp>, context: &mut Context<'_>) {
///         context.release(OWN);
///     }
///     fn message(
///         &mut self,
///         _: Option<ChildVp>,
///         message: Message,
///         context: &mut Context<'_>,
///     ) -> Answer {
///         context.message(OWN, message);
///         Ok(())
///     }
///     fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
///         context.grant(ChildVp(0), own);
///     }
///     fn revoke(&mut self, _: OwnVp, child: ChildVp, context: &mut Context<'_>) {
///         context.revoke(child);
///     }
///     fn timer(&mut self, _: TimerId, _: &mut Context<'_>) {}
/// }
/// ```
pub trait Scheduler: Duplicate + Send {
    /// Number of timers that this instance uses when it has `owns` virtual processors; not fewer than with fewer.
    fn timers(&self, owns: usize) -> usize;

    /// The instance begins its life. Its own VPs are registered and waiting.
    fn init(&mut self, context: &mut Context<'_>);

    /// The instance is given one more virtual processor, of the highest number. It is waiting.
    ///
    /// # Errors
    /// When the instance cannot have another, which is the default; it must then be unchanged.
    fn own_added(&mut self, _own: OwnVp, _context: &mut Context<'_>) -> Answer {
        Err(AnswerError::Full {
            limit: "its number of virtual processors is fixed when it is created",
        })
    }

    /// The instance ends its life. All its children have been unregistered.
    fn deinit(&mut self) {}

    /// A child is added. It is waiting, and its parameters, if any, follow as [`message`](Self::message)s.
    ///
    /// # Errors
    /// When the instance has no room for another child. The infrastructure then removes the child.
    fn register(&mut self, child: ChildVp, context: &mut Context<'_>) -> Answer;

    /// A child is removed. It is waiting, and no later call names it.
    fn unregister(&mut self, child: ChildVp, context: &mut Context<'_>);

    /// A waiting child becomes ready.
    fn request(&mut self, child: ChildVp, context: &mut Context<'_>);

    /// A ready or running child becomes waiting. If it ran, the scheduler must at once grant its processor to
    /// another child or release it.
    ///
    /// `held` is the own VP through which the child ran; `None` if it did not run.
    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>);

    /// Whether a running child that yields lets others run first: it is then released, and requests again at the
    /// same instant. Under all other schedulers a yield has no effect, because the order follows from promises and
    /// the child stays runnable. (HLS does not define yielding.)
    fn lets_yield(&self) -> bool {
        false
    }

    /// A message about a child, or about the instance itself when `child` is `None`.
    ///
    /// # Errors
    /// [`AnswerError::NotUnderstood`](crate::AnswerError::NotUnderstood) if the scheduler does not take such messages, or the
    /// reason why it refuses this one. In either case nothing has changed.
    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Answer;

    /// A request through `own` has been granted: `own` is running now.
    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>);

    /// The processor has been taken from `own`, which is ready now. The scheduler must revoke it from
    /// `child`, which held it.
    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>);

    /// A notice of the parent about `own`. Notices arrive in order with grants and revocations: that a
    /// budget is used up, for example, before the revocation that follows from it. The default ignores
    /// notices.
    fn parent_notice(&mut self, _own: OwnVp, _notice: ParentNotice, _context: &mut Context<'_>) {}

    /// A timer that was set is due, or overdue on hosts with coarse clocks.
    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>);

    /// The child to which the scheduler would grant `own` next, if the child that holds it blocked now or if the
    /// instance were granted `own` now. Changes nothing. The default is `None`: then
    /// [`Hierarchy::peek`](crate::Hierarchy::peek) reports the choice of a scheduler above, which may differ, and
    /// [`yielded`](crate::Hierarchy::yielded) has no effect here.
    fn next(&self, _own: OwnVp, _view: &View<'_>) -> Option<ChildVp> {
        None
    }

    /// Answers a question about time to come; `None` if the scheduler admits no tasks, which is the default. It may bring its
    /// accounts up to the time of `view`, but no later answer and no decision depends on whether it was asked.
    fn temporal_query(
        &mut self,
        _query: TemporalQuery<'_>,
        _view: &View<'_>,
    ) -> Option<TemporalAnswer> {
        None
    }

    /// Reports statistics about a child, or about the instance if `child` is `None`, as of a time that is not
    /// before the last call. Names are lower case with words joined by `-`. Changes nothing; most schedulers have
    /// none.
    fn stats(
        &self,
        _child: Option<ChildVp>,
        _at: Instant,
        _report: &mut dyn FnMut(&'static str, Count),
    ) {
    }

    /// Checks the instance's own data against the states that the infrastructure keeps. Called only while nothing
    /// is under way; may be slow. The default checks nothing.
    ///
    /// # Errors
    /// The invariant that does not hold, as a sentence: nobody branches on it, and a [`SchedulerError`](crate::SchedulerError) prints it.
    fn check(&self, _view: &View<'_>) -> Result<(), &'static str> {
        Ok(())
    }
}

/// How a scheduler behind a pointer is copied. Every scheduler that is [`Clone`] has this.
///
/// ```
/// use windfall_hierarchy::Scheduler;
///
/// /// Two trees that begin alike and go apart: what a [query](crate::Hierarchy::query) does with the schedulers of a tree.
/// fn copy(scheduler: &dyn Scheduler) -> Box<dyn Scheduler> {
///     scheduler.duplicate()
/// }
/// ```
pub trait Duplicate {
    /// An independent scheduler in the same state.
    fn duplicate(&self) -> Box<dyn Scheduler>;
}

impl<S: Scheduler + Clone + 'static> Duplicate for S {
    fn duplicate(&self) -> Box<dyn Scheduler> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Scheduler> {
    fn clone(&self) -> Box<dyn Scheduler> {
        (**self).duplicate()
    }
}

//! What a loadable scheduler is.

use crate::answer::Answer;
use crate::context::{Context, View};
use crate::id::{ChildVp, OwnVp, TimerId};
use crate::message::{Message, ParentNotice};
use crate::tree::Count;
use windfall_time::Instant;

/// Shares the processors granted to one instance among the virtual processors of its children.
///
/// A scheduler owns no clock, lock, thread or file. It is told what happened and asks for effects
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
/// - H4. A call tells only of transitions that figure 4.2 allows from the state that the
///   scheduler last heard of or brought about.
///
/// # The implementor promises
/// - S1. On return, each processor granted to the instance is granted on to a child or released
///   (HLS 4.3.4, first and third rule).
/// - S2. Only a child with a pending request is granted, through an own VP that is running and
///   not granted to another.
/// - S3. On return from `revoke`, the child that had that processor has been revoked.
/// - S4. Own VPs are requested only while waiting, released only while ready or running, and a
///   running one only after its child has been revoked.
/// - S5. Outside `init`, `register` and `message`: no allocation, no loop longer than the number
///   of own VPs, and no more effects than [`Context`] allows.
///
/// # Errors
/// `register` and `message` may refuse, and then the instance is as before. A broken promise is a
/// defect, not an error: the infrastructure quarantines the instance and names the rule.
///
/// # Not promised
/// Fairness among children that hold no guarantee. That a request is granted at all.
///
/// # Example
/// A scheduler of several children is on the front page of this crate. This one has one child, and passes everything on.
///
/// ```
/// use windfall_hierarchy::{
///     Answer, AnswerError, ChildVp, Context, Message, OwnVp, Scheduler, TimerId,
/// };
///
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
pub trait Scheduler: Send {
    /// How many timers this instance uses when it has `owns` virtual processors. Asked once.
    fn timers(&self, owns: usize) -> usize;

    /// The instance begins its life; its own VPs are registered and waiting.
    fn init(&mut self, context: &mut Context<'_>);

    /// The instance ends its life; it has no children any longer.
    fn deinit(&mut self) {}

    /// A child comes, waiting. Its parameters, if any, follow by [`message`](Self::message).
    ///
    /// # Errors
    /// When there is no room for it. The infrastructure then forgets the child.
    fn register(&mut self, child: ChildVp, context: &mut Context<'_>) -> Answer;

    /// A child goes. It waits; nothing that names it may follow.
    fn unregister(&mut self, child: ChildVp, context: &mut Context<'_>);

    /// A waiting child is ready.
    fn request(&mut self, child: ChildVp, context: &mut Context<'_>);

    /// A ready or running child waits from now on. If it ran, its processor is the scheduler's
    /// to grant to another child or to release, at once.
    ///
    /// `held` is the own VP through which it ran, if it did.
    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>);

    /// Whether a running child that yields lets others go first: it is released, and requests again in the same
    /// instant. Otherwise yielding means nothing: who runs follows from what was promised, and the child is
    /// runnable all the time. (HLS knows no yielding.)
    fn lets_yield(&self) -> bool {
        false
    }

    /// A message about a child, or about the instance itself when `child` is `None`.
    ///
    /// # Errors
    /// [`AnswerError::NotUnderstood`](crate::AnswerError::NotUnderstood) for one that means nothing here, or the reason of a refused
    /// admission. In either case nothing has changed.
    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Answer;

    /// A request through `own` has been granted: it is running now.
    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>);

    /// The processor has been taken from `own`, which is ready now; `child` had it. The scheduler
    /// must revoke it from that child.
    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>);

    /// The parent at the other end of `own` tells something about it. Comes in order with grants
    /// and revocations: a notice of a used-up budget before the revocation that follows from it. A
    /// scheduler that has no use for notices need not do anything.
    fn parent_notice(&mut self, _own: OwnVp, _news: ParentNotice, _port: &mut Context<'_>) {}

    /// A timer that was set is due (or overdue: hosts may have coarse clocks).
    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>);

    /// Whom the scheduler would grant `own` next if the child that has it blocked now, or if it
    /// were granted now. Changes nothing. By default nobody: a host that asks
    /// [`Hierarchy::peek`](crate::Hierarchy::peek) is then told whom a scheduler above would choose, which may not be
    /// whom this one does, and [`yielded`](crate::Hierarchy::yielded) changes nothing here.
    fn next(&self, _own: OwnVp, _view: &View<'_>) -> Option<ChildVp> {
        None
    }

    /// Figures that the instance keeps for whoever watches: about a child, or about itself when `child`
    /// is `None`, as they stand at a time that is not before the last call. Each by a name of lower case,
    /// words joined by `-`. Changes nothing; most keep none.
    fn stats(
        &self,
        _child: Option<ChildVp>,
        _at: Instant,
        _tell: &mut dyn FnMut(&'static str, Count),
    ) {
    }

    /// Whether the instance's own data agree with the states that the infrastructure keeps.
    /// Called when nothing is under way; may be slow. By default nothing is looked at.
    ///
    /// # Errors
    /// The invariant that does not hold.
    fn check(&self, _view: &View<'_>) -> Result<(), &'static str> {
        Ok(())
    }
}

//! The scheduler that replaces a quarantined one: round robin without parameters or promises.
//!
//! It serves ready children in the order of their requests, 10 ms each while others are ready, on all processors of
//! the instance. It refuses no child. Its `init` takes the children over in their present states.

use crate::answer::{Answer, AnswerError};
use crate::context::{Context, View};
use crate::heap::Heap;
use crate::id::{ChildVp, OwnVp, TimerId};
use crate::message::Message;
use crate::scheduler::Scheduler;
use crate::vp::VpState;
use alloc::vec::Vec;
use windfall_time::{Instant, Span};

const QUANTUM: Span = Span::from_millis(10);

#[derive(Clone, Default)]
pub(crate) struct FallbackScheduler {
    /// Ready children that no processor serves, by order of request.
    queue: Heap<u64>,
    requested: u64,
    /// By own VP: the place in the queue of the child that runs there, and when it began to run.
    serving: Vec<(u64, Instant)>,
}

impl FallbackScheduler {
    fn enqueue(&mut self, child: ChildVp) {
        self.requested += 1;
        self.queue.set(child.0, self.requested);
    }

    /// Grants the processor of `own`, which no child holds, to the next child in the queue, or releases it.
    fn serve(&mut self, own: OwnVp, context: &mut Context<'_>) {
        if let Some((place, child)) = self.queue.pop() {
            self.serving[own.index()] = (place, context.now());
            context.grant(ChildVp(child), own);
            context.set_timer(TimerId(own.0), Some(context.now().saturating_add(QUANTUM)));
        } else {
            context.release(own);
            context.set_timer(TimerId(own.0), None);
        }
    }

    /// Requests one more processor if more children are queued than processors are requested.
    fn seek(&mut self, context: &mut Context<'_>) {
        let owns = own_numbers(context);
        let requested = owns.clone().filter(|own| context.own(*own) == VpState::Ready).count();
        if requested < self.queue.len()
            && let Some(own) = owns.clone().find(|own| context.own(*own) == VpState::Waiting)
        {
            context.request(own);
        }
    }
}

fn own_numbers(context: &Context<'_>) -> impl Iterator<Item = OwnVp> + Clone + use<> {
    let owns = u16::try_from(context.owns()).expect("own VPs are numbered by 16 bits");
    (0..owns).map(OwnVp)
}

impl Scheduler for FallbackScheduler {
    fn timers(&self, owns: usize) -> usize {
        owns
    }

    fn init(&mut self, context: &mut Context<'_>) {
        let slots = context.child_slots();
        self.queue.reserve(slots as usize);
        self.serving.resize(context.owns(), (0, Instant::ZERO));
        for child in (0..slots).map(ChildVp) {
            if context.child(child) == VpState::Ready {
                self.enqueue(child);
            }
        }
        for own in own_numbers(context) {
            match context.own(own) {
                VpState::Running(_) => self.serve(own, context),
                VpState::Ready => {}
                VpState::Waiting => self.seek(context),
            }
        }
    }

    fn own_added(&mut self, own: OwnVp, context: &mut Context<'_>) -> Answer {
        self.serving.resize(own.index() + 1, (0, Instant::ZERO));
        self.seek(context);
        Ok(())
    }

    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Answer {
        self.queue.reserve(child.index() + 1);
        Ok(())
    }

    fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {}

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.enqueue(child);
        self.seek(context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        match held {
            Some(own) => self.serve(own, context),
            None => {
                self.queue.remove(child.0);
            }
        }
    }

    fn message(&mut self, _: Option<ChildVp>, message: Message, _: &mut Context<'_>) -> Answer {
        Err(AnswerError::NotUnderstood { message: message.name(), takes: "no messages" })
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.serve(own, context);
    }

    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        context.revoke(child);
        context.set_timer(TimerId(own.0), None);
        // A child that has not run yet keeps its place. Otherwise a child would starve if the processor were always
        // revoked at the moment of its grant.
        match self.serving[own.index()] {
            (place, since) if since == context.now() => self.queue.set(child.0, place),
            _ => self.enqueue(child),
        }
    }

    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>) {
        let own = OwnVp(timer.0);
        let Some(child) = context.held_by(own) else {
            return;
        };
        if self.queue.is_empty() {
            context.set_timer(timer, Some(context.now().saturating_add(QUANTUM)));
            return;
        }
        context.revoke(child);
        self.enqueue(child);
        self.serve(own, context);
    }

    fn next(&self, _: OwnVp, _: &View<'_>) -> Option<ChildVp> {
        self.queue.peek().map(|(_, child)| ChildVp(child))
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        let ready = view.children().filter(|c| view.child(*c) == VpState::Ready);
        let mut count = 0;
        for child in ready {
            count += 1;
            if !self.queue.contains(child.0) {
                return Err("a ready child is not in the queue");
            }
        }
        if count == self.queue.len() {
            Ok(())
        } else {
            Err("the queue holds a child that is not ready")
        }
    }
}

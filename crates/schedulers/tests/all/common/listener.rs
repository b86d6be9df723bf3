//! A scheduler that serves one child on one processor and records what its parent sends it.

use std::sync::{Arc, Mutex};
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, NodeId, NodeSpec, OwnVp, Parent, ParentNotice,
    Scheduler, TimerId, View, VpState,
};

use super::{Host, at};

/// The recorded notifications, such as `20 revoke`, in nanoseconds.
pub(crate) type Heard = Arc<Mutex<Vec<String>>>;

#[derive(Clone, Default)]
struct Listener {
    heard: Heard,
    child: Option<ChildVp>,
}

impl Listener {
    fn hear(&self, what: &str, context: &Context<'_>) {
        self.heard.lock().unwrap().push(format!("{} {what}", context.now().as_nanos()));
    }
}

impl Scheduler for Listener {
    fn timers(&self, _: usize) -> usize {
        0
    }
    fn init(&mut self, _: &mut Context<'_>) {}
    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Answer {
        self.child = Some(child);
        Ok(())
    }
    fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {
        self.child = None;
    }
    fn request(&mut self, _: ChildVp, context: &mut Context<'_>) {
        context.request(OwnVp(0));
    }
    fn release(&mut self, _: ChildVp, _: Option<OwnVp>, context: &mut Context<'_>) {
        context.release(OwnVp(0));
    }
    fn message(&mut self, _: Option<ChildVp>, message: Message, _: &mut Context<'_>) -> Answer {
        Err(AnswerError::NotUnderstood { message: message.name(), takes: "nothing" })
    }
    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.hear("grant", context);
        if let Some(child) = self.child {
            context.grant(child, own);
        }
    }
    fn revoke(&mut self, _: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.hear("revoke", context);
        context.revoke(child);
    }
    fn parent_notice(&mut self, _: OwnVp, notice: ParentNotice, context: &mut Context<'_>) {
        match notice {
            ParentNotice::Replenished { budget, end } => {
                let (budget, end) = (budget.as_nanos(), end.as_nanos());
                self.hear(&format!("replenished {budget} until {end}"), context);
            }
            other => self.hear(other.name(), context),
        }
    }
    fn timer(&mut self, _: TimerId, _: &mut Context<'_>) {}
    fn next(&self, _: OwnVp, view: &View<'_>) -> Option<ChildVp> {
        self.child.filter(|child| view.child(*child) == VpState::Ready)
    }
    fn check(&self, _: &View<'_>) -> Result<(), &'static str> {
        Ok(())
    }
}

/// Creates a listener below `parent`. Returns it with its record.
pub(crate) fn listen(host: &mut Host, parent: NodeId, ask: &[Message]) -> (NodeId, Heard) {
    let listener = Listener::default();
    let heard = listener.heard.clone();
    let owns: [(Parent, &[Message]); 1] = [(Parent::Node(parent), ask)];
    let spec = NodeSpec::new("listener", "listener", Box::new(listener), &owns);
    (host.tree.create(at(host.now), spec).unwrap(), heard)
}

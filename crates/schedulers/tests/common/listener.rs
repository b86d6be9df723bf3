//! A scheduler that serves one child on one processor, and writes down what its parent tells it.

use std::sync::{Arc, Mutex};
use windfall_hierarchy::{
    Child, Message, News, NodeId, NodeSpec, Own, Parent, Port, Refusal, Scheduler, TimerId, View,
    VpState,
};

use super::{Host, at};

/// What was heard: `20 revoke`, in nanoseconds.
pub(crate) type Heard = Arc<Mutex<Vec<String>>>;

#[derive(Default)]
struct Listener {
    heard: Heard,
    child: Option<Child>,
}

impl Listener {
    fn hear(&self, what: &str, port: &Port<'_>) {
        self.heard.lock().unwrap().push(format!("{} {what}", port.now().as_nanos()));
    }
}

impl Scheduler for Listener {
    fn timers(&self, _: usize) -> usize {
        0
    }
    fn init(&mut self, _: &mut Port<'_>) {}
    fn register(&mut self, child: Child, _: &mut Port<'_>) -> Result<(), Refusal> {
        self.child = Some(child);
        Ok(())
    }
    fn unregister(&mut self, _: Child, _: &mut Port<'_>) {
        self.child = None;
    }
    fn request(&mut self, _: Child, port: &mut Port<'_>) {
        port.request(Own(0));
    }
    fn release(&mut self, _: Child, _: Option<Own>, port: &mut Port<'_>) {
        port.release(Own(0));
    }
    fn message(
        &mut self,
        _: Option<Child>,
        message: Message,
        _: &mut Port<'_>,
    ) -> Result<(), Refusal> {
        Err(Refusal::NotUnderstood { message: message.name(), takes: "nothing" })
    }
    fn grant(&mut self, own: Own, port: &mut Port<'_>) {
        self.hear("grant", port);
        if let Some(child) = self.child {
            port.grant(child, own);
        }
    }
    fn revoke(&mut self, _: Own, child: Child, port: &mut Port<'_>) {
        self.hear("revoke", port);
        port.revoke(child);
    }
    fn news(&mut self, _: Own, news: News, port: &mut Port<'_>) {
        match news {
            News::Replenished { budget, end } => {
                let (budget, end) = (budget.as_nanos(), end.as_nanos());
                self.hear(&format!("replenished {budget} until {end}"), port);
            }
            other => self.hear(other.name(), port),
        }
    }
    fn timer(&mut self, _: TimerId, _: &mut Port<'_>) {}
    fn next(&self, _: Own, view: &View<'_>) -> Option<Child> {
        self.child.filter(|child| view.child(*child) == VpState::Ready)
    }
    fn check(&self, _: &View<'_>) -> Result<(), &'static str> {
        Ok(())
    }
}

/// A listener below `parent`, and what it hears.
pub(crate) fn listen(host: &mut Host, parent: NodeId, ask: &[Message]) -> (NodeId, Heard) {
    let listener = Listener::default();
    let heard = listener.heard.clone();
    let owns: [(Parent, &[Message]); 1] = [(Parent::Node(parent), ask)];
    let spec =
        NodeSpec { name: "ear", kind: "listener", scheduler: Box::new(listener), owns: &owns };
    (host.tree.create(at(host.now), spec).unwrap(), heard)
}

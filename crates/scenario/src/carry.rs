//! Control requests, carried out on a hierarchy (HLS 4.3.9): the same way on every host.

use crate::model::Timer;
use crate::plan::PlannedRequest;
use windfall_hierarchy::{
    Hierarchy, NodeId, NodeSpec, Own, Parent, Refusal, Target, ThreadId,
};
use windfall_time::Instant;

impl PlannedRequest {
    /// What is asked, in words. `name` names threads by number.
    pub fn text(&self, name: impl Fn(usize) -> String) -> String {
        match self {
            PlannedRequest::Create { name, kind, .. } => format!("create {kind} `{name}`"),
            PlannedRequest::Destroy(node) => format!("destroy `{node}`"),
            PlannedRequest::Default(node) => format!("make `{node}` the default"),
            PlannedRequest::Move { thread, to, .. } => {
                format!("move `{}` to `{to}`", name(*thread))
            }
            PlannedRequest::Thread(thread, message) => {
                format!("{} for `{}`", message.name(), name(*thread))
            }
            PlannedRequest::Scheduler(node, _, message) => {
                format!("{} for `{node}`", message.name())
            }
            PlannedRequest::Configure(node, message) => format!("{} of `{node}`", message.name()),
            PlannedRequest::Timer(Timer::Precise) => "precise timer".to_owned(),
            PlannedRequest::Timer(Timer::Ticks(hertz)) => format!("timer at {hertz} Hz"),
        }
    }

    /// The thread that it is about, by number.
    #[must_use]
    pub const fn thread(&self) -> Option<usize> {
        match self {
            PlannedRequest::Move { thread, .. } | PlannedRequest::Thread(thread, _) => {
                Some(*thread)
            }
            _ => None,
        }
    }

    /// Carries it out, or changes nothing. `thread` is who [`thread`](Self::thread) numbers. The timer
    /// is the host's own affair: nothing happens here.
    ///
    /// # Errors
    /// What the hierarchy answers; a scheduler that does not exist is `Stale`.
    pub fn carry_out(
        self,
        hierarchy: &mut Hierarchy,
        now: Instant,
        thread: Option<ThreadId>,
    ) -> Result<(), Refusal> {
        let thread = thread.ok_or(Refusal::Stale { what: "thread" });
        match self {
            PlannedRequest::Create { name, kind, scheduler, owns } => {
                let mut parents = Vec::with_capacity(owns.len());
                for (parent, messages) in &owns {
                    let parent = match parent {
                        None => Parent::Top,
                        Some(parent) => Parent::Node(find(hierarchy, parent)?),
                    };
                    parents.push((parent, messages.as_slice()));
                }
                let spec = NodeSpec { name: &name, kind, scheduler, owns: &parents };
                hierarchy.create(now, spec).map(drop)
            }
            PlannedRequest::Destroy(node) => hierarchy.destroy(now, find(hierarchy, &node)?),
            PlannedRequest::Default(node) => hierarchy.set_default(now, find(hierarchy, &node)?),
            PlannedRequest::Move { to, messages, .. } => {
                hierarchy.move_thread(now, thread?, find(hierarchy, &to)?, &messages)
            }
            PlannedRequest::Thread(_, message) => {
                hierarchy.ask(now, Target::Thread(thread?), Own(0), message)
            }
            PlannedRequest::Scheduler(node, own, message) => {
                let target = Target::Node(find(hierarchy, &node)?);
                hierarchy.ask(now, target, Own(own), message)
            }
            PlannedRequest::Configure(node, message) => {
                hierarchy.configure(now, find(hierarchy, &node)?, message)
            }
            PlannedRequest::Timer(_) => Ok(()),
        }
    }
}

fn find(hierarchy: &Hierarchy, name: &str) -> Result<NodeId, Refusal> {
    hierarchy.find_node(name).ok_or(Refusal::Stale { what: "scheduler" })
}

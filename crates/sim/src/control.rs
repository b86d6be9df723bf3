//! Control requests at given times (HLS 4.3.9).

use crate::events::Due;
use crate::run::Sim;
use crate::thread::Condition;
use windfall_hierarchy::{Hierarchy, Message, NodeSpec, Own, Parent, Target};
use windfall_scenario::PlannedRequest;
use windfall_scenario::model::Timer;
use windfall_trace::Event;

const fn moves_threads(request: &PlannedRequest) -> bool {
    matches!(
        request,
        PlannedRequest::Destroy(_) | PlannedRequest::Default(_) | PlannedRequest::Move { .. }
    )
}

/// What is asked, in words.
fn text(request: &PlannedRequest, name: impl Fn(usize) -> String) -> String {
    match request {
        PlannedRequest::Create { name, kind, .. } => format!("create {kind} `{name}`"),
        PlannedRequest::Destroy(node) => format!("destroy `{node}`"),
        PlannedRequest::Default(node) => format!("make `{node}` the default"),
        PlannedRequest::Move { thread, to, .. } => format!("move `{}` to `{to}`", name(*thread)),
        PlannedRequest::Thread(thread, message) => {
            format!("{} for `{}`", message.name(), name(*thread))
        }
        PlannedRequest::Scheduler(node, _, message) => format!("{} for `{node}`", message.name()),
        PlannedRequest::Configure(node, message) => format!("{} of `{node}`", message.name()),
        PlannedRequest::Timer(Timer::Precise) => "precise timer".to_owned(),
        PlannedRequest::Timer(Timer::Ticks(hertz)) => format!("timer at {hertz} Hz"),
    }
}

impl Sim<'_> {
    /// Carries out every request that is due.
    pub(crate) fn control(&mut self) {
        while let Some((at, _)) = self.requests.get(self.next_request) {
            if *at > self.now {
                self.events.set(Due::Control, *at);
                return;
            }
            let at = self.next_request;
            self.next_request += 1;
            let placeholder = PlannedRequest::Timer(self.machine.timer);
            let request = std::mem::replace(&mut self.requests[at].1, placeholder);
            let text = text(&request, |thread| match self.threads.get(thread) {
                Some(thread) => thread.spec.name.clone(),
                None => format!("#{thread}"),
            });
            self.promises_end();
            let refusals = self.refused.len();
            if moves_threads(&request) {
                self.attribute_all();
            }
            self.carry_out(request);
            let outcome = match self.refused.get(refusals) {
                Some((_, why)) => format!("{text}: refused: {why}"),
                None => text,
            };
            if let Some((_, why)) = self.refused.get_mut(refusals) {
                why.clone_from(&outcome);
            }
            self.tracer.declare_nodes(self.now, &self.hierarchy);
            self.learn_nodes();
            self.tracer.record(self.now, || Event::Control { text: outcome });
        }
    }

    fn carry_out(&mut self, request: PlannedRequest) {
        match request {
            PlannedRequest::Create { name, kind, scheduler, owns } => {
                self.tell(|hierarchy, now| {
                    let mut parents = Vec::with_capacity(owns.len());
                    for (parent, messages) in &owns {
                        let parent = match parent {
                            None => Parent::Top,
                            Some(parent) => Parent::Node(find(hierarchy, parent)?),
                        };
                        parents.push((parent, messages.as_slice()));
                    }
                    let spec = NodeSpec { name: &name, kind, scheduler, owns: &parents };
                    hierarchy.create(now, spec)
                });
            }
            PlannedRequest::Destroy(node) => {
                self.tell(|hierarchy, now| hierarchy.destroy(now, find(hierarchy, &node)?));
                self.everyone_may_tell();
            }
            PlannedRequest::Default(node) => {
                self.tell(|hierarchy, now| hierarchy.set_default(now, find(hierarchy, &node)?));
                self.everyone_may_tell();
            }
            PlannedRequest::Move { thread, to, messages } => {
                self.move_thread(thread, &to, &messages)
            }
            PlannedRequest::Thread(thread, message) => {
                let id = self.threads.get(thread).and_then(|thread| thread.id);
                let Some(id) = id else {
                    return self.too_early(thread);
                };
                let target = Target::Thread(id);
                self.tell(|hierarchy, now| hierarchy.ask(now, target, Own(0), message));
            }
            PlannedRequest::Scheduler(node, own, message) => {
                self.tell(|hierarchy, now| {
                    let target = Target::Node(find(hierarchy, &node)?);
                    hierarchy.ask(now, target, Own(own), message)
                });
            }
            PlannedRequest::Configure(node, message) => {
                self.tell(|hierarchy, now| {
                    hierarchy.configure(now, find(hierarchy, &node)?, message)
                });
            }
            PlannedRequest::Timer(timer) => self.machine.timer = timer,
        }
    }

    fn move_thread(&mut self, thread: usize, node: &str, messages: &[Message]) {
        let id = self.threads.get(thread).and_then(|thread| thread.id);
        let Some(id) = id else {
            return self.too_early(thread);
        };
        let moved = self.tell(|hierarchy, now| {
            hierarchy.move_thread(now, id, find(hierarchy, node)?, messages)
        });
        if moved.is_some() {
            let parent = self.hierarchy.find_node(node);
            let number = u32::try_from(thread).unwrap_or(u32::MAX);
            let thread = &mut self.threads[thread];
            thread.tells = true;
            let (name, works) = (thread.spec.name.clone(), thread.job.is_some());
            self.tracer.thread(self.now, number, &name, parent);
            if works {
                self.tell_job(number);
            }
        }
    }

    fn too_early(&mut self, thread: usize) {
        let gone = self.threads.get(thread).map(|thread| thread.condition);
        let why = match gone {
            Some(Condition::Gone) => "the thread has ended",
            _ => "the thread does not exist yet",
        };
        self.refused.push((self.now, why.to_owned()));
    }

    /// Threads that have moved may find a scheduler that has a use for their jobs.
    fn everyone_may_tell(&mut self) {
        self.threads.iter_mut().for_each(|thread| thread.tells = true);
    }
}

fn find(
    hierarchy: &Hierarchy,
    name: &str,
) -> Result<windfall_hierarchy::NodeId, windfall_hierarchy::Refusal> {
    hierarchy.find_node(name).ok_or(windfall_hierarchy::Refusal::Stale { what: "scheduler" })
}

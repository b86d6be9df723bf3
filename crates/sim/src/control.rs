//! Control requests at given times (HLS 4.3.9).

use crate::events::Due;
use crate::machine::Timer;
use crate::run::Sim;
use crate::thread::{Condition, SimThread};
use windfall_hierarchy::{Hierarchy, Message, NodeSpec, Own, Parent, Scheduler, Target};
use windfall_trace::Event;

/// A request to the infrastructure; schedulers are named, since one may be created by another
/// request.
pub enum Request {
    /// Creates an instance.
    Create {
        /// Its name.
        name: String,
        /// Its kind.
        kind: &'static str,
        /// The scheduler.
        scheduler: Box<dyn Scheduler>,
        /// For each own VP: the parent's name (`None` for the top) and what is asked there.
        owns: Vec<(Option<String>, Vec<Message>)>,
    },
    /// Destroys an instance; its children move to the default.
    Destroy(String),
    /// Makes an instance the default and moves the former's threads to it.
    Default(String),
    /// Moves a thread.
    Move(SimThread, String, Vec<Message>),
    /// Asks something of a thread's scheduler for it.
    Thread(SimThread, Message),
    /// Asks something of a scheduler's parent, about its own VP of that number.
    Node(String, Own, Message),
    /// Tells an instance something about itself.
    Configure(String, Message),
    /// Sets the resolution of the timer.
    Timer(Timer),
}

impl Request {
    const fn moves_threads(&self) -> bool {
        matches!(self, Request::Destroy(_) | Request::Default(_) | Request::Move(..))
    }

    fn text(&self, name: impl Fn(SimThread) -> String) -> String {
        match self {
            Request::Create { name, kind, .. } => format!("create {kind} `{name}`"),
            Request::Destroy(node) => format!("destroy `{node}`"),
            Request::Default(node) => format!("make `{node}` the default"),
            Request::Move(thread, node, _) => format!("move `{}` to `{node}`", name(*thread)),
            Request::Thread(thread, message) => {
                format!("{} for `{}`", message.name(), name(*thread))
            }
            Request::Node(node, _, message) => format!("{} for `{node}`", message.name()),
            Request::Configure(node, message) => format!("{} of `{node}`", message.name()),
            Request::Timer(Timer::Precise) => "precise timer".to_owned(),
            Request::Timer(Timer::Ticking(hertz)) => format!("timer at {hertz} Hz"),
        }
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
            let placeholder = Request::Timer(self.machine.timer);
            let request = std::mem::replace(&mut self.requests[at].1, placeholder);
            let text = request.text(|thread| match self.threads.get(thread.0 as usize) {
                Some(thread) => thread.spec.name.clone(),
                None => format!("#{}", thread.0),
            });
            let refusals = self.refused.len();
            if request.moves_threads() {
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
            self.ledger.learn(&self.hierarchy);
            self.tracer.record(self.now, || Event::Control { text: outcome });
        }
    }

    fn carry_out(&mut self, request: Request) {
        match request {
            Request::Create { name, kind, scheduler, owns } => {
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
            Request::Destroy(node) => {
                self.tell(|hierarchy, now| hierarchy.destroy(now, find(hierarchy, &node)?));
                self.everyone_may_tell();
            }
            Request::Default(node) => {
                self.tell(|hierarchy, now| hierarchy.set_default(now, find(hierarchy, &node)?));
                self.everyone_may_tell();
            }
            Request::Move(thread, node, messages) => self.move_thread(thread, &node, &messages),
            Request::Thread(thread, message) => {
                let id = self.threads.get(thread.0 as usize).and_then(|thread| thread.id);
                let Some(id) = id else {
                    return self.too_early(thread);
                };
                let target = Target::Thread(id);
                self.tell(|hierarchy, now| hierarchy.ask(now, target, Own(0), message));
            }
            Request::Node(node, own, message) => {
                self.tell(|hierarchy, now| {
                    let target = Target::Node(find(hierarchy, &node)?);
                    hierarchy.ask(now, target, own, message)
                });
            }
            Request::Configure(node, message) => {
                self.tell(|hierarchy, now| {
                    hierarchy.configure(now, find(hierarchy, &node)?, message)
                });
            }
            Request::Timer(timer) => self.machine.timer = timer,
        }
    }

    fn move_thread(&mut self, thread: SimThread, node: &str, messages: &[Message]) {
        let number = thread.0;
        let id = self.threads.get(number as usize).and_then(|thread| thread.id);
        let Some(id) = id else {
            return self.too_early(thread);
        };
        let moved = self.tell(|hierarchy, now| {
            hierarchy.move_thread(now, id, find(hierarchy, node)?, messages)
        });
        if moved.is_some() {
            let parent = self.hierarchy.find_node(node);
            let thread = &mut self.threads[number as usize];
            thread.tells = true;
            let name = thread.spec.name.clone();
            self.tracer.thread(self.now, number, &name, parent);
            if self.threads[number as usize].job.is_some() {
                self.tell_job(number);
            }
        }
    }

    fn too_early(&mut self, thread: SimThread) {
        let gone = self.threads.get(thread.0 as usize).map(|thread| thread.condition);
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

//! Control requests, and the effect of each on a hierarchy (HLS 4.3.9).

use crate::live::PromiseChange;
use crate::model::Timer;
use windfall_hierarchy::{
    Hierarchy, HierarchyError, Message, NodeId, NodeSpec, OwnVp, Parent, Scheduler, Target,
    ThreadId,
};
use windfall_time::Instant;

/// A control request. Schedulers are named, since a request may create one.
#[non_exhaustive]
#[derive(Clone)]
pub enum PlannedRequest {
    /// Creates an instance.
    Create {
        /// Its name.
        name: String,
        /// Its kind.
        kind: &'static str,
        /// The scheduler.
        scheduler: Box<dyn Scheduler>,
        /// For each own VP: the parent's name (`None` for the top) and the messages to it.
        owns: Vec<(Option<String>, Vec<Message>)>,
    },
    /// Destroys an instance; its children move to the default.
    Destroy(String),
    /// Makes an instance the default and moves the former's threads to it.
    Default(String),
    /// Moves a thread (by number), with the messages for it there.
    Move {
        /// The thread.
        thread: usize,
        /// To which scheduler.
        to: String,
        /// The messages there.
        messages: Vec<Message>,
    },
    /// Moves a scheduler's own VP of that number (to the top if `to` is `None`), with the messages for it there.
    MoveScheduler {
        /// Which scheduler and which of its own VPs.
        own: (String, u16),
        /// To which parent.
        to: Option<String>,
        /// The messages there.
        messages: Vec<Message>,
    },
    /// Gives a scheduler one more parent (the top if `to` is `None`), with the messages there.
    AddParent {
        /// Which scheduler.
        scheduler: String,
        /// Which parent.
        to: Option<String>,
        /// The messages there.
        messages: Vec<Message>,
    },
    /// Takes a scheduler's own VP of that number away from its parent.
    RemoveParent(String, u16),
    /// Several requests, all or none.
    Transaction(Vec<PlannedRequest>),
    /// Sends a message to a thread's scheduler.
    Thread(usize, Message),
    /// Sends a message to the parent of a scheduler's own VP of that number.
    Scheduler(String, u16, Message),
    /// Sends a message to an instance about itself.
    Configure(String, Message),
    /// Puts a datum into the queue that processes know by this name.
    Enqueue(String, u64),
    /// Sets the resolution of the machine's timer.
    Timer(Timer),
    /// Sets the promises that hold from now on, if the file's earlier requests at this time were carried out.
    Promises(Box<PromiseChange>),
}

impl PlannedRequest {
    /// The request as text; `name` returns the names of threads, by number.
    #[must_use]
    pub fn text(&self, name: &dyn Fn(usize) -> String) -> String {
        match self {
            PlannedRequest::Create { name, kind, .. } => format!("create {kind} `{name}`"),
            PlannedRequest::Destroy(node) => format!("destroy `{node}`"),
            PlannedRequest::Default(node) => format!("make `{node}` the default"),
            PlannedRequest::Move { thread, to, .. } => {
                format!("move `{}` to `{to}`", name(*thread))
            }
            PlannedRequest::MoveScheduler { own: (node, _), to, .. } => {
                format!("move `{node}` to `{}`", to.as_deref().unwrap_or("top"))
            }
            PlannedRequest::AddParent { scheduler, to, .. } => {
                format!("add parent `{}` to `{scheduler}`", to.as_deref().unwrap_or("top"))
            }
            PlannedRequest::RemoveParent(node, own) => {
                format!("remove parent {own} of `{node}`")
            }
            PlannedRequest::Transaction(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| part.text(name)).collect();
                format!("transaction ({})", parts.join("; "))
            }
            PlannedRequest::Thread(thread, message) => {
                format!("{} for `{}`", message.name(), name(*thread))
            }
            PlannedRequest::Scheduler(node, _, Message::Transfer(work)) => {
                format!("transfer {work} to `{node}`")
            }
            PlannedRequest::Scheduler(node, _, message) => {
                format!("{} for `{node}`", message.name())
            }
            PlannedRequest::Configure(node, message) => format!("{} of `{node}`", message.name()),
            PlannedRequest::Enqueue(queue, datum) => format!("enqueue {datum} in `{queue}`"),
            PlannedRequest::Promises(_) => "other promises".to_owned(),
            PlannedRequest::Timer(Timer::Precise) => "precise timer".to_owned(),
            PlannedRequest::Timer(Timer::Ticks(hertz)) => format!("timer at {hertz} Hz"),
        }
    }

    /// The single requests that it consists of.
    #[must_use]
    pub fn parts(&self) -> &[PlannedRequest] {
        match self {
            PlannedRequest::Transaction(parts) => parts,
            one => std::slice::from_ref(one),
        }
    }

    /// Whether threads other than one that is named may be below another scheduler afterwards.
    #[must_use]
    pub const fn moves_many(&self) -> bool {
        matches!(self, PlannedRequest::Destroy(_) | PlannedRequest::Default(_))
    }

    /// Whether a scheduler may have other parents afterwards.
    #[must_use]
    pub const fn reshapes(&self) -> bool {
        matches!(
            self,
            PlannedRequest::MoveScheduler { .. }
                | PlannedRequest::AddParent { .. }
                | PlannedRequest::RemoveParent(..)
        )
    }

    /// Which thread it moves, by number, and where to.
    #[must_use]
    pub fn moves(&self) -> Option<(usize, &str)> {
        match self {
            PlannedRequest::Move { thread, to, .. } => Some((*thread, to)),
            _ => None,
        }
    }

    /// The same request for another thread; `None` if it is about none.
    #[must_use]
    pub fn aimed_at(&self, thread: usize) -> Option<PlannedRequest> {
        match self {
            PlannedRequest::Thread(_, message) => Some(PlannedRequest::Thread(thread, *message)),
            PlannedRequest::Move { to, messages, .. } => {
                Some(PlannedRequest::Move { thread, to: to.clone(), messages: messages.clone() })
            }
            _ => None,
        }
    }

    /// The thread, by number, that it is about.
    #[must_use]
    pub const fn thread(&self) -> Option<usize> {
        match self {
            PlannedRequest::Move { thread, .. } | PlannedRequest::Thread(thread, _) => {
                Some(*thread)
            }
            _ => None,
        }
    }

    /// Carries it out at `now`; `thread` returns the hierarchy's identifier of a thread, by number. A
    /// [`Timer`](Self::Timer), [`Promises`](Self::Promises) and [`Enqueue`](Self::Enqueue) concern the host, not the hierarchy.
    ///
    /// # Errors
    /// The hierarchy's refusal, which changes nothing; [`HierarchyError::Stale`] when a scheduler or thread that is
    /// named does not exist.
    // Length: a table: the call of each request.
    pub fn carry_out(
        &self,
        hierarchy: &mut Hierarchy,
        now: Instant,
        thread: &dyn Fn(usize) -> Option<ThreadId>,
    ) -> Result<(), HierarchyError> {
        let known =
            |number: &usize| thread(*number).ok_or(HierarchyError::Stale { what: "thread" });
        match self {
            PlannedRequest::Create { name, kind, scheduler, owns } => {
                let mut parents = Vec::with_capacity(owns.len());
                for (parent, messages) in owns {
                    parents.push((place(hierarchy, parent.as_deref())?, messages.as_slice()));
                }
                let spec = NodeSpec::new(name, kind, scheduler.clone(), &parents);
                hierarchy.create(now, spec).map(drop)
            }
            PlannedRequest::Destroy(node) => {
                let node = find(hierarchy, node)?;
                hierarchy.destroy(now, node)
            }
            PlannedRequest::Default(node) => {
                let node = find(hierarchy, node)?;
                hierarchy.set_default(now, node)
            }
            PlannedRequest::Move { thread, to, messages } => {
                let to = find(hierarchy, to)?;
                hierarchy.move_thread(now, known(thread)?, to, messages)
            }
            PlannedRequest::MoveScheduler { own: (node, own), to, messages } => {
                let (node, to) = (find(hierarchy, node)?, place(hierarchy, to.as_deref())?);
                hierarchy.move_node(now, (node, OwnVp(*own)), to, messages)
            }
            PlannedRequest::AddParent { scheduler, to, messages } => {
                let (node, to) = (find(hierarchy, scheduler)?, place(hierarchy, to.as_deref())?);
                hierarchy.gain_parent(now, node, to, messages).map(drop)
            }
            PlannedRequest::RemoveParent(node, own) => {
                let node = find(hierarchy, node)?;
                hierarchy.lose_parent(now, node, OwnVp(*own))
            }
            PlannedRequest::Transaction(parts) => hierarchy.transaction(|hierarchy| {
                parts.iter().try_for_each(|part| part.carry_out(hierarchy, now, thread))
            }),
            PlannedRequest::Thread(thread, message) => {
                hierarchy.send_for(now, Target::Thread(known(thread)?), OwnVp(0), *message)
            }
            PlannedRequest::Scheduler(node, own, message) => {
                let target = Target::Node(find(hierarchy, node)?);
                hierarchy.send_for(now, target, OwnVp(*own), *message)
            }
            PlannedRequest::Configure(node, message) => {
                let node = find(hierarchy, node)?;
                hierarchy.configure(now, node, *message)
            }
            PlannedRequest::Timer(_)
            | PlannedRequest::Promises(_)
            | PlannedRequest::Enqueue(..) => Ok(()),
        }
    }
}

fn find(hierarchy: &Hierarchy, name: &str) -> Result<NodeId, HierarchyError> {
    hierarchy.find_node(name).ok_or(HierarchyError::Stale { what: "scheduler" })
}

fn place(hierarchy: &Hierarchy, name: Option<&str>) -> Result<Parent, HierarchyError> {
    name.map_or(Ok(Parent::Top), |name| find(hierarchy, name).map(Parent::Node))
}

//! Locks that inherit: the messages that send a scheduler another rank, and requests that would separate threads
//! which share such a lock (decision 0022).

use crate::host::Host;
use crate::machine::Machine;
use crate::request_error::ControlRequestErrorKind;
use core::cmp::Reverse;
use windfall_hierarchy::{Message, NodeId};
use windfall_programs::{ProgramRuntime, Rank, Urgency};
use windfall_scenario::{PlannedLock, PlannedRequest};

impl<M: Machine> Host<M> {
    /// Sets the protocol of a lock, after the threads that use it have been added.
    pub fn lock(&mut self, lock: &PlannedLock) {
        let number = |user: &(usize, Rank)| {
            (u32::try_from(user.0).expect("threads are numbered by 32 bits"), user.1)
        };
        let users: Vec<(u32, Rank)> = lock.users.iter().map(number).collect();
        self.programs.lock_protocol(lock.lock, lock.protocol, &users);
    }

    /// Sends a thread's scheduler the rank that the thread runs at from now on.
    pub(crate) fn lend_rank(&mut self, number: u32, urgency: Urgency) {
        let Some(id) = self.threads.list[number as usize].id else { return };
        let now = self.machine.now();
        let message = match urgency {
            Urgency::Priority(priority) => Message::Priority(priority),
            Urgency::Length(Reverse(length)) => {
                Message::Periodic { period: length, deadline: length, amount: None }
            }
            Urgency::Due(Reverse(deadline)) => {
                let release = self.programs.job(number).map_or(now, |job| job.release);
                Message::Job { release, deadline, work: None }
            }
        };
        self.send(|hierarchy, now| hierarchy.send(now, id, message));
    }

    /// Why a request is refused: it would leave threads that share a lock below different schedulers.
    pub(crate) fn kept_by_lock(&self, request: &PlannedRequest) -> Option<ControlRequestErrorKind> {
        let leaves: Option<NodeId> = match request {
            PlannedRequest::Destroy(node) => self.hierarchy.find_node(node),
            PlannedRequest::Default(_) => self.hierarchy.default_node(),
            _ => None,
        };
        let moved = |number: &usize| match request.moves() {
            Some((thread, _)) => thread == *number,
            None => {
                let id = self.threads.list[*number].id;
                let parent = id.and_then(|id| self.hierarchy.parent_of(id).ok());
                leaves.is_some() && parent == leaves
            }
        };
        let ranked = |number: &usize| {
            u32::try_from(*number).is_ok_and(|number| self.programs.rank_of(number).is_some())
        };
        let kept = (0..self.threads.list.len()).filter(ranked).find(moved)?;
        let name = self.threads.list[kept].outcome.name.clone();
        Some(ControlRequestErrorKind::SharesLock(name))
    }

    /// Records a priority or period that a request has set for a thread. The thread keeps the rank that it inherits.
    pub(crate) fn has_new_rank(&mut self, thread: usize, message: Message) {
        let Ok(number) = u32::try_from(thread) else { return };
        let rank = match (self.programs.rank_of(number), message) {
            (Some(Rank::Priority(_)), Message::Priority(priority)) => Rank::Priority(priority),
            (Some(Rank::Period(_)), Message::Periodic { period, .. }) => Rank::Period(period),
            (Some(Rank::RelativeDeadline(_)), Message::Periodic { deadline, .. }) => {
                Rank::RelativeDeadline(deadline)
            }
            (Some(Rank::Deadline(_)), Message::Periodic { deadline, .. }) => {
                Rank::Deadline(Some(deadline))
            }
            _ => return,
        };
        ProgramRuntime::has_rank(self, number, rank);
    }
}

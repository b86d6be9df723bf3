//! Locks with a protocol: the owner runs at the urgency of the threads that wait for the lock, or that use it (decision 0022).
//!
//! Invariant: outside these functions, `runs_at` of a thread with a rank is the largest of its own urgency, the
//! ceilings of the locks that it holds, and `runs_at` of the threads that wait for them; its host knows it.

use super::{Condition, Job, ProgramError, ProgramRuntime, RuntimeHost};
use crate::action::{Action, Resource};
use crate::urgency::{LockProtocol, Rank, Urgency};
use windfall_time::Instant;

impl ProgramRuntime {
    /// Sets the protocol of a lock, and the threads that use it, each with its rank.
    pub fn lock_protocol(&mut self, lock: Resource, protocol: LockProtocol, users: &[(u32, Rank)]) {
        let point = self.syncs.at(lock);
        point.protocol = protocol;
        point.users = users.iter().map(|(number, _)| *number).collect();
        for (number, rank) in users {
            self.at(*number).rank = Some(*rank);
            self.at(*number).runs_at = self.own_urgency(*number);
        }
    }

    /// The rank of a thread, if it shares a lock with a protocol.
    #[must_use]
    pub fn rank_of(&self, number: u32) -> Option<Rank> {
        self.list.get(number as usize)?.rank
    }

    /// Gives a thread that shares a lock with a protocol another rank, which its scheduler has already.
    pub fn has_rank<S: RuntimeHost>(host: &mut S, number: u32, rank: Rank) {
        host.programs().at(number).rank = Some(rank);
        ProgramRuntime::resend_urgency(host, number);
    }

    /// Records that a thread begins a job.
    pub(super) fn begins<S: RuntimeHost>(host: &mut S, number: u32, job: Job) {
        host.begins(number, job);
        ProgramRuntime::is_due(host, number, job);
    }

    /// Records that the scheduler of a thread has this deadline.
    pub(super) fn is_due<S: RuntimeHost>(host: &mut S, number: u32, job: Job) {
        let thread = host.programs().at(number);
        thread.due = job.deadline.unwrap_or(Instant::MAX);
        if let Some(Rank::Deadline(_)) = thread.rank {
            ProgramRuntime::resend_urgency(host, number);
        }
    }

    /// Sends the urgency that a thread inherits again, because its scheduler has received the thread's own.
    fn resend_urgency<S: RuntimeHost>(host: &mut S, number: u32) {
        let threads = host.programs();
        threads.at(number).runs_at = threads.own_urgency(number);
        ProgramRuntime::settle_urgency(host, number);
    }

    /// Records that a thread holds a lock from now on.
    pub(super) fn has_taken<S: RuntimeHost>(host: &mut S, number: u32, lock: Resource) {
        let now = host.now();
        let threads = host.programs();
        match threads.syncs.at(lock).protocol {
            LockProtocol::None => return,
            LockProtocol::Inherit => {}
            LockProtocol::Ceiling => {
                let users = threads.syncs.at(lock).users.clone();
                let ranks = users.into_iter().filter_map(|user| threads.rank_of(user));
                let ceiling = ranks.map(|rank| rank.of_release(now)).max();
                threads.syncs.at(lock).ceiling = ceiling;
            }
        }
        ProgramRuntime::settle_urgency(host, number);
    }

    /// Passes the urgency of a thread that has joined the queue of a lock to the owner.
    pub(super) fn waits_for<S: RuntimeHost>(host: &mut S, number: u32, lock: Resource) {
        let point = host.programs().syncs.at(lock);
        if let (true, Some(owner)) = (point.protocol != LockProtocol::None, point.owner()) {
            host.programs().at(number).waits_for = Some(lock);
            ProgramRuntime::settle_urgency(host, owner);
        }
    }

    /// Releases a lock: the most urgent waiter tries again when it runs.
    pub(super) fn give_back<S: RuntimeHost>(host: &mut S, number: u32, lock: Resource) {
        let threads = host.programs();
        let list = &threads.list;
        let urgency = |waiter: u32| list[waiter as usize].runs_at;
        match threads.syncs.at(lock).give_back(number, urgency) {
            Ok(next) => {
                if let Some(next) = next {
                    threads.at(next).waits_for = None;
                    ProgramRuntime::wake_for(host, next, lock, number);
                }
                ProgramRuntime::settle_urgency(host, number);
            }
            Err(_) => host.program_failed(number, ProgramError::NotOwner),
        }
    }

    /// Wakes a thread, which takes a lock or waits for it when it runs.
    pub(super) fn wake_for<S: RuntimeHost>(host: &mut S, number: u32, lock: Resource, by: u32) {
        let thread = host.programs().at(number);
        thread.resumed = Some(Action::Lock(lock));
        // A deadline scheduler treats a wake-up as the release of a job, unless it receives the job first.
        if let (Some(Rank::Deadline(_)), Some(urgency)) = (thread.rank, thread.runs_at) {
            host.runs_at(number, urgency);
        }
        ProgramRuntime::wake(host, number, Some(by));
    }

    /// Computes the urgency that a thread runs at, then that of the owner of the lock it waits for, and so on along the chain.
    fn settle_urgency<S: RuntimeHost>(host: &mut S, number: u32) {
        let mut next = Some(number);
        while let Some(number) = next {
            let threads = host.programs();
            let urgency = threads.urgency(number);
            let thread = threads.at(number);
            let (Some(new), true) = (urgency, urgency != thread.runs_at) else { return };
            thread.runs_at = urgency;
            let waits_for = thread.waits_for;
            if thread.condition != Condition::Gone {
                host.runs_at(number, new);
            }
            next = waits_for.and_then(|lock| host.programs().syncs.at(lock).owner());
        }
    }

    fn own_urgency(&self, number: u32) -> Option<Urgency> {
        let thread = self.list.get(number as usize)?;
        thread.rank.map(|rank| rank.urgency(thread.due))
    }

    /// The urgency at which a thread has to run.
    fn urgency(&self, number: u32) -> Option<Urgency> {
        let held = self.syncs.held_by(number);
        let inherited = held.flat_map(|lock| {
            let waiting = lock.waiting().map(|waiter| self.list[waiter as usize].runs_at);
            waiting.chain([lock.ceiling])
        });
        inherited.chain([self.own_urgency(number)]).max().flatten()
    }
}

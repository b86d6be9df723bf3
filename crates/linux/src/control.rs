//! Control while it runs (HLS 4.3.9, 8.7; decision 0009): requests of the scenario and of whoever has
//! the socket, carried out under the lock, each whole or not at all.

mod client;
mod clients;
mod history;
mod listing;
mod server;
mod view;
mod wire;

pub(crate) use client::usual_socket;
pub use client::{ask, list, trace};
pub use listing::{Account, Listing, LiveStatus, Node, OwnVp, Processor, Promised, Thread};
pub(crate) use server::Server;
pub use wire::ControlError;

use crate::supervise::supervisor::Supervisor;
use windfall_scenario::PlannedRequest;
use windfall_time::Instant;

impl Supervisor {
    /// Requests of the scenario whose time has come.
    pub(crate) fn requests_due(&mut self) {
        while self.agenda.requests.last().is_some_and(|(at, _)| *at <= self.time()) {
            let Some((_, request)) = self.agenda.requests.pop() else { return };
            let refused = self.control(request);
            let now = self.time();
            self.log.refused.extend(refused.into_iter().map(|why| (now, why)));
        }
    }

    /// Carries out a request, for each thread where it is about a program; what was refused.
    pub(crate) fn control(&mut self, request: PlannedRequest) -> Vec<String> {
        let meant = request.thread().map(|number| (number, self.meant(number)));
        match meant {
            Some((number, threads)) if threads.as_slice() != [number] => {
                if threads.is_empty() {
                    return vec![format!("{}: refused: no thread of it runs", self.text(&request))];
                }
                let each = threads.into_iter().filter_map(|thread| aimed(&request, thread));
                each.collect::<Vec<_>>().into_iter().filter_map(|one| self.one(one)).collect()
            }
            _ => self.one(request).into_iter().collect(),
        }
    }

    /// The members that a number of the scenario means: those of a program, or one.
    fn meant(&self, number: usize) -> Vec<usize> {
        if number >= self.threads.specs.len() || !self.threads.members[number].is_external() {
            return vec![number];
        }
        let late = self.threads.members.iter().enumerate().skip(self.threads.specs.len());
        let its = late.filter(|(_, member)| member.belongs_to(number) && member.id.is_some());
        its.map(|(at, _)| at).collect()
    }

    fn text(&self, request: &PlannedRequest) -> String {
        request.text(|number| match self.threads.members.get(number) {
            Some(member) => member.outcome.name.clone(),
            None => format!("#{number}"),
        })
    }

    /// Carries out one request; why it was refused, if it was.
    fn one(&mut self, request: PlannedRequest) -> Option<String> {
        let text = self.text(&request);
        let moved = match request {
            PlannedRequest::Move { thread, .. } => {
                thread..self.threads.members.len().min(thread + 1)
            }
            _ if request.moves_many() => 0..self.threads.members.len(),
            _ => 0..0,
        };
        let refused = self.attempt(request, &text);
        let moved = moved.filter_map(|number| u32::try_from(number).ok());
        self.trace_control(refused.clone().unwrap_or(text), moved);
        refused
    }

    /// Carries out the request that is called so; why it was refused, if it was.
    fn attempt(&mut self, request: PlannedRequest, text: &str) -> Option<String> {
        let number = request.thread();
        let member = number.and_then(|number| self.threads.members.get(number));
        if let Some(member) = member.filter(|member| member.id.is_none()) {
            let starts_later = |(_, entry): &(Instant, u32)| Some(*entry as usize) == number;
            let why = match self.agenda.starts.iter().any(starts_later) {
                true => "the thread does not exist yet",
                false => "the thread has ended",
            };
            return Some(format!("{text}: refused: {}: {why}", member.outcome.name));
        }
        let thread = member.and_then(|member| member.id);
        if let PlannedRequest::Timer(timer) = request {
            self.end_promises();
            self.agenda.resolution = timer;
            return None;
        }
        let (moved, all) = match request {
            PlannedRequest::Move { thread, .. } => (Some(thread), false),
            _ => (None, request.moves_many()),
        };
        let now = self.time();
        let refusals = self.log.refused.len();
        let done = self.notify(now, |hierarchy, now| request.carry_out(hierarchy, now, |_| thread));
        if done.is_none() {
            let why = self.log.refused.drain(refusals..).next();
            return Some(format!("{text}: refused: {}", why.map_or(String::new(), |(_, why)| why)));
        }
        self.end_promises();
        self.books.ledger.learn(&self.hierarchy);
        // Whoever has moved may find a scheduler that has a use for its jobs.
        for (at, member) in self.threads.members.iter_mut().enumerate() {
            member.tells |= all || moved == Some(at);
        }
        if let Some(at) = moved
            && let Some((release, deadline)) = self.threads.members[at].job
        {
            self.notify_job(
                u32::try_from(at).expect("threads are numbered by 32 bits"),
                release,
                deadline,
            );
        }
        None
    }

    /// Whether the member of that number has that name.
    fn is_called(&self, number: usize, name: &str) -> bool {
        self.threads.members.get(number).is_some_and(|member| member.outcome.name == name)
    }

    /// What was asked for a thread at a scheduler when it came, if that was its first one.
    fn home(&self, number: usize, to: &str) -> Option<Vec<windfall_hierarchy::Message>> {
        let entry = match self.threads.members.get(number)?.kind {
            crate::threads::member::Kind::External { spec, .. } => spec,
            crate::threads::member::Kind::InProcess(_) => number,
        };
        let spec = self.threads.specs.get(entry)?;
        (self.hierarchy.name(spec.parent) == Some(to)).then(|| spec.messages.clone())
    }
}

/// The same request for another thread.
fn aimed(request: &PlannedRequest, thread: usize) -> Option<PlannedRequest> {
    match request {
        PlannedRequest::Thread(_, message) => Some(PlannedRequest::Thread(thread, *message)),
        PlannedRequest::Move { to, messages, .. } => {
            Some(PlannedRequest::Move { thread, to: to.clone(), messages: messages.clone() })
        }
        _ => None,
    }
}

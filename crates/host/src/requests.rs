//! Control requests: at given times (HLS 4.3.9), or from a client that controls the run.

use crate::agenda::Due;
use crate::host::Host;
use crate::machine::Machine;
use crate::request_error::{ControlRequestError, ControlRequestErrorKind};
use crate::thread::Role;
use windfall_hierarchy::{Hierarchy, ThreadId};
use windfall_programs::{Condition, ProgramRuntime};
use windfall_scenario::{PlannedRequest, PromiseChange};
use windfall_trace::Event;

impl<M: Machine> Host<M> {
    /// Carries out every request that is due.
    pub(crate) fn request_due(&mut self) {
        let now = self.machine.now();
        while let Some((at, _)) = self.log.requests.get(self.log.next_request) {
            if *at > now {
                self.agenda.set(Due::Request, *at);
                return;
            }
            let at = self.log.next_request;
            self.log.next_request += 1;
            let placeholder = PlannedRequest::Timer(self.agenda.resolution);
            let request = std::mem::replace(&mut self.log.requests[at].1, placeholder);
            if let PlannedRequest::Promises(change) = request {
                self.planned_promises(&change);
                continue;
            }
            let refused = match self.says_promises(at) {
                true => self.carry_out_request(request).1,
                false => self.request(request),
            };
            self.log.is_as_planned &= refused.is_empty();
            self.log.refused.extend(refused.into_iter().map(|why| (now, why.to_string())));
        }
    }

    /// Whether the file says which promises hold after its request number `at`.
    fn says_promises(&self, at: usize) -> bool {
        let time = self.log.requests[at].0;
        let mut later =
            self.log.requests.iter().skip(at + 1).take_while(|(other, _)| *other == time);
        later.any(|(_, request)| matches!(request, PlannedRequest::Promises(_)))
    }

    /// Applies the promises that hold after a request of the file. If a request of the file was refused, no new promises are judged: the plan
    /// need not hold then.
    fn planned_promises(&mut self, change: &PromiseChange) {
        if self.log.is_as_planned {
            return self.promises_change(change);
        }
        let after = change.after.iter().filter(|promise| self.promises.are_judged(promise));
        let (after, touched) = (after.cloned().collect(), change.touched.clone());
        let kept = PromiseChange::untouched(after).without(&touched);
        self.promises_change(&kept);
    }

    /// Carries out a request; a request about a program applies to each of its threads. Returns what was refused, and why.
    ///
    /// It ends the judgement of all promises, because those that hold afterwards are unknown. Schedulers that admit tasks have what they hold by
    /// their place alone from then on: all of a processor at the top, nothing elsewhere.
    pub fn request(&mut self, request: PlannedRequest) -> Vec<ControlRequestError> {
        let (changed, refused) = self.carry_out_request(request);
        if changed {
            self.unchecked();
        }
        refused
    }

    /// Like [`request`](Self::request), with the promises that hold if nothing is refused.
    pub fn request_judged(
        &mut self,
        request: PlannedRequest,
        promises: &PromiseChange,
    ) -> Vec<ControlRequestError> {
        let (changed, refused) = self.carry_out_request(request);
        match changed {
            true if refused.is_empty() => self.promises_change(promises),
            true => self.unchecked(),
            false => {}
        }
        refused
    }

    /// Carries out a request, for each thread if it is about a program. Returns whether anything has changed, and what was refused.
    fn carry_out_request(&mut self, request: PlannedRequest) -> (bool, Vec<ControlRequestError>) {
        let each = match self.each(request) {
            Ok(each) => each,
            Err(refused) => return (false, vec![refused]),
        };
        let refused: Vec<_> = each.iter().filter_map(|request| self.one(request)).collect();
        (refused.len() < each.len(), refused)
    }

    /// Returns the answer that a request would have: the refusals and their reasons. Changes nothing.
    #[must_use]
    pub fn query(&self, request: PlannedRequest) -> Vec<ControlRequestError> {
        let each = match self.each(request) {
            Ok(each) => each,
            Err(refused) => return vec![refused],
        };
        let now = self.machine.now();
        let one = |hierarchy: &mut Hierarchy, request: &PlannedRequest| {
            let refused = self.obstacle(request).or_else(|| {
                let done = request.carry_out(hierarchy, now, &|thread| self.id(thread));
                done.err().map(ControlRequestErrorKind::Hierarchy)
            });
            refused.map(|why| ControlRequestError { request: self.text(request), why })
        };
        self.hierarchy.query(|tree| each.iter().filter_map(|request| one(tree, request)).collect())
    }

    /// One request for each thread of a program that a request is about.
    ///
    /// # Errors
    /// If none of its threads runs.
    fn each(&self, request: PlannedRequest) -> Result<Vec<PlannedRequest>, ControlRequestError> {
        if let PlannedRequest::Transaction(parts) = request {
            let parts: Result<Vec<_>, _> = parts.into_iter().map(|part| self.each(part)).collect();
            let parts = parts?.into_iter().flatten().collect();
            return Ok(vec![PlannedRequest::Transaction(parts)]);
        }
        let about = request.thread().and_then(|thread| u32::try_from(thread).ok());
        let entry = about.filter(|number| {
            self.threads.list.get(*number as usize).is_some_and(|thread| thread.is_entry())
        });
        let Some(entry) = entry else { return Ok(vec![request]) };
        let its = (0..self.threads.list.len()).filter(|number| {
            let thread = &self.threads.list[*number];
            thread.role == Role::Of(entry) && thread.id.is_some()
        });
        let each: Vec<PlannedRequest> = its.filter_map(|number| request.aimed_at(number)).collect();
        if each.is_empty() {
            let (request, why) = (self.text(&request), ControlRequestErrorKind::NoThreadRuns);
            return Err(ControlRequestError { request, why });
        }
        Ok(each)
    }

    fn text(&self, request: &PlannedRequest) -> String {
        request.text(&|thread| match self.threads.list.get(thread) {
            Some(thread) => thread.outcome.name.clone(),
            None => format!("#{thread}"),
        })
    }

    /// Carries out one request. Returns the request and the reason if it was refused.
    fn one(&mut self, request: &PlannedRequest) -> Option<ControlRequestError> {
        let text = self.text(request);
        let why = self.attempt(request);
        let refused = why.map(|why| ControlRequestError { request: text.clone(), why });
        let now = self.machine.now();
        self.machine.tracer().declare_nodes(now, &self.hierarchy);
        self.learn_nodes();
        let text = refused.as_ref().map_or(text, ControlRequestError::to_string);
        self.machine.tracer().record(now, || Event::Control { text });
        refused
    }

    /// Carries out a request. Returns the reason if it was refused.
    fn attempt(&mut self, request: &PlannedRequest) -> Option<ControlRequestErrorKind> {
        let parts = request.parts();
        let moves_many = parts.iter().any(PlannedRequest::moves_many);
        if moves_many || parts.iter().any(|part| part.reshapes() || part.moves().is_some()) {
            self.attribute_all();
        }
        if let Some(why) = self.obstacle(request) {
            return Some(why);
        }
        if let PlannedRequest::Enqueue(queue, datum) = request {
            // No part of a transaction.
            let put = ProgramRuntime::enqueue(self, queue, *datum);
            return put.err().map(ControlRequestErrorKind::Queue);
        }
        if !parts.iter().all(|part| matches!(part, PlannedRequest::Timer(_))) {
            let ids: Vec<Option<ThreadId>> =
                (0..self.threads.list.len()).map(|thread| self.id(thread)).collect();
            let refusals = self.log.refused.len();
            let known = |thread: usize| ids.get(thread).copied().flatten();
            let before: Vec<_> = parts.iter().map(|part| self.before(part)).collect();
            let mut refused = None;
            self.send(|hierarchy, now| {
                let done = request.carry_out(hierarchy, now, &known);
                done.inspect_err(|why| refused = Some(why.clone()))
            });
            before.into_iter().for_each(|before| self.after(before, refused.is_none()));
            if refused.is_some() {
                self.log.refused.truncate(refusals); // whoever asked records it
                return refused.map(ControlRequestErrorKind::Hierarchy);
            }
        }
        for part in parts {
            if let PlannedRequest::Timer(timer) = part {
                self.agenda.resolution = *timer;
            }
        }
        for part in parts {
            if let PlannedRequest::Thread(thread, message) = part {
                self.has_new_rank(*thread, *message);
            }
        }
        if moves_many {
            // The new scheduler of a moved thread may use messages about jobs.
            self.threads.list.iter_mut().for_each(|thread| thread.reports_jobs = true);
            for number in 0..self.threads.list.len() {
                let id = self.threads.list[number].id;
                if let Some(parent) = id.and_then(|id| self.hierarchy.parent_of(id).ok()) {
                    self.declare(number_of(number), Some(parent));
                }
            }
        }
        for (thread, to) in parts.iter().filter_map(PlannedRequest::moves) {
            self.has_moved(thread, to);
        }
        None
    }

    /// Why the hierarchy cannot be sent a request.
    fn obstacle(&self, request: &PlannedRequest) -> Option<ControlRequestErrorKind> {
        let kept = || request.parts().iter().find_map(|part| self.kept_by_lock(part));
        self.absent(request).or_else(kept)
    }

    /// A thread's identifier in the hierarchy.
    fn id(&self, thread: usize) -> Option<ThreadId> {
        self.threads.list.get(thread)?.id
    }

    /// Why the thread that a request is about does not exist.
    fn absent(&self, request: &PlannedRequest) -> Option<ControlRequestErrorKind> {
        let mut threads = request.parts().iter().filter_map(PlannedRequest::thread);
        let absent = threads.find(|thread| self.id(*thread).is_none())?;
        Some(self.why_absent(absent))
    }

    pub(crate) fn why_absent(&self, thread: usize) -> ControlRequestErrorKind {
        let number = number_of(thread);
        let known = thread < self.threads.list.len();
        let ended = known
            && match self.threads.list[thread].role {
                Role::Own => self.programs.condition(number) == Condition::Gone,
                Role::Entry | Role::Of(_) => true,
            };
        if ended { ControlRequestErrorKind::Ended } else { ControlRequestErrorKind::NotBegun }
    }

    fn has_moved(&mut self, thread: usize, to: &str) {
        let number = number_of(thread);
        let parent = self.hierarchy.find_node(to);
        self.threads.list[thread].reports_jobs = true;
        self.declare(number, parent);
        if let Some(job) = self.programs.job(number) {
            self.send_job(number, job);
        }
    }
}

fn number_of(thread: usize) -> u32 {
    u32::try_from(thread).expect("threads are numbered by 32 bits")
}

//! Control requests: at given times (HLS 4.3.9), or from a client that controls the run.

use crate::agenda::Due;
use crate::host::Host;
use crate::machine::Machine;
use crate::thread::Role;
use windfall_programs::Condition;
use windfall_scenario::PlannedRequest;
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
            let refused = self.request(request);
            self.log.refused.extend(refused.into_iter().map(|why| (now, why)));
        }
    }

    /// Carries out a request; a request about a program applies to each of its threads. Returns what was refused, and why.
    pub fn request(&mut self, request: PlannedRequest) -> Vec<String> {
        let about = request.thread().and_then(|thread| u32::try_from(thread).ok());
        let entry = about.filter(|number| {
            self.threads.list.get(*number as usize).is_some_and(|thread| thread.is_entry())
        });
        let Some(entry) = entry else { return self.one(request).into_iter().collect() };
        let its = (0..self.threads.list.len()).filter(|number| {
            let thread = &self.threads.list[*number];
            thread.role == Role::Of(entry) && thread.id.is_some()
        });
        let each: Vec<PlannedRequest> = its.filter_map(|number| request.aimed_at(number)).collect();
        if each.is_empty() {
            return vec![format!("{}: refused: no thread of it runs", self.text(&request))];
        }
        each.into_iter().filter_map(|request| self.one(request)).collect()
    }

    fn text(&self, request: &PlannedRequest) -> String {
        request.text(|thread| match self.threads.list.get(thread) {
            Some(thread) => thread.outcome.name.clone(),
            None => format!("#{thread}"),
        })
    }

    /// Carries out one request. Returns the request and the reason if it was refused.
    fn one(&mut self, request: PlannedRequest) -> Option<String> {
        let text = self.text(&request);
        let why = self.attempt(request);
        let refused = why.is_some();
        let outcome = why.map_or(text.clone(), |why| format!("{text}: refused: {why}"));
        let now = self.machine.now();
        self.machine.tracer().declare_nodes(now, &self.hierarchy);
        self.learn_nodes();
        let text = outcome.clone();
        self.machine.tracer().record(now, || Event::Control { text });
        refused.then_some(outcome)
    }

    /// Carries out a request. Returns the reason if it was refused.
    fn attempt(&mut self, request: PlannedRequest) -> Option<String> {
        if let PlannedRequest::Timer(timer) = request {
            self.promises_end();
            self.agenda.resolution = timer;
            return None;
        }
        let (moves_many, moves) = (request.moves_many(), request.moves_to().map(str::to_owned));
        if moves_many || moves.is_some() {
            self.attribute_all();
        }
        let thread = request.thread();
        let id = thread.and_then(|thread| self.threads.list.get(thread)?.id);
        if let (Some(thread), None) = (thread, id) {
            return Some(self.why_absent(thread));
        }
        let refusals = self.log.refused.len();
        let before = self.before(&request);
        let done = self.send(|hierarchy, now| request.carry_out(hierarchy, now, |_| id));
        self.after(before, done.is_some());
        if done.is_none() {
            return self.log.refused.drain(refusals..).next().map(|(_, why)| why);
        }
        self.promises_end();
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
        if let (Some(to), Some(thread)) = (moves, thread) {
            self.has_moved(thread, &to);
        }
        None
    }

    fn why_absent(&self, thread: usize) -> String {
        let number = number_of(thread);
        let known = thread < self.threads.list.len();
        let ended = known
            && match self.threads.list[thread].role {
                Role::Own => self.programs.condition(number) == Condition::Gone,
                Role::Entry | Role::Of(_) => true,
            };
        let why = if ended { "the thread has ended" } else { "the thread does not exist yet" };
        why.to_owned()
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

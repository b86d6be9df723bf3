//! Control requests at given times (HLS 4.3.9).

use crate::agenda::Due;
use crate::host::Host;
use crate::machine::Machine;
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
            let text = request.text(|thread| match self.threads.list.get(thread) {
                Some(thread) => thread.spec.name.clone(),
                None => format!("#{thread}"),
            });
            self.promises_end();
            let refusals = self.log.refused.len();
            self.request(request);
            let outcome = match self.log.refused.get(refusals) {
                Some((_, why)) => format!("{text}: refused: {why}"),
                None => text,
            };
            if let Some((_, why)) = self.log.refused.get_mut(refusals) {
                why.clone_from(&outcome);
            }
            self.machine.tracer().declare_nodes(now, &self.hierarchy);
            self.learn_nodes();
            self.machine.tracer().record(now, || Event::Control { text: outcome });
        }
    }

    fn request(&mut self, request: PlannedRequest) {
        if let PlannedRequest::Timer(timer) = request {
            self.agenda.resolution = timer;
            return;
        }
        let (moves_many, moved) = (request.moves_many(), destination(&request));
        if moves_many || moved.is_some() {
            self.attribute_all();
        }
        let thread = request.thread();
        let id = thread.and_then(|thread| self.threads.list.get(thread)?.id);
        if let (Some(thread), None) = (thread, id) {
            let ended = thread < self.threads.list.len()
                && self.programs.condition(number_of(thread)) == Condition::Gone;
            let why = if ended { "the thread has ended" } else { "the thread does not exist yet" };
            self.log.refused.push((self.machine.now(), why.to_owned()));
            return;
        }
        let done = self.send(|hierarchy, now| request.carry_out(hierarchy, now, |_| id));
        if moves_many {
            // Threads that have moved may find a scheduler that has a use for their jobs.
            self.threads.list.iter_mut().for_each(|thread| thread.reports_jobs = true);
        }
        if let (Some(to), Some(thread), Some(())) = (moved, thread, done) {
            self.has_moved(thread, &to);
        }
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

/// Where a thread is to move to.
fn destination(request: &PlannedRequest) -> Option<String> {
    match request {
        PlannedRequest::Move { to, .. } => Some(to.clone()),
        _ => None,
    }
}

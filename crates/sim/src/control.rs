//! Control requests at given times (HLS 4.3.9).

use crate::converge::number_of;
use crate::events::Due;
use crate::run::Sim;
use windfall_programs::Condition;
use windfall_scenario::PlannedRequest;
use windfall_trace::Event;

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
            let text = request.text(|thread| match self.threads.get(thread) {
                Some(thread) => thread.spec.name.clone(),
                None => format!("#{thread}"),
            });
            self.promises_end();
            let refusals = self.refused.len();
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
        if let PlannedRequest::Timer(timer) = request {
            self.machine.timer = timer;
            return;
        }
        let (moves_many, moved) = (request.moves_many(), destination(&request));
        if moves_many || moved.is_some() {
            self.attribute_all();
        }
        let thread = request.thread();
        let id = thread.and_then(|thread| self.threads.get(thread)?.id);
        if let (Some(thread), None) = (thread, id) {
            let ended = thread < self.threads.len()
                && self.players.condition(number_of(thread)) == Condition::Gone;
            let why = if ended { "the thread has ended" } else { "the thread does not exist yet" };
            self.refused.push((self.now, why.to_owned()));
            return;
        }
        let done = self.tell(|hierarchy, now| request.carry_out(hierarchy, now, |_| id));
        if moves_many {
            // Threads that have moved may find a scheduler that has a use for their jobs.
            self.threads.iter_mut().for_each(|thread| thread.tells = true);
        }
        if let (Some(to), Some(thread), Some(())) = (moved, thread, done) {
            self.has_moved(thread, &to);
        }
    }

    fn has_moved(&mut self, thread: usize, to: &str) {
        let number = number_of(thread);
        let parent = self.hierarchy.find_node(to);
        self.threads[thread].tells = true;
        self.declare(number, parent);
        if let Some(job) = self.players.job(number) {
            self.tell_job(number, job);
        }
    }
}

/// Where a thread is to move to.
fn destination(request: &PlannedRequest) -> Option<String> {
    match request {
        PlannedRequest::Move { to, .. } => Some(to.clone()),
        _ => None,
    }
}

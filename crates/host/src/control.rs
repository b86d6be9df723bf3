//! Queries of families of schedulers, and requests of a process for threads of others (Chrysalis 5; decision 0026).
//!
//! Invariant: at any time, at most one process has threads changed below a scheduler: the first one whose request was carried out there, until it
//! exits. A thread that holds a promise is changed by none.

use crate::host::Host;
use crate::machine::Machine;
use windfall_hierarchy::{Message, NodeId, Target, ThreadId};
use windfall_programs::{
    OwnRequest, RequestErrorKind, SchedulerView, ThreadChange, ThreadRequest, ThreadView,
    is_of_family,
};
use windfall_scenario::outcome::{Figures, plain};
use windfall_scenario::{PlannedRequest, PromiseChange};

impl<M: Machine> Host<M> {
    /// The schedulers of a family, with their threads and all figures as of now.
    pub(crate) fn show_family(&mut self, requester: u32, family: &str) -> Vec<SchedulerView> {
        if M::LIVE {
            self.hear(); // what the kernel has reported decides who received what
        }
        self.account_all();
        let nodes = self.hierarchy.nodes();
        nodes.into_iter().filter_map(|node| self.show(node, requester, family)).collect()
    }

    fn show(&self, node: NodeId, requester: u32, family: &str) -> Option<SchedulerView> {
        let view = self.hierarchy.node(node).filter(|view| is_of_family(family, view.name))?;
        let counted = self.hierarchy.counted(self.machine.now(), Target::Node(node));
        let mut shown = SchedulerView::new(view.name, view.kind, shown(&counted));
        shown.threads.extend(view.children.iter().filter_map(|child| match child {
            Target::Thread(thread) => self.show_thread(*thread, requester),
            Target::Node(_) => None,
        }));
        Some(shown)
    }

    fn show_thread(&self, id: ThreadId, requester: u32) -> Option<ThreadView> {
        let number = self.number(id)?;
        let thread = &self.threads.list[number as usize];
        let view = ThreadView::new(
            &thread.outcome.name,
            thread.runnable_until(self.machine.now()),
            shown(&self.counted(id)),
        );
        Some(view.fixed(number == requester || thread.outcome.promised.is_some()))
    }

    /// Carries out a request of a process for a thread of others. A refusal is in the outcome, too.
    ///
    /// # Errors
    /// Why it is refused; nothing has changed then.
    pub(crate) fn thread_request(
        &mut self,
        requester: u32,
        request: &ThreadRequest,
    ) -> Result<(), RequestErrorKind> {
        let answer = self.carry_out_thread_request(requester, request);
        if let Err(why) = &answer {
            let name = &self.threads.list[requester as usize].outcome.name;
            let why = format!("`{name}`: {request}: refused: {why}");
            if !self.log.refused.iter().any(|(_, known)| *known == why) {
                self.log.refused.push((self.machine.now(), why));
            }
        }
        answer
    }

    fn carry_out_thread_request(
        &mut self,
        requester: u32,
        request: &ThreadRequest,
    ) -> Result<(), RequestErrorKind> {
        let (number, held) = self.may_request(requester, request)?;
        self.hear_before(number);
        let planned = planned(number as usize, request).ok_or(RequestErrorKind::UnknownRequest)?;
        // The thread holds no promise, and those of others stay: if this breaks one, the outcome says so.
        let promises = PromiseChange::untouched(self.promises.given().to_vec());
        let refused = self.request_judged(planned, &promises);
        if let Some(first) = refused.into_iter().next() {
            return Err(RequestErrorKind::Refused(first.why.to_string()));
        }
        if let Some(own) = recorded(request) {
            self.record_own(number, &own);
        }
        if let Some(process) = self.programs.process(requester) {
            self.controllers.hold(held, process, requester);
        }
        Ok(())
    }

    /// Whether a process may make a request: the number of the thread, and the schedulers that the request concerns.
    fn may_request(
        &self,
        requester: u32,
        request: &ThreadRequest,
    ) -> Result<(u32, Vec<String>), RequestErrorKind> {
        let Some(family) = self.programs.controls(requester) else {
            return Err(RequestErrorKind::ControlsNone);
        };
        let mut threads = self.threads.list.iter().enumerate();
        let thread = threads
            .find(|(_, thread)| thread.outcome.name == request.thread && thread.id.is_some());
        let Some((number, thread)) = thread else {
            return Err(RequestErrorKind::UnknownThread(request.thread.clone()));
        };
        if let Some(promised) = &thread.outcome.promised {
            return Err(RequestErrorKind::Promised(promised.clone()));
        }
        let parent = self.parent(thread.id).unwrap_or_default();
        let mut concerned = vec![parent];
        if let Some(to) = request.destination() {
            if self.hierarchy.find_node(to).is_none() {
                return Err(RequestErrorKind::UnknownScheduler(to.to_owned()));
            }
            concerned.push(to.to_owned());
        }
        for scheduler in &concerned {
            if !is_of_family(family, scheduler) {
                let (scheduler, family) = (scheduler.clone(), family.to_owned());
                return Err(RequestErrorKind::NotControlled { scheduler, family });
            }
            let holder = self.controllers.holder(scheduler, &self.programs);
            if let Some(other) = holder.filter(|other| *other != requester) {
                let process = self.threads.list[other as usize].outcome.name.clone();
                let scheduler = scheduler.clone();
                return Err(RequestErrorKind::ControlledByOther { scheduler, process });
            }
        }
        let number = u32::try_from(number).expect("threads are numbered by 32 bits");
        Ok((number, concerned))
    }
}

/// A request of a process as a control request; `None` if this host does not know it.
fn planned(thread: usize, request: &ThreadRequest) -> Option<PlannedRequest> {
    let reserve = |amount, period| Message::Reserve { amount, period };
    Some(match &request.change {
        ThreadChange::Slice(slice) => PlannedRequest::Thread(thread, Message::Quantum(*slice)),
        ThreadChange::Need { amount, period } => {
            PlannedRequest::Thread(thread, reserve(*amount, *period))
        }
        ThreadChange::Move(place) => {
            let mut messages = vec![Message::Priority(place.priority)];
            messages.extend(place.need.map(|(amount, period)| reserve(amount, period)));
            messages.push(Message::Quantum(place.slice));
            PlannedRequest::Move { thread, to: place.to.clone(), messages }
        }
        _ => return None,
    })
}

/// The same as a request of the thread for itself, by which later requests know what it has.
fn recorded(request: &ThreadRequest) -> Option<OwnRequest> {
    Some(match &request.change {
        ThreadChange::Need { amount, period } => OwnRequest::reserve(*amount, *period),
        ThreadChange::Move(place) => match place.need {
            Some((amount, period)) => OwnRequest::reserve(amount, period).at(&place.to),
            None => OwnRequest::Move(place.to.clone()),
        },
        _ => return None,
    })
}

fn shown(figures: &Figures) -> Vec<(String, u64)> {
    figures.iter().map(|(name, count)| plain(name, *count)).collect()
}

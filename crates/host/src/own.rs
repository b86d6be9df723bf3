//! Requests of threads for themselves, and the notices that threads receive unsolicited (HLS 4.3.9, 4.3.12, 4.4; decision 0024).
//!
//! A request becomes a [`PlannedRequest`] and is handled like all others. Notices are kept by thread until the instant is settled:
//! they arise in the middle of calls of the hierarchy, and posting one is such a call.

mod live;

use crate::agenda::Due;
use crate::host::Host;
use crate::machine::Machine;
use crate::thread::Reservation;
use std::collections::{BTreeMap, BTreeSet};
use windfall_hierarchy::{
    Hierarchy, JournalEntry, JournalEvent, Message, NodeId, Note, Target, ThreadId,
};
use windfall_programs::{Notice, Notices, OwnRequest, ProgramRuntime, RequestErrorKind};
use windfall_scenario::{PlannedRequest, PromiseChange};
use windfall_time::Span;

/// How often the host checks promises to a thread that wants notices.
const LOOK: Span = Span::from_millis(10);

/// The state before a request that later determines the thread's reservation and notices.
pub(crate) struct Before {
    thread: u32,
    /// The scheduler above the thread.
    parent: Option<NodeId>,
    reserves: bool,
    ends: bool,
}

impl<M: Machine> Host<M> {
    /// Carries out a request of a thread for itself.
    ///
    /// # Errors
    /// Why it is refused; nothing has changed then.
    pub fn own_request(
        &mut self,
        number: u32,
        request: &OwnRequest,
    ) -> Result<(), RequestErrorKind> {
        self.hear_before(number);
        if matches!(request, OwnRequest::Guarantee { .. }) {
            return self.own_guarantee(number, request);
        }
        let planned = self.planned(number, request)?;
        let promises = self.promises_after(number, &planned);
        self.own_judged(number, planned, &promises)?;
        self.record_own(number, request);
        Ok(())
    }

    /// Carries out a planned request of a thread for itself, with the promises that hold afterwards.
    fn own_judged(
        &mut self,
        number: u32,
        planned: PlannedRequest,
        promises: &PromiseChange,
    ) -> Result<(), RequestErrorKind> {
        self.requester = Some(number);
        let refused = self.request_judged(planned, promises);
        self.requester = None;
        match refused.into_iter().next() {
            None => Ok(()),
            Some(first) => Err(RequestErrorKind::Refused(first.why.to_string())),
        }
    }

    /// The promises after a request of a thread for itself: all but those to the thread, and to everything below a scheduler that is asked for
    /// something else than a reservation, because others may get less there.
    fn promises_after(&self, number: u32, request: &PlannedRequest) -> PromiseChange {
        let thread = &self.threads.list[number as usize];
        let mut touched = BTreeSet::from([thread.outcome.name.clone()]);
        let shares = match request {
            PlannedRequest::Move { to, .. } => self.hierarchy.find_node(to),
            _ => thread.id.and_then(|id| self.hierarchy.parent_of(id).ok()),
        };
        let ends = matches!(request, PlannedRequest::Thread(_, Message::Unreserve));
        if let (Some(node), false) = (shares, ends || request.reserves()) {
            self.name_below(node, &mut touched);
        }
        let given = self.promises.given().iter();
        let after = given.filter(|promise| !touched.contains(&promise.owner)).cloned().collect();
        PromiseChange::untouched(after)
    }

    /// The names of all threads and schedulers below a scheduler.
    fn name_below(&self, node: NodeId, names: &mut BTreeSet<String>) {
        for child in self.hierarchy.node(node).into_iter().flat_map(|node| node.children) {
            match child {
                Target::Thread(id) => names.extend(
                    self.number(id)
                        .map(|number| self.threads.list[number as usize].outcome.name.clone()),
                ),
                Target::Node(child) => {
                    names.extend(self.hierarchy.name(child).map(str::to_owned));
                    self.name_below(child, names);
                }
            }
        }
    }

    /// Sends a thread's scheduler a priority that the thread has set for itself by other means: as a priority or, if the scheduler takes none, as a
    /// share. `proportional-share` takes priorities as proportions (HLS 9.3.3).
    ///
    /// # Errors
    /// Why it is not sent; nothing has changed then.
    pub fn own_priority(&mut self, number: u32, priority: i32) -> Result<(), RequestErrorKind> {
        let id = self.threads.list[number as usize].id.ok_or(RequestErrorKind::NotRunning)?;
        let parent = self.parent_node(id)?;
        if self.promises_below(parent) {
            let name = self.hierarchy.name(parent).unwrap_or_default();
            return Err(RequestErrorKind::PromisesBelow(name.to_owned()));
        }
        let answer = self.own_request(number, &OwnRequest::Priority(priority));
        let share = u32::try_from(priority).ok().filter(|share| *share > 0);
        match (answer, share) {
            (Err(_), Some(share)) => self.own_request(number, &OwnRequest::Share(share)),
            (answer, _) => answer,
        }
    }

    /// Whether any child of a scheduler holds a promise.
    fn promises_below(&self, node: NodeId) -> bool {
        let children = self.hierarchy.node(node).map(|node| node.children).unwrap_or_default();
        children.into_iter().any(|child| match child {
            Target::Thread(thread) => self.number(thread).is_some_and(|number| {
                self.threads.list[number as usize].outcome.promised.is_some()
            }),
            Target::Node(child) => self.promises.has_place(child),
        })
    }

    /// Converts a thread's request for itself to a control request.
    fn planned(
        &self,
        number: u32,
        request: &OwnRequest,
    ) -> Result<PlannedRequest, RequestErrorKind> {
        let thread = &self.threads.list[number as usize];
        let id = thread.id.ok_or(RequestErrorKind::NotRunning)?;
        let parent = self.parent_node(id)?;
        match request {
            OwnRequest::Share(0) => Err(RequestErrorKind::NoShare),
            OwnRequest::Reserve { amount, period, .. } if amount.is_zero() || amount > period => {
                Err(RequestErrorKind::AmountOutsidePeriod)
            }
            OwnRequest::Unreserve => self.unreserve(number),
            OwnRequest::Reserve { amount, period, at: Some(to) }
                if self.hierarchy.name(parent) == Some(to) =>
            {
                let reserve = Message::Reserve { amount: *amount, period: *period };
                Ok(PlannedRequest::Thread(number as usize, reserve))
            }
            OwnRequest::Move(to) => {
                self.may_move(number, to)?;
                let messages = self.home(number, to).unwrap_or_default();
                Ok(PlannedRequest::Move { thread: number as usize, to: to.clone(), messages })
            }
            _ => {
                let kind = self.hierarchy.node(parent).map(|node| node.kind);
                let share = kind.and_then(|kind| self.shares.get(kind)).copied().unwrap_or(1);
                PlannedRequest::own(number as usize, request, share)
                    .ok_or(RequestErrorKind::ShareTooLarge)
            }
        }
    }

    /// The scheduler above a thread.
    fn parent_node(&self, id: ThreadId) -> Result<NodeId, RequestErrorKind> {
        self.hierarchy.parent_of(id).map_err(|why| RequestErrorKind::Refused(why.to_string()))
    }

    /// The request that ends a thread's reservation: the thread returns to its former scheduler with its former parameters, or stays.
    fn unreserve(&self, number: u32) -> Result<PlannedRequest, RequestErrorKind> {
        let thread = number as usize;
        let reservation = self.threads.list[thread].reservation.as_ref();
        let Reservation { from, .. } = reservation.ok_or(RequestErrorKind::NoReservation)?;
        let Some(from) = from else {
            return Ok(PlannedRequest::Thread(thread, Message::Unreserve));
        };
        let gone = self.hierarchy.find_node(from).is_none();
        let default = self.hierarchy.default_node().filter(|_| gone);
        let to = default.and_then(|node| self.hierarchy.name(node)).unwrap_or(from).to_owned();
        let messages = self.home(number, &to).unwrap_or_default();
        Ok(PlannedRequest::Move { thread, to, messages })
    }

    /// The messages that were sent for a thread to its first scheduler, if that is `to`.
    pub fn home(&self, number: u32, to: &str) -> Option<Vec<Message>> {
        let thread = self.threads.list.get(number as usize)?;
        let entry = thread.entry().map_or(number, |entry| entry);
        let planned = self.threads.list.get(entry as usize)?.planned();
        (self.hierarchy.name(planned.parent) == Some(to)).then(|| planned.messages.clone())
    }

    /// Whether a thread may move itself to a scheduler.
    ///
    /// # Errors
    /// Why not.
    pub fn may_move(&self, number: u32, to: &str) -> Result<(), RequestErrorKind> {
        let home = self.threads.list[number as usize].planned().parent;
        let Some(node) = self.hierarchy.find_node(to) else {
            return Err(RequestErrorKind::UnknownScheduler(to.to_owned()));
        };
        if lies_at_or_below(&self.hierarchy, node, home) {
            return Ok(());
        }
        let home = self.hierarchy.name(home).map(str::to_owned);
        Err(RequestErrorKind::NotBelowHome { to: to.to_owned(), home })
    }

    /// The scheduler that a thread left for its reservation.
    pub fn former(&self, number: u32) -> Option<&str> {
        self.threads.list.get(number as usize)?.reservation.as_ref()?.from.as_deref()
    }

    /// Records the state that a request about a thread finds, before the request is carried out.
    pub(crate) fn before(&self, request: &PlannedRequest) -> Option<Before> {
        let thread = u32::try_from(request.thread()?).ok()?;
        let id = self.threads.list.get(thread as usize)?.id?;
        let reserves = request.reserves();
        Some(Before {
            thread,
            parent: self.hierarchy.parent_of(id).ok(),
            reserves,
            ends: !reserves
                && matches!(
                    request,
                    PlannedRequest::Move { .. } | PlannedRequest::Thread(_, Message::Unreserve)
                ),
        })
    }

    /// Records that a request was carried out or refused.
    pub(crate) fn after(&mut self, before: Option<Before>, done: bool) {
        if let Some(Before { thread, parent, reserves, ends }) = before {
            if self.requester != Some(thread) {
                self.notice(thread, if done { Notice::Accepted } else { Notice::Refused });
            }
            if done && reserves {
                self.reserved(thread, parent);
            } else if done && ends {
                self.reservation_ended(thread);
            }
        }
        if done {
            self.look_at_reservations();
            self.tasks_elsewhere_are_lost();
        }
    }

    /// Records that a thread has a reservation at the scheduler above it. The thread left `before` for it.
    pub(crate) fn reserved(&mut self, thread: u32, before: Option<NodeId>) {
        let slot = &self.threads.list[thread as usize];
        let node = slot.id.and_then(|id| self.hierarchy.parent_of(id).ok());
        let Some(node) = node else { return };
        let kept = slot.reservation.as_ref().and_then(|reservation| reservation.from.clone());
        let came = before.filter(|before| *before != node);
        let came = came.and_then(|before| self.hierarchy.name(before)).map(str::to_owned);
        let from = kept.or(came);
        self.threads.list[thread as usize].reservation = Some(Reservation { node, from });
    }

    /// Records the reservation that a thread begins with, if it has one.
    pub(crate) fn begins_reserved(&mut self, thread: u32) {
        let messages = &self.threads.list[thread as usize].planned().messages;
        if messages.iter().any(|message| matches!(message, Message::Reserve { .. })) {
            self.reserved(thread, None);
        }
    }

    fn reservation_ended(&mut self, thread: u32) {
        if self.threads.list[thread as usize].reservation.take().is_some() {
            self.notice(thread, Notice::ReservationEnded);
        }
    }

    /// Finds reservations that ended because their threads are below other schedulers.
    pub(crate) fn look_at_reservations(&mut self) {
        for number in 0..self.threads.list.len() {
            let thread = &self.threads.list[number];
            let Some(Reservation { node, .. }) = thread.reservation else { continue };
            let parent = thread.id.map(|id| self.hierarchy.parent_of(id).ok());
            if parent.is_some_and(|parent| parent != Some(node)) {
                self.reservation_ended(u32::try_from(number).expect("numbered by 32 bits"));
            }
        }
    }

    /// Starts or stops keeping a thread's notices for [`take_notices`](Self::take_notices).
    pub fn keep_notices(&mut self, number: u32, keep: bool) {
        if let Some(thread) = self.threads.list.get_mut(number as usize) {
            (thread.keeps_notices, thread.notices) = (keep, Notices::default());
        }
        self.watch_promises(number, keep);
    }

    /// Takes the notices that were kept for a thread.
    pub fn take_notices(&mut self, number: u32) -> Notices {
        let thread = self.threads.list.get_mut(number as usize);
        thread.map(|thread| std::mem::take(&mut thread.notices)).unwrap_or_default()
    }

    /// Whether notices were kept since the last call.
    pub fn has_notices(&mut self) -> bool {
        std::mem::take(&mut self.step.noticed)
    }

    /// Sends a thread a notice, if it wants any.
    pub(crate) fn notice(&mut self, number: u32, notice: Notice) {
        if self.threads.list[number as usize].keeps_notices {
            self.threads.list[number as usize].notices.insert(notice);
            self.step.noticed = true;
        }
        if self.programs.wants_notices(number) {
            self.step.notices.push((number, notice));
        }
    }

    /// Sends a notice to the thread that a journal entry is about.
    pub(crate) fn journal_notice(&mut self, entry: &JournalEntry) {
        if let JournalEvent::Noted {
            note: Note::Exhausted,
            about: Some(Target::Thread(thread)),
            ..
        } = entry.what
            && let Some(number) = self.number(thread)
        {
            self.notice(number, Notice::BudgetUsedUp);
        }
    }

    /// Starts or stops periodic checks of the promises to a thread.
    pub(crate) fn watch_promises(&mut self, number: u32, watch: bool) {
        if watch {
            self.agenda.set(Due::Look(number), self.machine.now().saturating_add(LOOK));
        } else if !self.programs.wants_notices(number) {
            self.agenda.cancel(Due::Look(number));
        }
    }

    /// Sends a thread a notice if a promise to it is no longer kept.
    pub(crate) fn look_at_promises_of(&mut self, number: u32) {
        let thread = &self.threads.list[number as usize];
        let wanted = thread.keeps_notices || self.programs.wants_notices(number);
        if thread.id.is_none() || !wanted {
            return;
        }
        self.watch_promises(number, true);
        if self.promises.is_judged(number) {
            self.account_all();
            let now = self.machine.now();
            let within = (self.agenda.resolution.resolution(), M::PRECISION);
            if self.promises.newly_broken(number, now, within) {
                self.notice(number, Notice::PromiseBroken);
            }
        }
    }

    /// Posts notices to processes. There are hardly ever any, and this is asked at every instant.
    #[inline]
    pub(crate) fn post_notices(&mut self) {
        if !self.step.notices.is_empty() {
            self.post_all();
        }
    }

    #[cold]
    fn post_all(&mut self) {
        while !self.step.notices.is_empty() {
            let mut all: BTreeMap<u32, Notices> = BTreeMap::new();
            for (number, notice) in std::mem::take(&mut self.step.notices) {
                all.entry(number).or_default().insert(notice);
            }
            for (number, notices) in all {
                ProgramRuntime::notify(self, number, notices);
            }
        }
    }
}

/// Whether a scheduler lies at or below another.
fn lies_at_or_below(hierarchy: &Hierarchy, node: NodeId, above: NodeId) -> bool {
    node == above
        || hierarchy.parents(node).any(|parent| lies_at_or_below(hierarchy, parent, above))
}

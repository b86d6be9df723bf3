//! Some of the processes of a model, and all that is known of them; what others are told goes out as messages.
//!
//! A plain state machine: whoever drives it says which process handles its next event, and until when all is certain. Invariants: an event waits or is done, each once; the events of a process that are
//! done are in order, and before all of its that wait; what is certain is before all that wait.

use crate::commit::{Certain, Committer};
use crate::context::Effects;
use crate::event::Entry;
use crate::history::History;
use crate::panics::said;
use crate::pool::NOWHERE;
use crate::ready::Ready;
use crate::store::{Room, Store};
use crate::{Cancellation, Counts, Key, Model, ProcessNumber, RunError};
use std::any::Any;
use std::collections::TryReserveError;
use windfall_time::{Instant, Span};

/// A message from one part to another.
#[derive(Debug)]
pub(crate) enum Message<E> {
    /// An event is sent.
    Event(Entry<E>),
    /// An event that was sent is taken back.
    Cancel(Key),
}

impl<E> Message<E> {
    pub(crate) const fn key(&self) -> Key {
        match self {
            Message::Event(entry) => entry.key,
            Message::Cancel(key) => *key,
        }
    }
}

/// The processes of a model at their beginning, in so many parts.
pub(crate) fn begin<M: Model>(
    model: &M,
    parts: u32,
    most: usize,
    cancellation: Cancellation,
) -> Result<(Vec<Part<M>>, Committer), RunError> {
    let mut committer = Committer::new(most);
    let (mut effects, mut sent, mut processes) = (Effects::new(), Vec::new(), Vec::new());
    for me in (0..model.processes()).map(ProcessNumber) {
        let before = sent.len();
        processes.push(History::start(model, me, &mut effects, &mut sent)?);
        committer.comes(me, sent.len() - before)?;
    }
    let parts = divide(model, processes, sent, (parts, cancellation));
    Ok((parts, committer))
}

/// The processes of a model in the middle of a run in order: their states and how many events each has sent, and all that wait.
pub(crate) fn resume<M: Model>(
    model: &M,
    states: impl Iterator<Item = (M::State, u64)>,
    waiting: Vec<Entry<M::Event>>,
    parts: (u32, Cancellation),
) -> Vec<Part<M>> {
    let processes = (0..).map(ProcessNumber).zip(states);
    let processes = processes.map(|(me, (state, sent))| History::at(state, sent, model.saving(me)));
    divide(model, processes.collect(), waiting, parts)
}

/// Consecutive processes to each part, and what waits to its process.
fn divide<M: Model>(
    model: &M,
    processes: Vec<History<M>>,
    waiting: Vec<Entry<M::Event>>,
    (parts, cancellation): (u32, Cancellation),
) -> Vec<Part<M>> {
    let each = model.processes().div_ceil(parts.max(1)).max(1);
    let mut all: Vec<Part<M>> = Vec::new();
    for (me, process) in (0..).zip(processes) {
        if me % each == 0 {
            all.push(Part::new(ProcessNumber(me), each, cancellation));
        }
        if let Some(part) = all.last_mut() {
            part.processes.push(process);
        }
    }
    for part in &mut all {
        part.ready = Ready::new(part.base, part.processes.len());
    }
    for entry in waiting {
        let part = (entry.key.to.0 / each) as usize;
        all[part].receive(model, Message::Event(entry));
    }
    all
}

/// The counts of events that are here.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// It has come to wait, for the first time.
    Came(Key),
    /// It was taken back.
    Gone(Key),
}

/// Consecutive processes.
// Fields: the processes, their events and what orders them, how many there are, and what others are told.
#[derive(Debug)]
pub(crate) struct Part<M: Model> {
    base: ProcessNumber,
    /// So many processes has each part, but perhaps the last.
    each: u32,
    processes: Vec<History<M>>,
    ready: Ready,
    waiting: usize,
    done: usize,
    store: Store<M>,
    /// For other parts, in this order.
    pub(crate) outgoing: Vec<Message<M::Event>>,
    /// Arrivals and departures, in this order, if they are recorded.
    pub(crate) changes: Option<Vec<Change>>,
}

impl<M: Model> Part<M> {
    /// A part without processes, from this one on.
    pub(crate) fn new(base: ProcessNumber, each: u32, cancellation: Cancellation) -> Self {
        Part {
            base,
            each,
            processes: Vec::new(),
            ready: Ready::new(base, 0),
            waiting: 0,
            done: 0,
            store: Store::new(cancellation),
            outgoing: Vec::new(),
            changes: None,
        }
    }

    /// Which of all parts has this process.
    pub(crate) const fn of(&self, process: ProcessNumber) -> usize {
        (process.0 / self.each) as usize
    }

    /// Its place among the processes here; `None` if it is elsewhere.
    #[inline]
    fn place(&self, process: ProcessNumber) -> Option<usize> {
        let place = process.0.checked_sub(self.base.0)? as usize;
        (place < self.processes.len()).then_some(place)
    }

    /// The event that a process would handle next.
    pub(crate) fn next_of(&self, process: ProcessNumber) -> Option<Key> {
        self.processes[self.place(process)?].next(&self.store)
    }

    /// All events that are here, in no order.
    pub(crate) fn all(&self) -> impl Iterator<Item = Key> {
        self.store.events.iter().map(|node| node.key)
    }

    /// Whether one more event may be handled ahead, if so many may be done.
    #[inline]
    pub(crate) const fn has_room(&self, ahead: usize) -> bool {
        self.done < ahead && self.store.has_room()
    }

    /// Takes room for so much.
    pub(crate) fn reserve(&mut self, room: Room) -> Result<(), TryReserveError> {
        let (kept, copies) = self.kept();
        let copies = if copies > 0 { copies.saturating_add(room.ahead) } else { 0 };
        self.store.reserve(room, (kept, copies))
    }

    /// How many events its processes keep to go back to copies, at most, and how many copies beside one for each event that is done ahead.
    pub(crate) fn kept(&self) -> (usize, usize) {
        let kept = self.processes.iter().map(History::kept);
        kept.fold((0, 0_usize), |(events, copies), (more, copy)| {
            (more.saturating_add(events), copies + copy)
        })
    }

    /// An event that waits.
    pub(crate) fn waiting(&self, key: Key) -> Option<&M::Event> {
        self.processes[self.place(key.to)?].waiting(&self.store, key)
    }

    /// The first event that waits and may be handled.
    #[inline]
    pub(crate) fn next(&self) -> Option<Key> {
        self.next_of(self.ready.first()?)
    }

    /// The first event that is done and not certain.
    #[inline]
    pub(crate) fn first_done(&self) -> Option<Key> {
        let Store { handled, events, .. } = &self.store;
        handled.first(events).map(|first| events[first].key)
    }

    /// How many events are here.
    pub(crate) const fn events(&self) -> usize {
        self.waiting + self.done
    }

    /// No event of any process can come before this any longer, as far as this part knows: what is handled, sent or taken back here is not earlier. `None` if nothing waits.
    pub(crate) fn least(&self) -> Option<Instant> {
        let next = self.next().map(|next| next.at);
        let held = match self.store.cancellation {
            // What the first event sent, which is later, is sent when it is certain.
            Cancellation::WithoutRisk => {
                self.first_done().map(|first| first.at.saturating_add(Span::from_nanos(1)))
            }
            Cancellation::Aggressive | Cancellation::Lazy => None,
        };
        next.into_iter().chain(held).min()
    }

    /// A process handles its next event, `key`; what it sends may undo others.
    pub(crate) fn handle(&mut self, model: &M, key: Key) {
        let Some(place) = self.place(key.to) else { return };
        self.processes[place].handle(model, &mut self.store);
        self.waiting -= 1;
        self.done += 1;
        self.follow(model);
        self.refresh(key.to);
    }

    /// Another part says something.
    pub(crate) fn receive(&mut self, model: &M, message: Message<M::Event>) {
        match message {
            Message::Event(entry) => self.store.sent.push(entry),
            Message::Cancel(key) => self.store.cancels.push(key),
        }
        self.follow(model);
    }

    /// Takes back and sends what is to be taken back and sent, and what follows from that.
    fn follow(&mut self, model: &M) {
        self.take_back(model);
        let mut sent = core::mem::take(&mut self.store.sent);
        for entry in sent.drain(..) {
            let (key, to) = (entry.key, entry.key.to);
            let Some(place) = self.place(to) else {
                self.outgoing.push(Message::Event(entry));
                continue;
            };
            let undone = self.processes[place].deliver(model, entry, &mut self.store);
            self.waiting += 1;
            self.undone(to, undone);
            self.changes.iter_mut().for_each(|changes| changes.push(Change::Came(key)));
        }
        self.store.sent = sent;
        self.take_back(model);
    }

    #[inline]
    fn take_back(&mut self, model: &M) {
        while let Some(key) = self.store.cancels.pop() {
            let Some(place) = self.place(key.to) else {
                self.outgoing.push(Message::Cancel(key));
                continue;
            };
            self.store.counts.cancelled += 1;
            let undone = self.processes[place].take_back(model, key, &mut self.store);
            self.undone(key.to, undone);
            self.waiting -= 1;
            self.changes.iter_mut().for_each(|changes| changes.push(Change::Gone(key)));
        }
    }

    /// So many events of a process wait again.
    fn undone(&mut self, process: ProcessNumber, undone: usize) {
        self.waiting += undone;
        self.done -= undone;
        self.refresh(process);
    }

    fn refresh(&mut self, process: ProcessNumber) {
        let place = (process.0 - self.base.0) as usize;
        self.ready.set(process, self.processes[place].next(&self.store).map(|next| next.at));
    }

    /// The first event that is done is certain now; what came of it is kept there, or it [is plain](crate::commit::Fact::is_plain), as is returned.
    #[inline]
    pub(crate) fn commit(&mut self, model: &M, first: Key, certain: &mut Certain<M>) -> bool {
        let place = (first.to.0 - self.base.0) as usize;
        let is_plain = self.processes[place].commit(&mut self.store, certain);
        self.done -= 1;
        self.follow(model);
        is_plain
    }

    pub(crate) fn states(&self) -> impl ExactSizeIterator<Item = &M::State> {
        self.processes.iter().map(|history| &history.state)
    }

    pub(crate) const fn counts(&self) -> Counts {
        self.store.counts
    }

    /// Why the run is over after a panic: where it was one of the model at an event, that.
    pub(crate) fn interrupted(&self, panic: &(dyn Any + Send)) -> RunError {
        match self.store.at {
            NOWHERE => RunError::Interrupted,
            at => {
                let event = self.store.events[at].key;
                RunError::StatePanicked { event, message: said(panic) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::event::Node;
    use crate::pool::Pool;

    /// A process that does nothing.
    struct Nothing;

    impl Model for Nothing {
        type State = ();
        type Event = u64;
        type Output = ();
        type Change = ();

        fn processes(&self) -> u32 {
            1
        }

        fn start(&self, _: &mut Context<'_, Self>) {}

        fn handle(&self, (): &mut (), _: &u64, _: &mut Context<'_, Self>) {}

        fn undo(&self, (): &mut (), (): ()) {}
    }

    #[test]
    fn limit_a_process_takes_96_bytes_beside_its_state_and_its_events_and_an_event_64() {
        // Its place in the heap of processes, and where that is.
        let ready = size_of::<u128>() + size_of::<u32>();
        assert!(size_of::<History<Nothing>>() + ready <= 96);
        assert_eq!(Pool::<Node<u64>>::SIZE, 64);
    }
}

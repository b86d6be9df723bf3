//! A process: its state, what waits for it, what it has done, and by which it goes back.
//!
//! Its events, and what came of them, are in the pools of a part ([`Store`]); it knows where the first are.

use crate::commit::{Certain, Fact};
use crate::context::{Context, Effects, Sent};
use crate::event::{Entry, Node};
use crate::panics::said;
use crate::pool::{NOWHERE, Place};
use crate::store::{Effect, Logged, Store, turn};
use crate::unsure::{Unsure, take_unsure};
use crate::waiting::Waiting;
use crate::{Cancellation, Key, Model, ProcessNumber, RunError, Saving};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use windfall_time::Instant;

/// A process.
// Fields: what waits, what is done, what came of that, and what saves the state, each with its own order.
#[derive(Debug)]
pub(crate) struct History<M: Model> {
    pub(crate) state: M::State,
    /// How many events it has sent.
    sent: u64,
    waiting: Waiting,
    /// Its handled events, from the oldest copy on if it is saved by copies: the first of these, the first that is not certain, and the last.
    oldest: Place,
    first: Place,
    last: Place,
    /// How many events it has done since the last copy.
    since: u32,
    saving: Saving,
    /// With lazy cancellation: what undone causes sent.
    unsure: Place,
    /// Why the run ends if the last event that is done becomes certain. No other is handled.
    failed: Option<Box<RunError>>,
}

impl<M: Model> History<M> {
    /// A process at its beginning, with what it sends there.
    pub(crate) fn start(
        model: &M,
        me: ProcessNumber,
        effects: &mut Effects<M>,
        to: &mut Vec<Entry<M::Event>>,
    ) -> Result<Self, RunError> {
        let key = Key { at: Instant::ZERO, to: me, from: me, number: 0 };
        let state = model.start(&mut Context::new(key, effects, false));
        let mut history = History::at(state, 0, model.saving(me));
        effects.sent.iter().try_for_each(|sent| sent.check(me, None, model.processes()))?;
        if !effects.outputs.is_empty() {
            return Err(RunError::EarlyOutput { from: me });
        }
        to.extend(effects.sent.drain(..).map(|sent| history.number(me, sent)));
        Ok(history)
    }

    /// A process of which all so far is certain.
    pub(crate) const fn at(state: M::State, sent: u64, saving: Saving) -> Self {
        History {
            state,
            sent,
            waiting: Waiting::NONE,
            oldest: NOWHERE,
            first: NOWHERE,
            last: NOWHERE,
            since: 0,
            saving,
            unsure: NOWHERE,
            failed: None,
        }
    }

    fn number(&mut self, me: ProcessNumber, sent: Sent<M::Event>) -> Entry<M::Event> {
        let Sent { to, at, event } = sent;
        let key = Key { at, to, from: me, number: self.sent };
        self.sent += 1;
        Entry { key, event }
    }

    /// How many events it keeps to go back to a copy, at most, and how many copies beside one for each of those that are done ahead.
    pub(crate) fn kept(&self) -> (usize, usize) {
        match self.saving {
            Saving::Log => (0, 0),
            Saving::Copies { every } => (every.max(1) as usize, 1),
        }
    }

    /// The event that it would handle next; `None` if none waits, or if the last one must not become certain.
    #[inline]
    pub(crate) fn next(&self, store: &Store<M>) -> Option<Key> {
        let first = self.waiting.first().filter(|_| self.failed.is_none());
        first.map(|first| store.events[first].key)
    }

    /// An event that waits; it looks at all that are not later.
    pub(crate) fn waiting<'a>(&self, store: &'a Store<M>, key: Key) -> Option<&'a M::Event> {
        self.waiting.find(&store.events, key).map(|place| &store.events[place].event)
    }

    /// Handles the next event, of which there must be one.
    pub(crate) fn handle(&mut self, model: &M, store: &mut Store<M>) {
        let Some(place) = self.waiting.pop(&mut store.events) else { return };
        let saved = self.save(store, place);
        let logs = self.logs();
        store.counts.handled += 1;
        let Store { events, effects, .. } = store;
        let Node { key, event, .. } = &events[place];
        let key = *key;
        let handled = saved.and_then(|()| {
            let handled = catch_unwind(AssertUnwindSafe(|| {
                model.handle(&mut self.state, event, &mut Context::new(key, effects, logs));
            }));
            let message = |panic: Box<dyn Any + Send>| said(panic.as_ref());
            handled.map_err(|panic| RunError::Panicked { event: key, message: message(panic) })
        });
        let processes = model.processes();
        let mut all = effects.sent.iter();
        let may = handled
            .and_then(|()| all.try_for_each(|sent| sent.check(key.to, Some(key), processes)));
        store.at = place;
        let last = self.keep(store, key, may);
        store.at = NOWHERE;
        store.events[place].effects = last;
        if self.unsure != NOWHERE {
            self.forget_unsure(store, key);
        }
        let node = &mut store.events[place];
        (node.next, node.last) = (NOWHERE, self.last);
        match core::mem::replace(&mut self.last, place) {
            NOWHERE => self.oldest = place,
            before => store.events[before].next = place,
        }
        if self.first == NOWHERE {
            self.first = place;
        }
        store.handled.push(&mut store.events, place);
    }

    /// Keeps what came of an event, and sends what it sent. Returns the place of the last effect.
    #[inline]
    fn keep(&mut self, store: &mut Store<M>, key: Key, may: Result<(), RunError>) -> Place {
        let Store { cancellation, log, unsure, effects, cancels, sent, counts, ahead, .. } = store;
        let mut last = NOWHERE;
        let mut keep = |effect| last = log.put(Logged { effect, last });
        effects.changes.drain(..).for_each(|change| keep(Effect::Change(change)));
        if let Err(error) = may {
            effects.clear();
            self.failed = Some(Box::new(error));
            return last;
        }
        effects.outputs.drain(..).for_each(|output| keep(Effect::Output(output)));
        *ahead += effects.sent.len();
        for next in effects.sent.drain(..) {
            let entry = self.number(key.to, next);
            if *cancellation != Cancellation::WithoutRisk {
                let before =
                    take_unsure(unsure, &mut self.unsure, |old| old.entry.key == entry.key);
                *ahead -= usize::from(before.is_some());
                match before.map(|old| old.entry) {
                    Some(before) if before == entry => counts.kept += 1,
                    // It has the name of another event, which goes first.
                    Some(before) => {
                        cancels.push(before.key);
                        sent.push(entry.clone());
                    }
                    None => sent.push(entry.clone()),
                }
            }
            keep(Effect::Sent(entry));
        }
        last
    }

    /// Takes back the events that this cause sent before it was undone, and has not sent again.
    fn forget_unsure(&mut self, store: &mut Store<M>, cause: Key) {
        let of_cause = |old: &Unsure<M::Event>| old.cause == cause;
        while let Some(old) = take_unsure(&mut store.unsure, &mut self.unsure, of_cause) {
            store.ahead -= 1;
            store.cancels.push(old.entry.key);
        }
    }

    /// An event comes to wait. Later ones that are done are undone. Returns how many.
    pub(crate) fn deliver(
        &mut self,
        model: &M,
        Entry { key, event }: Entry<M::Event>,
        store: &mut Store<M>,
    ) -> usize {
        let undone = self.undo_from(model, key, store);
        let place = store.events.put(Node::new(key, event));
        self.waiting.push(&mut store.events, place);
        undone
    }

    /// An event that waits, or is done, is taken back, with all that came of it. Returns how many were undone.
    pub(crate) fn take_back(&mut self, model: &M, key: Key, store: &mut Store<M>) -> usize {
        let undone = self.undo_from(model, key, store);
        if let Some(place) = self.waiting.find(&store.events, key) {
            self.waiting.remove(&mut store.events, place);
            store.events.take(place);
        }
        self.forget_unsure(store, key);
        undone
    }

    /// Undoes all events from `key` on; they wait again. Returns how many.
    fn undo_from(&mut self, model: &M, key: Key, store: &mut Store<M>) -> usize {
        let mut undone = 0;
        let mut copy = NOWHERE;
        while self.last != NOWHERE && store.events[self.last].key >= key {
            debug_assert!(self.first != NOWHERE, "what is certain is not undone");
            let place = self.last;
            store.at = place;
            store.handled.remove(&mut store.events, place);
            let node = &mut store.events[place];
            self.last = node.last;
            let mut effect = core::mem::replace(&mut node.effects, NOWHERE);
            let before = core::mem::replace(&mut node.copy, NOWHERE);
            let cause = node.key;
            if self.first == place {
                self.first = NOWHERE;
            }
            while effect != NOWHERE {
                let Logged { effect: undoes, last } = store.log.take(effect);
                effect = last;
                self.take_effect_back(model, store, (cause, undoes));
            }
            if copy != NOWHERE {
                store.copies.take(copy);
            }
            copy = before;
            self.failed = None;
            self.waiting.push(&mut store.events, place);
            undone += 1;
        }
        store.at = NOWHERE;
        if undone == 0 {
            return 0;
        }
        match self.last {
            NOWHERE => self.oldest = NOWHERE,
            last => store.events[last].next = NOWHERE,
        }
        store.counts.undone += undone as u64;
        if !self.logs() {
            self.restore(model, store, copy);
        }
        undone
    }

    fn take_effect_back(
        &mut self,
        model: &M,
        store: &mut Store<M>,
        (cause, undoes): (Key, Effect<M>),
    ) {
        match undoes {
            Effect::Change(change) => model.undo(&mut self.state, change),
            Effect::Output(_) => {}
            Effect::Sent(entry) => {
                self.sent -= 1;
                store.ahead -= usize::from(store.cancellation != Cancellation::Lazy);
                match store.cancellation {
                    Cancellation::Aggressive => store.cancels.push(entry.key),
                    Cancellation::Lazy => {
                        let next = self.unsure;
                        self.unsure = store.unsure.put(Unsure { cause, entry, next });
                    }
                    Cancellation::WithoutRisk => {}
                }
            }
        }
    }

    fn logs(&self) -> bool {
        self.saving == Saving::Log
    }

    /// Copies the state before an event, if it is time. If that panics, the event is not handled, and there is nothing to go back from.
    fn save(&mut self, store: &mut Store<M>, place: Place) -> Result<(), RunError> {
        let Saving::Copies { every } = self.saving else { return Ok(()) };
        if self.last == NOWHERE || self.since >= every {
            let copy = catch_unwind(AssertUnwindSafe(|| self.state.clone())).map_err(|panic| {
                let (event, message) = (store.events[place].key, said(panic.as_ref()));
                RunError::StatePanicked { event, message }
            })?;
            store.events[place].copy = store.copies.put(copy);
            self.since = 0;
        }
        self.since += 1;
        Ok(())
    }

    /// Sets the state to what it was after the last event that is done; `copy` is one of that, if there is one.
    fn restore(&mut self, model: &M, store: &mut Store<M>, copy: Place) {
        let Store { events, copies, effects, counts, at: running, .. } = store;
        let mut at = self.last;
        self.since = 0;
        while at != NOWHERE {
            self.since += 1;
            if events[at].copy != NOWHERE {
                break;
            }
            at = events[at].last;
        }
        if copy != NOWHERE {
            self.state = copies.take(copy);
            return;
        }
        *running = at;
        if at != NOWHERE {
            self.state.clone_from(&copies[events[at].copy]);
        }
        while at != NOWHERE {
            *running = at;
            let node = &events[at];
            model.handle(&mut self.state, &node.event, &mut Context::new(node.key, effects, false));
            effects.clear();
            counts.repeated += 1;
            at = node.next;
        }
        *running = NOWHERE;
    }

    /// The first event that is not certain is certain now, and what came of it comes after all that is certain before, but if it [is plain](Fact::is_plain). Without risk, what it sent is sent now. Returns whether it is plain.
    pub(crate) fn commit(&mut self, store: &mut Store<M>, certain: &mut Certain<M>) -> bool {
        let place = self.first;
        let Store { cancellation, events, handled, log, sent, ahead, .. } = store;
        handled.remove(events, place);
        let Node { key: event, next, effects, .. } = events[place];
        let mut effect = turn(log, effects);
        let mut fact = Fact { event, sent: 0, outputs: 0, failed: None };
        while effect != NOWHERE {
            let Logged { effect: certainly, last: next } = log.take(effect);
            effect = next;
            match certainly {
                Effect::Change(_) => {}
                Effect::Output(output) => {
                    fact.outputs += 1;
                    certain.outputs.push_back(output);
                }
                Effect::Sent(entry) => {
                    fact.sent += 1;
                    if *cancellation == Cancellation::WithoutRisk {
                        sent.push(entry);
                    }
                }
            }
        }
        *ahead -= fact.sent;
        events[place].effects = NOWHERE;
        self.first = next;
        if next == NOWHERE {
            fact.failed.clone_from(&self.failed);
        }
        self.forget(store, place);
        let is_plain = fact.is_plain();
        if !is_plain {
            certain.events.push_back(fact);
        }
        is_plain
    }

    /// Drops what no rollback needs any longer, now that this event is certain.
    fn forget(&mut self, store: &mut Store<M>, certain: Place) {
        let has_copy = |place: &Place| *place != NOWHERE && store.events[*place].copy != NOWHERE;
        let needed = match self.saving {
            Saving::Log => self.first,
            Saving::Copies { .. } => {
                let needed = [self.first, certain].into_iter().find(has_copy);
                needed.unwrap_or(self.oldest)
            }
        };
        while self.oldest != needed {
            let Node { next, copy, .. } = store.events.take(self.oldest);
            if copy != NOWHERE {
                store.copies.take(copy);
            }
            self.oldest = next;
        }
        match needed {
            NOWHERE => self.last = NOWHERE,
            needed => store.events[needed].last = NOWHERE,
        }
    }
}

//! A process: its state, what waits for it, what it has done, and by which it goes back.

use crate::context::{Context, Effects, Sent};
use crate::event::Entry;
use crate::heap::{Heap, is_idle};
use crate::sequential::said;
use crate::{Cancellation, Counts, Key, Model, ProcessNumber, RunError, Saving};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use windfall_time::Instant;

/// An event that was handled.
#[derive(Debug)]
struct Done<E> {
    key: Key,
    event: E,
    /// So many entries of the log came of it; none is left when it is certain.
    effects: usize,
}

/// What came of an event.
#[derive(Debug)]
enum Effect<M: Model> {
    Sent(Entry<M::Event>),
    Output(M::Output),
    Change(M::Change),
}

/// What follows when processes handle or undo events.
#[derive(Debug)]
pub(crate) struct Follows<M: Model> {
    pub(crate) cancellation: Cancellation,
    effects: Effects<M>,
    /// These are to be taken back.
    pub(crate) cancels: Vec<Key>,
    /// After that, these are to be sent.
    pub(crate) sent: Vec<Entry<M::Event>>,
    pub(crate) counts: Counts,
}

impl<M: Model> Follows<M> {
    pub(crate) fn new(cancellation: Cancellation) -> Self {
        let (cancels, sent) = (Vec::new(), Vec::new());
        Follows { cancellation, effects: Effects::new(), cancels, sent, counts: Counts::default() }
    }
}

/// What came of an event that is certain.
#[derive(Debug)]
pub(crate) struct Certain<M: Model> {
    /// How many events it has sent.
    pub(crate) sent: usize,
    pub(crate) outputs: Vec<M::Output>,
    /// Why the run ends here.
    pub(crate) failed: Option<Box<RunError>>,
}

impl<M: Model> Certain<M> {
    /// Whether nothing came of it but one other event: in order as many wait then as before.
    pub(crate) const fn is_plain(&self) -> bool {
        self.sent == 1 && self.outputs.is_empty() && self.failed.is_none()
    }
}

/// A process.
// Fields: what waits, what is done, what came of that, and what saves the state, each with its own order.
#[derive(Debug)]
pub(crate) struct History<M: Model> {
    pub(crate) state: M::State,
    /// How many events it has sent.
    sent: u64,
    waiting: Heap<M::Event>,
    /// What it has done, from the oldest copy on if it is saved by copies.
    done: VecDeque<Done<M::Event>>,
    /// So many of these, the first, are certain.
    certain: usize,
    /// What came of the others.
    log: VecDeque<Effect<M>>,
    /// Copies of the state, each with how many of those that are done come before it.
    copies: VecDeque<(usize, M::State)>,
    saving: Saving,
    /// With lazy cancellation: undone causes, which wait, and what they sent.
    unsure: Vec<(Key, Entry<M::Event>)>,
    /// Why the run ends if the last event that is done becomes certain. No other is handled.
    failed: Option<Box<RunError>>,
}

impl<M: Model> History<M> {
    /// A process at its beginning, with what it sends there.
    pub(crate) fn start(
        model: &M,
        me: ProcessNumber,
        follows: &mut Follows<M>,
    ) -> Result<Self, RunError> {
        let key = Key { at: Instant::ZERO, to: me, from: me, number: 0 };
        let state = model.start(&mut Context::new(key, &mut follows.effects, false));
        let mut history = History::at(state, 0, model.saving(me));
        let sent = &mut follows.effects.sent;
        sent.iter().try_for_each(|sent| sent.check(me, None, model.processes()))?;
        if !follows.effects.outputs.is_empty() {
            return Err(RunError::EarlyOutput { from: me });
        }
        follows.sent.extend(sent.drain(..).map(|sent| history.number(me, sent)));
        Ok(history)
    }

    /// A process of which all so far is certain.
    pub(crate) const fn at(state: M::State, sent: u64, saving: Saving) -> Self {
        History {
            state,
            sent,
            waiting: Heap::new(),
            done: VecDeque::new(),
            certain: 0,
            log: VecDeque::new(),
            copies: VecDeque::new(),
            saving,
            unsure: Vec::new(),
            failed: None,
        }
    }

    fn number(&mut self, me: ProcessNumber, sent: Sent<M::Event>) -> Entry<M::Event> {
        let Sent { to, at, event } = sent;
        let key = Key { at, to, from: me, number: self.sent };
        self.sent += 1;
        Entry { key, event }
    }

    /// The event that it would handle next; `None` if none waits, or if the last one must not become certain.
    #[inline]
    pub(crate) fn next(&self) -> Option<Key> {
        let first = self.waiting.first().filter(|_| self.failed.is_none());
        first.map(|entry| entry.key)
    }

    /// All events that are done and not certain.
    pub(crate) fn all_done(&self) -> impl Iterator<Item = Key> {
        self.done.range(self.certain..).map(|done| done.key)
    }

    /// All events that wait.
    pub(crate) fn all_waiting(&self) -> impl Iterator<Item = Key> {
        self.waiting.keys()
    }

    /// An event that waits; it looks at all.
    pub(crate) fn waiting(&self, key: Key) -> Option<&M::Event> {
        self.waiting.get(key).map(|entry| &entry.event)
    }

    /// The first event that is done and not certain.
    #[inline]
    pub(crate) fn first_done(&self) -> Option<Key> {
        self.done.get(self.certain).map(|done| done.key)
    }

    /// Handles the next event, of which there must be one.
    pub(crate) fn handle(&mut self, model: &M, follows: &mut Follows<M>) {
        let Some(Entry { key, event }) = self.waiting.pop() else { return };
        self.save();
        let logs = self.logs();
        follows.counts.handled += 1;
        let Follows { cancellation, effects, cancels, sent, counts } = follows;
        let handled = catch_unwind(AssertUnwindSafe(|| {
            model.handle(&mut self.state, &event, &mut Context::new(key, effects, logs));
        }));
        let before = self.log.len();
        let processes = model.processes();
        let mut all = effects.sent.iter();
        let may = match handled {
            Ok(()) => all.try_for_each(|sent| sent.check(key.to, Some(key), processes)),
            Err(panic) => Err(RunError::Panicked { event: key, message: said(panic.as_ref()) }),
        };
        effects.changes.drain(..).for_each(|change| self.log.push_back(Effect::Change(change)));
        match may {
            Ok(()) => {
                let outputs = effects.outputs.drain(..);
                outputs.for_each(|output| self.log.push_back(Effect::Output(output)));
                for next in effects.sent.drain(..) {
                    let entry = self.number(key.to, next);
                    if *cancellation != Cancellation::WithoutRisk {
                        match self.sent_before(&entry) {
                            Some(before) if before == entry => counts.kept += 1,
                            // It has the name of another event, which goes first.
                            Some(before) => {
                                cancels.push(before.key);
                                sent.push(entry.clone());
                            }
                            None => sent.push(entry.clone()),
                        }
                    }
                    self.log.push_back(Effect::Sent(entry));
                }
            }
            Err(error) => {
                effects.clear();
                self.failed = Some(Box::new(error));
            }
        }
        if !self.unsure.is_empty() {
            self.forget_unsure(key, cancels);
        }
        let effects = self.log.len() - before;
        self.done.push_back(Done { key, event, effects });
    }

    /// Takes the event of this name that an undone cause has sent.
    #[inline]
    fn sent_before(&mut self, entry: &Entry<M::Event>) -> Option<Entry<M::Event>> {
        let place = self.unsure.iter().position(|(_, old)| old.key == entry.key)?;
        Some(self.unsure.swap_remove(place).1)
    }

    /// What this cause sent before it was undone, and has not sent again, is taken back.
    pub(crate) fn forget_unsure(&mut self, cause: Key, cancels: &mut Vec<Key>) {
        let old = self.unsure.extract_if(.., |(old, _)| *old == cause);
        cancels.extend(old.map(|(_, entry)| entry.key));
    }

    /// An event comes to wait. Later ones that are done are undone. Returns how many.
    pub(crate) fn deliver(
        &mut self,
        model: &M,
        entry: Entry<M::Event>,
        follows: &mut Follows<M>,
    ) -> usize {
        let undone = self.undo_from(model, entry.key, follows);
        self.waiting.push(entry);
        undone
    }

    /// An event that waits, or is done, is taken back, with all that came of it. Returns how many were undone.
    pub(crate) fn take_back(&mut self, model: &M, key: Key, follows: &mut Follows<M>) -> usize {
        let undone = self.undo_from(model, key, follows);
        self.waiting.remove(key);
        self.forget_unsure(key, &mut follows.cancels);
        undone
    }

    /// Undoes all events from `key` on; they wait again. Returns how many.
    fn undo_from(&mut self, model: &M, key: Key, follows: &mut Follows<M>) -> usize {
        let mut undone = 0;
        while let Some(Done { key, event, effects }) = self.done.pop_back_if(|done| done.key >= key)
        {
            for effect in (0..effects).filter_map(|_| self.log.pop_back()) {
                match effect {
                    Effect::Change(change) => model.undo(&mut self.state, change),
                    Effect::Output(_) => {}
                    Effect::Sent(entry) => {
                        self.sent -= 1;
                        match follows.cancellation {
                            Cancellation::Aggressive => follows.cancels.push(entry.key),
                            Cancellation::Lazy => self.unsure.push((key, entry)),
                            Cancellation::WithoutRisk => {}
                        }
                    }
                }
            }
            self.failed = None;
            self.waiting.push(Entry { key, event });
            undone += 1;
        }
        if undone > 0 {
            debug_assert!(self.done.len() >= self.certain, "what is certain is not undone");
            follows.counts.undone += undone as u64;
            if !self.logs() {
                follows.counts.repeated += self.restore(model);
            }
        }
        undone
    }

    fn logs(&self) -> bool {
        self.saving == Saving::Log
    }

    /// Copies the state before the next event, if it is time.
    fn save(&mut self) {
        let Saving::Copies { every } = self.saving else { return };
        let place = self.done.len();
        let last = self.copies.back().map(|(last, _)| place - last);
        if last.is_none_or(|since| since >= every.max(1) as usize) {
            self.copies.push_back((place, self.state.clone()));
        }
    }

    /// Sets the state to what it was after the last event that is done. Returns how many were handled once more for that.
    fn restore(&mut self, model: &M) -> u64 {
        let place = self.done.len();
        while self.copies.pop_back_if(|(copied, _)| *copied > place).is_some() {}
        let Some((copied, state)) = self.copies.back() else { return 0 };
        self.state = state.clone();
        let mut effects = Effects::<M>::new();
        let mut repeated = 0;
        for done in self.done.range(*copied..) {
            let mut context = Context::new(done.key, &mut effects, false);
            model.handle(&mut self.state, &done.event, &mut context);
            effects.clear();
            repeated += 1;
        }
        repeated
    }

    /// The first event that is not certain is certain now. Without risk, what it sent is sent now.
    pub(crate) fn commit(&mut self, follows: &mut Follows<M>) -> Certain<M> {
        let mut certain = Certain { sent: 0, outputs: Vec::new(), failed: None };
        let Some(done) = self.done.get_mut(self.certain) else { return certain };
        for _ in 0..core::mem::take(&mut done.effects) {
            match self.log.pop_front() {
                None | Some(Effect::Change(_)) => {}
                Some(Effect::Output(output)) => certain.outputs.push(output),
                Some(Effect::Sent(entry)) => {
                    certain.sent += 1;
                    if follows.cancellation == Cancellation::WithoutRisk {
                        follows.sent.push(entry);
                    }
                }
            }
        }
        self.certain += 1;
        if self.certain == self.done.len() {
            certain.failed.clone_from(&self.failed);
        }
        self.forget();
        certain
    }

    /// Drops what no rollback needs any longer.
    fn forget(&mut self) {
        let needed = match self.saving {
            Saving::Log => self.certain,
            Saving::Copies { .. } => {
                while self.copies.get(1).is_some_and(|(second, _)| *second <= self.certain) {
                    self.copies.pop_front();
                }
                self.copies.front().map_or(0, |(copied, _)| *copied)
            }
        };
        (0..needed).for_each(|_| drop(self.done.pop_front()));
        self.copies.iter_mut().for_each(|(copied, _)| *copied -= needed);
        self.certain -= needed;
        give_back(&mut self.done);
        give_back(&mut self.log);
        self.waiting.give_back();
    }
}

/// Gives back half of the room, if [too much](is_idle) is idle.
#[inline]
fn give_back<T>(entries: &mut VecDeque<T>) {
    let room = entries.capacity();
    if is_idle(room, entries.len()) {
        entries.shrink_to(room / 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn limit_a_process_takes_200_bytes_beside_its_state_and_its_events() {
        // Its place in the heap of processes, and where that is.
        let ready = size_of::<u128>() + size_of::<u32>();
        assert!(size_of::<History<Nothing>>() + ready <= 200);
    }
}

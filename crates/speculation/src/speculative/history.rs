//! What a process has done, and by which it goes back.

use crate::context::{Context, Effects};
use crate::event::Entry;
use crate::{Key, Model, RunError, Saving};
use std::collections::VecDeque;

/// An event that was handled.
#[derive(Debug)]
pub(super) struct Done<M: Model> {
    pub(super) key: Key,
    pub(super) event: M::Event,
    pub(super) sent: Vec<Entry<M::Event>>,
    /// How many events the process had sent before.
    pub(super) sent_before: u64,
    pub(super) outputs: Vec<M::Output>,
    pub(super) changes: Vec<M::Change>,
    /// Why the run ends if this becomes certain.
    pub(super) failed: Option<RunError>,
}

/// What came of an event that is certain.
#[derive(Debug)]
pub(super) struct Came<M: Model> {
    pub(super) failed: Option<RunError>,
    pub(super) outputs: Vec<M::Output>,
    pub(super) sent: Vec<Entry<M::Event>>,
}

/// A process: its state, and what it has done, from the oldest copy on if it is saved by copies.
#[derive(Debug)]
pub(super) struct History<M: Model> {
    pub(super) state: M::State,
    /// How many events it has sent.
    pub(super) sent: u64,
    done: VecDeque<Done<M>>,
    /// How many came before the first of these, and how many are certain, from the beginning of the run.
    before: usize,
    certain: usize,
    /// Copies of the state, each with how many events of the run come before it.
    copies: VecDeque<(usize, M::State)>,
    saving: Saving,
}

impl<M: Model> History<M> {
    pub(super) fn new(state: M::State, saving: Saving) -> Self {
        let (done, copies) = (VecDeque::new(), VecDeque::new());
        History { state, sent: 0, done, before: 0, certain: 0, copies, saving }
    }

    pub(super) fn logs(&self) -> bool {
        self.saving == Saving::Log
    }

    /// Whether the last event cannot be followed by another.
    pub(super) fn has_failed(&self) -> bool {
        self.done.back().is_some_and(|done| done.failed.is_some())
    }

    /// Copies the state before the next event, if it is time.
    pub(super) fn save(&mut self) {
        let Saving::Copies { every } = self.saving else { return };
        let place = self.before + self.done.len();
        let last = self.copies.back().map(|(last, _)| place - last);
        if last.is_none_or(|since| since >= every.max(1) as usize) {
            self.copies.push_back((place, self.state.clone()));
        }
    }

    pub(super) fn push(&mut self, done: Done<M>) {
        self.done.push_back(done);
    }

    /// Undoes all events from `key` on. Returns them, the last first, and how many others were handled once more; `None` if there are none.
    pub(super) fn undo_from(&mut self, model: &M, key: Key) -> Option<(Vec<Done<M>>, u64)> {
        let mut undone = Vec::new();
        while let Some(mut done) = self.done.pop_back_if(|done| done.key >= key) {
            self.sent = done.sent_before;
            for change in done.changes.drain(..).rev() {
                model.undo(&mut self.state, change);
            }
            undone.push(done);
        }
        if undone.is_empty() {
            return None;
        }
        debug_assert!(
            self.before + self.done.len() >= self.certain,
            "what is certain is not undone"
        );
        let repeated = if self.logs() { 0 } else { self.restore(model) };
        Some((undone, repeated))
    }

    /// Sets the state to what it was after the last event that is done. Returns how many were handled once more for that.
    fn restore(&mut self, model: &M) -> u64 {
        let place = self.before + self.done.len();
        while self.copies.pop_back_if(|(copied, _)| *copied > place).is_some() {}
        let Some((copied, state)) = self.copies.back() else { return 0 };
        self.state = state.clone();
        let mut effects = Effects::<M>::new();
        let mut repeated = 0;
        for done in self.done.range(*copied - self.before..) {
            let mut context = Context::new(done.key, &mut effects, false);
            model.handle(&mut self.state, &done.event, &mut context);
            effects.clear();
            repeated += 1;
        }
        repeated
    }

    /// The first event that is not certain is certain now. Returns what came of it.
    pub(super) fn commit(&mut self) -> Came<M> {
        let mut came = Came { failed: None, outputs: Vec::new(), sent: Vec::new() };
        if let Some(done) = self.done.get_mut(self.certain - self.before) {
            came.failed = done.failed.take();
            came.outputs = std::mem::take(&mut done.outputs);
            came.sent = std::mem::take(&mut done.sent);
            done.changes = Vec::new();
            self.certain += 1;
            self.forget();
        }
        came
    }

    /// Drops what no rollback needs any longer.
    fn forget(&mut self) {
        let needed = match self.saving {
            Saving::Log => self.certain,
            Saving::Copies { .. } => {
                while self.copies.get(1).is_some_and(|(second, _)| *second <= self.certain) {
                    self.copies.pop_front();
                }
                self.copies.front().map_or(self.before, |(copied, _)| *copied)
            }
        };
        self.done.drain(..needed - self.before);
        self.before = needed;
    }
}

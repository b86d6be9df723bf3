//! The outputs that the deliberative part has committed, and the planning behind them.
//!
//! Invariant: nothing is given on before the processor time of its event has been spent.

use crate::deliberation::{Move, Output};
use crate::terrain::Cell;
use std::collections::BTreeMap;
use windfall_speculation::Key;
use windfall_time::{Instant, Span};

/// How the time of planning steps was used.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Used {
    /// Of moves that were given to the motors.
    pub(crate) saved: Span,
    /// Of steps that were planned again.
    pub(crate) thrown_away: Span,
    /// Taking back.
    pub(crate) undoing: Span,
}

#[derive(Default)]
pub(crate) struct Given {
    /// The event whose processor time is being spent, and what it has given away.
    spending: Option<(Key, Vec<Output>)>,
    moves: BTreeMap<u32, Move>,
    mapped: Vec<(Cell, bool)>,
    /// The time of planning each step that is done and not given away.
    planned: BTreeMap<Key, Span>,
    pub(crate) used: Used,
}

impl Given {
    /// The committed output of an event.
    pub(crate) fn take(&mut self, key: Key, output: Output) {
        match &mut self.spending {
            Some((event, kept)) if *event == key => kept.push(output),
            _ => self.give(key, output),
        }
    }

    fn give(&mut self, key: Key, output: Output) {
        match output {
            Output::Move(told) => {
                let time = self.planned.remove(&key).unwrap_or(Span::ZERO);
                self.used.saved = self.used.saved.saturating_add(time);
                self.moves.insert(told.step, told);
            }
            Output::Mapped(cells) => self.mapped.extend(cells),
        }
    }

    /// An event is handled, which takes so long; only then is given on what it gives away.
    pub(crate) fn spends(&mut self, key: Key, time: Span, is_step: bool) {
        if is_step && let Some(before) = self.planned.insert(key, time) {
            self.used.thrown_away = self.used.thrown_away.saturating_add(before);
        }
        self.spending = Some((key, Vec::new()));
    }

    /// The time of the last event is spent.
    pub(crate) fn spent(&mut self) {
        if let Some((key, kept)) = self.spending.take() {
            kept.into_iter().for_each(|output| self.give(key, output));
        }
    }

    /// The move of a step that is taken now. Moves of steps before it are of no use.
    pub(crate) fn step(&mut self, step: u32, at: Instant) -> Option<Move> {
        self.moves = self.moves.split_off(&step);
        self.planned.retain(|key, _| key.at >= at);
        self.moves.remove(&step)
    }

    /// The changes of the map since the last call.
    pub(crate) fn mapped(&mut self) -> Vec<(Cell, bool)> {
        std::mem::take(&mut self.mapped)
    }
}

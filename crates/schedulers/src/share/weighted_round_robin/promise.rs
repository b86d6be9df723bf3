//! The promise of turns as long as weights: a share with a bounded error, on one processor.
//!
//! Let A be the turn of a child, its weight times the quantum, and B those of all others together. While the child is ready, each other
//! child has at most one turn between two of its own: the queue is first come, first served, and whoever wakes or has had its turn goes
//! to the end, behind it. A child that is preempted from above keeps its place and only the rest of its turn. So a window in which others
//! run m times in between holds at least m - 1 whole turns of the child. It receives x >= (m - 1) A of the supply S, and the others
//! S - x <= m B. Without m: x >= (S - B) A / (A + B). From `PSBE s d`, which gives S >= s t - d, follows `PSBE s p` with the error (d + B) p,
//! where p = A / (A + B).
//!
//! Where timers go off at ticks, each turn ends up to a tick late. A stays, and B grows by a tick for each other child.

use crate::catalogue::{Chosen, SettingError};
use crate::share::WeightedRoundRobin;
use alloc::{boxed::Box, vec::Vec};
use windfall_guarantees::{
    ChildParam, ChildParams, Conversion, Guarantee, Length, Offer, Supply, Type,
};
use windfall_time::{Ratio, Span};

/// The line of table 5.1: `PSBE -> PSBE+`.
#[derive(Clone)]
struct Turned {
    quantum: Length,
    /// How much longer a turn may last.
    late: Length,
}

pub(super) fn conversion(settings: &Chosen<'_>) -> Result<Box<dyn Conversion>, SettingError> {
    let quantum = WeightedRoundRobin::read(settings).quantum.into();
    Ok(Box::new(Turned { quantum, late: Length::ZERO }))
}

impl Turned {
    /// The turns of all children, each as late as it may end; `None` if the numbers are too fine.
    fn all(&self, children: &[ChildParams]) -> Option<Length> {
        children.iter().try_fold(Length::ZERO, |all, child| all.checked_add(self.turn(child)?.1))
    }

    /// The shortest and the longest turn of a child.
    fn turn(&self, child: &ChildParams) -> Option<(Length, Length)> {
        let turn = self.quantum.checked_mul(child.weight)?;
        Some((turn, turn.checked_add(self.late)?))
    }

    fn given(
        &self,
        (s, d): (Ratio, Length),
        child: &ChildParams,
        all: Option<Length>,
    ) -> Option<Guarantee> {
        let (turn, longest) = self.turn(child)?;
        let others = all?.checked_sub(longest)?;
        let part = turn.over(turn.checked_add(others)?)?;
        let error = d.checked_add(others)?.checked_mul(part)?;
        Some(Guarantee::BoundedShare(s.checked_mul(part)?, error))
    }
}

impl Conversion for Turned {
    fn takes(&self) -> &'static [Type] {
        &[Type::Psbe]
    }

    /// Nothing: a turn is as many quanta as `share` says, whatever the others' guarantees are.
    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        match requested {
            Guarantee::Null
            | Guarantee::Share(_)
            | Guarantee::BoundedShare(..)
            | Guarantee::BasicSoft(..)
            | Guarantee::ContinuousSoft(..) => Ok(ChildParam::Nothing),
            _ => Err("it gives `PSBE share time` by `share`, and so `RESCS amount period`"),
        }
    }

    fn at_ticks(&mut self, tick: Span) -> bool {
        self.late = tick.into();
        true
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        let all = self.all(children);
        let offer = |child: &ChildParams| match *own.guarantees {
            [Guarantee::BoundedShare(s, d)] => {
                Offer::exact(self.given((s, d), child, all), "turns in proportion to weights")
            }
            [_] => Offer::nothing(),
            _ => Offer::lacking(
                "its scheduler has several processors, and promises turns on one only; give it one"
                    .into(),
            ),
        };
        children.iter().map(offer).collect()
    }
}

//! Faults on demand: what a check must find.

use crate::Kind;
use core::ops::RangeInclusive;

/// The effect of a planted fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Effect {
    /// These bits of one intermediate result, in the middle of the work, are reversed; the work goes on with it. For [`Kind::Shared`] any bits are one lost count.
    Bits(u64),
    /// The work panics, as code may whose indices are computed wrongly.
    Panic,
    /// The work does not end. The thread sleeps for ever, in the place of one that a processor keeps.
    Hang,
}

/// A fault of one processor in one kind of work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub(crate) processor: u16,
    pub(crate) kind: Kind,
    pub(crate) rounds: RangeInclusive<u64>,
    pub(crate) effect: Effect,
}

impl Fault {
    /// In these rounds of the kind, from 1.
    #[must_use]
    pub const fn new(
        processor: u16,
        kind: Kind,
        rounds: RangeInclusive<u64>,
        effect: Effect,
    ) -> Fault {
        Fault { processor, kind, rounds, effect }
    }

    /// Whether any program can see it: floating-point values are made of fractions of 52 bits.
    pub(crate) const fn is_visible(&self) -> bool {
        match (self.effect, self.kind) {
            (Effect::Panic | Effect::Hang, _) => true,
            (Effect::Bits(bits), Kind::Float | Kind::Vector(_)) => bits & ((1 << 52) - 1) != 0,
            (Effect::Bits(bits), _) => bits != 0,
        }
    }

    pub(crate) fn is_of(&self, processor: u16, kind: Kind, round: u64) -> bool {
        self.processor == processor && self.kind == kind && self.rounds.contains(&round)
    }
}

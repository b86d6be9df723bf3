//! How the place of a deadline is found among the slots (section 2.6).

use super::slots::Slots;
use core::fmt::Debug;

/// A way to find a place. It hears of every slot that comes and goes.
///
/// Sealed: outside of this crate it has no name.
pub trait Search: Clone + Debug {
    /// The names of such a list in tables: with laxities slot by slot, and with minimum-laxity pointers.
    const NAMES: [&'static str; 2];

    fn new() -> Self;

    /// The last slot of an equal or earlier deadline.
    fn before(&self, slots: &Slots, deadline: i64) -> u32;

    /// A slot was linked in.
    fn added(&mut self, slots: &Slots, place: u32) {
        let _ = (slots, place);
    }

    /// A slot is about to be taken out.
    fn removing(&mut self, slots: &Slots, place: u32) {
        let _ = (slots, place);
    }

    /// Slots were collected.
    fn collected(&mut self, slots: &Slots) {
        let _ = slots;
    }

    /// All slots are there at once.
    fn restored(&mut self, slots: &Slots) {
        let _ = slots;
    }

    /// Bytes on the heap.
    fn bytes(&self) -> usize {
        0
    }
}

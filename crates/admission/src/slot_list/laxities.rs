//! How the laxities of the slots are kept (section 2.5).

use super::slots::{Slot, Slots};
use core::fmt::Debug;

/// Larger than every laxity: for no slot.
pub(crate) const FAR: i64 = 1 << 62;

/// A way to keep when slots end, and so how much laxity they have. It alone reads and writes `Slot::end`.
///
/// Sealed: outside of this crate it has no name.
pub trait Laxities: Clone + Debug {
    /// Whether they are kept by minimum-laxity pointers.
    const POINTERS: bool;

    fn new() -> Self;

    /// When a slot ends.
    fn end(&self, slots: &Slots, place: u32) -> i64;

    /// The least laxity of all slots behind a place, which are those of a later deadline.
    fn least_behind(&self, slots: &Slots, place: u32, deadline: i64) -> i64;

    /// The last slot of less laxity than this: its deadline, and its laxity.
    fn last_below(&self, slots: &Slots, laxity: i64) -> Option<(i64, i64)>;

    /// A slot was linked in, and ends then. All behind it end later by its work.
    fn added(&mut self, slots: &mut Slots, place: u32, end: i64);

    /// A slot was unlinked. All behind it end earlier by its work.
    fn removed(&mut self, slots: &mut Slots, place: u32, slot: &Slot);

    /// The first slot was unlinked because it has ended; no other moves by it.
    fn collected(&mut self, place: u32) {
        let _ = place;
    }

    /// All slots are there at once, with their ends.
    fn restored(&mut self, slots: &Slots) {
        let _ = slots;
    }

    /// No more than fits before a deadline, found without its place (inexact analysis, the end of section 2.2), when some slot is there.
    fn at_least(&self, slots: &Slots, deadline: i64) -> Option<i64> {
        let _ = (slots, deadline);
        None
    }

    /// Bytes on the heap.
    fn bytes(&self) -> usize {
        0
    }
}

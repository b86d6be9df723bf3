//! A table with an entry for each child.

use alloc::vec::Vec;
use windfall_hierarchy::ChildVp;

/// Sets the entry of a new child, replacing that of an earlier child with the same number. The table grows as
/// needed.
pub(crate) fn put<T: Clone>(table: &mut Vec<T>, child: ChildVp, value: T) {
    let room = table.len().max(child.index() + 1);
    table.resize(room, value.clone());
    table[child.index()] = value;
}

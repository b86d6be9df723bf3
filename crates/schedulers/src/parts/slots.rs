//! A table with a place for each child.

use alloc::vec::Vec;
use windfall_hierarchy::ChildVp;

/// Puts a value in the place of a child that comes, whoever had that before; the table grows up to there.
pub(crate) fn put<T: Clone>(table: &mut Vec<T>, child: ChildVp, value: T) {
    let room = table.len().max(child.index() + 1);
    table.resize(room, value.clone());
    table[child.index()] = value;
}

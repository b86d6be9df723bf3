//! The original search: from the first slot on.

use super::search::Search;
use super::slots::{NONE, Slots};

/// From the first slot on (section 2.2).
#[derive(Clone, Debug)]
pub struct Linear;

impl Search for Linear {
    const NAMES: [&'static str; 2] = ["list", "list, pointers"];

    fn new() -> Linear {
        Linear
    }

    fn before(&self, slots: &Slots, deadline: i64) -> u32 {
        slots.on_to(NONE, deadline)
    }
}

//! How a voter finds the row of an iteration.
//!
//! Rows lie in a ring by iteration, so a row is found at once ([`Constant`]). The paper's voter walks its queue instead, from the oldest row on ([`Linear`], CMU 1982, 1.4), which takes longer the
//! farther a replica is behind: that keeps replicas together (1.5). Both answer alike.

use crate::Iteration;

/// How many rows are looked at until that of an iteration is found.
///
/// ```
/// use windfall_nmr::{Constant, Iteration, Linear, Search};
///
/// /// How many rows are looked at for the third iteration when three are there.
/// fn looked<S: Search>() -> u32 {
///     let mut search = S::new(8);
///     (1..=3).for_each(|n| search.opened(Iteration(n)));
///     search.look(Iteration(3))
/// }
///
/// assert_eq!(looked::<Constant>(), 1);
/// assert_eq!(looked::<Linear>(), 3);
/// ```
pub trait Search {
    /// For a queue of so many rows.
    fn new(queue: u32) -> Self;

    /// So many rows are looked at for this iteration; all that there are, if it has none yet.
    fn look(&mut self, iteration: Iteration) -> u32;

    /// A row is opened for it.
    fn opened(&mut self, iteration: Iteration);

    /// Its row is gone.
    fn closed(&mut self, iteration: Iteration);
}

/// One place is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Constant;

impl Search for Constant {
    fn new(_: u32) -> Constant {
        Constant
    }

    fn look(&mut self, _: Iteration) -> u32 {
        1
    }

    fn opened(&mut self, _: Iteration) {}

    fn closed(&mut self, _: Iteration) {}
}

/// All rows from the oldest on are looked at until it is found.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Linear {
    /// The iterations of the rows, as they were opened.
    rows: Vec<Iteration>,
}

impl Search for Linear {
    fn new(queue: u32) -> Linear {
        Linear { rows: Vec::with_capacity(queue as usize) }
    }

    fn look(&mut self, iteration: Iteration) -> u32 {
        let found = self.rows.iter().position(|row| *row == iteration);
        let looked = found.map_or(self.rows.len(), |place| place + 1);
        // A queue's length is a `u32`.
        u32::try_from(looked).expect("at most as many rows as the queue has")
    }

    fn opened(&mut self, iteration: Iteration) {
        self.rows.push(iteration);
    }

    fn closed(&mut self, iteration: Iteration) {
        if let Some(place) = self.rows.iter().position(|row| *row == iteration) {
            self.rows.remove(place);
        }
    }
}

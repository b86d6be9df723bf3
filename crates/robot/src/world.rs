//! The terrain as it really is, and what sensors see of it.

use crate::terrain::{Cell, Change, Terrain};
use std::collections::BTreeMap;
use std::sync::Arc;
use windfall_time::Instant;

pub(crate) struct World {
    terrain: Arc<Terrain>,
    blocked: Vec<bool>,
    /// How many of the terrain's changes have happened.
    changed: usize,
    /// The reported cells; a cell without a report counts as free.
    reported: BTreeMap<Cell, bool>,
}

impl World {
    pub(crate) fn new(terrain: Arc<Terrain>) -> World {
        let blocked = terrain.blocked.clone();
        World { terrain, blocked, changed: 0, reported: BTreeMap::new() }
    }

    /// As it is at this time.
    pub(crate) fn at(&mut self, now: Instant) -> &World {
        let left = &self.terrain.changes[self.changed..];
        for Change { cell, blocked, .. } in left.iter().take_while(|change| change.at <= now) {
            self.blocked[*cell as usize] = *blocked;
            self.changed += 1;
        }
        self
    }

    pub(crate) fn is_blocked(&self, cell: Cell) -> bool {
        self.blocked[cell as usize]
    }

    /// A cell becomes blocked or free, by hand.
    pub(crate) fn put(&mut self, cell: Cell, blocked: bool) {
        self.blocked[cell as usize] = blocked;
    }

    /// Changes of the cells around one that have not been reported.
    pub(crate) fn unreported(&self, around: Cell, sight: u16) -> Vec<(Cell, bool)> {
        let cells = self.terrain.size.around(around, sight);
        let sees = cells.map(|cell| (cell, self.blocked[cell as usize]));
        let is_new = |(cell, blocked): &(Cell, bool)| {
            self.reported.get(cell).copied().unwrap_or(false) != *blocked
        };
        sees.filter(is_new).collect()
    }

    pub(crate) fn report(&mut self, cells: &[(Cell, bool)]) {
        self.reported.extend(cells.iter().copied());
    }
}

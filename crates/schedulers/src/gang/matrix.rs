//! Ousterhout's matrix: columns are processors, rows are time slots, and all members of a gang are in one row.
//!
//! Invariants: every child has one cell; members of a gang share a row; each row counts its active members. A child
//! gets its cell when it is added or changes its gang (first fit). Only these operations allocate or look at all
//! rows.

use alloc::vec;
use alloc::vec::Vec;
use windfall_hierarchy::ChildVp;

/// A child's cell and gang.
#[derive(Clone, Copy, Default)]
pub(crate) struct Place {
    /// The number of its gang; `None` if it is alone.
    gang: Option<i32>,
    pub(crate) row: u32,
}

#[derive(Clone)]
struct Row {
    cells: Vec<Option<ChildVp>>,
    /// Number of members that do not wait.
    active: u32,
}

#[derive(Clone, Default)]
pub(crate) struct Matrix {
    columns: usize,
    rows: Vec<Row>,
    places: Vec<Place>,
}

impl Matrix {
    pub(crate) fn new(columns: usize) -> Matrix {
        Matrix { columns, ..Matrix::default() }
    }

    /// Number of rows, including empty ones.
    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn row_of(&self, child: ChildVp) -> u32 {
        self.places[child.index()].row
    }

    /// The members of a row, by column.
    pub(crate) fn cells(&self, row: u32) -> &[Option<ChildVp>] {
        &self.rows[row as usize].cells
    }

    pub(crate) fn active(&self, row: u32) -> u32 {
        self.rows[row as usize].active
    }

    /// Changes a row's count of active members: 1 if a member stops waiting, -1 if it begins to wait.
    pub(crate) fn count(&mut self, row: u32, by: i32) {
        let row = &mut self.rows[row as usize];
        row.active = row.active.saturating_add_signed(by);
    }

    /// Whether two children belong to the same gang.
    pub(crate) fn together(&self, a: ChildVp, b: ChildVp) -> bool {
        let gang = self.places[a.index()].gang;
        a == b || (gang.is_some() && gang == self.places[b.index()].gang)
    }

    /// All members of a child's gang, including the child.
    pub(crate) fn gang(&self, child: ChildVp) -> impl Iterator<Item = ChildVp> + '_ {
        let cells = self.cells(self.row_of(child)).iter().flatten();
        cells.copied().filter(move |other| self.together(child, *other))
    }

    /// Adds a child, which is alone.
    pub(crate) fn insert(&mut self, child: ChildVp) {
        let room = self.places.len().max(child.index() + 1);
        self.places.resize(room, Place::default());
        let row = self.first_fit(1);
        self.put(child, row);
        self.places[child.index()] = Place { gang: None, row };
    }

    pub(crate) fn remove(&mut self, child: ChildVp) {
        let row = self.row_of(child);
        for cell in &mut self.rows[row as usize].cells {
            if *cell == Some(child) {
                *cell = None;
            }
        }
    }

    /// Whether a gang has room for a child that is not in it.
    pub(crate) fn has_room(&self, child: ChildVp, gang: i32) -> bool {
        let members = self.members(gang).filter(|member| *member != child);
        members.count() < self.columns
    }

    /// Adds a child to a gang that has room. Its members stay in their row if that has room, or move together. The
    /// caller counts active members.
    pub(crate) fn join(&mut self, child: ChildVp, gang: i32) {
        self.remove(child);
        let members: Vec<ChildVp> = self.members(gang).filter(|member| *member != child).collect();
        let home = members.first().map(|member| self.row_of(*member));
        let row = match home.filter(|row| self.free(*row) > 0) {
            Some(row) => row,
            None => {
                for member in &members {
                    self.remove(*member);
                }
                let row = self.first_fit(members.len() + 1);
                for member in &members {
                    self.put(*member, row);
                }
                row
            }
        };
        self.put(child, row);
        self.places[child.index()].gang = Some(gang);
    }

    fn members(&self, gang: i32) -> impl Iterator<Item = ChildVp> + '_ {
        let all = self.rows.iter().flat_map(|row| row.cells.iter().flatten());
        all.copied().filter(move |child| self.places[child.index()].gang == Some(gang))
    }

    fn free(&self, row: u32) -> usize {
        self.cells(row).iter().filter(|cell| cell.is_none()).count()
    }

    /// The first row with this many free cells; a new one if there is none.
    fn first_fit(&mut self, members: usize) -> u32 {
        let rows = u32::try_from(self.rows.len())
            .expect("no more rows than children, of which 32 bits tell each");
        let fit = (0..rows).find(|row| self.free(*row) >= members);
        fit.unwrap_or_else(|| {
            self.rows.push(Row { cells: vec![None; self.columns], active: 0 });
            rows
        })
    }

    /// Puts a child that has no cell into the first free cell of a row.
    fn put(&mut self, child: ChildVp, row: u32) {
        self.places[child.index()].row = row;
        if let Some(cell) = self.rows[row as usize].cells.iter_mut().find(|cell| cell.is_none()) {
            *cell = Some(child);
        }
    }
}

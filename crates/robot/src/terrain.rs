//! Terrain: a grid of cells, each free or blocked, some of them only from a time on.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::Rng;
use windfall_time::{Instant, Span};

/// The most cells along a side.
pub const MOST_CELLS: u16 = 200;

/// A cell, numbered row by row from the upper left corner.
pub type Cell = u32;

/// The size of a terrain in cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Cells in a row; at least 1.
    pub wide: u16,
    /// Rows; at least 1.
    pub high: u16,
}

impl Size {
    /// How many cells.
    #[must_use]
    pub fn cells(self) -> u32 {
        u32::from(self.wide) * u32::from(self.high)
    }

    /// The column and the row of a cell.
    #[must_use]
    pub fn place(self, cell: Cell) -> (i32, i32) {
        let wide = u32::from(self.wide);
        let signed = |part: u32| i32::try_from(part).expect("at most 65,535 in a row");
        (signed(cell % wide), signed(cell / wide))
    }

    /// The cell in a column and a row, if there is one.
    #[must_use]
    pub fn cell(self, (x, y): (i32, i32)) -> Option<Cell> {
        let inside =
            (0..i32::from(self.wide)).contains(&x) && (0..i32::from(self.high)).contains(&y);
        let (x, y) = (u32::try_from(x).ok()?, u32::try_from(y).ok()?);
        inside.then(|| y * u32::from(self.wide) + x)
    }

    /// How many columns or rows two cells are apart, whichever is more.
    #[must_use]
    pub fn distance(self, one: Cell, other: Cell) -> u32 {
        let ((x, y), (to_x, to_y)) = (self.place(one), self.place(other));
        x.abs_diff(to_x).max(y.abs_diff(to_y))
    }

    /// The cells that are at most `radius` columns and rows away, row by row.
    pub fn around(self, cell: Cell, radius: u16) -> impl Iterator<Item = Cell> {
        let ((x, y), radius) = (self.place(cell), i32::from(radius));
        let rows = y - radius..=y + radius;
        rows.flat_map(move |row| {
            (x - radius..=x + radius).filter_map(move |column| self.cell((column, row)))
        })
    }
}

/// A cell that becomes blocked or free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Change {
    /// When.
    pub at: Instant,
    /// Which.
    pub cell: Cell,
    /// Whether it is blocked from then on.
    pub blocked: bool,
}

/// A terrain, and how it changes.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Terrain {
    /// Its size.
    pub size: Size,
    /// Where the robot begins.
    pub start: Cell,
    /// Where it goes.
    pub goal: Cell,
    /// By cell: whether it is blocked at the beginning.
    pub blocked: Vec<bool>,
    /// Later changes, in order of time.
    pub changes: Vec<Change>,
}

/// The parts of a random terrain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Random {
    /// Its size.
    pub size: Size,
    /// Of a hundred cells so many are blocked at the beginning; at most 60.
    pub blocked: u8,
    /// So many more become blocked later.
    pub later: u16,
    /// The last of them, by then.
    pub until: Span,
    /// Equal seeds make equal terrain.
    pub seed: u64,
}

impl Random {
    /// The terrain: from the upper left corner to the lower right one, which are free and stay so. Obstacles are walls of a few cells. Whether there is a way is not known.
    #[must_use]
    pub fn terrain(self) -> Terrain {
        let size = self.size;
        let (start, goal) = (0, size.cells() - 1);
        let mut draw = Draw(Pcg32::new(self.seed, 17));
        let mut blocked = vec![false; size.cells() as usize];
        let wanted = u64::from(size.cells()) * u64::from(self.blocked.min(60)) / 100;
        let stays_free =
            |cell: Cell| size.around(start, 1).chain(size.around(goal, 1)).any(|free| free == cell);
        let mut there = 0;
        // A wall may lie where others are already, so it ends after so many at the latest.
        for _ in 0..4 * size.cells() {
            if there >= wanted {
                break;
            }
            for cell in draw.wall(size) {
                if !stays_free(cell) && !blocked[cell as usize] {
                    blocked[cell as usize] = true;
                    there += 1;
                }
            }
        }
        let mut changes = Vec::new();
        for _ in 0..self.later {
            let cell = draw.below(size.cells());
            let at = Instant::from_nanos(draw.below_u64(self.until.as_nanos().max(1)));
            if !stays_free(cell) {
                changes.push(Change { at, cell, blocked: true });
            }
        }
        changes.sort_by_key(|change| (change.at, change.cell));
        Terrain { size, start, goal, blocked, changes }
    }
}

struct Draw(Pcg32);

impl Draw {
    fn below(&mut self, end: u32) -> u32 {
        self.0.next_u32() % end
    }

    fn below_u64(&mut self, end: u64) -> u64 {
        self.0.next_u64() % end
    }

    /// One to six cells in a row or a column.
    fn wall(&mut self, size: Size) -> impl Iterator<Item = Cell> {
        let (from, long, across) = (self.below(size.cells()), self.below(6), self.below(2) == 0);
        let (x, y) = size.place(from);
        (0..=long).filter_map(move |step| {
            let step = i32::try_from(step).expect("below 6");
            size.cell(if across { (x + step, y) } else { (x, y + step) })
        })
    }
}

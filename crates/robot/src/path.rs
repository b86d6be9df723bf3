//! Ways over a grid whose obstacles become known on the way: D* Lite (Koenig and Likhachev 2002, figure 3), in steps of bounded work. The known terrain lies in persistent structures, so that a copy takes no longer for large terrain.
//!
//! A cell's neighbours are the eight around it. No way goes through a blocked cell, nor between two cells that meet at a blocked corner.
//!
//! Invariants: `ways[cell].best` is the least of a neighbour's `cost` and the way there, 0 at the goal; `open` has exactly the cells for which both differ, by key.

use crate::terrain::{Cell, Size};
use imbl::{OrdSet, Vector};

/// The cost of a step to a neighbour in the same row or column.
pub const STRAIGHT: u32 = 10;
/// The cost of a step to another neighbour.
pub const DIAGONAL: u32 = 14;
/// No way.
pub const NO_WAY: u32 = u32::MAX;

const NEIGHBOURS: [(i32, i32); 8] =
    [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

/// In which order open cells are looked at: the least first.
type Rank = (u32, u32);

/// The knowledge of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    /// The cost of the way to the goal when the cell was last looked at (g).
    cost: u32,
    /// The cost by way of the neighbours (rhs).
    best: u32,
    /// Its rank, if both differ.
    open: Option<Rank>,
    blocked: bool,
}

/// Whether the way is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plan {
    /// It is.
    Known,
    /// More cells have to be looked at.
    Unfinished,
    /// There is none.
    NoWay,
}

/// A planner of ways to one goal.
#[derive(Clone, PartialEq, Debug)]
pub struct Planner {
    size: Size,
    goal: Cell,
    robot: Cell,
    /// Where the robot was when ranks were shifted last.
    last: Cell,
    /// By how much ranks of cells that are new are larger than those of old ones (k_m).
    shift: u32,
    /// Whether the way from where the robot is is known.
    is_known: bool,
    ways: Vector<Way>,
    open: OrdSet<(Rank, Cell)>,
}

impl Planner {
    /// A planner that knows of no obstacle.
    #[must_use]
    pub fn new(size: Size, robot: Cell, goal: Cell) -> Planner {
        let unknown = Way { cost: NO_WAY, best: NO_WAY, open: None, blocked: false };
        let ways = (0..size.cells()).map(|_| unknown).collect();
        let mut new = Planner {
            size,
            goal,
            robot,
            last: robot,
            shift: 0,
            is_known: false,
            ways,
            open: OrdSet::new(),
        };
        let rank = new.rank(goal, 0);
        new.set(goal, Way { best: 0, open: Some(rank), ..unknown });
        new
    }

    /// Where the robot is.
    #[must_use]
    pub const fn robot(&self) -> Cell {
        self.robot
    }

    /// The cost of the way from the robot's place, if it is [known](Plan::Known).
    #[must_use]
    pub fn way_cost(&self) -> u32 {
        self.ways[self.robot as usize].best
    }

    /// The robot is there now.
    pub fn stands(&mut self, at: Cell) {
        // On a way that is known, what is known is enough. Else, cells that are open may rank too low.
        let on_the_way = self.is_known && self.next_cell() == Some(at);
        self.robot = at;
        self.is_known = on_the_way;
        if !on_the_way {
            self.shift_ranks();
        }
    }

    /// Cells that become open from now on rank behind their usual rank, by as much as the robot may have come nearer.
    fn shift_ranks(&mut self) {
        self.shift = self.shift.saturating_add(self.estimate(self.last));
        self.last = self.robot;
    }

    /// Cells are known to be blocked or free. Returns how many cells were looked at for that.
    pub fn change(&mut self, cells: &[(Cell, bool)]) -> usize {
        let is_new =
            |(cell, blocked): &&(Cell, bool)| self.ways[*cell as usize].blocked != *blocked;
        let new: Vec<(Cell, bool)> = cells.iter().filter(is_new).copied().collect();
        if new.is_empty() {
            return 0;
        }
        self.is_known = false;
        self.shift_ranks();
        for (cell, blocked) in &new {
            let way = Way { blocked: *blocked, ..self.ways[*cell as usize] };
            self.set(*cell, way);
        }
        // A blocked cell is also a corner that others must not cut.
        let mut touched: Vec<Cell> =
            new.iter().flat_map(|(cell, _)| self.size.around(*cell, 1)).collect();
        touched.sort_unstable();
        touched.dedup();
        for cell in &touched {
            self.look_around(*cell);
        }
        touched.len()
    }

    /// The cells around one that are known to be blocked.
    #[must_use]
    pub fn obstacles(&self, around: Cell, radius: u16) -> Vec<Cell> {
        let all = self.size.around(around, radius);
        all.filter(|cell| self.ways[*cell as usize].blocked).collect()
    }

    /// Looks at `most` cells at most, until the way from where the robot is is known. Returns how many, too.
    pub fn plan(&mut self, most: u32) -> (Plan, u32) {
        let mut looked = 0;
        loop {
            let robot = self.ways[self.robot as usize];
            let least = self.open.get_min().copied();
            let done = |(rank, _): &(Rank, Cell)| {
                *rank >= self.rank(self.robot, robot.cost.min(robot.best))
            };
            let Some((rank, cell)) = least.filter(|least| robot.cost != robot.best || !done(least))
            else {
                self.is_known = robot.best != NO_WAY;
                return (if self.is_known { Plan::Known } else { Plan::NoWay }, looked);
            };
            if looked == most {
                self.is_known = false;
                return (Plan::Unfinished, looked);
            }
            looked += 1;
            let way = self.ways[cell as usize];
            let now = self.rank(cell, way.cost.min(way.best));
            if rank < now {
                self.set(cell, Way { open: Some(now), ..way });
            } else if way.cost > way.best {
                self.set(cell, Way { cost: way.best, open: None, ..way });
                self.neighbours(cell).for_each(|other| self.look_around(other));
            } else {
                self.set(cell, Way { cost: NO_WAY, open: None, ..way });
                self.look_around(cell);
                self.neighbours(cell).for_each(|other| self.look_around(other));
            }
        }
    }

    /// The cells of the way, without the one where the robot is; as far as it is known.
    #[must_use]
    pub fn way(&self) -> Vec<Cell> {
        let (mut way, mut at) = (Vec::new(), self.robot);
        while at != self.goal && way.len() < self.ways.len() {
            let Some(next) = self.next(at) else { break };
            way.push(next);
            at = next;
        }
        way
    }

    /// The neighbour by which the way to the goal is the least, if one leads there.
    fn next(&self, from: Cell) -> Option<Cell> {
        let through = |to: &Cell| self.ways[*to as usize].cost.saturating_add(self.step(from, *to));
        // Of several the first in order of cells, whatever came before.
        let best = self.neighbours(from).min_by_key(|to| (through(to), *to))?;
        (through(&best) < NO_WAY).then_some(best)
    }

    /// The next cell of the way, if the way is [known](Plan::Known) and the robot is not there yet.
    #[must_use]
    pub fn next_cell(&self) -> Option<Cell> {
        if self.robot == self.goal { None } else { self.next(self.robot) }
    }

    /// Brings what is known of a cell in line with its neighbours.
    fn look_around(&mut self, cell: Cell) {
        let way = self.ways[cell as usize];
        let through = |to: Cell| self.ways[to as usize].cost.saturating_add(self.step(cell, to));
        let best = match cell == self.goal {
            true => 0,
            false => self.neighbours(cell).map(through).min().unwrap_or(NO_WAY),
        };
        let open = (way.cost != best).then(|| self.rank(cell, way.cost.min(best)));
        let now = Way { best, open, ..way };
        if now != way {
            self.set(cell, now);
        }
    }

    fn set(&mut self, cell: Cell, way: Way) {
        let before = core::mem::replace(&mut self.ways[cell as usize], way);
        if before.open != way.open {
            before.open.map(|rank| self.open.remove(&(rank, cell)));
            way.open.map(|rank| self.open.insert((rank, cell)));
        }
    }

    fn rank(&self, cell: Cell, cost: u32) -> Rank {
        (cost.saturating_add(self.estimate(cell)).saturating_add(self.shift), cost)
    }

    /// The least that the way from the robot to a cell can cost.
    fn estimate(&self, cell: Cell) -> u32 {
        let ((x, y), (to_x, to_y)) = (self.size.place(self.robot), self.size.place(cell));
        let (across, down) = (x.abs_diff(to_x), y.abs_diff(to_y));
        STRAIGHT * across.abs_diff(down) + DIAGONAL * across.min(down)
    }

    fn neighbours(&self, cell: Cell) -> impl Iterator<Item = Cell> + use<> {
        let (size, (x, y)) = (self.size, self.size.place(cell));
        NEIGHBOURS.into_iter().filter_map(move |(right, down)| size.cell((x + right, y + down)))
    }

    /// The cost of a step between neighbours, as far as they are known.
    fn step(&self, from: Cell, to: Cell) -> u32 {
        let is_blocked = |cell: Cell| self.ways[cell as usize].blocked;
        step(self.size, is_blocked, from, to)
    }
}

/// The cost of a step between neighbours: [`NO_WAY`] into a blocked cell, or past a blocked corner.
pub fn step(size: Size, is_blocked: impl Fn(Cell) -> bool, from: Cell, to: Cell) -> u32 {
    let ((x, y), (to_x, to_y)) = (size.place(from), size.place(to));
    if is_blocked(to) {
        return NO_WAY;
    }
    if x == to_x || y == to_y {
        return STRAIGHT;
    }
    let corners = [size.cell((to_x, y)), size.cell((x, to_y))];
    if corners.into_iter().flatten().any(is_blocked) { NO_WAY } else { DIAGONAL }
}

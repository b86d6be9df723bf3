//! A queue of children: the one that went to its end first is first.
//!
//! With affinity, a child at home counts as if it were some places further ahead, so it may have its turn before others. To limit
//! this, each turn is compared with a round of the queue: as many turns as there are children that do not wait. A child
//! that had its turn early goes that many places behind the end of the queue; a child that had it late makes up for that. So
//! children whose processor has fewer of them do not get more for ever. It goes no further behind than its head start and one
//! round more: nobody else may be able to use its processor (decision 0021), and who comes later must not be served first for
//! ever. Rounds are counted by class: children of
//! different classes are in different queues.

use alloc::vec::Vec;
use windfall_hierarchy::ChildVp;

/// The class where all children are one queue.
pub(crate) const ONE: u8 = 0;

#[derive(Clone, Default)]
pub(crate) struct Line {
    /// By child: a number drawn when it last went to the end.
    places: Vec<u64>,
    drawn: u64,
    /// How many places further ahead a child counts at home.
    head_start: u64,
    /// By child and by class; kept only with a head start.
    turns: Vec<Turn>,
    classes: Vec<Class>,
}

#[derive(Clone, Copy, Default)]
struct Turn {
    /// The class of a child that does not wait.
    class: Option<u8>,
    /// How many turns the class had begun when the child last went to the end.
    at: u64,
    /// How many places behind the end it went.
    early: u64,
}

#[derive(Clone, Copy, Default)]
struct Class {
    /// Number of children that do not wait.
    members: u64,
    turns: u64,
}

impl Line {
    /// Sets how many places further ahead a child counts at home, and the number of classes.
    pub(crate) fn start_ahead(&mut self, head_start: u64, classes: u8) {
        self.head_start = head_start;
        if head_start > 0 {
            self.classes.resize(classes.into(), Class::default());
        }
    }

    /// Makes room for a child.
    pub(crate) fn register(&mut self, child: ChildVp) {
        let room = self.places.len().max(child.index() + 1);
        self.places.resize(room, 0);
        if self.head_start > 0 {
            self.turns.resize(room, Turn::default());
        }
    }

    /// Moves a child of this class, which was not there before or has no claim to its turn, to the end.
    pub(crate) fn queue(&mut self, child: ChildVp, class: u8) {
        self.drawn += 1;
        self.places[child.index()] = self.drawn;
        if self.head_start > 0 {
            self.join(child, class);
            let at = self.classes[usize::from(class)].turns;
            self.turns[child.index()] = Turn { class: Some(class), at, early: 0 };
        }
    }

    /// Moves a child that has had its turn to the end, or as far behind the end as the turn was early.
    pub(crate) fn turn(&mut self, child: ChildVp, class: u8) {
        let Some(Turn { class: before, at, early }) = self.turns.get(child.index()).copied() else {
            return self.queue(child, class);
        };
        self.queue(child, class);
        let Class { members, turns } = &mut self.classes[usize::from(class)];
        *turns += 1;
        let round = turns.saturating_sub(at);
        let early =
            if before == Some(class) { (early + *members).saturating_sub(round) } else { 0 };
        let early = early.min(self.head_start.saturating_add(*members));
        self.turns[child.index()] = Turn { class: Some(class), at: *turns, early };
        self.places[child.index()] = self.drawn.saturating_add(early);
    }

    fn join(&mut self, child: ChildVp, class: u8) {
        self.leave(child);
        self.classes[usize::from(class)].members += 1;
    }

    /// Records that a child begins to wait.
    pub(crate) fn leave(&mut self, child: ChildVp) {
        if let Some(class) = self.turns.get_mut(child.index()).and_then(|turn| turn.class.take()) {
            self.classes[usize::from(class)].members -= 1;
        }
    }

    /// The child's place: the smallest number is first.
    pub(crate) fn place(&self, child: ChildVp) -> u64 {
        self.places[child.index()]
    }

    /// The child's place when it is at home.
    pub(crate) fn place_at_home(&self, child: ChildVp) -> u64 {
        self.place(child).saturating_sub(self.head_start)
    }
}

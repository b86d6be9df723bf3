//! The tasks that a list is offered, and the slots that it begins with.

use crate::random::Random;
use windfall_admission::{Admission, BPlusTree, Key, Structure};
use windfall_time::{Instant, Span};

/// How deadlines come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Load {
    /// Evenly up to 1.7 times the work of all slots later; about 82 % are accepted.
    Even,
    /// Evenly up to 2.5 times that, by which nearly all are accepted.
    All,
    /// Each a little after the last, as in speculation.
    Follows,
}

impl Load {
    pub(crate) const BOTH: [Load; 2] = [Load::Even, Load::Follows];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Load::Even => "even",
            Load::All => "even, later",
            Load::Follows => "each follows",
        }
    }

    /// The longest work, in ns; its mean is half of that.
    pub(crate) fn longest(self) -> u64 {
        match self {
            Load::Even | Load::All => 200_000,
            Load::Follows => 160_000,
        }
    }
}

/// Tasks in an order that is drawn beforehand: work, and by how much the deadline is after its reference.
#[derive(Clone)]
pub(crate) struct Tasks {
    load: Load,
    drawn: Vec<(Span, Span)>,
    next: usize,
    last: Instant,
}

impl Tasks {
    fn new(slots: u64, load: Load) -> Tasks {
        let (mut random, longest) = (Random(7), load.longest());
        let latest = match load {
            Load::Even => slots * longest / 2 * 17 / 10,
            Load::All => slots * longest / 2 * 25 / 10,
            Load::Follows => 200_000,
        };
        let drawn = (0..1 << 15).map(|_| {
            let work = 1 + random.uniform(longest - 1);
            (Span::from_nanos(work), Span::from_nanos(1 + random.uniform(latest)))
        });
        Tasks { load, drawn: drawn.collect(), next: 0, last: Instant::ZERO }
    }

    /// The next one's work and deadline.
    pub(crate) fn draw(&mut self, now: Instant) -> (Span, Instant) {
        let (work, after) = self.drawn[self.next];
        self.next = (self.next + 1) % self.drawn.len();
        let from = match self.load {
            Load::Even | Load::All => now + work,
            Load::Follows => self.last.max(now),
        };
        self.last = from + after;
        (work, self.last)
    }
}

/// So many times as many tasks as there are slots come before what is measured, as in the benchmark of crate `admission`: with 3 times 92 % were accepted at a million slots.
const BEFORE: u64 = 20;

/// The slots that every structure begins with.
pub(crate) struct Begin {
    pub(crate) now: Instant,
    pub(crate) slots: Vec<(Key, Span)>,
    pub(crate) tasks: Tasks,
    pub(crate) most: usize,
}

impl Begin {
    /// As many slots as there may be, after so many tasks that as many are accepted as later.
    pub(crate) fn steady(slots: u64, load: Load) -> Begin {
        let mut tasks = Tasks::new(slots, load);
        let mut tree = Admission::over(BPlusTree::new(Instant::ZERO), u32::MAX, 0)
            .unwrap_or_else(|why| unreachable!("time begins before the horizon: {why}"));
        for _ in 0..slots * BEFORE + 10_000 {
            let (work, deadline) = tasks.draw(tree.now());
            let _ = tree.admit(work, deadline);
            if tree.len() as u64 > slots {
                let left = tree.head().map_or(Span::ZERO, |head| head.left);
                let _ = tree.advance(tree.now() + left);
            }
        }
        let (now, most) = (tree.now(), tree.len());
        let mut rest = tree.structure().clone();
        let mut slots = Vec::with_capacity(most);
        while let Some((key, work)) = rest.head() {
            slots.push((key, work));
            rest.advance(rest.now() + work);
        }
        Begin { now, slots, tasks, most }
    }
}

//! Tasks with start times (section 2.4): before its start a task cannot be worked on, so slots do not follow each other without a pause, and no structure of slots serves.
//!
//! Invariant: worked on in order of deadline among those that have started, with preemption, every task ends by its deadline. That order meets all deadlines if any does.
//!
//! The test is exact, in O(n): tasks are kept by deadline and by start. Up to the start of the new task the others are worked on as early as can be, which leaves the least work of every deadline;
//! from there on as late as can be, that is by the same rule backwards: from each deadline on, the latest start first. The time that is idle then is available to the new task, for no
//! order does more of the other work behind any moment. Earliest deadlines as late as possible are from Chetto and Chetto (1989), which the paper cites.

mod free_time;

use crate::ticket::list_number;
use crate::{AdmitError, AdvanceError, HORIZON, Head, Ticket, TicketError};
use alloc::vec;
use alloc::vec::Vec;
use free_time::FreeTime;
use windfall_time::{Instant, Span};

/// An admitted task.
#[derive(Clone, Copy, Debug)]
struct Task {
    start: Instant,
    deadline: Instant,
    left: Span,
    number: u32,
}

/// Work with start times and deadlines for one processor: admitted while all of it can be done in time (section 2.4).
///
/// The dispatcher works on [`StartTimes::running`], the task of the earliest deadline among those that have started, equal ones in order of arrival.
#[derive(Clone, Debug)]
pub struct StartTimes {
    /// In order of deadline, equal ones in order of arrival.
    tasks: Vec<Task>,
    /// Places in `tasks`, in order of start.
    by_start: Vec<usize>,
    now: Instant,
    most: u32,
    list: u32,
    next: u32,
}

/// The time that no task needs from an instant on, when all is done as late as possible: stretches in descending order, and all time from `end` on.
struct Idle {
    stretches: Vec<(Instant, Instant)>,
    end: Instant,
}

impl Idle {
    fn before(&self, deadline: Instant) -> Span {
        let each =
            self.stretches.iter().map(|(from, to)| deadline.min(*to).saturating_since(*from));
        each.fold(deadline.saturating_since(self.end), Span::saturating_add)
    }

    /// When so much was idle.
    fn after(&self, mut work: Span) -> Instant {
        for (from, to) in self.stretches.iter().rev() {
            match work.checked_sub(*to - *from) {
                Some(rest) if !rest.is_zero() => work = rest,
                _ => return *from + work,
            }
        }
        self.end + work
    }
}

impl StartTimes {
    /// No tasks, of which there may be `most`.
    ///
    /// # Errors
    /// When `now` is beyond [`HORIZON`].
    pub fn new(now: Instant, most: u32) -> Result<StartTimes, AdvanceError> {
        if now > HORIZON {
            return Err(AdvanceError::BeyondHorizon { to: now });
        }
        let (tasks, by_start) = (Vec::new(), Vec::new());
        Ok(StartTimes { tasks, by_start, now, most, list: list_number(), next: 0 })
    }

    /// The time that was reached.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.now
    }

    /// How many tasks there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there are no tasks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// The task that is worked on: of those that have started, the one of the earliest deadline.
    #[must_use]
    pub fn running(&self) -> Option<Head> {
        let task = self.tasks.iter().find(|task| task.start <= self.now)?;
        Some(Head { ticket: self.ticket(task), left: task.left })
    }

    fn ticket(&self, task: &Task) -> Ticket {
        Ticket { deadline: task.deadline, number: task.number, list: self.list }
    }

    /// The most work that would be admitted with this start and deadline. Exact, in O(n).
    #[must_use]
    pub fn idle_between(&self, start: Instant, deadline: Instant) -> Span {
        if deadline <= start.max(self.now) {
            return Span::ZERO;
        }
        self.idle_from(start.max(self.now)).before(deadline)
    }

    /// Admits work that begins at `start` or later, and will be done by its deadline, while everything that was admitted before is, too. Exact, in O(n).
    ///
    /// # Errors
    /// If it does not fit, and for arguments that can never be admitted; nothing has changed then.
    pub fn admit(
        &mut self,
        work: Span,
        start: Instant,
        deadline: Instant,
    ) -> Result<Ticket, AdmitError> {
        let from = start.max(self.now);
        let most = HORIZON.saturating_since(from);
        let earliest = |idle: &Idle| Some(idle.after(work)).filter(|found| *found <= HORIZON);
        if work.is_zero() {
            return Err(AdmitError::NoWork);
        }
        if work > most {
            return Err(AdmitError::TooMuchWork { work, most });
        }
        if deadline > HORIZON {
            return Err(AdmitError::BeyondHorizon { deadline });
        }
        let idle = self.idle_from(from);
        if deadline <= self.now {
            let earliest = earliest(&idle);
            return Err(AdmitError::DeadlinePassed { deadline, now: self.now, earliest });
        }
        if deadline <= start {
            let earliest = earliest(&idle);
            return Err(AdmitError::BeforeStart { deadline, start, earliest });
        }
        if self.tasks.len() >= self.most as usize {
            return Err(AdmitError::Full { slots: self.most });
        }
        let room = idle.before(deadline);
        if work > room {
            let earliest = earliest(&idle);
            return Err(AdmitError::NoRoom { work, deadline, idle: room, earliest });
        }
        let place = self.tasks.partition_point(|task| task.deadline <= deadline);
        let task = Task { start, deadline, left: work, number: self.next };
        self.insert(place, task);
        self.next = self.next.wrapping_add(1);
        Ok(self.ticket(&task))
    }

    /// Takes a task out, and returns how much work was left of it. So one that ends early is taken out, when time was moved to its end.
    ///
    /// # Errors
    /// For a ticket that is stale, or from another list.
    pub fn withdraw(&mut self, ticket: Ticket) -> Result<Span, TicketError> {
        if ticket.list != self.list {
            return Err(TicketError::Foreign { ticket });
        }
        let place = self.tasks.iter().position(|task| self.ticket(task) == ticket);
        let place = place.ok_or(TicketError::Stale { ticket })?;
        let left = core::mem::take(&mut self.tasks[place].left);
        self.collect();
        Ok(left)
    }

    fn insert(&mut self, place: usize, task: Task) {
        let among = self.by_start.partition_point(|other| self.tasks[*other].start <= task.start);
        for other in self.by_start.iter_mut().filter(|other| **other >= place) {
            *other += 1;
        }
        self.by_start.insert(among, place);
        self.tasks.insert(place, task);
    }

    /// Those whose work is used up go, and the places of all others move up.
    fn collect(&mut self) {
        let mut gone = 0;
        let moved: Vec<Option<usize>> = (self.tasks.iter().enumerate())
            .map(|(place, task)| {
                gone += usize::from(task.left.is_zero());
                (!task.left.is_zero()).then(|| place - gone)
            })
            .collect();
        self.by_start = self.by_start.iter().filter_map(|place| moved[*place]).collect();
        self.tasks.retain(|task| !task.left.is_zero());
    }

    /// Time passes, in which tasks are worked on as the dispatcher does. Those whose work is used up are gone; returns how many.
    ///
    /// # Errors
    /// When `to` is earlier than `now`, or beyond [`HORIZON`]; nothing has changed then.
    pub fn advance(&mut self, to: Instant) -> Result<usize, AdvanceError> {
        if to < self.now {
            return Err(AdvanceError::Backwards { to, now: self.now });
        }
        if to > HORIZON {
            return Err(AdvanceError::BeyondHorizon { to });
        }
        let before = self.tasks.len();
        for (task, left) in self.left_at(to).into_iter().enumerate() {
            self.tasks[task].left = left;
        }
        self.collect();
        self.now = to;
        Ok(before - self.tasks.len())
    }

    /// The remaining work of each task then, when each is worked on as early as possible: the earliest deadline takes the first time from its start on, then the next of what that left.
    fn left_at(&self, to: Instant) -> Vec<Span> {
        // Where a stretch of time begins which those that started before share; a task's stretch is the first that it may use.
        let (mut begins, mut stretch_of) = (vec![self.now], vec![0; self.tasks.len()]);
        for task in &self.by_start {
            let start = self.tasks[*task].start.min(to);
            if begins.last().is_some_and(|last| *last < start) {
                begins.push(start);
            }
            stretch_of[*task] = begins.len() - 1;
        }
        begins.push(to);
        let lengths = begins.windows(2).map(|pair| pair[1].saturating_since(pair[0])).collect();
        let mut free = FreeTime::new(lengths);
        let tasks = self.tasks.iter().zip(stretch_of);
        tasks.map(|(task, stretch)| free.take(stretch, task.left, &mut || ())).collect()
    }

    /// The idle time from an instant on, when each task is worked on as early as possible before it, and as late as possible from it on. Which task is worked on changes nothing in
    /// what is idle, so that the work that has come up, going back, is one number.
    fn idle_from(&self, from: Instant) -> Idle {
        let left = self.left_at(from);
        let end = self.tasks.last().map_or(from, |task| task.deadline.max(from));
        let deadlines = self.tasks.iter().map(|task| task.deadline.max(from));
        let (mut at, mut waits, mut stretches) = (end, Span::ZERO, Vec::new());
        for (next, left) in deadlines.zip(left).rev().chain([(from, Span::ZERO)]) {
            let used = waits.min(at - next);
            if next < at - used {
                stretches.push((next, at - used));
            }
            waits = waits.saturating_sub(used).saturating_add(left);
            at = next;
        }
        Idle { stretches, end }
    }
}

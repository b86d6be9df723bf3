//! Gang scheduling: all members of a gang run at once, each on a processor, a quantum long.
//!
//! Takes    any guarantee, on several processors; ALL on each to keep gangs whole.
//! Gives    NULL to each child.
//! Admits   everyone. Children with the same `priority` are a gang, with at most as many members as the
//!          instance has virtual processors; a child without is alone. The number does not rank gangs.
//! Assumes  a child is best served while all ready members of its gang run (they wait for each other by
//!          spinning).
//! Costs    O(p + log n) per event with p own VPs, O(p p) without `partial`; O(n) when a child is added or
//!          joins a gang; 96 bytes per child; three timers.
//! Ties     rows of the matrix take turns; within a row all run. Processors that are left over go to ready
//!          children of the row whose turn comes first, then to the lower slot.
//! Source   Ousterhout, Scheduling Techniques for Concurrent Systems, 1982 (matrix, alternative selection);
//!          competition with others for a processor: HLS 6.3.1. Difference: a row's members and alternatives
//!          may run on any processor, in their own column first.
//! Checked  laws, `tests/all/gang.rs`.
//!
//! Processors that the current row cannot use go to children of other rows (alternatives). If a processor is taken
//! away, or is not granted, its gang continues with the rest (`partial = true`) or is withdrawn whole. A withdrawn
//! gang tries again eight times in a quantum, since nobody can tell when two processors will be there at once.
//! Without `partial`, an alternative is the only ready member of its gang.

mod placement;

use crate::catalogue::{Kind, Properties};
use crate::gang::matrix::Matrix;
use crate::parameters::PRIORITY;
use crate::parts::quantum;
use crate::parts::slots;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, OwnVp, Scheduler, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

const TAKES: &str = "priority (which gang), quantum (to the instance)";
/// All requests have been answered.
const SETTLED: TimerId = TimerId(0);
/// The end of a row's quantum.
const SLOT: TimerId = TimerId(1);
/// The time at which a withdrawn gang tries again.
const RETRY: TimerId = TimerId(2);
/// Number of tries in a quantum.
const RETRIES: u64 = 8;

settings! { Gang, "gang.rs":
    /// whether a gang continues when there are fewer processors than members
    partial: bool = "true",
    /// how long a row of gangs runs while others wait
    quantum: Span = "100ms",
}

pub(crate) const KIND: Kind = Gang::kind(
    "gang",
    "all members of a gang at once on several processors, then the next gang",
    |settings| {
        let Gang { partial, quantum } = Gang::read(settings);
        Ok(Box::new(State::new(quantum, partial)))
    },
)
.with_parameters(&[&PRIORITY])
.with_properties(
    Properties::NONE.holds_back().quantum(|settings| Some(Gang::read(settings).quantum)),
);

/// The matrix of gangs and processors, whose rows have their turns, and those that fill the gaps.
#[derive(Clone)]
pub(crate) struct State {
    quantum: Span,
    partial: bool,
    matrix: Matrix,
    /// Rows with active members, by turn.
    line: Heap<u64>,
    drawn: u64,
    /// The row whose quantum it is.
    present: Option<u32>,
    /// Ready children of other rows that may run alone, by their row's turn.
    others: Heap<(u64, u32)>,
    /// By child: whether its gang is withdrawn because there are not processors for all members.
    withheld: Vec<bool>,
    /// When a gang was last withdrawn.
    withdrawn: Option<Instant>,
}

impl State {
    /// `quantum` is above zero. `partial`: part of a gang may run.
    #[must_use]
    pub(crate) fn new(quantum: Span, partial: bool) -> State {
        State {
            quantum,
            partial,
            matrix: Matrix::default(),
            line: Heap::new(),
            drawn: 0,
            present: None,
            others: Heap::new(),
            withheld: Vec::new(),
            withdrawn: None,
        }
    }

    fn is_present(&self, child: ChildVp) -> bool {
        self.present == Some(self.matrix.row_of(child))
    }

    /// Whether a child may run without the rest of its gang.
    fn may_alone(&self, child: ChildVp, view: &View<'_>) -> bool {
        let active = |other: &ChildVp| view.child(*other) != VpState::Waiting;
        self.partial || self.matrix.gang(child).filter(active).count() <= 1
    }

    /// Updates whether a child is an alternative, from its state and its gang's.
    fn sort(&mut self, child: ChildVp, context: &mut Context<'_>) {
        let view = context.view();
        let row = self.matrix.row_of(child);
        let alone = !self.is_present(child) && self.may_alone(child, &view);
        let turn = self.line.key(row);
        let state = context.child(child);
        match turn {
            Some(turn) if alone && state == VpState::Ready => {
                self.others.set(child.0, (turn, child.0))
            }
            _ => {
                self.others.remove(child.0);
            }
        }
        if !alone && !self.is_present(child) && matches!(state, VpState::Running(_)) {
            context.revoke(child);
        }
    }

    /// Updates whether the members of a row are alternatives; their gangs are no longer withdrawn.
    fn sort_row(&mut self, row: u32, context: &mut Context<'_>) {
        for column in 0..context.owns() {
            if let Some(child) = self.matrix.cells(row)[column] {
                self.withheld[child.index()] = false;
                self.sort(child, context);
            }
        }
    }

    /// Puts a row at the end of the queue.
    fn queue(&mut self, row: u32) {
        self.drawn += 1;
        self.line.set(row, self.drawn);
    }

    /// Counts a child that stops waiting (`by` 1) or begins to wait (-1).
    fn count(&mut self, child: ChildVp, by: i32) {
        let row = self.matrix.row_of(child);
        self.matrix.count(row, by);
        if self.matrix.active(row) == 0 {
            self.line.remove(row);
        } else if !self.line.contains(row) {
            self.queue(row);
        }
    }

    /// Begins the quantum of the first row in the queue.
    fn turn(&mut self, context: &mut Context<'_>) {
        let before = self.present;
        self.present = self.line.peek().map(|(_, row)| row);
        for row in before.into_iter().chain(self.present) {
            self.sort_row(row, context);
        }
        let end = self.present.map(|_| context.now().saturating_add(self.quantum));
        context.set_timer(SLOT, end);
    }

    /// Grants processors to the members of the current row, then to alternatives; requests missing processors, and
    /// releases those that no child needs.
    fn steer(&mut self, context: &mut Context<'_>) {
        if self.present.is_none_or(|row| self.matrix.active(row) == 0) {
            self.turn(context);
        }
        let missing = self.place(context);
        let mut requested = 0;
        for own in owns(context) {
            match context.own(own) {
                VpState::Running(_) if context.held_by(own).is_none() => match self.others.pop() {
                    Some((_, child)) => context.grant(ChildVp(child), own),
                    None => context.release(own),
                },
                VpState::Ready => requested += 1,
                _ => {}
            }
        }
        let wanted = missing + self.others.len();
        let mut waiting = false;
        for own in owns(context) {
            if context.own(own) == VpState::Waiting {
                waiting |= requested >= wanted;
                if requested < wanted {
                    requested += 1;
                    context.request(own);
                }
            }
        }
        // `settle` has more to do if not all requests are granted, or if they are no longer needed.
        let more = if wanted > 0 { waiting || !self.partial } else { requested > 0 };
        if more {
            context.set_timer(SETTLED, Some(context.now()));
        }
    }

    /// Updates what a gang's members may do after one has begun or stopped waiting.
    fn sort_gang(&mut self, child: ChildVp, context: &mut Context<'_>) {
        if self.partial || self.is_present(child) {
            return self.sort(child, context);
        }
        self.sort_row(self.matrix.row_of(child), context);
    }

    /// A child joins a gang that has room.
    fn join(&mut self, child: ChildVp, gang: i32, context: &mut Context<'_>) {
        // All members of the gang may move to another row, so all active children are counted again.
        let active: Vec<ChildVp> = (0..context.child_slots())
            .map(ChildVp)
            .filter(|other| context.child(*other) != VpState::Waiting)
            .collect();
        for other in &active {
            self.count(*other, -1);
        }
        self.matrix.join(child, gang);
        self.line.reserve(self.matrix.rows());
        for other in &active {
            self.count(*other, 1);
        }
        self.withheld.fill(false);
        for other in active {
            self.sort(other, context);
        }
    }
}

fn owns(context: &Context<'_>) -> impl Iterator<Item = OwnVp> + use<> {
    (0..context.owns()).map(own_of)
}

fn own_of(column: usize) -> OwnVp {
    OwnVp(u16::try_from(column).expect("own VPs are numbered by 16 bits"))
}

impl Scheduler for State {
    fn timers(&self, _: usize) -> usize {
        3
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.matrix = Matrix::new(context.owns());
    }

    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Answer {
        self.matrix.insert(child);
        self.line.reserve(self.matrix.rows());
        self.others.reserve(child.index() + 1);
        slots::put(&mut self.withheld, child, false);
        Ok(())
    }

    fn unregister(&mut self, child: ChildVp, _: &mut Context<'_>) {
        self.matrix.remove(child);
    }

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.count(child, 1);
        self.relent(context);
        let withheld = self.matrix.gang(child).any(|member| self.withheld[member.index()]);
        self.withheld[child.index()] = withheld;
        self.sort_gang(child, context);
        self.steer(context);
    }

    fn release(&mut self, child: ChildVp, _: Option<OwnVp>, context: &mut Context<'_>) {
        self.count(child, -1);
        self.withheld[child.index()] = false;
        self.relent(context);
        self.sort_gang(child, context);
        self.steer(context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Answer {
        match (child, message) {
            (Some(child), Message::Priority(gang)) => {
                if !self.matrix.has_room(child, gang) {
                    let limit = "a gang has at most as many members as its scheduler has virtual \
                                 processors; use a smaller gang, or give it more of them";
                    return Err(AnswerError::Full { limit });
                }
                self.join(child, gang, context);
                self.steer(context);
                Ok(())
            }
            (None, Message::Quantum(length)) => {
                self.quantum = quantum::checked(length)?;
                Ok(())
            }
            _ => Err(AnswerError::NotUnderstood { message: message.name(), takes: TAKES }),
        }
    }

    fn grant(&mut self, _: OwnVp, context: &mut Context<'_>) {
        self.relent(context);
        self.steer(context);
    }

    fn revoke(&mut self, _: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        context.revoke(child);
        self.sort(child, context);
        self.steer(context);
    }

    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>) {
        if timer == SETTLED {
            return self.settle(context);
        }
        if timer == RETRY {
            self.relent(context);
            return self.steer(context);
        }
        if let Some(row) = self.present.filter(|row| self.matrix.active(*row) > 0) {
            self.queue(row);
        }
        self.turn(context);
        self.steer(context);
    }

    fn next(&self, own: OwnVp, view: &View<'_>) -> Option<ChildVp> {
        let row = self.present.map_or(&[][..], |row| self.matrix.cells(row));
        let ready =
            |child: &ChildVp| view.child(*child) == VpState::Ready && !self.withheld[child.index()];
        let at_home = row.get(own.index()).copied().flatten().filter(ready);
        let member = at_home.or_else(|| row.iter().copied().flatten().find(ready));
        member.or_else(|| self.others.peek().map(|(_, child)| ChildVp(child)))
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        let mut candidates = 0;
        let mut active = alloc::vec![0; self.matrix.rows()];
        for child in view.children() {
            let state = view.child(child);
            let present = self.is_present(child);
            active[self.matrix.row_of(child) as usize] += u32::from(state != VpState::Waiting);
            let alternative = state == VpState::Ready && !present && self.may_alone(child, view);
            if alternative != self.others.contains(child.0) {
                return Err("an alternative is not known, or somebody is one who must not be");
            }
            let unseated = state == VpState::Ready && present && !self.withheld[child.index()];
            candidates += usize::from(alternative || unseated);
            if unseated && !self.partial {
                return Err("a gang runs in part");
            }
            if matches!(state, VpState::Running(_)) && self.withheld[child.index()] {
                return Err("a gang that is withdrawn runs");
            }
            let fellow = |other: ChildVp| matches!(view.child(other), VpState::Running(_));
            if unseated && view.children().any(|other| fellow(other) && !self.is_present(other)) {
                return Err("an alternative runs although a member of the present row is ready");
            }
        }
        for (row, active) in (0..).zip(active) {
            if self.matrix.active(row) != active || self.line.contains(row) != (active > 0) {
                return Err("a row's active members are not counted right");
            }
        }
        let owns = || (0..view.owns()).map(own_of);
        if candidates > 0 && owns().any(|own| view.own(own) == VpState::Waiting) {
            return Err("somebody is ready although an own VP waits");
        }
        Ok(())
    }
}

//! Gang scheduling: all members of a gang run at once, each on a processor, a quantum long.
//!
//! Takes    any guarantee, on several processors; ALL on each to keep gangs whole.
//! Gives    NULL to each child.
//! Admits   everyone. Children told the same `priority` are a gang, of at most as many as the instance
//!          has virtual processors; a child told none is alone. The number ranks nobody.
//! Assumes  a child is best served while all of its gang that are ready run (they wait for each other
//!          by spinning).
//! Costs    O(p + log n) per event with p own VPs, O(p p) without `partial`; O(n) when one comes or
//!          joins a gang; 96 bytes per child; three timers.
//! Ties     rows of the matrix take turns; within a row all run. What is left over goes to ready
//!          children of the row whose turn comes first, then to the lower slot.
//! Source   Ousterhout, Scheduling Techniques for Concurrent Systems, 1982 (matrix, alternative
//!          selection); the conflict with others for a processor: HLS 6.3.1. Ours differs: a row's
//!          members and alternatives may run on any processor, their own column's first.
//! Checked  laws, `tests/gang.rs`.
//!
//! Processors that the present row has no use for go to children of other rows. When a processor is
//! taken away, or is not granted, its gang runs on with the rest (`partial = true`) or is withdrawn
//! whole. It then tries again eight times in a quantum: nobody can tell when two processors will be
//! there at once. Of other gangs, too, only those of which one alone is ready are alternatives then.

use crate::best_effort::BestEffort;
use crate::catalogue::{Form, Kind, Setting};
use crate::gang_matrix::Matrix;
use crate::quantum;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{Child, Message, Own, Port, Refusal, Scheduler, TimerId, View, VpState};
use windfall_time::{Instant, Span};

const TAKES: &str = "priority (which gang), quantum (to the instance)";
const QUANTUM: Span = Span::from_millis(100);
/// What was asked for has been answered.
const SETTLED: TimerId = TimerId(0);
/// The end of a row's quantum.
const SLOT: TimerId = TimerId(1);
/// When a gang that was withdrawn tries again.
const RETRY: TimerId = TimerId(2);
/// How often in a quantum.
const RETRIES: u64 = 8;

pub(crate) const KIND: Kind = Kind {
    name: "gang",
    summary: "all members of a gang at once on several processors, then the next gang",
    source: include_str!("gang.rs"),
    settings: &[
        Setting {
            name: "partial",
            form: Form::Bool,
            default: "true",
            help: "whether a gang runs on when there are not processors for all of it",
        },
        Setting {
            name: "quantum",
            form: Form::Span,
            default: "100ms",
            help: "how long a row of gangs runs while others wait",
        },
    ],
    build: |settings| {
        let partial = settings.bool("partial", true)?;
        Ok(Box::new(Gang::new(settings.span("quantum", QUANTUM)?, partial)))
    },
    conversion: |_| Ok(Box::new(BestEffort)),
};

/// The scheduler.
pub struct Gang {
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
    /// By child: its gang is withdrawn, since there are not processors for all of it.
    withheld: Vec<bool>,
    /// When a gang was last withdrawn.
    withdrawn: Option<Instant>,
}

impl Gang {
    /// With the quantum, above zero, and whether part of a gang may run.
    #[must_use]
    pub fn new(quantum: Span, partial: bool) -> Gang {
        Gang {
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

    fn is_present(&self, child: Child) -> bool {
        self.present == Some(self.matrix.row_of(child))
    }

    /// Whether a child may run without the rest of its gang.
    fn may_alone(&self, child: Child, view: &View<'_>) -> bool {
        let active = |other: &Child| view.child(*other) != VpState::Waiting;
        self.partial || self.matrix.gang(child).filter(active).count() <= 1
    }

    /// Has a child be an alternative, or not, as its state and its gang's demand.
    fn sort(&mut self, child: Child, port: &mut Port<'_>) {
        let view = port.view();
        let row = self.matrix.row_of(child);
        let alone = !self.is_present(child) && self.may_alone(child, &view);
        let turn = self.line.key(row);
        let state = port.child(child);
        match turn {
            Some(turn) if alone && state == VpState::Ready => {
                self.others.set(child.0, (turn, child.0))
            }
            _ => {
                self.others.remove(child.0);
            }
        }
        if !alone && !self.is_present(child) && matches!(state, VpState::Running(_)) {
            port.revoke(child);
        }
    }

    /// The members of a gang, or of a row, become or cease to be alternatives.
    fn sort_row(&mut self, row: u32, port: &mut Port<'_>) {
        for column in 0..port.owns() {
            if let Some(child) = self.matrix.cells(row)[column] {
                self.withheld[child.index()] = false;
                self.sort(child, port);
            }
        }
    }

    /// A row goes to the end of the line.
    fn queue(&mut self, row: u32) {
        self.drawn += 1;
        self.line.set(row, self.drawn);
    }

    /// A child waits no longer, or does from now on.
    fn count(&mut self, child: Child, by: i32) {
        let row = self.matrix.row_of(child);
        self.matrix.count(row, by);
        if self.matrix.active(row) == 0 {
            self.line.remove(row);
        } else if !self.line.contains(row) {
            self.queue(row);
        }
    }

    /// The quantum of the first row in line begins.
    fn turn(&mut self, port: &mut Port<'_>) {
        let before = self.present;
        self.present = self.line.peek().map(|(_, row)| row);
        for row in before.into_iter().chain(self.present) {
            self.sort_row(row, port);
        }
        let end = self.present.map(|_| port.now().saturating_add(self.quantum));
        port.set_timer(SLOT, end);
    }

    /// Has the members of the present row run, then alternatives; asks for what is missing, and
    /// gives back what nobody needs.
    fn steer(&mut self, port: &mut Port<'_>) {
        if self.present.is_none_or(|row| self.matrix.active(row) == 0) {
            self.turn(port);
        }
        let missing = self.seat(port);
        let mut requested = 0;
        for own in owns(port) {
            match port.own(own) {
                VpState::Running(_) if port.held_by(own).is_none() => match self.others.pop() {
                    Some((_, child)) => port.grant(Child(child), own),
                    None => port.release(own),
                },
                VpState::Ready => requested += 1,
                _ => {}
            }
        }
        let wanted = missing + self.others.len();
        let mut waiting = false;
        for own in owns(port) {
            if port.own(own) == VpState::Waiting {
                waiting |= requested >= wanted;
                if requested < wanted {
                    requested += 1;
                    port.request(own);
                }
            }
        }
        // More is to be done if not all is granted, or if nobody needs it any longer.
        let more = if wanted > 0 { waiting || !self.partial } else { requested > 0 };
        if more {
            port.set_timer(SETTLED, Some(port.now()));
        }
    }

    /// Gives processors to the ready members of the present row that are not withheld, those of
    /// alternatives if need be. How many members are left without.
    fn seat(&mut self, port: &mut Port<'_>) -> usize {
        let Some(row) = self.present else {
            return 0;
        };
        let mut missing = 0;
        let mut from = 0;
        for column in 0..port.owns() {
            let Some(child) = self.matrix.cells(row)[column] else {
                continue;
            };
            if port.child(child) != VpState::Ready || self.withheld[child.index()] {
                continue;
            }
            let own = own_of(column);
            let seat = if self.is_free(own, port) {
                Some(own)
            } else {
                let free = (from..port.owns()).find(|at| self.is_free(own_of(*at), port));
                from = free.unwrap_or(port.owns());
                free.map(own_of)
            };
            let Some(own) = seat else {
                missing += 1;
                continue;
            };
            if let Some(other) = port.held_by(own) {
                port.revoke(other);
                self.sort(other, port);
            }
            port.grant(child, own);
        }
        missing
    }

    /// Whether a processor is there for a member of the present row: nobody has it, or an
    /// alternative.
    fn is_free(&self, own: Own, port: &Port<'_>) -> bool {
        matches!(port.own(own), VpState::Running(_))
            && port.held_by(own).is_none_or(|child| !self.is_present(child))
    }

    /// All that was asked for has been answered: asks on, since each own VP may have another parent,
    /// or withdraws gangs that are not whole, and requests that nobody needs.
    fn settle(&mut self, port: &mut Port<'_>) {
        let withheld = |child: &Child| self.withheld[child.index()];
        let ready = |child: &Child| port.child(*child) == VpState::Ready;
        let members = self.present.map_or(&[][..], |row| self.matrix.cells(row)).iter().flatten();
        let unseated = members.clone().filter(|child| ready(child) && !withheld(child)).count();
        let absent = members.filter(|child| withheld(child)).count();
        let waiting = owns(port).find(|own| port.own(*own) == VpState::Waiting);
        if unseated + self.others.len() > 0
            && let Some(own) = waiting
        {
            port.request(own);
            return port.set_timer(SETTLED, Some(port.now()));
        }
        if unseated > 0 && !self.partial {
            self.withdraw_broken(port);
        }
        for own in owns(port) {
            let idle = unseated + absent + self.others.len() == 0;
            match port.own(own) {
                VpState::Ready if idle => port.release(own),
                VpState::Running(_) if port.held_by(own).is_none() => match self.others.pop() {
                    Some((_, child)) => port.grant(Child(child), own),
                    None => port.release(own),
                },
                _ => {}
            }
        }
    }

    /// Withdraws all gangs of the present row of which one member has no processor.
    fn withdraw_broken(&mut self, port: &mut Port<'_>) {
        let Some(row) = self.present else {
            return;
        };
        for column in 0..port.owns() {
            if let Some(child) = self.matrix.cells(row)[column]
                && port.child(child) == VpState::Ready
                && !self.withheld[child.index()]
            {
                self.withdraw(child, port);
            }
        }
    }

    /// Takes the processors from the gang of a child.
    fn withdraw(&mut self, child: Child, port: &mut Port<'_>) {
        self.withdrawn = Some(port.now());
        let wait = Span::from_nanos((self.quantum.as_nanos() / RETRIES).max(1));
        port.set_timer(RETRY, Some(port.now().saturating_add(wait)));
        let row = self.matrix.row_of(child);
        for column in 0..port.owns() {
            if let Some(member) = self.matrix.cells(row)[column]
                && self.matrix.together(member, child)
            {
                self.withheld[member.index()] = true;
                if matches!(port.child(member), VpState::Running(_)) {
                    port.revoke(member);
                }
            }
        }
    }

    /// What has changed may make room for gangs of the present row that were withdrawn.
    fn relent(&mut self, port: &mut Port<'_>) {
        if self.partial || self.withdrawn == Some(port.now()) {
            return;
        }
        if let Some(row) = self.present {
            self.sort_row(row, port);
        }
    }

    /// One of a gang has begun or ceased to wait: what its fellows may do has changed.
    fn sort_gang(&mut self, child: Child, port: &mut Port<'_>) {
        if self.partial || self.is_present(child) {
            return self.sort(child, port);
        }
        self.sort_row(self.matrix.row_of(child), port);
    }

    /// A child joins a gang that has room.
    fn join(&mut self, child: Child, gang: i32, port: &mut Port<'_>) {
        // Rows may change under everybody in the gang; so all are counted anew.
        let active: Vec<Child> = (0..port.child_slots())
            .map(Child)
            .filter(|other| port.child(*other) != VpState::Waiting)
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
            self.sort(other, port);
        }
    }
}

fn owns(port: &Port<'_>) -> impl Iterator<Item = Own> + use<> {
    (0..port.owns()).map(own_of)
}

fn own_of(column: usize) -> Own {
    Own(u16::try_from(column).expect("own VPs are numbered by 16 bits"))
}

impl Scheduler for Gang {
    fn timers(&self, _: usize) -> usize {
        3
    }

    fn init(&mut self, port: &mut Port<'_>) {
        self.matrix = Matrix::new(port.owns());
    }

    fn register(&mut self, child: Child, _: &mut Port<'_>) -> Result<(), Refusal> {
        self.matrix.insert(child);
        self.line.reserve(self.matrix.rows());
        self.others.reserve(child.index() + 1);
        self.withheld.resize(self.withheld.len().max(child.index() + 1), false);
        self.withheld[child.index()] = false;
        Ok(())
    }

    fn unregister(&mut self, child: Child, _: &mut Port<'_>) {
        self.matrix.remove(child);
    }

    fn request(&mut self, child: Child, port: &mut Port<'_>) {
        self.count(child, 1);
        self.relent(port);
        let withheld = self.matrix.gang(child).any(|member| self.withheld[member.index()]);
        self.withheld[child.index()] = withheld;
        self.sort_gang(child, port);
        self.steer(port);
    }

    fn release(&mut self, child: Child, _: Option<Own>, port: &mut Port<'_>) {
        self.count(child, -1);
        self.withheld[child.index()] = false;
        self.relent(port);
        self.sort_gang(child, port);
        self.steer(port);
    }

    fn message(
        &mut self,
        child: Option<Child>,
        message: Message,
        port: &mut Port<'_>,
    ) -> Result<(), Refusal> {
        match (child, message) {
            (Some(child), Message::Priority(gang)) => {
                if !self.matrix.has_room(child, gang) {
                    let limit = "a gang has at most as many members as its scheduler has virtual \
                                 processors; use a smaller gang, or give it more of them";
                    return Err(Refusal::Full { limit });
                }
                self.join(child, gang, port);
                self.steer(port);
                Ok(())
            }
            (None, Message::Quantum(length)) => {
                self.quantum = quantum::checked(length)?;
                Ok(())
            }
            _ => Err(Refusal::NotUnderstood { message: message.name(), takes: TAKES }),
        }
    }

    fn grant(&mut self, _: Own, port: &mut Port<'_>) {
        self.relent(port);
        self.steer(port);
    }

    fn revoke(&mut self, _: Own, child: Child, port: &mut Port<'_>) {
        port.revoke(child);
        self.sort(child, port);
        self.steer(port);
    }

    fn timer(&mut self, timer: TimerId, port: &mut Port<'_>) {
        if timer == SETTLED {
            return self.settle(port);
        }
        if timer == RETRY {
            self.relent(port);
            return self.steer(port);
        }
        if let Some(row) = self.present.filter(|row| self.matrix.active(*row) > 0) {
            self.queue(row);
        }
        self.turn(port);
        self.steer(port);
    }

    fn next(&self, own: Own, view: &View<'_>) -> Option<Child> {
        let row = self.present.map_or(&[][..], |row| self.matrix.cells(row));
        let ready =
            |child: &Child| view.child(*child) == VpState::Ready && !self.withheld[child.index()];
        let at_home = row.get(own.index()).copied().flatten().filter(ready);
        let member = at_home.or_else(|| row.iter().copied().flatten().find(ready));
        member.or_else(|| self.others.peek().map(|(_, child)| Child(child)))
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
            let fellow = |other: Child| matches!(view.child(other), VpState::Running(_));
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

//! PORTS: tasks with deadlines, each admitted or refused when it is submitted; on one processor.
//!
//! Takes    a guarantee that bounds the supply in every window: ALL, a reservation, or PSBE s e. Not RESU and PS.
//! Gives    NULL to each child; each task that it admits is done by its deadline while its child does not wait when the task is
//!          the first of all, and needs no more than it said.
//! Admits   a task (`submit`) if it and all that were admitted before will be done by their deadlines; a refusal says the idle time before
//!          the deadline, and the earliest one. Against the step function of a reservation of x in y it admits at most
//!          x (1 - x/y) of work less; with `exact`, by the steps from now on, nothing less.
//!          Moves laxity (`transfer`, PORTS 2.5) to a scheduler of this kind below it, itself or below a `join`, if no task of its own is made late by it; that
//!          one promises it while it passes. Without a guarantee, an instance promises this alone.
//! Assumes  A1 the instance receives what it holds; if not, what cannot be done any longer is lost, and named. A2 a child does its
//!          tasks in the order of their deadlines, of equal ones in that of submission. Overheads are not inside a task's work: they count as time that was not supplied.
//! Costs    O(log n) an event, a task and a query, for n tasks; O(n) for one that is lost, or that comes while laxity moves here; with `exact`, O(n) a task and a
//!          query, O(n log n) if more became sure since and when it wakes with tasks; 26 to 36 bytes a task, and about 130 for its child; one timer.
//! Ties     the task that was submitted first.
//! Source   PORTS 2.2 to 2.6; decisions 0028, 0029, 0034 and 0037.
//! Checked  laws, `tests/all/ports.rs`, `tests/all/ports_moved.rs`, `tests/all/ports_exact.rs`.
//!
//! Slots that are used up are collected as time passes, in O(1) amortised: there is no period of collection to set (decision 0031).
//!
//! A task that needs more than it said is interrupted at that moment (2.4): its child goes on behind all tasks, as children without tasks
//! run, in the order in which they came to be so. They are guaranteed nothing.

mod holding;
mod ledger;
mod rate;

use crate::catalogue::{Kind, Properties};
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::parts::slots;
use crate::parts::stolen::{Charges, Meter};
use alloc::boxed::Box;
use alloc::vec::Vec;
use holding::Moved;
use ledger::{Ledger, Phase};
use rate::Rate;
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Count, Message, Note, OwnVp, ParentNotice,
    TemporalAnswer, TemporalQuery, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

/// Fires when the first task is used up, or, while nothing is supplied, when a task becomes late.
const BOUND: TimerId = TimerId(1);
const OWN: OwnVp = OwnVp(0);
/// Cancels laxity that was moved before.
const ENDS: ParentNotice = ParentNotice::Moved {
    work: Span::ZERO,
    from: Instant::ZERO,
    amount: Span::ZERO,
    period: Span::ZERO,
    latency: Span::ZERO,
};

settings! { Ports, "ports.rs":
    /// whether it admits by the steps of a reservation, and not by a line below them: up to x (1 - x/y) of work more, at a cost of O(n) a task
    exact: bool = "false",
    /// the most tasks that are admitted and not ended at a time
    slots: u32 = "100000" in 1..=4_000_000,
}

pub(crate) const KIND: Kind =
    Ports::kind("ports", "tasks with deadlines, admitted when they are submitted", |settings| {
        let Ports { exact, slots } = Ports::read(settings);
        Ok(Box::new(Pooled::new(State::new(slots, exact))))
    })
    .with_properties(Properties {
        admits: true,
        holds_back: true,
        keeps_laxity: |settings| {
            let steps = "admits by steps (`exact`), and these cannot be moved";
            Ports::read(settings).exact.then_some(steps)
        },
        ..Properties::NONE
    });

/// The ledger of admitted tasks, and the place of each child among them.
#[derive(Clone)]
struct State {
    ledger: Ledger,
    /// The use of the processor since the last account.
    phase: Phase,
    meter: Meter,
    /// By child, as the pool knows it.
    keys: Vec<Key>,
    /// Children that came to be without tasks, or woke without.
    came: u64,
}

/// Place, arrival, child; children without tasks are behind all.
type Key = (Instant, u64, u32);

impl State {
    fn new(slots: u32, exact: bool) -> State {
        State {
            ledger: Ledger::new(slots, exact),
            phase: Phase::Idle,
            meter: Meter::new(Charges::Received.stolen()),
            keys: Vec::new(),
            came: 0,
        }
    }

    /// Accounts for the time since the last event.
    fn account(&mut self, view: &View<'_>) {
        let now = view.now();
        let had = now.saturating_since(self.ledger.accounted());
        let received = match self.phase {
            Phase::Serving(_) => self.meter.take(had, view).received,
            Phase::Idle | Phase::Unsupplied => Span::ZERO,
        };
        self.ledger.account(now, self.phase, received);
    }

    /// If no child was runnable, the supply counts from now on.
    fn resume(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        if self.phase == Phase::Idle && self.ledger.resume() {
            self.moves_all(pool, context);
        }
    }

    /// The child's place among all has changed.
    fn place(&mut self, child: ChildVp) {
        self.keys[child.index()] = match self.ledger.first_of(child) {
            Some((place, arrival)) => (place, arrival, child.0),
            None => {
                self.came += 1;
                (Instant::MAX, self.came, child.0)
            }
        };
    }

    /// Handles an event: accounts for the time before it, and says and does what follows from that.
    fn handle<T>(
        &mut self,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
        event: impl FnOnce(&mut State, &mut Pool<Self>, &mut Context<'_>) -> T,
    ) -> T {
        self.account(&context.view());
        let answer = event(self, pool, context);
        let mut moved = false;
        while let Some(said) = self.ledger.next_note() {
            context.note_of_task(Some(said.child), said.task, said.note);
            if said.ends {
                context.notify_child(said.child, ENDS);
            }
            self.place(said.child);
            pool.refresh(said.child, self, context);
            moved = true;
        }
        if moved {
            pool.preempt(self, context);
        }
        self.phase = match (context.own(OWN), context.held_by(OWN)) {
            (VpState::Waiting, _) => Phase::Idle,
            (VpState::Running(_), Some(child)) => Phase::Serving(child),
            _ => Phase::Unsupplied,
        };
        let bound = match self.phase {
            Phase::Idle => None,
            Phase::Unsupplied => self.ledger.late_at(),
            Phase::Serving(_) => {
                self.ledger.first_left().map(|left| context.now().saturating_add(left))
            }
        };
        context.set_timer(BOUND, bound);
        answer
    }
}

impl Policy for State {
    type Key = Key;
    const TAKES: &'static str = "submit, withdraw, finish, transfer, supply, account";

    #[inline]
    fn key(&self, child: ChildVp) -> Key {
        self.keys[child.index()]
    }

    #[inline]
    fn preempts(ready: &Key, running: &Key) -> bool {
        ready.0 < Instant::MAX && ready < running
    }

    fn timers(&self, _: usize) -> usize {
        1
    }

    fn register(&mut self, child: ChildVp) {
        slots::put(&mut self.keys, child, (Instant::MAX, 0, child.0));
        self.ledger.register(child);
    }

    fn unregister(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.account(&context.view());
        self.ledger.unregister(child);
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.handle(pool, context, |state, pool, context| {
            state.resume(pool, context);
            state.ledger.wakes(child, true);
            state.place(child);
            pool.request(child, state, context);
        });
    }

    fn release(
        &mut self,
        child: ChildVp,
        held: Option<OwnVp>,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        self.handle(pool, context, |state, pool, context| {
            state.ledger.wakes(child, false);
            pool.release(child, held, state, context);
        });
    }

    fn started(&mut self, _: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        self.meter.start(own, &context.view());
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) -> Answer {
        self.handle(pool, context, |state, pool, context| match (child, message) {
            (Some(child), Message::Submit { task, work, deadline }) => {
                state.resume(pool, context);
                let answer = state.ledger.submit(child, task, (work, deadline));
                match answer {
                    Ok(()) => {
                        context.note_of_task(Some(child), Some(task), Note::Admitted(work));
                        if state.ledger.is_line() {
                            state.moves(child, pool, context);
                        } else {
                            state.moves_all(pool, context);
                        }
                    }
                    Err(AnswerError::NoTime { idle, .. }) => {
                        context.note_of_task(Some(child), Some(task), Note::Refused(idle));
                        if state.ledger.is_exact() {
                            state.moves_all(pool, context);
                        }
                    }
                    Err(AnswerError::WrongTask { .. }) => {}
                    Err(_) => {
                        context.note_of_task(Some(child), Some(task), Note::Refused(Span::ZERO));
                    }
                }
                answer
            }
            (Some(child), Message::Withdraw(task) | Message::Finish(task)) => {
                let left = state.ledger.end(child, task)?;
                if !left.is_zero() {
                    context.note_of_task(Some(child), Some(task), Note::Absorbed(left));
                }
                state.moves(child, pool, context);
                Ok(())
            }
            (Some(child), Message::Transfer(work)) => {
                state.resume(pool, context);
                let moved = state.ledger.give(child, work)?;
                context.note(Some(child), Note::Moved(work));
                context.notify_child(child, moved.notice());
                state.moves(child, pool, context);
                Ok(())
            }
            (None, Message::Supply { amount, period, latency, blocks }) => {
                state.ledger.hold(Rate::new(amount, period, latency, blocks));
                state.moves_all(pool, context);
                Ok(())
            }
            (None, Message::Account) => Ok(()),
            _ => Self::not_understood(message),
        })
    }

    fn parent_notice(
        &mut self,
        notice: ParentNotice,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        if matches!(notice, ParentNotice::Moved { .. }) {
            self.handle(pool, context, |state, pool, context| {
                match Moved::of(notice) {
                    Some(moved) => state.ledger.gain(moved),
                    None => state.ledger.cancel(),
                }
                state.moves_all(pool, context);
            });
        }
    }

    fn grant(&mut self, own: OwnVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.handle(pool, context, |state, pool, context| pool.grant(own, state, context));
    }

    fn revoke(
        &mut self,
        own: OwnVp,
        child: ChildVp,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        self.handle(pool, context, |state, pool, context| pool.revoke(own, child, state, context));
    }

    fn settled(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.handle(pool, context, |state, pool, context| pool.settled(state, context));
    }

    fn timer(&mut self, _: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.handle(pool, context, |_, _, _| ());
    }

    fn temporal_query(
        &mut self,
        query: TemporalQuery<'_>,
        view: &View<'_>,
    ) -> Option<TemporalAnswer> {
        self.account(view);
        if query == TemporalQuery::Unnamed {
            return Some(TemporalAnswer::Unnamed(self.ledger.has_unnamed()));
        }
        self.ledger.answer(query, self.phase == Phase::Idle)
    }

    fn stats(&self, child: Option<ChildVp>, report: &mut dyn FnMut(&'static str, Count)) {
        if child.is_none() {
            let (now, counts) = self.ledger.counts();
            report("tasks", Count::Times(now as u64));
            report("admitted", Count::Times(counts.admitted));
            report("refused", Count::Times(counts.refused));
            report("used-up", Count::Times(counts.collected));
            report("lost", Count::Times(counts.lost));
            report("absorbed", Count::Time(counts.freed));
        }
    }

    fn check(&self, _: &Pool<Self>, _: &View<'_>) -> Result<(), &'static str> {
        self.ledger.check()
    }
}

impl State {
    /// Restores the order after the tasks of a child have changed.
    fn moves(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.place(child);
        pool.rerank(child, self, context);
    }

    /// The same after those of all children may have changed.
    fn moves_all(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        for child in (0..context.child_slots()).map(ChildVp) {
            if self.ledger.first_of(child).is_some() {
                self.place(child);
                pool.refresh(child, self, context);
            }
        }
        pool.preempt(self, context);
    }
}

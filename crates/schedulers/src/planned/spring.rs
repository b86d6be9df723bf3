//! Spring: plans jobs when their threads begin them, and then finishes them in time; on one processor.
//!
//! Takes    ALL on its own VP 0. Not RESU, in contrast to table 5.1: a plan fixes times on the clock.
//! Gives    RESBH x y to each child with a reservation of x in y; nothing to one without.
//! Admits   a reservation as one block in each period that never collides with another, at the first offset
//!          where it fits; the checker admits while the sum of all x is at most the greatest common divisor of
//!          all y, so that a child that sets less takes nothing from others. A `job` if a plan is found that
//!          has room for it beside all blocks and all jobs admitted before.
//! Assumes  A1 its processor is there whenever requested; A2 overheads are inside x, and inside the work that
//!          a `job` message states.
//! Costs    O(log n) per event; per `job` at most n + 200 steps of planning, each of which looks at n jobs and
//!          moves each past at most 1000 blocks, O(n); 74 bytes per child; one timer.
//! Ties     in planning, the child of the lower slot; no two pieces of a plan overlap.
//! Source   Ramamritham and Stankovic 1991; Kaneko et al. 1996; HLS 2.3.1.2, 6.2.3, table 5.1.
//! Checked  laws, `tests/all/spring.rs`.
//!
//! A job runs in one piece. A child that blocks in it gets the rest back if it wakes in time, and nothing after it.
//! A job that finds no place is refused (a note says so) and gets no time: the host aborts it. A child with a reservation works in its blocks, and
//! its jobs are not planned. Unused time is not reclaimed.

use crate::catalogue::{Kind, Properties};
use crate::parameters::RESERVE;
use crate::parts::pieces::{Piece, Pieces};
use crate::parts::plan::{Plan, Planned};
use crate::parts::reserved;
use crate::parts::search::{Task, plan};
use crate::parts::table::{Block, gcd};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use windfall_guarantees::{ChildParam, ChildParams, Conversion, Guarantee, Offer, Supply, Type};
use windfall_hierarchy::{Answer, AnswerError, ChildVp, Context, Message, Note, VpState};
use windfall_time::{Instant, Span};

const TAKES: &str = "job, reserve, unreserve";

settings! { Spring, "spring.rs":
    /// weight of the earliest start, relative to the deadline, when jobs are ordered
    weight: u16 = "4" in 0..=1_000,
}

pub(crate) const KIND: Kind = Spring::kind(
    "spring",
    "jobs guaranteed at arrival by a plan, beside reserved blocks",
    |settings| {
        let weight = Spring::read(settings).weight.into();
        Ok(Box::new(Planned::new(State { weight })))
    },
)
.with_parameters(&[&RESERVE])
.with_properties(Properties { reserves: true, holds_back: true, ..Properties::NONE })
.with_conversion(|_| Ok(Box::new(Admission)));

#[derive(Clone)]
struct State {
    weight: u64,
}

/// The unfinished jobs of all children except `but`, with their start times.
fn jobs(pieces: &Pieces, but: ChildVp, now: Instant) -> Vec<(usize, Task, Instant)> {
    let others = pieces.plan.iter().enumerate().filter(|(at, _)| *at != but.index());
    let job = |(at, piece): (usize, &Option<Piece>)| match piece {
        Some(piece @ Piece::Once(task, start)) if !piece.is_over(now) => Some((at, *task, *start)),
        _ => None,
    };
    others.filter_map(job).collect()
}

/// Begins or changes a reservation, which starts after all jobs admitted before are done.
fn reserve(
    child: ChildVp,
    (amount, period): (Span, Span),
    pieces: &mut Pieces,
    context: &mut Context<'_>,
) -> Answer {
    let now = context.now();
    if amount.is_zero() || amount > period {
        let allowed = "above zero, at most the period";
        return Err(AnswerError::OutOfRange { what: "amount", allowed });
    }
    let Some(block) = Block::place(&pieces.blocks(child), (amount, period), None) else {
        return Err(AnswerError::OutOfRange {
            what: "reservation",
            allowed: "one whose block never overlaps another; use a period that divides the \
                          others' or is a multiple, or a smaller amount",
        });
    };
    if matches!(pieces.plan[child.index()], Some(Piece::Always(same, _)) if same == block) {
        return Ok(());
    }
    let others = jobs(pieces, child, now);
    let done = others.iter().map(|(_, task, start)| start.saturating_add(task.work)).max();
    let begins = done.unwrap_or(now);
    pieces.assign(child, Some(Piece::Always(block, begins)), context);
    Ok(())
}

impl State {
    /// A job arrives: it is planned beside all that were admitted before, or gets no time.
    fn job(&self, child: ChildVp, task: Task, pieces: &mut Pieces, context: &mut Context<'_>) {
        let now = context.now();
        if matches!(pieces.plan[child.index()], Some(Piece::Always(..))) {
            return;
        }
        pieces.stop(child, context);
        pieces.plan[child.index()] = None;
        let others = jobs(pieces, child, now);
        // A job that has begun keeps its place.
        let (begun, mut coming): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|(_, _, start)| *start <= now);
        let done = begun.iter().map(|(_, task, start)| start.saturating_add(task.work)).max();
        coming.push((child.index(), task, now));
        coming.sort_unstable_by_key(|(at, _, _)| *at);
        let tasks: Vec<Task> = coming.iter().map(|(_, task, _)| *task).collect();
        let found = plan(&tasks, &pieces.blocks(child), done.unwrap_or(now), self.weight);
        context.note(
            Some(child),
            if found.is_some() { Note::Admitted(task.work) } else { Note::Refused(Span::ZERO) },
        );
        match found {
            Some(starts) => {
                for ((at, task, _), start) in coming.into_iter().zip(starts) {
                    pieces.plan[at] = Some(Piece::Once(task, start));
                    if let Ok(slot) = u32::try_from(at) {
                        pieces.enter(ChildVp(slot), context);
                    }
                }
            }
            None if context.child(child) != VpState::Waiting => {
                context.note(Some(child), Note::Expired);
            }
            None => {}
        }
        pieces.turn(context);
    }
}

impl Plan for State {
    const ENDS: bool = true;

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        pieces: &mut Pieces,
        context: &mut Context<'_>,
    ) -> Answer {
        match (child, message) {
            (Some(child), Message::Reserve { amount, period }) => {
                pieces.turn(context);
                reserve(child, (amount, period), pieces, context)
            }
            (Some(child), Message::Unreserve) => {
                pieces.turn(context);
                pieces.assign(child, None, context);
                Ok(())
            }
            (Some(child), Message::Job { release, deadline, work }) => {
                let Some(work) = work.filter(|work| !work.is_zero()) else {
                    let allowed = "the most that the job needs, above zero";
                    return Err(AnswerError::OutOfRange { what: "work", allowed });
                };
                pieces.turn(context);
                self.job(child, Task { release, deadline, work }, pieces, context);
                Ok(())
            }
            _ => Err(AnswerError::NotUnderstood { message: message.name(), takes: TAKES }),
        }
    }
}

#[derive(Clone)]
struct Admission;

impl Conversion for Admission {
    fn takes(&self) -> &'static [Type] {
        &[Type::All]
    }

    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        reserved::Form::Hard.parameter_for(requested)
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        let whole = own.guarantees.first() == Some(&Guarantee::All);
        let (mut sum, mut divisor) = (0_u128, 0);
        let give = |params: &ChildParams| {
            let Some((amount, period)) = params.reserve else {
                return Offer::nothing();
            };
            if amount.is_zero() {
                return Offer::lacking("it asks for nothing; ask for more".into());
            }
            sum += u128::from(amount.as_nanos());
            divisor = gcd(divisor, period.as_nanos());
            // Under this condition each block finds a place within the first `sum` of a common divisor of all
            // periods.
            if whole && sum <= u128::from(divisor) {
                return Offer::one(reserved::Form::Hard.of(amount, period), "a block in the plan");
            }
            Offer::lacking(match whole {
                true => format!(
                    "the blocks up to its own, {} in total, may not fit into {}, the greatest \
                     common divisor of their periods; use periods that are multiples of one, or less",
                    Span::saturating_from_nanos(sum),
                    Span::from_nanos(divisor)
                ),
                false => "a plan needs a whole processor; give its parent `ALL`".into(),
            })
        };
        children.iter().map(give).collect()
    }
}

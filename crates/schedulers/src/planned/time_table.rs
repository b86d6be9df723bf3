//! Time table: blocks at fixed offsets, as a table says; nothing else ever runs.
//!
//! Takes    ALL on its own VP 0. It never requests further own VPs.
//! Gives    RESSH x y z to each child with a block of x in y from z on; RESNH x y, and so RESCH x y, if the
//!          child leaves the offset to the table; nothing to a child without a block.
//! Admits   a block that never collides with another, exactly; without a given offset, at the first offset
//!          where it fits. In order of request: another order may fit more.
//! Assumes  A1 its processor is there whenever requested; A2 overheads are inside x.
//! Costs    O(log n) per event, O(n) per step of the search for an offset, at most 100000 steps; 58 bytes
//!          per child; one timer.
//! Ties     none: no two blocks overlap.
//! Source   HLS 2.3.1.2, of the scheduler of Lin et al. 1998; 5.2.2.2.
//! Checked  laws, `tests/all/time_table.rs`.
//!
//! A child that blocks in its block leaves the rest unused, and gets it back if it wakes in time. Offsets count from
//! the origin of time, so that equal tables are equal on every host.

use crate::catalogue::{Kind, Properties};
use crate::parameters::{BLOCK, RESERVE, read_block};
use crate::parts::pieces::{Piece, Pieces};
use crate::parts::plan::{Plan, Planned};
use crate::parts::table::Block;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_guarantees::{
    ChildParam, ChildParams, Conversion, Guarantee, Length, Offer, Supply, Type, basic_for,
};
use windfall_hierarchy::{Answer, AnswerError, ChildVp, Context, Message};
use windfall_time::{Instant, Span};

const TAKES: &str = "block, reserve, unreserve";

settings! { TimeTable, "time_table.rs": }

pub(crate) const KIND: Kind =
    TimeTable::kind("time-table", "blocks at fixed offsets in fixed periods", |_| {
        Ok(Box::new(Planned::new(Table)))
    })
    .with_parameters(&[&RESERVE, &BLOCK])
    .with_properties(Properties::NONE.holds_back())
    .with_conversion(|_| Ok(Box::new(Blocks)));

#[derive(Clone)]
struct Table;

/// Places a block of a child, at the given offset or the first that fits.
fn place(
    child: ChildVp,
    (amount, period): (Span, Span),
    at: Option<Instant>,
    pieces: &mut Pieces,
    context: &mut Context<'_>,
) -> Answer {
    if amount.is_zero() || amount > period {
        return Err(AnswerError::OutOfRange {
            what: "amount",
            allowed: "above zero, at most the period",
        });
    }
    let Some(block) = Block::place(&pieces.blocks(child), (amount, period), at) else {
        return Err(AnswerError::OutOfRange {
            what: "block",
            allowed: "one that never overlaps another; use a period that divides the others' \
                      or is a multiple, a smaller amount, or another offset",
        });
    };
    pieces.assign(child, Some(Piece::Always(block, Instant::ZERO)), context);
    Ok(())
}

impl Plan for Table {
    const ENDS: bool = false;

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        pieces: &mut Pieces,
        context: &mut Context<'_>,
    ) -> Answer {
        match (child, message) {
            (Some(child), _) if let Some((amount, period, at)) = read_block(message) => {
                place(child, (amount, period), Some(at), pieces, context)
            }
            (Some(child), Message::Reserve { amount, period }) => {
                place(child, (amount, period), None, pieces, context)
            }
            (Some(child), Message::Unreserve) => {
                pieces.assign(child, None, context);
                Ok(())
            }
            _ => Err(AnswerError::NotUnderstood { message: message.name(), takes: TAKES }),
        }
    }
}

#[derive(Clone)]
struct Blocks;

impl Conversion for Blocks {
    fn takes(&self) -> &'static [Type] {
        &[Type::All]
    }

    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        let none = "it gives `RESNH amount period`, as `RESNH 2ms 16ms`, and `RESSH amount period \
                    offset`";
        let whole = |x: &Length, y: &Length| Some((x.to_span()?, y.to_span()?));
        let (whole_block, at) = match requested {
            Guarantee::Null => return Ok(ChildParam::Nothing),
            Guarantee::Synchronized(x, y, z) => {
                let z = z.to_span().ok_or(none)?;
                (whole(x, y), Some(Instant::ZERO.saturating_add(z)))
            }
            Guarantee::NonPreemptive(x, y)
            | Guarantee::ContinuousHard(x, y)
            | Guarantee::BasicHard(x, y) => (whole(x, y), None),
            Guarantee::ContinuousSoft(x, y) => (x.ceil().zip(y.floor()), None),
            other => (basic_for(other), None),
        };
        let (amount, period) =
            whole_block.filter(|(amount, period)| amount <= period).ok_or(none)?;
        Ok(ChildParam::Block { amount, period, at })
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        let mut placed: Vec<Block> = Vec::new();
        let mut give = |params: &ChildParams| {
            let Some((amount, period)) = params.reserve else {
                return Offer::nothing();
            };
            let here = own.guarantees.first() == Some(&Guarantee::All);
            let place = Block::place(&placed, (amount, period), params.at).filter(|_| here);
            let Some(block) = place else {
                return Offer::lacking(alloc::format!(
                    "a block of {amount} in {period} overlaps one of the {} before it wherever it \
                     may begin; use a period that divides theirs or is a multiple, or less",
                    placed.len()
                ));
            };
            placed.push(block);
            let (x, y) = (Length::from(amount), Length::from(period));
            match params.at {
                Some(_) => {
                    let offset = Length::from(Span::from_nanos(block.offset));
                    Offer::one(Guarantee::Synchronized(x, y, offset), "a block in the table")
                }
                None => Offer::one(Guarantee::NonPreemptive(x, y), "a block in the table"),
            }
        };
        children.iter().map(&mut give).collect()
    }
}

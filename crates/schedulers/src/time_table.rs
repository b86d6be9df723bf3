//! Time table: blocks at fixed offsets, as a table says; nothing else ever runs.
//!
//! Takes    ALL on its own VP 0. Further own VPs are never asked for.
//! Gives    RESSH x y z to each child with a block of x in y from z on, RESNH x y where it leaves the
//!          offset to the table, and so RESCH x y; nothing to one without.
//! Admits   a block that never collides with another, exactly; without a wish, at the first offset
//!          where it fits. In the order of asking: another order may fit more.
//! Assumes  A1 its processor is there whenever asked for; A2 overheads are inside x.
//! Costs    O(log n) per event, O(n) per step of looking for an offset, at most 100000 of these; 58
//!          bytes per child; one timer.
//! Ties     none: no two blocks overlap.
//! Source   HLS 2.3.1.2, of the scheduler of Lin et al. 1998; 5.2.2.2.
//! Checked  laws, `tests/time_table.rs`.
//!
//! A child that blocks in its block leaves the rest of it unused, and has it back when it wakes in
//! time. Offsets count from the origin of time, so that equal tables are equal on every host.

use crate::catalogue::Kind;
use crate::pieces::{Piece, Pieces};
use crate::table::Block;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_guarantees::{
    Conversion, Guarantee, Length, Offer, Supply, Tell, Terms, Type, basic_for,
};
use windfall_hierarchy::{Child, Message, Own, Port, Refusal, Scheduler, TimerId, View};
use windfall_time::{Instant, Span};

const TAKES: &str = "block, reserve, unreserve";

pub(crate) const KIND: Kind = Kind {
    name: "time-table",
    summary: "blocks at fixed offsets in fixed periods",
    source: include_str!("time_table.rs"),
    settings: &[],
    build: |_| Ok(Box::new(TimeTable::default())),
    conversion: |_| Ok(Box::new(Blocks)),
};

#[derive(Default)]
struct TimeTable {
    pieces: Pieces,
}

impl TimeTable {
    fn block(
        &mut self,
        child: Child,
        (amount, period): (Span, Span),
        at: Option<Instant>,
        port: &mut Port<'_>,
    ) -> Result<(), Refusal> {
        if amount.is_zero() || amount > period {
            return Err(Refusal::OutOfRange {
                what: "amount",
                allowed: "above zero, at most the period",
            });
        }
        let others = self.pieces.blocks(child);
        let Some(block) = Block::place(&others, (amount, period), at) else {
            return Err(Refusal::OutOfRange {
                what: "block",
                allowed: "one that never overlaps another; use a period that divides the others' \
                          or is a multiple, a smaller amount, or another offset",
            });
        };
        self.pieces.assign(child, Some(Piece::Always(block, Instant::ZERO)), port);
        Ok(())
    }
}

impl Scheduler for TimeTable {
    fn timers(&self, _: usize) -> usize {
        2
    }

    fn init(&mut self, port: &mut Port<'_>) {
        self.pieces.init(port);
    }

    fn register(&mut self, child: Child, _: &mut Port<'_>) -> Result<(), Refusal> {
        self.pieces.register(child);
        Ok(())
    }

    fn unregister(&mut self, child: Child, _: &mut Port<'_>) {
        self.pieces.plan[child.index()] = None;
    }

    fn request(&mut self, child: Child, port: &mut Port<'_>) {
        self.pieces.turn(port);
        self.pieces.enter(child, port);
        self.pieces.turn(port);
    }

    fn release(&mut self, child: Child, held: Option<Own>, port: &mut Port<'_>) {
        self.pieces.release(child, held, port);
    }

    fn message(
        &mut self,
        child: Option<Child>,
        message: Message,
        port: &mut Port<'_>,
    ) -> Result<(), Refusal> {
        match (child, message) {
            (Some(child), Message::Block { amount, period, at }) => {
                self.block(child, (amount, period), at, port)
            }
            (Some(child), Message::Reserve { amount, period }) => {
                self.block(child, (amount, period), None, port)
            }
            (Some(child), Message::Unreserve) => {
                self.pieces.assign(child, None, port);
                Ok(())
            }
            _ => Err(Refusal::NotUnderstood { message: message.name(), takes: TAKES }),
        }
    }

    fn grant(&mut self, own: Own, port: &mut Port<'_>) {
        self.pieces.grant(own, port);
    }

    fn revoke(&mut self, own: Own, child: Child, port: &mut Port<'_>) {
        self.pieces.revoke(own, child, port);
    }

    fn timer(&mut self, timer: TimerId, port: &mut Port<'_>) {
        self.pieces.timer(timer, port);
    }

    fn next(&self, _: Own, _: &View<'_>) -> Option<Child> {
        self.pieces.best()
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.pieces.check(view)
    }
}

struct Blocks;

impl Conversion for Blocks {
    fn takes(&self) -> &'static [Type] {
        &[Type::All]
    }

    fn tell(&self, asked: &Guarantee) -> Result<Tell, &'static str> {
        let none = "it gives `RESNH amount period`, as `RESNH 2ms 16ms`, and `RESSH amount period \
                    offset`";
        let whole = |x: &Length, y: &Length| Some((x.to_span()?, y.to_span()?));
        let (told, at) = match asked {
            Guarantee::Null => return Ok(Tell::Nothing),
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
        let (amount, period) = told.filter(|(amount, period)| amount <= period).ok_or(none)?;
        Ok(Tell::Block { amount, period, at })
    }

    fn give(&self, own: Supply<'_>, children: &[Terms]) -> Vec<Offer> {
        let mut placed: Vec<Block> = Vec::new();
        let mut give = |terms: &Terms| {
            let Some((amount, period)) = terms.reserve else {
                return Offer::nothing();
            };
            let here = own.guarantees.first() == Some(&Guarantee::All);
            let place = Block::place(&placed, (amount, period), terms.at).filter(|_| here);
            let Some(block) = place else {
                return Offer::lacking(alloc::format!(
                    "a block of {amount} in {period} overlaps one of the {} before it wherever it \
                     may begin; use a period that divides theirs or is a multiple, or less",
                    placed.len()
                ));
            };
            placed.push(block);
            let (x, y) = (Length::from(amount), Length::from(period));
            match terms.at {
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

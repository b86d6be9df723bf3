//! Time table: blocks at fixed offsets, as a table says; nothing else ever runs.
//!
//! Takes    ALL on its own VP 0. Further own VPs are never asked for.
//! Gives    RESSH x y z to each child with a block of x in y from z on, RESNH x y where it leaves the
//!          offset to the table, and so RESCH x y; nothing to one without.
//! Admits   a block that never collides with another, exactly; without a wish, at the first offset
//!          where it fits. In the order of asking: another order may fit more.
//! Assumes  A1 its processor is there whenever asked for; A2 overheads are inside x.
//! Costs    O(log n) per event, O(n) per step of looking for an offset, at most 100000 of these; 50
//!          bytes per child; one timer.
//! Ties     none: no two blocks overlap.
//! Source   HLS 2.3.1.2, of the scheduler of Lin et al. 1998; 5.2.2.2.
//! Checked  laws, `tests/time_table.rs`.
//!
//! A child that blocks in its block leaves the rest of it unused, and has it back when it wakes in
//! time. Offsets count from the origin of time, so that equal tables are equal on every host.

use crate::catalogue::Kind;
use crate::pool::{Policy, Pool, SETTLED};
use crate::table::{Block, others};
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_guarantees::{Conversion, Guarantee, Length, Offer, Tell, Terms, Type, basic_for};
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{Child, Message, Own, Port, Refusal, Scheduler, TimerId, View, VpState};
use windfall_time::{Instant, Span};

const TAKES: &str = "block, reserve, unreserve";
/// When the present block ends, or the next one begins.
const TURN: TimerId = TimerId(1);

pub(crate) const KIND: Kind = Kind {
    name: "time-table",
    summary: "blocks at fixed offsets in fixed periods",
    source: include_str!("time_table.rs"),
    settings: &[],
    build: |_| Ok(Box::new(TimeTable::default())),
    conversion: |_| Ok(Box::new(Blocks)),
};

/// Whose block it is.
#[derive(Default)]
struct Turn {
    whose: Option<Child>,
}

impl Policy for Turn {
    type Key = u32;

    fn key(&self, child: Child) -> u32 {
        child.0
    }

    fn preempts(_: &u32, _: &u32) -> bool {
        false
    }

    fn eligible(&self, child: Child) -> bool {
        self.whose == Some(child)
    }
}

#[derive(Default)]
struct TimeTable {
    pool: Pool<Turn>,
    turn: Turn,
    /// The end of the present block.
    end: Instant,
    blocks: Vec<Option<Block>>,
    /// When the blocks begin of those that do not wait, and whose turn it is not.
    starts: Heap<Instant>,
}

impl TimeTable {
    /// Ends the block that is over and begins the one that is due.
    fn turn(&mut self, port: &mut Port<'_>) {
        let now = port.now();
        if let Some(child) = self.turn.whose.filter(|_| self.end <= now) {
            self.stop(child, port);
            self.enter(child, port);
        }
        while let Some((_, slot)) = self.starts.peek().filter(|(at, _)| *at <= now) {
            self.starts.remove(slot);
            self.enter(Child(slot), port);
        }
        let first = self.starts.peek().map(|(at, _)| at);
        let ends = self.turn.whose.map(|_| self.end);
        port.set_timer(TURN, first.into_iter().chain(ends).min());
    }

    /// A child that does not wait has its turn, or will have it.
    fn enter(&mut self, child: Child, port: &mut Port<'_>) {
        let Some(block) = self.blocks[child.index()] else {
            return;
        };
        if port.child(child) == VpState::Waiting {
            return;
        }
        match block.end(port.now()) {
            Some(end) => {
                (self.turn.whose, self.end) = (Some(child), end);
                self.pool.request(child, &mut self.turn, port);
            }
            None => self.starts.set(child.0, block.next(port.now())),
        }
    }

    /// A child has its turn no longer.
    fn stop(&mut self, child: Child, port: &mut Port<'_>) {
        self.starts.remove(child.0);
        if self.turn.whose != Some(child) {
            return;
        }
        self.turn.whose = None;
        match port.child(child) {
            VpState::Running(_) => self.pool.rotate(child, &mut self.turn, port),
            _ => self.pool.withdraw(child, port),
        }
    }

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
        let others = others(&self.blocks, child.index());
        let Some(block) = Block::place(&others, (amount, period), at) else {
            return Err(Refusal::OutOfRange {
                what: "block",
                allowed: "one that never overlaps another; use a period that divides the others' \
                          or is a multiple, a smaller amount, or another offset",
            });
        };
        self.stop(child, port);
        self.blocks[child.index()] = Some(block);
        self.enter(child, port);
        self.turn(port);
        Ok(())
    }
}

impl Scheduler for TimeTable {
    fn timers(&self, _: usize) -> usize {
        2
    }

    fn init(&mut self, port: &mut Port<'_>) {
        self.pool.init_first(1, port);
    }

    fn register(&mut self, child: Child, _: &mut Port<'_>) -> Result<(), Refusal> {
        self.pool.register(child);
        self.starts.reserve(child.index() + 1);
        self.blocks.resize(self.blocks.len().max(child.index() + 1), None);
        self.blocks[child.index()] = None;
        Ok(())
    }

    fn unregister(&mut self, child: Child, _: &mut Port<'_>) {
        self.blocks[child.index()] = None;
    }

    fn request(&mut self, child: Child, port: &mut Port<'_>) {
        self.turn(port);
        self.enter(child, port);
        self.turn(port);
    }

    fn release(&mut self, child: Child, held: Option<Own>, port: &mut Port<'_>) {
        self.starts.remove(child.0);
        if self.turn.whose == Some(child) {
            self.turn.whose = None;
        }
        self.pool.release(child, held, &mut self.turn, port);
        self.turn(port);
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
                self.blocks[child.index()] = None;
                self.stop(child, port);
                self.turn(port);
                Ok(())
            }
            _ => Err(Refusal::NotUnderstood { message: message.name(), takes: TAKES }),
        }
    }

    fn grant(&mut self, own: Own, port: &mut Port<'_>) {
        self.pool.grant(own, &mut self.turn, port);
    }

    fn revoke(&mut self, own: Own, child: Child, port: &mut Port<'_>) {
        self.pool.revoke(own, child, &mut self.turn, port);
    }

    fn timer(&mut self, timer: TimerId, port: &mut Port<'_>) {
        if timer == SETTLED {
            return self.pool.settled(&mut self.turn, port);
        }
        self.turn(port);
    }

    fn next(&self, _: Own, _: &View<'_>) -> Option<Child> {
        self.pool.best()
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.pool.check(&self.turn, view)?;
        for child in view.children() {
            let waits = view.child(child) == VpState::Waiting;
            let has = self.blocks[child.index()].is_some();
            let known = self.starts.contains(child.0) || self.turn.whose == Some(child);
            if known != (has && !waits) {
                return Err("the blocks of a child are not followed, or of one that waits");
            }
        }
        Ok(())
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

    fn give(&self, own: &[Guarantee], children: &[Terms]) -> Vec<Offer> {
        let mut placed: Vec<Block> = Vec::new();
        let mut give = |terms: &Terms| {
            let Some((amount, period)) = terms.reserve else {
                return Offer::nothing();
            };
            let here = own.first() == Some(&Guarantee::All);
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

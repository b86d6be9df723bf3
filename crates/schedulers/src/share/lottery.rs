//! Lottery scheduling: each turn is drawn among tickets; currencies and compensation; one processor.
//!
//! Takes    PS s on its own VP 0; any guarantee if only fairness is wanted. It never requests further own VPs.
//! Gives    PS to each child: the worth of its tickets over that of all, times s, by chance.
//! Admits   everyone, in the base or in a funded currency. A child without tickets is in the background.
//! Assumes  A1 quanta end on time, or at the next tick; A2 nobody outside knows the seed.
//! Costs    O(log n) per event, and one step more for each currency; 60 bytes per child, and 32 to 48 per
//!          child in the base and in each funded currency; one timer.
//! Ties     none: the seed decides, and the same seed decides the same.
//! Source   Waldspurger and Weihl 1994; the generator is splitmix64 (Steele, Lea and Flood 2014). Difference:
//!          a draw selects one of the base's children or a currency, then a member of that currency.
//! Checked  laws, `tests/all/lottery.rs`.
//!
//! If a child stops before its turn is over, its tickets count for more until it wins again: by the factor of the
//! turn over the time used, at most 1024. So a child that uses a tenth of each turn wins ten times as often. A child
//! that waits only for a moment is not in the draw that follows.

mod drawn;

use crate::catalogue::{Kind, Properties};
use crate::parameters::{CURRENCY, SHARE, read_currency};
use crate::parts::funds::{CURRENCIES, Funds, Tickets, Turning};
use crate::parts::turns::{Line, Turns};
use crate::settings::shared::{CURRENCY_1, CURRENCY_2, CURRENCY_3, CURRENCY_4};
use crate::share::lottery::drawn::Drawn;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{Answer, AnswerError, ChildVp, Message, View, VpState};
use windfall_time::Span;

settings! { Lottery, "lottery.rs":
    currency_1: Option<u32> as CURRENCY_1,
    currency_2: Option<u32> as CURRENCY_2,
    currency_3: Option<u32> as CURRENCY_3,
    currency_4: Option<u32> as CURRENCY_4,
    /// the longest turn
    quantum: Span = "10ms",
    /// seed of the random draws
    seed: i64 = "1" in 0..=i64::MAX,
}

pub(crate) const KIND: Kind = Lottery::kind(
    "lottery",
    "processor time in proportion to tickets, by chance; currencies",
    |settings| {
        let lottery = Lottery::read(settings);
        let chance = Chance(lottery.seed.unsigned_abs());
        Ok(Box::new(Turns::new(Draws::new(lottery.quantum, chance, lottery.funds()), Heap::new())))
    },
)
.with_parameters(&[&SHARE, &CURRENCY])
.with_properties(
    Properties::NONE.holds_back().quantum(|settings| Some(Lottery::read(settings).quantum)),
)
.with_conversion(|settings| {
    let lottery = Lottery::read(settings);
    let (funds, turns) = (lottery.funds(), Turning::Lots(lottery.quantum));
    Ok(Box::new(Tickets { funds, by: "lottery scheduling, in the long run", turns }))
});

impl Lottery {
    fn funds(&self) -> Funds {
        Funds::new([self.currency_1, self.currency_2, self.currency_3, self.currency_4])
    }
}

/// The generator of random numbers, splitmix64.
#[derive(Clone, Copy)]
struct Chance(u64);

impl Chance {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A random number below `limit`, which is not zero. Uniform except for one part in 2^12 at most, since totals
    /// are below 2^116.
    const fn below(&mut self, limit: u128) -> u128 {
        let high = self.next();
        ((high as u128) << 64 | self.next() as u128) % limit
    }
}

/// Units of the factor by which tickets count: at least 1, at most 1024.
const ONE: u64 = 1 << 10;
const MOST: u64 = 1 << 20;

#[derive(Clone, Copy)]
struct Client {
    tickets: u32,
    counts: u64,
    /// The part of its turn that it has used, if it runs.
    used: Span,
    /// Its currency; 0 for the base.
    group: usize,
}

const UNKNOWN: Client = Client { tickets: 1, counts: ONE, used: Span::ZERO, group: 0 };

impl Client {
    fn worth(&self) -> u128 {
        u128::from(self.tickets) * u128::from(self.counts)
    }
}

/// The ready members of the base or of a currency.
#[derive(Clone, Default)]
struct Group {
    ready: Drawn,
    /// Sum of their tickets, without compensation.
    tickets: u128,
}

#[derive(Clone)]
struct Draws {
    quantum: Span,
    chance: Chance,
    funds: Funds,
    clients: Vec<Client>,
    /// The base, then the currencies.
    groups: [Group; 1 + CURRENCIES],
}

impl Draws {
    fn new(quantum: Span, chance: Chance, funds: Funds) -> Draws {
        Draws { quantum, chance, funds, clients: Vec::new(), groups: Default::default() }
    }

    fn enter(&mut self, child: ChildVp) {
        let client = &self.clients[child.index()];
        let group = &mut self.groups[client.group];
        group.tickets += u128::from(client.tickets);
        group.ready.set(child.index(), client.worth());
    }

    /// Removes a child from the draw. Returns whether it took part.
    fn exit(&mut self, child: ChildVp) -> bool {
        let client = &self.clients[child.index()];
        let group = &mut self.groups[client.group];
        let was = group.ready.weight(child.index()) > 0;
        if was {
            group.tickets -= u128::from(client.tickets);
            group.ready.set(child.index(), 0);
        }
        was
    }

    /// The tickets that a currency counts for in the base: its funding, increased by the average compensation of
    /// its ready tickets.
    fn worth(&self, currency: usize) -> u128 {
        let group = &self.groups[currency + 1];
        let funding = u128::from(self.funds.0[currency]);
        (funding * group.ready.total()).checked_div(group.tickets).unwrap_or(0)
    }

    fn draw(&self, chance: &mut Chance) -> Option<ChildVp> {
        let base = self.groups[0].ready.total();
        let total = (0..CURRENCIES).map(|currency| self.worth(currency)).sum::<u128>() + base;
        if total == 0 {
            return None;
        }
        let mut number = chance.below(total);
        let mut group = 0;
        if number >= base {
            number -= base;
            for currency in 0..CURRENCIES {
                group = currency + 1;
                let worth = self.worth(currency);
                if number < worth {
                    break;
                }
                number -= worth;
            }
            number = chance.below(self.groups[group].ready.total().max(1));
        }
        let slot = self.groups[group].ready.at(number)?;
        u32::try_from(slot).ok().map(ChildVp)
    }

    /// Compensates a child that has stopped running before the end of its turn.
    fn compensate(&mut self, child: ChildVp) {
        let (whole, client) = (self.quantum.as_nanos(), &mut self.clients[child.index()]);
        let used = core::mem::take(&mut client.used).as_nanos();
        let scaled = u128::from(whole) * u128::from(ONE);
        if let Some(counts) = scaled.checked_div(u128::from(used)) {
            client.counts = u64::try_from(counts).unwrap_or(MOST).clamp(ONE, MOST);
        }
    }
}

impl Line for Draws {
    const TAKES: &'static str = "share, currency, quantum (to the instance)";

    fn quantum(&mut self) -> &mut Span {
        &mut self.quantum
    }

    fn register(&mut self, child: ChildVp) {
        let room = self.clients.len().max(child.index() + 1);
        self.clients.resize(room, UNKNOWN);
        self.clients[child.index()] = UNKNOWN;
        let funded = [1].into_iter().chain(self.funds.0);
        for (group, _) in self.groups.iter_mut().zip(funded).filter(|(_, funding)| *funding > 0) {
            group.ready.reserve(room);
        }
    }

    fn joins(&mut self, child: ChildVp) {
        self.enter(child);
    }

    fn leaves(&mut self, child: ChildVp) {
        if !self.exit(child) {
            self.compensate(child);
        }
    }

    fn pick(&mut self) -> Option<ChildVp> {
        let mut chance = self.chance;
        let child = self.draw(&mut chance)?;
        self.chance = chance;
        self.exit(child);
        Some(child)
    }

    fn turn(&self, _: ChildVp) -> Span {
        self.quantum
    }

    fn charge(&mut self, child: ChildVp, ran: Span) {
        let client = &mut self.clients[child.index()];
        client.used = client.used.saturating_add(ran);
    }

    fn returns(&mut self, child: ChildVp) {
        self.compensate(child);
        self.enter(child);
    }

    fn weigh(&mut self, child: ChildVp, tickets: u32, _: VpState) {
        let was = self.exit(child);
        self.clients[child.index()].tickets = tickets;
        if was {
            self.enter(child);
        }
    }

    fn set(&mut self, child: ChildVp, message: Message, _: VpState) -> Answer {
        let Some(currency) = read_currency(message) else {
            return Err(AnswerError::NotUnderstood { message: message.name(), takes: Self::TAKES });
        };
        let group = self.funds.place(currency)?;
        let was = self.exit(child);
        self.clients[child.index()].group = group;
        if was {
            self.enter(child);
        }
        Ok(())
    }

    fn next(&self, _: Option<(ChildVp, Span)>) -> Option<ChildVp> {
        self.draw(&mut { self.chance })
    }

    fn check(&self, view: &View<'_>, counts: &dyn Fn(ChildVp) -> bool) -> Result<(), &'static str> {
        let (mut tickets, mut worth) = ([0; 1 + CURRENCIES], [0; 1 + CURRENCIES]);
        for child in view.children() {
            let client = &self.clients[child.index()];
            if counts(child) && view.child(child) == VpState::Ready {
                tickets[client.group] += u128::from(client.tickets);
                worth[client.group] += client.worth();
                if self.groups[client.group].ready.weight(child.index()) != client.worth() {
                    return Err("a ready child's tickets are not in the draw");
                }
            }
        }
        for (group, (tickets, worth)) in self.groups.iter().zip(tickets.into_iter().zip(worth)) {
            if group.tickets != tickets || group.ready.total() != worth {
                return Err("tickets in the draw are not those of ready children");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of splitmix64 from the seed 1234567, as the authors' code prints them.
    #[test]
    fn paper_splitmix64() {
        let mut chance = Chance(1_234_567);
        let first = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973];
        assert_eq!([chance.next(), chance.next()], first);
    }
}

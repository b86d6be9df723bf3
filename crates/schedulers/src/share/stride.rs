//! Stride scheduling: proportional share by passes, with currencies, on one processor.
//!
//! Takes    PS s on its own VP 0; any guarantee if only fairness is wanted. It never requests further own VPs.
//! Gives    PS to each child: the worth of its tickets over that of all, times s.
//! Admits   everyone, in the base or in a funded currency. A child without tickets is in the background.
//! Assumes  A1 quanta end on time, or at the next tick.
//! Costs    O(log n) per event; 110 bytes per child, and 52 for each of the at most five groups; one timer.
//! Ties     a currency before a child; else the lower number or slot.
//! Source   Waldspurger and Weihl 1995 (`global_pass`, `remain`); currencies as in 1994. Differences: passes are
//!          exact; a currency is a client of the base whose members share its turns by passes of their own
//!          (hierarchical stride scheduling); a child that is ready only while others run saves up at most one
//!          turn; the global pass is never before every client's pass.
//! Checked  laws, `tests/all/stride.rs`.
//!
//! The ready client of smallest pass has the next turn. Its pass advances by the time that it received over its tickets.
//! The global pass advances by the time that all received over all tickets that take part. A waiting client keeps its
//! distance from the global pass until it wakes. In any window, n children of the base get their parts p of it,
//! except for (1 + 4 n p) turns.

use crate::catalogue::{Kind, Properties};
use crate::parameters::{CURRENCY, SHARE, read_currency};
use crate::parts::fluid::{Clock, reweighed, scaled};
use crate::parts::funds::{CURRENCIES, Funds, Tickets, Turning};
use crate::parts::turns::{Line, Turns};
use crate::settings::shared::{CURRENCY_1, CURRENCY_2, CURRENCY_3, CURRENCY_4};
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{Answer, AnswerError, ChildVp, Message, View, VpState};
use windfall_time::Span;

settings! { Stride, "stride.rs":
    currency_1: Option<u32> as CURRENCY_1,
    currency_2: Option<u32> as CURRENCY_2,
    currency_3: Option<u32> as CURRENCY_3,
    currency_4: Option<u32> as CURRENCY_4,
    /// the longest turn
    quantum: Span = "10ms",
}

pub(crate) const KIND: Kind = Stride::kind(
    "stride",
    "processor time in proportion to tickets, by passes; currencies",
    |settings| {
        let stride = Stride::read(settings);
        Ok(Box::new(Turns::new(Strides::new(stride.quantum, stride.funds()), Heap::new())))
    },
)
.with_parameters(&[&SHARE, &CURRENCY])
.with_properties(
    Properties::NONE.holds_back().quantum(|settings| Some(Stride::read(settings).quantum)),
)
.with_conversion(|settings| {
    let stride = Stride::read(settings);
    let (funds, turns) = (stride.funds(), Turning::Passes(stride.quantum));
    Ok(Box::new(Tickets { funds, by: "stride scheduling, in the long run", turns }))
});

impl Stride {
    fn funds(&self) -> Funds {
        Funds::new([self.currency_1, self.currency_2, self.currency_3, self.currency_4])
    }
}

/// A holder of tickets: a child, or a currency in the base.
#[derive(Clone, Copy)]
struct Holder {
    /// At least 1.
    tickets: i128,
    pass: Clock,
    /// The distance of its pass from the global one when it last began to wait.
    remain: i128,
}

/// Clients that share by passes: those of the base or of a currency.
#[derive(Clone, Default)]
struct Group {
    /// Ready clients by pass; currencies are numbered from 0, children after them.
    ready: Heap<(i128, u32)>,
    global: Clock,
    /// Sum of the tickets that take part.
    tickets: i128,
}

impl Group {
    fn joins(&mut self, holder: &mut Holder) {
        holder.pass = Clock { at: self.global.at.saturating_add(holder.remain), rest: 0 };
        self.tickets += holder.tickets;
    }

    /// A holder begins to wait: it keeps what it is ahead, and of what it is behind at most the service `most`.
    fn leaves(&mut self, holder: &mut Holder, most: i128) {
        let remain = holder.pass.at - self.global.at;
        holder.remain = remain.max(-(most / holder.tickets));
        self.tickets -= holder.tickets;
    }

    fn received(&mut self, holder: &mut Holder, service: i128) {
        holder.pass.pass(service, holder.tickets);
        self.global.pass(service, self.tickets);
    }
}

#[derive(Clone, Copy)]
struct Client {
    holder: Holder,
    /// Its currency; 0 for the base.
    group: usize,
}

#[derive(Clone)]
struct Strides {
    quantum: Span,
    funds: Funds,
    clients: Vec<Client>,
    /// The base, then the currencies.
    groups: [Group; 1 + CURRENCIES],
    currencies: [Holder; CURRENCIES],
    running: Option<ChildVp>,
}

#[expect(clippy::cast_possible_truncation, reason = "there are few currencies")]
const FIRST_CHILD: u32 = CURRENCIES as u32;

const fn slot(child: ChildVp) -> u32 {
    child.0 + FIRST_CHILD
}

impl Strides {
    fn new(quantum: Span, funds: Funds) -> Strides {
        let holder = |funding: u32| Holder {
            tickets: i128::from(funding.max(1)),
            pass: Clock::default(),
            remain: 0,
        };
        let currencies = funds.0.map(holder);
        let (clients, groups) = (Vec::new(), Default::default());
        Strides { quantum, funds, clients, groups, currencies, running: None }
    }

    /// A new holder, one turn ahead: its first turn comes after the current turn of all others.
    fn fresh(&self, tickets: i128) -> Holder {
        Holder { tickets, pass: Clock::default(), remain: scaled(self.quantum) / tickets }
    }

    /// Puts a currency in the queue while a member is ready and none runs, else removes it.
    fn settle(&mut self, group: usize) {
        let Some(currency) = group.checked_sub(1) else { return };
        let runs = self.running.is_some_and(|child| self.clients[child.index()].group == group);
        let slot = u32::try_from(currency).expect("there are four currencies");
        if runs || self.groups[group].ready.is_empty() {
            self.groups[0].ready.remove(slot);
        } else {
            self.groups[0].ready.set(slot, (self.currencies[currency].pass.at, slot));
        }
    }

    fn enter(&mut self, child: ChildVp) {
        let Client { holder, group } = self.clients[child.index()];
        self.groups[group].ready.set(slot(child), (holder.pass.at, slot(child)));
        self.settle(group);
    }

    /// Resolves the first client of a group: for a currency, the first of its members.
    fn first(&self, (pass, at): (i128, u32)) -> Option<(i128, ChildVp)> {
        match at.checked_sub(FIRST_CHILD) {
            Some(child) => Some((pass, ChildVp(child))),
            None => {
                let (_, slot) = self.groups[at as usize + 1].ready.peek()?;
                Some((pass, ChildVp(slot.checked_sub(FIRST_CHILD)?)))
            }
        }
    }
}

impl Line for Strides {
    const TAKES: &'static str = "share, currency, quantum (to the instance)";

    fn quantum(&mut self) -> &mut Span {
        &mut self.quantum
    }

    fn register(&mut self, child: ChildVp) {
        let fresh = Client { holder: self.fresh(1), group: 0 };
        let room = self.clients.len().max(child.index() + 1);
        self.clients.resize(room, fresh);
        self.clients[child.index()] = fresh;
        for group in &mut self.groups {
            group.ready.reserve(CURRENCIES + room);
        }
    }

    fn joins(&mut self, child: ChildVp) {
        let client = &mut self.clients[child.index()];
        let group = client.group;
        if let Some(currency) = group.checked_sub(1).filter(|_| self.groups[group].tickets == 0) {
            self.groups[0].joins(&mut self.currencies[currency]);
        }
        self.groups[group].joins(&mut client.holder);
        self.enter(child);
    }

    fn leaves(&mut self, child: ChildVp) {
        self.running = self.running.filter(|running| *running != child);
        let (client, turn) = (&mut self.clients[child.index()], scaled(self.quantum));
        let group = client.group;
        self.groups[group].ready.remove(slot(child));
        self.groups[group].leaves(&mut client.holder, turn);
        self.settle(group);
        if let Some(currency) = group.checked_sub(1).filter(|_| self.groups[group].tickets == 0) {
            self.groups[0].leaves(&mut self.currencies[currency], turn);
        }
    }

    fn pick(&mut self) -> Option<ChildVp> {
        let (key, _) = self.groups[0].ready.peek()?;
        let (_, child) = self.first(key)?;
        let group = self.clients[child.index()].group;
        self.groups[0].global.catch_up(key.0);
        self.groups[group].global.catch_up(self.clients[child.index()].holder.pass.at);
        self.groups[group].ready.remove(slot(child));
        self.running = Some(child);
        self.settle(group);
        Some(child)
    }

    fn turn(&self, _: ChildVp) -> Span {
        self.quantum
    }

    fn charge(&mut self, child: ChildVp, ran: Span) {
        let service = scaled(ran);
        let client = &mut self.clients[child.index()];
        self.groups[client.group].received(&mut client.holder, service);
        if let Some(currency) = client.group.checked_sub(1) {
            self.groups[0].received(&mut self.currencies[currency], service);
        }
    }

    fn returns(&mut self, child: ChildVp) {
        self.running = None;
        self.enter(child);
    }

    fn weigh(&mut self, child: ChildVp, tickets: u32, state: VpState) {
        let tickets = i128::from(tickets);
        let client = &mut self.clients[child.index()];
        let group = &mut self.groups[client.group];
        if state != VpState::Waiting {
            group.leaves(&mut client.holder, i128::MAX);
        }
        client.holder.remain = reweighed(client.holder.remain, client.holder.tickets, tickets);
        client.holder.tickets = tickets;
        if state != VpState::Waiting {
            group.joins(&mut client.holder);
        }
        if state == VpState::Ready {
            self.enter(child);
        }
    }

    fn set(&mut self, child: ChildVp, message: Message, state: VpState) -> Answer {
        let Some(currency) = read_currency(message) else {
            return Err(AnswerError::NotUnderstood { message: message.name(), takes: Self::TAKES });
        };
        let group = self.funds.place(currency)?;
        let runs = self.running == Some(child);
        if state != VpState::Waiting {
            self.leaves(child);
        }
        self.clients[child.index()].group = group;
        if state != VpState::Waiting {
            self.joins(child);
        }
        if runs {
            self.groups[group].ready.remove(slot(child));
            self.running = Some(child);
            self.settle(group);
        }
        Ok(())
    }

    fn next(&self, running: Option<(ChildVp, Span)>) -> Option<ChildVp> {
        let first = self.groups[0].ready.peek().map(|(key, _)| key);
        // The running child's currency is in the queue again once that child has left.
        let group = running.map(|(child, ran)| (self.clients[child.index()].group, ran));
        let again = group.and_then(|(group, ran)| {
            let currency = group.checked_sub(1).filter(|_| !self.groups[group].ready.is_empty())?;
            let mut holder = self.currencies[currency];
            holder.pass.pass(scaled(ran), holder.tickets);
            Some((holder.pass.at, u32::try_from(currency).ok()?))
        });
        let key = first.into_iter().chain(again).min()?;
        self.first(key).map(|(_, child)| child)
    }

    fn check(&self, view: &View<'_>, counts: &dyn Fn(ChildVp) -> bool) -> Result<(), &'static str> {
        let mut tickets = [0; 1 + CURRENCIES];
        for child in view.children() {
            let state = view.child(child);
            let takes_part = counts(child) && state != VpState::Waiting;
            let Client { holder, group } = &self.clients[child.index()];
            let expected =
                (takes_part && state == VpState::Ready).then_some((holder.pass.at, slot(child)));
            if self.groups[*group].ready.key(slot(child)) != expected {
                return Err("a ready child is not in line, or at another pass, or another is");
            }
            tickets[*group] += if takes_part { holder.tickets } else { 0 };
        }
        for (place, holder) in self.currencies.iter().enumerate() {
            tickets[0] += if tickets[place + 1] > 0 { holder.tickets } else { 0 };
        }
        if self.groups.iter().zip(tickets).any(|(group, tickets)| group.tickets != tickets) {
            return Err("the tickets of a group are not those that take part");
        }
        Ok(())
    }
}

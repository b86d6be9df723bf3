//! EEVDF: proportional share by earliest eligible virtual deadline first, on one processor.
//!
//! Takes    ALL or PSBE s d on its own VP 0, and with `report-deadlines = true` RESU r: it reports the ends of
//!          quanta (`quantum_ends.rs`). It never requests further own VPs.
//! Gives    PSBE to each child: its part p of the weights gives it p s, with the error p d + (2 - p) quantum; an
//!          only child gets the whole guarantee.
//! Admits   everyone. A child of weight 0 is in the background.
//! Assumes  A1 quanta end on time; A2 overheads are inside what is received.
//! Costs    O(log n) per event, expected and amortised; 230 bytes per child; one timer.
//! Ties     equal deadlines: the lower slot.
//! Source   Stoica and others 1996; HLS 5.3.3.2. Differences: virtual time advances with the time received, not
//!          with the clock, so that less than ALL suffices; a child that waits ahead of its share counts until
//!          it no longer is (their strategy 3), and one that waits behind its share loses the difference; if no
//!          child is eligible, virtual time advances until the first one is.
//! Checked  laws, `tests/all/eevdf.rs`.
//!
//! A child requests one quantum at a time. The request is eligible from the virtual time at which the child's share
//! equals what it has received, and due when that share has grown by another quantum. Its lag stays between -(1 - p)
//! and 1 quantum, and a window may begin at one end and end at the other: hence up to 2 quanta, not 1.
//!
//! Where timers go off at ticks, a turn lasts up to a tick longer than the request that made its deadline. A child is ahead by (1 - p) tick more. It is behind by
//! a tick more for each of its n siblings: until its deadline passes, each has had at most what its own earlier deadlines stand for, and the excess of its last turn. That is (1 - p + n) tick more.

use crate::catalogue::{Kind, Properties};
use crate::parameters::SHARE;
use crate::parts::eligible::Eligible;
use crate::parts::fluid::{Clock, reweighed, scaled};
use crate::parts::long_run;
use crate::parts::quantum_ends::{QuantumEnds, Slowed};
use crate::parts::turns::{Line, Turns};
use crate::settings::shared::REPORT_DEADLINES;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_guarantees::{
    ChildParam, ChildParams, Conversion, Guarantee, Length, Offer, Supply, Type,
};
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{ChildVp, View, VpState};
use windfall_time::{Ratio, Span};

settings! { Eevdf, "eevdf.rs":
    /// how long a child runs before deadlines are compared
    quantum: Span = "10ms",
    report_deadlines: bool as REPORT_DEADLINES,
}

pub(crate) const KIND: Kind = Eevdf::kind(
    "eevdf",
    "processor time in proportion to weights, with an error of at most two quanta",
    |settings| {
        let Eevdf { quantum, report_deadlines } = Eevdf::read(settings);
        let lags = Turns::new(Lags::new(quantum), Heap::new());
        match report_deadlines {
            true => Ok(Box::new(QuantumEnds::new(lags, quantum))),
            false => Ok(Box::new(lags)),
        }
    },
)
.with_parameters(&[&SHARE])
.with_properties(
    Properties::NONE.holds_back().quantum(|settings| Some(Eevdf::read(settings).quantum)),
)
.with_conversion(|settings| {
    let Eevdf { quantum, report_deadlines: reports } = Eevdf::read(settings);
    let inner = Bounded { quantum: quantum.into(), tick: Length::ZERO };
    let takes = &[Type::Psbe, Type::Resu];
    Ok(Box::new(Slowed { inner, quantum, reports, takes }))
});

/// The line of table 5.1: `ALL -> PSBE+`, and `PSBE -> PSBE+`.
#[derive(Clone)]
struct Bounded {
    quantum: Length,
    /// How much longer a turn may last.
    tick: Length,
}

impl Bounded {
    /// The guarantee from `PSBE s d` for a child with the part `p` of the weights, beside so many that have the rest; `only` if it has no siblings.
    fn given(
        &self,
        (s, d): (Ratio, Length),
        p: Ratio,
        (only, others): (bool, usize),
    ) -> Option<Guarantee> {
        if only {
            return Some(Guarantee::BoundedShare(s, d));
        }
        let quanta = self.quantum.checked_mul(Ratio::whole(2).checked_sub(p)?)?;
        let excess = Ratio::whole(1 + others as u64).checked_sub(p)?;
        let late = self.tick.checked_mul(excess)?;
        let error = d.checked_mul(p)?.checked_add(quanta)?.checked_add(late)?;
        Some(Guarantee::BoundedShare(s.checked_mul(p)?, error))
    }

    /// The share p for which `p t - (2 - p) quantum` is at least `amount` after `t = period`; at ticks, beside one sibling.
    fn share(&self, amount: Length, period: Length) -> Option<Ratio> {
        let turn = self.quantum.checked_add(self.tick)?;
        needed_share(amount, period.checked_add(turn)?, turn.checked_mul(Ratio::whole(2))?)
    }
}

/// The share for which `PSBE` with that error implies a reservation of `amount` in `period` (theorem 5.7 reversed).
/// `None` if the numbers are too fine.
#[must_use]
pub fn needed_share(amount: Length, period: Length, error: Length) -> Option<Ratio> {
    amount.checked_add(error)?.over(period)
}

impl Conversion for Bounded {
    fn takes(&self) -> &'static [Type] {
        &[Type::Psbe]
    }

    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        let share = match *requested {
            // In the background, because a weight would reduce the promises of the others.
            Guarantee::Null => return Ok(ChildParam::Share(Ratio::ZERO)),
            Guarantee::Share(share) => Some(share),
            // In windows up to error / share the request asks for less than nothing.
            Guarantee::BoundedShare(share, error) => {
                let lag = error.checked_div(share);
                let least = lag.and_then(|lag| self.share(Length::ZERO, lag));
                least.map(|least| least.max(share))
            }
            Guarantee::BasicSoft(amount, period) | Guarantee::ContinuousSoft(amount, period) => {
                self.share(amount, period)
            }
            _ => return Err("it gives `PSBE share time`, and so `RESCS amount period`"),
        };
        let share = share.ok_or("it gives `PSBE share time`, in rounder numbers")?;
        if share > Ratio::ONE {
            return Err("it gives `PSBE share time` with an error of up to two quanta: less in a \
                        longer period, or a shorter quantum");
        }
        Ok(ChildParam::Share(share))
    }

    /// With ticks, a turn ends at the next tick.
    fn at_ticks(&mut self, tick: Span) -> bool {
        self.tick = tick.into();
        true
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        let Some(&Guarantee::BoundedShare(s, d)) = own.guarantees.first() else {
            return children.iter().map(|_| Offer::nothing()).collect();
        };
        let (only, total) = (children.len() == 1, long_run::total(children));
        let others = children.iter().filter(|child| !child.weight.is_zero()).count();
        let others = others.saturating_sub(1);
        let offer = |child: &ChildParams| {
            let part = total.and_then(|total| child.weight.checked_div(total));
            match child.weight.is_zero() {
                true => Offer::nothing(),
                false => Offer::exact(
                    part.and_then(|part| self.given((s, d), part, (only, others))),
                    "EEVDF: lag of less than a quantum at both ends",
                ),
            }
        };
        children.iter().map(offer).collect()
    }
}

#[derive(Clone, Copy)]
struct Client {
    /// At least 1.
    weight: i128,
    /// The virtual time at which its share equals what it has received.
    had: Clock,
    /// The current request: eligible from this virtual time on, and how much of it has been served.
    from: i128,
    used: Span,
}

impl Default for Client {
    fn default() -> Client {
        Client { weight: 1, had: Clock { at: 0, rest: 0 }, from: 0, used: Span::ZERO }
    }
}

/// The time that each child has received, compared with its share.
#[derive(Clone)]
struct Lags {
    quantum: Span,
    clients: Vec<Client>,
    ready: Eligible,
    /// Virtual time: the service that each counting unit of weight should have received.
    now: Clock,
    /// Sum of the weights that count: of children that do not wait, and of children that wait ahead of their share.
    weights: i128,
    /// Children that wait ahead of their share, by the virtual time at which they no longer are.
    ahead: Heap<(i128, u32)>,
}

impl Lags {
    fn new(quantum: Span) -> Lags {
        Lags {
            quantum,
            clients: Vec::new(),
            ready: Eligible::new(),
            now: Clock { at: 0, rest: 0 },
            weights: 0,
            ahead: Heap::new(),
        }
    }

    /// Advances virtual time by a service; weights may stop counting on the way.
    fn pass(&mut self, ran: Span) {
        let mut service = scaled(ran) + core::mem::take(&mut self.now.rest);
        while let Some((until, _)) = self.ahead.peek().map(|(key, slot)| (key.0, slot)) {
            let way = (until - self.now.at).checked_mul(self.weights);
            let Some(left) = way.and_then(|way| service.checked_sub(way)).filter(|l| *l >= 0)
            else {
                break;
            };
            (service, self.now.at) = (left, until);
            self.retire();
        }
        if self.weights > 0 {
            self.now.pass(service, self.weights);
        }
    }

    /// Stops counting children that wait and are no longer ahead.
    fn retire(&mut self) {
        while let Some((_, slot)) = self.ahead.peek().filter(|((at, _), _)| *at <= self.now.at) {
            self.ahead.remove(slot);
            self.weights -= self.clients[slot as usize].weight;
        }
    }

    fn enter(&mut self, child: ChildVp) {
        let client = &self.clients[child.index()];
        let due = client.from.saturating_add(scaled(self.quantum) / client.weight);
        self.ready.insert(child.0, due, client.from);
    }
}

impl Line for Lags {
    const TAKES: &'static str = "share, quantum (to the instance)";

    fn quantum(&mut self) -> &mut Span {
        &mut self.quantum
    }

    fn register(&mut self, child: ChildVp) {
        let room = self.clients.len().max(child.index() + 1);
        self.clients.resize(room, Client::default());
        self.ready.reserve(room);
        self.ahead.reserve(room);
        if self.ahead.contains(child.0) {
            // The child that had this slot before left ahead of its share. A new child must not get that time
            // again.
            self.weigh(child, 1, VpState::Waiting);
        } else {
            self.clients[child.index()] = Client::default();
        }
    }

    fn joins(&mut self, child: ChildVp) {
        let client = &mut self.clients[child.index()];
        if self.ahead.remove(child.0).is_none() {
            self.weights += client.weight;
            client.had.catch_up(self.now.at);
        }
        (client.from, client.used) = (client.had.at, Span::ZERO);
        self.enter(child);
    }

    fn leaves(&mut self, child: ChildVp) {
        self.ready.remove(child.0);
        let client = &self.clients[child.index()];
        if client.had.at > self.now.at {
            self.ahead.set(child.0, (client.had.at, child.0));
        } else {
            self.weights -= client.weight;
        }
    }

    fn pick(&mut self) -> Option<ChildVp> {
        if let Some((start, _)) = self.ready.least() {
            self.now.catch_up(start);
            self.retire();
        }
        let first = self.ready.first(|start| start <= self.now.at)?;
        self.ready.remove(first);
        Some(ChildVp(first))
    }

    fn turn(&self, child: ChildVp) -> Span {
        self.quantum.saturating_sub(self.clients[child.index()].used)
    }

    fn charge(&mut self, child: ChildVp, ran: Span) {
        let client = &mut self.clients[child.index()];
        client.had.pass(scaled(ran), client.weight);
        client.used = client.used.saturating_add(ran);
        self.pass(ran);
    }

    fn returns(&mut self, child: ChildVp) {
        let client = &mut self.clients[child.index()];
        if client.used >= self.quantum {
            (client.from, client.used) = (client.had.at, Span::ZERO);
        }
        self.enter(child);
    }

    /// Changes a weight. The child's lag, and how long it has been eligible, stay the same as service.
    fn weigh(&mut self, child: ChildVp, weight: u32, state: VpState) {
        let (now, weight) = (self.now.at, i128::from(weight));
        let client = &mut self.clients[child.index()];
        let before = core::mem::replace(&mut client.weight, weight);
        let counts = state != VpState::Waiting || self.ahead.contains(child.0);
        if !counts {
            return;
        }
        client.had.at = now + reweighed(client.had.at - now, before, weight);
        client.from = now + reweighed(client.from - now, before, weight);
        self.weights += weight - before;
        if self.ahead.contains(child.0) {
            self.ahead.set(child.0, (client.had.at, child.0));
            self.retire();
        } else if self.ready.contains(child.0) {
            self.ready.remove(child.0);
            self.enter(child);
        }
    }

    fn next(&self, running: Option<(ChildVp, Span)>) -> Option<ChildVp> {
        let mut now = self.now;
        if let Some((_, ran)) = running {
            now.pass(scaled(ran), self.weights);
        }
        let (least, _) = self.ready.least()?;
        self.ready.first(|start| start <= now.at.max(least)).map(ChildVp)
    }

    fn check(&self, view: &View<'_>, counts: &dyn Fn(ChildVp) -> bool) -> Result<(), &'static str> {
        let mut weights = 0;
        for child in view.children() {
            let state = view.child(child);
            let takes_part = counts(child) && state != VpState::Waiting;
            if self.ready.contains(child.0) != (takes_part && state == VpState::Ready) {
                return Err("a ready child has no deadline, or one that is not ready has");
            }
            if takes_part {
                weights += self.clients[child.index()].weight;
                if self.ahead.contains(child.0) {
                    return Err("a child that does not wait counts as one that waits ahead");
                }
            }
        }
        for (client, slot) in self.clients.iter().zip(0..) {
            weights += if self.ahead.contains(slot) { client.weight } else { 0 };
        }
        if weights != self.weights {
            return Err("the weights that count are not the sum over those that do");
        }
        Ok(())
    }
}

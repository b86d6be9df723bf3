//! Currencies: groups of children whose tickets are backed by the funding of their currency.
//!
//! The setting `currency-n` declares currency n by its funding in base tickets; a child joins it by a `currency`
//! message, where 0 is the base. The funding is shared among those tickets of the currency whose owners do not
//! wait; while all wait, the currency counts for nothing (Waldspurger and Weihl 1994). So tickets issued within one
//! currency take nothing from the others.

use crate::parts::long_run;
use alloc::format;
use alloc::vec::Vec;
use windfall_guarantees::{
    Allowance, ChildParam, ChildParams, Conversion, Guarantee, Length, Offer, Supply, Type,
};
use windfall_hierarchy::AnswerError;
use windfall_time::{Ratio, Span};

/// Number of currencies besides the base.
pub(crate) const CURRENCIES: usize = 4;

/// The funding of each currency in base tickets; 0 if it is not funded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Funds(pub(crate) [u32; CURRENCIES]);

impl Funds {
    pub(crate) fn new(funding: [Option<u32>; CURRENCIES]) -> Funds {
        Funds(funding.map(Option::unwrap_or_default))
    }

    fn of(&self, currency: u32) -> Option<u32> {
        let at = usize::try_from(currency).ok()?.checked_sub(1)?;
        self.0.get(at).copied().filter(|funding| *funding > 0)
    }

    /// The index of a currency's group; 0 for the base.
    ///
    /// # Errors
    /// When it is not funded.
    pub(crate) fn place(&self, currency: i64) -> Result<usize, AnswerError> {
        let known = u32::try_from(currency).ok();
        let known = known.filter(|currency| *currency == 0 || self.of(*currency).is_some());
        known.and_then(|currency| usize::try_from(currency).ok()).ok_or(AnswerError::OutOfRange {
            what: "currency",
            allowed: "0, or one that a setting of the instance funds",
        })
    }

    /// The worth of each child's tickets in base tickets while no child waits (`None` if its currency is not
    /// funded), and the worth of all. `None` if the numbers are too fine.
    fn worth(&self, children: &[ChildParams]) -> Option<(Vec<Option<Ratio>>, Ratio)> {
        let (mut issued, mut total) = ([Ratio::ZERO; CURRENCIES], Ratio::ZERO);
        for child in children {
            match child.currency.unwrap_or(0) {
                0 => total = total.checked_add(child.weight)?,
                n if self.of(n).is_some() => {
                    let issued = &mut issued[n as usize - 1];
                    *issued = issued.checked_add(child.weight)?;
                }
                _ => {}
            }
        }
        let used = issued.iter().zip(self.0).filter(|(issued, _)| !issued.is_zero());
        for (_, funding) in used {
            total = total.checked_add(Ratio::whole(u64::from(funding)))?;
        }
        let worth = |child: &ChildParams| match child.currency.unwrap_or(0) {
            0 => Some(Some(child.weight)),
            n => match self.of(n) {
                None => Some(None),
                Some(_) if child.weight.is_zero() => Some(Some(Ratio::ZERO)),
                Some(funding) => {
                    let value = child.weight.checked_mul(Ratio::whole(u64::from(funding)))?;
                    Some(Some(value.checked_div(issued[n as usize - 1])?))
                }
            },
        };
        Some((children.iter().map(worth).collect::<Option<Vec<_>>>()?, total))
    }
}

/// The conversion `PS -> PS+` on one processor: each child's part of all base tickets.
#[derive(Clone)]
pub(crate) struct Tickets {
    pub(crate) funds: Funds,
    pub(crate) by: &'static str,
    pub(crate) turns: Turning,
}

/// How turns are assigned, which determines how far a child may be behind its part.
#[derive(Clone, Copy)]
pub(crate) enum Turning {
    /// By lots, for turns of this length.
    Lots(Span),
    /// By passes: behind by at most 1 + 4 n p turns of this length, for n children with the part p (`stride.rs`).
    Passes(Span),
}

impl Conversion for Tickets {
    fn takes(&self) -> &'static [Type] {
        &[Type::Ps]
    }

    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        long_run::parameter_for(requested)
    }

    /// With ticks, a turn ends at the next tick; time is charged as it was received.
    fn at_ticks(&mut self, tick: Span) -> bool {
        let (Turning::Lots(turn) | Turning::Passes(turn)) = &mut self.turns;
        *turn = turn.saturating_add(tick);
        true
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        let Some(&Guarantee::Share(supply)) = own.guarantees.first() else {
            return children.iter().map(|_| Offer::nothing()).collect();
        };
        let Some((worth, total)) = self.funds.worth(children) else {
            return children.iter().map(|_| Offer::exact(None, self.by)).collect();
        };
        let offer = |(child, worth): (&ChildParams, Option<Ratio>)| match worth {
            None => Offer::lacking(format!(
                "currency {} is not funded; set `currency-{0}`",
                child.currency.unwrap_or(0)
            )),
            Some(worth) if worth.is_zero() => Offer::nothing(),
            Some(worth) => {
                let part = worth.checked_div(total).and_then(|part| part.checked_mul(supply));
                Offer::exact(part.map(Guarantee::Share), self.by)
            }
        };
        children.iter().zip(worth).map(offer).collect()
    }

    fn behind(
        &self,
        _: Supply<'_>,
        behind: &[Allowance],
        children: &[ChildParams],
    ) -> Option<Vec<Allowance>> {
        let (worth, total) = self.funds.worth(children)?;
        let own = behind.first()?;
        let one = |worth: Option<Ratio>| {
            let part = worth.unwrap_or(Ratio::ZERO).checked_div(total).unwrap_or(Ratio::ZERO);
            let turns = match self.turns {
                Turning::Lots(turn) => {
                    Allowance::fixed(turn.into()).checked_add(Allowance::lots(turn))?
                }
                Turning::Passes(turn) => {
                    // Twice the bound of one level: a currency has as many turns again within it, among at most as
                    // many clients.
                    let count = Ratio::whole(8 * (children.len() + CURRENCIES) as u64);
                    let turns = count.checked_add(Ratio::whole(2))?;
                    Allowance::fixed(Length::from(turn).checked_mul(turns)?)
                }
            };
            own.part(part)?.checked_add(turns)
        };
        worth.into_iter().map(one).collect()
    }
}

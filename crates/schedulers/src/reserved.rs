//! What schedulers of basic reservations make of guarantees: reservations while their sum fits.
//!
//! Invariant: children are served in order, each if it fits beside all before it, so that whoever
//! tells less takes nothing from others, and more processor never means less for anybody.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use windfall_guarantees::{
    Conversion, Guarantee, Length, Offer, Tell, Terms, Type, basic_for, rewrite,
};
use windfall_time::{Ratio, Span};

/// What a reservation of an amount in a period comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// RESBH x y.
    Hard,
    /// RESBS x y.
    Soft,
}

impl Form {
    /// The guarantee of a reservation.
    pub(crate) fn of(self, amount: Span, period: Span) -> Guarantee {
        let (x, y) = (Length::from(amount), Length::from(period));
        match self {
            Form::Hard => Guarantee::BasicHard(x, y),
            Form::Soft => Guarantee::BasicSoft(x, y),
        }
    }

    /// What a child is to tell for `asked`.
    pub(crate) fn tell(self, asked: &Guarantee) -> Result<Tell, &'static str> {
        let plain = match *asked {
            Guarantee::Null => return Ok(Tell::Nothing),
            // What else it needs is a part of an overrun partition, which a join adds (HLS 6.2.2).
            Guarantee::Probabilistic(x, y, _) => Guarantee::BasicSoft(x, y),
            other => other,
        };
        let told = basic_for(&plain)
            .filter(|(amount, period)| rewrite(&self.of(*amount, *period), &plain).is_ok());
        told.map(|(amount, period)| Tell::Reserve { amount, period }).ok_or(match self {
            Form::Hard => "it gives `RESBH amount period`, as `RESBH 3ms 10ms`",
            Form::Soft => "it gives `RESBS amount period`, as `RESBS 3ms 10ms`",
        })
    }
}

/// A scheduler of basic reservations on one processor.
pub(crate) struct Reserved {
    /// What a reservation comes to.
    pub(crate) form: Form,
    /// By which rule.
    pub(crate) by: &'static str,
    /// Whether it can make use of a uniformly slower processor.
    pub(crate) tells: bool,
    /// How much of a processor it reserves at most.
    pub(crate) most: Ratio,
    /// Whether it makes up for stolen time.
    pub(crate) makes_up: bool,
}

impl Reserved {
    /// One that reserves all of a processor, and takes nothing less.
    pub(crate) const fn new(form: Form, by: &'static str) -> Reserved {
        Reserved { form, by, tells: false, most: Ratio::ONE, makes_up: false }
    }
}

impl Conversion for Reserved {
    fn takes(&self) -> &'static [Type] {
        if self.tells { &[Type::All, Type::Resu] } else { &[Type::All] }
    }

    fn tell(&self, asked: &Guarantee) -> Result<Tell, &'static str> {
        self.form.tell(asked)
    }

    fn give(&self, own: &[Guarantee], children: &[Terms]) -> Vec<Offer> {
        let whole = speed(own, self.tells).min(self.most);
        in_order(whole, children, |amount, period| {
            Offer::one(self.form.of(amount, period), self.by)
        })
    }

    fn makes_up(&self) -> bool {
        self.makes_up
    }
}

/// The speed of the processor that the first of the own guarantees amounts to.
pub(crate) fn speed(own: &[Guarantee], slower: bool) -> Ratio {
    match own.first() {
        Some(Guarantee::All) => Ratio::ONE,
        Some(Guarantee::Slower(speed)) if slower => *speed,
        _ => Ratio::ZERO,
    }
}

/// What each child is given, if it fits beside all before it.
pub(crate) fn in_order(
    whole: Ratio,
    children: &[Terms],
    give: impl Fn(Span, Span) -> Offer,
) -> Vec<Offer> {
    let mut sum = Some(Ratio::ZERO);
    let mut offers = Vec::with_capacity(children.len());
    for (number, terms) in children.iter().enumerate() {
        let Some((amount, period)) = terms.reserve else {
            offers.push(Offer::nothing());
            continue;
        };
        let before = sum;
        sum = amount.over(period).and_then(|share| sum?.checked_add(share));
        offers.push(match (before, sum) {
            _ if amount.is_zero() || amount > period => Offer::lacking(format!(
                "amount {amount} is out of range; allowed: above 0, at most the period {period}"
            )),
            (_, Some(sum)) if sum <= whole => give(amount, period),
            (Some(before), Some(_)) => {
                let left = whole.checked_sub(before).unwrap_or(Ratio::ZERO);
                Offer::lacking(shortfall(left, (amount, period), &children[..number]))
            }
            _ => Offer::exact(None, ""),
        });
    }
    offers
}

/// What is left, who has the rest, and what would fit.
fn shortfall(left: Ratio, (amount, period): (Span, Span), before: &[Terms]) -> String {
    let held = before.iter().filter_map(|terms| terms.reserve);
    let held: Vec<String> = held.map(|(amount, period)| format!("{amount} in {period}")).collect();
    let holders = match held.len() {
        0 => String::from("nobody has the rest"),
        1..=4 => format!("others have {}", held.join(", ")),
        n => format!("{n} others have the rest, the first {}", held[0]),
    };
    let most = Length::from(period).checked_mul(left).and_then(Length::floor);
    let asked = format!("{amount} in {period}");
    match most.filter(|most| !most.is_zero()) {
        Some(most) => format!(
            "it asks for {asked}, and {left} of a processor is left ({holders}); ask for at most \
             {most} in {period}, or make others' smaller"
        ),
        None => format!(
            "it asks for {asked}, and nothing is left ({holders}); make others' smaller, or use \
             another processor"
        ),
    }
}

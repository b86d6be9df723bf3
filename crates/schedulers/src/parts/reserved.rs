//! What schedulers of basic reservations make of guarantees: reservations while their sum fits.
//!
//! Invariant: children are served in order, each if it fits beside all before it that are served, as the
//! schedulers admit them. Who is refused counts against nobody.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use windfall_guarantees::{
    ChildParam, ChildParams, Conversion, Guarantee, Length, Offer, Supply, Type, basic_for, rewrite,
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
    pub(crate) fn parameter_for(self, asked: &Guarantee) -> Result<ChildParam, &'static str> {
        let plain = match *asked {
            Guarantee::Null => return Ok(ChildParam::Nothing),
            // What else it needs is a part of an overrun partition, which a join adds (HLS 6.2.2).
            Guarantee::Probabilistic(x, y, _) => Guarantee::BasicSoft(x, y),
            other => other,
        };
        let told = basic_for(&plain)
            .filter(|(amount, period)| rewrite(&self.of(*amount, *period), &plain).is_ok());
        told.map(|(amount, period)| ChildParam::Reserve { amount, period }).ok_or(match self {
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
    pub(crate) reports: bool,
    /// How much of a processor it reserves at most.
    pub(crate) most: Ratio,
    /// Whether it makes up for stolen time.
    pub(crate) makes_up: bool,
    /// How late its timers may go off.
    pub(crate) tick: Span,
    /// Whether what that lets a child have beyond its budget is taken from nobody's.
    pub(crate) drops: bool,
    /// Whether periods follow each other, from the reservation on, whatever its owner does.
    pub(crate) fixed: bool,
}

impl Reserved {
    /// One that reserves all of a processor, and takes nothing less.
    pub(crate) const fn new(form: Form, by: &'static str) -> Reserved {
        let (most, tick) = (Ratio::ONE, Span::ZERO);
        Reserved {
            form,
            by,
            reports: false,
            most,
            makes_up: false,
            tick,
            drops: false,
            fixed: false,
        }
    }
}

impl Conversion for Reserved {
    fn takes(&self) -> &'static [Type] {
        if self.reports { &[Type::All, Type::Resu] } else { &[Type::All] }
    }

    fn parameter_for(&self, asked: &Guarantee) -> Result<ChildParam, &'static str> {
        self.form.parameter_for(asked)
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        let whole = speed(own.guarantees, self.reports).min(self.most);
        let offers = in_order(whole, self.tick, children, |amount, period| {
            Offer::one(self.form.of(amount, period), self.by)
        });
        let in_step = self.fixed && self.tick.is_zero() && !self.makes_up;
        let since = |child: &ChildParams| child.since.filter(|_| in_step);
        offers.into_iter().zip(children).map(|(offer, child)| offer.since(since(child))).collect()
    }

    /// A budget is overrun by less than a tick, which the next one pays, if any; a period begins less than a tick late.
    fn at_ticks(&mut self, tick: Span) -> bool {
        self.tick = tick;
        if self.drops {
            self.form = Form::Soft; // each period may bring nearly a tick more
        }
        true
    }

    fn serves_reserved_alone(&self) -> bool {
        true
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

/// What each child is given, if it fits beside all before it that are given theirs; and, with timers that go
/// off up to `tick` late, if all of them can be held then.
pub(crate) fn in_order(
    whole: Ratio,
    tick: Span,
    children: &[ChildParams],
    give: impl Fn(Span, Span) -> Offer,
) -> Vec<Offer> {
    let mut sum = Some(Ratio::ZERO);
    let mut held: Vec<(usize, (Span, Span))> = Vec::new();
    let mut offers = Vec::with_capacity(children.len());
    for (number, terms) in children.iter().enumerate() {
        let Some((amount, period)) = terms.reserve else {
            offers.push(Offer::nothing());
            continue;
        };
        let with = amount.over(period).and_then(|share| sum?.checked_add(share));
        offers.push(match (sum, with) {
            _ if amount.is_zero() || amount > period => Offer::lacking(format!(
                "amount {amount} is out of range; allowed: above 0, at most the period {period}"
            )),
            (_, Some(with)) if with <= whole => {
                sum = Some(with);
                held.push((number, (amount, period)));
                give(amount, period)
            }
            (Some(before), Some(_)) => {
                let left = whole.checked_sub(before).unwrap_or(Ratio::ZERO);
                Offer::lacking(shortfall(left, (amount, period), &held))
            }
            _ => {
                sum = None;
                Offer::exact(None, "")
            }
        });
    }
    if !tick.is_zero() {
        hold_at_ticks(whole, tick, &held, &mut offers);
    }
    offers
}

/// A period may cost a tick more than its amount, and begin a tick late. So each counts for
/// (amount + tick) / (period - tick), and while those come to no more than there is, earliest deadline first
/// is in time for all. Otherwise it is for none: who is admitted delays the others, whatever he is promised.
fn hold_at_ticks(whole: Ratio, tick: Span, held: &[(usize, (Span, Span))], offers: &mut [Offer]) {
    let part =
        |(amount, period): (Span, Span)| amount.checked_add(tick)?.over(period.checked_sub(tick)?);
    let sum = |but: Option<usize>| {
        let others = held.iter().filter(|(number, _)| Some(*number) != but);
        others
            .map(|(_, reserved)| part(*reserved))
            .try_fold(Ratio::ZERO, |sum, part| sum.checked_add(part?))
    };
    if sum(None).is_some_and(|sum| sum <= whole) {
        return;
    }
    for (number, (amount, period)) in held {
        let room = sum(Some(*number)).and_then(|others| whole.checked_sub(others));
        let rest = period.checked_sub(tick).map(Length::from);
        let most = room.zip(rest).and_then(|(room, rest)| rest.checked_mul(room)?.floor());
        let most = most.and_then(|most| most.checked_sub(tick)).filter(|most| !most.is_zero());
        let help = match most {
            Some(most) => format!("ask for at most {most} in {period}, or for longer periods"),
            None => "ask for less, or for longer periods, here and of its siblings".into(),
        };
        offers[*number] = Offer::lacking(format!(
            "timers go off up to {tick} late: a reservation of {amount} in {period} may cost that much more, \
             and begin that much later, and all that are admitted here do not fit then; {help}, or set \
             `timer = \"precise\"`"
        ));
    }
}

/// What is left, who has the rest, and what would fit.
fn shortfall(
    left: Ratio,
    (amount, period): (Span, Span),
    held: &[(usize, (Span, Span))],
) -> String {
    let names = |(_, (amount, period)): &(usize, (Span, Span))| format!("{amount} in {period}");
    let holders = match held {
        [] => String::from("nobody has the rest"),
        [_, _, _, _, _, ..] => {
            format!("{} others have the rest, the first {}", held.len(), names(&held[0]))
        }
        few => format!("others have {}", few.iter().map(names).collect::<Vec<_>>().join(", ")),
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

//! The conversion of schedulers of basic reservations: they give reservations while the sum fits.
//!
//! Invariant: children are served in order, each if it fits beside those served before it, as the schedulers admit
//! them. A refused child takes nothing from others.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use windfall_guarantees::{
    ChildParam, ChildParams, Conversion, Guarantee, Length, Offer, Supply, Type, basic_for, rewrite,
};
use windfall_time::{Ratio, Span};

/// The guarantee that a reservation of an amount in a period amounts to.
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

    /// The parameter by which a child gets the guarantee `requested`.
    pub(crate) fn parameter_for(self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        let plain = match *requested {
            Guarantee::Null => return Ok(ChildParam::Nothing),
            // The rest of that guarantee is a part of an overrun partition, which an `overrun` scheduler adds (HLS
            // 6.2.2).
            Guarantee::Probabilistic(x, y, _) => Guarantee::BasicSoft(x, y),
            other => other,
        };
        let basic = basic_for(&plain)
            .filter(|(amount, period)| rewrite(&self.of(*amount, *period), &plain).is_ok());
        basic.map(|(amount, period)| ChildParam::Reserve { amount, period }).ok_or(match self {
            Form::Hard => "it gives `RESBH amount period`, as `RESBH 3ms 10ms`",
            Form::Soft => "it gives `RESBS amount period`, as `RESBS 3ms 10ms`",
        })
    }
}

/// The conversion of a scheduler of basic reservations on one processor.
#[derive(Clone)]
pub(crate) struct Reserved {
    /// The guarantee that a reservation amounts to.
    pub(crate) form: Form,
    /// The name of the rule.
    pub(crate) by: &'static str,
    /// Whether it can use a uniformly slower processor.
    pub(crate) reports: bool,
    /// The largest part of a processor that it reserves.
    pub(crate) most: Ratio,
    /// Whether it makes up for stolen time.
    pub(crate) makes_up: bool,
    /// The most by which its timers may be late.
    pub(crate) tick: Span,
    /// Whether overruns because of late timers are dropped, instead of being taken from later budgets.
    pub(crate) drops: bool,
    /// Whether periods follow each other from the reservation on, whatever the child does.
    pub(crate) fixed: bool,
}

impl Reserved {
    /// A conversion that reserves all of a processor, and takes only ALL.
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

    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        self.form.parameter_for(requested)
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        if self.reports && !own.declared && matches!(own.guarantees, [Guarantee::Slower(_), ..]) {
            let lacks = "its processor is slower, and the scheduler above it declares no speed, so that it may admit too much; \
                         put it directly below a `pshed`";
            return vec![Offer::lacking(lacks.into()); children.len()];
        }
        let whole = speed(own.guarantees, self.reports).min(self.most);
        let offers = in_order(whole, self.tick, children, |amount, period| {
            Offer::one(self.form.of(amount, period), self.by)
        });
        // A child of a scheduler that reports keeps a steady rate's budget only when it wakes: two that serve one thread do not add up to the amounts of one period.
        let in_step = self.fixed && self.tick.is_zero() && !self.makes_up && !self.reports;
        let since = |child: &ChildParams| child.since.filter(|_| in_step);
        offers.into_iter().zip(children).map(|(offer, child)| offer.since(since(child))).collect()
    }

    /// Late timers let a child overrun its budget by less than a tick, which its next budget pays unless overruns
    /// are dropped; a period begins less than a tick late.
    fn at_ticks(&mut self, tick: Span) -> bool {
        self.tick = tick;
        if self.drops {
            self.form = Form::Soft; // a period may give nearly a tick more
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

/// The speed of the processor that the first own guarantee amounts to; zero if it cannot be used.
pub(crate) fn speed(own: &[Guarantee], slower: bool) -> Ratio {
    match own.first() {
        Some(Guarantee::All) => Ratio::ONE,
        Some(Guarantee::Slower(speed)) if slower => *speed,
        _ => Ratio::ZERO,
    }
}

/// The offers to children in order: each gets its reservation if it fits beside those given before it. If timers
/// may be up to `tick` late, all must fit with that as well.
pub(crate) fn in_order(
    whole: Ratio,
    tick: Span,
    children: &[ChildParams],
    give: impl Fn(Span, Span) -> Offer,
) -> Vec<Offer> {
    let mut sum = Some(Ratio::ZERO);
    let mut held: Vec<(usize, (Span, Span))> = Vec::new();
    let mut offers = Vec::with_capacity(children.len());
    for (number, params) in children.iter().enumerate() {
        let Some((amount, period)) = params.reserve else {
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

/// With ticks, a period may cost a tick more than its amount, and begin a tick late. So a reservation counts for
/// (amount + tick) / (period - tick). While these sum up to at most `whole`, earliest deadline first is in time for
/// all. Otherwise it is for none, because every admitted child delays the others, whatever it is promised.
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

/// Says what is left, who has the rest, and what would fit.
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
    let requested = format!("{amount} in {period}");
    match most.filter(|most| !most.is_zero()) {
        Some(most) => format!(
            "it asks for {requested}, and {left} of a processor is left ({holders}); ask for at most \
             {most} in {period}, or make others' smaller"
        ),
        None => format!(
            "it asks for {requested}, and nothing is left ({holders}); make others' smaller, or use \
             another processor"
        ),
    }
}

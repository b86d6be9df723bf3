//! Guarantees that follow from another without a scheduler: table 5.2, theorems 5.2 to 5.7 (HLS
//! 5.3.2).
//!
//! Two questions: does `to` follow from `from`, and by which steps ([`rewrite`]); and what is the
//! tightest guarantee of a type that follows from `from` ([`form`]). Beyond the table's types, numbers
//! decide: a theorem gives the tightest guarantee of its type, and less of the same follows from that.
//!
//! Invariant: sound (every run that keeps `from` keeps every step), reflexive and transitive in its
//! verdicts; where a type is impossible in table 5.2 no numbers make it possible, but for reservations
//! of a whole period, which are ALL (theorem 5.3).

mod rule;

use crate::guarantee::{Guarantee, Type};
use crate::length::Length;
use crate::supply;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use alloc::{format, string::ToString};
use windfall_time::Ratio;

pub use rule::{RewriteError, Rule, Step};

/// The steps from `from` to `to`, none when they are equal.
///
/// # Errors
/// When `to` does not follow.
pub fn rewrite(from: &Guarantee, to: &Guarantee) -> Result<Vec<Step>, RewriteError> {
    if from == to {
        return Ok(Vec::new());
    }
    if *to == Guarantee::Null {
        return Ok(vec![Step { rule: Rule::Nothing, gives: *to }]);
    }
    if let Some(steps) = whole(from, to) {
        return Ok(steps);
    }
    if let Some(because) = never(from.kind(), to.kind()) {
        return Err(RewriteError::Never { from: from.kind(), to: to.kind(), because });
    }
    let mut steps = toward(from, to).ok_or(RewriteError::TooFine)?;
    let has = steps.last().map_or(*from, |step| step.gives);
    if has == *to {
        return Ok(steps);
    }
    match at_least(&has, to).ok_or(RewriteError::TooFine)? {
        Reach::Yes(rules) => {
            steps.extend(rules);
            Ok(steps)
        }
        Reach::No(most) => Err(RewriteError::TooMuch { most }),
    }
}

/// Whether a guarantee is no more than what there is.
enum Reach {
    /// Yes, by these steps.
    Yes(Vec<Step>),
    /// No; this is the most there is.
    No(Option<Guarantee>),
}

impl Reach {
    fn when(fits: bool, rule: Rule, to: &Guarantee, most: Option<Guarantee>) -> Reach {
        if fits { Reach::Yes(vec![Step { rule, gives: *to }]) } else { Reach::No(most) }
    }
}

/// The steps to the tightest guarantee of a type; none when none follows whatever its numbers, or
/// when there is a choice (which period?) that only a goal decides.
#[must_use]
pub fn form(from: &Guarantee, to: Type) -> Option<Vec<Step>> {
    if from.kind() == to {
        return Some(Vec::new());
    }
    let goal = match to {
        Type::Psbe => Guarantee::BoundedShare(from.share()?, Length::ZERO),
        Type::Ps => Guarantee::Share(from.share()?),
        Type::Null => Guarantee::Null,
        Type::Resu => Guarantee::Slower(Ratio::ONE),
        Type::Rescs | Type::Resbs | Type::Resch | Type::Resbh => {
            let (x, y) = from.reservation()?;
            match to {
                Type::Rescs if !supply::is_continuous(from) => {
                    let twice = y.checked_mul(Ratio::whole(2))?;
                    Guarantee::ContinuousSoft(x, twice.checked_sub(x)?)
                }
                Type::Rescs => Guarantee::ContinuousSoft(x, y),
                Type::Resbs => Guarantee::BasicSoft(x, y),
                Type::Resch => Guarantee::ContinuousHard(x, y),
                _ => Guarantee::BasicHard(x, y),
            }
        }
        Type::All => return whole(from, &Guarantee::All),
        Type::Resps | Type::Resnh | Type::Ressh => return None,
    };
    if never(from.kind(), to).is_some() {
        return None;
    }
    match to {
        Type::Psbe | Type::Ps => toward(from, &goal),
        _ => rewrite(from, &goal).ok(),
    }
}

/// A reservation of its whole period, a share of 1 without error, and ALL are the same.
fn whole(from: &Guarantee, to: &Guarantee) -> Option<Vec<Step>> {
    let full = |guarantee: &Guarantee| match *guarantee {
        Guarantee::BoundedShare(share, error) => share == Ratio::ONE && error.is_zero(),
        _ => guarantee.reservation().is_some_and(|(x, y)| x == y),
    };
    let all = Step { rule: Rule::Whole, gives: Guarantee::All };
    match (full(from), full(to)) {
        (true, _) if *to == Guarantee::All => Some(vec![all]),
        (true, true) => Some(vec![all, Step { rule: Rule::Whole, gives: *to }]),
        (false, true) if *from == Guarantee::All => {
            Some(vec![Step { rule: Rule::Whole, gives: *to }])
        }
        (true, false) => {
            let mut steps = vec![all];
            steps.extend(rewrite(&Guarantee::All, to).ok()?);
            Some(steps)
        }
        _ => None,
    }
}

/// Why a type never becomes another: the entries `f` of table 5.2. The diagonal is `t`.
fn never(from: Type, to: Type) -> Option<&'static str> {
    use Type::{All, Null, Ps, Psbe, Resbh, Resbs, Resch, Rescs, Resnh, Resps, Ressh, Resu};
    if from == to || to == Null {
        return None;
    }
    let hard = [Resbh, Resch, Resnh, Ressh];
    match (from, to) {
        (Null, _) => Some("nothing is promised"),
        (_, All) => Some("only the whole processor is all of it"),
        (All, to) if hard.contains(&to) => Some("nothing limits it from above"),
        (All, _) => None,
        (Ps, _) => Some("a share in the long run bounds no interval"),
        (Resu, Ps) => None,
        (Resu, _) => Some("its granularity is that of its owner's deadlines"),
        (_, Resu) => Some("what it gives does not follow its owner's deadlines"),
        (_, Psbe | Ps | Resbs | Rescs | Resps) => None,
        (Psbe, _) => Some("nothing limits it from above"),
        (Resbh | Resbs, Resch) => Some("not even its rate stays the same (theorem 5.3)"),
        (Resbs | Rescs | Resps, _) => Some("nothing limits it from above"),
        (Resbh, _) => Some("its scheduler is free to split and to move it"),
        (Resch, Resbh) | (Resnh, Resbh | Resch) | (Ressh, Resbh | Resch | Resnh) => None,
        (Resch, _) => Some("its scheduler is free to split it"),
        (Resnh, _) => Some("its offset is the scheduler's choice"),
        _ => None,
    }
}

/// The steps that lead closest to `to`: to its type with the tightest numbers, where the type has one
/// tightest guarantee; to the soft reservation that decides, where the goal is a soft reservation.
/// `None` when numbers are too fine.
fn toward(from: &Guarantee, to: &Guarantee) -> Option<Vec<Step>> {
    let one = |rule, gives| Some(vec![Step { rule, gives }]);
    match (*from, to.kind()) {
        (Guarantee::All, _) => one(Rule::Dedicated, best_of_all(to)),
        (Guarantee::Share(_), _) => Some(Vec::new()),
        (Guarantee::Slower(s) | Guarantee::BoundedShare(s, _), Type::Ps) => {
            one(Rule::LongRun, Guarantee::Share(s))
        }
        (_, Type::Ps) => one(Rule::Theorem56, Guarantee::Share(from.share()?)),
        (Guarantee::Slower(_) | Guarantee::BoundedShare(..), _) => Some(Vec::new()),
        (_, Type::Psbe) => {
            let (x, y) = from.reservation()?;
            let share = x.over(y)?;
            let (rule, gap) = match supply::is_continuous(from) {
                true => (Rule::Theorem54, supply::idle(x, y)?),
                false => (Rule::Theorem55, supply::idle(x, y)?.checked_mul(Ratio::whole(2))?),
            };
            one(rule, Guarantee::BoundedShare(share, gap.checked_mul(share)?))
        }
        (Guarantee::Synchronized(x, y, _), Type::Resnh) => {
            one(Rule::Unsynchronized, Guarantee::NonPreemptive(x, y))
        }
        (Guarantee::NonPreemptive(x, y) | Guarantee::Synchronized(x, y, _), kind) => {
            if kind == from.kind() {
                return Some(Vec::new());
            }
            let block = Step { rule: Rule::Block, gives: Guarantee::ContinuousHard(x, y) };
            let mut steps = vec![block];
            steps.extend(toward(&block.gives, to)?);
            Some(steps)
        }
        (Guarantee::ContinuousHard(x, y), Type::Resbh) => {
            one(Rule::Continuous, Guarantee::BasicHard(x, y))
        }
        (Guarantee::ContinuousHard(x, y), Type::Rescs | Type::Resbs | Type::Resps) => {
            one(Rule::Soft, Guarantee::ContinuousSoft(x, y))
        }
        (Guarantee::BasicHard(x, y), Type::Rescs | Type::Resbs | Type::Resps) => {
            one(Rule::Soft, Guarantee::BasicSoft(x, y))
        }
        (Guarantee::Probabilistic(x, y, _), Type::Rescs | Type::Resbs | Type::Resps) => match to {
            Guarantee::Probabilistic(_, _, z) if !z.is_zero() => Some(Vec::new()),
            _ => one(Rule::NoOverrun, Guarantee::BasicSoft(x, y)),
        },
        _ => Some(Vec::new()),
    }
}

/// The guarantee of the type of `to` that a whole processor gives: no less than `to`.
fn best_of_all(to: &Guarantee) -> Guarantee {
    match *to {
        Guarantee::Slower(_) => Guarantee::Slower(Ratio::ONE),
        Guarantee::BoundedShare(..) => Guarantee::BoundedShare(Ratio::ONE, Length::ZERO),
        Guarantee::Share(_) => Guarantee::Share(Ratio::ONE),
        Guarantee::Probabilistic(x, y, _) => Guarantee::Probabilistic(x, y, Length::ZERO),
        other => other,
    }
}

/// Whether `to` is no more than `has`, and by which steps; else the most that it could be.
/// `None` when numbers are too fine.
fn at_least(has: &Guarantee, to: &Guarantee) -> Option<Reach> {
    let less = |fits: bool| Some(Reach::when(fits, Rule::Less, to, Some(*has)));
    match (*has, *to) {
        (Guarantee::Share(s), Guarantee::Share(requested))
        | (Guarantee::Slower(s), Guarantee::Slower(requested)) => less(requested <= s),
        (Guarantee::BoundedShare(s, d), Guarantee::BoundedShare(requested, error)) => {
            let lag = d.checked_div(s)?;
            less(requested <= s && lag.checked_mul(requested)? <= error)
        }
        (Guarantee::Probabilistic(x, y, z), Guarantee::Probabilistic(a, b, overrun)) => {
            less(y == b && a <= x && overrun <= z)
        }
        // A part of an overrun partition follows from nothing but such a part.
        (_, Guarantee::Probabilistic(x, y, z)) if !z.is_zero() => {
            let without = Guarantee::Probabilistic(x, y, Length::ZERO);
            let most = rewrite(has, &without).is_ok().then_some(without);
            Some(Reach::No(most))
        }
        (
            Guarantee::BoundedShare(s, d),
            Guarantee::BasicSoft(x, y)
            | Guarantee::ContinuousSoft(x, y)
            | Guarantee::Probabilistic(x, y, _),
        ) => {
            let most = y.checked_mul(s)?.checked_sub(d).filter(|most| !most.is_zero());
            let fits = most.is_some_and(|most| x <= most);
            Some(Reach::when(fits, Rule::Theorem57, to, most.map(|most| with_amount(to, most))))
        }
        (Guarantee::BasicSoft(..) | Guarantee::ContinuousSoft(..), _) => reserved(has, to),
        (Guarantee::Synchronized(x, y, z), Guarantee::Synchronized(a, b, at)) => {
            let apart = if z > at { z.checked_sub(at) } else { at.checked_sub(z) };
            let same = (x, y) == (a, b) && apart?.over(y)?.denominator() == 1;
            Some(Reach::when(same, Rule::Same, to, Some(*has)))
        }
        // Whole numbers of its periods: what is no more in each is no more in all of them.
        (Guarantee::BasicHard(x, y), Guarantee::BasicHard(amount, period)) => {
            let periods = period.over(y)?;
            let whole = periods.denominator() == 1 && x.checked_mul(periods)? == amount;
            Some(Reach::when(whole, Rule::Periods, to, Some(*has)))
        }
        // Hard ones limit from above as well: the same or nothing.
        _ => Some(Reach::No(Some(*has))),
    }
}

/// A soft reservation from a soft reservation.
fn reserved(has: &Guarantee, to: &Guarantee) -> Option<Reach> {
    let ((amount, period), (x, y)) = (has.reservation()?, to.reservation()?);
    let basic = to.kind() != Type::Rescs;
    let mut steps = Vec::new();
    let mut step = |rule, gives| steps.push(Step { rule, gives });
    let periods = y.over(period)?;
    if basic && periods.denominator() == 1 {
        // The scheduler's own periods, or whole numbers of them.
        let most = amount.checked_mul(periods)?;
        if x > most {
            return Some(Reach::No(Some(with_amount(to, most))));
        }
        if supply::is_continuous(has) {
            step(Rule::Continuous, Guarantee::BasicSoft(amount, period));
        }
        if y != period {
            step(Rule::Periods, Guarantee::BasicSoft(most, y));
        }
        if x < most {
            step(Rule::Less, Guarantee::BasicSoft(x, y));
        }
    } else {
        let most = supply::least(has, y)?;
        if x > most {
            return Some(Reach::No((!most.is_zero()).then(|| with_amount(to, most))));
        }
        let lemma = period.checked_mul(Ratio::whole(2))?.checked_sub(amount)?;
        if !supply::is_continuous(has) && x <= amount && y >= lemma {
            step(Rule::Theorem52, Guarantee::ContinuousSoft(amount, y));
        } else if y != period || !supply::is_continuous(has) {
            step(Rule::Supply, Guarantee::ContinuousSoft(most, y));
        }
        if x < most.min(amount) || (x < most && y != period) {
            step(Rule::Less, Guarantee::ContinuousSoft(x, y));
        }
        if basic {
            step(Rule::Continuous, Guarantee::BasicSoft(x, y));
        }
    }
    if let Guarantee::Probabilistic(..) = to {
        step(Rule::NoOverrun, *to);
    }
    Some(Reach::Yes(tidy(steps, has)))
}

/// Leaves out steps that give what there is already.
fn tidy(steps: Vec<Step>, has: &Guarantee) -> Vec<Step> {
    let mut last = *has;
    let mut kept = Vec::new();
    for step in steps {
        if step.gives != last {
            last = step.gives;
            kept.push(step);
        }
    }
    kept
}

/// The same reservation with another amount.
fn with_amount(to: &Guarantee, amount: Length) -> Guarantee {
    match *to {
        Guarantee::BasicSoft(_, y) => Guarantee::BasicSoft(amount, y),
        Guarantee::ContinuousSoft(_, y) => Guarantee::ContinuousSoft(amount, y),
        Guarantee::Probabilistic(_, y, z) => Guarantee::Probabilistic(amount, y, z),
        other => other,
    }
}

/// The steps as one line: `RESCS 10ms 20ms (theorem 5.2), PSBE 1/2 5ms (theorem 5.4)`.
#[must_use]
pub fn line(steps: &[Step]) -> String {
    let steps: Vec<String> =
        steps.iter().map(|step| format!("{} ({})", step.gives, step.rule.name())).collect();
    if steps.is_empty() { "the same".to_string() } else { steps.join(", ") }
}

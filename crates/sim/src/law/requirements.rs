//! Requests to a parent: mostly one that its conversion takes, sometimes none, so that threads with and without a
//! guarantee compete.

use super::drawn::AskSeed;
use super::programs::{ms, us};
use windfall_guarantees::{ChildParam, Conversion, Guarantee, Length};
use windfall_scenario::model::{Requirements, Scheduler, Setting};
use windfall_schedulers::catalogue::Kind;
use windfall_schedulers::kinds;
use windfall_schedulers::parameters::{PRIORITY, ParameterValue, WARP};
use windfall_time::Ratio;

/// Periods, in milliseconds.
pub(super) const PERIODS: [u64; 8] = [4, 5, 8, 10, 20, 25, 40, 33];
const PARTS: [(i128, i128); 8] = [(1, 10), (1, 8), (1, 5), (1, 4), (3, 10), (2, 5), (1, 2), (3, 4)];

/// A part of a processor.
pub(super) fn part(ask: AskSeed) -> Ratio {
    let (above, below) = PARTS[usize::from(ask.part) % PARTS.len()];
    Ratio::new(above, below).unwrap()
}

/// A guarantee of the kind that the seed says.
fn guarantee(ask: AskSeed, turn: u8) -> Guarantee {
    let period = Length::from(ms(PERIODS[usize::from(ask.period) % PERIODS.len()]));
    let part = part(ask);
    let amount = period.checked_mul(part).unwrap().floor().unwrap().into();
    match (ask.kind.wrapping_add(turn)) % 10 {
        0 => Guarantee::BasicHard(amount, period),
        1 => Guarantee::BasicSoft(amount, period),
        2 => Guarantee::ContinuousSoft(amount, period),
        3 => Guarantee::BoundedShare(part, period),
        4 => Guarantee::Share(part),
        5 => Guarantee::Slower(part),
        6 => Guarantee::NonPreemptive(amount, period),
        7 => Guarantee::Synchronized(amount, period, us(u64::from(ask.priority) * 300).into()),
        8 => Guarantee::ContinuousHard(amount, period),
        _ => Guarantee::Probabilistic(amount, period, us(500).into()),
    }
}

/// A piece in a plan: in periods that divide each other, so that several find a place.
fn piece(ask: AskSeed, number: usize) -> Guarantee {
    let period = Length::from(ms(8 << (ask.period % 3)));
    let amount = Length::from(us(100 + u64::from(ask.part) * 4));
    let at = us(u64::try_from(number).unwrap() * 1_100 % 8_000).into();
    match ask.kind % 4 {
        0 => Guarantee::NonPreemptive(amount, period),
        1 => Guarantee::ContinuousHard(amount, period),
        _ => Guarantee::Synchronized(amount, period, at),
    }
}

/// A scheduler that something is asked of.
pub(super) struct Above<'a> {
    pub(super) scheduler: &'a Scheduler,
    pub(super) kind: &'static Kind,
    pub(super) conversion: &'a dyn Conversion,
}

/// The request to a parent: the first guarantee, from the seed's on, that a child has to ask for; or a
/// priority; or a weight. Sometimes with a warp.
pub(super) fn requires(parent: &Above<'_>, ask: AskSeed, number: usize) -> Requirements {
    if parent.kind == kinds::FIXED_PRIORITY {
        // Now and then one that somebody else may have, too.
        let number = if ask.kind < 40 { 0 } else { i32::try_from(number).unwrap() };
        return Requirements::priority(i32::from(ask.priority) * 100 + number);
    }
    let off = ("warp".to_owned(), Setting::Bool(false));
    let warps = [kinds::BVT, kinds::PROPORTIONAL_SHARE].contains(&parent.kind);
    let warped = warps && !parent.scheduler.settings.contains(&off) && ask.period >= 200;
    let warp = warped.then(|| ParameterValue::Span(ms(1 + u64::from(ask.part) / 4)));
    let parameter = |guarantee: &Guarantee| parent.conversion.parameter_for(guarantee);
    if ask.kind >= 230 {
        // An uninvited guest; or one with a weight beside guarantees.
        let shares = matches!(parameter(&Guarantee::Share(Ratio::ONE)), Ok(ChildParam::Share(_)));
        let share = (shares && ask.part >= 100).then(|| u32::from(ask.part) * 2);
        let mut requires = share.map(Requirements::share).unwrap_or_default();
        if parent.kind == kinds::PROPORTIONAL_SHARE && ask.part.is_multiple_of(3) {
            let priority = 1 + i64::from(ask.priority) % 31;
            requires.set(&PRIORITY, Some(ParameterValue::Integer(priority)));
        }
        requires.set(&WARP, warp);
        return requires;
    }
    if parent.kind == kinds::TIME_TABLE && ask.priority > 0 {
        return Requirements::guarantee(piece(ask, number));
    }
    let candidates = (0..10).map(|turn| guarantee(ask, turn));
    let requested = |guarantee: &Guarantee| {
        parameter(guarantee).is_ok_and(|parameter| parameter != ChildParam::Nothing)
    };
    let mut requires =
        candidates.into_iter().find(requested).map(Requirements::guarantee).unwrap_or_default();
    requires.set(&WARP, warp);
    requires
}

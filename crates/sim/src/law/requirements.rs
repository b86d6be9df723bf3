//! Requests to a parent: mostly one that its conversion takes, sometimes none, so that threads with and without a
//! guarantee compete. No kind is known by its name here: what it declares decides.

use super::amounts::{PERIODS, ms, part, us};
use super::drawn::RequestSeed;
use super::parameters;
use windfall_guarantees::{ChildParam, Conversion, Guarantee, Length};
use windfall_scenario::model::{Requirements, Scheduler};
use windfall_schedulers::catalogue::Kind;
use windfall_schedulers::parameters::BLOCK;
use windfall_time::Span;

/// An amount and a period.
pub(super) fn reservation(request: RequestSeed) -> (Span, Span) {
    let period = ms(PERIODS[usize::from(request.period) % PERIODS.len()]);
    let amount = Length::from(period).checked_mul(part(request)).unwrap();
    (amount.floor().unwrap(), period)
}

/// A guarantee of the kind that the seed says.
fn guarantee(request: RequestSeed, turn: u8) -> Guarantee {
    let part = part(request);
    let (amount, period) = reservation(request);
    let (amount, period) = (amount.into(), period.into());
    match (request.kind.wrapping_add(turn)) % 10 {
        0 => Guarantee::BasicHard(amount, period),
        1 => Guarantee::BasicSoft(amount, period),
        2 => Guarantee::ContinuousSoft(amount, period),
        3 => Guarantee::BoundedShare(part, period),
        4 => Guarantee::Share(part),
        5 => Guarantee::Slower(part),
        6 => Guarantee::NonPreemptive(amount, period),
        7 => Guarantee::Synchronized(amount, period, us(u64::from(request.priority) * 300).into()),
        8 => Guarantee::ContinuousHard(amount, period),
        _ => Guarantee::Probabilistic(amount, period, us(500).into()),
    }
}

/// A piece in a plan: in periods that divide each other, so that several find a place.
fn piece(request: RequestSeed, number: usize) -> Guarantee {
    let period = Length::from(ms(8 << (request.period % 3)));
    let amount = Length::from(us(100 + u64::from(request.part) * 4));
    let at = us(u64::try_from(number).unwrap() * 1_100 % 8_000).into();
    match request.kind % 4 {
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
    /// Whether most of its children ask by parameters and not for guarantees.
    pub(super) by_parameters: bool,
    /// The processors of its own virtual processors, where the top gives all of them.
    pub(super) processors: &'a [u16],
}

/// The request to a parent: the first guarantee, from the seed's on, that a child has to ask for; and values of the
/// parameters that the parent's kind takes.
pub(super) fn requires(
    parent: &Above<'_>,
    request: RequestSeed,
    number: usize,
    of_thread: bool,
) -> Requirements {
    let guarantee = requested(parent, request, number);
    let mut requires = guarantee.map(Requirements::guarantee).unwrap_or_default();
    for (parameter, value) in parameters::drawn(parent, request, guarantee.is_some(), of_thread) {
        requires.set(parameter, Some(value));
    }
    requires
}

impl Above<'_> {
    fn is_requested(&self, guarantee: &Guarantee) -> bool {
        let parameter = self.conversion.parameter_for(guarantee);
        parameter.is_ok_and(|parameter| parameter != ChildParam::Nothing)
    }

    /// Whether there is a guarantee that a child has to ask for.
    pub(super) fn gives_on_request(&self) -> bool {
        let any = RequestSeed { kind: 0, part: 0, period: 0, priority: 0, parameters: 0 };
        (0..10).any(|turn| self.is_requested(&guarantee(any, turn)))
    }
}

fn requested(parent: &Above<'_>, request: RequestSeed, number: usize) -> Option<Guarantee> {
    // Others are uninvited guests.
    let invited = if parent.by_parameters { 40 } else { 230 };
    if request.kind >= invited {
        return None;
    }
    if parent.kind.takes(&BLOCK) && request.priority > 0 {
        return Some(piece(request, number));
    }
    let all = (0..10).map(|turn| guarantee(request, turn));
    all.into_iter().find(|guarantee| parent.is_requested(guarantee))
}

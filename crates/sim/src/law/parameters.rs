//! Values of the parameters that a kind lists, each drawn by the form that the table of parameters gives it. A value
//! that an instance would refuse is not drawn.

use super::drawn::RequestSeed;
use super::programs::{ms, us};
use super::requirements::{Above, reservation};
use windfall_hierarchy::{Hierarchy, NodeSpec, Parent, ProcessorSet};
use windfall_scenario::model::Setting;
use windfall_schedulers::catalogue::Settings;
use windfall_schedulers::parameters::{ALL, Form, Parameter, ParameterValue, RESERVE, Rate, SHARE};
use windfall_time::Instant;

/// The parameters of a child, of all that its parent's kind lists. One that asks for a guarantee has few of them, and none that a guarantee becomes; an
/// uninvited guest has about half, and has most where no child has to ask for a guarantee.
pub(super) fn drawn(
    above: &Above<'_>,
    request: RequestSeed,
    has_guarantee: bool,
    of_thread: bool,
) -> Vec<(&'static Parameter, ParameterValue)> {
    let becomes = |parameter: &Parameter| *parameter == RESERVE || *parameter == SHARE;
    let by_parameters = above.by_parameters || !above.gives_on_request();
    let mut drawn = Vec::new();
    for (at, parameter) in (0..).zip(above.kind.takes.iter().copied()) {
        let bits = request.parameters.rotate_right(at * 9);
        let given = match has_guarantee {
            true => bits % 8 > 5,
            false if by_parameters => !bits.is_multiple_of(8),
            false => bits % 8 > 3,
        };
        let excluded = has_guarantee && becomes(parameter) || parameter.of_threads && !of_thread;
        if !given || excluded || !ALL.contains(&parameter) {
            continue;
        }
        let candidates = candidates(parameter.form, bits >> 3, request, above.processors);
        let value = candidates.into_iter().find(|value| is_taken(above, parameter, *value));
        drawn.extend(value.map(|value| (parameter, value)));
    }
    drawn
}

/// Values of that form, the preferred first.
fn candidates(
    form: Form,
    bits: u32,
    request: RequestSeed,
    processors: &[u16],
) -> Vec<ParameterValue> {
    let (few, many) = (u64::from(bits % 16), u64::from(bits % 64));
    let (amount, period) = reservation(request);
    let one = match form {
        Form::Integer(least, most) => {
            return integers(bits, least, most).map(ParameterValue::Integer).collect();
        }
        Form::Span(_) => ParameterValue::Span(ms(1 + many)),
        Form::Reservation => ParameterValue::Reservation { amount, period },
        Form::Limit => ParameterValue::Limit { limit: us(500 * (1 + few)), pause: ms(1 + many) },
        Form::Rate => {
            let work = bits.is_multiple_of(2).then_some(amount);
            ParameterValue::Rate(Rate::new(work, period))
        }
        Form::Processors => {
            let some = processors.iter().filter(|number| bits >> **number & 1 == 1);
            ParameterValue::Processors(ProcessorSet::of(some.copied()).unwrap_or_default())
        }
        _ => form.value([1 + bits % 16, 1 + bits % 64, 1 + bits % 64], ms(1)),
    };
    Vec::from_iter(form.allows(one).then_some(one))
}

/// Whole numbers within bounds: one of few, of some or of many, so that siblings have equal ones, near ones and distant ones;
/// then smaller ones, as kinds may have bounds of their own.
fn integers(bits: u32, least: i64, most: i64) -> impl Iterator<Item = i64> {
    const MANY: [i64; 3] = [1_000, 32, 4];
    let (pick, first) = (i64::from(bits / 3), bits as usize % 3);
    let around = move |many: i64| {
        let signed = (least < 0).then(|| pick % many - many / 2);
        signed.into_iter().chain([least.max(0).saturating_add(pick % many)])
    };
    let smaller = MANY.into_iter().skip(first).flat_map(around).chain([1]);
    smaller.filter(move |number| (least..=most).contains(number))
}

/// Whether an instance with the settings of this one takes the value from its only child. Processors are written by the
/// machine's numbers, of which an instance knows nothing.
fn is_taken(above: &Above<'_>, parameter: &'static Parameter, value: ParameterValue) -> bool {
    if let ParameterValue::Processors(_) = value {
        return true;
    }
    let settings = Setting::values(&above.scheduler.settings);
    let (now, kind) = (Instant::ZERO, above.kind);
    let scheduler = kind.build(&Settings(&settings)).unwrap();
    let parents = u16::try_from(kind.properties.least_parents).unwrap();
    let owns = vec![(Parent::Top, &[][..]); parents.into()];
    let mut tree = Hierarchy::new(parents);
    let node = tree.create(now, NodeSpec::new("tried", kind.name, scheduler, &owns)).unwrap();
    let message = parameter.message(value);
    message.is_some_and(|message| tree.create_thread(now, node, &[message]).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_each_parameter_that_a_file_sets_is_drawn() {
        let request = RequestSeed { kind: 0, part: 9, period: 3, priority: 0, parameters: 0 };
        for parameter in ALL {
            let drawn = |bits| !candidates(parameter.form, bits, request, &[0, 1]).is_empty();
            assert!((0..64).any(drawn), "{}", parameter.key);
        }
    }
}

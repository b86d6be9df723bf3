//! The messages of a trial: all parameters of the table, by their form, and what else a scheduler is told.

use proptest::prelude::*;
use proptest::strategy::Union;
use windfall_hierarchy::Message;
use windfall_schedulers::parameters::{ALL, Form, ParameterValue, Rate, UNWRITTEN};
use windfall_time::{Instant, Span};

/// A message to a child's scheduler.
pub(super) fn message() -> impl Strategy<Value = Message> {
    let parameters = ALL.iter().chain(UNWRITTEN).copied();
    let each = parameters.map(|parameter| {
        let told =
            value(parameter.form).prop_filter_map("out of range", |value| parameter.message(value));
        told.boxed()
    });
    prop_oneof![2 => Union::new(each), 1 => other()]
}

const fn quarters(count: u64) -> Span {
    Span::from_nanos(count * 250_000)
}

fn at() -> impl Strategy<Value = Instant> {
    (0_u64..400).prop_map(|at| Instant::ZERO + quarters(at))
}

/// A value of that form; some of them are out of range.
fn value(form: Form) -> BoxedStrategy<ParameterValue> {
    let made = move |numbers| form.value(numbers, quarters(1));
    match form {
        Form::Reservation => prop_oneof![
            (1_u64..40, 1_u64..90)
                .prop_map(|(amount, period)| (quarters(amount), quarters(period))),
            // As the default epoch has it.
            (1_u64..200).prop_map(|amount| (quarters(amount), Span::from_millis(100))),
        ]
        .prop_map(|(amount, period)| ParameterValue::Reservation { amount, period })
        .boxed(),
        Form::Integer(least, most) => {
            let all = if most > 1000 { least.max(-1)..=20 } else { least..=most };
            all.prop_map(ParameterValue::Integer).boxed()
        }
        Form::Rate => (1_u64..90, 1_u64..90)
            .prop_map(|(period, deadline)| {
                let rate = Rate::new(Some(quarters(period / 4)), quarters(period));
                ParameterValue::Rate(rate.deadline(quarters(deadline)))
            })
            .boxed(),
        Form::Processors => [0_u32..16, 0..1, 0..1].prop_map(made).boxed(),
        Form::Span(_) => [0_u32..200, 0..1, 0..1].prop_map(made).boxed(),
        _ => [0_u32..50, 0..200, 0..400].prop_map(made).boxed(),
    }
}

/// Messages that are no parameters, and parameters with values that no file can have.
fn other() -> impl Strategy<Value = Message> {
    let span = |range: core::ops::Range<u64>| range.prop_map(quarters);
    prop_oneof![
        2 => Just(Message::Unreserve),
        1 => (span(0..40), span(0..90))
            .prop_map(|(amount, period)| Message::Reserve { amount, period }),
        1 => Just(Message::Share(0)),
        1 => span(0..3).prop_map(Message::Quantum),
        2 => (0_u32..4, span(1..40), at())
            .prop_map(|(task, work, deadline)| Message::Submit { task, work, deadline }),
        1 => (0_u32..4).prop_map(Message::Withdraw),
        1 => (0_u32..4).prop_map(Message::Finish),
        1 => span(0..20).prop_map(Message::Transfer),
        1 => (span(0..9), span(9..12), span(0..9), any::<bool>()).prop_map(
            |(amount, period, latency, blocks)| Message::Supply { amount, period, latency, blocks }
        ),
        1 => Just(Message::Account),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    use std::collections::BTreeSet;

    #[test]
    fn law_each_parameter_is_told_in_a_trial() {
        let (mut runner, all) = (TestRunner::deterministic(), message());
        let drawn = (0..2000).map(|_| all.new_tree(&mut runner).unwrap().current().name());
        let drawn: BTreeSet<&str> = drawn.collect();
        for parameter in ALL.iter().chain(UNWRITTEN).copied() {
            let told = (0..100).find_map(|_| {
                let value = value(parameter.form).new_tree(&mut runner).unwrap().current();
                parameter.message(value)
            });
            let name = told.unwrap().name();
            assert!(drawn.contains(name), "{}: {drawn:?}", parameter.key);
        }
        for name in ["transfer", "unreserve", "submit", "account"] {
            assert!(drawn.contains(name), "{name}: {drawn:?}");
        }
    }
}

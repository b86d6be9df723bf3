//! Checks of a kind's own declarations: its settings, its children's parameters, and its conversion of
//! guarantees.

use windfall_guarantees::{ChildParam, ChildParams, Guarantee, Supply};
use windfall_hierarchy::{AnswerError, Hierarchy, HierarchyError, NodeSpec, Parent};
use windfall_schedulers::catalogue::{Kind, Settings, Value};
use windfall_schedulers::parameters::{ALL, RATE, UNWRITTEN};
use windfall_time::{Instant, Span};

/// Every default is allowed, settings stand in order, and a value of another form is refused by name, value and what would fit, as is a
/// setting that it does not have.
///
/// # Panics
/// When that is not so.
pub fn settings_are_as_declared(kind: &Kind) {
    assert!(kind.build(&Settings(&[])).is_ok(), "{kind}");
    assert!(kind.settings.is_sorted_by(|a, b| a.name < b.name), "{kind}");
    for setting in kind.settings {
        if !setting.default.is_empty() {
            let value = setting.form.parse(setting.default);
            let built = value.map(|value| kind.build(&Settings(&[(setting.name, value)])));
            assert!(matches!(built, Some(Ok(_))), "{kind} {}", setting.name);
        }
        // Of the wrong form, it is refused.
        for value in [Value::Integer(-1), Value::Word("odd")] {
            let refused = kind.build(&Settings(&[(setting.name, value)])).err().unwrap();
            let (name, form) = (setting.name, setting.form);
            let why = format!("setting `{name}`: {value} is out of range; allowed: {form}");
            assert_eq!(refused.to_string(), why, "{kind}");
        }
    }
    let mistyped = [("qantum", Value::Span(Span::from_millis(5)))];
    let settings = Settings(&mistyped);
    for bad in [kind.build(&settings).err(), kind.conversion(&settings).err()] {
        let text = bad.unwrap().to_string();
        assert!(text.starts_with("setting `qantum` is unknown; allowed: "), "{kind}: {text}");
    }
}

/// Checks that its children may set the parameters that it lists, and no others; returns their number.
///
/// # Panics
/// When a listed parameter is refused, or another is taken.
pub fn takes_what_it_says(kind: &Kind) -> usize {
    let mut taken = 0;
    for parameter in ALL.iter().chain(UNWRITTEN).copied() {
        let sample = parameter.form.value([1, 10, 10], Span::from_millis(1));
        let message = parameter.message(sample).unwrap();
        let mut tree = Hierarchy::new(2);
        let scheduler = kind.build(&Settings(&[])).unwrap();
        let owns = vec![(Parent::Top, &[][..]); kind.properties.least_parents];
        let spec = NodeSpec::new(kind.name, kind.name, scheduler, &owns);
        let node = tree.create(Instant::ZERO, spec).unwrap();
        let thread = tree.create_thread(Instant::ZERO, node, &[]).unwrap();
        let answer = tree.send(Instant::ZERO, thread, message);
        let understood =
            !matches!(answer, Err(HierarchyError::Refused(AnswerError::NotUnderstood { .. })));
        let passed = kind.properties.passes_on && *parameter == RATE;
        let expected = kind.takes(parameter) || passed;
        assert_eq!(understood, expected, "{kind}: {} {answer:?}", parameter.key);
        taken += usize::from(understood);
    }
    taken
}

/// A child that has reserved an amount in a period has a hard reservation of that, exactly if the kind says so.
///
/// # Panics
/// When that is not so.
pub fn reserves_what_it_says(kind: &Kind) {
    if kind.properties.passes_on {
        return; // what one that passes on gives is its parents'
    }
    let (amount, period) = (Span::from_millis(1), Span::from_millis(10));
    let child = ChildParams::default().reserve(amount, period);
    let hard = Guarantee::BasicHard(amount.into(), period.into());
    let conversion = kind.conversion(&Settings(&[])).unwrap();
    let reserves = conversion.parameter_for(&hard) == Ok(ChildParam::Reserve { amount, period });
    let given = conversion.give(Supply::of(&[Guarantee::All]), &[child]);
    let given = given[0].gives.iter().any(|given| given.guarantee == hard);
    assert_eq!(reserves && given, kind.properties.reserves, "{kind}");
}

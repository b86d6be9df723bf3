//! Checks of a kind's own declarations: its settings, its children's parameters, and its conversion of
//! guarantees.

use std::collections::{BTreeMap, BTreeSet};
use windfall_guarantees::{ChildParam, ChildParams, Guarantee, Supply};
use windfall_hierarchy::{
    Answer, AnswerError, Hierarchy, HierarchyError, Message, NodeSpec, Parent,
};
use windfall_schedulers::catalogue::{Form, Kind, Settings, Value};
use windfall_schedulers::parameters::{ALL, Parameter, RATE, UNWRITTEN};
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
        let answer = answer(kind, &Settings(&[]), sample(parameter), false);
        let understood = !matches!(answer, Err(AnswerError::NotUnderstood { .. }));
        let passed = kind.properties.passes_on && *parameter == RATE;
        let expected = kind.takes(parameter) || passed;
        assert_eq!(understood, expected, "{kind}: {} {answer:?}", parameter.key);
        taken += usize::from(understood);
    }
    taken
}

/// Checks that a refusal names each message that an instance takes from a child or for itself, and no other; so with each
/// word of its settings. Names of messages in brackets do not count; returns how many texts there are.
///
/// # Panics
/// When that is not so.
pub fn names_what_it_takes(kind: &Kind) -> usize {
    let words = kind.settings.iter().flat_map(|setting| {
        let values = match setting.form {
            Form::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Form::Word(words) => words.iter().copied().map(Value::Word).collect(),
            _ => Vec::new(),
        };
        values.into_iter().map(|value| vec![(setting.name, value)])
    });
    let mut texts = BTreeSet::new();
    for settings in std::iter::once(Vec::new()).chain(words) {
        let settings = Settings(&settings);
        if kind.build(&settings).is_err() {
            continue; // it goes with another setting only
        }
        let answers = |message| [false, true].map(|own| answer(kind, &settings, message, own));
        let is_refusal = |answer| matches!(answer, Err(AnswerError::NotUnderstood { .. }));
        let all = messages(kind)
            .map(|message| (message.name(), !answers(message).into_iter().all(is_refusal)));
        // Some messages have the name of another one, which differs in its value.
        let mut taken = BTreeMap::new();
        all.for_each(|(name, is_taken)| *taken.entry(name).or_default() |= is_taken);
        let nobodys = Message::Set(&"understood-by-nobody", windfall_hierarchy::Value::Integer(1));
        for refused in answers(nobodys) {
            let Err(AnswerError::NotUnderstood { takes, .. }) = refused else {
                panic!("{kind}: {} is understood: {refused:?}", nobodys.name());
            };
            let named = named(takes);
            for (name, is_taken) in &taken {
                let says = if *is_taken { "is taken" } else { "is not taken" };
                assert_eq!(named.contains(name), *is_taken, "{kind}: {name} {says}: {takes}");
            }
            texts.insert(takes);
        }
    }
    texts.len()
}

/// The words of a text outside of brackets.
fn named(text: &str) -> BTreeSet<&str> {
    let outside = text.split('(').flat_map(|part| part.split(')').next_back());
    outside.flat_map(|part| part.split(|c: char| !c.is_ascii_lowercase() && c != '-')).collect()
}

/// A message that sends this parameter.
fn sample(parameter: &'static Parameter) -> Message {
    parameter.message(parameter.form.value([1, 10, 10], Span::from_millis(1))).unwrap()
}

/// A message of each sort: the parameters of the table and of the kind, and what is no parameter.
fn messages(kind: &Kind) -> impl Iterator<Item = Message> {
    let work = Span::from_millis(1);
    let deadline = Instant::ZERO + Span::from_millis(10);
    let (amount, period, latency) = (work, Span::from_millis(10), work);
    let others = [
        Message::Unreserve,
        Message::Job { release: Instant::ZERO, deadline, work: Some(work) },
        Message::Submit { task: 1, work, deadline },
        Message::Withdraw(1),
        Message::Finish(1),
        Message::Transfer(work),
        Message::Supply { amount, period, latency, blocks: false },
        Message::Account,
        Message::Quantum(work),
    ];
    ALL.iter().chain(UNWRITTEN).chain(kind.takes).copied().map(sample).chain(others)
}

/// The answer of an instance with one child to a message from it, or to the instance itself.
fn answer(kind: &Kind, settings: &Settings<'_>, message: Message, to_itself: bool) -> Answer {
    let mut tree = Hierarchy::new(2);
    let scheduler = kind.build(settings).unwrap();
    let owns = vec![(Parent::Top, &[][..]); kind.properties.least_parents];
    let spec = NodeSpec::new(kind.name, kind.name, scheduler, &owns);
    let node = tree.create(Instant::ZERO, spec).unwrap();
    let thread = tree.create_thread(Instant::ZERO, node, &[]).unwrap();
    let answer = match to_itself {
        true => tree.configure(Instant::ZERO, node, message),
        false => tree.send(Instant::ZERO, thread, message),
    };
    answer.map_err(|why| match why {
        HierarchyError::Refused(why) => why,
        other => panic!("{kind}: {message:?}: {other}"),
    })
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

//! The catalogue as a whole.

use windfall_guarantees::{ChildParam, ChildParams, Guarantee, Supply};
use windfall_hierarchy::{Hierarchy, HierarchyError, Message, NodeSpec, Parent, Value as Told};
use windfall_schedulers::catalogue::{Form, KINDS, Settings, Value, find};
use windfall_schedulers::parameters::{ALL, PROGRESS, Parameter, RATE};
use windfall_time::{Instant, Span};

#[test]
fn law_names_are_sorted_and_found() {
    assert!(KINDS.is_sorted_by(|a, b| a.name < b.name));
    for kind in KINDS {
        assert_eq!(find(kind.name).unwrap().name, kind.name);
    }
    assert!(find("rezz").is_none());
}

#[test]
fn law_every_head_says_what_it_takes_gives_and_costs() {
    for kind in KINDS {
        for word in ["Takes", "Gives", "Admits", "Assumes", "Costs", "Ties", "Source", "Checked"] {
            let line = format!("\n//! {word:<8} ");
            assert!(kind.source.contains(&line), "{}: no `{word}`", kind.name);
        }
    }
}

#[test]
fn law_every_default_is_allowed() {
    for kind in KINDS {
        assert!(kind.build(&Settings(&[])).is_ok(), "{}", kind.name);
        assert!(kind.settings.is_sorted_by(|a, b| a.name < b.name), "{}", kind.name);
        for setting in kind.settings.iter().filter(|setting| !setting.default.is_empty()) {
            let value = match setting.form {
                Form::Span => Value::Span(setting.default.parse().unwrap()),
                Form::Integer(..) => Value::Integer(setting.default.parse().unwrap()),
                Form::Bool => Value::Bool(setting.default.parse().unwrap()),
                Form::Word(words) => {
                    assert!(words.contains(&setting.default));
                    Value::Word(setting.default)
                }
            };
            let built = kind.build(&Settings(&[(setting.name, value)]));
            assert!(built.is_ok(), "{} {}", kind.name, setting.name);
            // Of the wrong form, it is refused.
            let odd = [Value::Integer(-1), Value::Word("odd")];
            for value in odd {
                let built = kind.build(&Settings(&[(setting.name, value)]));
                assert!(built.is_err(), "{} {}", kind.name, setting.name);
            }
        }
    }
}

#[test]
fn refuses_settings_that_a_kind_does_not_have() {
    let value = Value::Span(Span::from_millis(5));
    for kind in KINDS {
        let mistyped = [("qantum", value)];
        let settings = Settings(&mistyped);
        let names = [kind.build(&settings).err(), kind.conversion(&settings).err()];
        for bad in names {
            let text = bad.unwrap().to_string();
            assert!(
                text.starts_with("setting `qantum` is unknown; allowed: "),
                "{}: {text}",
                kind.name
            );
        }
    }
    let bad = find("round-robin").unwrap().build(&Settings(&[("qantum", value)])).err().unwrap();
    assert_eq!(bad.to_string(), "setting `qantum` is unknown; allowed: ends-alone, quantum");
}

/// [`Scheduler::next`] and [`Scheduler::check`] have defaults, which know nothing: for schedulers of others.
///
/// [`Scheduler::next`]: windfall_hierarchy::Scheduler::next
/// [`Scheduler::check`]: windfall_hierarchy::Scheduler::check
#[test]
fn law_every_scheduler_here_answers_next_and_check_itself() {
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut schedulers = 0;
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for (start, _) in text.match_indices(" Scheduler for ") {
                let body = text[start..].split("\n}\n").next().unwrap();
                for method in ["    fn next(", "    fn check("] {
                    assert!(body.contains(method), "{}: no `{}`", path.display(), method.trim());
                }
                schedulers += 1;
            }
        }
    }
    assert!(schedulers > 15, "only {schedulers} were found");
}

/// What a child may be told, as the messages that tell it.
fn told(parameter: &Parameter) -> Message {
    let (amount, period) = (Span::from_millis(1), Span::from_millis(10));
    match parameter.key {
        "reserve" => Message::Reserve { amount, period },
        "share" => Message::Share(1),
        "warp" => Message::Warp(amount),
        "warp-limit" => Message::Set(parameter.key, Told::Spans(amount, period)),
        "currency" | "progress" => Message::Set(parameter.key, Told::Integer(0)),
        "priority" => Message::Priority(1),
        "time-slice" => Message::Quantum(amount),
        "rate" => Message::Periodic { period, deadline: period, amount: Some(amount) },
        other => panic!("`{other}` is told by no message"),
    }
}

#[test]
fn law_a_kind_takes_what_it_says() {
    let mut taken = 0;
    for (kind, parameter) in
        KINDS.iter().flat_map(|kind| ALL.iter().chain([&&PROGRESS]).map(move |p| (kind, p)))
    {
        let mut tree = Hierarchy::new(2);
        let scheduler = kind.build(&Settings(&[])).unwrap();
        let owns = vec![(Parent::Top, &[][..]); kind.properties.least_parents];
        let spec = NodeSpec { name: kind.name, kind: kind.name, scheduler, owns: &owns };
        let node = tree.create(Instant::ZERO, spec).unwrap();
        let thread = tree.create_thread(Instant::ZERO, node, &[]).unwrap();
        let answer = tree.send(Instant::ZERO, thread, told(parameter));
        let understood = !matches!(answer, Err(HierarchyError::NotUnderstood { .. }));
        let passed = kind.properties.passes_on && **parameter == RATE;
        let expected = kind.takes(parameter) || passed;
        assert_eq!(understood, expected, "{kind}: {} {answer:?}", parameter.key);
        taken += usize::from(understood);
    }
    assert!(taken > KINDS.len(), "only {taken} are taken");
}

#[test]
fn law_a_kind_reserves_what_it_says() {
    let (amount, period) = (Span::from_millis(1), Span::from_millis(10));
    let child = ChildParams { reserve: Some((amount, period)), ..ChildParams::default() };
    let hard = Guarantee::BasicHard(amount.into(), period.into());
    // What one that passes on gives is its parents'.
    for kind in KINDS.iter().filter(|kind| !kind.properties.passes_on) {
        let conversion = kind.conversion(&Settings(&[])).unwrap();
        let told = conversion.parameter_for(&hard) == Ok(ChildParam::Reserve { amount, period });
        let supply = Supply::of(&[Guarantee::All]);
        let given = conversion.give(supply, &[child]);
        let given = given[0].gives.iter().any(|given| given.guarantee == hard);
        assert_eq!(told && given, kind.properties.reserves, "{kind}");
    }
}

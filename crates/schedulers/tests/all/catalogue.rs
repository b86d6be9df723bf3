//! The catalogue as a whole.

use windfall_schedulers::catalogue::{KINDS, Settings, Value, find};
use windfall_time::Span;
use windfall_trial::kind;

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
fn law_every_default_is_allowed_and_nothing_that_is_not_declared() {
    KINDS.iter().copied().for_each(kind::settings_are_as_declared);
    let value = Value::Span(Span::from_millis(5));
    let bad = find("round-robin").unwrap().build(&Settings(&[("qantum", value)])).err().unwrap();
    assert_eq!(
        bad.to_string(),
        "setting `qantum` is unknown; allowed: affinity, ends-alone, quantum"
    );
}

/// [`Scheduler::next`] and [`Scheduler::check`] have defaults that know nothing, for schedulers outside this crate.
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
    assert!(schedulers > 12, "only {schedulers} were found");
}

#[test]
fn law_a_kind_takes_what_it_says() {
    let taken: usize = KINDS.iter().copied().map(kind::takes_what_it_says).sum();
    assert!(taken > KINDS.len(), "only {taken} are taken");
}

#[test]
fn law_a_refusal_names_what_a_kind_takes() {
    let texts: usize = KINDS.iter().copied().map(kind::names_what_it_takes).sum();
    assert!(texts > KINDS.len(), "no text depends on a setting: {texts}");
}

#[test]
fn law_a_kind_reserves_what_it_says() {
    KINDS.iter().copied().for_each(kind::reserves_what_it_says);
}

#[test]
fn law_a_kind_with_a_quantum_says_how_long_turns_are() {
    let seven = Value::Span(Span::from_millis(7));
    let mut with_turns = 0;
    for kind in KINDS {
        let none = Settings::default();
        let mut settings = kind.settings.iter();
        let turns = ["quantum", "slice", "allowance"];
        let Some(declared) = settings.find(|setting| turns.contains(&setting.name)) else {
            assert_eq!(kind.quantum(&none), Ok(None), "{kind}");
            continue;
        };
        let usual = kind.quantum(&none).unwrap().map(Value::Span);
        if !declared.default.is_empty() {
            assert_eq!(usual, declared.form.parse(declared.default), "{kind}");
        }
        let set = kind.quantum(&Settings(&[(declared.name, seven)]));
        assert_eq!(set, Ok(Some(Span::from_millis(7))), "{kind}");
        with_turns += 1;
    }
    assert_eq!(with_turns, 15);
}

#[test]
fn law_laxity_stays_where_tasks_are_admitted_by_steps() {
    let ports = windfall_schedulers::kinds::PORTS;
    assert_eq!(ports.keeps_laxity(&Settings::default()), Ok(None));
    let exact = [("exact", Value::Bool(true))];
    let why = ports.keeps_laxity(&Settings(&exact)).unwrap().unwrap();
    assert!(why.contains("by steps (`exact`)"), "{why}");
}

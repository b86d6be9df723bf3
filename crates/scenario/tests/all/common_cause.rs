//! Replicas that share processors: a warning where they must, and nothing where they need not.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use windfall_scenario::{Rendering, Scenario};

/// A vote of three below `replicas`, on a machine of so many processors.
fn voting(processors: u16, tree: &str, thread: &str) -> Scenario {
    let text = format!(
        "schema = 2\nlength = \"1 s\"\n[machine]\nprocessors = {processors}\n{tree}\n[threads.v]\nprogram = {{ kind = \"voting\" }}\n{thread}"
    );
    Scenario::parse("v.toml", &text).unwrap()
}

fn shared(processors: u16) -> String {
    format!(
        "[schedulers.replicas]\nscheduler = \"round-robin\"\nparent = \"top\"\nprocessors = {processors}"
    )
}

/// One scheduler for each replica, below processor 0 or one of its own.
fn apart(parents: [&str; 3]) -> String {
    let each = (0..3).zip(parents).map(|(replica, parent)| {
        format!("[schedulers.r-{replica}]\nscheduler = \"round-robin\"\nparent = \"{parent}\"\n")
    });
    each.collect()
}

const ON: &str = "[threads.v.program]\nkind = \"voting\"\non = \"r\"";

#[test]
fn law_replicas_that_share_processors_are_a_warning_with_its_place() {
    for (machine, given, words) in [(2, 2, "3 replicas share 2 processors"), (4, 1, "1 processor:")]
    {
        let scenario = voting(machine, &shared(given), "parent = \"replicas\"");
        assert!(scenario.check().is_ok() && scenario.build().is_ok(), "it runs");
        let warnings = scenario.warnings().expect("three on fewer");
        let [warning] = warnings.list() else { panic!("{warnings}") };
        assert!(warning.message.contains(words), "{warnings}");
        assert_eq!((warning.line, warning.code.name()), (10, "shared-processors"), "{warnings}");
        let text = warnings.render_as(Rendering::Plain);
        assert!(text.starts_with("v.toml:10:11: warning[shared-processors]: "), "{text}");
    }
}

#[test]
fn accepts_a_processor_for_each_replica() {
    assert!(voting(3, &shared(3), "parent = \"replicas\"").warnings().is_none());
    // Nobody else computes redundantly.
    let other = voting(1, &shared(1), "").write().replace("voting", "bsat-sink");
    assert!(Scenario::parse("v.toml", &other).unwrap().warnings().is_none());
}

/// Replica 0 may run on one processor alone, and still the others have two: what counts is how many there are for all.
#[test]
fn law_replicas_each_below_a_scheduler_of_its_own_are_counted_there() {
    for (machine, parents, count) in [
        (3, ["top", "top", "top"], None),
        (2, ["top", "top", "r-1"], Some("2 processors")),
        (1, ["top", "r-0", "r-0"], Some("1 processor:")),
    ] {
        let text = format!(
            "schema = 2\nlength = \"1 s\"\n[machine]\nprocessors = {machine}\n{}\n[threads.v]\n{ON}",
            apart(parents)
        );
        let scenario = Scenario::parse("v.toml", &text).unwrap();
        let warnings = scenario.warnings().map(|warnings| warnings.to_string());
        assert_eq!(warnings.is_some(), count.is_some(), "{parents:?} {warnings:?}");
        let words = warnings.unwrap_or_default();
        assert!(count.is_none_or(|count| words.contains(count)), "{words}");
    }
}

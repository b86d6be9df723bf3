//! How long checking takes, when the file has been read (100,000 entries take seconds for that). Optimised builds are held to two seconds of processor time; others check a tenth as much, so that
//! what grows with the square is seen there, too.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::fmt::Write;
use std::time::{Duration, Instant};
use windfall_scenario::Scenario;

const PART: usize = if cfg!(debug_assertions) { 10 } else { 1 };
const MOST: Duration = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 2 });

fn head(kind: &str, parents: &str) -> String {
    format!(
        "schema = 2\nseed = 1\nlength = \"1s\"\n[machine]\nprocessors = 2\n\
         [schedulers.s]\nscheduler = \"{kind}\"\nparents = [{parents}]\n"
    )
}

/// Threads of many periods that take nine tenths of a processor.
fn periodic(kind: &str, parents: &str, count: usize) -> String {
    let mut text = head(kind, parents);
    for number in 0..count {
        let period = 10 + number * 37 % 190;
        let work = (period * 900 / count).max(1);
        let run = format!("periodic = {{ period = \"{period}ms\", work = \"{work}us\" }}");
        writeln!(text, "[threads.t{number}]\nparent = \"s\"\npriority = {number}\n{run}").unwrap();
    }
    text
}

/// Checks it all, as the command does; how long that took.
fn check(text: &str) -> Duration {
    let scenario = match Scenario::parse("speed.toml", text) {
        Ok(scenario) => scenario,
        Err(mistakes) => panic!("{}", mistakes.render(false)),
    };
    let begun = Instant::now();
    scenario.check().map_err(|mistakes| mistakes.render(false)).unwrap();
    let found = scenario.assess();
    let (refused, starved) = (found.promises.refused().count(), found.promises.never_served());
    let took = begun.elapsed();
    println!(
        "{took:?}: {} deadlines, {refused} refused, {} overloads, {} starved",
        found.deadlines.len(),
        found.overloads.len(),
        starved.len()
    );
    took
}

#[test]
fn limit_a_thousand_periodic_threads_are_checked_within_two_seconds() {
    for (kind, parents) in
        [("edf", "\"top\""), ("edf", "\"top\", \"top\""), ("fixed-priority", "\"top\"")]
    {
        let text = periodic(kind, parents, 1_000 / PART)
            .replace("priority", if kind == "edf" { "# priority" } else { "priority" });
        let took = check(&text);
        assert!(took < MOST, "{kind}: {took:?}");
    }
}

#[test]
fn limit_a_hundred_thousand_shares_are_checked_within_two_seconds() {
    let mut text = head("proportional-share", "\"top\", \"top\"");
    for number in 0..100_000 / PART {
        let share = 1 + number % 50;
        writeln!(text, "[threads.t{number}]\nparent = \"s\"\nrun = \"spin\"\nshare = {share}")
            .unwrap();
    }
    let took = check(&text);
    assert!(took < MOST, "{took:?}");
}

#[test]
fn limit_a_tree_that_is_too_deep_is_told_before_anything_else() {
    let mut text = head("fixed-priority", "\"top\"");
    for level in 0..80 {
        let parent = if level == 0 { "s".to_owned() } else { format!("l{}", level - 1) };
        writeln!(
            text,
            "[schedulers.l{level}]\nscheduler = \"fixed-priority\"\nparent = \"{parent}\""
        )
        .unwrap();
    }
    for number in 0..100 {
        // A name that nobody has.
        writeln!(text, "[threads.t{number}]\nparent = \"nobody\"\nrun = \"spin\"").unwrap();
    }
    let text = text.replace("[threads.t0]", "[threads.t0]\ncount = 10");
    let told = Scenario::parse("deep.toml", &text).unwrap_err().render(false);
    assert!(told.contains("64 levels"), "{told}");
    assert_eq!(told.matches("deep.toml:").count(), 1, "nothing else was looked at: {told}");
}

//! What schedulers that admit jobs hold, before and after control requests.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use windfall_scenario::Scenario;
use windfall_scenario::outcome::{Outcome, ThreadOutcome};
use windfall_sim::Sim;
use windfall_time::Instant;

/// Jobs of 15 ms and of 5 ms every 10 ms for a second: the former of a whole processor, the latter of 2 ms in 10 ms at first.
const TREE: &str = r#"
schema = 2
length = "1s"
[machine]
processors = 2
[schedulers.whole]
scheduler = "ports"
parent = "top"
[schedulers.rez]
scheduler = "rez"
parent = "top"
[schedulers.part]
scheduler = "ports"
parent = "rez"
guarantee = "RESBS 2ms 10ms"
[threads.at-top]
parent = "whole"
periodic = { work = "15ms", period = "10ms", deadline = "40ms", admit = true }
[threads.below]
parent = "part"
periodic = { work = "5ms", period = "10ms", deadline = "60ms", admit = true }
[threads.other]
parent = "rez"
guarantee = "RESBS 1ms 10ms"
run = "spin"
"#;

fn run(more: &str) -> Outcome {
    let scenario = Scenario::parse("admission.toml", &format!("{TREE}{more}")).unwrap();
    let sim = Sim::of(scenario.build().unwrap(), None).unwrap();
    sim.run(Instant::ZERO + scenario.length, |_| true)
}

fn thread<'a>(outcome: &'a Outcome, name: &str) -> &'a ThreadOutcome {
    outcome.threads.iter().find(|thread| thread.name == name).unwrap()
}

fn admitted(outcome: &Outcome, name: &str) -> u64 {
    let thread = thread(outcome, name);
    assert_eq!(thread.missed, 0, "{name}");
    thread.submitted - thread.refusals.all()
}

#[test]
fn law_a_control_request_changes_what_is_held_and_nothing_else() {
    let change = |to: &str| {
        format!(
            "[[at]]\ntime = \"500ms\"\ndo = \"guarantee\"\nscheduler = \"part\"\nguarantee = \"{to}\"\n"
        )
    };
    let (plain, more) = (run(""), run(&change("RESBS 6ms 10ms")));
    // Two in three of the former fit, and two in five of the latter.
    assert!((60..75).contains(&admitted(&plain, "at-top")), "{}", admitted(&plain, "at-top"));
    assert!((30..50).contains(&admitted(&plain, "below")), "{}", admitted(&plain, "below"));
    assert!(admitted(&more, "below") > admitted(&plain, "below") + 20);
    assert_eq!(admitted(&more, "at-top"), admitted(&plain, "at-top"));
}

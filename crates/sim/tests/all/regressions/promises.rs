//! Promises that were made and could not be kept, or were not kept.

use windfall_scenario::Scenario;
use windfall_scenario::outcome::{PromiseStatus, PromiseVerdict, all_promises};
use windfall_sim::{Sim, simulate};
use windfall_time::{Instant, Span};

/// The checker refused what did not fit into the slower processor, and the scheduler admitted it: it delayed those who were promised something.
#[test]
fn r0013_rez_below_pshed_admits_only_what_its_speed_leaves() {
    let scenario = |requirement: &str| {
        let text = format!(
            r#"
schema = 2
length = "500ms"
[schedulers.s]
scheduler = "pshed"
parent    = "top"
[schedulers.r]
scheduler = "rez"
parent    = "s"
reserve   = "3ms/10ms"
report-deadlines = true
[threads.a]
parent    = "r"
run       = "spin"
guarantee = "RESBH 1ms 10ms"
[threads.b]
parent = "r"
run    = "spin"
{requirement}
"#
        );
        Scenario::parse("test.toml", &text).unwrap().build()
    };
    for requirement in ["reserve = \"5ms/20ms\"", "guarantee = \"RESBH 5ms 20ms\""] {
        let mistakes = scenario(requirement).err().unwrap().render(false);
        assert!(mistakes.contains("asked for 1/4 of the processor, 1/5 is left"), "{mistakes}");
    }
    assert!(scenario("reserve = \"4ms/20ms\"").is_ok());
}

/// A `rez` that reports its deadlines keeps, for a child that wakes, only what a steady rate leaves. So two of its reservations that serve one thread in turn gave less than their sum to a thread that sleeps now and then.
#[test]
fn r0014_reservations_of_a_reporting_rez_do_not_add_up_within_a_period() {
    let scenario = |reports: bool| {
        let text = format!(
            r#"
schema = 2
seed   = 1686351720364505
length = "500ms"
[schedulers.r]
scheduler = "rez"
parent    = "top"
report-deadlines = {reports}
[schedulers.j]
scheduler = "join"
parents   = [{{ parent = "r", reserve = "3ms/4ms" }}, {{ parent = "r", reserve = "800us/4ms" }}]
[threads.a]
parent    = "j"
steps     = [{{ run = "20us..1.2ms" }}, {{ sleep = "20us" }}]
guarantee = "RESBS 3.8ms 4ms"
"#
        );
        Scenario::parse("test.toml", &text).unwrap()
    };
    let [plain, reporting] = [false, true].map(|reports| simulate(&scenario(reports)).unwrap());
    let granted = [&plain, &reporting].map(|one| one.outcome.promises.len());
    assert_eq!((granted, plain.holds(), reporting.holds()), ([1, 0], true, false));
    // What the checker still derives there is kept.
    let mut sim =
        Sim::of(scenario(true).build().unwrap_or_else(|why| panic!("{why}")), None).unwrap();
    sim.judge_promises(&all_promises(&scenario(true)));
    let promises = sim.run(Instant::ZERO + Span::from_millis(500), |_| true).promises;
    assert!(promises.len() > 4 && !promises.iter().any(PromiseVerdict::is_failure), "{promises:?}");
}

/// A `join` hands a slower processor on, but not its declared speed: the `rez` below admitted what the checker had refused, and the one that was promised something was delayed.
#[test]
fn r0015_rez_below_a_join_promises_nothing_of_a_slower_processor() {
    let scenario = |parents: &str| {
        let text = format!(
            r#"
schema = 2
length = "500ms"
[schedulers.s]
scheduler = "pshed"
parent    = "top"
report-deadlines = true
[schedulers.j]
scheduler = "join"
parents   = [{{ parent = "s", guarantee = "RESU 1/5" }}, "s"]
[schedulers.r]
scheduler = "rez"
{parents}
report-deadlines = true
[schedulers.rest]
scheduler = "edf"
parent    = "s"
guarantee = "RESU 3/10"
[threads.a]
parent    = "r"
run       = "spin"
guarantee = "RESBH 3.3ms 33ms"
[threads.b]
parent  = "r"
run     = "spin"
reserve = "12ms/40ms"
[threads.c]
parent = "rest"
run    = "spin"
"#
        );
        Scenario::parse("test.toml", &text).unwrap()
    };
    let outcome = simulate(&scenario("parent = \"j\"")).unwrap().outcome;
    let promised = |one: &PromiseVerdict| one.promise.owner == "a";
    assert!(!outcome.promises.iter().any(promised), "{:?}", outcome.promises);
    // Directly below, it admits what it can keep.
    let below = scenario("parent = \"s\"\nguarantee = \"RESU 1/5\"");
    let mistakes = below.build().err().unwrap().render(false);
    assert!(mistakes.contains("1/10 is left"), "{mistakes}");
}

/// A child that naps reports a deadline at each wake-up, and works for the last. Of more than 64 to come, `pshed` kept the first
/// ones, and gave nothing for those after them.
#[test]
fn r0017_a_child_with_many_deadlines_to_come_has_its_speed() {
    let text = r#"
schema = 2
seed = 6228505263734348820
length = "500ms"
[schedulers.s]
scheduler        = "pshed"
parent           = "top"
report-deadlines = true
[schedulers.j]
scheduler = "join"
parents   = [{ parent = "s", guarantee = "PS 3/10" }, "s"]
[schedulers.r]
scheduler = "round-robin"
parent    = "s"
guarantee = "PS 3/10"
[schedulers.e]
scheduler        = "edf"
parent           = "j"
report-deadlines = true
[threads.light]
parent   = "r"
periodic = "250us..750us/5ms"
[threads.brief]
parent = "e"
steps  = [{ run = "21us" }, { sleep = "21us" }]
rate   = "500us/5ms"
"#;
    let scenario = Scenario::parse("test.toml", text).unwrap();
    let mut sim = Sim::of(scenario.build().unwrap_or_else(|why| panic!("{why}")), None).unwrap();
    sim.judge_promises(&all_promises(&scenario));
    let promises = sim.run(Instant::ZERO + Span::from_millis(500), |_| true).promises;
    let of_j = |one: &&PromiseVerdict| {
        let speed = one.promise.guarantee.to_string();
        one.promise.owner == "j" && speed == "RESU 3/10" && one.status() == PromiseStatus::Kept
    };
    assert_eq!(promises.iter().filter(of_j).count(), 1, "{promises:?}");
}

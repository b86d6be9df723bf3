//! Time that the tasks of an rt-app file receive on the simulated machine: the same as on Linux.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use windfall_scenario::outcome::Outcome;
use windfall_scenario::rtapp::{convert, parse};
use windfall_scenario::{ImportedRtApp, Scenario, import_rtapp};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

/// Imports tasks for so many processors.
fn imported(processors: u16, tasks: &str) -> ImportedRtApp {
    let text = format!("{{\"global\":{{\"duration\":1}},\n\"tasks\":{{{tasks}}}}}");
    let imported = import_rtapp(&convert(&parse(&text).unwrap()), processors).unwrap();
    let written = imported.scenario.write();
    let again = Scenario::parse("rtapp.toml", &written).map_err(|m| m.render(false)).unwrap();
    assert_eq!(again, imported.scenario);
    imported
}

/// The result of a simulated second of them.
fn second(imported: &ImportedRtApp) -> Outcome {
    let scenario = &imported.scenario;
    let plan = scenario.build().map_err(|mistakes| mistakes.render(false)).unwrap();
    let outcome = Sim::of(plan, None).unwrap().run(Instant::ZERO + scenario.length, |_| true);
    assert!(outcome.failure.is_none() && outcome.quarantined.is_empty(), "{outcome:?}");
    assert!(outcome.not_admitted.is_empty() && outcome.refused.is_empty(), "{outcome:?}");
    outcome
}

/// Thousandths of a second that each of these received.
fn received(outcome: &Outcome, names: &[&str]) -> Vec<u64> {
    let whole = |name: &&str| {
        let thread = outcome.threads.iter().find(|thread| thread.name == *name).unwrap();
        (thread.received.as_nanos() + 500_000) / 1_000_000
    };
    names.iter().map(whole).collect()
}

fn losses(imported: &ImportedRtApp) -> Vec<String> {
    imported.losses.iter().map(ToString::to_string).collect()
}

#[test]
fn law_tasks_bound_to_one_processor_share_it() {
    let two = imported(2, r#""a":{"cpus":[0],"run":1000},"b":{"cpus":[0],"run":1000}"#);
    assert_eq!(losses(&two), Vec::<String>::new());
    assert_eq!(two.scenario.machine.cpus, [0, 1]);
    let outcome = second(&two);
    assert_eq!(received(&outcome, &["a", "b"]), [500, 500]);
    assert_eq!(outcome.cpus[1].received, Span::ZERO);

    let each = imported(2, r#""a":{"cpus":[1],"run":1000},"b":{"cpus":[0],"run":1000}"#);
    assert_eq!(received(&second(&each), &["a", "b"]), [1000, 1000]);
}

#[test]
fn law_who_is_bound_nowhere_goes_where_nobody_is_bound() {
    let three = imported(
        2,
        r#""a":{"cpus":[1],"run":1000},"b":{"cpus":[1],"run":1000},"free":{"run":1000}"#,
    );
    assert_eq!(received(&second(&three), &["a", "b", "free"]), [500, 500, 1000]);
    let told = losses(&three);
    assert!(told.len() == 1 && told[0].contains("task `free`: not exact: "), "{told:?}");

    // Two groups of two processors, and one that may use a processor of each.
    let across = r#""a":{"cpus":[0,1],"instance":2,"run":1000},"b":{"cpus":[2,3],"run":1000},
        "c":{"cpus":[1,2,3],"run":1000}"#;
    let four = imported(4, across);
    assert_eq!(received(&second(&four), &["a-0", "a-1", "b", "c"]), [1000, 1000, 1000, 1000]);
}

#[test]
fn law_nice_values_are_linux_weights() {
    let nice = imported(1, r#""a":{"run":1000},"b":{"priority":5,"run":1000}"#);
    assert_eq!(losses(&nice), Vec::<String>::new());
    // 1024 and 335.
    let got = received(&second(&nice), &["a", "b"]);
    assert!((745..=762).contains(&got[0]) && got[0] + got[1] == 1000, "{got:?}");
}

#[test]
fn law_a_slice_of_ones_own_is_as_long_as_the_kernel_lets_it_be() {
    let slices = imported(
        1,
        r#""a":{"dl-runtime":50000,"run":1000},"b":{"dl-runtime":200000,"priority":-1,"run":1000}"#,
    );
    let written = slices.scenario.write();
    assert!(
        written.contains("time-slice = \"50ms\"") && written.contains("\"100ms\""),
        "{written}"
    );
    let told = losses(&slices);
    assert!(told.len() == 1 && told[0].contains("task `b`, `dl-runtime`: not exact: "), "{told:?}");
    let outcome = second(&slices);
    let turns = outcome.threads.iter().map(|thread| thread.dispatches).max().unwrap();
    assert!(turns < 20, "{turns} turns of 50 to 100 ms in a second");
}

#[test]
fn law_sched_idle_runs_while_nobody_else_would_and_both_it_and_batch_are_told() {
    let beside = r#""a":{"run":1000,"sleep":3000},"i":{"policy":"SCHED_IDLE","run":1000}"#;
    let idle = imported(1, beside);
    assert_eq!(received(&second(&idle), &["a", "i"]), [250, 750]);
    let told = losses(&idle);
    assert!(told[0].starts_with("rt-app: line 2: task `i`, `policy`: not exact: "), "{told:?}");

    let alone = imported(1, r#""i":{"policy":"SCHED_IDLE","run":1000}"#);
    assert_eq!(losses(&alone), Vec::<String>::new());
    let batch = losses(&imported(1, r#""b":{"policy":"SCHED_BATCH","run":1000}"#));
    assert!(batch[0].contains("task `b`, `policy`: not exact: when it wakes"), "{batch:?}");
}

#[test]
fn law_deadline_tasks_are_reserved_their_runtime_within_their_deadline() {
    let text = r#""d":{"policy":"SCHED_DEADLINE","dl-runtime":2000,"dl-deadline":5000,
        "dl-period":10000,"run":1000},
        "e":{"policy":"SCHED_DEADLINE","dl-runtime":3000,"dl-period":10000,"run":1000},
        "f":{"policy":"SCHED_FIFO","run":1000},"g":{"run":1000}"#;
    let mixed = imported(1, text);
    assert_eq!(losses(&mixed), Vec::<String>::new());
    assert_eq!(mixed.scenario.promises().refused().count(), 0);
    let requested = mixed.scenario.write();
    assert!(
        requested.contains("RESBH 2ms 5ms") && requested.contains("RESBH 3ms 10ms"),
        "{requested}"
    );
    assert_eq!(received(&second(&mixed), &["d", "e", "f", "g"]), [200, 300, 500, 0]);
}

#[test]
fn law_deadline_tasks_are_divided_among_the_processors() {
    let three = r#""d":{"instance":2,"policy":"SCHED_DEADLINE","dl-runtime":6000,
        "dl-period":10000,"run":1000},
        "e":{"policy":"SCHED_DEADLINE","dl-runtime":4000,"dl-period":10000,"run":1000}"#;
    let divided = imported(2, three);
    assert_eq!(divided.scenario.promises().refused().count(), 0);
    assert_eq!(received(&second(&divided), &["d-0", "d-1", "e"]), [600, 600, 400]);
    let told = losses(&divided);
    assert!(told.len() == 2 && told[0].contains("one processor; Linux would move it"), "{told:?}");

    let many = imported(1, three);
    assert!(losses(&many).iter().any(|loss| loss.contains("no processor has room")));
    assert!(many.scenario.promises().refused().count() > 0);
}

#[test]
fn law_sched_rr_takes_turns_and_sched_fifo_does_not() {
    let rr = r#""a":{"instance":2,"policy":"SCHED_RR","run":1000},
        "b":{"instance":2,"policy":"SCHED_FIFO","priority":9,"run":1000}"#;
    let turns = imported(1, rr);
    let outcome = second(&turns);
    assert_eq!(received(&outcome, &["a-0", "a-1", "b-0", "b-1"]), [500, 500, 0, 0]);
    assert_eq!(losses(&turns), Vec::<String>::new());
    let fifo = imported(1, r#""b":{"instance":2,"policy":"SCHED_FIFO","run":1000}"#);
    assert_eq!(received(&second(&fifo), &["b-0", "b-1"]), [1000, 0]);
    let mixed = r#""a":{"policy":"SCHED_RR","run":1000},"b":{"policy":"SCHED_FIFO","run":1000}"#;
    assert!(losses(&imported(1, mixed))[0].contains("takes no turns"));
}

#[test]
fn law_a_control_group_has_the_weight_of_one_thread() {
    let group = r#""a":{"instance":2,"taskgroup":"/g","run":1000},
        "b":{"taskgroup":"/g/inner","run":1000},"c":{"run":1000},"d":{"taskgroup":"/","run":1000}"#;
    let one = imported(1, group);
    assert_eq!(losses(&one), Vec::<String>::new());
    let got = received(&second(&one), &["a-0", "a-1", "b", "c", "d"]);
    for (got, expected) in got.iter().zip([111, 111, 111, 333, 333]) {
        assert!(got.abs_diff(expected) <= 6, "{got} for {expected}");
    }
    let told = losses(&imported(2, group));
    assert!(told[0].contains("`taskgroup`: not exact: Linux divides the weight"), "{told:?}");
}

#[test]
fn law_who_waits_for_ever_is_told_and_the_others_run() {
    let text = r#"
        "main":{"run":100000,"suspend":"Browser","run2":1},
        "sub":{"instance":2,"suspend":"Browser","run":1},
        "holds":{"lock":"m","wait":{"ref":"q","mutex":"m"},"unlock":"m"},
        "runs":{"lock":"m","run":1000,"unlock":"m","sleep":1000}"#;
    let waiting = imported(1, text);
    assert_eq!(losses(&waiting), Vec::<String>::new());
    let waits: Vec<_> =
        waiting.waits.iter().map(|w| (w.line, w.event.as_str(), w.threads)).collect();
    assert_eq!(waits, [(3, "suspend", 1), (4, "suspend", 2), (5, "wait", 1)]);
    assert!(waiting.waits[0].to_string().contains("to resume `main`"), "{}", waiting.waits[0]);
    let outcome = second(&waiting);
    assert_eq!(received(&outcome, &["main", "sub-0", "sub-1", "holds"]), [100, 0, 0, 0]);
    assert!(received(&outcome, &["runs"])[0] > 400);
    assert!(outcome.waiting.is_empty(), "`runs` goes on");
    let all = imported(1, r#""a":{"run":1,"suspend":""}"#);
    assert_eq!(second(&all).waiting, ["a"]);
    assert_eq!(all.scenario.waits_for_ever(), ["`a` comes to wait for ever: it sleeps for ever"]);
}

#[test]
fn law_suspend_and_resume_share_their_conditions_with_wait_and_signal() {
    let text = r#"
        "a":{"run":1000,"lock":"b","signal":"b","unlock":"b","sleep":9000},
        "b":{"suspend":"","run":1000},
        "c":{"sleep":10000,"resume":"q"},
        "d":{"lock":"q","wait":{"ref":"q","mutex":"q"},"unlock":"q","run":1000}"#;
    let met = imported(1, text);
    assert_eq!(met.waits, []);
    let got = received(&second(&met), &["b", "d"]);
    assert!(got[0] >= 98 && got[1] >= 98, "{got:?}");
}

#[test]
fn limit_ways_through_joins_are_counted_before_they_are_made() {
    let bound: Vec<String> =
        (0..1000).map(|cpu| format!("\"t{cpu}\":{{\"cpus\":[{cpu}],\"run\":1}}")).collect();
    let text =
        format!("{{\"tasks\":{{{},\n\"all\":{{\"instance\":99000,\"run\":1}}}}}}", bound.join(","));
    let refused = import_rtapp(&convert(&parse(&text).unwrap()), 1000).unwrap_err();
    let refused = refused.to_string();
    assert!(refused.starts_with("rt-app: line 2: "), "{refused}");
    assert!(refused.contains("1000 of the 1000 groups") && refused.contains("fewer instances"));
}

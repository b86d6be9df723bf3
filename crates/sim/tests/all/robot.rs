//! The robot of PORTS 2.1 on the simulated machine, and what is put into its terrain while it is on its way.

use super::common::{figure, run, thread};
use windfall_hierarchy::Count;
use windfall_scenario::outcome::{Outcome, PromiseStatus, PromiseVerdict};

const ROBOT: &str = r#"
length = "6s"
[schedulers.robot]
scheduler = "fixed-priority"
parent = "top"
[schedulers.reactive]
scheduler = "edf"
parent = "robot"
priority = 2
[schedulers.deliberative]
scheduler = "round-robin"
parent = "robot"
priority = 1
[threads.motors]
parent = "robot"
priority = 2
[threads.motors.program]
kind = "robot"
reactive = "reactive"
deliberative = "deliberative"
wide = 30
high = 3
blocked = 0
later = 0
"#;

#[test]
fn law_obstacles_that_are_put_there_by_request_are_gone_around() {
    let free = run(ROBOT);
    // 27 steps across and 2 of them diagonal.
    assert_eq!(figure(&free, "motors", "path"), 27 * 10 + 2 * 14);
    assert_eq!(figure(&free, "planner-1", "rolled-back"), 0);
    // Two walls with gaps, in the last row of column 12 and in the first of column 20; and an obstacle that is taken away before it is seen.
    let put = |time: u32, datum: u32| {
        format!(
            "[[at]]\ntime = \"{time}ms\"\ndo = \"enqueue\"\nqueue = \"obstacles\"\ndatum = {datum}\n"
        )
    };
    let walls = [(100, 1_012_000), (100, 1_012_001), (100, 1_020_001), (100, 1_020_002)];
    let taken_away = [(110, 1_028_002), (200, 28_002)];
    let wall: String =
        walls.iter().chain(&taken_away).map(|(time, datum)| put(*time, *datum)).collect();
    let around = run(&format!("{ROBOT}{wall}"));
    assert_eq!(around.refused, []);
    assert_eq!(figure(&around, "motors", "arrived"), 1);
    assert!(figure(&around, "motors", "path") > 27 * 10 + 2 * 14);
    assert!(figure(&around, "planner-1", "rolled-back") > 0);
}

#[test]
fn refuses_a_datum_for_a_queue_that_nobody_has_made() {
    let wrong = "[[at]]\ntime = \"1s\"\ndo = \"enqueue\"\nqueue = \"obstacle\"\ndatum = 1\n";
    let outcome = run(&format!("{ROBOT}{wrong}"));
    let [(_, why)] = outcome.refused.as_slice() else { panic!("{:?}", outcome.refused) };
    assert!(why.starts_with("enqueue 1 in `obstacle`: refused: no process has made"), "{why}");
}

#[test]
fn law_whatever_its_settings_a_robot_does_not_fail() {
    let (mut arrived, mut stood) = (0, 0);
    for seed in 0..60_u64 {
        let mut random = windfall_programs::Random::new(seed);
        let mut one_of = |values: &[&str]| {
            // The first is usual.
            let last = u64::try_from(values.len() - 1).unwrap();
            let which = if random.between(0, 3) > 0 { 0 } else { random.between(0, last) };
            values[usize::try_from(which).unwrap()].to_owned()
        };
        let mut text = "length = \"2s\"\n[schedulers.robot]\nscheduler = \"round-robin\"\nparent = \"top\"\n\
                        [threads.motors]\nparent = \"robot\"\n[threads.motors.program]\nkind = \"robot\"\n"
            .to_owned();
        let settings: [(&str, &[&str]); 15] = [
            ("ahead", &["4", "0", "1", "1000"]),
            ("away", &["\"20ms\"", "\"1ns\"", "\"500000h\"", "\"4294967295ms\""]),
            ("blocked", &["20", "0", "60"]),
            ("cell", &["\"5us\"", "\"1ns\"", "\"1h\""]),
            ("high", &["9", "2", "200"]),
            ("latency", &["\"50us\"", "\"1ns\"", "\"100000h\""]),
            ("later", &["5", "0", "10000"]),
            ("later-until", &["\"1s\"", "\"1ns\"", "\"500000h\""]),
            ("look", &["\"10ms\"", "\"1ms\"", "\"2600000h\""]),
            ("most", &["500", "1", "100000"]),
            ("reacts", &["\"100us\"", "\"1ns\"", "\"100000h\""]),
            ("sight", &["4", "1", "50"]),
            ("step", &["\"20ms\"", "\"1ms\"", "\"5000000h\""]),
            ("terrain", &["1", "0", "9223372036854775807"]),
            ("wide", &["12", "2", "200"]),
        ];
        if one_of(&["", "later"]) == "later" {
            text = text.replacen("[threads.motors]\n", "[threads.motors]\nstart = \"330ms\"\n", 1);
        }
        for (name, values) in settings {
            text.push_str(&format!("{name} = {}\n", one_of(values)));
        }
        for datum in ["0", "1000000", "1001001", "1999999", "2000001", "9223372036854775807"] {
            text.push_str(&format!(
                "[[at]]\ntime = \"1s\"\ndo = \"enqueue\"\nqueue = \"obstacles\"\ndatum = {datum}\n"
            ));
        }
        let outcome = run(&text);
        assert_eq!(outcome.failure, None, "seed {seed}: {text}");
        let told = |name: &str| {
            let stats = &thread(&outcome, "motors").stats;
            stats.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| match count {
                Count::Times(times) => *times,
                _ => 0,
            })
        };
        arrived += told("arrived");
        stood += told("stood-without-way") + told("stood-at-obstacle");
    }
    assert!(arrived > 3 && stood > 10, "{arrived} arrived, {stood} stood");
}

/// A robot whose planner shares a processor with threads that never wait; `planner` says what else it is told.
fn beside_spinning(terrain: u64, planner: &str) -> Outcome {
    let spinning: String = (0..5)
        .map(|n| format!("[threads.spins-{n}]\nparent = \"res\"\nrun = \"spin\"\n"))
        .collect();
    run(&format!(
        r#"
length = "4s"
[schedulers.res]
scheduler = "resource-kernel"
parent = "top"
guarantee = "ALL"
[schedulers.reactive]
scheduler = "edf"
parent = "res"
guarantee = "RESBS 2ms 10ms"
{spinning}
[threads.motors]
parent = "res"
[threads.motors.program]
kind = "robot"
reactive = "reactive"
deliberative = "res"
terrain = {terrain}
wide = 30
high = 12
later = 5
cell = "1us"
latency = "2ms"
most = 300
{planner}
"#
    ))
}

#[test]
fn law_a_planner_below_a_reservation_loses_no_promise() {
    let (mut handled, mut undone, mut lost) = (0, 0, 0);
    for terrain in 1..=10 {
        // A step takes at most 2.5ms, and 50ms bring 5ms.
        let reserved = [
            "\"1ms\"\nperiod = \"10ms\"",
            "\"500us\"\nperiod = \"5ms\"",
            "\"1200us\"\nperiod = \"12ms\"",
        ];
        let planner =
            format!("ahead = {}\namount = {}", 2 + terrain, reserved[(terrain % 3) as usize]);
        let outcome = beside_spinning(terrain, &planner);
        assert_eq!((&outcome.failure, outcome.refused.len()), (&None, 0), "terrain {terrain}");
        let verdict = outcome.promises.iter().find(|verdict| verdict.owner() == "planner-1");
        let status = verdict.map(PromiseVerdict::status);
        assert!(
            matches!(status, Some(PromiseStatus::Kept | PromiseStatus::NotTested)),
            "{status:?}"
        );
        let of_planner = |name| figure(&outcome, "planner-1", name);
        assert_eq!(figure(&outcome, "motors", "moves-late"), 0, "terrain {terrain}, {planner}");
        assert_eq!(of_planner("promises-lost"), 0, "terrain {terrain}, {planner}");
        handled += of_planner("handled");
        undone += of_planner("rolled-back");
        let without = beside_spinning(terrain, &format!("ahead = {}", 2 + terrain));
        lost += figure(&without, "planner-1", "promises-lost");
    }
    assert!(handled > 800 && undone > 200, "{handled} handled, {undone} undone");
    assert!(lost > 100, "without a reservation {lost} are lost");
}

#[test]
fn refuses_a_reservation_that_would_break_others() {
    let planner = "amount = \"9ms\"\nperiod = \"10ms\"";
    let outcome = beside_spinning(1, planner);
    let why = outcome.failure.unwrap().to_string();
    let asked = "process `planner-1` ends at 100ms: guarantee RESBS 9ms 10ms at `res`: refused: ";
    assert!(why.starts_with(asked), "{why}");
    assert!(why.contains("; ask for 4ms in every 10ms, or for a period"), "{why}");
    let outcome = beside_spinning(1, "amount = \"4ms\"\nperiod = \"10ms\"");
    assert_eq!(outcome.failure, None);
}

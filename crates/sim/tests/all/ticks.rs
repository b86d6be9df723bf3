//! Timers that tick: what the checker grants is kept to less than a tick, and what a budget was overrun by
//! until the tick is charged to the periods that follow.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::cell::Cell;
use std::fmt::Write;
use windfall_scenario::Scenario;
use windfall_scenario::model::Thread;
use windfall_scenario::outcome::{
    Outcome, Promise, PromiseStatus, PromiseVerdict, all_promises, promises, refusals,
};
use windfall_sim::Sim;
use windfall_time::Instant;

fn parse(text: &str) -> Scenario {
    match Scenario::parse("ticks.toml", text) {
        Ok(scenario) => scenario,
        Err(mistakes) => panic!("{}\n{text}", mistakes.render(false)),
    }
}

fn run(scenario: &Scenario) -> Outcome {
    let plan = scenario.build().map_err(|mistakes| mistakes.render(false)).unwrap();
    let mut sim = Sim::of(plan, None).unwrap();
    sim.judge_promises(&promises(scenario));
    let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
    assert_eq!(outcome.failure, None);
    assert_eq!(outcome.quarantined, vec![]);
    outcome
}

fn head(hertz: u64, length: &str) -> String {
    format!(
        "schema = 2\nseed = 1\nlength = \"{length}\"\n[machine]\nprocessors = 1\n\
         timer = \"{hertz}Hz\"\n[schedulers.rez]\nscheduler = \"rez\"\nparent = \"top\"\n"
    )
}

fn thread(name: &str, amount: &str, period: &str, run: &str) -> String {
    format!("[threads.{name}]\nparent = \"rez\"\nguarantee = \"RESBH {amount} {period}\"\n{run}\n")
}

/// Three that ask for 3 ms in 10 ms each, for two seconds.
fn three(hertz: u64) -> Scenario {
    let mut text = head(hertz, "2s");
    for name in ["a", "b", "c"] {
        text += &thread(name, "3ms", "10ms", "run = \"spin\"");
    }
    parse(&text)
}

#[test]
fn r0018_a_coarse_timer_gives_one_of_equal_reservations_everything() {
    for hertz in [100, 250] {
        let outcome = run(&three(hertz));
        for thread in &outcome.threads {
            let part = thread.received.as_nanos() / 10_000_000;
            assert!(
                (60..=68).contains(&part),
                "{hertz} Hz: {} has {}",
                thread.name,
                thread.received
            );
        }
    }
}

#[test]
fn refuses_reservations_that_a_coarse_timer_cannot_hold() {
    for hertz in [100, 250] {
        assert!(three(hertz).promises().refused().next().is_some(), "{hertz} Hz");
    }
    // (3 ms + 1/8192 s) / (10 ms - 1/8192 s) is 0.316, and three of those fit.
    assert_eq!(three(8192).promises().refused().count(), 0);
    assert!(
        run(&three(8192)).promises.iter().all(|verdict| verdict.status() == PromiseStatus::Kept)
    );
}

#[test]
fn refuses_promises_of_schedulers_that_do_not_know_what_ticks_do_to_them() {
    let text = head(1000, "1s").replace("\"rez\"\nparent", "\"resource-kernel\"\nparent")
        + &thread("a", "1ms", "100ms", "run = \"spin\"");
    let promises = parse(&text).promises();
    let refused = promises.refused().next().unwrap();
    assert!(promises.why(refused).unwrap().contains("precise"), "{:?}", promises.why(refused));
}

#[test]
fn limit_less_than_a_tick_is_excused_and_no_more() {
    // Overruns dropped, the first of three has everything: whoever was promised 3 ms in 10 ms is a failure then.
    let dropped = "\"rez\"\noverruns = \"dropped\"\nparent";
    let scenario = three(100).write().replace("RESBH", "RESBS").replace("\"rez\"\nparent", dropped);
    let scenario = parse(&scenario);
    let plan = scenario.build().map_err(|mistakes| mistakes.render(false)).unwrap();
    let mut sim = Sim::of(plan, None).unwrap();
    sim.judge_promises(&wished(&scenario));
    let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
    let failed = outcome.promises.iter().filter(|verdict| verdict.is_failure()).count();
    assert_eq!(failed, 2);
    // With overruns charged each is behind by less than a tick.
    let scenario = three(100);
    let mut sim = Sim::of(scenario.build().unwrap(), None).unwrap();
    sim.judge_promises(&wished(&scenario));
    let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
    assert_eq!(outcome.promises.len(), 3);
    assert!(outcome.promises.iter().all(|verdict| verdict.status() == PromiseStatus::Kept));
}

/// The guarantees that threads request, as if all were granted.
fn wished(scenario: &Scenario) -> Vec<Promise> {
    let promise = |thread: &Thread| Promise::new(&thread.name, thread.requires.guarantee.unwrap());
    scenario.threads.iter().map(promise).collect()
}

#[test]
fn law_a_simulation_judges_what_its_plan_promises() {
    let scenario = three(8192);
    let sim = Sim::of(scenario.build().unwrap(), None).unwrap();
    let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
    assert_eq!(outcome.promises.len(), 3);
}

#[test]
fn law_what_was_refused_is_not_judged_and_told_with_the_reason() {
    let scenario = three(100);
    assert!(run(&scenario).promises.is_empty());
    let refused = refusals(&scenario);
    assert_eq!(refused.len(), 3);
    assert!(refused[0].to_string().contains("RESBH 3ms 10ms for a: "), "{}", refused[0]);
}

#[derive(Clone, Debug)]
struct Child {
    amount: u64,
    period: u64,
    run: u8,
    start: u16,
}

fn child() -> impl Strategy<Value = Child> {
    (1_u64..60, 2_u64..400, 0_u8..5, 0_u16..300).prop_map(|(amount, period, run, start)| Child {
        amount,
        period,
        run,
        start,
    })
}

/// Random reservations below one scheduler, in units of 100 us.
fn tree(kind: usize, hertz: u64, children: &[Child]) -> Scenario {
    let kinds = [
        "\"rez\"",
        "\"cbs\"",
        "\"rez-c\"",
        "\"rez-fb\"",
        "\"tbs\"",
        "\"rez\"\noverruns = \"dropped\"",
        "\"rez\"\ncharges = \"received\"",
    ];
    let kind = kinds[kind % kinds.len()];
    let mut text = head(hertz, "2s").replace("scheduler = \"rez\"", &format!("scheduler = {kind}"));
    for (number, child) in children.iter().enumerate() {
        let (amount, period) = (child.amount * 100, child.period.max(child.amount) * 100);
        let kind = if kind.contains("tbs") || kind.contains("fb") || kind.contains("dropped") {
            "RESBS"
        } else {
            "RESBH"
        };
        let run = match child.run {
            0 | 1 => "run = \"spin\"".to_owned(),
            2 => format!("periodic = {{ period = \"{}us\", work = \"{amount}us\" }}", period + 730),
            3 => format!("steps = [{{ run = \"{}us\" }}, {{ sleep = \"1370us\" }}]", amount + 333),
            _ => format!("steps = [{{ run = \"{}us\" }}, \"yield\"]", amount / 2 + 1),
        };
        writeln!(
            text,
            "[threads.t{number}]\nparent = \"rez\"\nguarantee = \"{kind} {amount}us {period}us\"\n\
             start = \"{}us\"\n{run}",
            u32::from(child.start) * 130
        )
        .unwrap();
    }
    parse(&text)
}

#[test]
fn law_what_is_granted_where_timers_tick_is_short_by_less_than_a_tick() {
    let cases = if cfg!(debug_assertions) { 600 } else { 12_000 };
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let hertz = prop::sample::select(vec![64_u64, 100, 250, 1000, 1024, 4096]);
    let trees = (0_usize..7, hertz, prop::collection::vec(child(), 1..6));
    let (granted, tested) = (Cell::new(0_u32), Cell::new(0_u32));
    let result = TestRunner::new_with_rng(config, rng).run(&trees, |(kind, hertz, children)| {
        let scenario = tree(kind, hertz, &children);
        let plan = scenario.build();
        prop_assume!(plan.is_ok()); // the scheduler's own admission
        let outcome = run(&scenario);
        for verdict in outcome.promises.iter().filter(|verdict| verdict.promise.granted) {
            granted.set(granted.get() + 1);
            tested.set(tested.get() + u32::from(verdict.status() == PromiseStatus::Kept));
            let why = (verdict.owner(), verdict.promise.guarantee, &verdict.verdict);
            prop_assert!(!verdict.is_failure(), "{why:?}\n{}", scenario.write());
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    println!("{} granted, {} of them tested", granted.get(), tested.get());
    assert!(tested.get() * 2 > granted.get() && granted.get() > cases / 2);
}

/// Turns of siblings that each end at a tick make the heaviest child later by a tick each, and not by one in all.
#[test]
fn law_eevdf_is_behind_by_a_tick_for_each_sibling() {
    let mut text = "schema = 2\nlength = \"500ms\"\n[machine]\nprocessors = 1\ntimer = \"1027Hz\"\n[schedulers.e]\nscheduler = \"eevdf\"\nparent = \"top\"\nquantum = \"1ms\"\n"
        .to_owned();
    for (name, run) in [("a", "spin"), ("b", "spin"), ("c", "spin"), ("late", "spin from 2.922ms")]
    {
        writeln!(text, "[threads.{name}]\nparent = \"e\"\nrun = \"{run}\"").unwrap();
    }
    text += "[threads.heavy]\nparent = \"e\"\nrun = \"spin from 2.922ms\"\nguarantee = \"PSBE 1/10 4ms\"\n";
    let scenario = parse(&text);
    let mut sim = Sim::of(scenario.build().unwrap(), None).unwrap();
    sim.judge_promises(&all_promises(&scenario));
    let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
    let of = |verdict: &&PromiseVerdict| {
        verdict.owner() == "heavy" && verdict.status() == PromiseStatus::Kept
    };
    assert!(outcome.promises.iter().filter(of).count() >= 3, "{:?}", outcome.promises);
    assert!(outcome.promises.iter().all(|verdict| !verdict.is_failure()), "{:?}", outcome.promises);
}

/// A turn lasts until the tick after its end: each sibling's first one, before a thread with nearly all shares, too.
#[test]
fn law_shares_are_behind_by_a_tick_for_each_turn() {
    let kinds = [
        ("bvt", "allowance", "500ms"),
        ("sfs", "quantum", "500ms"),
        ("lottery", "quantum", "500ms"),
        ("stride", "quantum", "2s"),
        ("proportional-share", "quantum", "500ms"),
        ("weighted-round-robin", "quantum", "2s"),
    ];
    for (kind, turn, length) in kinds {
        let mut text = format!(
            "schema = 2\nlength = \"{length}\"\n[machine]\nprocessors = 1\ntimer = \"86Hz\"\n\
             [schedulers.s]\nscheduler = \"{kind}\"\nparent = \"top\"\n{turn} = \"500us\"\n"
        );
        for name in ["b", "c", "d"] {
            writeln!(text, "[threads.{name}]\nparent = \"s\"\nrun = \"spin\"").unwrap();
        }
        text += "[threads.a]\nparent = \"s\"\nrun = \"spin\"\nguarantee = \"PS 3/10\"\n";
        let scenario = parse(&text);
        let mut sim = Sim::of(scenario.build().unwrap(), None).unwrap();
        sim.judge_promises(&all_promises(&scenario));
        let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
        let of_a = |verdict: &&PromiseVerdict| {
            verdict.owner() == "a" && verdict.status() == PromiseStatus::Kept
        };
        assert!(outcome.promises.iter().filter(of_a).count() >= 1, "{kind}");
        for verdict in &outcome.promises {
            assert!(!verdict.is_failure(), "{kind}: {verdict:?}");
        }
    }
}

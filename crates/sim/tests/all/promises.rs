//! Promises in simulated runs: what is judged on the way is what the trace shows.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use proptest::prelude::*;
use std::collections::BTreeMap;
use windfall_guarantees::Allowance;
use windfall_guarantees::meaning::{Judge, Verdict};
use windfall_scenario::Scenario;
use windfall_scenario::outcome::{Outcome, Promise, PromiseStatus, PromiseVerdict};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};
use windfall_trace::{Event, Sink, Stop};

const GRAIN: Span = Span::from_millis(10);

fn promise(owner: &str, own: Option<u16>, guarantee: &str) -> Promise {
    let mut promise = Promise::new(owner, guarantee.parse().unwrap());
    (promise.own, promise.behind) = (own, Allowance::lots(GRAIN));
    promise
}

fn run(text: &str, promises: &[Promise], sink: Option<&mut (dyn Sink + Send)>) -> Outcome {
    let text = format!("schema = 2\nseed = 1\n{text}");
    let scenario = match Scenario::parse("test.toml", &text) {
        Ok(scenario) => scenario,
        Err(mistakes) => panic!("{}", mistakes.render(false)),
    };
    let plan = scenario.build().map_err(|mistakes| mistakes.render(false)).unwrap();
    let mut sim = Sim::of(plan, sink).unwrap();
    sim.judge_promises(promises);
    sim.run(Instant::ZERO + scenario.length, |_| true)
}

fn fares(text: &str, promises: &[Promise]) -> Vec<PromiseVerdict> {
    let outcome = run(text, promises, None);
    assert_eq!(outcome.failure, None);
    outcome.promises
}

/// Two reservations that leave nothing over; b's thread begins a period later.
const TWO: &str = r#"
length = "1s"
[schedulers.rez]
scheduler = "rez"
parent    = "top"
[schedulers.ts]
scheduler = "time-sharing"
parent    = "rez"
guarantee = "RESBH 7ms 10ms"
[threads.a]
parent    = "rez"
guarantee = "RESBH 3ms 10ms"
run       = "spin"
[threads.b]
parent = "ts"
run    = "spin"
start  = "5ms"
"#;

#[test]
fn accepts_what_is_kept_and_refuses_a_nanosecond_more() {
    let found = fares(
        TWO,
        &[
            promise("a", None, "RESBH 3ms 10ms"),
            promise("a", None, "RESBS 3000001ns 10ms"),
            promise("a", None, "RESBH 2999999ns 10ms"),
            promise("ts", Some(0), "RESBH 7ms 10ms"),
            promise("ts", Some(0), "RESBS 7000001ns 10ms"),
            promise("rez", Some(0), "ALL"),
        ],
    );
    let fared: Vec<PromiseStatus> = found.iter().map(PromiseVerdict::status).collect();
    assert_eq!(
        fared,
        [
            PromiseStatus::Kept,
            PromiseStatus::Missed,
            PromiseStatus::Exceeded,
            PromiseStatus::Kept,
            PromiseStatus::Missed,
            PromiseStatus::Kept
        ]
    );
    let failed: Vec<bool> = found.iter().map(PromiseVerdict::is_failure).collect();
    assert_eq!(failed, [false, true, true, false, true, false]);
}

#[test]
fn stolen_time_is_told_from_a_broken_promise() {
    let stolen = format!("{TWO}\n[[interrupts]]\nevery = \"10ms\"\ncost = \"1ms\"\n");
    let found = fares(&stolen, &[promise("a", None, "RESBS 3ms 10ms")]);
    assert_eq!(found[0].status(), PromiseStatus::Stolen);
    assert!(!found[0].is_failure());
    // More than it would have had without the interrupts.
    let found = fares(&stolen, &[promise("a", None, "RESBS 4ms 10ms")]);
    assert_eq!(found[0].status(), PromiseStatus::Missed);
}

#[test]
fn law_what_switching_costs_is_never_called_stolen() {
    let costly = format!("{TWO}\n[machine.costs]\nswitch = \"1ms\"\n");
    let found = fares(&costly, &[promise("a", None, "RESBS 3ms 10ms")]);
    assert_eq!(found[0].status(), PromiseStatus::Overhead);
    assert!(!found[0].is_failure());
    // More than it would have had without that.
    let found = fares(&costly, &[promise("a", None, "RESBS 4ms 10ms")]);
    assert_eq!(found[0].status(), PromiseStatus::Missed);
}

/// How what the file promises fared.
fn planned(text: &str) -> Vec<PromiseVerdict> {
    let text = format!("schema = 2\nseed = 1\n{text}");
    let scenario = Scenario::parse("test.toml", &text).unwrap_or_else(|why| panic!("{why}"));
    let outcome = windfall_sim::simulate(&scenario).unwrap().outcome;
    assert_eq!((outcome.failure, outcome.refused), (None, Vec::new()));
    outcome.promises
}

fn of<'a>(found: &'a [PromiseVerdict], owner: &str) -> Vec<&'a PromiseVerdict> {
    found.iter().filter(|verdict| verdict.promise.owner == owner).collect()
}

#[test]
fn law_a_promise_that_a_request_does_not_touch_goes_on_being_judged() {
    let less = "[[at]]\ntime = \"501ms\"\ndo = \"guarantee\"\nthread = \"a\"\n\
                guarantee = \"RESBH 2ms 10ms\"\n";
    let found = planned(&format!("{TWO}\n{less}"));
    let (a, ts) = (of(&found, "a"), of(&found, "ts"));
    assert_eq!(ts.len(), 1, "{ts:?}");
    assert_eq!((ts[0].status(), ts[0].until), (PromiseStatus::Kept, None));
    assert_eq!(ts[0].runnable, Span::from_millis(995), "from b's beginning to the end");
    let lasted: Vec<_> = a.iter().map(|one| (one.status(), one.until, one.runnable)).collect();
    let at = Instant::from_nanos(501_000_000);
    // What is asked for anew is judged from a period later on.
    let (before, after) = (Span::from_millis(501), Span::from_millis(489));
    let kept = PromiseStatus::Kept;
    assert_eq!(lasted, [(kept, Some(at), before), (kept, None, after)]);
}

#[test]
fn law_after_a_request_that_is_refused_only_what_holds_all_the_same_is_judged() {
    // Two requests: the second would promise c something where only the first makes room.
    let more = "[threads.c]\nparent = \"rez\"\nrun = \"spin\"\n\
                [[at]]\ntime = \"200ms\"\ndo = \"guarantee\"\nthread = \"c\"\n\
                guarantee = \"RESBH 1ms 10ms\"\n";
    let text = format!("schema = 2\nseed = 1\n{TWO}\n{more}");
    let scenario = Scenario::parse("test.toml", &text).unwrap_or_else(|why| panic!("{why}"));
    let outcome = windfall_sim::simulate(&scenario).unwrap().outcome;
    assert_eq!(outcome.refused.len(), 1, "{:?}", outcome.refused);
    for owner in ["a", "ts"] {
        let found = of(&outcome.promises, owner);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].status(), found[0].until), (PromiseStatus::Kept, None), "{owner}");
    }
    assert!(of(&outcome.promises, "c").is_empty());
}

#[test]
fn law_a_scheduler_that_moves_takes_its_promises_along() {
    let moves = "[machine]\nprocessors = 2\n\
                 [schedulers.res]\nscheduler = \"rez\"\nparent = \"top\"\n\
                 [schedulers.other]\nscheduler = \"rez\"\nparent = \"top\"\n\
                 [schedulers.ps]\nscheduler = \"proportional-share\"\nparent = \"res\"\n\
                 guarantee = \"RESBH 4ms 10ms\"\n\
                 [threads.t]\nparent = \"ps\"\nrun = \"spin\"\n\
                 [[at]]\ntime = \"503ms\"\ndo = \"move\"\nscheduler = \"ps\"\nto = \"other\"\n\
                 guarantee = \"RESBH 4ms 10ms\"\n";
    let found = planned(&format!("length = \"1s\"\n{moves}"));
    let ps = of(&found, "ps");
    // The same promise: its worst verdict until the move, then the one that goes on.
    assert_eq!(ps.len(), 2, "{ps:?}");
    assert!(ps.iter().all(|one| one.status() == PromiseStatus::Kept), "{ps:?}");
    assert_eq!(ps[0].until, Some(Instant::from_nanos(503_000_000)));
    assert_eq!(ps[1].runnable, Span::from_millis(487));
}

#[test]
fn law_a_thread_that_asks_for_itself_touches_no_promise_to_others() {
    let asks = "[schedulers.ps]\nscheduler = \"proportional-share\"\nparent = \"ts\"\n\
                [threads.c]\nparent = \"ps\"\nloops = 1\n\
                steps = [{ sleep = \"300ms\" }, { share = 3 }, { run = \"100ms\" }]\n";
    let found = planned(&format!("{TWO}\n{asks}"));
    for owner in ["a", "ts"] {
        let found = of(&found, owner);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].status(), found[0].until), (PromiseStatus::Kept, None), "{owner}");
    }
}

#[test]
fn judgement_ends_with_the_first_control_request() {
    let text = format!("{TWO}\n[[at]]\ntime = \"500ms\"\ndo = \"unreserve\"\nthread = \"a\"\n");
    let found = fares(&text, &[promise("a", None, "RESBH 3ms 10ms")]);
    assert_eq!(found[0].status(), PromiseStatus::Kept);
    assert_eq!(found[0].until, Some(Instant::from_nanos(500_000_000)));
    assert_eq!(found[0].runnable, Span::from_millis(500));
}

#[test]
fn a_promise_to_a_thread_that_never_runs_is_unused_and_one_that_hardly_does_is_not_tested() {
    let text = TWO.replace("start  = \"5ms\"", "start = \"995ms\"");
    let found =
        fares(&text, &[promise("b", None, "RESBS 1ms 10ms"), promise("b", None, "RESBS 9ms 10ms")]);
    assert_eq!(found[0].status(), PromiseStatus::NotTested);
    // It comes when judgement is over.
    let text = format!("{text}\n[[at]]\ntime = \"500ms\"\ndo = \"unreserve\"\nthread = \"a\"\n");
    let found = fares(&text, &[promise("b", None, "RESBS 1ms 10ms")]);
    assert_eq!(found[0].status(), PromiseStatus::Unused);
}

/// Judges threads from the trace alone.
struct Witness {
    judges: BTreeMap<u32, (String, Judge, bool)>,
    guarantee: String,
    /// By processor: its thread, since when, and whether an interrupt has it.
    cpus: BTreeMap<u16, (Option<u32>, Instant, bool)>,
}

impl Witness {
    fn pass(&mut self, cpu: u16, now: Instant) {
        let slot = self.cpus.entry(cpu).or_insert((None, now, false));
        let (thread, since, stolen) = *slot;
        slot.1 = now;
        let judge = thread.and_then(|thread| self.judges.get_mut(&thread));
        if let (Some((_, judge, true)), false) = (judge, stolen || since == now) {
            judge.served(since, now);
        }
    }
}

impl Sink for Witness {
    fn record(&mut self, now: Instant, event: &Event) {
        match event {
            Event::Thread { thread, name, .. } => {
                let judge =
                    Judge::new(&self.guarantee.parse().unwrap(), Allowance::lots(GRAIN)).unwrap();
                self.judges.insert(thread.0, (name.clone(), judge, false));
            }
            Event::Wake { thread, .. } => {
                let cpus: Vec<u16> = self.cpus.keys().copied().collect();
                cpus.into_iter().for_each(|cpu| self.pass(cpu, now));
                let (_, judge, awake) = self.judges.get_mut(&thread.0).unwrap();
                judge.sleeps(now);
                judge.wakes(now);
                *awake = true;
            }
            Event::Switch { cpu, prev, next } => {
                self.pass(cpu.0, now);
                if let Some((thread, Stop::Blocked | Stop::Exited)) = prev {
                    let (_, judge, awake) = self.judges.get_mut(&thread.0).unwrap();
                    judge.sleeps(now);
                    *awake = false;
                }
                self.cpus.get_mut(&cpu.0).unwrap().0 = next.map(|next| next.0);
            }
            Event::OverheadBegin { cpu, .. } | Event::OverheadEnd { cpu } => {
                self.pass(cpu.0, now);
                let begins = matches!(event, Event::OverheadBegin { .. });
                self.cpus.get_mut(&cpu.0).unwrap().2 = begins;
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn law_what_is_judged_is_what_the_trace_shows(
        kind in prop::sample::select(vec!["time-sharing", "proportional-share", "edf", "fixed-priority"]),
        guarantee in prop::sample::select(vec![
            "RESBS 2ms 9ms", "RESCS 1ms 5ms", "RESBH 1ms 4ms", "PSBE 1/3 7ms", "ALL", "PS 1/9",
            "RESNH 1ms 3ms",
        ]),
        threads in prop::collection::vec((1..9_u64, 1..30_u64, 0..20_u64), 1..6),
        cpus in 1..3_u8, cost in 0..300_u64,
    ) {
        let mut text = format!("length = \"300ms\"\n[machine]\nprocessors = {cpus}\n");
        text += &format!("costs = {{ switch = \"{cost}us\" }}\n");
        text += "[[interrupts]]\nevery = \"7ms\"\ncost = \"100us\"\n";
        text += &format!("[schedulers.s]\nscheduler = \"{kind}\"\nprocessors = {cpus}\nparent = \"top\"\n");
        let mut promises = Vec::new();
        for (number, (work, period, start)) in threads.iter().enumerate() {
            text += &format!("[threads.t{number}]\nparent = \"s\"\nstart = \"{start}ms\"\n");
            text += &format!("periodic = \"{work}ms/{period}ms\"\n");
            promises.push(promise(&format!("t{number}"), None, guarantee));
        }
        let cpus = BTreeMap::new();
        let mut witness = Witness { judges: BTreeMap::new(), guarantee: guarantee.to_owned(), cpus };
        let outcome = run(&text, &promises, Some(&mut witness));
        let end = Instant::from_nanos(300_000_000);
        (0..16).for_each(|cpu| witness.pass(cpu, end));
        for (name, judge, _) in witness.judges.values_mut() {
            judge.sleeps(end);
            let found = outcome.promises.iter().find(|v| v.promise.owner == *name).unwrap();
            prop_assert_eq!(found.verdict, Some(judge.verdict()), "{}", name);
        }
        let tested = outcome.promises.iter().any(|v| v.verdict != Some(Verdict::NeverTested));
        prop_assert!(tested || threads.iter().all(|(work, ..)| *work < 9), "nothing was tested");
    }
}

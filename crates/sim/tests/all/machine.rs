//! The simulated machine, by hand: what switching, deciding, interrupts, ticks and caches cost.

use crate::common::{run, span, thread};
use windfall_scenario::outcome::ThreadOutcome;

/// Two threads that take turns of 10 ms.
const TURNS: &str = r#"
[schedulers.rr]
scheduler = "round-robin"
parent    = "top"
quantum   = "10ms"
[threads.a]
parent = "rr"
run    = "spin"
[threads.b]
parent = "rr"
run    = "spin"
"#;

#[test]
fn a_switch_costs_what_the_machine_says_and_nobody_where_nothing_switches() {
    let text = format!(
        "length = \"1s\"\n[machine]\nprocessors = 1\ncosts = {{ switch = \"1ms\" }}\n{TURNS}"
    );
    let outcome = run(&text);
    // The first switch is from idle; then one at the end of each turn, whose quantum runs on while
    // the switch is paid. The one at the very end is not made.
    let switches: u64 = outcome.threads.iter().map(|thread| thread.dispatches).sum();
    assert_eq!(outcome.cpus[0].switching, span("1ms").checked_mul(switches).unwrap_or_default());
    assert_eq!(switches, 100);
    assert_eq!(outcome.cpus[0].received, span("900ms"));

    let alone = run("length = \"1s\"\n[machine]\nprocessors = 1\ncosts = { switch = \"1ms\" }\n\
        [schedulers.rr]\nscheduler = \"round-robin\"\nparent = \"top\"\n\
        [threads.a]\nparent = \"rr\"\nrun = \"spin\"\n");
    assert_eq!(alone.cpus[0].switching, span("1ms"), "quanta end, but nobody else is there");
}

#[test]
fn a_migration_costs_what_the_machine_says_beside_the_switch() {
    let outcome = run("length = \"1s\"\n[machine]\nprocessors = 2\n\
        costs = { switch = \"3us\", migration = \"50us\" }\n[schedulers.ps]\n\
        scheduler = \"proportional-share\"\nparent = \"top\"\nprocessors = 2\naffinity = \"none\"\n\
        [threads.x]\ncount = 5\nparent = \"ps\"\nrun = \"spin\"\n");
    let sum = |of: fn(&ThreadOutcome) -> u64| outcome.threads.iter().map(of).sum::<u64>();
    let (dispatches, migrations) = (sum(|t| t.dispatches), sum(|t| t.migrations));
    assert!(migrations > 100 && dispatches > migrations, "{migrations} of {dispatches}");
    let switching: u64 = outcome.cpus.iter().map(|cpu| cpu.switching.as_nanos()).sum();
    // One that is under way at the end of each processor's time may be cut.
    let due = dispatches * 3_000 + migrations * 50_000;
    assert!(due - switching <= 2 * 53_000, "{switching} ns of {due} ns");
}

#[test]
fn decisions_and_notifications_cost_what_the_machine_says() {
    let text = format!(
        "length = \"100ms\"\n[machine]\nprocessors = 1\n\
         costs = {{ decision = \"10us\", notification = \"1us\" }}\n{TURNS}"
    );
    let outcome = run(&text);
    let decisions = span("10us").checked_mul(outcome.decisions).unwrap_or_default();
    let told = outcome.cpus[0].scheduling;
    assert!(told > decisions, "{told} is not more than the decisions' {decisions}");
    assert_eq!(told.as_nanos() % 1_000, 0);
    let sum = outcome.cpus[0].received.checked_add(told);
    assert_eq!(sum, Some(span("100ms")));
}

#[test]
fn interrupts_take_time_from_whoever_runs_and_no_scheduler_hears_of_it() {
    let outcome = run(r#"
length = "1s"
[machine]
processors = 1
[[interrupts]]
every  = "10ms"
offset = "1ms"
cost   = "2ms"
[schedulers.edf]
scheduler = "edf"
parent    = "top"
[threads.a]
parent   = "edf"
periodic = "5ms/10ms"
"#);
    let a = thread(&outcome, "a");
    assert_eq!(a.response.least(), Some(span("7ms")), "5 ms of work and 2 ms stolen");
    assert_eq!(a.response.most(), Some(span("7ms")));
    assert_eq!(outcome.cpus[0].stolen, span("200ms"));
    assert_eq!(a.received, span("500ms"));
    assert_eq!(a.preemptions, 0);
}

/// HLS 9.2.5: a reservation of 10 ms in 33 ms, enforced at ticks, overruns dropped as there.
fn enforced(timer: &str) -> u64 {
    let outcome = run(&format!(
        r#"
length = "30s"
[machine]
processors = 1
timer = "{timer}"
[schedulers.rez]
scheduler = "rez"
overruns  = "dropped"
parent    = "top"
[threads.a]
parent    = "rez"
guarantee = "RESBS 10ms 33ms"
run       = "spin"
"#
    ));
    thread(&outcome, "a").received.as_nanos()
}

#[test]
fn paper_regehr2001_coarse_timers_overrun_budgets() {
    let precise = enforced("precise");
    assert_eq!(
        precise,
        30_000 / 33 * 10_000_000 + 3_000_000,
        "909 whole periods and 3 ms of the next"
    );
    let (fine, coarse) = (enforced("4096Hz"), enforced("1024Hz"));
    assert!(precise < fine && fine < coarse, "{precise} {fine} {coarse}");
    // Table 10.5: 32.6 % at 1024 Hz; a tick is 0.98 ms, so at most that much more in each period.
    assert!((9_690_000_000..=9_870_000_000).contains(&coarse), "{coarse}");
    assert!(fine - precise <= 910 * 244_141, "at most a quarter of a millisecond each");
}

#[test]
fn paper_regehr2001_a_cache_is_filled_again_after_another_has_run() {
    let outcome = run(&format!(
        "length = \"10s\"\n[machine]\nprocessors = 1\ncache = {{ size = \"512KB\", refill = \"5.57us\" }}\n{}",
        TURNS.replace(
            "run    = \"spin\"",
            "working-set = \"1024KB\"\nsteps = [\"job\", { run = \"1ms\" }]"
        )
    ));
    // 512 KiB of the 1024 are in the cache: 2.85 ms of each turn of 10 ms go into filling it.
    let jobs: u64 = outcome.threads.iter().map(|thread| thread.completed).sum();
    assert!((7_000..=7_200).contains(&jobs), "{jobs} jobs of 1 ms in 10 s");
    let alone = run(r#"
length = "10s"
[machine]
processors = 1
cache      = { size = "512KB", refill = "5.57us" }
[schedulers.rr]
scheduler = "round-robin"
parent    = "top"
[threads.a]
parent      = "rr"
working-set = "1024KB"
steps       = ["job", { run = "1ms" }]
"#);
    assert_eq!(thread(&alone, "a").completed, 9_997, "filled once");
}

#[test]
fn a_slow_processor_takes_longer_and_a_fast_one_less() {
    let outcome = run(r#"
length = "1s"
[machine]
processors = [{ speed = "1/2" }, { speed = "3" }]
[schedulers.slow]
scheduler = "edf"
parent    = "top"
[schedulers.fast]
scheduler = "edf"
parent    = "top"
[threads.s]
parent   = "slow"
periodic = "3ms/10ms"
[threads.f]
parent   = "fast"
periodic = "3ms/10ms"
"#);
    assert_eq!(thread(&outcome, "s").response.most(), Some(span("6ms")));
    assert_eq!(thread(&outcome, "f").response.most(), Some(span("1ms")));
}

#[test]
fn edf_gives_up_late_jobs_where_it_is_told_to() {
    let text = |late: &str, job: &str| {
        format!(
            r#"
length = "40ms"
[schedulers.edf]
scheduler = "edf"
parent    = "top"
late      = "{late}"
[threads.a]
parent   = "edf"
periodic = {{ work = "12ms", period = "20ms", deadline = "10ms", late = "{job}" }}
[threads.b]
parent   = "edf"
periodic = "5ms/20ms"
"#
        )
    };
    // a is due at 10, 30, ...: it runs first, 10 ms of its 12, and is given up; b runs from 10 on.
    let abort = run(&text("abort", "abort"));
    let (a, b) = (thread(&abort, "a"), thread(&abort, "b"));
    assert_eq!((a.completed, a.aborted, a.missed), (0, 2, 2));
    assert_eq!(a.received, span("20ms"));
    assert_eq!(b.response.most(), Some(span("15ms")));
    // Completed late, each takes its 12 ms, and b waits for the end of that.
    let complete = run(&text("complete", "complete"));
    let (a, b) = (thread(&complete, "a"), thread(&complete, "b"));
    assert_eq!((a.completed, a.aborted, a.missed), (2, 0, 2));
    assert_eq!(a.response.most(), Some(span("12ms")));
    assert_eq!(b.response.most(), Some(span("17ms")));
}

#[test]
fn requests_are_carried_out_in_time_or_refused_by_name() {
    let outcome = run(r#"
length = "10s"
[schedulers.root]
scheduler = "fixed-priority"
parent    = "top"
[schedulers.rez]
scheduler = "rez"
parent    = "root"
priority  = 2
[schedulers.ts]
scheduler = "time-sharing"
parent    = "root"
priority  = 1
[schedulers.doomed]
scheduler = "round-robin"
parent    = "ts"
[threads.a]
parent = "ts"
run    = "spin"
[threads.b]
parent = "doomed"
run    = "spin"
[[at]]
time    = "2s"
do      = "move"
thread  = "a"
to      = "rez"
reserve = "2ms/10ms"
[[at]]
time      = "4s"
do        = "reserve"
thread    = "a"
reserve   = "11ms/11ms"
[[at]]
time      = "4500ms"
do        = "reserve"
thread    = "a"
reserve   = "4ms/10ms"
[[at]]
time      = "5s"
do        = "destroy"
scheduler = "doomed"
[[at]]
time      = "8s"
do        = "unreserve"
thread    = "a"
[machine]
processors = 1
default = "ts"
"#
    .replace("default = \"ts\"\n", "")
    .replacen("length", "default = \"ts\"\nlength", 1)
    .as_str());
    let a = thread(&outcome, "a");
    assert!(
        outcome.refused.is_empty(),
        "a whole processor may be asked for: {:?}",
        outcome.refused
    );
    // Half until 2 s, a fifth until 4 s, all until 4.5 s, four tenths until 8 s, nothing then.
    let expected = 1_000 + 400 + 500 + 1_400;
    let received = a.received.as_nanos() / 1_000_000;
    assert!(received.abs_diff(expected) <= 60, "{received} ms, about {expected} ms");
    assert_eq!(thread(&outcome, "b").parent.as_deref(), Some("ts"));
    let node = outcome.nodes.iter().find(|node| node.name == "doomed");
    assert!(node.is_some_and(|node| !node.alive));
}

#[test]
fn law_a_timer_is_paid_by_a_processor_of_its_scheduler() {
    // While nobody else waits, a quantum ends for nobody, but where that is asked for.
    for (count, alone, scheduling) in [
        (1, false, [span("0ms"), span("0ms")]),
        (1, true, [span("900us"), span("400us")]),
        (2, false, [span("900us"), span("400us")]),
    ] {
        assert_eq!(quanta(count, alone), scheduling, "{count} threads, {alone}");
    }
}

/// The cost of the ends of quanta on each of two processors with that many threads.
fn quanta(count: usize, alone: bool) -> [windfall_time::Span; 2] {
    let outcome = run(&format!(
        r#"
length = "95ms"
[machine]
processors = 2
costs      = {{ timer = "100us" }}
[schedulers.often]
scheduler = "round-robin"
parent    = "top"
quantum   = "10ms"
ends-alone = {alone}
[schedulers.seldom]
scheduler = "round-robin"
parent    = "top"
quantum   = "20ms"
ends-alone = {alone}
[threads.a]
parent = "often"
run    = "spin"
count  = {count}
[threads.b]
parent = "seldom"
run    = "spin"
count  = {count}
"#
    ));
    let [often, seldom] = outcome.cpus.as_slice() else { panic!("two processors") };
    [often.scheduling, seldom.scheduling]
}

#[test]
fn law_a_budget_of_time_received_leaves_switches_and_overheads_out() {
    let received = |kind: &str, charges: &str| {
        let outcome = run(&format!(
            r#"
length = "10s"
[machine]
processors = 1
costs = {{ switch = "50us", decision = "5us" }}
[[interrupts]]
every = "7ms"
cost  = "300us"
[schedulers.res]
scheduler = "{kind}"
parent    = "top"
{charges}
[schedulers.rr]
scheduler = "round-robin"
parent    = "res"
quantum   = "500us"
guarantee = "RESBH 4ms 10ms"
[threads.a]
parent = "rr"
run    = "spin"
[threads.b]
parent = "rr"
run    = "spin"
"#
        ));
        outcome.cpus[0].received
    };
    for kind in ["rez", "cbs"] {
        let (elapsed, all) = (received(kind, ""), received(kind, "charges = \"received\""));
        assert!(elapsed < span("3600ms"), "{kind}: {elapsed} with the costs inside of the budget");
        // A rest of less than 50 us counts as used up.
        assert!(span("3950ms") <= all && all <= span("4s"), "{kind}: {all}");
    }
}

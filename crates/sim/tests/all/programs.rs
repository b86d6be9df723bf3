//! Declared programs on the simulated machine, by hand: every step of a phase.

use crate::common::{run, span, thread};
use windfall_scenario::Scenario;
use windfall_sim::Sim;
use windfall_time::Instant;

#[test]
fn locks_go_to_whoever_waits_longest() {
    let outcome = run(r#"
length = "10ms"
[machine]
processors = 2
[schedulers.edf]
scheduler  = "edf"
parent     = "top"
processors = 2
[threads.a]
parent = "edf"
phases = [{ name = "once", steps = [{ lock = "l" }, { run = "3ms" }, { unlock = "l" }] }]
loops  = 1
[threads.b]
parent = "edf"
start  = "1ms"
phases = [{ name = "once", steps = [{ lock = "l" }, { run = "2ms" }, { unlock = "l" }] }]
loops  = 1
"#);
    let b = thread(&outcome, "b");
    assert_eq!(b.received, span("2ms"));
    assert_eq!(b.wakeups, 2, "made, and given the lock");
    assert_eq!(b.response.most(), Some(span("2ms")), "from the lock to its end");
    assert_eq!(thread(&outcome, "a").received, span("3ms"));
}

#[test]
fn conditions_and_barriers_wake_whom_they_should() {
    let outcome = run(r#"
length = "100ms"
[machine]
processors = 4
[schedulers.edf]
scheduler  = "edf"
parent     = "top"
processors = 4
[threads.consumer]
parent = "edf"
count  = 2
steps  = [{ lock = "l" }, { wait = "c", lock = "l" }, { unlock = "l" }, { run = "1ms" }]
[threads.producer]
parent = "edf"
steps  = [{ sleep = "10ms" }, { lock = "l" }, { broadcast = "c" }, { unlock = "l" }]
[threads.meets]
parent = "edf"
count  = 2
steps  = [{ run = "3ms" }, { barrier = "b" }]
[threads.late]
parent = "edf"
steps  = [{ run = "5ms" }, { barrier = "b" }]
"#);
    for name in ["consumer-1", "consumer-2"] {
        assert_eq!(thread(&outcome, name).received, span("9ms"), "{name}: at 10, 20, ... 90");
    }
    let late = thread(&outcome, "late");
    // The four processors are shared by late and whoever else is awake: nobody waits for one.
    assert_eq!(late.received, span("100ms"));
    for name in ["meets-1", "meets-2"] {
        assert_eq!(thread(&outcome, name).received, span("60ms"), "{name}: 3 ms in every 5");
    }
}

#[test]
fn timers_keep_their_grid_or_begin_anew() {
    let text = |mode: &str| {
        format!(
            r#"
length = "100ms"
[schedulers.edf]
scheduler = "edf"
parent    = "top"
[threads.a]
parent = "edf"
loops  = 1
phases = [
    {{ name = "late", steps = [{{ run = "1ms" }}, {{ timer = "10ms", name = "t", mode = "{mode}" }}, {{ run = "25ms" }}] }},
    {{ name = "rest", loops = 4, steps = [{{ timer = "10ms", name = "t", mode = "{mode}" }}, {{ run = "1ms" }}] }},
]
"#
        )
    };
    // The grid begins with the thread: ticks at 10, 20, 30, 40, 50. The first job ends at 35.
    let absolute = run(&text("absolute"));
    let a = thread(&absolute, "a");
    assert_eq!(a.received, span("30ms"));
    assert_eq!(a.missed, 2, "due at 20 and done at 35; released at 20 and due at 30");
    let relative = run(&text("relative"));
    let a = thread(&relative, "a");
    assert_eq!(a.received, span("30ms"));
    assert_eq!(a.missed, 1, "after the miss at 35 the grid begins anew");
    assert_eq!(a.completed, 6, "what came before the first tick, and five jobs");
}

#[test]
fn law_the_grid_of_a_timer_begins_with_its_thread_and_not_with_its_first_visit() {
    let outcome = run(r#"
length = "95ms"
[machine]
processors = 2
[schedulers.edf]
scheduler = "edf"
parent    = "top"
processors = 2
[threads.works-first]
parent = "edf"
steps  = [{ run = "1ms" }, { timer = "10ms" }]
[threads.begins-late]
parent = "edf"
start  = "5ms"
loops  = 1
phases = [
    { name = "before", steps = [{ sleep = "42ms" }, { timer = "10ms", name = "t", mode = "absolute" }] },
    { name = "all that was missed", loops = 100, steps = [{ run = "1ms" }, { timer = "10ms", name = "t", mode = "absolute" }] },
]
"#);
    let first = thread(&outcome, "works-first");
    assert_eq!(first.received, span("10ms"), "at 0, 10, ... 90, not at 0, 11, 22, ...");
    let late = thread(&outcome, "begins-late");
    assert_eq!(late.received, span("8ms"), "at once for 15, 25, 35, 45, then at 55 to 85");
}

#[test]
fn law_threads_that_all_wait_for_ever_are_told_and_only_these() {
    let text = |length: &str, third: &str| {
        format!(
            r#"
length = "{length}"
[schedulers.rr]
scheduler = "round-robin"
parent    = "top"
[threads.a]
parent = "rr"
steps  = [{{ lock = "x" }}, {{ run = "1ms" }}, {{ lock = "y" }}, {{ unlock = "y" }}, {{ unlock = "x" }}]
[threads.b]
parent = "rr"
steps  = [{{ run = "500us" }}, {{ lock = "y" }}, {{ run = "20ms" }}, {{ lock = "x" }}, {{ unlock = "x" }}, {{ unlock = "y" }}]
[threads.c]
parent = "rr"
loops  = 1
steps  = [{{ run = "1ms" }}, {{ sleep = "{third}" }}]
"#
        )
    };
    let quantum = "quantum = \"1ms\"\n[threads.a]";
    let outcome = |length, third| run(&text(length, third).replace("[threads.a]", quantum)).waiting;
    assert_eq!(outcome("100ms", "1ms"), ["a", "b"], "c has ended");
    assert!(outcome("100ms", "1s").is_empty(), "c sleeps on");
    assert!(outcome("5ms", "1ms").is_empty(), "b runs still");
    assert_eq!(outcome("100ms", "18446744073.709551615s"), ["a", "b", "c"]);
}

#[test]
fn a_yield_lets_others_go_first_and_is_no_preemption() {
    let outcome = run(r#"
length = "10ms"
[schedulers.rr]
scheduler = "round-robin"
parent    = "top"
[threads.a]
parent = "rr"
steps  = [{ run = "1ms" }, "yield"]
[threads.b]
parent = "rr"
steps  = [{ run = "1ms" }, "yield"]
"#);
    for name in ["a", "b"] {
        let thread = thread(&outcome, name);
        assert_eq!(thread.received, span("5ms"), "{name}");
        assert_eq!(thread.preemptions, 0, "{name}");
        assert_eq!(thread.dispatches, 5, "{name}");
    }
}

#[test]
fn a_resume_is_remembered_by_a_thread_that_is_not_suspended() {
    let outcome = run(r#"
length = "100ms"
[schedulers.edf]
scheduler = "edf"
parent    = "top"
[threads.sleeper]
parent = "edf"
steps  = ["suspend", { run = "1ms" }]
[threads.waker]
parent = "edf"
loops  = 1
phases = [{ name = "two at once", steps = [{ sleep = "10ms" }, { resume = "sleeper" }, { resume = "sleeper" }] }]
"#);
    assert_eq!(thread(&outcome, "sleeper").received, span("2ms"));
}

#[test]
fn a_program_that_gets_nowhere_is_named() {
    let text = |phases: &str| {
        format!(
            "schema = 2\nseed = 1\nlength = \"10ms\"\n[schedulers.edf]\nscheduler = \"edf\"\n\
             parent = \"top\"\n[threads.stuck]\nparent = \"edf\"\n{phases}\n"
        )
    };
    let refused = Scenario::parse("stuck.toml", &text("steps = [\"yield\"]"));
    let why = refused.err().map(|mistakes| mistakes.render(false)).unwrap_or_default();
    assert!(why.contains("stuck.toml:9"), "a loop without time is refused: {why}");

    // A loop that does end, but only after very many steps at one instant.
    let long = "phases = [{ name = \"a\", loops = 1000000, steps = [\"yield\"] }, \
                { name = \"b\", steps = [{ run = \"1ms\" }] }]";
    let head = "schema = 2\nseed = 1\n";
    let outcome = run(text(long).strip_prefix(head).unwrap_or_default());
    let failure = outcome.failure.map(|failure| failure.to_string()).unwrap_or_default();
    assert!(failure.contains("`stuck`"), "{failure}");
}

#[test]
fn sporadic_jobs_keep_their_distance() {
    let outcome = run(r#"
length = "10s"
[schedulers.edf]
scheduler = "edf"
parent    = "top"
[threads.a]
parent   = "edf"
sporadic = { work = "1ms..2ms", gap = "5ms..15ms" }
"#);
    let a = thread(&outcome, "a");
    assert!(
        (900..1_100).contains(&a.released),
        "{} jobs in 10 s, 10 ms apart in the mean",
        a.released
    );
    let mean = a.received.as_nanos() / a.completed;
    assert!((1_450_000..1_550_000).contains(&mean), "{mean} ns of work each");
    assert!(a.interval <= span("16ms") && a.interval > span("10ms"));
}

const PLAYER: &str = r#"
length = "100ms"
[schedulers.res]
scheduler = "rez"
parent    = "top"
[threads.sound]
parent  = "res"
reserve = "3ms/10ms"
of      = "player"
match   = { comm = "data-loop*" }
periodic = "2ms/10ms"
[threads.player]
parent  = "res"
exec    = ["mpv", "film.mkv"]
"#;

#[test]
fn law_a_program_of_a_real_machine_is_simulated_as_what_stands_in_for_it() {
    let outcome = run(&format!("{PLAYER}run = \"spin\"\nreserve = \"1ms/10ms\"\n"));
    let declared =
        PLAYER.replace("of      =", "#").replace("match   =", "#").replace("exec    =", "#");
    let twin = run(&format!("{declared}run = \"spin\"\nreserve = \"1ms/10ms\"\n"));
    for name in ["sound", "player"] {
        let (one, other) = (thread(&outcome, name), thread(&twin, name));
        assert_eq!((one.received, one.completed), (other.received, other.completed), "{name}");
    }
    assert_eq!(thread(&outcome, "sound").received, span("20ms"));
}

#[test]
fn refuses_a_program_of_a_real_machine_of_which_nothing_is_known() {
    for more in ["", "profile = \"mpv\"\n"] {
        let text = format!("schema = 2\nseed = 1\n{PLAYER}{more}");
        let plan = Scenario::parse("p.toml", &text).unwrap().build().unwrap();
        assert_eq!(plan.claims(1), [0, 1], "the sound's threads first");
        let Err(why) = Sim::of(plan, None) else { panic!("simulated:\n{text}") };
        let why = why.to_string();
        assert!(why.contains("`player`") && why.contains("periodic = \"3ms/10ms\""), "{why}");
    }
}

#[test]
fn law_a_follower_that_starts_late_has_nothing_to_catch_up_with() {
    let outcome = run(r#"
length = "50ms"
[schedulers.edf]
scheduler = "edf"
parent    = "top"
[threads.first]
parent   = "edf"
periodic = { work = "2ms", period = "10ms", count = 4 }
[threads.second]
parent = "edf"
start  = "15ms"
after  = { thread = "first", work = "1ms" }
"#);
    let second = thread(&outcome, "second");
    assert_eq!((second.released, second.completed), (2, 2), "at 22 and 32 ms");
    assert_eq!(second.received, span("2ms"));
}

#[test]
fn law_a_thread_that_its_scheduler_refuses_runs_below_the_default() {
    let outcome = run(r#"
length  = "100ms"
default = "rr"
[schedulers.fp]
scheduler = "fixed-priority"
parent    = "top"
[schedulers.rr]
scheduler = "round-robin"
parent    = "fp"
priority  = 1
[schedulers.rez]
scheduler = "rez"
parent    = "fp"
priority  = 2
[threads.has]
parent  = "rez"
reserve = "8ms/10ms"
run     = "spin"
[threads.lacks]
parent  = "rez"
reserve = "5ms/10ms"
start   = "50ms"
run     = "spin"
"#);
    assert_eq!(outcome.not_admitted, [] as [String; 0]);
    assert_eq!(thread(&outcome, "lacks").received, span("10ms"), "what is left of 50 ms");
    assert_eq!(thread(&outcome, "lacks").parent.as_deref(), Some("rr"));
    let [(at, why)] = outcome.refused.as_slice() else { panic!("{:?}", outcome.refused) };
    assert_eq!(*at, Instant::ZERO + span("50ms"));
    assert!(why.starts_with("`lacks` begins below the default `rr`: asked for "), "{why}");
}

//! Past defects, one test each, named after the defect.

mod promises;

use crate::common::{run, span, thread};

const LATE: &str = r#"
[schedulers.e]
scheduler = "edf"
parent    = "top"
late      = "abort"
"#;

#[test]
fn r0006_a_long_backlog_of_late_jobs_is_given_up_without_recursion() {
    let outcome = run(r#"
length = "3s"
[machine]
processors = 2
[schedulers.f]
scheduler = "round-robin"
parent    = "top"
[schedulers.e]
scheduler = "edf"
parent    = "top"
late      = "abort"
[threads.a]
parent   = "f"
periodic = { work = "10s", period = "10us", deadline = "10us", late = "abort" }
[threads.b]
parent   = "f"
periodic = { work = "10s", period = "10us", deadline = "10us" }
[[at]]
time   = "2s"
do     = "move"
thread = "a"
to     = "e"
[[at]]
time   = "2s"
do     = "move"
thread = "b"
to     = "e"
"#);
    assert!(thread(&outcome, "a").aborted >= 299_990);
    assert!(
        thread(&outcome, "b").aborted >= 299_990,
        "the scheduler gives up what the program would not"
    );
}

#[test]
fn r0007_many_jobs_expire_at_one_instant_within_the_protocol() {
    for (count, processors) in [(1, 1), (24, 1), (64, 4), (1_000, 1), (5_000, 4)] {
        let outcome = run(&format!(
            r#"
length = "30ms"
[machine]
processors = {processors}
[schedulers.e]
scheduler  = "edf"
parent     = "top"
processors = {processors}
late       = "abort"
[threads.a]
parent   = "e"
count    = {count}
periodic = {{ work = "11ms", period = "10ms", deadline = "10ms" }}
"#
        ));
        assert_eq!(outcome.quarantined, [], "{count} threads on {processors}");
        assert_eq!(outcome.failure, None);
        let aborted: Vec<u64> = outcome.threads.iter().map(|thread| thread.aborted).collect();
        assert!(
            aborted.iter().all(|aborted| *aborted >= 2),
            "{count} on {processors}: {aborted:?}"
        );
    }
}

#[test]
fn r0008_a_program_that_cannot_give_up_its_job_goes_on_without_a_deadline() {
    let outcome = run(&format!(
        r#"
length = "1s"
{LATE}
[threads.a]
parent   = "e"
periodic = "1ms..12ms/10ms"
[threads.b]
parent = "e"
steps  = [{{ timer = "10ms" }}, {{ run = "1ms..12ms" }}]
"#
    )
    .replace("\"1ms..12ms/10ms\"", "{ work = \"1ms..12ms\", period = \"10ms\" }"));
    assert!(outcome.cpus[0].idle < span("200ms"), "idle {}", outcome.cpus[0].idle);
    for name in ["a", "b"] {
        assert!(thread(&outcome, name).completed > 20, "{name}");
    }
}

#[test]
fn a_late_job_is_given_up_under_any_scheduler_where_its_thread_wishes_so() {
    let outcome = run(r#"
length = "100ms"
[schedulers.r]
scheduler = "rate-monotonic"
parent    = "top"
[threads.a]
parent   = "r"
periodic = { work = "12ms", period = "20ms", deadline = "5ms", late = "abort" }
"#);
    let a = thread(&outcome, "a");
    assert_eq!((a.completed, a.aborted, a.missed), (0, 5, 5));
    assert_eq!(a.received, span("25ms"));
}

#[test]
fn r0009_a_thread_whose_scheduler_is_gone_begins_below_the_default() {
    for when in ["0s", "1s"] {
        let outcome = run(&format!(
            r#"
length  = "10s"
default = "d"
[schedulers.d]
scheduler = "round-robin"
parent    = "top"
[schedulers.e]
scheduler = "round-robin"
parent    = "d"
[threads.a]
parent = "e"
start  = "3s"
run    = "spin"
[[at]]
time      = "{when}"
do        = "destroy"
scheduler = "e"
"#
        ));
        assert_eq!(thread(&outcome, "a").received, span("7s"));
        assert_eq!(thread(&outcome, "a").parent.as_deref(), Some("d"));
        assert!(outcome.refused.iter().any(|(_, why)| why.contains("default")), "it is said");
    }
}

#[test]
fn r0010_time_below_a_join_is_put_down_to_the_parent_that_gave_it() {
    let outcome = run(r#"
length = "100ms"
[schedulers.root]
scheduler = "fixed-priority"
parent    = "top"
[schedulers.z]
scheduler = "rez"
parent    = "root"
priority  = 9
[schedulers.bg]
scheduler = "round-robin"
parent    = "root"
priority  = 1
[schedulers.j]
scheduler = "join"
parents   = ["bg", { parent = "z", reserve = "2ms/10ms" }]
[threads.a]
parent = "j"
run    = "spin"
"#);
    let received = |name: &str| {
        let node = outcome.nodes.iter().find(|node| node.name == name);
        node.map(|node| node.received)
    };
    assert_eq!(received("z"), Some(span("20ms")));
    assert_eq!(received("bg"), Some(span("80ms")));
    assert_eq!(received("j"), Some(span("100ms")));
    assert_eq!(received("root"), Some(span("100ms")));
}

#[test]
fn r0011_interrupts_without_end_take_all_time_and_little_memory() {
    let outcome = run(r#"
length = "1s"
[[interrupts]]
gap  = "1us..2us"
cost = "3us..4us"
[[interrupts]]
gap    = "1us..2us"
cost   = "3us..4us"
number = 2
[schedulers.r]
scheduler = "round-robin"
parent    = "top"
[threads.a]
parent = "r"
run    = "spin"
"#);
    assert_eq!(outcome.failure, None);
    assert!(outcome.cpus[0].stolen >= span("999ms"));
}

/// `smart` runs the most urgent of its important children; a third one that is not urgent decides which of two it considers. Three virtual
/// processors of one parent were requested and withdrawn in turn, without end.
#[test]
fn r0012_several_virtual_processors_of_one_smart_do_not_circle() {
    let outcome = run(r#"
length  = "500ms"
default = "s"
[schedulers.s]
scheduler = "smart"
parent    = "top"
[schedulers.t]
scheduler = "time-sharing"
parents   = ["s", { parent = "s", rate = "500us/5ms", priority = 13 }, { parent = "s", rate = "4ms", priority = 1 }]
[threads.a]
parent = "t"
run    = "spin"
[threads.b]
parent = "s"
run    = "spin"
rate   = "400us/4ms"
"#);
    assert_eq!(outcome.quarantined, []);
    assert_eq!(thread(&outcome, "a").received + thread(&outcome, "b").received, span("500ms"));
}

/// As before, where the gang has two virtual processors of one `smart`: its requests were withdrawn in another file than those of the others.
#[test]
fn r0012_a_gang_on_two_virtual_processors_of_one_smart_does_not_circle() {
    let outcome = run(r#"
length  = "500ms"
default = "s0"
[schedulers.s0]
scheduler = "smart"
parent    = "top"
[schedulers.s1]
scheduler  = "activity"
parent     = "s0"
processors = 2
[schedulers.s2]
scheduler = "cbs"
parents   = [{ parent = "s0", share = 4, priority = 2, rate = "4ms" }, "s0"]
overrun   = "postpone"
[schedulers.s3]
scheduler = "edf"
parent    = "s0"
[schedulers.s4]
scheduler = "activity"
parent    = "s0"
share     = 18
priority  = 7
rate      = "4ms"
[schedulers.s5]
scheduler = "activity"
parent    = "s0"
[schedulers.s6]
scheduler  = "linux-2.4"
parent     = "s0"
processors = 2
[schedulers.s7]
scheduler = "gang"
parents   = [{ parent = "s0", share = 527, priority = 1, rate = "1ms/10ms" }, { parent = "s0", priority = 1 }]
[threads.periodic]
parent   = "s0"
periodic = "259us/5.259ms"
rate     = "4ms"
[threads.b]
parent = "s0"
run    = "spin"
[threads.c]
parent = "s7"
run    = "spin"
[threads.d]
parent = "s0"
run    = "spin"
"#);
    assert_eq!(outcome.quarantined, []);
    let all = ["periodic", "b", "c", "d"].map(|name| thread(&outcome, name).received);
    assert_eq!(all.into_iter().fold(span("0s"), |sum, one| sum + one), span("500ms"));
}

/// A child that is set apart ranked by its warp among those that share.
#[test]
fn r0016_a_child_that_is_set_apart_runs_whatever_the_warps_are() {
    let outcome = run(r#"
length = "500ms"
[machine]
processors = 2
[schedulers.s]
scheduler  = "proportional-share"
parent     = "top"
processors = 2
dedicate   = true
[threads.a]
parent   = "s"
run      = "spin"
warp     = "60ms"
priority = 9
[threads.b]
parent   = "s"
run      = "spin"
warp     = "49ms"
priority = 17
[threads.c]
parent   = "s"
run      = "spin"
warp     = "39ms"
priority = 54
"#);
    assert_eq!(thread(&outcome, "c").received, span("500ms"));
}

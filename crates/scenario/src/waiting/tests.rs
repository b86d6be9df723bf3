use super::*;
use crate::model::Requirements;

fn threads(all: &[&[Step]]) -> Vec<Thread> {
    let one = |(number, steps): (usize, &&[Step])| {
        Thread::new(
            &format!("t{number}"),
            "rr",
            Requirements::default(),
            Run::steps(steps.to_vec()),
        )
    };
    all.iter().enumerate().map(one).collect()
}

fn wait(condition: &str) -> Step {
    Step::Wait { condition: condition.to_owned(), lock: "l".to_owned() }
}

fn signal(condition: &str) -> Step {
    Step::Signal(condition.to_owned())
}

/// The threads that wait for ever, and their steps.
fn stuck(threads: &[Thread]) -> Vec<(usize, usize)> {
    endless(threads).into_iter().map(|endless| (endless.thread, endless.step)).collect()
}

#[test]
fn law_a_wait_that_only_somebody_who_waits_could_end_is_for_ever() {
    let circle = threads(&[&[wait("a"), signal("b")], &[wait("b"), signal("a")]]);
    assert_eq!(stuck(&circle), [(0, 0), (1, 0)]);
    let begun = threads(&[&[wait("a"), signal("b")], &[signal("a"), wait("b")]]);
    assert_eq!(stuck(&begun), []);
    let behind =
        threads(&[&[wait("a")], &[wait("nobody"), signal("a")], &[signal("c"), wait("c")]]);
    assert_eq!(stuck(&behind), [(0, 0), (1, 0), (2, 1)], "a signal to oneself wakes nobody");
}

#[test]
fn law_check_says_who_waits_for_ever_and_why() {
    let text = r#"
schema = 2
seed = 1
length = "1s"
[schedulers.rr]
scheduler = "round-robin"
parent = "top"
[threads.a]
parent = "rr"
steps = [{ lock = "l" }, { wait = "c", lock = "l" }, { unlock = "l" }, { signal = "d" }]
[threads.b]
parent = "rr"
steps = [{ lock = "l" }, { wait = "d", lock = "l" }, { unlock = "l" }, { signal = "c" }]
[threads.c]
parent = "rr"
steps = [{ run = "1ms" }]
"#;
    let scenario = Scenario::parse("circle.toml", text).map_err(|m| m.render(false)).unwrap();
    let expected = [
        "`a` comes to wait for ever: no other thread gets as far as to signal `c`",
        "`b` comes to wait for ever: no other thread gets as far as to signal `d`",
    ];
    assert_eq!(scenario.waits_for_ever(), expected);
}

#[test]
fn law_a_resume_and_a_barrier_end_waits_as_well() {
    let resume = |name: &str| Step::Resume(name.to_owned());
    let resumed = threads(&[&[Step::Suspend], &[resume("t0")], &[Step::Suspend]]);
    assert_eq!(stuck(&resumed), [(2, 0)]);
    let barrier = || Step::Barrier("b".to_owned());
    assert_eq!(stuck(&threads(&[&[barrier()], &[signal("c"), barrier()]])), []);
    assert_eq!(stuck(&threads(&[&[barrier()], &[wait("c"), barrier()]])), [(0, 0), (1, 0)]);
}

#[test]
fn law_what_follows_an_endless_loop_is_not_reached() {
    let mut both = threads(&[&[wait("a")], &[Step::Yield]]);
    let phase = |loops, steps| crate::model::Phase::new("p", steps).loops(loops);
    let phases = |loops| vec![phase(loops, vec![Step::Yield]), phase(1, vec![signal("a")])];
    both[1].run = Run::Phases { loops: None, phases: phases(u64::MAX) };
    assert_eq!(stuck(&both), [(0, 0)]);
    both[1].run = Run::Phases { loops: None, phases: phases(1_000_000) };
    assert_eq!(stuck(&both), []);
}

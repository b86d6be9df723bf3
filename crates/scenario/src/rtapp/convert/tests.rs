use super::*;
use crate::rtapp::parse;

fn convert_text(text: &str) -> Converted {
    convert(&parse(text).unwrap())
}

fn steps(converted: &Converted, thread: usize) -> Vec<Step> {
    let Program::Phases { phases, .. } = &converted.threads[thread].program else {
        panic!("rt-app threads are phases")
    };
    phases.iter().flat_map(|phase| phase.steps.clone()).collect()
}

fn us(n: u64) -> Span {
    Span::from_micros(n).unwrap()
}

fn run(n: u64) -> Step {
    Step::Run(Work::Fixed(us(n)))
}

#[test]
fn law_every_event_with_a_meaning_here_becomes_its_step() {
    let converted = convert_text(
        r#"{"tasks":{"t":{"loop":3,"phases":{"p":{"loop":5,"timer":{"ref":"unique1","period":9},
        "run":7,"sleep":2,"lock":"m","wait":{"ref":"c","mutex":"m"},"signal":"c","broad":"c",
        "sync":{"ref":"c","mutex":"m"},"unlock":"m","barrier":"b","yield":"",
        "timer2":{"ref":"unique2","period":4,"mode":"absolute"}}}},"u":{"run":1,"barrier":"b"}}}"#,
    );
    let (lock, condition, barrier) = (Resource(0), Resource(1), Resource(2));
    let timer = |timer, period, tick| Step::Timer { timer, period: us(period), tick };
    let expected = [
        timer(0, 9, Tick::Relative),
        run(7),
        Step::Sleep(us(2)),
        Step::Lock(lock),
        Step::Wait { condition, lock },
        Step::Signal(condition),
        Step::Broadcast(condition),
        Step::Signal(condition),
        Step::Wait { condition, lock },
        Step::Unlock(lock),
        Step::Barrier(barrier),
        Step::Yield,
        timer(1, 4, Tick::Absolute),
    ];
    assert_eq!(steps(&converted, 0), expected);
    let Program::Phases { loops, phases } = &converted.threads[0].program else { panic!() };
    assert_eq!((*loops, phases[0].loops, phases[0].name.as_str()), (Some(3), 5, "p"));
    let kinds: Vec<_> = converted.resources.iter().map(|shared| shared.kind).collect();
    assert_eq!(kinds, [SharedKind::Mutex, SharedKind::Condition, SharedKind::Barrier]);
    assert_eq!(converted.unconverted, []);
}

#[test]
fn law_a_suspended_task_is_resumed_by_its_name() {
    let converted = convert_text(
        r#"{"tasks":{"a":{"suspend":"","run":1},"b":{"run":2,"resume":"a","sleep":5}}}"#,
    );
    let (lock, condition) = (Resource(0), Resource(1));
    let expected = [Step::Lock(lock), Step::Wait { condition, lock }, Step::Unlock(lock), run(1)];
    assert_eq!(steps(&converted, 0), expected);
    let resumes = [
        run(2),
        Step::Lock(lock),
        Step::Broadcast(condition),
        Step::Unlock(lock),
        Step::Sleep(us(5)),
    ];
    assert_eq!(steps(&converted, 1), resumes);
    assert_eq!(converted.unconverted, []);
}

#[test]
fn law_instances_delay_and_scheduling_are_kept() {
    let converted = convert_text(
        r#"{"global":{"duration":2},"tasks":{
        "a":{"instance":3,"delay":50,"policy":"SCHED_FIFO","priority":7,"run":1},
        "b":{"run":1}}}"#,
    );
    let names: Vec<_> = converted.threads.iter().map(|thread| thread.name.as_str()).collect();
    assert_eq!(names, ["a-0", "a-1", "a-2", "b"]);
    assert_eq!(converted.threads[2].delay, us(50));
    assert_eq!(converted.threads[2].scheduling.priority, Some(7));
    assert_eq!(converted.duration, Some(Span::from_secs(2)));
}

#[test]
fn law_what_cannot_be_said_is_told_and_never_dropped_in_silence() {
    let converted = convert_text(
        r#"{"tasks":{"t":{"run":1,"mem":7,"iorun":8,
        "memrun":{"type":"read","size":5,"count":6},
        "sem_post":"s","sem_wait":"s","fork":"u","runtime":9},"u":{"instance":0,"run":1}}}"#,
    );
    assert_eq!(steps(&converted, 0), [run(1), run(9)]);
    let told: Vec<_> = converted
        .unconverted
        .iter()
        .map(|one| (one.task.as_str(), one.event.as_str(), one.left_out))
        .collect();
    let expected = [
        ("t", "mem", true),
        ("t", "iorun", true),
        ("t", "memrun", true),
        ("t", "sem_post", true),
        ("t", "sem_wait", true),
        ("t", "fork", true),
        ("t", "runtime", false),
        ("u", "", true),
    ];
    assert_eq!(told, expected);
    let text = converted.unconverted[0].to_string();
    assert!(text.starts_with("rt-app: line 1: task `t`, `mem`: left out: "), "{text}");
}

#[test]
fn law_a_timer_of_many_threads_is_told() {
    let timer = r#""timer":{"ref":"tick","period":10}"#;
    let text =
        |instances| format!(r#"{{"tasks":{{"t":{{"instance":{instances},"run":1,{timer}}}}}}}"#);
    let texts = |converted: Converted| -> Vec<String> {
        converted.unconverted.into_iter().map(|one| one.text).collect()
    };
    assert_eq!(texts(convert_text(&text(1))), Vec::<String>::new());
    let two = texts(convert_text(&text(2)));
    assert_eq!(two[0], "each thread has a timer `tick` of its own");
}

#[test]
fn law_a_loop_of_which_nothing_is_left_that_takes_time_is_busy_as_in_rt_app() {
    let converted = convert_text(
        r#"{"tasks":{"t":{"mem":7,"yield":""},"u":{"mem":7},"v":{"loop":5,"mem":7},
        "w":{"phases":{"p":{"loop":5000,"yield":""},"q":{"run":1}}}}}"#,
    );
    let names: Vec<_> = converted.threads.iter().map(|thread| thread.name.as_str()).collect();
    assert_eq!(names, ["t", "u", "w"], "of `v` nothing is left");
    assert_eq!(steps(&converted, 0), [Step::Yield, run(1000)]);
    assert_eq!(steps(&converted, 1), [run(1000)]);
    assert_eq!(steps(&converted, 2), [Step::Yield, run(1), run(1)]);
    let texts: Vec<_> = converted.unconverted.iter().map(ToString::to_string).collect();
    let expected = "rt-app: line 1: task `t`: not exact: some of what it repeats takes a time that \
                    is not known; here 1ms";
    assert!(texts.iter().any(|text| text == expected), "{texts:?}");
    assert!(texts.iter().any(|text| text.ends_with("task `v`: left out: nothing is left of it")));
    for thread in &converted.threads {
        let Program::Phases { phases, .. } = &thread.program else { panic!() };
        let named = thread.events.iter().map(Vec::len);
        assert!(named.eq(phases.iter().map(|phase| phase.steps.len())), "a name for each step");
    }
}

#[test]
fn law_a_task_is_scheduled_as_in_its_first_phase_and_later_changes_are_told_with_their_lines() {
    let converted = convert_text(
        r#"{"global":{"default_policy":"SCHED_RR","pi_enabled":true},"tasks":{
        "a":{"cpus":[2],"util_min":5,"phases":{
            "p":{"cpus":[0],"priority":7,"run":1,"lock":"m","unlock":"m"},
            "q":{"run":1},
            "r":{"cpus":[0],"policy":"SCHED_OTHER","run":1},
            "s":{"cpus":[0],"loop":-1,"run":1},
            "t":{"run":1}}}}}"#,
    );
    let own = &converted.threads[0].scheduling;
    assert_eq!((own.policy, own.priority), (Some(Policy::RoundRobin), Some(7)));
    assert_eq!((own.cpus.as_deref(), own.line("cpus")), (Some([0].as_slice()), Some(3)));
    let told: Vec<_> = converted.unconverted.iter().map(ToString::to_string).collect();
    let expected = [
        "rt-app: line 1: `pi_enabled`: left out: a thread that holds a lock keeps its own priority",
        "rt-app: line 2: task `a`, `util_min`: left out: it chooses frequencies, and processors here \
         have one speed",
        "rt-app: line 4: task `a`, `cpus`: left out: phase `q` is for processor 2; here it stays on \
         processor 0",
        "rt-app: line 5: task `a`, `policy`: left out: phase `r` changes how the task is scheduled",
        "rt-app: line 7: task `a`: left out: phase `t` is never reached: `s` loops for ever",
    ];
    assert_eq!(told, expected);
}

#[test]
fn law_a_barrier_of_one_thread_holds_nobody_up() {
    let converted = convert_text(r#"{"tasks":{"t":{"run":1,"barrier":"b"}}}"#);
    assert_eq!(steps(&converted, 0), [run(1)]);
    assert_eq!(converted.unconverted.len(), 1);
    let twice = r#"{"tasks":{"t":{"instance":2,"run":1,"barrier":"b","barrier2":"b"}}}"#;
    let twice = convert_text(twice);
    assert_eq!(steps(&twice, 1).len(), 3);
    assert!(twice.unconverted[0].text.contains("one thread more"), "{:?}", twice.unconverted);
}

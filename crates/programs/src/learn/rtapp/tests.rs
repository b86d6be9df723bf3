use super::*;
use windfall_trace::import::rtapp::parse;

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
        "timer2":{"ref":"unique2","period":4,"mode":"absolute"}}}}}}"#,
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
    // The second timer's first visit is not where the thread begins.
    assert_eq!(converted.unconverted.len(), 1);
    assert!(!converted.unconverted[0].left_out);
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
fn law_a_timer_of_many_threads_and_a_late_first_visit_are_told() {
    let timer = r#""timer":{"ref":"tick","period":10}"#;
    let text =
        |instances| format!(r#"{{"tasks":{{"t":{{"instance":{instances},"run":1,{timer}}}}}}}"#);
    let texts = |converted: Converted| -> Vec<String> {
        converted.unconverted.into_iter().map(|one| one.text).collect()
    };
    let one = texts(convert_text(&text(1)));
    assert_eq!(one, ["its grid begins at its first visit, not when the thread begins"]);
    let two = texts(convert_text(&text(2)));
    assert_eq!(two[1], "each thread has a timer `tick` of its own");
}

#[test]
fn refuses_a_task_that_would_spin_without_taking_time() {
    let converted = convert_text(r#"{"tasks":{"t":{"mem":7,"yield":""},"u":{"mem":7}}}"#);
    assert_eq!(converted.threads, []);
    let texts: Vec<_> = converted.unconverted.iter().map(|one| one.text.as_str()).collect();
    assert!(texts.contains(&"nothing that takes time or waits is left of what it repeats"));
}

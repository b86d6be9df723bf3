use super::*;
use proptest::prelude::*;
use windfall_time::Span;

fn micros(us: u64) -> Span {
    Span::from_micros(us).unwrap()
}

fn actions(app: &RtApp) -> Vec<Action> {
    app.tasks[0].phases[0].events.iter().map(|event| event.action.clone()).collect()
}

const UX: &str = r#"
{"tasks":{"ctl":{"policy":"SCHED_DEADLINE","dl-runtime":300,"dl-period":1000,
                 "phases":{"p":{"loop":500,"run":250,"timer":{"ref":"unique","period":1000,"mode":"absolute"}}}}},
 "global":{"duration":1,"calibration":"CPU0","ftrace":"task,loop"}}
"#;

#[test]
fn accepts_the_sample() {
    let app = parse(UX).unwrap();
    assert_eq!(app.warnings, []);
    assert_eq!(app.global.duration, Some(Span::from_secs(1)));
    assert_eq!((app.global.ftrace.as_str(), app.global.lock_pages), ("task,loop", true));
    let [task] = &app.tasks[..] else { panic!() };
    assert_eq!((task.name.as_str(), task.instance, task.loops), ("ctl", 1, None));
    let reservation =
        Reservation { runtime: micros(300), period: micros(1000), deadline: micros(1000) };
    assert_eq!(task.scheduling.reservation(), Some(reservation));
    assert_eq!(task.phases[0].loops, Some(500));
    let timer = Action::Timer { reference: "unique".into(), period: micros(1000), absolute: true };
    assert_eq!(actions(&app), [Action::Run(micros(250)), timer]);
}

#[test]
fn accepts_what_is_no_json() {
    let text = "/* a */ { // b\n 'tasks': { \"t\": { \"loop\": 3, \"run_a\": 10, \"yield\" \
                \"runtime2\": +5, \"sleep\": 1,, }, }, } trailing";
    let app = parse(text).unwrap();
    assert_eq!(app.tasks[0].loops, Some(3));
    let expected = [
        Action::Run(micros(10)),
        Action::Yield,
        Action::Runtime(micros(5)),
        Action::Sleep(micros(1)),
    ];
    assert_eq!(actions(&app), expected);
    let texts: Vec<&str> = app.warnings.iter().map(|warning| warning.text.as_str()).collect();
    let end = "what follows the file's end is ignored";
    assert_eq!(texts, ["`yield` has no value", "a comma is missing before this", end]);
}

#[test]
fn law_keys_given_twice_are_read_as_asked_and_told() {
    let text = r#"{"tasks":{"t":{"run":10,
        "sleep":20,
        "run":30}}}"#;
    let in_order = parse(text).unwrap();
    let (run, sleep) = (|us| Action::Run(micros(us)), Action::Sleep(micros(20)));
    assert_eq!(actions(&in_order), [run(10), sleep.clone(), run(30)]);
    let json_c = parse_as(text, Duplicates::JsonC).unwrap();
    assert_eq!(actions(&json_c), [run(30), sleep]);
    for app in [in_order, json_c] {
        let [warning] = &app.warnings[..] else { panic!("{:?}", app.warnings) };
        assert_eq!(warning.line, 3);
        assert!(warning.text.contains("place of line 1") && warning.text.contains("of line 3"));
    }
}

#[test]
fn accepts_every_event_by_its_beginning() {
    let text = r#"{"tasks":{"t":{
        "lock1":"m","wait1":{"ref":"c","mutex":"m"},"signal1":"c","broad1":"c",
        "sync1":{"ref":"c","mutex":"m"},"unlock1":"m","sleep1":1,"runtime1":2,"run1":3,
        "timer1":{"ref":"t","period":4},"suspend1","resume1":"a",
        "memrun1":{"type":"chase","size":5,"count":6},"mem1":7,"iorun1":8,"yield1":"",
        "barrier1":"b","fork1":"t","sem_post1":"s","sem_wait1":"s"}}}"#;
    let app = parse(text).unwrap();
    assert_eq!(app.tasks[0].phases[0].events.len(), action::EVENTS.len());
    let memory = Action::MemoryRun {
        kind: "chase".into(),
        size: 5,
        count: 6,
        stride: 64,
        pattern: "random".into(),
        reference: None,
    };
    assert!(actions(&app).contains(&memory));
    assert!(actions(&app).contains(&Action::Sync { reference: "c".into(), mutex: "m".into() }));
}

#[test]
fn law_an_old_runtime_beside_a_period_is_a_reservation() {
    let text = r#"{"tasks":{"t":{"policy":"SCHED_DEADLINE","runtime":3,"period":10,"run":2}}}"#;
    let app = parse(text).unwrap();
    let reservation = app.tasks[0].scheduling.reservation().unwrap();
    assert_eq!((reservation.runtime, reservation.period), (micros(3), micros(10)));
    assert_eq!(actions(&app), [Action::Run(micros(2))]);
    assert_eq!(app.warnings.len(), 1);
    let text = r#"{"tasks":{"t":{"runtime":3,"sleep":10}}}"#;
    assert_eq!(actions(&parse(text).unwrap())[0], Action::Runtime(micros(3)));
}

#[test]
fn refuses_with_place_and_remedy() {
    let cases = [
        ("{\n \"task\": {}}", "1:1: no `tasks`; write \"tasks\": { \"name\": { ... } }"),
        (
            "{\n \"task\": {}}",
            "2:2: unknown key `task` in the file, which rt-app would ignore; did you mean `tasks`?",
        ),
        (
            r#"{"tasks":{"a":{"slep":1,"run":1}}}"#,
            "1:16: unknown key `slep` in task `a`, which rt-app would ignore; did you mean `sleep`?",
        ),
        (
            r#"{"tasks":{"a":{"run":-1}}}"#,
            "`run` is -1; allowed: 0 to 18446744073709551 microseconds",
        ),
        (r#"{"tasks":{"a":{"run":1.5}}}"#, "`run` is 1.5; write a whole number"),
        (r#"{"tasks":{"a":{"policy":"SCHED_FIFI","run":1}}}"#, "did you mean `SCHED_FIFO`?"),
        (r#"{"tasks":{"a":{"exec":5,"period":9}}}"#, "`exec` is of rt-app's oldest files"),
        (r#"{"tasks":{"a":{"timer":{"ref":"u"}}}}"#, "`timer` has no `period`"),
        (r#"{"tasks":{"a":{"fork":"b","run":1}}}"#, "`fork` names no task: `b`"),
        (r#"{"tasks":{"a":{}}}"#, "task `a` has no events"),
        (r#"{"tasks":{"a":{"util_max":1025,"run":1}}}"#, "allowed: 0 to 1024"),
        ("{\"tasks\":{", "opened here and never closed; write `}`"),
        ("[", "opened here and never closed"),
        ("", "the file ends where a value should be"),
        ("{run:1}", "not a key; write it in quotes"),
    ];
    for (text, expected) in cases {
        let message = parse(text).unwrap_err().to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn law_what_rt_app_ignores_is_told() {
    let text = r#"{"comment":"x","tasks":{"a":{"run":1,"colour":"red"}}}"#;
    let app = parse(text).unwrap();
    assert_eq!(app.warnings.len(), 2);
    assert!(app.warnings[1].text.contains("unknown key `colour` in task `a`; ignored"));
}

#[test]
fn refuses_endless_nesting() {
    let message = parse(&"[".repeat(100_000)).unwrap_err().to_string();
    assert!(message.contains("deeper than 64"));
}

proptest! {
    #[test]
    fn law_no_text_panics(text: String) {
        let _ = parse(&text);
    }

    #[test]
    fn law_no_mutation_panics(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), "[\\[\\]{}:,\"'0-9a-z/*\\\\-]?"), 1..8)
    ) {
        let mut text = UX.to_owned();
        for (place, put) in cuts {
            let place = place.index(text.len());
            text.replace_range(place..=place, &put);
            if text.is_empty() {
                break;
            }
        }
        let _ = parse(&text);
        let _ = parse_as(&text, Duplicates::JsonC);
    }
}

#[test]
fn limit_threads_processors_and_bytes_are_tested_at_the_door() {
    let instances = |n: u64| format!("{{\"tasks\":{{\"a\":{{\n\"instance\":{n},\n\"run\":1}}}}}}");
    assert_eq!(parse(&instances(100_000)).unwrap().tasks[0].instance, 100_000);
    let many = parse(&instances(2_000_000_000)).unwrap_err().to_string();
    assert_eq!(
        many,
        "rt-app: 2:1: `instance` of task `a` is 2000000000; allowed: at most 100000 threads in the \
         whole file, of which 100000 are left here"
    );
    let two = r#"{"tasks":{"a":{"instance":99999,"run":1},"b":{"instance":2,"run":1}}}"#;
    assert!(parse(two).unwrap_err().to_string().contains("of which 1 are left here"));
    let events = r#"{"tasks":{"a":{"instance":99999,"run":1,"run":2,"run":1,"run":2,"run":1,
        "run":2,"run":1,"run":2,"run":1,"run":2,"run":1,"run":2}}}"#;
    assert!(parse(events).unwrap_err().to_string().contains("`instance` is at most 83333 here"));

    let cpus = |n: u64| format!("{{\"tasks\":{{\"a\":{{\n\"cpus\":[{n}],\"run\":1}}}}}}");
    assert_eq!(parse(&cpus(1023)).unwrap().tasks[0].scheduling.cpus, Some(vec![1023]));
    for n in [1024, 4_294_967_295, u64::MAX / 2] {
        let message = parse(&cpus(n)).unwrap_err().to_string();
        assert_eq!(message, format!("rt-app: 2:9: `cpus` holds {n}; allowed: 0 to 1023"));
    }

    // Doubtful places, and problems, are not listed for ever.
    let commas =
        format!("{{\"tasks\":{{\"a\":{{\"run\":1,{}\"run2\":1}}}}}}", "\"x\":1 ".repeat(20_000));
    assert!(parse(&commas).unwrap_err().to_string().contains("more than 10000 doubtful places"));
    let twice = commas.replace("1 \"", "1,\"");
    assert!(parse(&twice).unwrap_err().to_string().contains("more than 10000 doubtful places"));
    let wrong: Vec<String> = (0..1000).map(|n| format!("\"t{n}\":{{\"run\":-1}}")).collect();
    let wrong = parse(&format!("{{\"tasks\":{{{}}}}}", wrong.join(","))).unwrap_err();
    assert_eq!(wrong.problems.len(), 101);
    assert!(wrong.problems[100].text.contains("900 more"), "{}", wrong.problems[100]);

    let long = " ".repeat(usize::try_from(MOST_BYTES).unwrap() + 1);
    assert!(parse(&long).unwrap_err().to_string().contains("more than 16777216 bytes"));
}

#[test]
fn refuses_what_rt_app_or_the_kernel_would() {
    let cases = [
        (r#""lock":"m""#, "`lock`: task `a` never gives `m` back; write `unlock`"),
        (r#""unlock":"m""#, "`unlock`: task `a` does not hold `m` there; write `lock` before it"),
        (r#""sync":{"ref":"q","mutex":"m"}"#, "`sync`: task `a` does not hold `m` there"),
        (r#""cpus":[]"#, "`cpus` names no processor"),
        (r#""priority":20"#, "`priority` is 20; allowed: nice values from -20 to 19"),
        (r#""policy":"SCHED_RR","priority":0"#, "allowed: real-time priorities from 1 to 99"),
        (r#""policy":"SCHED_DEADLINE""#, "SCHED_DEADLINE without `dl-runtime`"),
        (
            r#""policy":"SCHED_DEADLINE","dl-runtime":5,"dl-period":4"#,
            "`dl-runtime` is 5us; allowed: at most the deadline of 4us",
        ),
        (
            r#""policy":"SCHED_DEADLINE","dl-runtime":1,"dl-period":4,"dl-deadline":5"#,
            "`dl-deadline` is 5us; allowed: at most the period of 4us",
        ),
        (r#""taskgroup":"a""#, "`taskgroup` is `a`; begin it with `/`"),
        (
            r#""taskgroup":"/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a""#,
            "`taskgroup` has 17 levels; allowed: at most 16",
        ),
        (r#""policy":"SCHED_FIFO","taskgroup":"/a""#, "`taskgroup` goes with SCHED_OTHER"),
    ];
    for (keys, expected) in cases {
        let text = format!("{{\"tasks\":{{\"a\":{{\n{keys},\"run\":1}}}}}}");
        let message = parse(&text).unwrap_err().to_string();
        assert!(message.starts_with("rt-app: 2:1: ") && message.contains(expected), "{message}");
    }
    let kept = r#"{"tasks":{"a":{"priority":19,"taskgroup":"/a","run":1}}}"#;
    assert_eq!(parse(kept).unwrap().warnings, []);
}

#[test]
fn law_a_phase_that_loops_0_times_loops_for_ever_as_in_rt_app() {
    let text =
        r#"{"tasks":{"a":{"loop":2,"phases":{"p":{"loop":0,"run":1}}},"b":{"loop":0,"run":1}}}"#;
    let app = parse(text).unwrap();
    assert_eq!((app.tasks[0].loops, app.tasks[0].phases[0].loops), (Some(2), None));
    assert_eq!((app.tasks[1].loops, app.warnings.len()), (None, 2));
}

use super::*;

fn some(event: &str, args: &str) -> Option<RawEvent> {
    match read(event, args, None) {
        Reading::Event(raw) => Some(raw),
        _ => None,
    }
}

fn named(tid: u32, name: &str) -> Task {
    Task { tid, name: Some(name.to_owned()) }
}

fn key(prev: &str, state: &str, next: &str) -> String {
    format!(
        "prev_comm={prev} prev_pid=5 prev_prio=120 prev_state={state} ==> \
         next_comm={next} next_pid=6 next_prio=-1"
    )
}

const HOSTILE: [&str; 7] = [
    "a",
    "w 1-2 [001] ==>",
    " ==> next_comm=",
    " prev_pid=7",
    "x next_pid=3",
    "a:1 [0] S ==> b",
    "a pid=1 prio=2",
];

#[test]
fn accepts_switches_in_both_dialects_with_any_name() {
    for prev in HOSTILE {
        for next in HOSTILE {
            let expected = RawEvent::Switch {
                prev: named(5, prev),
                stop: Stop::Blocked,
                next: named(6, next),
            };
            let plugin = format!("{prev}:5 [120] S ==> {next}:6 [-1]");
            for args in [key(prev, "S", next), plugin] {
                let Reading::Event(raw) = read("sched_switch", &args, Some(5)) else {
                    panic!("{args}")
                };
                assert_eq!(raw, expected, "{args}");
            }
        }
    }
}

#[test]
fn accepts_every_state_that_kernels_write() {
    let cases = [
        ("R", Stop::Preempted),
        ("R+", Stop::Preempted),
        ("S+", Stop::Preempted),
        ("S", Stop::Blocked),
        ("I", Stop::Blocked),
        ("P", Stop::Blocked),
        ("D", Stop::Uninterruptible),
        ("D|K", Stop::Uninterruptible),
        ("T", Stop::Stopped),
        ("t", Stop::Stopped),
        ("X", Stop::Exited),
        ("Z", Stop::Exited),
        ("x", Stop::Exited),
    ];
    for (state, expected) in cases {
        let Some(RawEvent::Switch { stop, .. }) = some("sched_switch", &key("a", state, "b"))
        else {
            panic!("{state}")
        };
        assert_eq!(stop, expected, "{state}");
    }
    for state in ["", "Q", "S D", "0x2"] {
        assert_eq!(some("sched_switch", &key("a", state, "b")), None, "{state}");
    }
}

#[test]
fn accepts_wakes_in_both_dialects_with_any_name() {
    for name in HOSTILE {
        let expected = Some(RawEvent::Waking(Some(named(9, name))));
        for args in [
            format!("comm={name} pid=9 prio=-1 target_cpu=002"),
            format!("comm={name} pid=9 prio=-1 success=1 target_cpu=002"),
            format!("{name}:9 [-1] CPU:002"),
            format!("{name}:9 [-1] success=1 CPU:002"),
        ] {
            assert_eq!(some("sched_waking", &args), expected, "{args}");
        }
    }
    let failed = "comm=a pid=9 prio=1 success=0 target_cpu=000";
    assert_eq!(some("sched_wakeup", failed), Some(RawEvent::Wakeup(None)));
    assert_eq!(some("sched_waking", "comm=a pid=x"), None);
}

#[test]
fn accepts_lives_and_names() {
    assert_eq!(
        some("sched_process_fork", "comm=a b pid=1 child_comm=c child_comm= child_pid=2"),
        Some(RawEvent::Fork { child: named(2, "c child_comm="), pid: None })
    );
    assert_eq!(
        some("sched_process_exec", "filename=/bin/a pid=7 pid=8 old_pid=9"),
        Some(RawEvent::Exec { tid: 8, old: 9 })
    );
    let exit = "comm=a pid=3 prio=120 group_dead=true";
    assert_eq!(some("sched_process_exit", exit), Some(RawEvent::Exiting(3)));
    assert_eq!(
        some("task_rename", "pid=4 oldcomm=a newcomm=b c oom_score_adj=0"),
        Some(RawEvent::Rename(named(4, "b c")))
    );
}

#[test]
fn accepts_overheads_marks_and_losses() {
    let begin = |kind, number| Some(RawEvent::OverheadBegin { kind, number });
    assert_eq!(
        some("irq_handler_entry", "irq=24 name=nvme0q1"),
        begin(OverheadKind::Interrupt, 24)
    );
    assert_eq!(some("softirq_entry", "vec=1 [action=TIMER]"), begin(OverheadKind::Softirq, 1));
    assert_eq!(some("local_timer_entry", "vector=236"), begin(OverheadKind::Interrupt, 236));
    // A number that the model does not hold is not another's.
    assert_eq!(
        some("irq_handler_entry", "irq=65535 name=a"),
        begin(OverheadKind::Interrupt, 65_535)
    );
    assert_eq!(some("irq_handler_entry", "irq=65536 name=a"), None);
    let end = Some(RawEvent::OverheadEnd { kind: OverheadKind::Interrupt });
    assert_eq!(some("irq_handler_exit", "irq=24 ret=handled"), end);
    assert_eq!(some("print", "tracing_mark_write: hi"), Some(RawEvent::Mark("hi".into())));
    assert!(matches!(read("cpu_frequency", "state=1", None), Reading::NotImported));
}

use super::ftrace::ftrace;
use super::perf::{event, perf};
use super::*;
use crate::import::{RawEvent, Task};

#[test]
fn law_each_format_has_a_name_of_its_own() {
    for format in Format::ALL {
        assert_eq!(Format::named(format.name), Some(*format));
    }
    assert_eq!(Format::named("none"), None);
}

#[test]
fn accepts_the_heads_of_ftrace() {
    let head = ftrace(" data-loop.0-2215  (   2201) [002] d..2.  5120.004310: sched_switch: x=1");
    let expected = Head {
        comm: Some("data-loop.0"),
        tid: Some(2215),
        pid: Some(2201),
        cpu: 2,
        interrupt: Some(false),
        ns: Some(5_120_004_310_000),
        event: "sched_switch",
        args: "x=1",
    };
    assert_eq!(head, Some(expected));
    let head = ftrace("      <idle>-0     (-------) [002] dNh4.  5120.013302: sched_waking: y");
    let idle = Head {
        comm: Some("<idle>"),
        tid: Some(0),
        pid: None,
        interrupt: Some(true),
        ns: Some(5_120_013_302_000),
        event: "sched_waking",
        args: "y",
        ..expected
    };
    assert_eq!(head, Some(idle));
    let head = ftrace("  <...>-7 [000] 1.5: print: ").unwrap();
    assert_eq!((head.comm, head.interrupt, head.ns), (None, None, Some(1_500_000_000)));
}

#[test]
fn accepts_the_heads_of_perf() {
    let line = " data-loop.0  2201/2215  [002]  5120.004310225: sched:sched_switch: x=1";
    let head = perf(line).unwrap();
    assert_eq!((head.comm, head.pid, head.tid), (Some("data-loop.0"), Some(2201), Some(2215)));
    assert_eq!((head.ns, head.event, head.args), (Some(5_120_004_310_225), "sched_switch", "x=1"));
    let head = perf("swapper     0 [001] 3567.834474: sched:sched_waking: comm=a").unwrap();
    assert_eq!((head.pid, head.tid, head.interrupt), (None, Some(0), None));
    let head = perf("perf 28191 [001] 3567.834474: PERF_RECORD_LOST lost 803").unwrap();
    assert_eq!((head.event, head.args), ("PERF_RECORD_LOST", "lost 803"));
    let head = perf(":-1  -1 [001] 3.4: sched:sched_exit: a:b: c").unwrap();
    assert_eq!((head.comm, head.tid, head.args), (None, None, "a:b: c"));
}

#[test]
fn accepts_what_perf_says_itself_which_names_no_thread_that_ran() {
    let read = |text: &str| event(&perf(&format!("a 9/9 [000] 0.0: PERF_RECORD_{text}")).unwrap());
    let task = |tid, name| Task::new(tid, name).unwrap();
    let renamed = RawEvent::Rename(task(8, Some("a:b")));
    assert_eq!(read("COMM exec: a:b:7/8"), Reading::Event(renamed));
    let fork = RawEvent::Fork { child: task(2, None), pid: Some(1) };
    assert_eq!(read("FORK(1:2):(3:4)"), Reading::Event(fork));
    assert_eq!(read("EXIT(1:2):(3:4)"), Reading::Event(RawEvent::Exiting(2)));
    assert_eq!(read("LOST lost 803"), Reading::Event(RawEvent::Lost { count: Some(803) }));
    assert_eq!(read("FORK(1:4194305):(3:4)"), Reading::Malformed);
    let head = perf("a 9/9 [000] 0.0: PERF_RECORD_COMM: b:7/8").unwrap();
    assert_eq!((head.tid, head.ns), (None, None));
    let head = perf("a 9/9 [000] 0.0: sched:sched_waking: comm=a").unwrap();
    assert_eq!((head.tid, head.ns), (Some(9), Some(0)));
}

#[test]
fn accepts_names_that_look_like_heads() {
    let hostile = ["w 1-2 [001] ==>", "-1 [0] 1.1: a:", "a-1 [0] 1.1: b:", "a 5 [0] 1.1: b:"];
    for name in hostile {
        let line = format!("{name:>16}-77 [003] ..... 2.000001: print: x-1 [000] 9.9: sched: y");
        let head = ftrace(&line).unwrap();
        assert_eq!(
            (head.comm, head.tid, head.args),
            (Some(name), Some(77), "x-1 [000] 9.9: sched: y")
        );
        let line =
            format!("{name:>16} 77/78 [003] 2.000001: ftrace:print: x 1 [000] 9.9: sched: y");
        let head = perf(&line).unwrap();
        assert_eq!((head.comm, head.tid, head.event), (Some(name), Some(78), "print"));
    }
}

#[test]
fn refuses_what_is_no_head() {
    for line in ["", "-", "a-b", "# x-1 [000]", "a-1 [70000] 1.1: x:", "a-99999999999 [0] 1.1: x:"]
    {
        assert_eq!(ftrace(line), None, "{line}");
        assert_eq!(perf(line), None, "{line}");
    }
    assert_eq!(ftrace("a-1 [000] 1.1: func <-caller"), None);
    assert_eq!(ftrace("a-1 [000] toolongflags 1.1: x: y"), None);
}

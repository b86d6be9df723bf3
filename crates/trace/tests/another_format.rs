//! A format is a value: one that is not in the crate stands in a file of its own (`another_format/lttng.rs`), and is read as those of the crate are.

#[path = "another_format/lttng.rs"]
mod lttng;
#[path = "../../../fuzz/mutate.rs"]
mod mutate;
#[expect(dead_code, reason = "the tests of one file use a part of the oracle")]
mod oracle;

use lttng::LTTNG;
use oracle::{import, importer_laws};
use std::path::Path;
use windfall_time::Instant;
use windfall_trace::import::{Format, RawEvent, Task};
use windfall_trace::{Cpu, Event, OverheadKind, Record, Source, Stop, ThreadId};

const TEXT: &str = include_str!("fixtures/lttng.txt");
const MIXER: ThreadId = ThreadId(0);
const OTHER: ThreadId = ThreadId(1);

/// Microseconds after the second in which the recording was made, and what is left of one.
fn record(us: u64, ns: u64, event: Event) -> Record {
    Record { at: Instant::from_nanos(1_750_878_545_000_000_000 + us * 1_000 + ns), event }
}

fn declare(us: u64, ns: u64, thread: ThreadId, tid: u32, pid: u32, name: &str) -> Record {
    record(us, ns, Event::Thread { thread, tid, pid, name: name.into(), node: None })
}

#[test]
fn accepts_a_recording_of_a_format_from_outside() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/lttng.txt");
    let mut source = Source::open(&path, Some(&LTTNG)).unwrap();
    let records: Vec<Record> = source.by_ref().map(Result::unwrap).collect();
    let cpu = Cpu(0);
    let switch = |prev, next| Event::Switch { cpu, prev, next };
    let interrupt = Event::OverheadBegin { cpu, kind: OverheadKind::Interrupt, number: 24 };
    let expected = [
        // Of a loss without a time, the first moment at which it can have happened.
        record(847_291, 532, Event::Lost { cpu: None, count: Some(3) }),
        declare(847_291, 532, MIXER, 4521, 0, "mixer"),
        record(847_291, 532, Event::Wake { thread: MIXER, by: None }),
        record(847_296, 0, interrupt),
        record(847_298, 500, Event::OverheadEnd { cpu }),
        record(847_304, 375, switch(None, Some(MIXER))),
        declare(849_000, 0, MIXER, 4521, 4500, "mixer"),
        declare(849_000, 0, OTHER, 77, 0, "a }, tid = 9"),
        record(849_000, 0, Event::Wake { thread: OTHER, by: Some(MIXER) }),
        record(849_304, 375, switch(Some((MIXER, Stop::Blocked)), Some(OTHER))),
        record(849_304, 375, Event::Lost { cpu: Some(cpu), count: None }),
        record(851_000, 0, switch(Some((MIXER, Stop::Uninterruptible)), None)),
    ];
    assert_eq!(records, expected);
    assert_eq!(source.header().source, "lttng");
    let report = source.report().unwrap();
    assert_eq!(report.not_imported["syscall_entry_read"], 1);
    assert_eq!((report.loss_lines, report.unknown.count, report.malformed.count), (1, 0, 0));
}

#[test]
fn refuses_it_as_any_other_format_and_others_as_it() {
    for format in [None, Some(Format::FTRACE), Some(Format::PERF)] {
        let why = import(TEXT.as_bytes(), format).error.unwrap().to_string();
        assert!(why.contains("line 1: no event of"), "{why}");
    }
    let why = import(include_bytes!("fixtures/perf.txt"), Some(&LTTNG)).error.unwrap().to_string();
    assert!(why.contains("no event of lttng text") && why.contains("`babeltrace2"), "{why}");
}

#[test]
fn limit_numbers_and_names_of_a_format_from_outside_are_the_kernels() {
    let wake = |cpu: &str, context: &str, name: &str, tid: u32| {
        let context = format!("{{ cpu_id = {cpu} }}, {{ {context} }}");
        let woken = format!("{{ comm = \"{name}\", tid = {tid}, prio = 20 }}");
        let line = format!("[1.000000000] (+0.0) m sched_waking: {context}, {woken}\n");
        importer_laws(line.as_bytes(), Some(&LTTNG));
        import(line.as_bytes(), Some(&LTTNG)).report.imported()
    };
    let longest = "x".repeat(64);
    assert_eq!(wake("1023", "pid = 4194304, tid = 4194304", &longest, 4_194_304), 1);
    assert_eq!(wake("1024", "pid = 1", "a", 1), 0);
    assert_eq!(wake("0", "pid = 4194305, tid = 1", "a", 1), 0);
    assert_eq!(wake("0", "tid = 4194305", "a", 1), 0);
    assert_eq!(wake("0", "tid = 1", &format!("{longest}x"), 1), 0);
    assert_eq!(wake("0", "tid = 1", "a", 4_194_305), 0);
    assert_eq!(wake("0", &format!("procname = \"{longest}x\""), "a", 1), 0);
}

#[test]
fn limit_bare_numbers_of_events_are_the_kernels() {
    // Another event's words in a format that is there.
    const ENDS: Format = Format {
        event: |head| match head.args.split_once(' ') {
            Some((tid, pid)) => fork(tid, pid).into(),
            None => head.args.parse().ok().map(RawEvent::Exiting).into(),
        },
        ..*Format::FTRACE
    };
    fn fork(tid: &str, pid: &str) -> Option<RawEvent> {
        Some(RawEvent::Fork {
            child: Task::new(tid.parse().ok()?, None)?,
            pid: Some(pid.parse().ok()?),
        })
    }
    for (args, sound) in
        [("4194304", true), ("4194305", false), ("7 4194304", true), ("7 4194305", false)]
    {
        let report = import(format!("a-1 [0] 1.0: end: {args}\n").as_bytes(), Some(&ENDS)).report;
        assert_eq!((report.imported(), report.malformed.count), (sound.into(), (!sound).into()));
    }
}

#[test]
fn law_no_text_of_a_format_from_outside_panics() {
    mutate::fuzz("import_lttng", &[TEXT.as_bytes()], |text| importer_laws(text, Some(&LTTNG)));
}

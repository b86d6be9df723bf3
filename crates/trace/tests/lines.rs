//! Lines that importers must read, in every dialect, and what they mean.

#[expect(dead_code, reason = "the tests of one file use a part of the oracle")]
mod oracle;

use oracle::{Imported, import, importer_laws};
use windfall_time::Instant;
use windfall_trace::timeline::{State, Timeline, What};
use windfall_trace::{Cpu, Event, Record, Stop, ThreadId};

const A: ThreadId = ThreadId(0);
const B: ThreadId = ThreadId(1);

fn good(text: &str) -> Imported {
    importer_laws(text.as_bytes(), None);
    let imported = import(text.as_bytes(), None);
    assert!(imported.error.is_none(), "{:?}", imported.error);
    imported
}

fn record(us: u64, event: Event) -> Record {
    Record { at: Instant::from_nanos(us * 1_000), event }
}

fn declare(us: u64, thread: ThreadId, tid: u32, pid: u32, name: &str) -> Record {
    record(us, Event::Thread { thread, tid, pid, name: name.into(), node: None })
}

fn switch(us: u64, cpu: u16, prev: Option<(ThreadId, Stop)>, next: Option<ThreadId>) -> Record {
    record(us, Event::Switch { cpu: Cpu(cpu), prev, next })
}

fn wake(us: u64, thread: ThreadId, by: Option<ThreadId>) -> Record {
    record(us, Event::Wake { thread, by })
}

const UX: &str = "\
# tracer: nop
# entries-in-buffer/entries-written: 900/900   #P:4
 data-loop.0-2215  (   2201) [002] d..2.  5120.004310: sched_switch: prev_comm=data-loop.0 prev_pid=2215 prev_prio=-1 prev_state=S ==> next_comm=swapper/2 next_pid=0 next_prio=120
      <idle>-0     (-------) [002] dNh4.  5120.013302: sched_waking: comm=data-loop.0 pid=2215 prio=-1 target_cpu=002
";

#[test]
fn accepts_the_sample_of_tracefs() {
    let imported = good(UX);
    let (from, to) = (5_120_004_310, 5_120_013_302);
    assert_eq!(
        imported.records,
        [
            declare(from, A, 2215, 2201, "data-loop.0"),
            switch(from, 2, Some((A, Stop::Blocked)), None),
            wake(to, A, None),
        ]
    );
    assert_eq!(imported.cpus, 4);
    assert_eq!((imported.report.lines, imported.report.other_lines), (4, 2));
}

#[test]
fn accepts_the_other_dialect_of_trace_cmd() {
    let text = "\
version = 6
CPU 3 is empty
cpus=4
     data-loop.0-2215  [002]  5120.004310: sched_switch:         data-loop.0:2215 [-1] S ==> swapper/2:0 [120]
          <idle>-0     [002]  5120.013302: sched_waking:         data-loop.0:2215 [-1] CPU:002
             cat-77    [001]  5120.013305: sched_wakeup:         w 1-2 [001] ==>:5 [120] success=1 CPU:001
";
    let imported = good(text);
    let kinds: Vec<_> = imported.records.iter().map(|record| &record.event).collect();
    let [_, Event::Switch { .. }, Event::Wake { by: None, .. }, _, _, Event::Wake { by, .. }] =
        kinds[..]
    else {
        panic!("{kinds:?}")
    };
    assert_eq!(*by, Some(ThreadId(1)));
    assert_eq!((imported.cpus, imported.report.other_lines), (4, 3));
    assert_eq!(imported.report.unsure_wakers, 1);
}

#[test]
fn accepts_both_heads_of_perf_and_its_loss() {
    let two = " data-loop.0  2201/2215  [002]  5120.004310225: sched:sched_switch: prev_comm=data-loop.0 prev_pid=2215 prev_prio=-1 prev_state=S ==> next_comm=swapper/2 next_pid=0 next_prio=120\n";
    let one = " data-loop.0  2215 [002]  5120.004310225: sched:sched_switch: data-loop.0:2215 [-1] S ==> swapper/2:0 [120]\n";
    let at = Instant::from_nanos(5_120_004_310_225);
    for (text, pid) in [(two, 2201), (one, 0)] {
        let Event::Thread { tid: 2215, pid: seen, .. } = good(text).records[0].event else {
            panic!("{text}")
        };
        assert_eq!(seen, pid);
        assert_eq!(good(text).records[1].at, at);
    }
    let lost = format!(
        "# clockid: monotonic (1)\n{one}perf 28191 [001] 5120.834474: PERF_RECORD_LOST lost 803\n"
    );
    let imported = good(&lost);
    let all = imported.report.lost_in_all();
    assert_eq!((all.gaps, all.events, all.uncounted), (1, 803, 0));
    let event = Event::Lost { cpu: Some(Cpu(1)), count: Some(803) };
    assert!(imported.records.iter().any(|record| record.event == event));
}

#[test]
fn accepts_a_name_that_holds_everything() {
    let name = "w 1-2 [001] ==>";
    let text = format!(
        " {name}-31337 [001] d..2. 7.000001: sched_switch: prev_comm={name} prev_pid=31337 prev_prio=120 prev_state=R+ ==> next_comm={name} next_pid=31338 next_prio=120\n"
    );
    let imported = good(&text);
    assert_eq!(imported.records[0], declare(7_000_001, A, 31337, 0, name));
    assert_eq!(imported.records[1], declare(7_000_001, B, 31338, 0, name));
    assert_eq!(imported.records[2], switch(7_000_001, 1, Some((A, Stop::Preempted)), Some(B)));
}

#[test]
fn law_losses_are_never_calm() {
    let text = "\
# entries-in-buffer/entries-written: 3/1203   #P:2
 a-1 [000] d..2. 1.000000: sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=S ==> next_comm=a next_pid=1 next_prio=120
CPU:0 [LOST 3412 EVENTS]
CPU:7 [204600 EVENTS DROPPED]
CPU:1 [LOST EVENTS]
 a-1 [000] d..2. 2.000000: sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=S ==> next_comm=a next_pid=1 next_prio=120
 a-1 [000] d..2. 3.000000: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120
";
    let imported = good(text);
    let lost: Vec<_> = imported
        .records
        .iter()
        .filter_map(|record| match record.event {
            Event::Lost { cpu, count } => Some((record.at.as_nanos() / 1_000_000_000, cpu, count)),
            _ => None,
        })
        .collect();
    let expected = [
        (1, None, Some(1200)),
        (1, Some(Cpu(1)), None),
        (1, Some(Cpu(7)), Some(204_600)),
        (1, Some(Cpu(0)), Some(3412)),
    ];
    for entry in &expected {
        assert!(lost.contains(entry), "{entry:?} in {lost:?}");
    }
    assert_eq!(lost.len(), expected.len());
    assert_eq!(imported.report.mismatches.count, 0);
    let all = imported.report.lost_in_all();
    assert_eq!((all.gaps, all.events, all.uncounted), (4, 1200 + 3412 + 204_600, 1));
    let timeline = Timeline::build(imported.records.into_iter());
    let states: Vec<State> = timeline.threads[1].stretches.iter().map(|s| s.state).collect();
    assert_eq!(states, [State::Unknown, State::Running(Cpu(0))]);
}

#[test]
fn law_a_switch_that_contradicts_the_one_before_is_a_loss() {
    let text = "\
 a-1 [000] d..2. 1.000000: sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=S ==> next_comm=a next_pid=1 next_prio=120
 c-3 [000] d..2. 2.000000: sched_switch: prev_comm=c prev_pid=3 prev_prio=120 prev_state=S ==> next_comm=a next_pid=1 next_prio=120
";
    let imported = good(text);
    assert_eq!(imported.report.mismatches.count, 1);
    assert_eq!(imported.report.mismatches.first[0].line, 2);
    let event = Event::Lost { cpu: Some(Cpu(0)), count: None };
    assert!(imported.records.contains(&record(1_000_000, event)));
    let timeline = Timeline::build(imported.records.into_iter());
    assert!(timeline.cpus[0].slices.iter().all(|slice| slice.what == What::Unknown));
}

#[test]
fn law_an_interrupt_is_no_waker_and_a_second_report_no_wake() {
    let text = "\
 a-1 [000] d.h2. 1.000000: sched_waking: comm=b pid=2 prio=120 target_cpu=000
 a-1 [000] d.h2. 1.000001: sched_wakeup: comm=b pid=2 prio=120 target_cpu=000
 a-1 [000] d..2. 1.000002: sched_waking: comm=c pid=3 prio=120 target_cpu=000
 a-1 [000] d..2. 1.000003: sched_waking: comm=c pid=3 prio=120 target_cpu=000
 a-1 [000] d..2. 1.000004: sched_wakeup: comm=d pid=4 prio=120 target_cpu=000
";
    let imported = good(text);
    let wakes: Vec<_> = imported
        .records
        .iter()
        .filter_map(|record| match record.event {
            Event::Wake { thread, by } => Some((thread.0, by.map(|by| by.0))),
            _ => None,
        })
        .collect();
    assert_eq!(wakes, [(0, None), (2, Some(1)), (3, Some(1))]);
    assert_eq!(imported.report.redundant_wakes, 1);
}

#[test]
fn law_a_number_that_passes_to_another_thread_is_two_threads() {
    let text = "\
 a-1 [000] ..... 1.0: sched_process_fork: comm=a pid=1 child_comm=a child_pid=9
 a-1 [000] ..... 1.1: sched_wakeup_new: comm=a pid=9 prio=120 target_cpu=000
 a-1 [000] d..2. 1.2: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=a next_pid=9 next_prio=120
 a-9 [000] ..... 1.3: task_rename: pid=9 oldcomm=a newcomm=short oom_score_adj=0
 a-9 [000] ..... 1.4: sched_process_exit: comm=short pid=9 prio=120
 a-9 [000] d..2. 1.5: sched_switch: prev_comm=short prev_pid=9 prev_prio=120 prev_state=X ==> next_comm=a next_pid=1 next_prio=120
 a-1 [000] ..... 1.6: sched_process_fork: comm=a pid=1 child_comm=a child_pid=9
 a-1 [000] ..... 1.7: sched_wakeup_new: comm=a pid=9 prio=120 target_cpu=000
";
    let imported = good(text);
    let report = &imported.report;
    assert_eq!((report.threads, report.reused_tids, report.renamed), (3, 1, 1));
    let exits = imported.records.iter().filter(|record| matches!(record.event, Event::Exit { .. }));
    assert_eq!(exits.count(), 1);
}

#[test]
fn law_names_are_resolved_when_they_are_learnt() {
    let text = "\
 <...>-5 [000] ..... 1.0: sched_waking: comm=b pid=6 prio=120 target_cpu=000
 <...>-5 [000] d..2. 2.0: sched_switch: prev_comm=late prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
";
    let imported = good(text);
    assert!(
        imported.records.contains(&declare(1_000_000, A, 5, 0, "<...>")) || {
            imported.records.contains(&declare(1_000_000, B, 5, 0, "<...>"))
        }
    );
    let late =
        |record: &Record| matches!(&record.event, Event::Thread { name, .. } if name == "late");
    assert!(imported.records.iter().any(late));
    assert_eq!(imported.report.named_later, 1);
}

#[test]
fn law_overheads_are_paired_and_marks_kept() {
    let text = "\
 a-1 [000] d.h1. 1.0: irq_handler_exit: irq=3 ret=handled
 a-1 [000] d.h1. 1.1: irq_handler_entry: irq=24 name=nvme0q1
 a-1 [000] d.h1. 1.2: irq_handler_exit: irq=24 ret=handled
 a-1 [000] ..s1. 1.3: softirq_entry: vec=1 [action=TIMER]
 a-1 [000] ..... 1.4: print: tracing_mark_write: rtapp_loop: event=start thread_loop=0 phase=0 phase_loop=3
 a-1 [000] d..2. 1.5: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
 a-1 [000] ..... 1.6: cpu_frequency: state=1 cpu_id=0
";
    let imported = good(text);
    let count = |wanted: fn(&Event) -> bool| {
        imported.records.iter().filter(|record| wanted(&record.event)).count()
    };
    assert_eq!(count(|event| matches!(event, Event::OverheadBegin { .. })), 2);
    assert_eq!(count(|event| matches!(event, Event::OverheadEnd { .. })), 2);
    assert_eq!(imported.report.unpaired_overheads, 2);
    assert_eq!(imported.report.not_imported["cpu_frequency"], 1);
    assert_eq!(
        count(|event| matches!(event, Event::Mark { text, .. } if text.starts_with("rtapp_loop"))),
        1
    );
}

#[test]
fn law_lines_out_of_order_are_sorted_and_counted() {
    let line = |us: u64| format!(" a-1 [000] ..... 1.{us:06}: print: {us}\n");
    let text: String = [5, 4, 6].map(line).concat();
    let imported = good(&text);
    assert_eq!((imported.report.reordered, imported.report.clamped), (1, 0));
    let late: String = (10..2_000).chain([3]).chain([2_000]).map(line).collect();
    let imported = good(&late);
    assert_eq!((imported.report.reordered, imported.report.clamped), (0, 1));
    assert!(imported.report.longest_clamp.as_nanos() > 900_000);
}

#[test]
fn refuses_what_is_no_recording_and_says_which_line() {
    let imported = import(b"\nhello\n", None);
    let message = imported.error.unwrap().to_string();
    assert!(message.contains("line 2") && message.contains("hello"), "{message}");
    assert!(import(b"", None).error.unwrap().to_string().contains("no events"));
}

#[test]
fn law_unknown_and_malformed_lines_are_told() {
    let text = format!("{UX}gibberish\n a-1 [000] ..... 5121.0: sched_switch: prev_comm=a\n");
    let report = good(&text).report;
    assert_eq!((report.unknown.count, report.unknown.first[0].line), (1, 5));
    assert_eq!((report.malformed.count, report.malformed.first[0].line), (1, 6));
}

#[test]
fn accepts_gzip_and_refuses_to_end_calmly_when_it_is_cut() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(UX.as_bytes()).unwrap();
    let file = encoder.finish().unwrap();
    assert_eq!(import(&file, None).records, good(UX).records);
    importer_laws(&file, None);
    for end in 2..file.len() {
        let cut = import(&file[..end], None);
        assert!(cut.error.is_some(), "{end}");
        let last = cut.records.last().unwrap();
        assert_eq!(last.event, Event::Lost { cpu: None, count: None });
    }
}

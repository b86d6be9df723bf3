use super::proto::{Packet, Trace, kind, state};
use super::*;
use crate::sample::Sample;
use prost::Message;
use std::collections::{HashMap, HashSet};
use windfall_trace::OverheadKind;

fn at(us: u64) -> Instant {
    Instant::from_nanos(us * 1_000)
}

fn packets(header: &Header, records: Vec<Record>) -> Vec<Packet> {
    let bytes = write(Vec::new(), header, records).unwrap();
    Trace::decode(bytes.as_slice()).unwrap().packet
}

fn of(events: Vec<(u64, Event)>) -> Vec<Packet> {
    let records = events.into_iter().map(|(us, event)| Record { at: at(us), event }).collect();
    packets(&Header::new("", "", 2), records)
}

fn thread(id: u32, tid: u32) -> Event {
    let name = format!("t{id}");
    Event::Thread { thread: ThreadId(id), tid, pid: tid, name, node: None }
}

fn switch(cpu: u16, prev: Option<(u32, Stop)>, next: Option<u32>) -> Event {
    let prev = prev.map(|(id, stop)| (ThreadId(id), stop));
    Event::Switch { cpu: Cpu(cpu), prev, next: next.map(ThreadId) }
}

/// Time, processor, tid and state of each generic kernel event.
fn states(packets: &[Packet]) -> Vec<(u64, i32, i64, i32)> {
    let mut all = Vec::new();
    for packet in packets {
        if let Some(task) = &packet.task_state {
            let (cpu, tid, state) = (task.cpu.unwrap(), task.tid.unwrap(), task.state.unwrap());
            all.push((packet.timestamp.unwrap(), cpu, tid, state));
        }
    }
    all
}

/// Checks the rules that Perfetto's importer counts errors by: see `generic_kernel_parser.cc`.
fn check_importer_rules(packets: &[Packet]) {
    let (mut last_time, mut last): (u64, HashMap<i64, (u64, i32)>) = (0, HashMap::new());
    let mut cpus: HashMap<i32, i64> = HashMap::new();
    for (time, cpu, tid, state) in states(packets) {
        assert!(time >= last_time, "time goes back at {time}");
        last_time = time;
        if let Some((before, old)) = last.insert(tid, (time, state)) {
            assert_ne!(before, time, "tid {tid} changes twice at {time}");
            let replaced = cpus.values().all(|other| *other != tid);
            assert!(old != state || state != state::RUNNING || replaced, "tid {tid} runs twice");
            assert_ne!(old, state::DEAD, "tid {tid} lives after death");
        }
        if state == state::RUNNING {
            let old = cpus.insert(cpu, tid);
            assert!(old.is_none() || tid >= 3 << 29, "cpu {cpu} is taken at {time}");
        } else if let Some((on, _)) = cpus.iter().find(|(_, on)| **on == tid) {
            assert_eq!(*on, cpu, "tid {tid} ends elsewhere at {time}");
            cpus.remove(&cpu);
        }
    }
}

/// Slices of each track nest, tracks are described first, the tree of tracks has no hole.
fn check_tracks(packets: &[Packet]) {
    let (mut described, mut depth) = (HashSet::new(), HashMap::<u64, i64>::new());
    for packet in packets {
        if let Some(descriptor) = &packet.track_descriptor {
            assert!(descriptor.parent.is_none_or(|parent| described.contains(&parent)));
            described.insert(descriptor.uuid.unwrap());
        }
        if let Some(event) = &packet.track_event {
            let track = event.track.unwrap();
            assert!(described.contains(&track), "event on unknown track {event:?}");
            let depth = depth.entry(track).or_default();
            *depth += match event.kind.unwrap() {
                kind::BEGIN => 1,
                kind::END => -1,
                _ => 0,
            };
            assert!(*depth >= 0, "more ends than begins: {event:?}");
        }
    }
}

#[test]
fn law_importer_finds_no_fault_with_a_sample() {
    let mut overloaded = Sample::small();
    overloaded.threads.push(("late", 9_000, 11_000));
    overloaded.loss = true;
    for sample in [Sample::small(), overloaded] {
        let packets = packets(&sample.header(), sample.records());
        check_importer_rules(&packets);
        check_tracks(&packets);
        assert!(states(&packets).len() > 100);
    }
}

#[test]
fn same_records_give_the_same_bytes() {
    let sample = Sample::small();
    let write = || write(Vec::new(), &sample.header(), sample.records()).unwrap();
    assert_eq!(write(), write());
}

#[test]
fn end_of_one_thread_and_start_of_the_next_have_the_same_time() {
    let packets = of(vec![
        (0, thread(0, 5)),
        (0, thread(1, 6)),
        (1, switch(0, None, Some(0))),
        (9, switch(0, Some((0, Stop::Blocked)), Some(1))),
    ]);
    let expected =
        [(1_000, 0, 5, state::RUNNING), (9_000, 0, 5, state::SLEEP), (9_000, 0, 6, state::RUNNING)];
    assert_eq!(states(&packets), expected);
}

#[test]
fn wake_and_switch_within_an_instant_become_one_change() {
    let packets = of(vec![
        (0, thread(0, 5)),
        (1, Event::Wake { thread: ThreadId(0), by: None }),
        (1, switch(0, None, Some(0))),
    ]);
    assert_eq!(states(&packets), [(1_000, 0, 5, state::RUNNING)]);
}

#[test]
fn migration_within_an_instant_starts_a_nanosecond_later() {
    let packets = of(vec![
        (0, thread(0, 5)),
        (1, switch(0, None, Some(0))),
        (4, switch(0, Some((0, Stop::Preempted)), None)),
        (4, switch(1, None, Some(0))),
    ]);
    let expected = [
        (1_000, 0, 5, state::RUNNING),
        (4_000, 0, 5, state::RUNNABLE),
        (4_001, 1, 5, state::RUNNING),
    ];
    assert_eq!(states(&packets), expected);
    check_importer_rules(&packets);
}

#[test]
fn recycled_and_absent_thread_numbers_become_unique() {
    let packets = of(vec![(0, thread(0, 5)), (0, thread(1, 5)), (0, thread(2, 0))]);
    let tids: Vec<i64> = packets
        .iter()
        .filter_map(|packet| packet.process_tree.as_ref())
        .map(|tree| tree.threads[0].tid.unwrap())
        .collect();
    assert_eq!(tids, [5, (1 << 30) + 1, (1 << 30) + 2]);
}

#[test]
fn loss_is_a_slice_that_says_how_many_events() {
    let packets = of(vec![
        (0, thread(0, 5)),
        (1, switch(0, None, Some(0))),
        (2, Event::Lost { cpu: Some(Cpu(0)), count: Some(12) }),
        (8, switch(0, Some((0, Stop::Blocked)), None)),
    ]);
    check_importer_rules(&packets);
    check_tracks(&packets);
    let names: Vec<&str> = packets
        .iter()
        .filter_map(|packet| packet.track_event.as_ref()?.name.as_deref())
        .filter(|name| name.contains("unknown"))
        .collect();
    assert_eq!(names, ["unknown (12 events lost)"; 2], "one for the processor, one for the thread");
}

#[test]
fn overlapping_jobs_lie_on_lanes_and_late_parts_inside_them() {
    let release = |us| Event::Release { thread: ThreadId(0), deadline: Some(at(us)) };
    let complete = |us: u64, missed| {
        let response = Span::from_nanos(us * 1_000);
        Event::Complete { thread: ThreadId(0), response, missed }
    };
    let packets = of(vec![
        (0, thread(0, 5)),
        (0, release(10)),
        (10, release(20)),
        (15, complete(15, true)),
        (18, complete(8, false)),
        (20, release(30)),
    ]);
    check_tracks(&packets);
    let told: Vec<(u64, u64, &str)> = packets
        .iter()
        .filter_map(|packet| {
            let event = packet.track_event.as_ref()?;
            Some((packet.timestamp?, event.track?, event.name.as_deref().unwrap_or("end")))
        })
        .collect();
    let (first, second) = (told[0].1, told[1].1);
    assert_ne!(first, second);
    let expected = [
        (0, first, "job 1"),
        (10_000, second, "job 2"),
        (10_000, first, "LATE"),
        (15_000, first, "deadline MISSED"),
        (15_000, first, "end"),
        (15_000, first, "end"),
        (18_000, second, "end"),
        (20_000, first, "job 3"),
    ];
    assert_eq!(told, expected);
}

#[test]
fn received_leaves_out_what_was_stolen() {
    let packets = of(vec![
        (0, thread(0, 5)),
        (0, Event::Promise { thread: ThreadId(0), guarantee: Some("RESBH 1ms 2ms".into()) }),
        (1_000, switch(0, None, Some(0))),
        (2_000, Event::OverheadBegin { cpu: Cpu(0), kind: OverheadKind::Interrupt, number: 9 }),
        (2_500, Event::OverheadEnd { cpu: Cpu(0) }),
        (4_000, switch(0, Some((0, Stop::Blocked)), None)),
    ]);
    let values: Vec<f64> =
        packets.iter().filter_map(|packet| packet.track_event.as_ref()?.value).collect();
    assert_eq!(values, [0.0, 2.5, 2.0], "promised at first, then received, then promised");
}

#[test]
fn law_activities_are_slices_and_nest_whatever_the_trace_begins_with() {
    let begins = |text: &str| Event::ActivityBegins { thread: ThreadId(0), text: text.to_owned() };
    let ends = Event::ActivityEnds { thread: ThreadId(0) };
    let packets = of(vec![
        (1, thread(0, 7)),
        (2, ends.clone()),
        (3, begins("takes back 8 steps")),
        (4, begins("within")),
        (5, ends.clone()),
        (6, ends.clone()),
        (7, ends),
    ]);
    check_tracks(&packets);
    let of_kind = |wanted| {
        let events = packets.iter().filter_map(|packet| packet.track_event.as_ref());
        events.filter(|event| event.kind == Some(wanted)).count()
    };
    assert_eq!((of_kind(kind::BEGIN), of_kind(kind::END)), (2, 2));
}

#[test]
fn failure_of_the_file_is_told_at_the_end() {
    let sample = Sample::small();
    let mut small = [0_u8; 100];
    let refused = write(small.as_mut_slice(), &sample.header(), sample.records());
    assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::WriteZero);
}

/// Writes a trace for `perfetto_check.py`, or for a look at it; only when asked for by name.
#[test]
fn sample_file_is_written_where_windfall_samples_says() {
    let Some(folder) = std::env::var_os("WINDFALL_SAMPLES") else {
        return;
    };
    let mut sample = Sample::small();
    sample.threads.push(("late", 9_000, 11_000));
    sample.loss = true;
    let bytes = write(Vec::new(), &sample.header(), sample.records()).unwrap();
    std::fs::write(std::path::Path::new(&folder).join("sample.perfetto"), bytes).unwrap();
}

#[test]
fn record_takes_less_than_a_hundred_bytes() {
    let sample = Sample { length_us: 2_000_000, ..Sample::small() };
    let records = sample.records();
    let count = records.len();
    let bytes = write(Vec::new(), &sample.header(), records).unwrap().len();
    assert!(bytes < count * 100, "{bytes} bytes for {count} records");
}

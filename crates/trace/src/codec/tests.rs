mod later;

use super::*;
use crate::{
    Cpu, Event, Figure, Header, NodeId, Note, OverheadKind, Record, Sink, Stop, TaskEnd, TaskEvent,
    TaskRefusal, TaskState, ThreadId,
};
use proptest::prelude::*;
use windfall_time::{Instant, Span};

fn header() -> Header {
    Header { source: "windfall simulate".into(), clock: "virtual".into(), cpus: 4 }
}

fn write(records: &[Record]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &header());
    for record in records {
        writer.record(record.at, &record.event);
    }
    writer.finish().unwrap()
}

/// The contents of a file: records, and errors.
fn read(file: &[u8]) -> (Vec<Record>, Vec<ReadError>) {
    let (mut records, mut errors) = (Vec::new(), Vec::new());
    match Reader::new(file) {
        Ok(reader) => {
            for item in reader {
                match item {
                    Ok(record) => records.push(record),
                    Err(error) => errors.push(error),
                }
            }
        }
        Err(error) => errors.push(error),
    }
    (records, errors)
}

fn id() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0_u32..5, 1 => any::<u32>()]
}

fn cpu() -> impl Strategy<Value = Cpu> {
    prop_oneof![8 => 0_u16..4, 1 => any::<u16>()].prop_map(Cpu)
}

fn span() -> impl Strategy<Value = Span> {
    any::<u64>().prop_map(Span::from_nanos)
}

fn task() -> impl Strategy<Value = TaskEvent> {
    let instant = || any::<u64>().prop_map(Instant::from_nanos);
    let no_time = (span(), prop::option::of(instant()))
        .prop_map(|(idle, earliest)| TaskRefusal::NoTime { idle, earliest });
    let why = prop_oneof![no_time, Just(TaskRefusal::SlotsTaken), Just(TaskRefusal::Other)];
    let ends = [TaskEnd::Done, TaskEnd::Withdrawn, TaskEnd::UsedUp, TaskEnd::Left];
    let states = [TaskState::Admitted, TaskState::UsedUp, TaskState::Lost];
    let (ends, states) =
        (prop::sample::select(ends.to_vec()), prop::sample::select(states.to_vec()));
    prop_oneof![
        (span(), why).prop_map(|(work, why)| TaskEvent::Refused { work, why }),
        (prop::option::of(span()), span())
            .prop_map(|(left, stolen)| TaskEvent::Lost { left, stolen }),
        (ends, states, span()).prop_map(|(how, was, stolen)| TaskEvent::Ended { how, was, stolen }),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let stops =
        [Stop::Preempted, Stop::Blocked, Stop::Uninterruptible, Stop::Stopped, Stop::Exited];
    let overheads = [
        OverheadKind::Interrupt,
        OverheadKind::Softirq,
        OverheadKind::Steal,
        OverheadKind::Scheduling,
        OverheadKind::Switching,
        OverheadKind::StationWait,
        OverheadKind::StationService,
    ];
    let stop = prop::sample::select(stops.to_vec());
    let overhead = prop::sample::select(overheads.to_vec());
    let thread = || id().prop_map(ThreadId);
    let node = || id().prop_map(NodeId);
    let maybe = prop::option::of::<BoxedStrategy<ThreadId>>;
    let note = prop_oneof![
        span().prop_map(Note::Budget),
        Just(Note::Exhausted),
        span().prop_map(Note::Replenished),
        Just(Note::Boosted),
        Just(Note::Rescued),
        Just(Note::Late),
        Just(Note::Expired),
        span().prop_map(Note::Admitted),
        span().prop_map(Note::Refused),
        span().prop_map(Note::Absorbed),
        span().prop_map(Note::Lost),
        span().prop_map(Note::Moved),
        span().prop_map(Note::Received),
        span().prop_map(Note::Reserved),
    ];
    prop_oneof![
        4 => (cpu(), prop::option::of((thread(), stop)), maybe(thread().boxed()))
            .prop_map(|(cpu, prev, next)| Event::Switch { cpu, prev, next }),
        4 => (thread(), maybe(thread().boxed())).prop_map(|(thread, by)| Event::Wake { thread, by }),
        1 => (thread(), any::<u32>(), any::<u32>(), ".*", prop::option::of(node()))
            .prop_map(|(thread, tid, pid, name, node)| {
                Event::Thread { thread, tid, pid, name, node }
            }),
        1 => (node(), prop::option::of(node()), ".*", ".*")
            .prop_map(|(node, parent, name, kind)| Event::Node { node, parent, name, kind }),
        1 => (thread(), prop::option::of(".*"))
            .prop_map(|(thread, guarantee)| Event::Promise { thread, guarantee }),
        1 => thread().prop_map(|thread| Event::Exit { thread }),
        1 => (cpu(), overhead, any::<u16>())
            .prop_map(|(cpu, kind, number)| Event::OverheadBegin { cpu, kind, number }),
        1 => cpu().prop_map(|cpu| Event::OverheadEnd { cpu }),
        1 => (thread(), prop::option::of(any::<u64>())).prop_map(|(thread, deadline)| {
            Event::Release { thread, deadline: deadline.map(Instant::from_nanos) }
        }),
        1 => (thread(), span(), any::<bool>())
            .prop_map(|(thread, response, missed)| Event::Complete { thread, response, missed }),
        1 => thread().prop_map(|thread| Event::Abort { thread }),
        1 => (node(), maybe(thread().boxed()), note)
            .prop_map(|(node, thread, what)| Event::Note { node, thread, what }),
        1 => ".*".prop_map(|text| Event::Control { text }),
        1 => (node(), ".*").prop_map(|(node, reason)| Event::Quarantine { node, reason }),
        1 => (prop::option::of(cpu()), prop::option::of(any::<u64>()))
            .prop_map(|(cpu, count)| Event::Lost { cpu, count }),
        1 => (maybe(thread().boxed()), ".*")
            .prop_map(|(thread, text)| Event::Mark { thread, text }),
        1 => (thread(), ".*").prop_map(|(thread, text)| Event::ActivityBegins { thread, text }),
        1 => thread().prop_map(|thread| Event::ActivityEnds { thread }),
        1 => (thread(), ".*", any::<u64>(), any::<bool>()).prop_map(|(thread, name, value, is_count)| {
            let value = if is_count { Figure::Count(value) } else { Figure::Time(Span::from_nanos(value)) };
            Event::Figure { thread, name, value }
        }),
        1 => (thread(), any::<u32>(), any::<u64>(), task()).prop_map(|(thread, task, deadline, what)| {
            Event::Task { thread, task, deadline: Instant::from_nanos(deadline), what }
        }),
    ]
}

fn records(most: usize) -> impl Strategy<Value = Vec<Record>> {
    let wait = prop_oneof![3 => 0_u64..2_000_000, 1 => 0..u64::MAX / 400];
    prop::collection::vec((wait, event()), 0..most).prop_map(|steps| {
        let mut now = 0;
        let step = |(wait, event)| {
            now += wait;
            Record { at: Instant::from_nanos(now), event }
        };
        steps.into_iter().map(step).collect()
    })
}

/// A schedule as a simulation of periodic threads gives it: release, wake, switch, completion.
fn schedule(rounds: u64) -> Vec<Record> {
    let mut records = Vec::new();
    for thread in 0..12 {
        let (thread, name, node) = (ThreadId(thread), format!("worker {thread}"), Some(NodeId(0)));
        let event = Event::Thread { thread, tid: thread.0, pid: 0, name, node };
        records.push(Record { at: Instant::ZERO, event });
    }
    let mut now = 0;
    for round in 0..rounds {
        let (cpu, thread) =
            (Cpu((round % 4) as u16), ThreadId(((round * 7 + round / 12) % 12) as u32));
        let mut push = |wait: u64, event| {
            now += wait;
            records.push(Record { at: Instant::from_nanos(now), event });
        };
        push(100_000 + round * 7_919 % 900_000, Event::Wake { thread, by: None });
        let deadline = Some(Instant::from_nanos(now_after(round)));
        push(0, Event::Release { thread, deadline });
        push(1_500, Event::Switch { cpu, prev: None, next: Some(thread) });
        let response = Span::from_nanos(251_500);
        push(250_000, Event::Complete { thread, response, missed: false });
        push(0, Event::Switch { cpu, prev: Some((thread, Stop::Blocked)), next: None });
    }
    records
}

fn now_after(round: u64) -> u64 {
    round * 800_000 + 10_000_000
}

#[test]
fn law_a_realistic_schedule_takes_at_most_eight_bytes_a_record() {
    let records = schedule(20_000);
    let file = write(&records);
    assert!(file.len() <= 8 * records.len(), "{} bytes, {} records", file.len(), records.len());
    let (back, errors) = read(&file);
    assert!(errors.is_empty() && back == records);
}

#[test]
fn refuses_what_is_not_a_trace() {
    assert!(matches!(read(b"").1[..], [ReadError::NotATrace]));
    assert!(matches!(read(b"# tracer: nop\n").1[..], [ReadError::NotATrace]));
    assert!(matches!(read(b"WFTRACE\x09rest").1[..], [ReadError::Version(9)]));
    assert!(matches!(read(b"WFTRACE\x01").1[..], [ReadError::Truncated { records: 0 }]));
}

#[test]
fn refuses_to_end_calmly_wherever_a_file_is_cut() {
    let records = schedule(1_500);
    let file = write(&records);
    assert!(file.len() > BLOCK, "one block only");
    let steps = (0..400).chain((400..file.len()).step_by(97)).chain(file.len() - 20..file.len());
    let mut most = 0;
    for end in steps {
        let (back, errors) = read(&file[..end]);
        let [error] = &errors[..] else { panic!("{end}: {errors:?}") };
        assert!(matches!(error, ReadError::NotATrace | ReadError::Truncated { .. }));
        if let Some((last, before)) = back.split_last() {
            assert_eq!(last.event, Event::Lost { cpu: None, count: None });
            assert_eq!(before, &records[..before.len()]);
            most = most.max(before.len());
        }
    }
    assert_eq!(most, records.len());
}

#[test]
fn law_a_damaged_block_costs_itself_and_says_how_much() {
    let records = schedule(6_000);
    let mut file = write(&records);
    file[BLOCK * 3 / 2] ^= 4;
    let (back, errors) = read(&file);
    let [ReadError::Damaged { block: 2, lost: Some(lost) }] = errors[..] else {
        panic!("{errors:?}")
    };
    assert!(lost > 1_000);
    let event = Event::Lost { cpu: None, count: Some(lost) };
    let place = back.iter().position(|record| record.event == event).unwrap();
    let resumes = place + usize::try_from(lost).unwrap();
    assert_eq!(back[..place], records[..place]);
    assert_eq!(back[place + 1..], records[resumes..]);
}

#[test]
fn refuses_bytes_behind_the_end() {
    let mut file = write(&schedule(1));
    file.push(0);
    assert!(matches!(read(&file).1[..], [ReadError::Trailing]));
}

#[test]
fn law_a_failing_destination_is_told_at_the_end() {
    let mut space = [0_u8; 100];
    let mut writer = Writer::new(&mut space[..], &header());
    for record in schedule(10_000) {
        writer.record(record.at, &record.event);
    }
    assert!(matches!(writer.finish(), Err(WriteError::Io(_))));
}

#[test]
fn law_what_was_not_written_as_given_is_told_at_the_end() {
    let mut writer = Writer::new(Vec::new(), &header());
    let exit = Event::Exit { thread: ThreadId(1) };
    writer.record(Instant::from_nanos(5), &exit);
    writer.record(Instant::from_nanos(4), &exit);
    assert!(matches!(writer.finish(), Err(WriteError::OutOfOrder { records: 1 })));
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &header());
    writer.record(Instant::ZERO, &Event::Control { text: "x".repeat(LONGEST_TEXT) });
    writer.record(Instant::ZERO, &Event::Control { text: "x".repeat(LONGEST_TEXT + 1) });
    assert!(matches!(writer.finish(), Err(WriteError::TooLong { records: 1 })));
    let (back, errors) = read(&file);
    assert!(errors.is_empty());
    assert_eq!(back[1].event, Event::Lost { cpu: None, count: Some(1) });
}

proptest! {
    #[test]
    fn law_what_was_written_is_read_back(records in records(200)) {
        let (back, errors) = read(&write(&records));
        prop_assert!(errors.is_empty(), "{:?}", errors);
        prop_assert_eq!(back, records);
    }

    #[test]
    fn law_no_bytes_panic_and_time_never_goes_back(
        records in records(60),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        repair: bool,
    ) {
        let mut file = write(&records);
        for (place, byte) in damage {
            let place = place.index(file.len());
            file[place] = byte;
        }
        if repair {
            mend(&mut file);
        }
        let (back, errors) = read(&file);
        prop_assert!(back.is_sorted_by_key(|record| record.at));
        let lost = back.iter().any(|record| matches!(record.event, Event::Lost { .. }));
        prop_assert!(repair || back == records || lost || !errors.is_empty());
    }

    #[test]
    fn law_random_bytes_do_not_panic(bytes: Vec<u8>) {
        let file = [&MAGIC[..], &bytes].concat();
        prop_assert!(!read(&file).1.is_empty());
        let mut bytes = bytes::Bytes(&bytes);
        let mut memo = memo::Memo::new();
        while let Some(decoded) = decode::decode(&mut bytes, &memo) {
            match decoded {
                decode::Decoded::Record(record) => {
                    memo.after(record.at.as_nanos(), &record.event);
                }
                decode::Decoded::Later(now) => memo.now = now,
            }
        }
    }
}

/// Makes the checksums right again, so that damage reaches the decoder.
fn mend(file: &mut [u8]) {
    let mut place = MAGIC.len();
    while let Some(head) = file.get(place..place + 8) {
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let Some(content) = file.get(place + 8..place + 8 + length) else {
            return;
        };
        let sum = bytes::checksum(content).to_le_bytes();
        file[place + 4..place + 8].copy_from_slice(&sum);
        place += 8 + length;
    }
}

use super::*;
use windfall_observe::decode;
use windfall_observe::kernel_event::Comm;
use windfall_observe::tracepoints::{POINTS, Tracepoints};
use windfall_os::sched::own_tid;
use windfall_trace::{Memory, Timeline};

/// Where a thread starts.
extern "C" fn begins_here() -> i32 {
    0x0be91
}

#[test]
fn paper_an_address_is_the_start_of_the_next_thread_that_its_caller_makes() {
    let (pid, caller) = (std::process::id().cast_signed(), own_tid());
    let mut memory = Memory::default();
    let mut translator = Translator::new(&mut memory, Instant::ZERO);
    translator.begin_command(NodeId(0), "this", Some(pid));
    let name = Comm::at(&[b'x'; 16], 0).unwrap();
    let made = |parent, child, thread| KernelEvent::Fork {
        parent,
        child,
        kind: Some(ChildKind { thread, name }),
    };
    let address = begins_here as *const () as usize as u64;
    let starts = KernelEvent::Starts { tid: caller, pid, routine: address };
    let observed = [
        KernelEvent::Wake { tid: caller, by: 0 },
        made(caller, 1_000_001, true), // nobody said where
        starts,
        made(1_000_001, 1_000_002, true), // somebody else's
        made(caller, 1_000_003, false),   // a process starts where it was forked
        made(caller, 1_000_004, true),
        made(caller, 1_000_005, true), // said once
        KernelEvent::Starts { tid: caller, pid, routine: 1 }, // no file lies there
        made(caller, 1_000_006, true),
    ];
    for (at, seen) in (1..).zip(observed) {
        translator.take(0, Observed::Event(Instant::from_nanos(at), seen));
    }
    let origins = translator.finish().origins;
    let mut known: Vec<(u32, bool)> =
        origins.iter().map(|(thread, origin)| (thread.0, origin.routine.is_some())).collect();
    known.sort_unstable();
    // The caller is the first thread that was declared, and none of those that were made.
    let expected = [(1, false), (2, false), (3, false), (4, true), (5, false), (6, false)];
    assert_eq!(known, expected);
    let routine = origins[&ThreadId(4)].routine.clone().unwrap_or_default();
    assert!(routine.contains("begins_here"), "{routine}");
    assert!(origins.values().all(|origin| origin.maker.is_some()));
}

#[test]
fn law_a_thread_that_waits_while_it_executes_a_program_is_still_the_commands() {
    const LEADER: i32 = 1_000_001;
    const OTHER: i32 = 1_000_002;
    let mut memory = Memory::default();
    let mut translator = Translator::new(&mut memory, Instant::ZERO);
    translator.begin_command(NodeId(0), "this", None);
    translator.expect_child_of(1);
    let named = |name: &[u8; 5]| {
        let mut bytes = [0; 16];
        bytes[..5].copy_from_slice(name);
        Comm::at(&bytes, 0).unwrap()
    };
    let made = |parent, child, thread| KernelEvent::Fork {
        parent,
        child,
        kind: Some(ChildKind { thread, name: named(b"start") }),
    };
    let runs = |prev, stop, next| KernelEvent::Switch { prev, stop, next };
    let observed = [
        made(1, LEADER, false),
        runs(0, Stop::Blocked, LEADER),
        made(LEADER, OTHER, true),
        runs(LEADER, Stop::Exited, OTHER),
        KernelEvent::Named { tid: LEADER, name: named(b"sleep") },
        runs(LEADER, Stop::Blocked, 0), // it reads the file
        KernelEvent::Wake { tid: LEADER, by: 0 },
        runs(0, Stop::Blocked, LEADER),
        KernelEvent::Executed { tid: LEADER, before: OTHER },
        runs(LEADER, Stop::Exited, 0),
    ];
    for (at, seen) in (1..).zip(observed) {
        translator.take(0, Observed::Event(Instant::from_nanos(at), seen));
    }
    translator.finish();
    let timeline = Timeline::build(memory.records.iter().cloned());
    let slept: Vec<_> = timeline.threads.iter().filter(|line| line.name == "sleep").collect();
    assert_eq!(slept.len(), 1, "{:?}", timeline.threads);
    let sleep = slept[0];
    let leader = LEADER.unsigned_abs();
    assert_eq!((sleep.tid, sleep.pid, sleep.node), (leader, leader, Some(NodeId(0))));
}

/// A record as the fuzzer makes it: the processor, what it is, and the kernel's bytes.
const RECORD: usize = 72;

/// Decodes these bytes, as from perf or from BPF; the first byte advances the time.
fn observed(record: &[u8], points: &Tracepoints, now: &mut Instant) -> Option<(u16, Observed)> {
    let (head, bytes) = record.split_at_checked(4)?;
    *now = now.saturating_add(windfall_time::Span::from_nanos(head[0].into()));
    let cpu = u16::from(head[1] % 4);
    let seen = match head[2] % 8 {
        0 => {
            return Some((
                cpu,
                Observed::Lost(u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?)),
            ));
        }
        1..4 => points.decode(bytes)?,
        _ => decode(bytes).2?.seen,
    };
    Some((cpu, Observed::Event(*now, seen)))
}

/// Records of all sorts about a few threads.
fn records() -> Vec<u8> {
    let mut all = Vec::new();
    let points = u8::try_from(POINTS.len()).unwrap();
    for number in 0..60_u8 {
        let mut record = [0_u8; RECORD];
        record[..4].copy_from_slice(&[10, number / 3, number % 8, 0]);
        let body = &mut record[4..];
        body[0] = number % points; // perf: which tracepoint
        body[8] = number % 5; // and its fields, of four bytes
        body[12] = number % 3;
        body[16] = (number + 1) % 5;
        body[38] = number % 13; // BPF: what it is
        body[40] = number % 5;
        body[44] = (number + 1) % 5;
        body[48..53].copy_from_slice(b"named");
        all.extend(record);
    }
    all
}

#[test]
fn law_no_record_of_the_kernel_panics_and_none_contradicts_another() {
    let points = Tracepoints::any();
    let mut known = 0;
    crate::mutate::fuzz("records", &[&records()], |bytes| {
        let mut memory = Memory::default();
        let mut translator = Translator::new(&mut memory, Instant::ZERO);
        translator.begin_command(NodeId(0), "this", None);
        translator.expect_child_of(1);
        let mut now = Instant::ZERO;
        for record in bytes.chunks(RECORD) {
            if let Some((cpu, observed)) = observed(record, &points, &mut now) {
                known += 1;
                translator.take(cpu, observed);
            }
        }
        translator.finish();
        assert!(memory.records.is_sorted_by_key(|record| record.at));
        let conflicts = Timeline::build(memory.records.iter().cloned()).conflicts;
        assert_eq!(conflicts, 0, "{:#?}", memory.records);
    });
    assert!(known > 1_000, "{known}"); // against vacuity
}

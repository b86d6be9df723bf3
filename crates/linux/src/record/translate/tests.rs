use super::*;
use crate::sys::sched::own_tid;
use windfall_trace::Memory;

/// Where a thread is told to start.
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
    let made = |parent, child, thread| Seen::Made { parent, child, thread, name };
    let address = begins_here as *const () as usize as u64;
    let starts = Seen::Starts { tid: caller, pid, routine: address };
    let heard = [
        Seen::Wake { tid: caller, by: 0 },
        made(caller, 1_000_001, true), // nobody told where
        starts,
        made(1_000_001, 1_000_002, true), // somebody else's
        made(caller, 1_000_003, false),   // a process starts where it was forked
        made(caller, 1_000_004, true),
        made(caller, 1_000_005, true),                 // told once
        Seen::Starts { tid: caller, pid, routine: 1 }, // no file lies there
        made(caller, 1_000_006, true),
    ];
    for (at, seen) in (1..).zip(heard) {
        translator.take(0, Heard::Seen(Instant::from_nanos(at), seen));
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

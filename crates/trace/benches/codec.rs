//! What it costs to write and to read a record: `cargo bench -p windfall-trace --bench codec`.
//!
//! Prints nanoseconds and bytes a record for a made-up schedule of periodic threads. A bare
//! program, since the numbers are for reading, not for a verdict.

use std::hint::black_box;
use windfall_clocks::Lap;
use windfall_time::{Instant, Span};
use windfall_trace::codec::{Reader, Writer};
use windfall_trace::{Cpu, Event, Header, Sink, Stop, ThreadId};

const ROUNDS: u64 = 1_000_000;

fn main() {
    let events = schedule();
    let mut writer = Writer::new(Vec::with_capacity(64 << 20), &Header::default());
    let lap = Lap::begin();
    let (mut now, mut records) = (0_u64, 0_u64);
    for round in 0..ROUNDS {
        for (wait, event) in &events[usize::try_from(round % 64).unwrap_or(0)] {
            now += wait;
            writer.record(Instant::from_nanos(now), black_box(event));
            records += 1;
        }
    }
    let file = writer.finish().unwrap_or_default();
    report("write", lap, records);
    println!("{:.2} bytes a record", file.len() as f64 / records as f64);

    let lap = Lap::begin();
    let mut read = 0;
    for record in Reader::new(&file[..]).into_iter().flatten() {
        black_box(&record);
        read += 1;
    }
    report("read", lap, read);
    assert_eq!(read, records);
}

fn report(what: &str, lap: Lap, records: u64) {
    println!("{what}: {:.1} ns a record", lap.each(records));
}

/// 64 rounds of wake, release, switch, completion, switch; each with the wait before it.
fn schedule() -> Vec<Vec<(u64, Event)>> {
    let round = |round: u64| {
        let cpu = Cpu(u16::try_from(round % 4).unwrap_or(0));
        let thread = ThreadId(u32::try_from((round * 7 + round / 12) % 12).unwrap_or(0));
        let work = 250_000 + round * 1_013;
        let response = Span::from_nanos(work + 1_500);
        vec![
            (100_000 + round * 7_919, Event::Wake { thread, by: None }),
            (0, Event::Release { thread, deadline: None }),
            (1_500, Event::Switch { cpu, prev: None, next: Some(thread) }),
            (work, Event::Complete { thread, response, missed: false }),
            (0, Event::Switch { cpu, prev: Some((thread, Stop::Blocked)), next: None }),
        ]
    };
    (0..64).map(round).collect()
}

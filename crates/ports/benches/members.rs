//! What it costs to submit to another processor, beside a bare ring: `cargo bench -p windfall-ports`; see `docs/benchmarks/admission.md`.
//!
//! Two threads on two processors, one in each round: a record goes there and back (two latencies of a bare ring); a task is submitted to the other's scheduler, analysed, and
//! answered; and a task is submitted to one's own. Of each the median, one at a time, in rounds that follow each other.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicBool, Ordering};
use windfall_clocks::{Lap, Samples};
use windfall_exchange::ring;
use windfall_os::sched::Affinity;
use windfall_ports::transport::{InProcess, Record, in_process};
use windfall_ports::{
    Answer, EarliestDeadline, Event, Member, Processor, Request, Share, Submission, TaskId,
};
use windfall_time::{Instant, Span};

const ROUNDS: usize = 9;
const TIMES: usize = 20_000;
const PAUSE: Span = Span::from_nanos(2_000);
/// Tasks that are there all the time.
const SLOTS: [u64; 2] = [0, 1_000];

fn pin(cpu: u16) {
    Affinity::one(cpu).give(0).unwrap_or_else(|why| panic!("processor {cpu}: {why}"));
}

/// The task that is submitted again and again.
fn asked() -> Request {
    Request::by(Span::from_nanos(500), Instant::ZERO + Span::from_millis(1))
}

fn processor(slots: u64) -> Processor {
    let mut processor = Processor::new(Instant::ZERO, 2_000);
    let edf: EarliestDeadline =
        EarliestDeadline::new(Share::WHOLE, Instant::ZERO, 2_000).expect("time begins at zero");
    processor.add(edf).expect("the only scheduler");
    for slot in 0..slots {
        let deadline = Instant::from_nanos(2_000 * (slot + 1));
        processor.submit(0, Request::by(Span::from_nanos(1_000), deadline)).expect("room");
    }
    processor
}

/// The median of what single calls took, in ns, less what the clock takes.
fn median(mut call: impl FnMut() -> Span) -> f64 {
    let each = |call: &mut dyn FnMut() -> Span| {
        let one = |_| {
            // The other has done by then what it does after it answered.
            let pause = Lap::begin();
            while pause.passed() < PAUSE {
                spin_loop();
            }
            call()
        };
        Samples::of((0..TIMES).map(one).collect()).median().as_nanos() as f64
    };
    let clock = each(&mut || Lap::begin().passed());
    each(&mut call) - clock
}

fn own(slots: u64) -> f64 {
    let mut processor = processor(slots);
    median(|| {
        let lap = Lap::begin();
        let task: TaskId = black_box(processor.submit(0, asked())).expect("room");
        let took = lap.passed();
        processor.cancel(task).expect("it is there");
        took
    })
}

fn bare() -> f64 {
    let ((mut there, mut comes), (mut back, mut came)) = (ring::<8>(64), ring::<8>(64));
    let over = AtomicBool::new(false);
    let mut into = [Record::default(); 1];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pin(1);
            let mut into = [Record::default(); 1];
            while !over.load(Ordering::Relaxed) {
                if comes.read(&mut into) == 1 {
                    back.write(&into);
                } else {
                    spin_loop();
                }
            }
        });
        let found = median(|| {
            let lap = Lap::begin();
            there.write(&[[7; 8]]);
            while came.read(&mut into) == 0 {
                spin_loop();
            }
            lap.passed()
        });
        over.store(true, Ordering::Relaxed);
        found
    })
}

/// The other's thread: it analyses what comes, and gives up what was admitted, so that there is room.
fn serve(mut member: Member<InProcess>, over: &AtomicBool) {
    pin(1);
    while !over.load(Ordering::Relaxed) {
        for event in member.turn() {
            if let Event::Analysed { answer: Answer::Admitted(task), .. } = event {
                member.processor.cancel(task).expect("it is there");
            }
        }
        spin_loop();
    }
}

fn other(slots: u64) -> f64 {
    let mut ends = in_process(2, 64);
    let (theirs, ours) = (ends.pop().expect("two"), ends.pop().expect("two"));
    let repeat = Span::from_secs(1_000);
    let theirs = Member::new(processor(slots), theirs, repeat);
    let mut member = Member::new(processor(0), ours, repeat);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| serve(theirs, &over));
        let found = median(|| {
            let lap = Lap::begin();
            let submitted: Option<Submission> = member.submit(1, 0, asked(), Instant::MAX);
            assert!(submitted.is_some());
            while black_box(member.turn()).is_empty() {
                spin_loop();
            }
            lap.passed()
        });
        over.store(true, Ordering::Relaxed);
        found
    })
}

fn main() {
    pin(0);
    for slots in SLOTS {
        let mut found = [const { Vec::new() }; 3];
        let mut ratios = Vec::new();
        for _ in 0..ROUNDS {
            let each = [own(slots), bare(), other(slots)];
            ratios.push((each[2] - each[0]) / each[1]);
            found.iter_mut().zip(each).for_each(|(all, one)| all.push(one));
        }
        let [own, bare, other] = found.map(windfall_clocks::median);
        println!(
            "{slots} slots: own processor {own:.0} ns, other {other:.0}, bare ring there and back {bare:.0}; beyond one's own, of a bare ring: {:.2}",
            windfall_clocks::median(ratios)
        );
    }
}

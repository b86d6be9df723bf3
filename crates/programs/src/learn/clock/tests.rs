use super::*;
use crate::program::Recorded;
use windfall_time::Instant;
use windfall_trace::ThreadId;

fn us(us: u64) -> Span {
    Span::from_micros(us).expect("a short span")
}

/// A thread that becomes ready at these times (in us) by these causes, and wakes these.
fn thread(id: u32, wakes: &[(u64, Cause)], woken: &[usize]) -> LearnedThread {
    let at = |us: u64| Instant::ZERO.saturating_add(self::us(us));
    let mut steps = Vec::new();
    for (us, by) in wakes {
        steps.push(match by {
            Cause::Thread(_) => RecordedStep::Woken,
            _ => RecordedStep::Until(at(*us)),
        });
        steps.push(RecordedStep::Run(self::us(10)));
    }
    steps.extend(
        woken
            .iter()
            .flat_map(|target| [RecordedStep::Wake(*target), RecordedStep::Run(self::us(1))]),
    );
    let activations =
        wakes.iter().map(|(us, by)| Activation { at: at(*us), by: *by, work: self::us(10) });
    LearnedThread {
        trace_thread: ThreadId(id),
        name: format!("t{id}"),
        tid: id,
        pid: id,
        of_command: false,
        activations: activations.collect(),
        recorded: Recorded { start: Instant::ZERO, steps },
        jobs: Vec::new(),
        unknown: Span::ZERO,
    }
}

/// Number of times that a thread waits for another, and that others wake it; equal by R2.
fn waits_and_wakes(learned: &Learned, target: usize) -> (usize, usize) {
    let count = |thread: &LearnedThread, wanted: RecordedStep| {
        thread.recorded.steps.iter().filter(|step| **step == wanted).count()
    };
    let waits = count(&learned.threads[target], RecordedStep::Woken);
    let wakes = learned.threads.iter().map(|thread| count(thread, RecordedStep::Wake(target)));
    (waits, wakes.sum())
}

#[test]
fn r0013_a_strictly_periodic_wake_is_the_clocks_whoever_ran() {
    // A timer at 1 ms; every other time the endless thread 1 was there.
    let by = |number: u64| if number.is_multiple_of(2) { Cause::Thread(1) } else { Cause::Other };
    let wakes: Vec<(u64, Cause)> = (0..40).map(|n| (1_000 * n + n % 3, by(n))).collect();
    let hog = thread(1, &[(0, Cause::Start)], &[0; 20]);
    let mut learned = Learned { threads: vec![thread(0, &wakes, &[]), hog], ..Learned::default() };
    assert_eq!(waits_and_wakes(&learned, 0), (20, 20));
    assert_eq!(learned.separate_clock(), Clock { periodic: 20, late: 0, doubtful: 0 });
    assert_eq!(waits_and_wakes(&learned, 0), (0, 0));
    let untils = |step: &&RecordedStep| matches!(step, RecordedStep::Until(_));
    assert_eq!(learned.threads[0].recorded.steps.iter().filter(untils).count(), 40);
    assert_eq!(learned.threads[1].work(), us(30), "what the other computes is left");
}

#[test]
fn r0013_a_periodic_thread_that_releases_another_is_believed() {
    let clock: Vec<(u64, Cause)> = (0..40).map(|n| (10_000 * n, Cause::Other)).collect();
    let released: Vec<(u64, Cause)> =
        (0..40).map(|n| (10_000 * n + 50, Cause::Thread(1))).collect();
    let threads = vec![thread(0, &released, &[]), thread(1, &clock, &[0; 40])];
    let mut learned = Learned { threads, ..Learned::default() };
    let before = learned.clone();
    assert_eq!(learned.separate_clock(), Clock { periodic: 0, late: 0, doubtful: 40 });
    assert_eq!(learned, before);
}

#[test]
fn r0013_what_is_not_periodic_is_doubtful_and_stays() {
    let wakes: Vec<(u64, Cause)> =
        (0..40_u64).map(|n| (n * n * 37 % 10_007 + n * 9_000, Cause::Thread(1))).collect();
    let mut learned = Learned {
        threads: vec![thread(0, &wakes, &[]), thread(1, &[(0, Cause::Start)], &[0; 40])],
        ..Learned::default()
    };
    assert_eq!(learned.separate_clock(), Clock { periodic: 0, late: 0, doubtful: 40 });
    assert_eq!(waits_and_wakes(&learned, 0), (40, 40));
}

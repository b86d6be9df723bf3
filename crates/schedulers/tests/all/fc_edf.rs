//! FC-EDF in overload, against plain EDF.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::common::{Host, MS, S, T, periodic};
use windfall_hierarchy::VpState;
use windfall_schedulers::catalogue::Value;
use windfall_schedulers::kinds;

const PERIOD: u64 = 20 * MS;

/// The results of the jobs of a run.
#[derive(Debug, Default)]
struct Outcome {
    met: u64,
    missed: u64,
    refused: u64,
    /// Processor time received.
    busy: u64,
}

impl Outcome {
    /// Misses among accepted jobs, in thousandths.
    fn miss_ratio(&self) -> u64 {
        self.missed * 1000 / (self.met + self.missed).max(1)
    }
}

/// Threads that work `work` every [`PERIOD`], started one millisecond apart, below FC-EDF; the results from `from`
/// to `end`. The host aborts jobs that expire.
fn run(settings: &[(&str, Value<'_>)], threads: u64, work: u64, from: u64, end: u64) -> Outcome {
    let mut host = Host::new(1);
    host.tree.open_journal(1 << 12, false);
    let root = host.root("fc-edf", settings);
    let rate = periodic(PERIOD, PERIOD);
    let all: Vec<T> = (0..threads).map(|n| host.thread(root, &format!("t{n}"), &[rate])).collect();
    let mut outcome = Outcome::default();
    let mut before = 0;
    // The release of each thread's open job; `None` after its end has been counted.
    let mut open: Vec<Option<u64>> = vec![None; all.len()];
    while host.now < end {
        let now = host.now + MS;
        host.run_to(now);
        let counts = now > from;
        if now == from {
            before = all.iter().map(|thread| host.ran(*thread)).sum();
        }
        for (number, thread) in all.iter().enumerate() {
            if host.tree.thread_state(host.threads[*thread].id) == Some(VpState::Waiting)
                && open[number].take().is_some()
            {
                outcome.met += u64::from(counts);
            }
        }
        let expired = expired(&mut host);
        for thread in expired {
            host.block(thread);
            if open[thread].take().is_some() {
                outcome.missed += u64::from(counts);
            }
        }
        for (number, thread) in all.iter().enumerate() {
            let phase = (number as u64 % 20) * MS;
            if now % PERIOD == phase {
                host.wake_for(*thread, work);
                open[number] = Some(now);
            }
        }
        for thread in self::expired(&mut host) {
            host.block(thread);
            open[thread] = None;
            outcome.refused += u64::from(counts);
        }
    }
    outcome.busy = all.iter().map(|thread| host.ran(*thread)).sum::<u64>() - before;
    outcome
}

fn expired(host: &mut Host) -> Vec<T> {
    let ids: Vec<_> = host.tree.drain_journal().filter_map(|entry| entry.expired()).collect();
    let number = |id| host.threads.iter().position(|thread| thread.id == id).unwrap();
    ids.into_iter().map(number).collect()
}

#[test]
fn accepts_every_job_while_the_load_fits() {
    let outcome = run(&[], 5, 4 * MS, S, 5 * S);
    assert_eq!((outcome.missed, outcome.refused), (0, 0));
    assert_eq!(outcome.busy, 4 * S);
}

/// Measured after half a minute: the fraction recovers slowly from too few jobs, because without misses the error
/// is at most the set point.
#[test]
fn law_in_overload_the_miss_ratio_settles_at_the_set_point_and_the_processor_stays_busy() {
    for (threads, work) in [(10, 3 * MS), (15, 2 * MS), (10, 4 * MS)] {
        let outcome = run(&[], threads, work, 30 * S, 50 * S);
        let text = format!("{threads} threads of {work} ns: {outcome:?}");
        assert!((10..=30).contains(&outcome.miss_ratio()), "{text}");
        assert!(outcome.busy >= 20 * S / 100 * 95, "{text}");
    }
}

/// Plain EDF lets every job finish late: at 1.5 times the load that fits, almost none is done in time.
#[test]
fn paper_lu_1999_plain_edf_goes_down_like_dominoes() {
    let (threads, work) = (10, 3 * MS);
    let mut host = Host::new(1);
    let root = host.top(kinds::EDF);
    let rate = periodic(PERIOD, PERIOD);
    let all: Vec<T> =
        (0..threads).map(|n| host.cycle(root, &format!("t{n}"), &[rate], (work, PERIOD))).collect();
    let mut met = 0;
    let rounds = 30 * S / PERIOD;
    for round in 1..=rounds {
        host.run_to(round * PERIOD - 1);
        let done = |thread: &&T| host.ran(**thread) >= round * work;
        met += all.iter().filter(done).count() as u64;
    }
    assert!(met < threads * rounds / 100, "{met} of {}", threads * rounds);
    let controlled = run(&[], threads, work, 0, 30 * S);
    assert!(controlled.met > threads * rounds / 2, "{controlled:?}");
}

#[test]
fn limit_without_gains_it_is_edf_that_aborts() {
    let none = Value::Integer(0);
    let gains = [("proportional", none), ("integral", none), ("derivative", none)];
    let outcome = run(&gains, 10, 3 * MS, S, 5 * S);
    assert_eq!(outcome.refused, 0);
    assert!(outcome.miss_ratio() > 100, "{outcome:?}");
}

//! Blocking against jobs that run nanosecond by nanosecond, from all offsets.

use super::*;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use std::cell::Cell;

/// The next step of a job.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Op {
    Run,
    Lock(usize),
    Unlock(usize),
}

/// Work, and sections among it.
fn program(sections: &[Section], between: u64, into: &mut Vec<Op>) {
    for section in sections {
        into.push(Op::Lock(section.lock));
        let inner: u64 = section.inner.iter().map(|inner| inner.length.as_nanos()).sum();
        program(&section.inner, 0, into);
        let rest = section.length.as_nanos() - inner;
        into.extend((0..rest).map(|_| Op::Run));
        into.push(Op::Unlock(section.lock));
        into.extend((0..between).map(|_| Op::Run));
    }
}

struct Job {
    rest: Vec<Op>,
    release: u64,
    end: Option<u64>,
    waits: Option<usize>,
}

/// One job of each task, the first of the highest priority; by task, how long it takes.
fn simulated(programs: &[Vec<Op>], offsets: &[u64], protocol: Protocol) -> Vec<u64> {
    let mut jobs: Vec<Job> = programs
        .iter()
        .zip(offsets)
        .map(|(program, release)| Job {
            rest: program.iter().rev().copied().collect(),
            release: *release,
            end: None,
            waits: None,
        })
        .collect();
    let mut owners: Vec<Option<usize>> = vec![None; 4];
    let ceiling =
        |lock: usize| programs.iter().position(|ops| ops.contains(&Op::Lock(lock))).unwrap();
    for now in 0..200 {
        loop {
            let mut ranks: Vec<usize> = (0..jobs.len()).collect();
            for _ in 0..jobs.len() {
                for (lock, owner) in owners.iter().enumerate() {
                    let Some(owner) = *owner else { continue };
                    let waiting = (0..jobs.len()).filter(|job| jobs[*job].waits == Some(lock));
                    let heir = match protocol {
                        Protocol::None => None,
                        Protocol::Inherit => waiting.map(|job| ranks[job]).min(),
                        Protocol::Ceiling => Some(ceiling(lock)),
                    };
                    ranks[owner] = heir.map_or(ranks[owner], |heir| heir.min(ranks[owner]));
                }
            }
            let ready = (0..jobs.len()).filter(|job| {
                let job = &jobs[*job];
                job.release <= now && job.end.is_none() && job.waits.is_none()
            });
            // A job that holds a ceiling goes before a later job of that rank.
            let Some(at) =
                ready.min_by_key(|job| (ranks[*job], *job < ranks[*job], usize::MAX - *job))
            else {
                break;
            };
            match jobs[at].rest.pop() {
                None => jobs[at].end = Some(now),
                Some(Op::Run) => break,
                Some(Op::Lock(lock)) => match owners[lock] {
                    None => owners[lock] = Some(at),
                    Some(_) => {
                        jobs[at].waits = Some(lock);
                        jobs[at].rest.push(Op::Lock(lock));
                    }
                },
                Some(Op::Unlock(lock)) => {
                    owners[lock] = None;
                    // All try again; the most urgent comes first.
                    jobs.iter_mut().filter(|job| job.waits == Some(lock)).for_each(|job| {
                        job.waits = None;
                    });
                }
            }
        }
    }
    jobs.iter().map(|job| job.end.expect("it ends in time") - job.release).collect()
}

fn ns(ns: u64) -> Span {
    Span::from_nanos(ns)
}

/// Up to two sections of three locks, some with one of a later lock in it.
fn sections() -> impl Strategy<Value = Vec<Section>> {
    let inner = prop::option::weighted(0.4, (1..3_usize, 1..3_u64));
    let one = (0..3_usize, 1..4_u64, inner).prop_map(|(lock, length, inner)| {
        let inner = inner.map(|(step, length)| (lock + step, length)).filter(|(lock, _)| *lock < 3);
        let inner: Vec<Section> =
            inner.into_iter().map(|(lock, length)| Section::new(lock, ns(length))).collect();
        let all = length + inner.iter().map(|inner| inner.length.as_nanos()).sum::<u64>();
        Section::new(lock, ns(all)).with(inner)
    });
    prop::collection::vec(one, 0..3)
}

/// All offsets up to 5 of three tasks of which the last begins at once.
fn offsets() -> impl Iterator<Item = [u64; 3]> {
    (0..36).flat_map(|n| [[n / 6, n % 6, 0], [n / 6, 0, n % 6]])
}

/// By level, the longest response from all offsets beside the bound: all work of this rank and higher, and blocking.
fn against_bound(sections: &[Vec<Section>], protocol: Protocol) -> Vec<(u64, u64)> {
    let programs: Vec<Vec<Op>> = sections
        .iter()
        .map(|sections| {
            let mut ops = vec![Op::Run];
            program(sections, 1, &mut ops);
            ops
        })
        .collect();
    let works: Vec<u64> =
        programs.iter().map(|ops| ops.iter().filter(|op| **op == Op::Run).count() as u64).collect();
    let protocols = [protocol; 3];
    let blocking = Locks::new(&protocols, sections).blocking(&[0, 1, 2]);
    let mut worst = [0; 3];
    for offsets in offsets() {
        let responses = simulated(&programs, &offsets, protocol);
        worst.iter_mut().zip(responses).for_each(|(worst, one)| *worst = one.max(*worst));
    }
    let bound = |level: usize| {
        works[..=level].iter().sum::<u64>() + blocking[level].expect("a bound").as_nanos()
    };
    (0..3).map(|level| (worst[level], bound(level))).collect()
}

#[test]
fn law_no_job_takes_longer_than_its_rank_works_and_is_blocked() {
    let [tight, blocked, nested] = [const { Cell::new(0) }; 3];
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::with_cases(150), rng);
    let sets = prop::collection::vec(sections(), 3);
    let run = runner.run(&sets, |sets| {
        for protocol in [Protocol::Inherit, Protocol::Ceiling] {
            for (worst, bound) in against_bound(&sets, protocol) {
                prop_assert!(worst <= bound, "{protocol:?}: {worst} above {bound}");
                tight.set(tight.get() + u32::from(worst == bound));
            }
        }
        let blocking = Locks::new(&[Protocol::Inherit; 3], &sets).blocking(&[0, 1, 2]);
        blocked.set(blocked.get() + u32::from(blocking[0] != Ok(Span::ZERO)));
        let inside = sets.iter().flatten().any(|section| !section.inner.is_empty());
        nested.set(nested.get() + u32::from(inside));
        Ok(())
    });
    run.unwrap();
    assert!(tight.get() > 300, "{} bounds are attained", tight.get());
    assert!(blocked.get() > 50 && nested.get() > 50, "{blocked:?} blocked, {nested:?} nested");
}

#[test]
fn paper_sha1990_a_chain_of_inheritance_blocks_by_each_job_and_a_ceiling_by_one() {
    // Two jobs of lower rank hold the two locks that the first one needs (Sha and others 1990, section III).
    let sections = [
        vec![Section::new(0, ns(1)), Section::new(1, ns(1))],
        vec![Section::new(1, ns(4))],
        vec![Section::new(0, ns(3))],
    ];
    let blocking = |protocol| Locks::new(&[protocol; 2], &sections).blocking(&[1, 2, 3]);
    assert_eq!(blocking(Protocol::Inherit), [Ok(ns(7)), Ok(ns(3)), Ok(ns(0))]);
    assert_eq!(blocking(Protocol::Ceiling), [Ok(ns(4)), Ok(ns(3)), Ok(ns(0))]);
    // The job between has no use for the lock, and is blocked all the same.
    let error = Err(LockError::NoProtocol(0));
    assert_eq!(blocking(Protocol::None), [Err(LockError::NoProtocol(1)), error, Ok(ns(0))]);
}

#[test]
fn law_a_lock_inside_a_section_blocks_those_who_never_use_it() {
    let sections = [
        vec![Section::new(0, ns(1))],
        vec![Section::new(0, ns(3)).with(vec![Section::new(1, ns(1))])],
        vec![Section::new(1, ns(5))],
    ];
    let locks = [Protocol::Inherit; 2];
    let blocking = Locks::new(&locks, &sections).blocking(&[1, 2, 3]);
    assert_eq!(blocking, [Ok(ns(8)), Ok(ns(5)), Ok(ns(0))]);
    // With ceilings the job that holds the inner lock alone ranks below the first.
    let blocking = Locks::new(&[Protocol::Ceiling; 2], &sections).beyond(|task| task > 0);
    assert_eq!(blocking, Ok(ns(3)));
    // The inner one without a protocol leaves the outer one without a bound.
    let mixed = [Protocol::Inherit, Protocol::None];
    assert_eq!(
        Locks::new(&mixed, &sections).beyond(|task| task > 0),
        Err(LockError::NoProtocol(1))
    );
}

#[test]
fn refuses_two_orders_and_accepts_them_with_ceilings() {
    let inside = |outer, inner| Section::new(outer, ns(3)).with(vec![Section::new(inner, ns(1))]);
    let crossed = [vec![inside(0, 1)], vec![inside(1, 0)]];
    let blocking = |protocol, sections: &[Vec<Section>]| {
        Locks::new(&[protocol; 2], sections).beyond(|task| task > 0)
    };
    assert!(matches!(blocking(Protocol::Inherit, &crossed), Err(LockError::Cycle(_))));
    assert_eq!(blocking(Protocol::Ceiling, &crossed), Ok(ns(3)));
    // In itself it is never taken.
    let itself = [vec![Section::new(0, ns(1))], vec![inside(1, 1)]];
    assert_eq!(blocking(Protocol::Ceiling, &itself), Err(LockError::Cycle(1)));
}

#[test]
fn law_a_lock_of_one_task_blocks_nobody() {
    let sections = [vec![Section::new(0, ns(9))], vec![Section::new(1, ns(9))]];
    let blocking = Locks::new(&[], &sections).blocking(&[0, 1]);
    assert_eq!(blocking, [Ok(ns(0)), Ok(ns(0))]);
}

#[test]
fn refuses_sections_that_cannot_be_counted() {
    let long = |lock| vec![Section::new(lock, Span::MAX)];
    let sections = [vec![Section::new(0, ns(1)), Section::new(1, ns(1))], long(0), long(1)];
    let locks = [Protocol::Inherit; 2];
    assert_eq!(Locks::new(&locks, &sections).beyond(|task| task > 0), Err(LockError::OutOfRange));
}

//! Replicas on threads, with one that is faulty in each way: the others go on with right values, the fault is named, and the replica comes back.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use windfall_nmr::redundant::{
    Ending, FaultKind, Injected, Outcome, Redundant, Remedy, Replica, Vote, VoteError,
};
use windfall_nmr::{Exact, Iteration, Majority, ReplicaNumber, Settings};
use windfall_time::Span;

/// More than a thread falls behind while it waits for a processor.
const LAG: u64 = 1 << 40;
const FAULTY: ReplicaNumber = ReplicaNumber(2);

/// The sum of all iterations so far.
const fn right(iteration: u64) -> u64 {
    iteration * (iteration + 1) / 2
}

/// How far replicas are to go, and how far one is.
#[derive(Clone)]
struct Course {
    end: Arc<AtomicU64>,
    furthest: Arc<AtomicU64>,
}

impl Course {
    /// To this iteration.
    fn to(end: u64) -> Course {
        Course { end: Arc::new(AtomicU64::new(end)), furthest: Arc::default() }
    }

    /// The end is near.
    fn ends_soon(&self) {
        let soon = self.furthest.load(Ordering::SeqCst) + 5_000;
        self.end.fetch_min(soon, Ordering::SeqCst);
    }

    /// Adds up; each vote must be right, in every replica.
    fn run(&self, replica: &mut Replica<u64, Majority<Exact>>) -> Result<(), VoteError> {
        loop {
            let iteration = replica.iteration();
            self.furthest.fetch_max(iteration.0, Ordering::SeqCst);
            if iteration.0 > self.end.load(Ordering::SeqCst) {
                return Ok(());
            }
            let sum = replica.last().map_or(0, |vote| vote.value) + iteration.0;
            let vote = replica.vote(sum)?;
            let Vote { iteration, value, .. } = vote;
            assert_eq!(value, right(iteration.0), "{} in {iteration}", replica.number());
        }
    }
}

/// Runs until this kind of fault is noticed, and a little longer.
fn run(settings: Settings, fault: Injected, kind: FaultKind, remedy: Remedy) -> Outcome {
    let course = Course::to(u64::MAX);
    let noticed = course.clone();
    Redundant::new(settings, Majority::EXACT)
        .patience(Duration::from_millis(500))
        .on_fault(move |fault| {
            if fault.kind == kind {
                noticed.ends_soon();
            }
            if fault.is_over { Remedy::Restart } else { remedy }
        })
        .inject(FAULTY, (Iteration(50), Iteration(u64::MAX)), fault)
        .start(move |replica| course.run(replica))
        .expect("it begins")
}

fn three() -> Settings {
    Settings::new(3).queue(1 << 12).lag(LAG)
}

fn kinds(outcome: &Outcome) -> Vec<FaultKind> {
    outcome.replicas[2].faults.iter().map(|(fault, _)| fault.kind).collect()
}

#[test]
fn law_without_a_fault_nothing_is_reported() {
    let course = Course::to(20_000);
    let outcome = Redundant::run(3, move |replica| course.run(replica)).expect("it begins");
    assert!(outcome.is_whole && outcome.exit_status() == 0, "{outcome:?}");
}

#[test]
fn law_each_fault_is_tolerated_and_named() {
    let faults = [
        (Injected::Crash, FaultKind::Panicked, 2),
        (Injected::Flip { bit: 3 }, FaultKind::Wrong, 1),
        (Injected::TwoFaced, FaultKind::Wrong, 1),
        (Injected::WrongIteration { by: 1 << 14 }, FaultKind::WrongIteration, 1),
        (Injected::Babble { values: 8 }, FaultKind::WrongIteration, 1),
    ];
    for (fault, kind, lives) in faults {
        let outcome = run(three(), fault, kind, Remedy::Ignore);
        assert!(outcome.is_whole && outcome.exit_status() == 1, "{fault:?}: {outcome:?}");
        assert!(kinds(&outcome).contains(&kind), "{fault:?}: {outcome:?}");
        for correct in &outcome.replicas[..2] {
            assert!(correct.faults.is_empty(), "{fault:?}: {outcome:?}");
        }
        assert!(outcome.replicas[2].lives >= lives, "{fault:?}: {outcome:?}");
    }
}

#[test]
fn law_one_that_hangs_or_is_too_slow_falls_behind_and_is_restarted() {
    // Slower than a vote is waited for.
    for fault in [Injected::Hang, Injected::Slow { by: Span::from_secs(600) }] {
        let settings = Settings::new(3).queue(64).lag(100);
        let outcome = run(settings, fault, FaultKind::Lagging, Remedy::Restart);
        assert_eq!(kinds(&outcome)[0], FaultKind::Lagging, "{outcome:?}");
        assert!(outcome.replicas[2].lives > 1 && outcome.is_whole, "{outcome:?}");
    }
}

#[test]
fn law_one_that_is_slow_votes_on_what_the_others_voted_and_keeps_nobody() {
    let (course, begun) = (Course::to(5_000), std::time::Instant::now());
    let by = Span::from_millis(20);
    let votes = Arc::new(AtomicU64::new(0));
    let counted = votes.clone();
    let outcome = Redundant::new(three().queue(64).lag(LAG), Majority::EXACT)
        .patience(Duration::from_secs(2))
        .inject(FAULTY, (Iteration(2), Iteration(u64::MAX)), Injected::Slow { by })
        .start(move |replica: &mut Replica<u64, Majority>| {
            if replica.number() != FAULTY {
                return course.run(replica);
            }
            while replica.iteration().0 <= 5_000 {
                let sum = replica.last().map_or(0, |vote| vote.value) + replica.iteration().0;
                let vote = replica.vote(sum)?;
                assert_eq!(vote.value, right(vote.iteration.0));
                counted.fetch_add(1, Ordering::SeqCst);
            }
            Ok(())
        })
        .expect("it begins");
    assert!(outcome.is_whole && outcome.exit_status() == 0, "{outcome:?}");
    // Each but the first took it 20 ms, so all 5,000 would have taken 100 s.
    let (votes, passed) = (votes.load(Ordering::SeqCst), begun.elapsed());
    assert!(votes > 0 && u128::from(votes - 1) * 20 <= passed.as_millis(), "{votes} in {passed:?}");
    assert!(passed < Duration::from_secs(90), "nobody waited for it: {passed:?}");
}

#[test]
fn law_a_spare_takes_the_place_of_a_faulty_replica() {
    let fault = Injected::Flip { bit: 0 };
    let outcome = run(three().spares(1), fault, FaultKind::Wrong, Remedy::Replace);
    assert_eq!(kinds(&outcome), [FaultKind::Wrong], "{outcome:?}");
    assert_eq!((outcome.replicas[2].ending, outcome.is_whole), (Some(Ending::Abandoned), true));
    assert_eq!((outcome.replicas[3].lives, outcome.replicas[3].faults.len()), (1, 0));
}

#[test]
fn limit_two_wrong_ones_of_three_are_not_tolerated() {
    let settings = Settings::new(3).queue(16);
    let outcome = Redundant::new(settings, Majority::EXACT)
        .patience(Duration::from_millis(200))
        .on_fault(|_| Remedy::Ignore)
        .start(|replica: &mut Replica<u64, Majority>| {
            let wrong = u64::from(replica.number().0);
            replica.vote(wrong).map(|_| ())
        })
        .expect("it begins");
    assert!(!outcome.is_whole && outcome.exit_status() == 2, "{outcome:?}");
    let ending = Some(Ending::GaveUp(VoteError::NoMajority { iteration: Iteration(1) }));
    assert!(outcome.replicas.iter().all(|summary| summary.ending == ending), "{outcome:?}");
}

#[test]
fn law_a_run_ends_where_it_was_told_to() {
    let outcome = run(three(), Injected::Flip { bit: 1 }, FaultKind::Wrong, Remedy::End);
    assert!(!outcome.is_whole && outcome.replicas[2].faults.len() == 1, "{outcome:?}");
}

/// A replica that panics 1,000 times comes back each time, and every vote is right.
#[test]
fn law_one_that_panics_a_thousand_times_comes_back() {
    let (course, mut panics) = (Course::to(u64::MAX), 0);
    let (noticed, wrong) = (course.clone(), Arc::new(AtomicU64::new(0)));
    let counted = wrong.clone();
    let votes = Arc::new(AtomicU64::new(0));
    std::panic::set_hook(Box::new(|_| ()));
    let outcome = Redundant::new(three(), Majority::EXACT)
        .patience(Duration::from_millis(500))
        .on_fault(move |fault| {
            counted.fetch_add(u64::from(fault.kind != FaultKind::Panicked), Ordering::Relaxed);
            panics += 1;
            if panics == 1_000 {
                noticed.ends_soon();
            }
            Remedy::Restart
        })
        .start(move |replica: &mut Replica<u64, Majority>| {
            // It panics after a vote in each of its lives, which the others had without it.
            if replica.number() == FAULTY && votes.fetch_add(1, Ordering::Relaxed) < 1_000 {
                panic!("once more");
            }
            course.run(replica)
        })
        .expect("it begins");
    _ = std::panic::take_hook();
    assert!(outcome.is_whole, "{outcome:?}");
    assert_eq!(wrong.load(Ordering::Relaxed), 0, "no vote was wrong");
    assert_eq!((outcome.replicas[2].lives, outcome.replicas[2].faults.len()), (1_001, 1_000));
}

#[test]
fn law_short_queues_are_enough_while_all_are_correct() {
    for replicas in [3, 5, 7] {
        for queue in [1, 2, 4] {
            for ahead in [1, queue] {
                let settings = Settings::new(replicas).queue(queue).ahead(ahead).lag(LAG);
                let course = Course::to(1_000);
                let outcome = Redundant::new(settings, Majority::EXACT)
                    .patience(Duration::from_millis(300))
                    .start(move |replica| course.run(replica))
                    .expect("it begins");
                // A thread may wait longer for a processor than a vote is waited for.
                let faults = outcome.replicas.iter().flat_map(|summary| &summary.faults);
                let accused = faults.filter(|(fault, _)| fault.kind != FaultKind::GaveUp).count();
                let found = (outcome.is_whole, accused);
                assert_eq!(found, (true, 0), "{replicas} {queue} {ahead}: {outcome:?}");
            }
        }
    }
}

#[test]
fn law_one_that_hangs_for_good_is_left_behind() {
    let course = Course::to(u64::MAX);
    let noticed = course.clone();
    let outcome = Redundant::new(Settings::new(3).queue(64).lag(100), Majority::EXACT)
        .patience(Duration::from_millis(200))
        .on_fault(move |_| {
            noticed.ends_soon();
            Remedy::Retire
        })
        .start(move |replica| {
            if replica.number() == FAULTY {
                // Nothing that is said to it wakes it.
                loop {
                    std::thread::park();
                }
            }
            course.run(replica)
        })
        .expect("it begins");
    assert!(outcome.is_whole && kinds(&outcome) == [FaultKind::Lagging], "{outcome:?}");
    assert_eq!(outcome.replicas[2].ending, Some(Ending::Abandoned));
}

#[test]
fn limit_a_run_without_a_majority_ends() {
    let outcome = Redundant::new(Settings::new(2), Majority::EXACT)
        .patience(Duration::from_millis(100))
        .inject(ReplicaNumber(1), (Iteration(5), Iteration(5)), Injected::Hang)
        .start(|replica| Course::to(100).run(replica))
        .expect("it begins");
    assert!(!outcome.is_whole && outcome.exit_status() == 2, "{outcome:?}");
}

#[test]
fn law_two_replicas_are_a_warning_since_neither_outvotes_the_other() {
    let outcome = Redundant::run(2, |replica: &mut Replica<u64, Majority>| {
        replica.vote(7).map(|vote| assert_eq!(vote.value, 7))
    });
    let outcome = outcome.expect("they can vote");
    assert!(outcome.is_whole, "{outcome:?}");
    let warning = outcome.warning().expect("of two that differ nobody knows which is wrong");
    assert!(warning.starts_with("2 replicas notice that they differ"), "{warning}");
    assert!(warning.contains("3 or more"), "{warning}");
    // Three of which one ended were three.
    let three = run(three(), Injected::Crash, FaultKind::Panicked, Remedy::Retire);
    let warning = three.warning();
    assert!(warning.is_none_or(|warning| !warning.contains("differ")), "{three:?}");
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "it panics once more when it is dropped");
    }
}

#[test]
fn law_a_panic_that_panics_when_dropped_ends_one_life_only() {
    let course = Course::to(2_000);
    let outcome = Redundant::new(three(), Majority::EXACT)
        .on_fault(|_| Remedy::Ignore)
        .start(move |replica| {
            if replica.number() == FAULTY {
                std::panic::panic_any(Bomb);
            }
            course.run(replica)
        })
        .expect("it begins");
    assert!(outcome.is_whole && kinds(&outcome) == [FaultKind::Panicked], "{outcome:?}");
}

#[test]
fn law_replicas_end_when_what_is_done_about_faults_panics() {
    let begun = Arc::new(AtomicU64::new(0));
    let counted = begun.clone();
    let run = Redundant::new(three(), Majority::EXACT)
        .on_fault(|_| panic!("nothing is done about it"))
        .inject(FAULTY, (Iteration(5), Iteration(u64::MAX)), Injected::Flip { bit: 0 });
    let course = Course::to(u64::MAX);
    let run = move || {
        run.start(move |replica: &mut Replica<u64, Majority>| {
            let ended = course.run(replica);
            counted.fetch_add(1, Ordering::SeqCst);
            ended
        })
    };
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
    // Each is told that it counts no longer when it asks for its next vote.
    while begun.load(Ordering::SeqCst) < 3 {
        std::thread::yield_now();
    }
}

#[test]
fn refuses_no_patience() {
    let run: Redundant<u64> = Redundant::new(three(), Majority::EXACT).patience(Duration::ZERO);
    let error = run.start(|_| Ok(())).expect_err("no vote is waited for");
    assert!(error.to_string().contains("above zero"), "{error}");
}

#[test]
fn law_fewer_processors_than_replicas_are_a_warning_and_it_runs() {
    let processors = std::thread::available_parallelism().expect("they are counted").get();
    let Ok(replicas @ 3..=32) = u8::try_from(processors + 1) else { return };
    for (replicas, warns) in [(replicas, true), (3, processors < 3)] {
        let outcome = Redundant::run(replicas, |replica: &mut Replica<u64, Majority>| {
            replica.vote(7).map(|vote| assert_eq!(vote.value, 7))
        });
        let outcome = outcome.expect("they can vote");
        assert!(outcome.is_whole && outcome.exit_status() == 0, "{outcome:?}");
        let warning = outcome.warning();
        assert_eq!(warning.is_some(), warns, "{warning:?}");
        let begin = format!("{replicas} replicas ran on {processors} processors");
        assert!(warning.is_none_or(|warning| warning.starts_with(&begin)), "{begin}");
    }
}

/// The call-back is told who was wrong, how often and since when, and decides; the outcome says what was done, and the exit status what came of it.
#[test]
fn law_each_fault_says_who_how_often_since_when_and_what_was_done() {
    let remedies = [Remedy::Ignore, Remedy::Restart, Remedy::Replace, Remedy::Retire, Remedy::End];
    for remedy in remedies {
        let (course, told) = (Course::to(u64::MAX), Arc::new(Mutex::new(Vec::new())));
        let (noticed, by_manager) = (course.clone(), told.clone());
        let outcome = Redundant::new(three().spares(1), Majority::EXACT)
            .patience(Duration::from_secs(1))
            .on_fault(move |fault| {
                let mut told = by_manager.lock().unwrap();
                told.push(*fault);
                if remedy != Remedy::Ignore || told.len() == 3 {
                    noticed.ends_soon();
                }
                remedy
            })
            .inject(FAULTY, (Iteration(50), Iteration(u64::MAX)), Injected::Flip { bit: 3 })
            .start(move |replica| course.run(replica))
            .expect("it begins");
        let told = told.lock().unwrap();
        let kept: Vec<_> = outcome.replicas[2].faults.clone();
        // Without a remedy it is said again and again, else once.
        let (least, most) = if remedy == Remedy::Ignore { (3, usize::MAX) } else { (1, 1) };
        assert!((least..=most).contains(&told.len()), "{outcome:?}");
        let wanted: Vec<_> = told.iter().map(|fault| (*fault, remedy)).collect();
        assert_eq!(kept, wanted);
        for (number, fault) in (1..).zip(&*told) {
            assert_eq!((fault.replica, fault.kind), (FAULTY, FaultKind::Wrong), "{fault:?}");
            // Two must have noticed it; on a busy machine the second one may be late.
            assert_eq!((fault.count, fault.since), (number, told[0].iteration), "{remedy:?}");
            assert!(fault.iteration >= fault.since && fault.since >= Iteration(50), "{fault:?}");
        }
        let exit = if remedy == Remedy::End { 2 } else { 1 };
        assert_eq!(outcome.exit_status(), exit, "{outcome:?}");
        let lives = [2, 3].map(|place: usize| outcome.replicas[place].lives);
        let wanted = match remedy {
            Remedy::Restart => [2, 0],
            Remedy::Replace => [1, 1],
            _ => [1, 0],
        };
        assert_eq!(lives, wanted, "{outcome:?}");
    }
}

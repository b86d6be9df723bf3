mod ideal;
mod machine;

use super::*;
use crate::program::RecordedStep as Step;
use ideal::run;
use machine::{Machine, Truth};
use proptest::prelude::*;
use windfall_trace::{Event, OverheadKind, Stop};

fn at(ns: u64, event: Event) -> Record {
    Record { at: Instant::from_nanos(ns), event }
}

fn thread(id: u32) -> Record {
    let name = format!("t{id}");
    at(1000, Event::Thread { thread: ThreadId(id), tid: 100 + id, pid: 9, name, node: None })
}

fn wake(ns: u64, thread: u32, by: Option<u32>) -> Record {
    at(ns, Event::Wake { thread: ThreadId(thread), by: by.map(ThreadId) })
}

fn switch(ns: u64, cpu: u16, prev: Option<(u32, Stop)>, next: Option<u32>) -> Record {
    let prev = prev.map(|(thread, stop)| (ThreadId(thread), stop));
    at(ns, Event::Switch { cpu: Cpu(cpu), prev, next: next.map(ThreadId) })
}

fn overhead(ns: u64, cpu: u16) -> Record {
    at(ns, Event::OverheadBegin { cpu: Cpu(cpu), kind: OverheadKind::Softirq, number: 9 })
}

fn overhead_end(ns: u64, cpu: u16) -> Record {
    at(ns, Event::OverheadEnd { cpu: Cpu(cpu) })
}

fn lost(ns: u64, cpu: Option<u16>) -> Record {
    at(ns, Event::Lost { cpu: cpu.map(Cpu), count: Some(3) })
}

fn run_for(ns: u64) -> Step {
    Step::Run(Span::from_nanos(ns))
}

fn until(ns: u64) -> Step {
    Step::Until(Instant::from_nanos(ns))
}

#[test]
fn law_a_run_is_split_where_it_wakes_another() {
    let learned = learn([
        thread(0),
        thread(1),
        switch(1000, 0, None, Some(0)),
        switch(1010, 1, None, Some(1)),
        switch(1020, 1, Some((1, Stop::Blocked)), None),
        wake(1030, 1, Some(0)),
        switch(1031, 1, None, Some(1)),
        switch(1041, 1, Some((1, Stop::Blocked)), None),
        switch(1050, 0, Some((0, Stop::Blocked)), None),
        // An interrupt wakes it: no waker is known.
        wake(1080, 0, None),
        switch(1080, 0, None, Some(0)),
        switch(1090, 0, Some((0, Stop::Exited)), None),
    ]);
    let steps = |thread: usize| learned.threads[thread].recorded.steps.clone();
    assert_eq!(steps(0), [run_for(30), Step::Wake(1), run_for(20), until(80), run_for(10)]);
    assert_eq!(steps(1), [run_for(10), Step::Woken, run_for(10)]);
    assert_eq!(learned.threads[1].activations[1].by, Cause::Thread(0));
    assert_eq!((learned.length, learned.processors), (Span::from_nanos(90), 2));
}

#[test]
fn law_stolen_time_is_nobodys_work_even_when_overheads_nest() {
    let learned = learn([
        thread(0),
        switch(1000, 0, None, Some(0)),
        overhead(1010, 0),
        overhead(1012, 0),
        overhead_end(1015, 0),
        overhead_end(1020, 0),
        switch(1030, 0, Some((0, Stop::Preempted)), None),
        switch(1040, 0, None, Some(0)),
        switch(1050, 0, Some((0, Stop::Blocked)), None),
    ]);
    assert_eq!(learned.threads[0].recorded.steps, [run_for(30)], "preempted and resumed: one run");
    assert_eq!(learned.stolen(Cpu(0)), Span::from_nanos(10));
    let pieces: Vec<_> =
        learned.interrupts[0].iter().map(|p| (p.at.as_nanos(), p.span.as_nanos())).collect();
    assert_eq!(pieces, [(10, 2), (12, 3), (15, 5)]);
}

#[test]
fn law_nothing_is_invented_after_a_loss() {
    let learned = learn([
        thread(0),
        thread(1),
        switch(1000, 0, None, Some(0)),
        wake(1005, 1, Some(0)),
        lost(1010, Some(0)),
        // Thread 0 leaves, 60 ns later; whether it ran is unknown.
        switch(1070, 0, Some((0, Stop::Preempted)), Some(1)),
        switch(1080, 0, Some((1, Stop::Blocked)), Some(0)),
        switch(1090, 0, Some((0, Stop::Blocked)), None),
    ]);
    let first = &learned.threads[0];
    assert_eq!(
        first.recorded.steps,
        [run_for(5), Step::Wake(1), run_for(5), until(70), run_for(10)]
    );
    assert_eq!(first.unknown, Span::from_nanos(60));
    assert_eq!(learned.threads[1].unknown, Span::from_nanos(60));
    assert_eq!(learned.threads[1].recorded.steps, [Step::Woken, until(70), run_for(10)]);
    assert_eq!((learned.lost.gaps, learned.lost.events), (1, 3));
}

#[test]
fn law_a_contradiction_takes_back_what_was_not_seen() {
    let learned = learn([
        thread(0),
        thread(1),
        switch(1000, 0, None, Some(0)),
        wake(1010, 1, Some(0)), // seen running until here
        switch(1050, 0, Some((1, Stop::Blocked)), Some(0)),
        switch(1060, 0, Some((0, Stop::Blocked)), None),
    ]);
    assert_eq!(learned.conflicts, 1);
    assert_eq!(learned.threads[0].work(), Span::from_nanos(20));
    assert_eq!(learned.threads[0].unknown, Span::from_nanos(40));
    assert_eq!(learned.threads[1].work(), Span::ZERO);
}

#[test]
fn law_who_leaves_first_ran_since_the_trace_began() {
    let learned = learn([
        thread(0),
        thread(1),
        switch(1100, 0, Some((0, Stop::Preempted)), Some(1)),
        switch(1150, 0, Some((1, Stop::Blocked)), Some(0)),
        wake(1160, 1, None),
        switch(1170, 0, Some((0, Stop::Blocked)), None),
    ]);
    assert_eq!(learned.threads[0].recorded.start, Instant::ZERO);
    assert_eq!(learned.threads[0].recorded.steps, [run_for(120)]);
    assert_eq!(learned.threads[1].recorded.start, Instant::ZERO, "it was ready all along");
}

#[test]
fn law_without_a_single_wake_up_nobody_is_thought_ready_since_the_start() {
    let learned = learn([
        thread(0),
        switch(1100, 0, None, Some(0)),
        switch(1150, 0, Some((0, Stop::Blocked)), None),
        switch(1190, 0, None, Some(0)),
        switch(1195, 0, Some((0, Stop::Blocked)), None),
    ]);
    assert_eq!(learned.threads[0].recorded.start, Instant::from_nanos(100));
    assert_eq!(learned.threads[0].recorded.steps, [run_for(50), until(190), run_for(5)]);
    assert_eq!(learned.dropped.unexplained_waits, 1);
}

#[test]
fn law_a_wake_that_overtakes_the_switch_counts_once_it_is_needed() {
    let records = [
        thread(0),
        thread(1),
        switch(1000, 0, None, Some(0)),
        switch(1000, 1, None, Some(1)),
        wake(1010, 1, Some(0)), // thread 1 is about to wait, and will not
        switch(1011, 1, Some((1, Stop::Blocked)), None),
        switch(1012, 1, None, Some(1)),
        wake(1020, 1, Some(0)), // nothing comes of this one
        switch(1030, 1, Some((1, Stop::Blocked)), None),
        wake(1040, 1, Some(0)),
        wake(1041, 1, Some(0)), // it is ready already
        switch(1050, 0, Some((0, Stop::Exited)), None),
        wake(1060, 0, None),
    ];
    let learned = learn(records);
    assert_eq!(
        learned.threads[0].recorded.steps,
        [run_for(10), Step::Wake(1), run_for(30), Step::Wake(1), run_for(10)]
    );
    let expected = [run_for(11), Step::Woken, run_for(18), Step::Woken];
    assert_eq!(learned.threads[1].recorded.steps, expected);
    assert_eq!((learned.dropped.not_waiting, learned.dropped.ended), (2, 1));
}

#[test]
fn law_a_new_thread_begins_by_its_parent_and_not_before_it_is_made() {
    let records = || {
        [
            thread(0),
            switch(1000, 0, None, Some(0)),
            thread(1),
            wake(1040, 1, Some(0)),
            switch(1050, 0, Some((0, Stop::Blocked)), Some(1)),
            switch(1060, 0, Some((1, Stop::Exited)), None),
        ]
    };
    let timed = learn(records());
    assert_eq!(timed.threads[1].recorded.start, Instant::from_nanos(40));
    let caused = learn_as(records(), StartsKnown::ByWaker);
    assert_eq!(caused.threads[1].recorded.start, Instant::ZERO);
    for learned in [timed, caused] {
        assert_eq!(learned.threads[1].recorded.steps, [Step::Woken, run_for(10)]);
    }
}

#[test]
fn law_who_is_not_kept_wakes_at_recorded_instants() {
    let mut learned = learn([
        thread(0),
        thread(1),
        switch(1000, 0, None, Some(0)),
        switch(1000, 1, None, Some(1)),
        switch(1005, 1, Some((1, Stop::Blocked)), None),
        wake(1020, 1, Some(0)),
        switch(1021, 1, None, Some(1)),
        switch(1030, 1, Some((1, Stop::Blocked)), None),
    ]);
    learned.retain(|thread| thread.name == "t1");
    assert_eq!(learned.threads.len(), 1);
    assert_eq!(learned.threads[0].recorded.steps, [run_for(5), until(20), run_for(9)]);
    assert_eq!(learned.threads[0].activations[1].by, Cause::Other);
}

#[test]
fn law_no_records_teach_nothing() {
    assert_eq!(learn([]), Learned::default());
}

#[test]
fn law_the_recorded_desktop_replays_to_its_end() {
    use windfall_trace::import::{Format, open};
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/recorded/desktop.ftrace.gz");
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let records: Vec<_> = open(file, Some(Format::FTRACE)).collect::<Result<_, _>>().unwrap();
    for starts in [StartsKnown::Timed, StartsKnown::ByWaker] {
        let mut learned = learn_as(records.iter().cloned(), starts);
        check_balance(&learned);
        assert_eq!(run(&learned), []);
        let before: Vec<_> =
            learned.threads.iter().filter(|t| t.name == "video-enc").map(|t| t.work()).collect();
        learned.retain(|thread| thread.name == "video-enc");
        check_balance(&learned);
        assert_eq!(run(&learned), []);
        let after: Vec<_> = learned.threads.iter().map(LearnedThread::work).collect();
        assert_eq!(before, after);
    }
}

/// R2: as many waits that a thread ends as wakes that end one, thread by thread.
fn check_balance(learned: &Learned) {
    let mut balance = vec![0_i64; learned.threads.len()];
    for (i, thread) in learned.threads.iter().enumerate() {
        for step in &thread.recorded.steps {
            match step {
                Step::Wake(target) => balance[*target] += 1,
                Step::Woken => balance[i] -= 1,
                _ => {}
            }
        }
        let caused = thread.activations.iter().filter(|a| matches!(a.by, Cause::Thread(_)));
        let waits = thread.recorded.steps.iter().filter(|s| **s == Step::Woken);
        assert_eq!(caused.count(), waits.count());
        let of_activations = thread.activations.iter().fold(Span::ZERO, |sum, a| sum + a.work);
        assert_eq!(of_activations, thread.work());
        let merged = |pair: &[Step]| !matches!(pair, [Step::Run(_), Step::Run(_)]);
        assert!(thread.recorded.steps.windows(2).all(merged));
    }
    assert!(balance.iter().all(|sum| *sum == 0), "R2: {balance:?}");
}

fn check(learned: &Learned, truth: &Truth, exact: bool) {
    check_balance(learned);
    let mut sum = vec![0; truth.work.len()];
    for thread in &learned.threads {
        sum[thread.trace_thread.0 as usize] = thread.work().as_nanos();
    }
    for (learned, true_work) in sum.iter().zip(&truth.work) {
        assert!(learned <= true_work, "R1: {sum:?} of {:?}", truth.work);
        assert!(!exact || learned == true_work, "R1: {sum:?} is not {:?}", truth.work);
    }
    let stuck = run(learned);
    assert!(stuck.is_empty(), "R3: {stuck:?} wait for ever");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn law_all_work_is_learned_and_no_replay_gets_stuck(
        choices in prop::collection::vec(any::<[u8; 4]>(), 0..400),
        cpus in 1_u16..4,
        threads in 1_u32..7,
        starts: bool,
    ) {
        let machine = Machine::new(cpus, threads, false);
        let (records, truth) = machine.play(&choices);
        let starts = if starts { StartsKnown::ByWaker } else { StartsKnown::Timed };
        let learned = learn_as(records, starts);
        prop_assert_eq!(learned.conflicts, 0);
        check(&learned, &truth, true);
        prop_assert!(learned.threads.iter().all(|thread| thread.unknown.is_zero()));
        for (cpu, stolen) in truth.stolen.iter().enumerate() {
            let cpu = Cpu(u16::try_from(cpu).unwrap());
            prop_assert_eq!(learned.stolen(cpu).as_nanos(), *stolen);
        }
        let wakes = truth.wakes;
        let taken: usize = learned
            .threads
            .iter()
            .flat_map(|thread| &thread.activations)
            .filter(|a| a.by != Cause::Start)
            .count();
        let dropped = learned.dropped;
        prop_assert_eq!(
            wakes + dropped.unexplained_waits,
            taken as u64 + dropped.not_waiting + dropped.ended
        );
    }

    #[test]
    fn law_a_loss_makes_work_unknown_and_never_more(
        choices in prop::collection::vec(any::<[u8; 4]>(), 0..400),
        cpus in 1_u16..4,
        threads in 1_u32..7,
    ) {
        let (records, truth) = Machine::new(cpus, threads, true).play(&choices);
        check(&learn(records), &truth, false);
    }

    #[test]
    fn law_what_is_kept_gets_along_without_the_rest(
        choices in prop::collection::vec(any::<[u8; 4]>(), 0..400),
        kept in any::<[bool; 6]>(),
    ) {
        let (records, truth) = Machine::new(2, 6, false).play(&choices);
        let mut learned = learn(records);
        learned.retain(|thread| kept[thread.trace_thread.0 as usize]);
        let kept_work: Vec<u64> = std::iter::zip(&truth.work, kept)
            .map(|(work, kept)| if kept { *work } else { 0 })
            .collect();
        check(&learned, &Truth { work: kept_work, ..truth }, true);
    }

    #[test]
    fn law_no_records_panic(raw in prop::collection::vec(any::<[u8; 5]>(), 0..200)) {
        let records = raw.iter().map(|raw| machine::nonsense(*raw));
        let learned = learn(records);
        check_balance(&learned);
        prop_assert!(run(&learned).is_empty());
    }
}

#[test]
fn law_jobs_are_learned_though_the_thread_never_waited_between_them() {
    let event = |ns, event| at(ns, event);
    let release = |ns| event(ns, Event::Release { thread: ThreadId(0), deadline: None });
    let complete = |ns| {
        event(ns, Event::Complete { thread: ThreadId(0), response: Span::ZERO, missed: false })
    };
    let learned = learn([
        thread(0),
        wake(1000, 0, None),
        release(1000),
        release(1010),
        release(1020),
        switch(1025, 0, None, Some(0)),
        complete(1028),
        release(1030),
        complete(1033),
        complete(1037),
        switch(1038, 0, Some((0, Stop::Preempted)), None),
    ]);
    let ns = |ns| Span::from_nanos(ns);
    let jobs: Vec<_> =
        learned.threads[0].jobs.iter().map(|job| (job.at - Instant::ZERO, job.work)).collect();
    assert_eq!(jobs, [(ns(0), ns(3)), (ns(10), ns(5)), (ns(20), ns(4))], "the fourth is open");
    assert_eq!(learned.threads[0].activations.len(), 1);
}

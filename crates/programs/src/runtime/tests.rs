//! Programs on a host of one processor, which serves threads in turn and jumps to the next wake-up.

use super::*;
use crate::process::{Node, ProcessError, ProcessParams};
use crate::program::{Jobs, OnLate, Work};
use crate::request::{OwnRequest, RequestErrorKind};
use crate::step::{Phase, Step};
use crate::urgency::LockProtocol;
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};

/// The calls of the host, by thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Said {
    Woken(Option<u32>),
    Released(u64),
    Begins(u64),
    Completed(u64),
    Aborted,
    GoesOn(bool),
    Exited,
}

#[derive(Default)]
struct Mock {
    threads: ProgramRuntime,
    now: Instant,
    wakeups: BTreeMap<(u32, Wakeup), Instant>,
    /// Ready threads in order; the first has the processor.
    ready: VecDeque<u32>,
    said: Vec<(u32, Said)>,
    urgencies: Vec<(u32, Urgency)>,
    error: Option<(u32, ProgramError)>,
    requested: Vec<OwnRequest>,
    /// Work that is left of the first.
    left: Span,
}

impl RuntimeHost for Mock {
    const MOMENT: Span = Span::ZERO;

    fn programs(&mut self) -> &mut ProgramRuntime {
        &mut self.threads
    }

    fn now(&self) -> Instant {
        self.now
    }

    fn schedule_wakeup(&mut self, thread: u32, wakeup: Wakeup, at: Instant) {
        self.wakeups.insert((thread, wakeup), at);
    }

    fn request_own(&mut self, _: u32, request: &OwnRequest) -> Result<(), RequestErrorKind> {
        self.requested.push(request.clone());
        if *request == OwnRequest::Unreserve {
            Err(RequestErrorKind::NoReservation)
        } else {
            Ok(())
        }
    }

    fn wants_notices(&mut self, _: u32) {}

    fn blocked(&mut self, thread: u32) {
        let before = self.ready.len();
        self.ready.retain(|other| *other != thread);
        assert_eq!(self.ready.len() + 1, before, "thread {thread} waits already");
    }

    fn woken(&mut self, thread: u32, by: Option<u32>) {
        assert!(!self.ready.contains(&thread), "thread {thread} is woken twice");
        self.ready.push_back(thread);
        self.said.push((thread, Said::Woken(by)));
    }

    fn yielded(&mut self, thread: u32) {
        self.ready.retain(|other| *other != thread);
        self.ready.push_back(thread);
    }

    fn exited(&mut self, thread: u32) {
        self.ready.retain(|other| *other != thread);
        self.said.push((thread, Said::Exited));
    }

    fn spawn(&mut self, _: Node, _: ProcessParams, program: &Program) -> Result<u32, ProcessError> {
        let number = self.threads.add(program, 1);
        ProgramRuntime::begin(self, number);
        Ok(number)
    }

    fn released(&mut self, thread: u32, job: Job) {
        self.said.push((thread, Said::Released(ms_of(job.release))));
    }

    fn begins(&mut self, thread: u32, job: Job) {
        self.said.push((thread, Said::Begins(ms_of(job.release))));
    }

    fn completed(&mut self, thread: u32, job: Job) {
        self.said.push((thread, Said::Completed(ms_of(job.release))));
    }

    fn aborted(&mut self, thread: u32) {
        self.said.push((thread, Said::Aborted));
    }

    fn goes_on(&mut self, thread: u32, job: Job, missed: bool) {
        assert_eq!(job.deadline, None);
        self.said.push((thread, Said::GoesOn(missed)));
    }

    fn runs_at(&mut self, thread: u32, urgency: Urgency) {
        self.urgencies.push((thread, urgency));
    }

    fn program_failed(&mut self, thread: u32, error: ProgramError) {
        self.error.get_or_insert((thread, error));
    }
}

impl Mock {
    fn of(programs: &[Program]) -> Mock {
        let mut mock = Mock::default();
        for program in programs {
            mock.threads.add(program, 1);
        }
        mock
    }

    /// Begins all threads, in order.
    fn begin(mut self) -> Mock {
        for number in 0..u32::try_from(self.threads.list.len()).unwrap() {
            ProgramRuntime::begin(&mut self, number);
        }
        self
    }

    /// Runs until `end`, or until no thread can run and nothing is due.
    fn play(&mut self, end: Instant) {
        while self.error.is_none() {
            if let Some((&(number, wakeup), &at)) = self.wakeups.iter().min_by_key(|(_, at)| **at)
                && at <= self.now
            {
                self.wakeups.remove(&(number, wakeup));
                match wakeup {
                    Wakeup::Timer => ProgramRuntime::timers_due(self),
                    Wakeup::Post => ProgramRuntime::posts_due(self),
                    Wakeup::Wake => ProgramRuntime::slept(self, number),
                    Wakeup::Release => ProgramRuntime::release_due(self, number, at),
                    Wakeup::Deadline => {
                        if ProgramRuntime::abort(self, number)
                            && self.ready.front() == Some(&number)
                        {
                            self.left = Span::ZERO;
                        }
                    }
                }
                continue;
            }
            let due = self.wakeups.values().min().copied().filter(|at| *at <= end);
            match self.ready.front().copied() {
                Some(number) if self.left.is_zero() => {
                    if let Progress::Work(work) = ProgramRuntime::step(self, number) {
                        self.left = work;
                    }
                }
                // Work is done without interruption by others.
                Some(_) if self.now < end => {
                    let span = self.left.min(due.unwrap_or(end) - self.now);
                    self.now = self.now + span;
                    self.left -= span;
                }
                Some(_) => return,
                None => match due {
                    Some(at) => self.now = at,
                    None => return,
                },
            }
        }
    }

    fn of_player(&self, thread: u32) -> Vec<Said> {
        let its = self.said.iter().filter(|(number, _)| *number == thread);
        its.map(|(_, said)| *said).collect()
    }

    fn wakes(&self, thread: u32) -> usize {
        self.of_player(thread).iter().filter(|said| matches!(said, Said::Woken(_))).count()
    }
}

fn ms(ms: u64) -> Span {
    Span::from_nanos(ms * 1_000_000)
}

fn at(after: u64) -> Instant {
    Instant::ZERO + ms(after)
}

fn ms_of(at: Instant) -> u64 {
    at.as_nanos() / 1_000_000
}

fn run(after: u64) -> Step {
    Step::Run(Work::Fixed(ms(after)))
}

/// Phases one after the other, each with its number of loops.
fn phases(phases: Vec<(u64, Vec<Step>)>) -> Program {
    let phases = phases.into_iter().filter(|(loops, _)| *loops > 0);
    let phases = phases.map(|(loops, steps)| Phase { name: String::new(), loops, steps });
    Program::Phases { loops: Some(1), phases: phases.collect() }
}

/// These steps, this many times.
fn steps(loops: u64, steps: Vec<Step>) -> Program {
    phases(vec![(loops, steps)])
}

const LOCK: Resource = Resource(0);
const CONDITION: Resource = Resource(1);
const BARRIER: Resource = Resource(2);

proptest! {
    /// A thread that suspends itself `waits` times continues if it is resumed as often, whichever comes first;
    /// otherwise it waits, and no other thread is woken in its place.
    #[test]
    fn law_no_wake_up_is_lost(
        first in 0_u64..4,
        gap in 0_u64..4,
        pause in 0_u64..4,
        waits in 0_u64..5,
        wakes in 0_u64..5,
    ) {
        let sleeper = phases(vec![
            (1, vec![Step::Sleep(ms(first)), run(1)]),
            (waits, vec![Step::Suspend, Step::Sleep(ms(pause))]),
        ]);
        let waker = phases(vec![
            (1, vec![run(1)]),
            (wakes, vec![Step::Sleep(ms(gap)), Step::Resume(0)]),
        ]);
        let mut mock = Mock::of(&[sleeper, waker]).begin();
        mock.play(at(1_000));
        let expected = if wakes >= waits { Condition::Gone } else { Condition::AwaitingWake };
        prop_assert_eq!(mock.threads.condition(0), expected);
        prop_assert_eq!(mock.threads.condition(1), Condition::Gone);
        prop_assert!(mock.ready.is_empty());
        let by_waker = mock.said.iter().filter(|said| **said == (0, Said::Woken(Some(1))));
        prop_assert!(by_waker.count() as u64 <= waits);
    }

    /// However threads arrive, one at a time has the lock, each gets it, and each is woken at most once for it.
    #[test]
    fn law_a_lock_passes_through_all_hands(
        threads in prop::collection::vec((0_u64..5, 1_u64..4), 2..6),
    ) {
        let programs: Vec<Program> = threads.iter().map(|(sleep, work)| steps(3, vec![
            Step::Sleep(ms(*sleep)),
            Step::Lock(LOCK),
            run(*work),
            Step::Yield,
            run(*work),
            Step::Unlock(LOCK),
        ])).collect();
        let mut mock = Mock::of(&programs).begin();
        mock.play(at(10_000));
        prop_assert_eq!(&mock.error, &None);
        for number in 0..u32::try_from(threads.len()).unwrap_or(0) {
            prop_assert_eq!(mock.threads.condition(number), Condition::Gone);
            // Its start, three sleeps, three locks.
            prop_assert!(mock.wakes(number) <= 7, "{:?}", mock.of_player(number));
        }
    }
}

#[test]
fn law_a_wake_up_before_its_start_is_remembered() {
    let mut mock =
        Mock::of(&[steps(1, vec![Step::Suspend, run(1)]), steps(1, vec![Step::Resume(0), run(1)])]);
    ProgramRuntime::begin(&mut mock, 1);
    mock.play(at(10));
    assert_eq!(mock.threads.condition(0), Condition::NotStarted);
    ProgramRuntime::begin(&mut mock, 0);
    mock.play(at(20));
    assert_eq!(mock.threads.condition(0), Condition::Gone);
}

#[test]
fn law_a_barrier_opens_for_all_with_the_last() {
    let meets = |work| steps(2, vec![run(work), Step::Barrier(BARRIER)]);
    let mut mock = Mock::of(&[meets(1), meets(2), meets(5)]);
    mock.threads.barrier(BARRIER, 3);
    let mut mock = mock.begin();
    mock.play(at(7));
    let held = Condition::Held(None);
    assert_eq!([0, 1].map(|number| mock.threads.condition(number)), [held; 2]);
    mock.play(at(100));
    for number in 0..3 {
        assert_eq!(mock.threads.condition(number), Condition::Gone, "thread {number}");
    }
    // The last to arrive is not woken, because it has never waited.
    assert_eq!([0, 1, 2].map(|number| mock.wakes(number)).iter().sum::<usize>(), 3 + 2 * 2);
}

#[test]
fn law_a_condition_gives_the_lock_back_before_anybody_goes_on() {
    let waits = || {
        steps(
            1,
            vec![
                Step::Lock(LOCK),
                Step::Wait { condition: CONDITION, lock: LOCK },
                run(1),
                Step::Unlock(LOCK),
            ],
        )
    };
    let tells = steps(
        1,
        vec![
            Step::Sleep(ms(1)),
            Step::Lock(LOCK),
            Step::Broadcast(CONDITION),
            run(3),
            Step::Unlock(LOCK),
            run(1),
        ],
    );
    let mut mock = Mock::of(&[waits(), waits(), tells]).begin();
    mock.play(at(3));
    for number in [0, 1] {
        assert_eq!(mock.threads.condition(number), Condition::Held(None), "the lock is taken");
        assert_eq!(mock.of_player(number), [Said::Woken(None)], "it is made");
    }
    mock.play(at(100));
    assert_eq!(mock.of_player(0), [Said::Woken(None), Said::Woken(Some(2)), Said::Exited]);
    assert_eq!(mock.of_player(1), [Said::Woken(None), Said::Woken(Some(0)), Said::Exited]);
}

#[test]
fn law_a_signal_wakes_whoever_waited_longest_and_is_lost_without_one() {
    let waits = |sleep| {
        let wait = Step::Wait { condition: CONDITION, lock: LOCK };
        let rest = vec![Step::Sleep(ms(sleep)), Step::Lock(LOCK), wait, Step::Unlock(LOCK)];
        steps(1, rest)
    };
    let tells = |sleep| steps(1, vec![Step::Sleep(ms(sleep)), Step::Signal(CONDITION), run(1)]);
    let mut mock = Mock::of(&[waits(2), waits(1), tells(0), tells(5)]).begin();
    mock.play(at(100));
    assert_eq!(mock.threads.condition(0), Condition::Held(Some(LOCK)), "it came second");
    assert_eq!(mock.threads.condition(1), Condition::Gone);
}

/// A thread that takes and gives back locks in turn, and yields while it holds each.
fn holds(locks: &[Resource]) -> Program {
    let take = locks.iter().flat_map(|lock| [Step::Lock(*lock), run(1), Step::Yield]);
    let give = locks.iter().rev().flat_map(|lock| [Step::Unlock(*lock), run(1)]);
    steps(1, take.chain(give).collect())
}

#[test]
fn law_urgency_is_inherited_through_a_chain_of_locks_and_given_back() {
    let (outer, inner) = (Resource(3), Resource(4));
    let long =
        [Step::Lock(inner), run(1), Step::Yield, run(1), Step::Yield, Step::Unlock(inner), run(1)];
    let programs = [steps(1, long.to_vec()), holds(&[outer, inner]), holds(&[outer])];
    let mut mock = Mock::of(&programs);
    let users = [0, 1, 2].map(|number| (number, Rank::Priority(i32::try_from(number).unwrap())));
    for lock in [outer, inner] {
        mock.threads.lock_protocol(lock, LockProtocol::Inherit, &users);
    }
    let mut mock = mock.begin();
    mock.play(at(100));
    let inherited = |thread, priority| (thread, Urgency::Priority(priority));
    // The last waits for the second, which then waits for the first.
    let told = [inherited(1, 2), inherited(0, 2), inherited(0, 0), inherited(1, 1)];
    assert_eq!(mock.urgencies, told);
    for number in 0..3 {
        assert_eq!(mock.threads.condition(number), Condition::Gone);
    }
}

#[test]
fn law_a_ceiling_is_that_of_all_users_and_a_deadline_counts_from_then() {
    let lock = Resource(3);
    let mut mock = Mock::of(&[holds(&[lock]), holds(&[lock])]);
    let relative = |span| Rank::Deadline(Some(ms(span)));
    mock.threads.lock_protocol(
        lock,
        LockProtocol::Ceiling,
        &[(0, relative(50)), (1, relative(20))],
    );
    let mut mock = mock.begin();
    mock.play(at(100));
    let due = |thread, at| (thread, Urgency::Due(core::cmp::Reverse(at)));
    // The first takes it at 0, gives it back 1 ms later, and works on for 1 ms before the second runs.
    let never = |thread| due(thread, Instant::MAX);
    let told = [due(0, at(20)), never(1), never(0), due(1, at(22)), never(1)];
    assert_eq!(mock.urgencies, told);
}

#[test]
fn law_whoever_runs_first_takes_a_lock_that_was_given_back() {
    let lock = Resource(3);
    // The first holds it while both others come; the second of them is more urgent and gets it first.
    let comes = |after| {
        steps(1, vec![Step::Sleep(ms(after)), Step::Lock(lock), run(1), Step::Unlock(lock)])
    };
    let first = steps(
        1,
        vec![Step::Lock(lock), run(2), Step::Yield, run(2), Step::Yield, Step::Unlock(lock)],
    );
    let mut mock = Mock::of(&[first, comes(1), comes(2)]);
    let users = [(0, Rank::Priority(1)), (1, Rank::Priority(2)), (2, Rank::Priority(3))];
    mock.threads.lock_protocol(lock, LockProtocol::Inherit, &users);
    let mut mock = mock.begin();
    mock.play(at(100));
    let exits = mock.said.iter().filter(|(_, said)| *said == Said::Exited);
    assert_eq!(exits.map(|(thread, _)| *thread).collect::<Vec<_>>(), [0, 2, 1]);
}

#[test]
fn refuses_to_unlock_what_is_not_locked() {
    let mut mock = Mock::of(&[steps(1, vec![run(1), Step::Unlock(LOCK)])]).begin();
    mock.play(at(100));
    assert_eq!(mock.error, Some((0, ProgramError::NotOwner)));
}

#[test]
fn refuses_a_program_that_gets_nowhere() {
    let often = |yields| phases(vec![(yields, vec![Step::Yield]), (1, vec![run(1)])]);
    let mut mock = Mock::of(&[often(u64::from(PATIENCE) - 1)]).begin();
    mock.play(at(100));
    assert_eq!((mock.error, mock.threads.condition(0)), (None, Condition::Gone));
    let mut mock = Mock::of(&[often(u64::from(PATIENCE) + 1)]).begin();
    mock.play(at(100));
    assert_eq!(mock.error, Some((0, ProgramError::Stuck)));
}

#[test]
fn law_jobs_wait_their_turn_and_keep_their_release() {
    // 15 ms of work every 10 ms, three times; the host comes 1 ms late to the second.
    let jobs = Jobs { count: Some(3), ..Jobs::periodic(ms(15), ms(10)) };
    let mut mock = Mock::of(&[Program::Jobs(jobs)]).begin();
    mock.play(at(9));
    assert_eq!(mock.wakeups.remove(&(0, Wakeup::Release)), Some(at(10)));
    mock.play(at(11));
    ProgramRuntime::release_due(&mut mock, 0, at(10));
    assert_eq!(mock.wakeups.get(&(0, Wakeup::Release)), Some(&at(20)), "the grid stays");
    mock.play(at(40));
    assert_eq!(mock.threads.overdue(0, at(40)), 1, "the third, due at 30");
    mock.play(at(100));
    use Said::{Begins, Completed, Exited, Released, Woken};
    let expected = [
        Released(0),
        Begins(0),
        Woken(None),
        Released(10),
        Completed(0),
        Begins(10),
        Released(20),
        Completed(10),
        Begins(20),
        Completed(20),
        Exited,
    ];
    assert_eq!(mock.of_player(0), expected);
}

#[test]
fn law_a_late_job_is_given_up_and_those_behind_it_too() {
    // The third job does not wait for the first two, which take too long.
    let busy = steps(1, vec![run(25)]);
    let jobs = Jobs { late: OnLate::Abort, count: Some(4), ..Jobs::periodic(ms(2), ms(10)) };
    let mut mock = Mock::of(&[busy, Program::Jobs(jobs)]).begin();
    mock.play(at(100));
    let said = mock.of_player(1);
    let count = |what: Said| said.iter().filter(|said| **said == what).count();
    assert_eq!(count(Said::Aborted), 2, "{said:?}");
    assert_eq!(said.last(), Some(&Said::Exited), "{said:?}");
    let done = |said: &&Said| matches!(said, Said::Completed(_));
    let done: Vec<Said> = said.iter().filter(done).copied().collect();
    assert_eq!(done, [Said::Completed(20), Said::Completed(30)]);
    assert_eq!(mock.threads.overdue(1, at(100)), 0);
}

#[test]
fn law_a_job_that_is_given_up_ends_the_last_one_without_a_processor() {
    let jobs = Jobs { late: OnLate::Abort, count: Some(1), ..Jobs::periodic(ms(20), ms(10)) };
    let mut mock = Mock::of(&[Program::Jobs(jobs)]).begin();
    mock.play(at(100));
    assert_eq!(mock.now, at(10));
    assert_eq!(mock.threads.condition(0), Condition::Gone);
    assert!(!ProgramRuntime::abort(&mut mock, 0), "there is nothing to give up any more");
}

#[test]
fn law_a_program_of_phases_goes_on_without_a_deadline() {
    let timer = Step::Timer { timer: 0, period: ms(10), tick: crate::action::Tick::Absolute };
    let mut mock = Mock::of(&[steps(2, vec![timer, run(3)])]).begin();
    mock.play(at(11));
    let deadline = |mock: &Mock| mock.threads.job(0).map(|job| (job.release, job.deadline));
    assert_eq!(deadline(&mock), Some((at(10), Some(at(20)))));
    assert!(!ProgramRuntime::abort(&mut mock, 0) && !ProgramRuntime::abort(&mut mock, 0));
    assert_eq!(deadline(&mock), Some((at(10), None)));
    mock.play(at(100));
    let said = mock.of_player(0);
    let told = said.iter().filter(|said| matches!(said, Said::GoesOn(_)));
    let told: Vec<Said> = told.copied().collect();
    assert_eq!(told, [Said::GoesOn(true), Said::GoesOn(false)], "missed once");
    assert!(said.contains(&Said::Completed(10)) && said.contains(&Said::Completed(20)));
}

fn after(place: usize) -> Program {
    let activation = Activation::After(place);
    let work = Work::Fixed(ms(1));
    Program::Jobs(Jobs::new(activation, work))
}

impl Mock {
    /// The releases of a thread's jobs.
    fn released_to(&self, number: u32) -> Vec<u64> {
        let said = self.of_player(number).into_iter();
        let times = said.filter_map(|said| match said {
            Said::Released(at) => Some(at),
            _ => None,
        });
        times.collect()
    }
}

#[test]
fn law_a_completion_releases_those_who_follow() {
    let first = Program::Jobs(Jobs { count: Some(2), ..Jobs::periodic(ms(2), ms(10)) });
    // The second thread is added before the one that it follows.
    let mut mock = Mock::of(&[after(2), after(0), first]).begin();
    mock.play(at(100));
    assert_eq!(mock.released_to(2), [0, 10]);
    assert_eq!(mock.released_to(0), [2, 12]);
    assert_eq!(mock.released_to(1), [3, 13]);
}

#[test]
fn law_a_completion_is_nothing_to_a_follower_that_is_not_alive() {
    let first = Program::Jobs(Jobs { count: Some(4), ..Jobs::periodic(ms(2), ms(10)) });
    let mut mock = Mock::of(&[first, after(0), after(0)]);
    mock.threads.withdraw(2);
    ProgramRuntime::begin(&mut mock, 0);
    mock.play(at(15));
    ProgramRuntime::begin(&mut mock, 1);
    mock.play(at(100));
    assert_eq!(mock.released_to(0), [0, 10, 20, 30]);
    assert_eq!(mock.released_to(1), [22, 32]);
    assert_eq!(mock.released_to(2), []);
}

#[test]
fn law_whoever_will_not_begin_is_not_waited_for() {
    let mut mock =
        Mock::of(&[steps(1, vec![Step::Suspend]), steps(1, vec![run(1), Step::Resume(0), run(1)])]);
    mock.threads.withdraw(0);
    ProgramRuntime::begin(&mut mock, 1);
    mock.play(at(10));
    assert_eq!(mock.threads.condition(0), Condition::Gone);
    assert_eq!(mock.threads.condition(1), Condition::Gone);
    assert_eq!(mock.of_player(0), []);
}

#[test]
fn law_a_step_asks_once_and_goes_on_whatever_the_answer_is() {
    let asks = [OwnRequest::Share(2), OwnRequest::Unreserve, OwnRequest::Priority(1)];
    let mut program: Vec<Step> = asks.iter().cloned().map(Step::OwnRequest).collect();
    program.push(run(1));
    let mut mock = Mock::of(&[steps(1, program)]).begin();
    mock.play(at(10));
    assert_eq!(mock.requested, asks, "the second is refused");
    assert_eq!((mock.said.last(), mock.error), (Some(&(0, Said::Exited)), None));
}

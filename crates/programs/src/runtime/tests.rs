//! Programs on a host of one processor, which serves threads in turn and jumps to the next wake-up.

mod jobs;
mod locks;

use super::*;
use crate::process::{Node, ProcessError, ProcessParams};
use crate::program::Work;
use crate::request::{OwnRequest, RequestErrorKind};
use crate::step::{Phase, Step};
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

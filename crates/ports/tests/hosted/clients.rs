//! Clients of a pool of processes that submit at random, and hold each answer and each end against what must come of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use windfall_ports::hosted::{Completion, Finished, Handle, Pool, SubmitError};
use windfall_programs::{Code, Event, Process, ProcessError, Random, TaskError};
use windfall_time::{Instant, Span};

pub(crate) type Tally = BTreeMap<&'static str, u64>;

pub(crate) fn ms(n: u32) -> Span {
    Span::from_millis(n)
}

/// What clients counted, and what was not as it must be.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    pub(crate) wrong: Vec<String>,
    pub(crate) admitted: u64,
    pub(crate) no_time: u64,
    pub(crate) full: u64,
    pub(crate) done: u64,
    pub(crate) cancelled: u64,
    /// Exceeded and stopped at a checkpoint, or exceeded and gone on to the end.
    pub(crate) stopped: u64,
    pub(crate) demoted: u64,
    pub(crate) foreign: u64,
    pub(crate) whole: u64,
    pub(crate) again: u64,
    pub(crate) smaller: u64,
    /// When closures began and ended.
    spans: Vec<(Instant, Instant)>,
}

impl Noted {
    /// How many closures began and ended in the middle of another.
    pub(crate) fn preempted(&self) -> u64 {
        let within = |(from, to): &&(Instant, Instant)| {
            self.spans.iter().any(|other| other.0 < *from && *to < other.1)
        };
        self.spans.iter().filter(within).count() as u64
    }
}

#[derive(Clone, Default)]
pub(crate) struct Log(pub(crate) Arc<Mutex<Noted>>);

impl Log {
    fn note(&self, what: impl FnOnce(&mut Noted)) {
        what(&mut self.0.lock().unwrap());
    }
}

/// What a closure does with its bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manner {
    /// Needs a part of it, in pieces.
    Part(u64),
    /// Needs all of it.
    Whole,
    /// Needs more, and looks at its checkpoints.
    More,
    /// Needs more, and does not.
    MoreUnseen,
    Panics,
    /// Awaits what nobody brings about.
    Foreign,
}

#[derive(Clone)]
pub(crate) struct Client {
    pool: Pool,
    seed: u64,
    log: Log,
}

struct Outstanding {
    handle: Handle<u64>,
    number: u64,
    manner: Manner,
}

impl Client {
    pub(crate) fn new(pool: Pool, seed: u64, log: Log) -> Client {
        Client { pool, seed, log }
    }

    async fn submit(
        &self,
        me: &mut impl Process,
        (work, deadline): (Span, Instant),
        (number, manner): (u64, Manner),
    ) -> Result<Outstanding, SubmitError> {
        let log = self.log.clone();
        let code = async move |mut at: windfall_ports::hosted::Checkpoints| {
            let begun = at.now().await;
            let piece = Span::from_nanos(work.as_nanos() / 10);
            match manner {
                Manner::Part(tenths) => {
                    for _ in 0..tenths {
                        at.compute(piece).await;
                        at.checkpoint().await?;
                    }
                }
                Manner::Whole => at.compute(work).await,
                Manner::More => loop {
                    at.compute(piece + Span::from_nanos(1)).await;
                    at.checkpoint().await?;
                },
                Manner::MoreUnseen => at.compute(work + ms(1)).await,
                Manner::Panics => {
                    at.compute(piece).await;
                    std::panic::resume_unwind(Box::new("as it should"));
                }
                Manner::Foreign => core::future::pending().await,
            }
            let ended = at.now().await;
            log.note(|noted| noted.spans.push((begun, ended)));
            Ok(number)
        };
        let known = self.pool.idle_time(me, work, deadline).await;
        let answer = self.pool.try_submit(me, work, deadline, code).await;
        self.log.note(|noted| match (&answer, &known) {
            (Ok(_), Ok(known)) if known.idle < work => noted.wrong.push(format!("{known:?}")),
            (Err(SubmitError::Refused(TaskError::NoTime { instead, .. })), known)
                if known.as_ref() != Ok(instead) =>
            {
                noted.wrong.push(format!("{known:?}, then {instead:?}"));
            }
            _ => {}
        });
        self.log.note(|noted| match &answer {
            Ok(_) => noted.admitted += 1,
            Err(SubmitError::Full { .. }) => noted.full += 1,
            Err(SubmitError::Refused(TaskError::NoTime { .. })) => noted.no_time += 1,
            Err(other) => noted.wrong.push(other.to_string()),
        });
        Ok(Outstanding { handle: answer?, number, manner })
    }

    /// Waits for the end of a task, and holds it against what its closure did.
    async fn hold(
        &self,
        me: &mut impl Process,
        event: Event,
        (one, cancelled): (Outstanding, bool),
    ) -> Result<(), ProcessError> {
        let Outstanding { handle, number, manner } = one;
        let finished = handle.wait(me, event).await?;
        self.log.note(|noted| {
            let punctual = |completion: &Completion| completion.late.is_zero();
            let right = match (&finished, manner) {
                (Finished::Done(value, completion), Manner::Part(_) | Manner::Whole) => {
                    noted.done += 1;
                    noted.whole += u64::from(manner == Manner::Whole);
                    *value == number && punctual(completion) && !cancelled
                }
                (Finished::Exceeded(None), Manner::More) => {
                    noted.stopped += 1;
                    true
                }
                (Finished::Exceeded(Some(value)), Manner::MoreUnseen) => {
                    noted.demoted += 1;
                    *value == number
                }
                (Finished::Panicked, Manner::Panics) => true,
                (Finished::Panicked, Manner::Foreign) => {
                    noted.foreign += 1;
                    true
                }
                (Finished::Cancelled, _) => {
                    noted.cancelled += 1;
                    cancelled
                }
                _ => false,
            };
            if !right {
                noted.wrong.push(format!("{number} {manner:?} {cancelled}: {finished:?}"));
            }
        });
        Ok(())
    }

    /// What was refused for want of time is admitted if it is as the refusal says.
    async fn follow_up(
        &self,
        me: &mut impl Process,
        (work, deadline): (Span, Instant),
        (error, number): (SubmitError, u64),
    ) -> Option<Outstanding> {
        let SubmitError::Refused(TaskError::NoTime { instead, .. }) = error else { return None };
        let wrong = instead.idle >= work || instead.earliest.is_none_or(|at| at <= deadline);
        let later = number.is_multiple_of(2) || instead.idle < Span::from_nanos(10);
        let asked = match instead.earliest {
            Some(earliest) if later => (work, earliest),
            _ => (instead.idle, deadline),
        };
        let before = me.now().await;
        let answer = self.submit(me, asked, (number, Manner::Part(9))).await;
        let at_once = me.now().await == before;
        self.log.note(|noted| {
            noted.again += u64::from(later && answer.is_ok());
            noted.smaller += u64::from(!later && answer.is_ok());
            let refused = matches!(answer, Err(SubmitError::Refused(_)));
            if wrong || refused && at_once {
                noted.wrong.push(format!("{asked:?} after {instead:?}: {}", answer.is_ok()));
            }
        });
        answer.ok()
    }
}

impl Code for Client {
    const NAME: &'static str = "client";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let mut random = Random::new(self.seed);
        let event = me.make_event().await?;
        let mut there: Vec<Outstanding> = Vec::new();
        for number in 0..400 {
            let now = me.now().await;
            let micros = |n| Span::from_micros(n).unwrap();
            me.sleep_until(now + micros(random.between(0, 12_000))).await;
            let work = micros(random.between(100, 6_000));
            let deadline = me.now().await + micros(random.between(2_000, 60_000));
            let manner = match random.between(0, 9) {
                0..=4 => Manner::Part(random.between(1, 9)),
                5 => Manner::Whole,
                6 => Manner::More,
                7 => Manner::MoreUnseen,
                8 => Manner::Panics,
                _ => Manner::Foreign,
            };
            match self.submit(&mut me, (work, deadline), (number, manner)).await {
                Ok(one) => there.push(one),
                Err(error) => {
                    let more = self.follow_up(&mut me, (work, deadline), (error, number)).await;
                    there.extend(more);
                }
            }
            let most = random.between(0, 2);
            while there.len() as u64 > most {
                let last = there.len() as u64 - 1;
                let one = there.swap_remove(usize::try_from(random.between(0, last)).unwrap());
                let cancelled = random.between(0, 9) < 2 && one.handle.cancel(&mut me).await;
                self.hold(&mut me, event, (one, cancelled)).await?;
            }
        }
        for one in there {
            self.hold(&mut me, event, (one, false)).await?;
        }
        Ok(())
    }
}

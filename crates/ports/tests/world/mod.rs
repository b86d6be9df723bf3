//! A processor driven by a simulated clock: tasks arrive, run as long as they really take, are cancelled, and time is stolen.

mod draw;

pub(crate) use draw::Draw;
use std::collections::BTreeMap;
use windfall_admission::{AdmitError, BPlusTree, List};
use windfall_ports::{
    EarliestDeadline, Entry, Processor, Ranked, Request, Share, SubmitError, TaskId, TimeDriven,
};
use windfall_time::{Instant, Span};

impl Draw {
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// How often what was seen; a kind that is missing fails the test.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally(pub(crate) BTreeMap<&'static str, u64>);

impl Tally {
    pub(crate) fn count(&mut self, kind: &'static str) {
        *self.0.entry(kind).or_default() += 1;
    }
}

/// What a task really does.
struct Real {
    work: u64,
    bound: u64,
    got: u64,
}

pub(crate) struct World {
    pub(crate) processor: Processor,
    pub(crate) draw: Draw,
    tasks: BTreeMap<TaskId, Real>,
    promising: Vec<usize>,
    ranked: Vec<usize>,
    arrives: u64,
    steals: bool,
    laxity: u64,
    last: Option<TaskId>,
    /// Everything that happened, in a number.
    pub(crate) trace: u64,
}

pub(crate) fn ns(n: u64) -> Span {
    Span::from_nanos(n)
}

pub(crate) fn at(n: u64) -> Instant {
    Instant::from_nanos(n)
}

impl World {
    pub(crate) fn new(seed: u64, steals: bool) -> World {
        let mut draw = Draw(seed);
        let mut processor = Processor::new(Instant::ZERO, 300);
        let (mut promising, mut ranked) = (Vec::new(), Vec::new());
        let mut parts = 12;
        while parts > 0 {
            let part = if draw.chance(15) { parts } else { 1 + draw.below(parts) };
            parts -= part;
            let share = Share::new(ns(part), ns(12)).unwrap();
            match draw.below(8) {
                0..3 => {
                    let edf = EarliestDeadline::<BPlusTree>::new(share, Instant::ZERO, 400);
                    promising.push(processor.add(edf.unwrap()).unwrap());
                }
                3..5 => {
                    let edf = EarliestDeadline::<List>::new(share, Instant::ZERO, 400).unwrap();
                    promising.push(processor.add(edf).unwrap());
                }
                5 => {
                    // Three entries of which no two overlap; the last is long.
                    let most = part * 1_000 / 12;
                    let entries = [(0, 1_000), (1_500, 2_500), (3_000, 4_000)];
                    let entries =
                        entries.map(|(start, by)| Entry::new(ns(start), ns(1 + most / 2), ns(by)));
                    let table = TimeDriven::new(share, ns(5_000), &entries).unwrap();
                    promising.push(processor.add(table).unwrap());
                }
                6 => ranked.push(processor.add(Ranked::priorities(Some(share))).unwrap()),
                _ => ranked.push(processor.add(Ranked::best_first(Some(share))).unwrap()),
            }
        }
        ranked.push(processor.add(Ranked::priorities(None)).unwrap());
        let tasks = BTreeMap::new();
        let laxity = [100, 500, 2_500][draw.below(3) as usize];
        World {
            processor,
            draw,
            tasks,
            promising,
            ranked,
            arrives: 0,
            steals,
            laxity,
            last: None,
            trace: 0,
        }
    }

    fn note(&mut self, what: u64) {
        self.trace = (self.trace ^ what).wrapping_mul(0x0100_0000_01b3);
    }

    fn now(&self) -> u64 {
        self.processor.now().as_nanos()
    }

    /// Time passes; the running task receives all of it but `stolen`.
    fn pass(&mut self, received: u64, stolen: u64, tally: &mut Tally) {
        let running = self.processor.running();
        if let Some(running) = running {
            self.tasks.get_mut(&running.task).unwrap().got += received;
            if self.last.is_some_and(|last| last != running.task && self.tasks.contains_key(&last))
            {
                tally.count("preempted");
            }
            self.last = Some(running.task);
        }
        let received = if running.is_some() { received } else { 0 };
        let to = at(self.now() + received.max(if running.is_none() { stolen } else { 0 }) + stolen);
        self.processor.advance(to, ns(received)).unwrap();
    }

    /// Until the next thing happens.
    pub(crate) fn step(&mut self, tally: &mut Tally) {
        let until_arrival = self.arrives.saturating_sub(self.now());
        let wakes = self.processor.wakes().map(|at| at.as_nanos() - self.now());
        let next = until_arrival.min(wakes.unwrap_or(u64::MAX));
        match self.processor.running() {
            None => {
                let to = at(self.now() + next);
                self.processor.advance(to, Span::ZERO).unwrap();
            }
            Some(running) => {
                let real = &self.tasks[&running.task];
                let ends = real.work - real.got;
                let at_most = running.at_most.as_nanos();
                let mut received = next.min(ends).min(at_most);
                let stolen =
                    if self.steals && self.draw.chance(6) { self.draw.below(500) } else { 0 };
                if self.steals && received == at_most && self.draw.chance(10) {
                    let late = received + self.draw.below(20); // the timer is
                    received = late.min(ends).min(wakes.unwrap_or(u64::MAX));
                    tally.count("late timer");
                }
                self.pass(received, stolen, tally);
                self.settle(running.task, tally);
            }
        }
        if self.now() >= self.arrives {
            self.arrive(tally);
            self.arrives = self.now()
                + if self.draw.chance(10) { self.draw.below(4_000) } else { self.draw.below(70) };
        }
    }

    /// The task that ran may have ended, or exceeded its bound.
    fn settle(&mut self, task: TaskId, tally: &mut Tally) {
        let real = &self.tasks[&task];
        if real.got == real.work {
            let (early, over) = (real.work < real.bound, real.work > real.bound);
            self.tasks.remove(&task);
            let ended = self.processor.done(task).unwrap();
            self.note(self.now() ^ ended.late.as_nanos());
            assert!(ended.late <= ended.stolen, "{task}: {ended:?}");
            assert!(self.steals || ended.late.is_zero(), "{task}: {ended:?}");
            assert_eq!(over, !ended.beyond.is_zero());
            tally.count(if early { "early" } else { "to its bound" });
            if !ended.late.is_zero() {
                tally.count("late by what was stolen");
            }
            return;
        }
        // One that used its bound up is interrupted when it would run next.
        while let Some(task) = self.processor.expire() {
            let real = self.tasks.remove(&task).unwrap();
            assert!(real.got >= real.bound);
            tally.count("exceeded");
        }
    }

    fn arrive(&mut self, tally: &mut Tally) {
        let work = 1 + self.draw.below(100);
        let real = match self.draw.below(10) {
            0..5 => 1 + self.draw.below(work),
            5 => work + 1 + self.draw.below(50),
            _ => work,
        };
        match self.draw.below(12) {
            0 if !self.ranked.is_empty() => {
                let to = self.ranked[self.draw.below(self.ranked.len() as u64) as usize];
                let asked = Request::ranked(ns(work), self.draw.below(5) as i64);
                if let Ok(task) = self.processor.submit(to, asked) {
                    self.tasks.insert(task, Real { work: real, bound: work, got: 0 });
                    tally.count("ranked");
                }
            }
            1 => self.cancel(tally),
            2 => self.transfer(tally),
            _ if !self.promising.is_empty() => self.submit(work, real, tally),
            _ => {}
        }
    }

    fn submit(&mut self, work: u64, real: u64, tally: &mut Tally) {
        let to = self.promising[self.draw.below(self.promising.len() as u64) as usize];
        let laxity = if self.draw.chance(5) { 20_000 } else { self.laxity };
        let deadline = at(self.now() + self.draw.below(work * 4 + laxity));
        let asked = Request::by(ns(work), deadline);
        if self.draw.chance(10) {
            let smaller = Request::by(ns(work.div_ceil(4)), deadline);
            if let Ok((which, task)) = self.processor.submit_first(to, &[asked, smaller]) {
                let bound = if which == 0 { work } else { work.div_ceil(4) };
                self.tasks.insert(task, Real { work: real.min(bound), bound, got: 0 });
                tally.count(if which == 0 { "primary" } else { "secondary" });
            }
            return;
        }
        let idle = self.processor.idle_before(to, deadline).unwrap();
        let answer = self.processor.submit(to, asked);
        self.note(idle.as_nanos() ^ u64::from(answer.is_ok()));
        match answer {
            Ok(task) => {
                assert!(idle.as_nanos() >= work);
                self.tasks.insert(task, Real { work: real, bound: work, got: 0 });
                tally.count(if self.processor.debt().is_zero() {
                    "admitted"
                } else {
                    "admitted in debt"
                });
            }
            Err(SubmitError::NotAdmitted(AdmitError::NoRoom { idle: told, earliest, .. })) => {
                assert_eq!(told, idle);
                assert!(idle.as_nanos() < work);
                tally.count("refused");
                if let Some(earliest) = earliest {
                    let found = self.processor.earliest_deadline(to, ns(work)).unwrap();
                    assert_eq!(found, Some(earliest));
                    assert!(self.processor.idle_before(to, earliest).unwrap().as_nanos() >= work);
                    let before = at(earliest.as_nanos() - 1);
                    assert!(self.processor.idle_before(to, before).unwrap().as_nanos() < work);
                    tally.count("earliest deadline is exact");
                }
            }
            Err(_) => tally.count("refused otherwise"),
        }
    }

    fn cancel(&mut self, tally: &mut Tally) {
        let nth = self.draw.below(self.tasks.len().max(1) as u64) as usize;
        if let Some(task) = self.tasks.keys().nth(nth).copied() {
            let begun = self.tasks.remove(&task).unwrap().got > 0;
            self.processor.cancel(task).unwrap();
            assert!(self.processor.cancel(task).is_err());
            tally.count(if begun { "cancelled when it had begun" } else { "cancelled" });
        }
    }

    fn transfer(&mut self, tally: &mut Tally) {
        if self.promising.len() < 2 {
            return;
        }
        let other = self.draw.below(2) as usize;
        let (from, to) = (self.promising[other], self.promising[1 - other]);
        let work = ns(1 + self.draw.below(60));
        match self.processor.transfer(from, to, work) {
            Ok(_) => tally.count("laxity moved"),
            Err(_) => tally.count("laxity not moved"),
        }
    }

    pub(crate) fn check_counts(&self) {
        let counts = self.processor.counts();
        assert_eq!(counts.submitted, counts.admitted + counts.refused.all());
        let there = self.tasks.len() as u64;
        assert_eq!(counts.admitted, counts.done + counts.exceeded + counts.cancelled + there);
        assert!(self.steals || counts.late == 0);
    }
}

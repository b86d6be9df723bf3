//! The same below a scheduler that gives as little as it may, and as late: each promise is kept.

use super::clocked::{Clocked, bound};
use super::common::mix;
use super::machine::{Likes, Machine, Promised};
use super::{Running, clocked};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use windfall_speculation::{
    Ahead, InputError, Key, Late, Moment, ProcessNumber, Sequential, Timed, Turn,
};
use windfall_time::{Instant, Span};

pub(crate) const END: u64 = 20_000;

/// How a run is driven.
#[derive(Clone, Debug)]
struct Drawn {
    model: Clocked,
    promised: Promised,
    likes: Likes,
    most: u32,
    draw: u64,
    /// Something comes from outside in one of so many turns.
    rare: u64,
    /// Whether handling is paid for afterwards.
    afterwards: bool,
}

#[derive(Debug, Default)]
struct Tally {
    admitted: usize,
    while_asleep: usize,
    while_owed: usize,
    refused: usize,
    past: usize,
    ahead: usize,
    due: usize,
    undone: u64,
    /// Runs in which all was promised, and what came of those in which not.
    calm: usize,
    late: usize,
    in_time: usize,
    /// How often the run was ready and got nothing for a while; and slept to the end, or was woken before.
    withheld: usize,
    slept: usize,
    woken: usize,
    /// Checks of what is promised: all that would be redone is sure.
    promised: usize,
}

struct Drive<'a> {
    drawn: &'a Drawn,
    machine: Rc<RefCell<Machine>>,
    run: Running<'a>,
    draw: u64,
    inputs: Vec<(ProcessNumber, Instant, u64)>,
    outputs: Vec<(Key, u64, u64)>,
    late: BTreeSet<Key>,
    unfit: bool,
    tally: &'a mut Tally,
}

impl Drive<'_> {
    fn now(&self) -> u64 {
        self.machine.borrow().now
    }

    fn draw(&mut self, below: u64) -> u64 {
        self.draw = mix(self.draw, 1);
        (self.draw >> 20) % below
    }

    /// All that is promised can be undone and redone in what is sure.
    fn redo_fits(&mut self) -> Result<(), TestCaseError> {
        let counts = self.run.counts();
        let done = (counts.handled - counts.undone - counts.committed).min(self.drawn.most.into());
        let machine = self.machine.borrow();
        let owed = machine.owed.unwrap_or(0) - machine.spent;
        if self.unfit && owed > 0 {
            // What is late by an event that was not promised is named when its time has passed.
            return Ok(());
        }
        let mut work = done * self.drawn.model.undo + owed;
        for key in self.run.promised() {
            work += bound(key.to);
            prop_assert!(
                machine.is_sure(work, key.at.as_nanos()),
                "{work}ns of work until {key} are not sure at {}",
                machine.now
            );
            self.tally.promised += 1;
        }
        Ok(())
    }

    /// Gives away what is certain, if `handles` not only that.
    fn turn(&mut self, handles: bool) -> Result<Option<Turn>, TestCaseError> {
        let (machine, outputs) = (self.machine.clone(), &mut self.outputs);
        let now = || moment(&machine.borrow());
        let take = |key, output| outputs.push((key, output, machine.borrow().now));
        let turn = if handles {
            Some(self.run.turn(now, take).unwrap())
        } else {
            self.run.give(now(), take).unwrap();
            None
        };
        let now = self.now();
        for one in self.run.take_late() {
            self.unfit |= matches!(one, Late::Unfit(_));
            prop_assert!(self.unfit, "{one:?} at {now}, and all was promised");
            self.late.insert(one.event());
        }
        self.redo_fits()?;
        Ok(turn)
    }

    /// Something comes from outside, and if it does not fit, the same at the earliest time that is said. Whether it is admitted.
    fn input(&mut self) -> Result<bool, TestCaseError> {
        let (to, told) = (self.drawn.model.process(self.draw(1 << 30)), self.draw(5));
        let mut at = Instant::from_nanos(self.now() + self.draw(6_000));
        let mut again = false;
        while at < Instant::from_nanos(END) {
            let moment = moment(&self.machine.borrow());
            match self.run.input(moment, to, at, told) {
                Ok(_) => {
                    self.tally.admitted += 1;
                    self.inputs.push((to, at, told));
                    self.redo_fits()?;
                    return Ok(true);
                }
                Err(InputError::Past { until }) => {
                    prop_assert!(at <= until && !again);
                    self.tally.past += 1;
                    return Ok(false);
                }
                Err(InputError::NoTime { work, idle, earliest }) => {
                    prop_assert!(idle < work && !again, "{work}, {idle}");
                    self.tally.refused += 1;
                    again = true;
                    at = earliest.unwrap();
                }
                Err(other) => return Err(TestCaseError::fail(other.to_string())),
            }
        }
        Ok(false)
    }

    /// An event was handled: if its processor time is spent only now, something may come meanwhile.
    fn worked(&mut self) -> Result<(), TestCaseError> {
        let owed = self.machine.borrow().owed;
        if let Some(owed) = owed {
            let first = owed / 2;
            // Those who tell of what comes do not know how much of it is spent.
            self.machine.borrow_mut().spent = first;
            self.machine.borrow_mut().work(first);
            if self.draw(self.drawn.rare) == 0 {
                self.tally.while_owed += usize::from(self.input()?);
            }
            self.machine.borrow_mut().work(owed - first);
            let mut machine = self.machine.borrow_mut();
            (machine.owed, machine.spent) = (Some(0), 0);
        }
        self.turn(false)?;
        self.withhold();
        Ok(())
    }

    /// The run is ready, and gets nothing for a while.
    fn withhold(&mut self) {
        let most = match self.draw(3) {
            0 => 0,
            1 => self.draw(100),
            _ => 10_000,
        };
        self.tally.withheld += usize::from(self.machine.borrow_mut().withholds(most) > 0);
    }

    /// The run sleeps until then, or until somebody wakes it before.
    fn sleep(&mut self, until: Option<Instant>) -> Result<(), TestCaseError> {
        let until = until.map_or(END, |until| until.as_nanos());
        prop_assert!(self.now() < until, "it would sleep until {until}");
        let until = until.min(END);
        let woken = self.now() + 1 + self.draw(1_000);
        if until <= woken {
            self.machine.borrow_mut().sleeps(until);
            self.tally.slept += 1;
        } else {
            self.machine.borrow_mut().sleeps(woken);
            if self.draw(2) == 0 {
                self.tally.while_asleep += usize::from(self.input()?);
            }
            self.tally.woken += 1;
        }
        self.redo_fits()?;
        self.withhold();
        Ok(())
    }

    fn goes(&mut self) -> Result<(), TestCaseError> {
        while self.now() < END {
            if self.draw(self.drawn.rare) == 0 {
                self.input()?;
            }
            if self.draw(23) == 0 {
                let until = self.now() + self.draw(400);
                self.run.close_until(Instant::from_nanos(until));
            }
            match self.turn(true)? {
                Some(Turn::Worked { ahead, .. }) => {
                    self.tally.ahead += usize::from(ahead);
                    self.tally.due += usize::from(!ahead);
                    self.worked()?;
                }
                Some(Turn::Waits(until)) => self.sleep(until)?,
                other => prop_assert!(false, "{other:?}"),
            }
        }
        self.run.close_until(Instant::MAX);
        while self.turn(true)? != Some(Turn::Waits(None)) {}
        Ok(())
    }

    fn ends(self) -> Result<(), TestCaseError> {
        self.tally.undone += self.run.counts().undone;
        self.tally.late += self.late.len();
        self.tally.calm += usize::from(!self.unfit);
        for (key, _, given) in self.outputs.iter().filter(|(key, ..)| !self.late.contains(key)) {
            prop_assert!(*given <= key.at.as_nanos() || *given >= END, "{key} is given at {given}");
            self.tally.in_time += 1;
        }
        let all = Clocked { inputs: Some(self.inputs), ..self.drawn.model.clone() };
        let mut in_order = Sequential::new(all, 10_000).unwrap();
        let mut expected: Vec<(Key, u64)> = Vec::new();
        let end = Instant::from_nanos(END);
        in_order.run_until(end, |key, output| expected.push((key, output))).unwrap();
        let found = self.outputs.iter().map(|(key, output, _)| (*key, *output));
        prop_assert_eq!(found.collect::<Vec<_>>(), expected);
        Ok(())
    }
}

fn moment(machine: &Machine) -> Moment {
    let moment = Moment::new(Instant::from_nanos(machine.now), Span::from_nanos(machine.received));
    moment.owing(Span::from_nanos(machine.owed.unwrap_or(0)))
}

fn judge(drawn: &Drawn, tally: &mut Tally) -> Result<(), TestCaseError> {
    let Drawn { promised, likes, most, draw, afterwards, .. } = *drawn;
    let machine = drawn.model.machine.clone();
    *machine.borrow_mut() = Machine::new(promised, likes, draw);
    machine.borrow_mut().owed = afterwards.then_some(0);
    let ahead = Ahead { most, undo: Span::from_nanos(drawn.model.undo) };
    let limit: &dyn Fn(ProcessNumber, &u64) -> Span = &|to, _| Span::from_nanos(bound(to));
    let times = (moment(&machine.borrow()), Instant::from_nanos(END));
    let run = Timed::below(promised.supply(), drawn.model.clone(), times, 10_000, ahead, limit);
    let mut drive = Drive {
        drawn,
        machine,
        run: run.unwrap(),
        draw,
        inputs: Vec::new(),
        outputs: Vec::new(),
        late: BTreeSet::new(),
        unfit: false,
        tally,
    };
    drive.goes()?;
    drive.ends()
}

fn promised() -> impl Strategy<Value = Promised> {
    let shape = (1_u64..60).prop_flat_map(|period| (1..=period, Just(period)));
    (shape, 0_u64..300, any::<bool>()).prop_map(|((amount, period), latency, reserved)| {
        // A reservation, or anything.
        let latency = if reserved { 2 * (period - amount) } else { latency };
        Promised { amount, period, latency }
    })
}

fn likes() -> impl Strategy<Value = Likes> {
    prop_oneof![
        Just(Likes::Never),
        (1_u64..200).prop_map(Likes::Bursts),
        (1_u64..8).prop_map(Likes::Often),
        Just(Likes::Ends),
    ]
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let how = (0..12_u32, any::<u64>(), 1..20_u64, any::<bool>());
    (clocked(), 200..6_000_u64, promised(), likes(), how).prop_map(
        |(model, delay, promised, likes, (most, draw, rare, afterwards))| Drawn {
            model: Clocked { delay, ..model },
            promised,
            likes,
            most,
            draw,
            rare,
            afterwards,
        },
    )
}

#[test]
fn law_redo_fits_in_what_is_sure() {
    let cases = if cfg!(debug_assertions) { 200 } else { 3_000 };
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(7),
        failure_persistence: None,
        ..Config::default()
    };
    let tally = RefCell::new(Tally::default());
    let judged =
        TestRunner::new(config).run(&drawn(), |drawn| judge(&drawn, &mut tally.borrow_mut()));
    judged.unwrap_or_else(|why| panic!("{why}"));
    let tally = tally.into_inner();
    eprintln!("{tally:?}");
    let Tally { admitted, while_asleep, while_owed, refused, past, ahead, due, .. } = tally;
    let counts = [admitted, while_asleep, while_owed, refused, past, ahead, due];
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    let Tally { undone, calm, late, in_time, withheld, slept, woken, promised, .. } = tally;
    let counts = [late, in_time, withheld, slept, woken, promised];
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    assert!(undone > 100 && calm > 10, "{undone} undone, {calm} runs in which all was promised");
}

//! Programs of steps for the analysis: critical sections, and jobs that a timer begins.
//!
//! A thread is periodic where its steps begin with a `timer` step, have no other, and wait for nothing but locks.

use crate::model::{Phase, Run, Scenario, Step};
use std::collections::BTreeMap;
use windfall_analysis::{Protocol, Section, Task};
use windfall_guarantees::Length;
use windfall_programs::{Effect, Interaction, LockProtocol, Names};
use windfall_time::{Ratio, Span};

/// The locks that steps take, by number.
pub(crate) struct LockNumbers<'a> {
    numbers: BTreeMap<&'a str, usize>,
    /// By number.
    pub(crate) names: Vec<&'a str>,
    /// By number.
    pub(crate) protocols: Vec<Protocol>,
}

impl<'a> LockNumbers<'a> {
    pub(crate) fn of(scenario: &'a Scenario) -> LockNumbers<'a> {
        let (mut numbers, mut names, mut protocols) = (BTreeMap::new(), Vec::new(), Vec::new());
        for step in scenario.threads.iter().flat_map(|thread| thread.run.all_steps()) {
            let Interaction::Takes(name) = step.interaction() else { continue };
            if !numbers.contains_key(name.as_str()) {
                numbers.insert(name.as_str(), names.len());
                names.push(name.as_str());
                protocols.push(match scenario.protocol_of(name) {
                    LockProtocol::Inherit => Protocol::Inherit,
                    LockProtocol::Ceiling => Protocol::Ceiling,
                    LockProtocol::None => Protocol::None,
                });
            }
        }
        LockNumbers { numbers, names, protocols }
    }

    /// The critical sections of a program, on processors of this speed.
    ///
    /// # Errors
    /// A lock that it may hold while it waits, or that it does not release in the phase that took it.
    pub(crate) fn sections(&self, run: &'a Run, speed: Ratio) -> Result<Vec<Section>, &'a str> {
        let phases = match run {
            Run::Phases { phases, .. } => phases.as_slice(),
            _ => &[],
        };
        let mut all = Vec::new();
        for phase in phases {
            let mut open = Open { numbers: self, speed, stack: Vec::new(), done: &mut all };
            phase.steps.iter().try_for_each(|step| open.step(step))?;
            if let Some(held) = open.stack.first() {
                return Err(held.lock);
            }
        }
        Ok(all)
    }
}

/// The sections that are open at a step.
struct Open<'o, 'a> {
    numbers: &'o LockNumbers<'a>,
    speed: Ratio,
    stack: Vec<Held<'a>>,
    done: &'o mut Vec<Section>,
}

struct Held<'a> {
    lock: &'a str,
    work: Span,
    inner: Vec<Section>,
    /// It is released, and ends with those that were taken after it.
    given_back: bool,
}

impl<'a> Open<'_, 'a> {
    fn step(&mut self, step: &'a Step) -> Result<(), &'a str> {
        let effect = step.effect();
        match effect.interaction {
            Interaction::Takes(lock) => {
                self.stack.push(Held {
                    lock,
                    work: Span::ZERO,
                    inner: Vec::new(),
                    given_back: false,
                });
            }
            Interaction::Releases(lock) => {
                let held = self.stack.iter_mut().rev();
                let held = held.into_iter().find(|held| held.lock == lock && !held.given_back);
                held.ok_or(lock.as_str())?.given_back = true;
                self.close();
            }
            // How long it waits depends on others.
            _ if effect.may_pause() => {
                return self.stack.last().map_or(Ok(()), |held| Err(held.lock));
            }
            _ => {
                for held in &mut self.stack {
                    held.work = held.work.saturating_add(effect.computes);
                }
            }
        }
        Ok(())
    }

    /// Removes the sections that have ended.
    fn close(&mut self) {
        while let Some(held) = self.stack.pop_if(|held| held.given_back) {
            let Some(lock) = self.numbers.numbers.get(held.lock) else { continue };
            let length = at_speed(held.work, self.speed).unwrap_or(Span::MAX);
            let section = Section::new(*lock, length).with(held.inner);
            match self.stack.last_mut() {
                Some(outer) => outer.inner.push(section),
                None => self.done.push(section),
            }
        }
    }
}

/// The repeated part of a program, if a timer begins each of its jobs and it waits for nothing else but locks.
pub(crate) fn timed(run: &Run, speed: Ratio) -> Option<Task> {
    let Run::Phases { phases, .. } = run else { return None };
    let (first, rest) = phases.split_first()?;
    let (Some(period), 1) = (first.steps.first()?.effect().due, first.loops) else { return None };
    let others = first.steps.iter().skip(1).chain(rest.iter().flat_map(|phase| &phase.steps));
    let waits = |effect: Effect<'_, Names>| effect.may_pause() || effect.begins_job;
    if others.map(Step::effect).any(waits) {
        return None;
    }
    let work = |phase: &Phase| {
        let works = phase.steps.iter().map(|step| step.effect().computes);
        works.fold(Span::ZERO, Span::saturating_add).checked_mul(phase.loops)
    };
    let all = phases.iter().try_fold(Span::ZERO, |sum, phase| sum.checked_add(work(phase)?))?;
    let all = at_speed(all, speed)?;
    (!all.is_zero() && !period.is_zero()).then(|| Task::implicit(all, period))
}

fn at_speed(work: Span, speed: Ratio) -> Option<Span> {
    Length::from(work).checked_div(speed)?.ceil()
}

#[cfg(test)]
mod tests {
    use super::*;
    use windfall_programs::{Tick, Work};

    fn run(ms: u32) -> Step {
        Step::Run(Work::Fixed(Span::from_millis(ms)))
    }

    fn lock(name: &str) -> Step {
        Step::Lock(name.to_owned())
    }

    fn unlock(name: &str) -> Step {
        Step::Unlock(name.to_owned())
    }

    fn scenario(steps: Vec<Step>) -> Scenario {
        let text = "schema = 2\nlength = \"1s\"\n[schedulers.rr]\nscheduler = \"round-robin\"\n\
                    parent = \"top\"\n[threads.a]\nparent = \"rr\"\nrun = \"spin\"\n";
        let mut scenario = Scenario::parse("e.toml", text).unwrap();
        scenario.threads[0].run = Run::steps(steps);
        scenario
    }

    fn sections(steps: Vec<Step>, speed: Ratio) -> Result<Vec<Section>, String> {
        let scenario = scenario(steps);
        let numbers = LockNumbers::of(&scenario);
        numbers.sections(&scenario.threads[0].run, speed).map_err(str::to_owned)
    }

    #[test]
    fn law_sections_hold_what_is_worked_in_them() {
        let ms = Span::from_millis;
        let steps = vec![
            run(1),
            lock("a"),
            run(2),
            lock("b"),
            run(3),
            unlock("b"),
            run(4),
            unlock("a"),
            lock("b"),
            run(5),
            unlock("b"),
        ];
        let inner = Section::new(1, ms(3));
        let nested = vec![Section::new(0, ms(9)).with(vec![inner]), Section::new(1, ms(5))];
        assert_eq!(sections(steps.clone(), Ratio::ONE), Ok(nested));
        let slow = sections(steps, Ratio::new(1, 2).unwrap()).unwrap();
        assert_eq!(slow[0].length, ms(18));
    }

    #[test]
    fn law_what_is_given_back_first_ends_with_what_was_taken_in_it() {
        let ms = Span::from_millis;
        let hand_over_hand =
            vec![lock("a"), run(1), lock("b"), run(2), unlock("a"), run(4), unlock("b")];
        let inner = Section::new(1, ms(6));
        let expected = vec![Section::new(0, ms(7)).with(vec![inner])];
        assert_eq!(sections(hand_over_hand, Ratio::ONE), Ok(expected));
    }

    #[test]
    fn refuses_sections_that_wait_or_do_not_end() {
        let waits = vec![lock("a"), Step::Sleep(Span::from_millis(1)), unlock("a")];
        assert_eq!(sections(waits, Ratio::ONE), Err("a".to_owned()));
        assert_eq!(sections(vec![lock("a"), run(1)], Ratio::ONE), Err("a".to_owned()));
        assert_eq!(sections(vec![unlock("a"), run(1), lock("a")], Ratio::ONE), Err("a".to_owned()));
    }

    #[test]
    fn accepts_a_timer_at_the_beginning_and_no_other_wait() {
        let ms = Span::from_millis;
        let timer = || Step::Timer { timer: "t".to_owned(), period: ms(20), tick: Tick::Absolute };
        let task = |steps| timed(&Run::steps(steps), Ratio::ONE);
        let expected = Some(Task::implicit(ms(5), ms(20)));
        assert_eq!(task(vec![timer(), run(2), lock("a"), run(3), unlock("a")]), expected);
        assert_eq!(task(vec![run(2), timer()]), None);
        assert_eq!(task(vec![timer(), run(2), timer()]), None);
        assert_eq!(task(vec![timer(), run(2), Step::Sleep(ms(1))]), None);
        assert_eq!(task(vec![timer()]), None, "no work");
    }
}

//! Conditions on the run of a tree: all that is granted is accepted, nobody is quarantined, every promise is kept in all
//! windows.

use super::Tested;
use super::programs::{PROGRAMS, ms};
use crate::Sim;
use std::cell::RefCell;
use windfall_guarantees::{Allowance, Guarantee, Length, Type};
use windfall_scenario::Scenario;
use windfall_scenario::model::{Parent, Requirements, Run, Scheduler, Timer};
use windfall_scenario::outcome::{
    Outcome, Promise, PromiseStatus, ThreadOutcome, all_promises, broken_bounds,
};
use windfall_schedulers::kinds;
use windfall_time::{Instant, Ratio, Span};

/// No tree runs longer than this.
const LONGEST: Span = Span::from_secs(16);

/// Takes back what is refused, until all that is asked is granted.
pub(super) fn settled(mut scenario: Scenario) -> Scenario {
    for _ in 0..16 {
        let promises = scenario.promises();
        let refused: Vec<String> =
            promises.refused().map(|vp| promises.tree.vps[vp].name.clone()).collect();
        if refused.is_empty() {
            return scenario;
        }
        each(&mut scenario, |name, requires| {
            if refused.iter().any(|refused| refused == name) {
                requires.guarantee = None;
            }
        });
    }
    scenario
}

/// Takes back parameters that were written, and that a scheduler refuses to a child without a guarantee: nothing else would be
/// tested in the tree.
pub(super) fn admitted(mut scenario: Scenario) -> Scenario {
    for _ in 0..16 {
        let Err(mistakes) = scenario.build() else { return scenario };
        let (why, mut taken_back) = (mistakes.render(false), false);
        each(&mut scenario, |name, requires| {
            let given = requires.parameters().next().is_some() && requires.guarantee.is_none();
            if given && why.contains(&format!("refused `{name}`")) {
                (*requires, taken_back) = (Requirements::default(), true);
            }
        });
        if !taken_back {
            return scenario;
        }
    }
    scenario
}

/// Puts EDF where a scheduler is to admit jobs, and no promise bounds its supply: that is a mistake in a scenario.
pub(super) fn supplied(mut scenario: Scenario) -> Scenario {
    let admits = |scenario: &Scenario, scheduler: &Scheduler| {
        scenario.kind_of(scheduler).is_some_and(|kind| kind.properties.admits)
    };
    for at in 0..scenario.schedulers.len() {
        let scheduler = &scenario.schedulers[at];
        let [own] = &scheduler.owns[..] else { continue };
        let held = own.requires.guarantee.and_then(|held| held.least_supply()).is_some();
        if held || own.parent == Parent::Top || !admits(&scenario, scheduler) {
            continue;
        }
        let name = scheduler.name.clone();
        let plain = Scheduler::root(&name, kinds::EDF);
        let scheduler = &mut scenario.schedulers[at];
        (scheduler.kind, scheduler.settings) = (plain.kind, plain.settings);
        for thread in
            scenario.threads.iter_mut().filter(|thread| thread.parent.as_deref() == Some(&name))
        {
            if let Run::Jobs(jobs) = &mut thread.run {
                jobs.admit = false;
            }
        }
    }
    scenario
}

/// Calls a function with what each thread and each own virtual processor asks for.
fn each(scenario: &mut Scenario, mut call: impl FnMut(&str, &mut Requirements)) {
    scenario.threads.iter_mut().for_each(|thread| call(&thread.name, &mut thread.requires));
    for scheduler in &mut scenario.schedulers {
        let many = scheduler.owns.len() > 1;
        for (number, own) in scheduler.owns.iter_mut().enumerate() {
            let name = match many {
                true => format!("{}/{number}", scheduler.name),
                false => scheduler.name.clone(),
            };
            call(&name, &mut own.requires);
        }
    }
}

/// The length of a run after which all shares in the long run differ clearly from nothing: half of each beyond its
/// allowance, where that comes within [`LONGEST`].
fn long_enough(promises: &[Promise]) -> Span {
    let shares = promises.iter().filter_map(|promise| match promise.guarantee {
        Guarantee::Share(share) => Some((share, promise.behind)),
        _ => None,
    });
    let needed = |(share, behind): (Ratio, Allowance)| {
        let mut length = ms(500);
        while length <= LONGEST {
            let half = Length::from(length).checked_mul(share)?.checked_div(Ratio::whole(2))?;
            if behind.of(length.as_nanos(), 0, 0)? <= half {
                return Some(length);
            }
            length = length.checked_mul(2)?;
        }
        None
    };
    shares.filter_map(needed).fold(ms(500), Span::max)
}

/// In one of 32 trees only, which decides how many there are in the time.
pub(super) fn lengthened(mut scenario: Scenario) -> Scenario {
    if scenario.seed.is_multiple_of(32) {
        scenario.length = long_enough(&all_promises(&scenario));
    }
    scenario
}

/// A scheduler may refuse a child that asks for nothing (a join has one); not what is granted.
fn refused(scenario: &Scenario, why: &str) -> Result<(), String> {
    let promises = scenario.promises();
    let granted = |vp: &usize| {
        let requires =
            promises.tree.vps[*vp].requested.filter(|requires| *requires != Guarantee::Null);
        let name = &promises.tree.vps[*vp].name;
        requires.is_some() && why.contains(&format!("refused `{name}`"))
    };
    match (0..promises.tree.vps.len()).any(|vp| granted(&vp)) {
        true => Err(format!("granted, and then refused: {why}")),
        false => Ok(()),
    }
}

/// Whether its owner has a share, but no bound on the error.
fn is_long_run(outcome: &Outcome, share: &Promise) -> bool {
    let owner = (&share.owner, share.own);
    let mut all = outcome.promises.iter().map(|verdict| &verdict.promise);
    !all.any(|one| (&one.owner, one.own) == owner && one.guarantee.kind() == Type::Psbe)
}

/// Whether a join may pass its child round: there are several processors.
fn may_circle(scenario: &Scenario) -> bool {
    let mut kinds = scenario.schedulers.iter().filter_map(|one| scenario.kind_of(one));
    kinds.any(|kind| kind.properties.joins) && scenario.machine.speeds.len() > 1
}

/// Simulates a tree, and counts the promises that the run tested.
///
/// # Errors
/// The guarantee that was broken.
pub(super) fn judge(scenario: &Scenario, tested: &RefCell<Tested>) -> Result<(), String> {
    let plan = match scenario.build() {
        Ok(plan) => plan,
        Err(mistakes) => return refused(scenario, &mistakes.render(false)),
    };
    let mut sim = Sim::of(plan, None).map_err(|failure| failure.to_string())?;
    sim.judge_promises(&all_promises(scenario));
    let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
    if let Some((name, why)) = outcome.quarantined.first() {
        if why.to_string().contains("too many calls") && may_circle(scenario) {
            tested.borrow_mut().circles += 1; // known: see CAVEATS
            return Ok(());
        }
        return Err(format!("{name} was quarantined: {why}"));
    }
    if let Some(failure) = outcome.failure {
        return Err(failure.to_string());
    }
    if let Some((_, why)) = outcome.refused.first() {
        refused(scenario, why)?;
        tested.borrow_mut().elsewhere += 1; // known: see CAVEATS
        return Ok(());
    }
    promises(scenario, &outcome, &mut tested.borrow_mut())?;
    tested.borrow_mut().admitted += in_time(scenario, &outcome)?;
    let (answered, late) = broken_bounds(scenario, &outcome);
    tested.borrow_mut().answered += answered;
    late.into_iter().next().map_or(Ok(()), Err)
}

/// The number of jobs that were admitted and done; none of them is late where no time was stolen and timers are precise.
fn in_time(scenario: &Scenario, outcome: &Outcome) -> Result<u64, String> {
    if !scenario.interrupts.is_empty() || scenario.machine.timer != Timer::Precise {
        return Ok(0);
    }
    let mut done = 0;
    let admits =
        |thread: &&ThreadOutcome| thread.submitted > 0 && thread.name.starts_with("tasks-");
    for thread in outcome.threads.iter().filter(admits) {
        if thread.missed + thread.lost > 0 {
            let (name, missed, lost) = (&thread.name, thread.missed, thread.lost);
            return Err(format!("{name}: {missed} jobs that were admitted were late, {lost} lost"));
        }
        done += thread.completed;
    }
    Ok(done)
}

/// Whether all promises were kept.
fn promises(scenario: &Scenario, outcome: &Outcome, tested: &mut Tested) -> Result<(), String> {
    for verdict in &outcome.promises {
        if verdict.is_failure() {
            let (owner, promise) = (verdict.owner(), verdict.promise.guarantee);
            return Err(format!("{owner} was promised {promise}: {:?}", verdict.verdict));
        }
        if verdict.status() == PromiseStatus::Kept {
            let promise = &verdict.promise;
            *tested.types.entry(promise.guarantee.kind()).or_default() += 1;
            let does = |program: &&&str| promise.owner.starts_with(&program.replace(' ', "-"));
            if let Some(program) = PROGRAMS.iter().find(does).filter(|_| promise.own.is_none()) {
                *tested.programs.entry(program).or_default() += 1;
            }
            let long_run = promise.guarantee.kind() == Type::Ps && is_long_run(outcome, promise);
            tested.long_run += u64::from(long_run);
            tested.ticking += u64::from(scenario.machine.timer != Timer::Precise);
        }
    }
    Ok(())
}

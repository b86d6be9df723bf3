//! Reservations that all threads of a program share.
//!
//! A program of a real machine creates any number of threads: a shell, a shim, helpers. The reservation of its entry
//! (`exec`, `pid`, `cgroup`, `unit`) is for all of them together, unless it has `each = true`: the reservation
//! belongs to a round robin NAME-threads above them, with a quantum of a tenth of the amount.
//! Requests for NAME that concern the reservation go to that scheduler.

use crate::model::{
    Attachment, Change, ExternalProgram, Parent, Scenario, Scheduler, Thread, Whom,
};
use std::mem::take;
use windfall_schedulers::catalogue::Catalogue;
use windfall_schedulers::kinds::ROUND_ROBIN;
use windfall_schedulers::parameters::RESERVE;
use windfall_schedulers::time_sharing::RoundRobin;
use windfall_time::Span;

/// The name of the scheduler that a program's threads share.
pub(crate) fn name(thread: &str) -> String {
    format!("{thread}-threads")
}

/// The reservation of an entry for all its threads together, if it has one.
pub(crate) fn shared(thread: &Thread) -> Option<Span> {
    let external = thread.external.as_ref()?;
    if external.each || matches!(external.program, ExternalProgram::Of(_)) {
        return None;
    }
    let promised = thread.requires.guarantee.and_then(|guarantee| guarantee.reservation());
    let promised = promised.and_then(|(amount, _)| amount.ceil());
    promised.or_else(|| thread.requires.reservation().map(|(amount, _)| amount))
}

/// Puts the threads of each entry with a common reservation below a scheduler that has this reservation.
pub(crate) fn share(scenario: &mut Scenario) {
    let default = scenario.default_scheduler().map(str::to_owned);
    let mut shares = false;
    for thread in &mut scenario.threads {
        let Some(amount) = shared(thread) else { continue };
        let Some(parent) = thread.parent.clone().or_else(|| default.clone()) else { continue };
        let quantum = Span::from_nanos((amount.as_nanos() / 10).max(1));
        let own =
            Attachment { parent: Parent::Scheduler(parent), requires: take(&mut thread.requires) };
        let name = name(&thread.name);
        thread.parent = Some(name.clone());
        let turns = RoundRobin::default().quantum(quantum);
        scenario.schedulers.push(Scheduler { owns: vec![own], ..Scheduler::root(&name, turns) });
        shares = true;
    }
    if shares {
        scenario.know(ROUND_ROBIN);
    }
    let Scenario { threads, schedulers, requests, catalogue, .. } = scenario;
    let there = (&threads[..], &schedulers[..], &*catalogue);
    requests.iter_mut().for_each(|request| pass_on(&mut request.change, there));
}

/// The threads and schedulers that there are, and their kinds.
pub(crate) type There<'a> = (&'a [Thread], &'a [Scheduler], &'a Catalogue);

/// A request about a common reservation goes to the scheduler that has it.
pub(crate) fn pass_on(change: &mut Change, there: There<'_>) {
    change.parts_mut().iter_mut().for_each(|part| part_on(part, there));
}

fn part_on(change: &mut Change, (threads, schedulers, catalogue): There<'_>) {
    let Some(whom) = change.whom_mut() else { return };
    let Whom::Thread(of) = &*whom else { return };
    let Some(entry) = threads.iter().find(|thread| thread.name == *of) else { return };
    let name = name(of);
    let stands_there = entry.external.is_some() && entry.parent.as_deref() == Some(&name);
    let above = schedulers.iter().find(|other| other.name == name);
    let kind = above.and_then(|above| catalogue.find(&above.kind));
    // Its threads cannot have reservations, so it is the scheduler's that is meant.
    if stands_there && kind.is_some_and(|kind| !kind.takes(&RESERVE)) {
        *whom = Whom::Scheduler(name, 0);
    }
}

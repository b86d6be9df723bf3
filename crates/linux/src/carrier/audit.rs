//! From time to time each foreign thread is looked at: is it what it is believed to be?
//!
//! A program may set its own class or affinity, somebody else may set them, and an event may be missed. A few
//! threads are looked at on each beat of the event loop's heart, so that the cost does not depend on how many there
//! are; one that is granted a processor and does not run there is looked at when that is noticed.

use crate::supervise::supervisor::Supervisor;
use crate::supervise::work::WorkItem;
use crate::threads::adopt;
use windfall_host::Host;
use windfall_os::freezer::Brake;
use windfall_time::Span;

/// So many threads are looked at each time.
const EACH: usize = 4;
/// So many of those that are not supervised; that is cheaper.
const STRANGERS: usize = 64;
/// And so often at most.
const PAUSE: Span = Span::from_millis(40);

/// Looks at the next few threads, if it is time to.
pub(crate) fn audit(supervisor: &mut Supervisor) {
    let (now, count) = (supervisor.time(), supervisor.host.threads.list.len());
    let round = &mut supervisor.host.machine.external.round;
    if now.saturating_since(round.last) < PAUSE || count == 0 {
        return;
    }
    round.last = now;
    let first = round.next;
    round.next = (first + EACH.min(count)) % count;
    for turn in 0..EACH.min(count) {
        let number = (first + turn) % count;
        look_at(supervisor, u32::try_from(number).expect("threads are numbered by 32 bits"));
    }
    let machine = &mut supervisor.host.machine;
    for _ in 0..STRANGERS {
        machine.external.round.pending =
            adopt::forget_pending(machine, machine.external.round.pending);
    }
}

fn look_at(supervisor: &mut Supervisor, number: u32) {
    let thread = &supervisor.host.threads.list[number as usize];
    let (off, lives) = (!thread.is_ready() || thread.cpu().is_none(), thread.id().is_some());
    if !lives || !supervisor.host.machine.body(number).is_external() {
        return;
    }
    let Ok(found) = supervisor.host.machine.carrier.audit(number) else {
        return supervisor.host.ends(number);
    };
    let name = &supervisor.host.threads.list[number as usize].outcome.name;
    let [class, place] = [
        found
            .class
            .map(|restored| format!("`{name}` chose a class of its own, and {}", how(&restored))),
        found.place.map(|restored| format!("`{name}` was moved elsewhere, and {}", how(&restored))),
    ];
    if class.is_some() {
        raise_again(supervisor, number);
    }
    class.into_iter().chain(place).for_each(|why| supervisor.say_once(why));
    // What it does is asked only where nothing was heard of it for long: events are quicker.
    let now = supervisor.time();
    let heard = supervisor.host.machine.heard(number);
    if heard.is_some_and(|heard| now.saturating_since(heard) > PAUSE) && off {
        supervisor.host.machine.send(WorkItem::Look(number));
    }
}

/// A thread has what threads have that may not run. If it may, the next `carry_out` lets it run.
fn raise_again(supervisor: &mut Supervisor, number: u32) {
    let machine = &mut supervisor.host.machine;
    let place = machine.carrier.place(number);
    if let Some(cpu) = place.filter(|cpu| machine.cpus[*cpu].actual == Some(number)) {
        machine.cpus[cpu].actual = None;
        machine.cpus[cpu].dirty = true;
    }
}

/// The thread that a processor is granted to does not run there although it could.
pub(crate) fn resync(supervisor: &mut Supervisor, cpu: usize) {
    if let Some(number) = supervisor.host.machine.cpus[cpu].desired {
        look_at(supervisor, number);
        supervisor.host.machine.send(WorkItem::Look(number));
    }
}

/// A thread has a group that freezes it, or why not.
pub(crate) fn has_group(
    supervisor: &mut Supervisor,
    number: u32,
    tid: i32,
    group: std::io::Result<Brake>,
) {
    let Host { machine, threads, .. } = &mut supervisor.host;
    let thread = &threads.list[number as usize];
    if machine.body(number).tid != tid || thread.id().is_none() {
        return;
    }
    match group {
        Ok(brake) => {
            machine.carry(&threads.list, |carrier, moment| carrier.answered(number, brake, moment))
        }
        Err(error) => {
            let name = &thread.outcome.name;
            let why = format!("`{name}` cannot be held off while its processor idles: {error}");
            supervisor.say_once(why);
        }
    }
}

const fn how(restored: &std::io::Result<()>) -> &'static str {
    if restored.is_ok() { "was put back" } else { "could not be put back" }
}

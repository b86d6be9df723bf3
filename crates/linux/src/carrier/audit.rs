//! Periodically re-checks class, affinity and state of external threads against the kernel.
//!
//! A program may set its own class or affinity, another program may set them, and an event may be missed. Each heartbeat of the event loop
//! checks a few threads, so that the cost does not depend on their number. A granted thread that does not run is checked as
//! soon as that is noticed.

mod own_change;

use crate::supervise::supervisor::Supervisor;
use crate::supervise::work::WorkItem;
use crate::threads::adopt;
use windfall_host::Host;
use windfall_os::freezer::Brake;
use windfall_time::Span;

/// Number of supervised threads that are checked each time.
const EACH: usize = 4;
/// Number of threads checked each time that are known and not supervised; that is cheaper.
const UNSUPERVISED_EACH: usize = 64;
/// Shortest time between two checks.
const PAUSE: Span = Span::from_millis(40);

/// Checks the next few threads, if it is time to.
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
    for _ in 0..UNSUPERVISED_EACH {
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
    if let Some(change) = found.own_change {
        own_change::heard(supervisor, number, change);
    }
    let name = &supervisor.host.threads.list[number as usize].outcome.name;
    let [class, place] = [
        found.class.map(|restored| {
            format!("`{name}` had another class or priority, and {}", how(&restored))
        }),
        found.place.map(|restored| format!("`{name}` was moved elsewhere, and {}", how(&restored))),
    ];
    if class.is_some() {
        raise_again(supervisor, number);
    }
    class.into_iter().chain(place).for_each(|why| supervisor.say_once(why));
    // Its state is read only if it had no event for long: events arrive sooner.
    let now = supervisor.time();
    let heard = supervisor.host.machine.heard(number);
    if heard.is_some_and(|heard| now.saturating_since(heard) > PAUSE) && off {
        supervisor.host.machine.send(WorkItem::Look(number));
    }
}

/// Notes that a thread has the settings of one that is not granted. If it is granted, the next `carry_out` raises it.
fn raise_again(supervisor: &mut Supervisor, number: u32) {
    let machine = &mut supervisor.host.machine;
    let place = machine.carrier.place(number);
    if let Some(cpu) = place.filter(|cpu| machine.cpus[*cpu].actual == Some(number)) {
        machine.cpus[cpu].actual = None;
        machine.cpus[cpu].dirty = true;
    }
}

/// Re-checks the thread that a processor is granted to, because it does not run there although it could.
pub(crate) fn resync(supervisor: &mut Supervisor, cpu: usize) {
    if let Some(number) = supervisor.host.machine.cpus[cpu].desired {
        look_at(supervisor, number);
        supervisor.host.machine.send(WorkItem::Look(number));
    }
}

/// Passes on a thread's freezer group, or reports why there is none.
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

//! A scenario from an rt-app file: its tasks, and a hierarchy for the classes that they ask for.
//!
//! Deadline tasks are reserved their runtime, above real-time tasks by priority, above everybody
//! else by time sharing: the order of Linux' own classes. Where the file asks for one class only,
//! there is one scheduler.

use crate::model::{Asks, Machine, Parent, Phase, Reserve, Run, Scenario, Scheduler, Step, Thread};
use crate::names::Names;
use crate::{Guarantee, Origin};
use std::collections::BTreeSet;
use windfall_programs::learn::{Converted, ConvertedThread, SharedKind};
use windfall_programs::{self as programs, Program, Resource};
use windfall_time::{Instant, Ratio, Span};
use windfall_trace::import::rtapp::{Policy, Scheduling};

/// How long a file without a duration is simulated.
const LENGTH: Span = Span::from_secs(10);

/// The classes, the strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Class {
    Deadline,
    RealTime,
    Fair,
}

impl Class {
    fn of(scheduling: &Scheduling) -> Class {
        match scheduling.policy {
            Some(Policy::Deadline) => Class::Deadline,
            Some(Policy::Fifo | Policy::RoundRobin) => Class::RealTime,
            _ => Class::Fair,
        }
    }

    const fn scheduler(self) -> (&'static str, &'static str, i32) {
        match self {
            Class::Deadline => ("deadline", "rez", 3),
            Class::RealTime => ("realtime", "fixed-priority", 2),
            Class::Fair => ("fair", "time-sharing", 1),
        }
    }
}

/// Makes a scenario of a converted file, for a machine with so many processors.
#[must_use]
pub fn import_rtapp(converted: &Converted, processors: u16) -> Scenario {
    let classes: BTreeSet<Class> =
        converted.threads.iter().map(|thread| Class::of(&thread.scheduling)).collect();
    let count = usize::from(processors.max(1));
    let mut schedulers = Vec::new();
    if classes.len() > 1 {
        schedulers.push(Scheduler::root("root", "fixed-priority").processors(count));
    }
    for class in &classes {
        let (name, kind, priority) = class.scheduler();
        // A reservation scheduler serves one processor.
        let owns = if *class == Class::Deadline { 1 } else { count };
        let mut scheduler = Scheduler::root(name, kind).processors(owns);
        if classes.len() > 1 {
            for own in &mut scheduler.owns {
                own.parent = Parent::Scheduler("root".to_owned());
                own.asks = Asks::priority(priority);
            }
        }
        schedulers.push(scheduler);
    }
    let named = Named::of(converted);
    let threads = converted.threads.iter().zip(&named.threads);
    let threads = threads.map(|(thread, name)| convert(thread, name, &named));
    Scenario {
        question: Some("what does each task of the rt-app file get?".to_owned()),
        answer: None,
        seed: 1,
        epoch: Instant::ZERO,
        length: converted.duration.unwrap_or(LENGTH).max(Span::from_nanos(1)),
        machine: Machine::ideal(processors.max(1)),
        interrupts: Vec::new(),
        default: schedulers.last().map(|scheduler| scheduler.name.clone()),
        schedulers,
        threads: threads.collect(),
        requests: Vec::new(),
        expectations: Vec::new(),
        origin: Origin::default(),
    }
}

/// What threads and shared things are called, by number.
struct Named {
    threads: Vec<String>,
    resources: Vec<String>,
}

impl Named {
    fn of(converted: &Converted) -> Named {
        let mut names = Names::except(&["root", "deadline", "realtime", "fair"]);
        let threads = converted.threads.iter().map(|thread| names.fresh(&thread.name)).collect();
        let mut names = Names::default();
        let resources = converted.resources.iter().map(|shared| {
            let prefix = match shared.kind {
                SharedKind::Mutex => "lock",
                SharedKind::Condition => "condition",
                SharedKind::Barrier => "barrier",
                SharedKind::SuspendLock => "suspend-lock",
                SharedKind::SuspendCondition => "suspend",
            };
            names.fresh(&format!("{prefix}-{}", shared.name))
        });
        Named { threads, resources: resources.collect() }
    }
}

fn convert(thread: &ConvertedThread, name: &str, names: &Named) -> Thread {
    let class = Class::of(&thread.scheduling);
    let asks = match (class, thread.scheduling.reservation()) {
        (Class::Deadline, Some(reservation)) => {
            let (amount, period) = (reservation.runtime, reservation.period);
            let fits = amount.over(period).is_some_and(|share| share <= Ratio::ONE);
            let guarantee = fits.then_some(Guarantee::BasicHard(amount.into(), period.into()));
            let reserve = (!fits).then_some(Reserve { amount, period });
            Asks { guarantee, reserve, ..Asks::default() }
        }
        (Class::RealTime, _) => Asks::priority(thread.scheduling.priority.unwrap_or(10)),
        _ => Asks::default(),
    };
    let run = match &thread.program {
        Program::Phases { loops, phases } => Run::Phases {
            loops: *loops,
            phases: phases.iter().map(|phase| convert_phase(phase, names)).collect(),
        },
        Program::Spin { from } => Run::Spin { from: *from },
        // rt-app knows phases only.
        Program::Jobs(_) | Program::Recorded(_) | Program::Process(_) => Run::spin(),
    };
    let (parent, _, _) = class.scheduler();
    let mut thread_entry = Thread::new(name, parent, asks, run);
    thread_entry.start = Instant::ZERO.saturating_add(thread.delay);
    thread_entry
}

fn convert_phase(phase: &programs::Phase, names: &Named) -> Phase {
    let shared = |resource: &Resource| names.resources.get(resource.0).cloned().unwrap_or_default();
    let steps = phase.steps.iter().map(|step| match step {
        programs::Step::Run(work) => Step::Run(*work),
        programs::Step::Sleep(span) => Step::Sleep(*span),
        programs::Step::Timer { timer, period, tick } => {
            Step::Timer { timer: format!("timer{timer}"), period: *period, tick: *tick }
        }
        programs::Step::Job => Step::Job,
        programs::Step::Lock(lock) => Step::Lock(shared(lock)),
        programs::Step::Unlock(lock) => Step::Unlock(shared(lock)),
        programs::Step::Wait { condition, lock } => {
            Step::Wait { condition: shared(condition), lock: shared(lock) }
        }
        programs::Step::Signal(condition) => Step::Signal(shared(condition)),
        programs::Step::Broadcast(condition) => Step::Broadcast(shared(condition)),
        programs::Step::Barrier(barrier) => Step::Barrier(shared(barrier)),
        programs::Step::Yield => Step::Yield,
        programs::Step::Suspend => Step::Suspend,
        programs::Step::Resume(thread) => {
            Step::Resume(names.threads.get(*thread).cloned().unwrap_or_default())
        }
    });
    Phase { name: phase.name.clone(), loops: phase.loops, steps: steps.collect() }
}

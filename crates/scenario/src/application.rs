//! An application: the threads directly below a scheduler, as tasks for an analysis (HLS 6.1.2).
//!
//! Its scheduler serves them on one processor of speed 1, each works periodically or sporadically,
//! and no other child is beside them. It describes the beginning of the file and ignores later requests.
//! Absent on purpose: whether they meet their deadlines, and under which supply.

mod error;

pub use error::ApplicationError;

use crate::Guarantee;
use crate::build::ranks_by;
use crate::deadlines::{reports_deadlines, timed_worker};
use crate::model::{Activation, Jobs, Run, Scenario, Scheduler, Thread};
use crate::sections::LockNumbers;
use windfall_analysis::{Protocol, Section, Task};
use windfall_schedulers::catalogue::RanksBy;
use windfall_schedulers::parameters::{PRIORITY, ParameterValue, Rate};
use windfall_time::Ratio;

/// How a scheduler chooses among periodic threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Service {
    /// The shortest period first.
    RateMonotonic,
    /// The shortest relative deadline first.
    DeadlineMonotonic,
    /// The largest priority number first.
    FixedPriority,
    /// The earliest deadline first.
    EarliestDeadline,
}

impl Service {
    /// How it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Service::RateMonotonic => "rate monotonic",
            Service::DeadlineMonotonic => "deadline monotonic",
            Service::FixedPriority => "fixed priorities",
            Service::EarliestDeadline => "earliest deadline first",
        }
    }

    fn of(scenario: &Scenario, scheduler: &Scheduler) -> Option<Service> {
        match ranks_by(scenario, scheduler) {
            RanksBy::Period => Some(Service::RateMonotonic),
            RanksBy::RelativeDeadline => Some(Service::DeadlineMonotonic),
            RanksBy::Priority => Some(Service::FixedPriority),
            RanksBy::Deadline => Some(Service::EarliestDeadline),
            RanksBy::Nothing => None,
        }
    }
}

/// A thread of an application.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its work, period and deadline.
    pub task: Task,
    /// Its priority at a scheduler by priorities; threads without one come last.
    pub priority: Option<i32>,
    /// Its critical sections; locks are numbered as in the application.
    pub sections: Vec<Section>,
}

/// A lock that threads of an application share.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SharedLock {
    /// Its name.
    pub name: String,
    /// The protocol, which determines the rank of a thread that holds it.
    pub protocol: Protocol,
}

impl Member {
    /// A thread of this name that needs this.
    #[must_use]
    pub fn new(name: impl Into<String>, task: Task) -> Member {
        Member { name: name.into(), task, priority: None, sections: Vec::new() }
    }

    /// The same, at a priority.
    #[must_use]
    pub const fn priority(mut self, priority: i32) -> Member {
        self.priority = Some(priority);
        self
    }
}

/// The threads directly below a scheduler.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Application {
    /// The scheduler's name.
    pub scheduler: String,
    /// How it serves them; `None` if its kind ranks by neither period, priority nor deadline.
    pub service: Option<Service>,
    /// The threads, in the order of the file.
    pub members: Vec<Member>,
    /// The scheduler's own requirements.
    pub guarantee: Option<Guarantee>,
    /// Whether it reports its deadlines to its parent: RESU counts between deadlines that are reported.
    pub reports_deadlines: bool,
    /// The locks that its members take.
    pub locks: Vec<SharedLock>,
}

impl Application {
    /// An application of these threads, served in this way, without a scenario.
    #[must_use]
    pub const fn new(service: Service, members: Vec<Member>) -> Application {
        Application {
            scheduler: String::new(),
            service: Some(service),
            members,
            guarantee: None,
            reports_deadlines: false,
            locks: Vec::new(),
        }
    }
}

impl Scenario {
    /// The schedulers with periodic threads directly below, by name: those whose kind ranks by period,
    /// priority or deadline, or with `any` all of them.
    #[must_use]
    pub fn applications(&self, any: bool) -> Vec<&str> {
        let periodic = |thread: &Thread| match &thread.run {
            Run::Jobs(jobs) => {
                !matches!(jobs.activation, Activation::After(_) | Activation::Instead)
            }
            _ => false,
        };
        let lawful = |scheduler: &&Scheduler| {
            (any || Service::of(self, scheduler).is_some())
                && self.threads_below(&scheduler.name).any(periodic)
        };
        self.schedulers.iter().filter(lawful).map(|scheduler| scheduler.name.as_str()).collect()
    }

    fn threads_below<'a>(&'a self, scheduler: &'a str) -> impl Iterator<Item = &'a Thread> {
        let parent = |thread: &Thread| {
            thread.parent.as_deref().or(self.default_scheduler()) == Some(scheduler)
        };
        self.threads.iter().filter(move |thread| parent(thread))
    }

    /// The threads directly below the scheduler of that name, as tasks.
    ///
    /// # Errors
    /// Why they are not tasks for an analysis.
    pub fn application(&self, name: &str) -> Result<Application, ApplicationError> {
        let Some(scheduler) = self.schedulers.iter().find(|scheduler| scheduler.name == name)
        else {
            return Err(ApplicationError::UnknownScheduler(name.to_owned()));
        };
        if scheduler.owns.len() > 1 {
            let (scheduler, count) = (name.to_owned(), scheduler.owns.len());
            return Err(ApplicationError::SeveralProcessors { scheduler, count });
        }
        if self.machine.speeds.iter().any(|speed| *speed != Ratio::ONE) {
            return Err(ApplicationError::Speed);
        }
        let beside = self
            .schedulers
            .iter()
            .find(|other| other.owns.iter().any(|own| own.parent.name() == Some(name)));
        if let Some(other) = beside {
            let (scheduler, beside) = (name.to_owned(), other.name.clone());
            return Err(ApplicationError::SchedulerBeside { scheduler, beside });
        }
        let numbers = LockNumbers::of(self);
        let mut members = Vec::new();
        for thread in self.threads_below(name) {
            let task = task(self, thread)?;
            let sections = self.sections(name, thread, &numbers)?;
            let priority = thread.requires.get(&PRIORITY).and_then(ParameterValue::integer);
            let priority = priority.and_then(|priority| i32::try_from(priority).ok());
            members.extend(thread.names().map(|name| Member {
                name,
                task,
                priority,
                sections: sections.clone(),
            }));
        }
        if members.is_empty() {
            return Err(ApplicationError::NoThreads(name.to_owned()));
        }
        let guarantee = scheduler.owns.first().and_then(|own| own.requires.guarantee);
        let service = Service::of(self, scheduler);
        let named = numbers.names.iter().zip(&numbers.protocols);
        let locks = named
            .map(|(name, protocol)| SharedLock { name: (*name).to_owned(), protocol: *protocol });
        let locks = locks.collect();
        let reports_deadlines = reports_deadlines(scheduler);
        let scheduler = name.to_owned();
        Ok(Application { scheduler, service, members, guarantee, reports_deadlines, locks })
    }

    /// The critical sections of a thread. None is of a lock that a thread elsewhere takes.
    fn sections(
        &self,
        scheduler: &str,
        thread: &Thread,
        numbers: &LockNumbers<'_>,
    ) -> Result<Vec<Section>, ApplicationError> {
        let name = || thread.name.clone();
        let sections = LockNumbers::sections(numbers, &thread.run, Ratio::ONE).map_err(|lock| {
            ApplicationError::EndlessSection { thread: name(), lock: lock.to_owned() }
        })?;
        let inside: Vec<&str> = self.threads_below(scheduler).map(|t| t.name.as_str()).collect();
        let elsewhere = self.threads.iter().filter(|other| !inside.contains(&other.name.as_str()));
        let takes = |lock: &&&str| thread.run.takes(lock);
        for lock in numbers.names.iter().filter(takes) {
            if let Some(other) = elsewhere.clone().find(|other| other.run.takes(lock)) {
                let (lock, other) = ((*lock).to_owned(), other.name.clone());
                return Err(ApplicationError::LockElsewhere { thread: name(), lock, other });
            }
        }
        Ok(sections)
    }
}

/// The work, period and deadline of a thread, from its program or from the rate given to it.
fn task(scenario: &Scenario, thread: &Thread) -> Result<Task, ApplicationError> {
    let name = || thread.name.clone();
    let told = thread.requires.rate();
    let own = match &thread.run {
        Run::Spin { .. } => return Err(ApplicationError::NeverStops(name())),
        Run::Jobs(jobs) => rate(jobs),
        Run::Phases { .. } if told.is_none() => {
            let timed = timed_worker(scenario, thread, Ratio::ONE).map(|worker| worker.task);
            timed.map(|task| Rate::new(task.work, task.period).deadline(task.deadline))
        }
        Run::Phases { .. }
        | Run::Recorded { .. }
        | Run::OfKind { .. }
        | Run::Profile(_)
        | Run::Unknown => None,
    };
    let rate = match (own, told) {
        (Some(own), Some(told)) if (own.period, own.deadline) != (told.period, told.deadline) => {
            return Err(ApplicationError::OtherRate(name()));
        }
        (Some(own), _) => own,
        (None, Some(told)) => told,
        (None, None) => return Err(ApplicationError::NotPeriodic(name())),
    };
    let Rate { work: Some(work), period, deadline, .. } = rate else {
        return Err(ApplicationError::WorkNotSaid(name()));
    };
    if work.is_zero() {
        return Err(ApplicationError::NoWork(name()));
    }
    Ok(Task::implicit(work, period).deadline(deadline))
}

/// The longest work, the shortest period, and the deadline; without one, the next release.
fn rate(jobs: &Jobs) -> Option<Rate> {
    let period = match jobs.activation {
        Activation::Periodic { period, .. } => period,
        Activation::Sporadic { least, .. } => least,
        Activation::After(_) | Activation::Instead => return None,
    };
    let deadline = jobs.deadline.unwrap_or(period);
    Some(Rate::new(jobs.work.most(), period).deadline(deadline))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Machine, Parent, Requirements};
    use windfall_schedulers::kinds;
    use windfall_schedulers::parameters::RATE;
    use windfall_time::Span;

    fn scenario(threads: Vec<Thread>) -> Scenario {
        let text = "schema = 2\nseed = 1\nlength = \"1s\"\n[schedulers.rm]\n\
                    scheduler = \"rate-monotonic\"\nparent = \"top\"\n[threads.a]\n\
                    parent = \"rm\"\nperiodic = \"1ms/10ms\"\n";
        let mut scenario = Scenario::parse("test.toml", text).unwrap();
        scenario.threads = threads;
        scenario
    }

    fn periodic(name: &str) -> Thread {
        let ms = Span::from_millis;
        Thread::new(name, "rm", Requirements::default(), Run::periodic(ms(1), ms(10)))
    }

    fn why(scenario: &Scenario) -> String {
        scenario.application("rm").unwrap_err().to_string()
    }

    #[test]
    fn accepts_periodic_and_counted_threads() {
        let many = Thread { count: Some(2), ..periodic("many") };
        let found = scenario(vec![periodic("a"), many]).application("rm").unwrap();
        let names: Vec<&str> = found.members.iter().map(|member| member.name.as_str()).collect();
        assert_eq!(names, ["a", "many-1", "many-2"]);
        assert_eq!(found.service, Some(Service::RateMonotonic));
        assert_eq!(found.guarantee, None);
    }

    #[test]
    fn refuses_each_thread_that_is_no_task_by_name() {
        let spin = Thread { run: Run::spin(), ..periodic("burner") };
        assert!(why(&scenario(vec![periodic("a"), spin])).contains("`burner` never stops"));
        let run = Run::steps(vec![crate::model::Step::Yield]);
        let steps = Thread { run, ..periodic("stepper") };
        assert!(why(&scenario(vec![steps.clone()])).contains("`stepper` is not periodic"));
        let ms = Span::from_millis;
        let rate = |work: Option<Span>| Rate::new(work, ms(10));
        let with = |rate| Requirements::default().with(&RATE, ParameterValue::Rate(rate));
        let told = |work| Thread { requires: with(rate(work)), ..steps.clone() };
        assert!(why(&scenario(vec![told(None)])).contains("how long it works"));
        assert!(scenario(vec![told(Some(ms(2)))]).application("rm").is_ok());
        assert!(why(&scenario(vec![told(Some(Span::ZERO))])).contains("`stepper` has no work"));
        let other = Rate::new(None, ms(11)).deadline(ms(10));
        let lies = Thread { requires: with(other), ..periodic("liar") };
        assert!(why(&scenario(vec![lies])).contains("another rate"));
    }

    #[test]
    fn refuses_company_that_has_no_period_and_machines_that_are_not_one_processor_of_speed_1() {
        let mut company = scenario(vec![periodic("a")]);
        company.schedulers.push(Scheduler::below(
            "rr",
            kinds::ROUND_ROBIN,
            "rm",
            Requirements::default(),
        ));
        assert!(why(&company).contains("`rr` below `rm` is a scheduler"));
        let mut slow = scenario(vec![periodic("a")]);
        slow.machine = Machine { speeds: vec![Ratio::new(1, 2).unwrap()], ..Machine::ideal(1) };
        assert!(why(&slow).contains("speed 1"));
        let mut wide = scenario(vec![periodic("a")]);
        wide.schedulers[0] = Scheduler::root("rm", kinds::EDF).processors(2);
        assert!(why(&wide).contains("2 virtual processors"));
        assert_eq!(wide.schedulers[0].owns[0].parent, Parent::Top);
        assert!(why(&scenario(Vec::new())).contains("no thread"));
        let nobody = wide.application("nobody").unwrap_err();
        assert!(nobody.to_string().contains("no scheduler is called"));
    }

    #[test]
    fn candidates_go_by_period_priority_or_deadline_unless_any_will_do() {
        let other = Thread { parent: Some("rr".to_owned()), ..periodic("b") };
        let mut both = scenario(vec![periodic("a"), other]);
        both.schedulers.push(Scheduler::root("rr", kinds::ROUND_ROBIN));
        both.schedulers.push(Scheduler::root("empty", kinds::EDF));
        assert_eq!(both.applications(false), ["rm"]);
        assert_eq!(both.applications(true), ["rm", "rr"]);
    }
}

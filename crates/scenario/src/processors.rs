//! Which processors of the machine the own virtual processors of a scheduler may be granted, and what it means there that a thread
//! is bound to some processors (decision 0021).
//!
//! Below the top an own virtual processor has one processor: the top gives each that comes the lowest free one. Below a scheduler
//! it may have each processor that this scheduler has.

use crate::diagnostic::Code;
use crate::model::{Change, Parent, Requirements, Scenario, Scheduler, Whom};
use crate::parameters::ParamError;
use std::collections::{BTreeMap, BTreeSet};
use windfall_hierarchy::{LEVELS, ProcessorSet};
use windfall_schedulers::parameters::{PROCESSORS, ParameterValue};

/// The processor of each own virtual processor at the top, by scheduler and number.
pub(crate) type AtTop = BTreeMap<(String, u16), u16>;

/// The processors of schedulers.
pub(crate) struct ProcessorMap<'a> {
    scenario: &'a Scenario,
    schedulers: BTreeMap<&'a str, &'a Scheduler>,
    at_top: AtTop,
}

/// Processors that an own virtual processor may have; `None` where that is not known beforehand.
type Reach = Option<BTreeSet<u16>>;

impl<'a> ProcessorMap<'a> {
    pub(crate) fn of(scenario: &'a Scenario) -> ProcessorMap<'a> {
        let schedulers = scenario.all_schedulers().map(|one| (one.name.as_str(), one)).collect();
        ProcessorMap { scenario, schedulers, at_top: scenario.processors_at_top() }
    }

    /// The own virtual processors of the scheduler of that name by which a thread is kept on these processors of the machine;
    /// `None` if it is without more.
    ///
    /// # Errors
    /// Why it cannot be.
    pub(crate) fn bind(
        &self,
        wanted: ProcessorSet,
        parent: &str,
    ) -> Result<Option<ProcessorSet>, ParamError> {
        let count = self.scenario.machine.speeds.len();
        if let Some(number) = wanted.iter().find(|number| usize::from(*number) >= count) {
            let message = format!("the machine has no processor {number}");
            let help = format!("write 0 to {}", count.saturating_sub(1));
            return Err((Code::UnknownProcessor, PROCESSORS.key, message, help));
        }
        let Some(scheduler) = self.schedulers.get(parent) else { return Ok(None) };
        let not_kept = |(message, help)| (Code::BindingNotKept, PROCESSORS.key, message, help);
        self.own_vps(wanted, scheduler).map_err(not_kept)
    }

    fn own_vps(
        &self,
        wanted: ProcessorSet,
        scheduler: &Scheduler,
    ) -> Result<Option<ProcessorSet>, (String, String)> {
        let kind = self.scenario.kind_of(scheduler);
        let takes = kind.is_some_and(|kind| kind.takes(&PROCESSORS));
        let owns = scheduler.owns.len();
        let inside = match self.is_all(wanted) {
            true => (0..=u16::MAX).take(owns).collect(),
            false => self.inside(wanted, scheduler)?,
        };
        let is_needed = inside.len() < owns;
        match ProcessorSet::of(inside) {
            Ok(own_vps) if takes => Ok(Some(own_vps)),
            _ if !is_needed => Ok(None),
            Ok(_) => {
                let (name, kind) = (&scheduler.name, kind.map_or("scheduler", |kind| kind.name));
                let message = format!(
                    "`{name}` is a `{kind}`, which keeps no child on some of its processors"
                );
                let kinds = self.scenario.kinds_with(|kind| kind.takes(&PROCESSORS));
                let help = format!(
                    "put the thread below a scheduler of its own that has no others, or below one of: {kinds}"
                );
                Err((message, help))
            }
            Err(_) => {
                let message = format!("`{}` has {owns} virtual processors", scheduler.name);
                let most = ProcessorSet::ROOM;
                let help = format!("children are bound below schedulers that have at most {most}");
                Err((message, help))
            }
        }
    }

    /// The numbers of the own virtual processors that have these processors alone, if each of the others has none of them.
    fn inside(
        &self,
        wanted: ProcessorSet,
        scheduler: &Scheduler,
    ) -> Result<Vec<u16>, (String, String)> {
        let name = &scheduler.name;
        let (mut inside, mut all) = (Vec::new(), BTreeSet::new());
        for (number, _) in (0..=u16::MAX).zip(&scheduler.owns) {
            let Some(reach) = self.reach(scheduler, number, LEVELS) else {
                let message =
                    format!("which processors `{name}` will have is not known beforehand");
                let help = "ask for it by `windfall ctl` when it is there, or name all processors";
                return Err((message, help.to_owned()));
            };
            let within = reach.iter().filter(|processor| wanted.contains(**processor)).count();
            if (1..reach.len()).contains(&within) {
                let of = list(&reach);
                let message = format!(
                    "virtual processor {number} of `{name}` has now one and now another of processors {of}"
                );
                let help = format!(
                    "give `{name}` parents that have one processor each, or put the thread where the processors are shared out"
                );
                return Err((message, help));
            }
            inside.extend((within > 0).then_some(number));
            all.extend(reach);
        }
        if inside.is_empty() {
            let has = list(&all);
            let message = format!("`{name}` has processors {has}, none of those that are named");
            let help =
                "name some of these, or put the thread below a scheduler that has the others";
            return Err((message, help.to_owned()));
        }
        Ok(inside)
    }

    /// Whether these are all processors of the machine.
    fn is_all(&self, wanted: ProcessorSet) -> bool {
        (0..self.scenario.machine.speeds.len())
            .all(|number| u16::try_from(number).is_ok_and(|number| wanted.contains(number)))
    }

    /// Whether a child with these requirements is bound to some of the scheduler's own virtual processors.
    pub(crate) fn is_bound(&self, requires: &Requirements, parent: &str) -> bool {
        let Some(wanted) = requires.get(&PROCESSORS).and_then(ParameterValue::processors) else {
            return false;
        };
        let owns = self.schedulers.get(parent).map_or(0, |scheduler| scheduler.owns.len());
        match self.bind(wanted, parent) {
            Ok(None) => false,
            Ok(Some(own_vps)) => own_vps.iter().count() < owns,
            Err(_) => true,
        }
    }

    fn reach(&self, scheduler: &Scheduler, number: u16, farthest: usize) -> Reach {
        match &scheduler.owns.get(usize::from(number))?.parent {
            Parent::Nowhere => Some(BTreeSet::new()),
            Parent::Top => {
                let processor = self.at_top.get(&(scheduler.name.clone(), number))?;
                Some(BTreeSet::from([*processor]))
            }
            Parent::Scheduler(parent) => {
                let parent = self.schedulers.get(parent.as_str())?;
                let farthest = farthest.checked_sub(1)?;
                let numbers = (0..=u16::MAX).zip(&parent.owns);
                let each = numbers.map(|(number, _)| self.reach(parent, number, farthest));
                each.collect::<Option<Vec<_>>>().map(|each| each.into_iter().flatten().collect())
            }
        }
    }

    /// Whether a scheduler has processor time from one processor alone.
    pub(crate) fn is_on_one(&self, name: &str) -> bool {
        self.processors_of(name).is_some_and(|all| all.len() == 1)
    }

    /// The processors from which the scheduler of that name has processor time; `None` where that is not known beforehand.
    pub(crate) fn processors_of(&self, name: &str) -> Reach {
        let scheduler = self.schedulers.get(name)?;
        let numbers = (0..=u16::MAX).zip(&scheduler.owns);
        let each = numbers.map(|(number, _)| self.reach(scheduler, number, LEVELS));
        each.collect::<Option<Vec<_>>>().map(|each| each.into_iter().flatten().collect())
    }

    /// A thread that is, or will be, bound to some processors at or below the scheduler of that name.
    pub(crate) fn bound_at_or_below(&self, name: &str) -> Option<&'a str> {
        let scenario = self.scenario;
        let narrow = |value: Option<ParameterValue>| {
            value.and_then(ParameterValue::processors).is_some_and(|set| !self.is_all(set))
        };
        let below = |parent: Option<&str>| {
            parent.is_some_and(|parent| self.is_at_or_below(parent, name, LEVELS))
        };
        let of_file = scenario.threads.iter().find(|thread| {
            narrow(thread.requires.get(&PROCESSORS))
                && below(thread.parent.as_deref().or_else(|| scenario.default_scheduler()))
        });
        let requested = scenario.changes().find_map(|change| match change {
            Change::Move { thread, to, requires }
                if narrow(requires.get(&PROCESSORS)) && below(Some(to)) =>
            {
                Some(thread.as_str())
            }
            Change::Set(whom @ Whom::Thread(thread), parameter, value)
                if **parameter == PROCESSORS
                    && narrow(Some(*value))
                    && below(scenario.parent_of_whom(whom)) =>
            {
                Some(thread.as_str())
            }
            _ => None,
        });
        of_file.map(|thread| thread.name.as_str()).or(requested)
    }

    fn is_at_or_below(&self, scheduler: &str, name: &str, farthest: usize) -> bool {
        let Some(rest) = farthest.checked_sub(1) else { return false };
        let Some(found) = self.schedulers.get(scheduler) else { return false };
        let mut parents = found.owns.iter().filter_map(|own| own.parent.name());
        scheduler == name || parents.any(|parent| self.is_at_or_below(parent, name, rest))
    }
}

fn list(processors: &BTreeSet<u16>) -> String {
    let numbers: Vec<String> = processors.iter().map(ToString::to_string).collect();
    numbers.join(", ")
}

impl Scenario {
    /// The processors of own virtual processors at the top: of a file, in the order in which its schedulers are created (parents
    /// first, then as they are written); of a run that is under way, as it says.
    pub(crate) fn processors_at_top(&self) -> AtTop {
        if self.under_way {
            return self.at_top.clone();
        }
        let mut at_top = AtTop::new();
        for scheduler in self.with_processors_at_top() {
            for (number, own) in (0..=u16::MAX).zip(&scheduler.owns) {
                let next = u16::try_from(at_top.len());
                if let (Parent::Top, Ok(next)) = (&own.parent, next) {
                    at_top.insert((scheduler.name.clone(), number), next);
                }
            }
        }
        at_top
    }

    /// The schedulers with own virtual processors at the top, in the order in which they are created.
    fn with_processors_at_top(&self) -> Vec<&Scheduler> {
        let is_at_top =
            |scheduler: &&Scheduler| scheduler.owns.iter().any(|own| own.parent == Parent::Top);
        let (mut all, mut built) = (Vec::new(), BTreeSet::new());
        let mut waiting: Vec<&Scheduler> = self.schedulers.iter().collect();
        if waiting.iter().copied().filter(is_at_top).count() < 2 {
            waiting.retain(is_at_top);
            return waiting;
        }
        while !waiting.is_empty() {
            let ready = |scheduler: &&Scheduler| {
                let mut parents = scheduler.owns.iter().filter_map(|own| own.parent.name());
                parents.all(|name| built.contains(name))
            };
            let (now, later): (Vec<_>, Vec<_>) = waiting.into_iter().partition(ready);
            if now.is_empty() {
                break;
            }
            built.extend(now.iter().map(|scheduler| scheduler.name.as_str()));
            all.extend(now.into_iter().filter(is_at_top));
            waiting = later;
        }
        all
    }
}

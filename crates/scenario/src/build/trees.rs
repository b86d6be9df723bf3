//! The hierarchy: schedulers in an order in which every parent comes first.

use super::{Builder, what_fits};
use crate::check::{parent_paths, requirement_paths};
use crate::diagnostic::Code;
use crate::model::{Attachment, Parent, Scenario, Scheduler, Setting};
use crate::source::Path;
use std::collections::{BTreeMap, BTreeSet};
use windfall_guarantees::{Conversion, Guarantee};
use windfall_hierarchy::{Hierarchy, Message, NodeId, NodeSpec, OwnVp, Target};
use windfall_schedulers::catalogue::{Kind, RanksBy, Settings, Value};
use windfall_schedulers::parameters::supply;
use windfall_time::Instant;

/// The instances by name, in the order of the file.
pub(crate) type Nodes<'a> = Vec<(&'a str, NodeId)>;

/// A kind and an instance of it.
pub(super) type Instance = (&'static str, Box<dyn windfall_hierarchy::Scheduler>);

impl<'a> Builder<'a> {
    /// Every scheduler of the scenario, none of its threads.
    pub(super) fn tree(&mut self) -> (Hierarchy, Nodes<'a>) {
        let scenario = self.scenario;
        let processors = u16::try_from(scenario.machine.speeds.len())
            .expect("a scenario that was checked has at most 1,024 processors");
        let mut hierarchy = Hierarchy::new(processors);
        let mut built: BTreeMap<&str, NodeId> = BTreeMap::new();
        let mut waiting: Vec<&Scheduler> = scenario.schedulers.iter().collect();
        while !waiting.is_empty() {
            let ready = |scheduler: &&Scheduler| {
                scheduler.owns.iter().all(|own| match &own.parent {
                    Parent::Top | Parent::Nowhere => true,
                    Parent::Scheduler(name) => built.contains_key(name.as_str()),
                })
            };
            let (now, later): (Vec<_>, Vec<_>) = waiting.into_iter().partition(ready);
            for scheduler in &now {
                match self.create(&mut hierarchy, scheduler, &built) {
                    Some(node) => built.insert(&scheduler.name, node),
                    None => return (hierarchy, Vec::new()),
                };
            }
            // A cycle, which the checks have reported.
            if now.is_empty() {
                break;
            }
            waiting = later;
        }
        let default = scenario.default_scheduler().and_then(|name| built.get(name));
        if let Some(default) = default
            && let Err(refusal) = hierarchy.set_default(Instant::ZERO, *default)
        {
            self.wrong(
                Code::NotAdmitted,
                &[Path::of(&["default"])],
                format!("refused: {refusal}"),
                None,
            );
        }
        let names = scenario.schedulers.iter().map(|scheduler| scheduler.name.as_str());
        let nodes = names.filter_map(|name| Some((name, *built.get(name)?))).collect();
        (hierarchy, nodes)
    }

    fn create(
        &mut self,
        hierarchy: &mut Hierarchy,
        scheduler: &Scheduler,
        built: &BTreeMap<&str, NodeId>,
    ) -> Option<NodeId> {
        let path = Path::of(&["schedulers", &scheduler.name]);
        let (kind, instance) = self.instance(scheduler, &path)?;
        let owns: Vec<(windfall_hierarchy::Parent, &[Message])> = scheduler
            .owns
            .iter()
            .filter_map(|own| {
                let node = |name: &String| built.get(name.as_str()).copied();
                let parent = match &own.parent {
                    Parent::Top => windfall_hierarchy::Parent::Top,
                    Parent::Nowhere => return None,
                    Parent::Scheduler(name) => windfall_hierarchy::Parent::Node(node(name)?),
                };
                Some((parent, &[] as &[Message]))
            })
            .collect();
        let spec = NodeSpec::new(&scheduler.name, kind, instance, &owns);
        let node = match hierarchy.create(Instant::ZERO, spec) {
            Ok(node) => node,
            Err(refusal) => {
                // The refusal does not name the parent; usually it is one that takes a single child.
                let single = |own: &Attachment| {
                    let parent =
                        own.parent.name().and_then(|name| self.scenario.scheduler_named(name));
                    let kind = parent.and_then(|parent| self.scenario.kind_of(parent));
                    kind.is_some_and(|kind| kind.properties.one_child)
                };
                let at = scheduler.owns.iter().position(single).unwrap_or(0);
                let parent = scheduler.owns.get(at).map_or("top", parent_name);
                let message = format!("{parent}: refused `{}`: {refusal}", scheduler.name);
                self.wrong(Code::NotAdmitted, &parent_paths(&path, at), message, None);
                return None;
            }
        };
        for (number, own) in (0..=u16::MAX).zip(&scheduler.owns) {
            let Ok(messages) = self.writer.messages(&own.requires, own.parent.name()) else {
                continue;
            };
            for (key, message) in messages {
                let answer =
                    hierarchy.send_for(Instant::ZERO, Target::Node(node), OwnVp(number), message);
                if let Err(refusal) = answer {
                    let parent = parent_name(own);
                    let text = format!("{parent}: refused `{}`: {refusal}", scheduler.name);
                    self.wrong(
                        Code::NotAdmitted,
                        &requirement_paths(&path, usize::from(number), key),
                        text,
                        what_fits(key),
                    );
                }
            }
        }
        Some(node)
    }

    /// Tells each scheduler that admits jobs the supply that it holds: its requested guarantee, unless that was refused.
    pub(super) fn supplies(
        &mut self,
        hierarchy: &mut Hierarchy,
        nodes: &Nodes<'_>,
        refused: &BTreeSet<(&str, Option<u16>)>,
    ) {
        for scheduler in &self.scenario.schedulers {
            let node = nodes.iter().find(|(name, _)| *name == scheduler.name);
            let (true, Some((_, node))) = (self.scenario.admits(scheduler), node) else { continue };
            let held = scheduler.owns.first().and_then(Attachment::held);
            let held = held.filter(|_| !refused.contains(&(&scheduler.name, Some(0))));
            let held = held.unwrap_or(Guarantee::Null);
            if let Err(refusal) = hierarchy.configure(Instant::ZERO, *node, supply(&held)) {
                let path = Path::of(&["schedulers", &scheduler.name]);
                let text = format!("`{}` refuses {held}: {refusal}", scheduler.name);
                self.wrong(Code::NotAdmitted, &[path], text, None);
            }
        }
    }

    /// An instance with the scheduler's settings.
    pub(super) fn instance(&mut self, scheduler: &Scheduler, path: &Path) -> Option<Instance> {
        let kind = self.scenario.kind_of(scheduler)?;
        let values = values(scheduler);
        match kind.build(&Settings(&values)) {
            Ok(instance) => Some((kind.name, instance)),
            Err(bad) => {
                let at = if bad.value.is_some() { path.key(&bad.name) } else { path.clone() };
                self.wrong(Code::InvalidSetting, &[at], format!("{}: {bad}", scheduler.name), None);
                None
            }
        }
    }
}

/// Its settings as written.
fn values(scheduler: &Scheduler) -> Vec<(&str, Value<'_>)> {
    Setting::values(&scheduler.settings)
}

/// The quantity that an instance ranks its children by.
pub(crate) fn ranks_by(scenario: &Scenario, scheduler: &Scheduler) -> RanksBy {
    let ranks_by = |kind: &Kind| kind.ranks_by(&Settings(&values(scheduler))).ok();
    scenario.kind_of(scheduler).and_then(ranks_by).unwrap_or(RanksBy::Nothing)
}

/// Whether the rank of a child may change at an instance while the child works.
pub(crate) fn lends_ranks(scenario: &Scenario, scheduler: &Scheduler) -> bool {
    let lends = |kind: &Kind| kind.lends_ranks(&Settings(&values(scheduler))).ok();
    scenario.kind_of(scheduler).and_then(lends).unwrap_or(false)
}

/// The conversion of an instance on the scenario's machine, if its kind and its settings are right.
pub(crate) fn conversion(
    scenario: &Scenario,
    scheduler: &Scheduler,
) -> Option<Box<dyn Conversion>> {
    let kind = scenario.kind_of(scheduler)?;
    let conversion = kind.conversion(&Settings(&values(scheduler))).ok()?;
    Some(super::ticks::on(scenario.machine.timer, conversion))
}

fn parent_name(own: &Attachment) -> &str {
    match &own.parent {
        Parent::Top => "top",
        Parent::Scheduler(name) => name,
        Parent::Nowhere => "nowhere",
    }
}

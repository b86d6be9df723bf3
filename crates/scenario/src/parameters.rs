//! Requirements at a parent, as the messages that its kind understands.
//!
//! The messages by which a child gets a guarantee depend on the parent: its conversion defines them (HLS table 5.1). The checker
//! decides in `promises.rs` whether the guarantee is granted, from the parameters that `parameters/counted.rs` derives from the
//! same keys: a guarantee passes from the file to the checker without these messages.

mod counted;
mod untaken;
mod weights;

pub(crate) use untaken::{ParamError, taken};

use crate::Guarantee;
use crate::build::conversion;
use crate::diagnostic::Code;
use crate::file::wanted;
use crate::model::{Activation, Change, Jobs, Requirements, Run, Scenario, Scheduler};
use crate::processors::ProcessorMap;
use std::collections::{BTreeMap, BTreeSet};
use weights::{FINEST, PROCESSOR, Weights};
use windfall_guarantees::{ChildParam, Conversion};
use windfall_hierarchy::Message;
use windfall_schedulers::catalogue::Kind;
use windfall_schedulers::parameters::{
    ALL, Parameter, ParameterValue, RATE, Rate, SHARE, WARP, block,
};
use windfall_time::{Instant, Ratio, Span};

/// The cost of a guarantee at a parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Needed {
    Reserve { amount: Span, period: Span },
    Block { amount: Span, period: Span, at: Option<Instant> },
    Weight(u32),
}

impl Needed {
    const fn message(self) -> Message {
        match self {
            Needed::Reserve { amount, period } => Message::Reserve { amount, period },
            Needed::Block { amount, period, at: Some(at) } => block(amount, period, at),
            Needed::Block { amount, period, at: None } => Message::Reserve { amount, period },
            Needed::Weight(weight) => Message::Share(weight),
        }
    }
}

/// Writes messages for every scheduler of a scenario.
pub(crate) struct ParameterWriter<'a> {
    weights: Weights,
    /// The schedulers that receive guarantees as weights.
    guaranteed: BTreeSet<String>,
    /// By name: the kind, and the conversion of an instance with those settings.
    conversions: BTreeMap<&'a str, (&'static Kind, Box<dyn Conversion>)>,
    processors: ProcessorMap<'a>,
}

impl<'a> ParameterWriter<'a> {
    /// Schedulers whose settings are wrong are left out: another check reports them.
    pub(crate) fn of(scenario: &'a Scenario) -> ParameterWriter<'a> {
        let known = |scheduler: &'a Scheduler| {
            let conversion = conversion(scenario, scheduler)?;
            Some((scheduler.name.as_str(), (scenario.kind_of(scheduler)?, conversion)))
        };
        let conversions: BTreeMap<_, _> = scenario.all_schedulers().filter_map(known).collect();
        let told = |(requires, parent): (&Requirements, Option<&'a str>)| {
            let (_, conversion): &(&Kind, Box<dyn Conversion>) = conversions.get(parent?)?;
            match conversion.parameter_for(&requires.guarantee?) {
                Ok(ChildParam::Share(share)) => {
                    Some((share, requires.reports_deadlines_itself(), parent?))
                }
                _ => None,
            }
        };
        let told: Vec<_> = scenario.all_requirements().into_iter().filter_map(told).collect();
        let weights = Weights::of(told.iter().map(|(share, ..)| *share));
        let beside = told.iter().filter(|(share, outright, _)| !share.is_zero() && !outright);
        let guaranteed = beside.map(|(.., parent)| (*parent).to_owned()).collect();
        let processors = ProcessorMap::of(scenario);
        ParameterWriter { weights, guaranteed, conversions, processors }
    }

    /// Weights keep the meaning that they have there, whatever is required here.
    pub(crate) fn weighing_as(mut self, other: &ParameterWriter<'_>) -> ParameterWriter<'a> {
        self.weights = other.weights;
        self.guaranteed.clone_from(&other.guaranteed);
        self
    }

    /// The weight of a share of a whole processor.
    pub(crate) fn scale(&self) -> Ratio {
        Ratio::whole(self.weights.whole())
    }

    /// The messages for a child of the scheduler of that name; `None` is the top.
    pub(crate) fn messages(
        &self,
        requires: &Requirements,
        parent: Option<&str>,
    ) -> Result<Vec<(&'static str, Message)>, ParamError> {
        let mut messages = Vec::new();
        if let Some(guarantee) = requires.guarantee
            && let Some(needed) = self.guaranteed(guarantee, parent, requires)?
        {
            messages.push(("guarantee", needed.message()));
        }
        self.all_taken(requires, parent)?;
        for parameter in ALL.iter().copied() {
            if let Some(value) = requires.get(parameter) {
                let message = self.message(parameter, value, parent)?;
                messages.extend(message.map(|message| (parameter.key, message)));
            } else if *parameter == SHARE
                && !messages.iter().any(|(_, message)| matches!(message, Message::Share(_)))
            {
                let one = self.share(1, parent)?;
                if one > 1 {
                    messages.push((SHARE.key, Message::Share(one)));
                }
            }
        }
        match (parent, messages.iter().find(|(key, _)| *key != "guarantee")) {
            (None, Some((key, _))) => {
                let help = "leave it out, or put a scheduler between".to_owned();
                Err((Code::TopParameter, *key, "the top takes no parameters".to_owned(), help))
            }
            _ => Ok(messages),
        }
    }

    /// The kind of the scheduler of that name; `None` of the top, and where another check reports its settings.
    pub(crate) fn kind(&self, parent: Option<&str>) -> Option<&'static Kind> {
        self.conversions.get(parent?).map(|(kind, _)| *kind)
    }

    /// Whether children of the scheduler of that name may have all that is required.
    fn all_taken(&self, requires: &Requirements, parent: Option<&str>) -> Result<(), ParamError> {
        let Some(kind) = self.kind(parent) else { return Ok(()) };
        let mut written = ALL.iter().filter(|parameter| requires.get(parameter).is_some());
        written.try_for_each(|parameter| taken(kind, parameter))
    }

    /// The message with a value of a parameter for the scheduler of that name. `None` if the value holds there without a
    /// message.
    pub(crate) fn message(
        &self,
        parameter: &'static Parameter,
        value: ParameterValue,
        parent: Option<&str>,
    ) -> Result<Option<Message>, ParamError> {
        let Some(value) = self.adapted(parameter, value, parent)? else { return Ok(None) };
        parameter.message(value).map(Some).ok_or_else(|| out_of_range(parameter))
    }

    /// The value of a parameter as the scheduler of that name has it: shares and warps in its own weights, processors as its own
    /// virtual processors. `None` if the value holds there anyway.
    fn adapted(
        &self,
        parameter: &'static Parameter,
        value: ParameterValue,
        parent: Option<&str>,
    ) -> Result<Option<ParameterValue>, ParamError> {
        let value = match value {
            ParameterValue::Integer(share) if *parameter == SHARE => {
                ParameterValue::Integer(self.share(share, parent)?.into())
            }
            ParameterValue::Span(warp) if *parameter == WARP => {
                ParameterValue::Span(self.warp(warp, parent)?)
            }
            ParameterValue::Processors(wanted) => {
                let bound = match parent {
                    Some(parent) => self.processors.bind(wanted, parent)?,
                    None => None,
                };
                let Some(own_vps) = bound else { return Ok(None) };
                ParameterValue::Processors(own_vps)
            }
            value => value,
        };
        Ok(Some(value))
    }

    /// The processors of schedulers.
    pub(crate) const fn processors(&self) -> &ProcessorMap<'a> {
        &self.processors
    }

    /// By kind: the weight that a share of 1 is there.
    pub(crate) fn shares(&self) -> BTreeMap<String, u32> {
        let weight = |(name, (kind, _)): (&&str, &(&Kind, _))| {
            Some((kind.name.to_owned(), self.share(1, Some(name)).ok()?))
        };
        self.conversions.iter().filter_map(weight).collect()
    }

    /// A weight in the parent's scale: a multiple if the parent has weights from shares as well.
    pub(crate) fn share(&self, share: i64, parent: Option<&str>) -> Result<u32, ParamError> {
        let share = u32::try_from(share).map_err(|_| out_of_range(&SHARE))?;
        let weighs = parent.and_then(|parent| self.conversions.get(parent)).is_some_and(
            |(_, conversion)| {
                matches!(
                    conversion.parameter_for(&Guarantee::Share(Ratio::ONE)),
                    Ok(ChildParam::Share(_))
                )
            },
        );
        if !weighs {
            return Ok(share);
        }
        self.weights.multiple(share).ok_or_else(|| {
            let what = format!("the share {share} is too large beside guaranteed shares");
            (Code::InexactWeight, "share", what, "use smaller shares".to_owned())
        })
    }

    /// A warp in the virtual time of its parent: written as the processor time of a child of weight 1; if weights are
    /// beside guarantees, as that of one with a whole processor.
    pub(crate) fn warp(&self, warp: Span, parent: Option<&str>) -> Result<Span, ParamError> {
        let guaranteed = parent.is_some_and(|parent| self.guaranteed.contains(parent));
        let scale = u64::from(self.share(1, parent)?);
        let scale = if guaranteed { scale.saturating_mul(PROCESSOR) } else { scale };
        let virtually = Span::from_nanos(warp.as_nanos() / scale.max(1));
        if virtually.is_zero() && !warp.is_zero() {
            let what = format!("a warp of {warp} is too short beside guaranteed shares");
            let least = Span::from_nanos(scale);
            let help = format!("use {least} or more, or rounder shares");
            return Err((Code::InexactWeight, "warp", what, help));
        }
        Ok(virtually)
    }

    /// The messages that request a guarantee, unless parameters contain them already.
    fn guaranteed(
        &self,
        guarantee: Guarantee,
        parent: Option<&str>,
        requires: &Requirements,
    ) -> Result<Option<Needed>, ParamError> {
        let refuse = |what: &str, help: &str| {
            let message = format!("{what} does not give `{guarantee}`");
            Err((Code::GuaranteeNotGiven, "guarantee", message, help.to_owned()))
        };
        let Some(parent) = parent else {
            return match guarantee {
                Guarantee::All => Ok(None),
                _ => refuse("the top", "it gives `ALL`: a processor to each virtual processor"),
            };
        };
        let Some((kind, conversion)) = self.conversions.get(parent) else { return Ok(None) };
        let told = requires.reports_deadlines_itself();
        match conversion.parameter_for(&guarantee) {
            _ if told => Ok(None),
            Ok(ChildParam::Nothing) => Ok(None),
            Ok(ChildParam::Reserve { amount, period }) => {
                Ok(Some(Needed::Reserve { amount, period }))
            }
            Ok(ChildParam::Block { amount, period, at }) => {
                Ok(Some(Needed::Block { amount, period, at }))
            }
            Ok(ChildParam::Share(share)) => match self.weights.weight(share) {
                Some(weight) => Ok(Some(Needed::Weight(weight))),
                None => Err((
                    Code::InexactWeight,
                    "guarantee",
                    format!("the share {share} is too fine to become a whole weight"),
                    format!(
                        "use shares that are whole thousandths, or have a common denominator of at \
                         most {FINEST}; or `share`"
                    ),
                )),
            },
            Err(gives) => refuse(&format!("`{kind}`"), gives),
        }
    }
}

/// A value that is not allowed for a parameter.
pub(crate) fn out_of_range(parameter: &Parameter) -> ParamError {
    let what = format!("`{}` is out of range", parameter.key);
    (Code::OutOfRange, parameter.key, what, format!("write {}", wanted(parameter.form)))
}

/// The rate of a thread's own program, for a scheduler above it that takes rates, unless the file contains it.
pub(crate) fn rate(
    scenario: &Scenario,
    run: &Run,
    requires: &Requirements,
    parent: &str,
) -> Option<Rate> {
    let Run::Jobs(Jobs { activation, work, deadline, .. }) = run else {
        return None;
    };
    if requires.rate().is_some() || !scenario.has_use_for_rates(parent, FARTHEST) {
        return None;
    }
    let period = match activation {
        Activation::Periodic { period, .. } => *period,
        Activation::Sporadic { least, .. } => *least,
        Activation::After(_) | Activation::Instead => return None,
    };
    let deadline = deadline.unwrap_or(period);
    Some(Rate::new(work.most(), period).deadline(deadline))
}

/// A rate is passed on through at most this many schedulers: a scenario with a cycle is
/// refused elsewhere.
const FARTHEST: usize = 64;

impl Scenario {
    /// Whether the scheduler of that name, or one that it passes rates on to, takes rates.
    fn has_use_for_rates(&self, name: &str, farthest: usize) -> bool {
        let Some(scheduler) = self.scheduler_named(name) else { return false };
        let Some(kind) = self.kind_of(scheduler) else { return false };
        let mut parents = scheduler.owns.iter().filter_map(|own| own.parent.name());
        kind.takes(&RATE)
            || kind.properties.passes_on
                && farthest > 0
                && parents.any(|name| self.has_use_for_rates(name, farthest - 1))
    }

    /// The scheduler of that name, including those that requests create.
    pub(crate) fn scheduler_named(&self, name: &str) -> Option<&Scheduler> {
        self.all_schedulers().find(|scheduler| scheduler.name == name)
    }

    /// Whether there is a scheduler of that name, and its kind is written.
    pub(crate) fn has_kind(&self, name: &str) -> bool {
        self.scheduler_named(name).is_some_and(|scheduler| !scheduler.kind.is_empty())
    }

    /// The schedulers, including those that requests create.
    pub(crate) fn all_schedulers(&self) -> impl Iterator<Item = &Scheduler> {
        let created = self.changes().filter_map(|change| match change {
            Change::Create(scheduler) => Some(scheduler),
            _ => None,
        });
        self.schedulers.iter().chain(created)
    }

    /// All requirements, with their parents; `None` is the top.
    fn all_requirements(&self) -> Vec<(&Requirements, Option<&str>)> {
        let owns = self.all_schedulers().flat_map(|scheduler| &scheduler.owns);
        let owns = owns.map(|own| (&own.requires, own.parent.name()));
        let default = self.default_scheduler();
        let threads = self.threads.iter();
        let threads =
            threads.map(|thread| (&thread.requires, thread.parent.as_deref().or(default)));
        let moves = self.changes().filter_map(|change| match change {
            Change::Move { requires, to, .. } => Some((requires, Some(to.as_str()))),
            Change::MoveScheduler { requires, to, .. } | Change::AddParent { requires, to, .. } => {
                Some((requires, to.name()))
            }
            _ => None,
        });
        owns.chain(threads).chain(moves).collect()
    }

    /// The scheduler of threads that name none.
    pub(crate) fn default_scheduler(&self) -> Option<&str> {
        let first = self.schedulers.first().map(|scheduler| scheduler.name.as_str());
        self.default.as_deref().or(first)
    }
}

#[cfg(test)]
mod tests;

//! `[machine]` and `[[interrupts]]`.

use super::lax::{Lax, Raw};
use super::scalar::{Cap, Frequency, Kib, Range};
use crate::model::{Claim, StationCall};
use core::fmt;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use windfall_time::{Instant, Ratio, Span};
use windfall_trace::OverheadKind;

/// The machine.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Machine"))]
pub(crate) struct MachineFile {
    /// The number of processors, or a list of them; one of speed 1 when absent.
    pub(crate) processors: Option<Processors>,
    /// The resolution of timers: `precise`, or a frequency.
    pub(crate) timer: Option<Lax<Frequency>>,
    /// The costs of switching and deciding.
    pub(crate) costs: Option<CostsFile>,
    /// The cost of refilling the cache after a switch.
    pub(crate) cache: Option<CacheFile>,
    /// The processors of a real machine to run on; the host chooses when absent.
    pub(crate) cpus: Option<Vec<Lax<u16>>>,
    /// The most of each processor's time that threads get on a real machine; `95%cpu` when absent.
    pub(crate) cap: Option<Lax<Cap>>,
    /// Whether a run on a real machine moves other threads, interrupts and workqueues off its processors until it ends:
    /// `processors` (when absent) or `none`.
    pub(crate) claim: Option<Lax<Claim>>,
    /// Stations of the simulated machine by name: hardware that serves one processor at a time.
    pub(crate) stations: Option<BTreeMap<String, StationFile>>,
}

/// One server, first come first served; a processor that visits it stands still until it has been served. Real machines have no stations.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Station"))]
pub(crate) struct StationFile {
    /// The time to serve a visit.
    pub(crate) service: Option<Lax<Span>>,
    /// Calls that visit it, each after its own cost; none when absent. Steps visit it by its name.
    pub(crate) calls: Option<Vec<Lax<StationCall>>>,
}

/// The costs of switching and deciding.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Costs"))]
pub(crate) struct CostsFile {
    /// Each switch to a thread.
    pub(crate) switch: Option<Lax<Span>>,
    /// Each switch to a thread that last ran on another processor, beside the switch.
    pub(crate) migration: Option<Lax<Span>>,
    /// Each event reported to the hierarchy.
    pub(crate) decision: Option<Lax<Span>>,
    /// Each notification that a scheduler receives because of it.
    pub(crate) notification: Option<Lax<Span>>,
    /// Each timer of a scheduler that goes off, beside the decision.
    pub(crate) timer: Option<Lax<Span>>,
}

/// The cache of a processor.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Cache"))]
pub(crate) struct CacheFile {
    /// Its size.
    pub(crate) size: Option<Lax<Kib>>,
    /// Time to refill each KB of a thread's working set.
    pub(crate) refill: Option<Lax<Span>>,
}

/// One processor.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Processor"))]
pub(crate) struct SpeedFile {
    /// Its speed; 1 when absent.
    pub(crate) speed: Option<Lax<Ratio>>,
}

/// How many processors, or a list of them.
#[derive(Clone, Debug)]
pub(crate) enum Processors {
    Count(Lax<u16>),
    List(Vec<SpeedFile>),
}

struct ProcessorsVisitor;

impl<'de> Visitor<'de> for ProcessorsVisitor {
    type Value = Processors;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("how many, or a list, as `[{ speed = \"1\" }, { speed = \"1/2\" }]`")
    }

    fn visit_i64<E: Error>(self, n: i64) -> Result<Processors, E> {
        Ok(Processors::Count(Lax::from_raw(&Raw::Integer(n))))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Processors, A::Error> {
        let mut processors = Vec::new();
        while let Some(processor) = list.next_element()? {
            processors.push(processor);
        }
        Ok(Processors::List(processors))
    }
}

impl<'de> Deserialize<'de> for Processors {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Processors, D::Error> {
        deserializer.deserialize_any(ProcessorsVisitor)
    }
}

impl Serialize for Processors {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Processors::Count(count) => count.serialize(serializer),
            Processors::List(list) => list.serialize(serializer),
        }
    }
}

/// A source of interrupts: `every`, `gap` or `recorded`.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Interrupts"))]
pub(crate) struct InterruptsFile {
    /// How its time is booked: `interrupt` (when absent), `softirq` or `steal`.
    pub(crate) kind: Option<Lax<OverheadKind>>,
    /// Its number in traces.
    pub(crate) number: Option<Lax<u16>>,
    /// The processors that it interrupts, each independently; all when absent.
    pub(crate) processors: Option<Vec<Lax<u16>>>,
    /// Time from one to the next.
    pub(crate) every: Option<Lax<Span>>,
    /// The first, with `every`.
    pub(crate) offset: Option<Lax<Instant>>,
    /// Random time from one to the next.
    pub(crate) gap: Option<Lax<Range>>,
    /// The time that each takes.
    pub(crate) cost: Option<Lax<Range>>,
    /// A device at which each interrupt reports an arrival: processes attach events to it by this name.
    pub(crate) device: Option<Lax<String>>,
    /// The datum posted by the device; the number of the arrival when absent.
    pub(crate) datum: Option<Lax<u64>>,
    /// A trace whose interrupts are repeated.
    pub(crate) recorded: Option<Lax<String>>,
}

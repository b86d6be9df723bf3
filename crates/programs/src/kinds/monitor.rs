//! A monitor of several nodes: it reads the accounts of their epochs, tunes needs and slices, and moves processes between them (Chrysalis 5; decision 0026).
//!
//! It reads once in each epoch, and requests what [`decide`] returns. A refused request is left as it is: the host reports it, and the
//! policy leaves that process alone for a while.

use super::memo::{Report, report};
use crate::balance::{NodeReading, Policy, State, decide};
use crate::catalogue::{Chosen, Form, Kind, Setting};
use crate::control::ThreadRequest;
use crate::process::{Code, Process, ProcessError};
use crate::program::Program;
use crate::request::RequestErrorKind;
use std::sync::Arc;
use windfall_time::{Instant, Span};

/// A reading, and what was requested after it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Look {
    /// When it was taken.
    pub at: Instant,
    /// The nodes.
    pub nodes: Vec<NodeReading>,
    /// The requests, each with the reason for its refusal if it was refused.
    pub requests: Vec<(ThreadRequest, Option<RequestErrorKind>)>,
}

/// The monitor.
#[derive(Clone)]
#[non_exhaustive]
pub struct Monitor {
    /// The family of schedulers.
    pub nodes: Arc<str>,
    /// Time between two readings.
    pub every: Span,
    /// Computing for each reading.
    pub work: Span,
    /// Its aim.
    pub policy: Policy,
    /// Whether it makes requests; otherwise it only reads.
    pub acts: bool,
    /// Its readings, for those who started it; `None`: they are not kept.
    pub looks: Option<Report<Look>>,
}

impl Monitor {
    /// A monitor of the schedulers of a family, with the default policy.
    #[must_use]
    pub fn new(nodes: &str, every: Span, work: Span) -> Monitor {
        let nodes = nodes.into();
        Monitor { nodes, every, work, policy: Policy::DEFAULT, acts: true, looks: None }
    }

    fn of(settings: &Chosen<'_>) -> Monitor {
        let number = |name| u32::try_from(settings.integer(name)).expect("as declared");
        let policy = Policy {
            window: number("window"),
            memory: number("memory"),
            margin: number("margin"),
            spare: number("spare"),
            moves: number("moves"),
            tunes: settings.bool("tune"),
        };
        let new =
            Monitor::new(settings.name("nodes"), settings.span("every"), settings.span("work"));
        Monitor { policy, acts: settings.bool("act"), ..new }
    }
}

/// Why it ends: nothing is there that it could read.
const NO_NODES: ProcessError = ProcessError::NotHere {
    why: "a monitor reads epoch schedulers, and none of its `nodes` is one; name a family of them",
};

impl Code for Monitor {
    const NAME: &'static str = "monitor";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let mut state = State::default();
        let mut next = me.now().await;
        loop {
            next = next + self.every;
            me.sleep_until(next).await;
            let at = me.now().await;
            let shown = me.query(&self.nodes).await?;
            // A scheduler of another kind that was given such a name is no node.
            let nodes = shown.iter().filter_map(|view| NodeReading::read(view).ok());
            let nodes: Vec<NodeReading> = nodes.collect();
            if nodes.is_empty() {
                return Err(NO_NODES);
            }
            me.compute(self.work).await;
            let mut requests = Vec::new();
            if self.acts {
                for request in decide(&nodes, &mut state, &self.policy) {
                    let refused = me.request(request.clone()).await.err();
                    if refused.is_some() {
                        state.refused(&request);
                    }
                    requests.push((request, refused.map(|refused| refused.why)));
                }
            }
            if let Some(looks) = &self.looks {
                report(looks, [Look { at, nodes, requests }]);
            }
        }
    }
}

const fn hundredths(
    (name, least): (&'static str, i64),
    default: &'static str,
    help: &'static str,
) -> Setting {
    Setting::integer(name, least..=100, default, help)
}

const fn count(name: &'static str, default: &'static str, help: &'static str) -> Setting {
    Setting::integer(name, 1..=1_000, default, help)
}

/// Tunes needs and slices, and moves processes.
pub(super) static KIND: Kind = Kind::new(
    "monitor",
    "tunes needs and slices of epoch schedulers, and moves processes between them (Chrysalis 5)",
    |settings, node| {
        let monitor = Monitor::of(settings);
        let nodes = monitor.nodes.clone();
        Ok(Program::process(node, monitor).controlling(&nodes))
    },
)
.with_settings(&[
    Setting {
        name: "act",
        form: Form::Bool,
        default: "true",
        help: "whether it makes requests; otherwise it only reads",
    },
    Setting {
        name: "every",
        form: Form::Span,
        default: "100ms",
        help: "the time between two readings; best the epoch of its nodes",
    },
    hundredths(("margin", 1), "10", "by how much of a processor a move must lower the larger of two loads, in hundredths"),
    count("memory", "3", "for how many windows a use of a need is remembered, before the need is lowered"),
    Setting::integer("moves", 0..=64, "1", "the most processes that it moves after a window"),
    Setting {
        name: "nodes",
        form: Form::Name,
        default: "node",
        help: "the schedulers that it reads and changes: those of this name, and this name with a number, as `node-1`",
    },
    hundredths(("spare", 0), "5", "the part of each epoch that it leaves undeclared, in hundredths"),
    Setting {
        name: "tune",
        form: Form::Bool,
        default: "true",
        help: "whether it changes needs and slices; otherwise it only moves processes",
    },
    count("window", "10", "after how many readings it decides"),
    Setting {
        name: "work",
        form: Form::Span,
        default: "100us",
        help: "how much computing a reading is",
    },
]);

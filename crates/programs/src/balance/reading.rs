//! A monitor's reading of a node: the figures of an epoch scheduler and of its children, by their keys in listings.

use crate::control::{SchedulerView, ShownFigures, ThreadView};
use core::fmt;
use windfall_time::Span;

/// A node: an epoch scheduler and its processes.
// Fields: the figures of a scheduler that a monitor reads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct NodeReading {
    /// The scheduler's name.
    pub name: String,
    /// The length of an epoch, above zero.
    pub epoch: Span,
    /// The shortest useful time.
    pub useful: Span,
    /// The sum of the needs from the next epoch on.
    pub declared: Span,
    /// Epochs that have ended.
    pub epochs: u64,
    /// Needs that were used, over all epochs that have ended.
    pub committed: Span,
    /// Time that was promised to nobody, over all epochs that have ended.
    pub uncommitted: Span,
    /// Needs that were not used, over all epochs that have ended.
    pub windfall: Span,
    /// Its processes.
    pub processes: Vec<ProcessReading>,
}

/// A process of a node.
// Fields: the figures of a child that a monitor reads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ProcessReading {
    /// Its name.
    pub name: String,
    /// Whether no request may be made for it.
    pub fixed: bool,
    /// Its priority.
    pub priority: i32,
    /// Its need in each epoch from the next one on; zero if it declared none.
    pub need: Span,
    /// The length of its slices.
    pub slice: Span,
    /// Processor time received below this node.
    pub ran: Span,
    /// Need that it left unused, over all epochs that have ended below this node.
    pub given: Span,
    /// Time that it was ready or running.
    pub runnable: Span,
}

/// A scheduler that lacks a figure which a monitor reads.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct UnreadableSchedulerError {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// The key of the figure.
    pub lacks: &'static str,
}

impl fmt::Display for UnreadableSchedulerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnreadableSchedulerError { name, kind, lacks } = self;
        write!(
            f,
            "`{name}` is of kind `{kind}`, which keeps no `{lacks}`; a monitor reads epoch schedulers"
        )
    }
}

impl core::error::Error for UnreadableSchedulerError {}

fn figure(figures: &ShownFigures, key: &'static str) -> Result<u64, &'static str> {
    figures.iter().find(|(name, _)| name == key).map(|(_, value)| *value).ok_or(key)
}

fn span(figures: &ShownFigures, key: &'static str) -> Result<Span, &'static str> {
    figure(figures, key).map(Span::from_nanos)
}

impl NodeReading {
    /// Reads a scheduler that a query has shown.
    ///
    /// # Errors
    /// A figure that it or one of its children lacks: it is no epoch scheduler.
    pub fn read(view: &SchedulerView) -> Result<NodeReading, UnreadableSchedulerError> {
        let lacks = |lacks| UnreadableSchedulerError {
            name: view.name.clone(),
            kind: view.kind.clone(),
            lacks,
        };
        let figures = &view.figures;
        let epoch = span(figures, "epoch_ns").map_err(lacks)?;
        if epoch.is_zero() {
            return Err(lacks("epoch_ns"));
        }
        let processes = view.threads.iter().map(ProcessReading::read);
        Ok(NodeReading {
            name: view.name.clone(),
            epoch,
            useful: span(figures, "useful_ns").map_err(lacks)?,
            declared: span(figures, "declared_ns").map_err(lacks)?,
            epochs: figure(figures, "epochs").map_err(lacks)?,
            committed: span(figures, "committed_ns").map_err(lacks)?,
            uncommitted: span(figures, "uncommitted_ns").map_err(lacks)?,
            windfall: span(figures, "windfall_ns").map_err(lacks)?,
            processes: processes.collect::<Result<_, _>>().map_err(lacks)?,
        })
    }
}

impl ProcessReading {
    fn read(view: &ThreadView) -> Result<ProcessReading, &'static str> {
        let figures = &view.figures;
        Ok(ProcessReading {
            name: view.name.clone(),
            fixed: view.fixed,
            priority: i32::try_from(figure(figures, "priority")?).map_err(|_| "priority")?,
            need: span(figures, "need_ns")?,
            slice: span(figures, "slice_ns")?,
            ran: span(figures, "ran_ns")?,
            given: span(figures, "windfall_given_ns")?,
            runnable: view.runnable,
        })
    }
}

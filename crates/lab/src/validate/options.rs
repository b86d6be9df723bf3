//! The options of the suite.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use windfall_reliability::Incidents;
use windfall_time::{ParseError, Span};

/// How the suite is to be run.
#[derive(Clone)]
pub struct Options {
    /// For how long the machine is measured under load; the rest takes about as long again where this is short.
    pub length: Span,
    /// Everything shorter, a minute in all.
    pub quick: bool,
    /// The parts to run, by name; none: all.
    pub parts: Vec<String>,
    /// Work that has to fit into each period.
    pub needs: Vec<Need>,
    /// Metrics that have to keep to a value.
    pub limits: Vec<Limit>,
    /// The name of a file of incidents, and these.
    pub incidents: Option<(String, Incidents)>,
    /// Receives a description of the current measurement.
    pub progress: Arc<dyn Fn(&str) + Send + Sync>,
    /// Whether to end: what was measured until then is the result.
    pub stopped: Arc<AtomicBool>,
}

impl Options {
    /// Everything, in short, and without a word on the way.
    pub(crate) fn quick(length: Span) -> Options {
        let (parts, needs, limits, incidents) = (Vec::new(), Vec::new(), Vec::new(), None);
        let (progress, stopped) = (Arc::new(|_: &str| ()), Arc::default());
        Options { length, quick: true, parts, needs, limits, incidents, progress, stopped }
    }

    /// The first of two values, or the second where everything is to be shorter.
    pub(crate) fn either<T>(&self, long: T, quick: T) -> T {
        if self.quick { quick } else { long }
    }

    /// Whether to end now.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Work that has to fit into each period: `800us/1ms`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub struct Need {
    /// From one beginning to the next.
    pub period: Span,
    /// Processor time, at full speed.
    pub work: Span,
}

/// Periods that the suite measures.
const PERIODS: (Span, Span) = (Span::from_nanos(50_000), Span::from_secs(1));

impl FromStr for Need {
    type Err = NeedError;

    fn from_str(text: &str) -> Result<Need, NeedError> {
        let form = || NeedError::Form(text.to_owned());
        let (work, period) = text.split_once('/').ok_or_else(form)?;
        let span = |text: &str| {
            text.trim().parse().map_err(|why| NeedError::Span { text: text.to_owned(), why })
        };
        let need = Need { period: span(period)?, work: span(work)? };
        let (least, most) = PERIODS;
        if !(least..=most).contains(&need.period) {
            return Err(NeedError::Period(need.period));
        }
        if need.work.is_zero() || need.work > need.period {
            return Err(NeedError::Work(need));
        }
        Ok(need)
    }
}

/// Why a text is no [`Need`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NeedError {
    /// It is not of the form `800us/1ms`.
    Form(String),
    /// One of its times cannot be read.
    Span {
        /// As it was written.
        text: String,
        /// The reason.
        why: ParseError,
    },
    /// The suite does not measure this period.
    Period(Span),
    /// It has no work, or more than the period.
    Work(Need),
}

impl fmt::Display for NeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = PERIODS;
        match self {
            Self::Form(text) => {
                write!(f, "`{text}` is no need; write work and period, as `800us/1ms`")
            }
            Self::Span { text, why } => write!(f, "`{text}`: {why}"),
            Self::Period(period) => {
                write!(f, "a period of {period} is not measured; {least} to {most} are")
            }
            Self::Work(Need { work, period }) => write!(
                f,
                "{work} of work do not fit into a period of {period}; more than 0 and at most the period is possible"
            ),
        }
    }
}

impl std::error::Error for NeedError {}

/// A metric that has to keep to a value: `speed.task.cpu1=12000`. It may be at most that, or at least that where more is better.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Limit {
    /// The metric's name, as in JSON.
    pub metric: String,
    /// In the metric's unit.
    pub value: u64,
}

impl FromStr for Limit {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Limit, LimitError> {
        let form = || LimitError(text.to_owned());
        let (metric, value) = text.split_once('=').ok_or_else(form)?;
        let value = value.trim().parse().map_err(|_| form())?;
        let metric = metric.trim().to_owned();
        if metric.is_empty() { Err(form()) } else { Ok(Limit { metric, value }) }
    }
}

/// This text is no [`Limit`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LimitError(String);

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.0;
        write!(
            f,
            "`{text}` is no limit; write a metric's name and a whole number in its unit, as `timing.wake.p99.cpu0=50000`; `--json` has the names"
        )
    }
}

impl std::error::Error for LimitError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_needs_and_limits() {
        let need: Need = "800us/1ms".parse().unwrap();
        assert_eq!(need, Need { period: Span::from_millis(1), work: Span::from_nanos(800_000) });
        assert!("1ms / 1ms".parse::<Need>().is_ok());
        let limit: Limit = "timing.wake.p99.cpu0 = 50000".parse().unwrap();
        assert_eq!((limit.metric.as_str(), limit.value), ("timing.wake.p99.cpu0", 50_000));
    }

    #[test]
    fn refuses_needs_that_cannot_be_met_or_measured() {
        for (text, why) in [
            ("800us", "as `800us/1ms`"),
            ("2ms/1ms", "at most the period"),
            ("0ms/1ms", "more than 0"),
            ("1us/10us", "is not measured"),
            ("1ms/2s", "is not measured"),
            ("1/1ms", "`1`"),
        ] {
            let said = text.parse::<Need>().unwrap_err().to_string();
            assert!(said.contains(why), "{text}: {said}");
        }
    }

    #[test]
    fn refuses_limits_without_name_or_number() {
        for text in ["timing.wake.p99.cpu0", "=5", "a=-1", "a=1us", "a="] {
            let said = text.parse::<Limit>().unwrap_err().to_string();
            assert!(said.contains("is no limit"), "{text}");
        }
    }
}

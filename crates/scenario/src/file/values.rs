//! Compound values as they are written: `3ms/10ms@8ms`, guarantees, levels, words.

use super::lax::{Raw, Scalar};
use super::scalar::{Range, span, text};
use super::value_error::ValueError;
use crate::Guarantee;
use crate::model::{Claim, Level, StationCall};
use windfall_programs::{LockProtocol, OnLate, Tick};
use windfall_time::{Instant, Ratio, Span};
use windfall_trace::OverheadKind;

impl Scalar for Guarantee {
    const NAME: &'static str = "guarantee";

    fn wanted() -> String {
        "a guarantee, as `RESBH 3ms 10ms`, `PS 3/10` or `NULL`".to_owned()
    }

    fn read(raw: &Raw) -> Result<Guarantee, ValueError> {
        match raw {
            Raw::Text(text) => text.parse().map_err(ValueError::Guarantee),
            _ => Err(ValueError::NotA(raw.show(), "a guarantee")),
        }
    }

    fn write(&self) -> Raw {
        Raw::Text(self.to_string())
    }
}

/// `3ms/10ms@8ms`: work, or between two, every period; due at the next, or so long after release.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cycle {
    pub(crate) work: Range,
    pub(crate) period: Span,
    pub(crate) deadline: Span,
}

impl Scalar for Cycle {
    const NAME: &'static str = "cycle";

    fn wanted() -> String {
        "work and period, as `3ms/10ms`, or with deadline, as `3ms/10ms@8ms`".to_owned()
    }

    fn read(raw: &Raw) -> Result<Cycle, ValueError> {
        let text = text(raw, "work and period")?;
        let Some((work, rest)) = text.split_once('/') else {
            return Err(ValueError::NoSlash(text.to_owned()));
        };
        let (period, deadline) = period_and_deadline(rest)?;
        let work = Range::parse(work)?;
        Ok(Cycle { work, period, deadline })
    }

    fn write(&self) -> Raw {
        let due = if self.deadline == self.period {
            String::new()
        } else {
            format!("@{}", self.deadline)
        };
        Raw::Text(format!("{}/{}{due}", self.work.show(), self.period))
    }
}

/// `10ms`, or with another deadline `10ms@8ms`.
pub(super) fn period_and_deadline(text: &str) -> Result<(Span, Span), ValueError> {
    let (period, deadline) = match text.split_once('@') {
        Some((period, deadline)) => (span(period)?, span(deadline)?),
        None => (span(text)?, span(text)?),
    };
    if period.is_zero() || deadline.is_zero() {
        return Err(ValueError::ZeroPeriod);
    }
    Ok((period, deadline))
}

/// `spin`, or `spin from 2s`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SpinText(pub(crate) Instant);

impl Scalar for SpinText {
    const NAME: &'static str = "spin";

    fn wanted() -> String {
        "`spin` or `spin from 2s`; for other programs use `periodic`, `sporadic`, `after`, `instead`, `steps`, `phases` or `recorded`".to_owned()
    }

    fn read(raw: &Raw) -> Result<SpinText, ValueError> {
        let unknown = || ValueError::NotA(raw.show(), "a program");
        let Raw::Text(text) = raw else {
            return Err(unknown());
        };
        let rest = text.trim().strip_prefix("spin").ok_or_else(unknown)?.trim();
        if rest.is_empty() {
            return Ok(SpinText(Instant::ZERO));
        }
        let from = span(rest.strip_prefix("from").ok_or_else(unknown)?)?;
        Ok(SpinText(Instant::from_nanos(from.as_nanos())))
    }

    fn write(&self) -> Raw {
        Raw::Text(if self.0 == Instant::ZERO {
            "spin".to_owned()
        } else {
            format!("spin from {}", self.0)
        })
    }
}

impl Scalar for Level {
    const NAME: &'static str = "level";

    fn wanted() -> String {
        "a time, as `17ms`, a share of it, as `32.6%cpu` or `50%machine`, or a whole number"
            .to_owned()
    }

    fn read(raw: &Raw) -> Result<Level, ValueError> {
        match raw {
            Raw::Integer(n) => {
                u64::try_from(*n).map(Level::Count).map_err(|_| ValueError::BelowZero(*n))
            }
            Raw::Text(text) => {
                let Some((share, of)) = text.split_once('%') else {
                    return span(text).map(Level::Span);
                };
                let share = share.trim().parse::<Ratio>().ok();
                let share = share
                    .and_then(|share| share.checked_div(Ratio::whole(100)))
                    .ok_or_else(|| ValueError::NotA(format!("`{text}`"), "a share"))?;
                match of.trim() {
                    "cpu" => Ok(Level::OfCpu(share)),
                    "machine" => Ok(Level::OfMachine(share)),
                    "" => Err(ValueError::NoWhole(text.clone())),
                    of => Err(ValueError::UnknownWhole(text.clone(), of.to_owned())),
                }
            }
            _ => Err(ValueError::Neither(raw.show(), "a time", "a whole number")),
        }
    }

    fn write(&self) -> Raw {
        match self {
            Level::Count(n) => i64::try_from(*n).map_or(Raw::Text(n.to_string()), Raw::Integer),
            level => Raw::Text(level.to_string()),
        }
    }

    fn json() -> &'static [&'static str] {
        &["string", "integer"]
    }
}

macro_rules! words {
    ($($type:ty, $name:literal, $wanted:literal, [$($word:literal => $value:path),*];)*) => {$(
        impl Scalar for $type {
            const NAME: &'static str = $name;

            fn wanted() -> String {
                $wanted.to_owned()
            }

            fn read(raw: &Raw) -> Result<$type, ValueError> {
                match raw {
                    $(Raw::Text(text) if text == $word => Ok($value),)*
                    _ => Err(ValueError::UnknownWordError(raw.show())),
                }
            }

            fn write(&self) -> Raw {
                #[allow(unreachable_patterns, reason = "some types have more words than are written")]
                Raw::Text(match self {
                    $($value => $word,)*
                    _ => "",
                }.to_owned())
            }
        }
    )*};
}

impl Scalar for StationCall {
    const NAME: &'static str = "call";

    fn wanted() -> String {
        "a call: `switch`, `migration`, `decision`, `notification` or `timer` of the machine, or of processes `now`, `make-template`, `make-process`, `make`, `delete`, \
         `post`, `reset`, `wait`, `enqueue`, `dequeue`, `wakeup`, `block`, `add-event`, `del-event`, `notify` or `wait-event`".to_owned()
    }

    fn read(raw: &Raw) -> Result<StationCall, ValueError> {
        let named = |text: &String| StationCall::all().find(|(name, _)| name == text);
        match raw {
            Raw::Text(text) => named(text).map(|(_, call)| call),
            _ => None,
        }
        .ok_or_else(|| ValueError::UnknownWordError(raw.show()))
    }

    fn write(&self) -> Raw {
        Raw::Text(self.text().to_owned())
    }
}

words! {
    OnLate, "late", "`complete` or `abort`", ["complete" => OnLate::Complete, "abort" => OnLate::Abort];
    Tick, "tick", "`relative` or `absolute`", ["relative" => Tick::Relative, "absolute" => Tick::Absolute];
    OverheadKind, "overhead", "`interrupt`, `softirq` or `steal`",
        ["interrupt" => OverheadKind::Interrupt, "softirq" => OverheadKind::Softirq, "steal" => OverheadKind::Steal];
    LockProtocol, "lock-protocol", "`inherit`, `ceiling` or `none`",
        ["inherit" => LockProtocol::Inherit, "ceiling" => LockProtocol::Ceiling, "none" => LockProtocol::None];
    Claim, "claim", "`processors` or `none`", ["processors" => Claim::Processors, "none" => Claim::None];
}

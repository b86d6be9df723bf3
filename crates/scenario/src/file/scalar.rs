//! Times, ranges, sizes, frequencies and plain numbers as they are written.

use super::lax::{Raw, Scalar};
use super::value_error::ValueError;
use crate::model::{Level, Timer};
use windfall_programs::Work;
use windfall_time::{Instant, Ratio, Span};

/// The text of a value that must be one; a number is missing its unit.
pub(super) fn text<'a>(raw: &'a Raw, what: &'static str) -> Result<&'a str, ValueError> {
    match raw {
        Raw::Text(text) => Ok(text),
        Raw::Integer(_) | Raw::Float(_) => Err(ValueError::NoUnit(raw.show())),
        Raw::Bool(_) => Err(ValueError::NotA(raw.show(), what)),
    }
}

pub(super) fn span(text: &str) -> Result<Span, ValueError> {
    text.parse().map_err(|why| ValueError::Time(text.trim().to_owned(), why))
}

impl Scalar for Span {
    const NAME: &'static str = "time";

    fn wanted() -> String {
        "a length of time with its unit, as `10ms`".to_owned()
    }

    fn read(raw: &Raw) -> Result<Span, ValueError> {
        text(raw, "a length of time").and_then(span)
    }

    fn write(&self) -> Raw {
        Raw::Text(self.to_string())
    }
}

impl Scalar for Instant {
    const NAME: &'static str = "instant";

    fn wanted() -> String {
        "a time since the beginning with its unit, as `2 s`".to_owned()
    }

    fn read(raw: &Raw) -> Result<Instant, ValueError> {
        let span = Span::read(raw)?;
        Ok(Instant::from_nanos(span.as_nanos()))
    }

    fn write(&self) -> Raw {
        Raw::Text(self.to_string())
    }
}

impl Scalar for bool {
    const NAME: &'static str = "boolean";

    fn wanted() -> String {
        "`true` or `false`".to_owned()
    }

    fn read(raw: &Raw) -> Result<bool, ValueError> {
        match raw {
            Raw::Bool(answer) => Ok(*answer),
            _ => Err(ValueError::Neither(raw.show(), "`true`", "`false`")),
        }
    }

    fn write(&self) -> Raw {
        Raw::Bool(*self)
    }

    fn json() -> &'static [&'static str] {
        &["boolean"]
    }
}

/// A speed, above zero.
impl Scalar for Ratio {
    const NAME: &'static str = "fraction";

    fn wanted() -> String {
        "a fraction above 0, as `1/2` or `0.5`".to_owned()
    }

    fn read(raw: &Raw) -> Result<Ratio, ValueError> {
        let written = match raw {
            Raw::Text(text) => text.clone(),
            Raw::Integer(n) => n.to_string(),
            _ => return Err(ValueError::NotA(raw.show(), "an exact fraction")),
        };
        let no_fraction = |_| ValueError::NotA(format!("`{written}`"), "a fraction");
        let ratio: Ratio = written.parse().map_err(no_fraction)?;
        let small = ratio.numerator() <= 1 << 40 && ratio.denominator() <= 1 << 40;
        match (ratio.is_zero(), small) {
            (true, _) => Err(ValueError::ZeroFraction),
            (_, false) => Err(ValueError::TooManyDigits(written)),
            _ => Ok(ratio),
        }
    }

    fn write(&self) -> Raw {
        Raw::Text(self.to_string())
    }

    fn json() -> &'static [&'static str] {
        &["string", "integer"]
    }
}

/// `3ms`, or between two: `1ms..3ms`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range(pub(crate) Span, pub(crate) Span);

impl Range {
    pub(crate) const fn work(self) -> Work {
        if self.0.as_nanos() == self.1.as_nanos() {
            Work::Fixed(self.0)
        } else {
            Work::Uniform(self.0, self.1)
        }
    }

    pub(crate) const fn of(work: Work) -> Range {
        match work {
            Work::Fixed(span) => Range(span, span),
            Work::Uniform(least, most) => Range(least, most),
        }
    }

    pub(super) fn parse(text: &str) -> Result<Range, ValueError> {
        let Some((least, most)) = text.split_once("..") else {
            let span = span(text)?;
            return Ok(Range(span, span));
        };
        let (least, most) = (span(least)?, span(most)?);
        if least > most {
            return Err(ValueError::Reversed(text.trim().to_owned()));
        }
        Ok(Range(least, most))
    }

    pub(super) fn show(&self) -> String {
        if self.0 == self.1 { self.0.to_string() } else { format!("{}..{}", self.0, self.1) }
    }
}

impl Scalar for Range {
    const NAME: &'static str = "time-or-range";

    fn wanted() -> String {
        "a length of time, as `3ms`, or two limits, as `1ms..3ms`".to_owned()
    }

    fn read(raw: &Raw) -> Result<Range, ValueError> {
        Range::parse(text(raw, "a length of time")?)
    }

    fn write(&self) -> Raw {
        Raw::Text(self.show())
    }
}

/// A deadline: so long after release, or `none`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Due(pub(crate) Option<Span>);

impl Scalar for Due {
    const NAME: &'static str = "deadline";

    fn wanted() -> String {
        "a length of time after the release, as `8ms`, or `none`".to_owned()
    }

    fn read(raw: &Raw) -> Result<Due, ValueError> {
        match text(raw, "a length of time")? {
            "none" => Ok(Due(None)),
            text => span(text).map(|span| Due(Some(span))),
        }
    }

    fn write(&self) -> Raw {
        Raw::Text(self.0.map_or_else(|| "none".to_owned(), |span| span.to_string()))
    }
}

/// A size in KiB.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kib(pub(crate) u64);

impl Scalar for Kib {
    const NAME: &'static str = "size";

    fn wanted() -> String {
        "a size with its unit, as `64KB` (of 1024 bytes) or `2MB`".to_owned()
    }

    fn read(raw: &Raw) -> Result<Kib, ValueError> {
        let text = text(raw, "a size")?.trim();
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit = match text[digits.len()..].trim() {
            "KB" | "KiB" | "kB" => 1,
            "MB" | "MiB" => 1024,
            "GB" | "GiB" => 1024 * 1024,
            _ => return Err(ValueError::NoSizeUnit(text.to_owned())),
        };
        let not_whole = |_| ValueError::NotA(format!("`{digits}`"), "a whole number");
        let number: u64 = digits.parse().map_err(not_whole)?;
        let size = number.checked_mul(unit).filter(|size| *size <= 1 << 40);
        size.map(Kib).ok_or_else(|| ValueError::SizeTooLarge(text.to_owned()))
    }

    fn write(&self) -> Raw {
        Raw::Text(format!("{}KB", self.0))
    }
}

/// The timer: `precise` or a frequency.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Frequency(pub(crate) Timer);

impl Scalar for Frequency {
    const NAME: &'static str = "timer";

    fn wanted() -> String {
        "`precise`, or the frequency of its ticks, as `1024Hz`".to_owned()
    }

    fn read(raw: &Raw) -> Result<Frequency, ValueError> {
        let text = text(raw, "a frequency")?.trim();
        if text == "precise" {
            return Ok(Frequency(Timer::Precise));
        }
        let (number, unit) = match (text.strip_suffix("kHz"), text.strip_suffix("Hz")) {
            (Some(number), _) => (number, 1000),
            (None, Some(number)) => (number, 1),
            (None, None) => return Err(ValueError::NotA(format!("`{text}`"), "a frequency")),
        };
        let hertz = number.trim().parse::<u64>().ok();
        hertz
            .and_then(|hertz| hertz.checked_mul(unit))
            .filter(|hertz| (1..=1_000_000_000).contains(hertz))
            .map(|hertz| Frequency(Timer::Ticks(hertz)))
            .ok_or_else(|| ValueError::FrequencyOutOfRange(text.to_owned()))
    }

    fn write(&self) -> Raw {
        Raw::Text(match self.0 {
            Timer::Precise => "precise".to_owned(),
            Timer::Ticks(hertz) => format!("{hertz}Hz"),
        })
    }
}

/// A share of each processor's time, as `95%cpu`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cap(pub(crate) Ratio);

impl Scalar for Cap {
    const NAME: &'static str = "cap";

    fn wanted() -> String {
        "a share of each processor's time, as `95%cpu`".to_owned()
    }

    fn read(raw: &Raw) -> Result<Cap, ValueError> {
        match Level::read(raw)? {
            Level::OfCpu(share) => Ok(Cap(share)),
            _ => Err(ValueError::NotA(raw.show(), "a share of a processor's time")),
        }
    }

    fn write(&self) -> Raw {
        Level::OfCpu(self.0).write()
    }
}

macro_rules! whole_numbers {
    ($($type:ty, $name:literal, $wanted:literal;)*) => {$(
        impl Scalar for $type {
            const NAME: &'static str = $name;

            fn wanted() -> String {
                $wanted.to_owned()
            }

            fn read(raw: &Raw) -> Result<$type, ValueError> {
                match raw {
                    Raw::Integer(n) => <$type>::try_from(*n)
                        .map_err(|_| ValueError::OutOfRange(*n)),
                    // TOML's integers end at 2^63 - 1; larger ones are written in quotes.
                    Raw::Text(text) if text.parse::<i64>().is_err() => text
                        .parse()
                        .map_err(|_| ValueError::NotA(raw.show(), "a whole number")),
                    _ => Err(ValueError::NotA(raw.show(), "a whole number")),
                }
            }

            fn write(&self) -> Raw {
                i64::try_from(*self).map_or_else(|_| Raw::Text(self.to_string()), Raw::Integer)
            }

            fn json() -> &'static [&'static str] {
                &["integer"]
            }
        }
    )*};
}

whole_numbers! {
    u16, "number-16", "a whole number from 0 to 65535";
    u32, "number-32", "a whole number from 0 to 4294967295";
    u64, "number-64", "a whole number from 0 to 9223372036854775807";
    i32, "integer-32", "a whole number from -2147483648 to 2147483647";
}

impl Scalar for String {
    const NAME: &'static str = "text";

    fn wanted() -> String {
        "a text in quotes".to_owned()
    }

    fn read(raw: &Raw) -> Result<String, ValueError> {
        match raw {
            Raw::Text(text) => Ok(text.clone()),
            _ => Err(ValueError::NotA(raw.show(), "a text")),
        }
    }

    fn write(&self) -> Raw {
        Raw::Text(self.clone())
    }
}

/// Anything: a scheduler's setting, whose kind decides what it means.
impl Scalar for Raw {
    const NAME: &'static str = "setting";

    fn wanted() -> String {
        "what the kind of scheduler allows".to_owned()
    }

    fn read(raw: &Raw) -> Result<Raw, ValueError> {
        Ok(raw.clone())
    }

    fn write(&self) -> Raw {
        self.clone()
    }

    fn json() -> &'static [&'static str] {
        &["string", "integer", "boolean"]
    }
}

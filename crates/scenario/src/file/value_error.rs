//! Why a value cannot be read: the error, without a correction.

use crate::diagnostic::Code;
use core::fmt;
use windfall_guarantees::{GuaranteeError, LengthError};
use windfall_time::{ParseError, Span};

/// Why a value cannot be read. Texts of values are in the form that [`Raw::show`](super::Raw::show) gives them, or plain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ValueError {
    /// A number, as shown, without its unit.
    NoUnit(String),
    /// A size without a unit that sizes have.
    NoSizeUnit(String),
    /// A share that does not say of what.
    NoWhole(String),
    /// A share of something that is not known: the text, and the whole.
    UnknownWhole(String, String),
    /// A value, as shown, that is not what the key takes.
    NotA(String, &'static str),
    /// A value, as shown, that is neither of the two that the key takes.
    Neither(String, &'static str, &'static str),
    /// A text without the `/` between its parts.
    NoSlash(String),
    /// A text that is no length of time.
    Time(String, ParseError),
    /// A text that is no guarantee.
    Guarantee(GuaranteeError),
    /// A word, as shown, that the key does not take.
    UnknownWordError(String),
    /// A number past what the key takes.
    OutOfRange(i64),
    /// A number below zero.
    BelowZero(i64),
    /// A fraction of nothing.
    ZeroFraction,
    /// A fraction of more digits than are counted with.
    TooManyDigits(String),
    /// A size past the largest.
    SizeTooLarge(String),
    /// A frequency past those of timers.
    FrequencyOutOfRange(String),
    /// An amount of nothing, or of more than its period.
    Amount {
        /// The amount.
        amount: Span,
        /// The period.
        period: Span,
    },
    /// A limit of no time at all.
    ZeroLimit,
    /// No time at all, where some is asked for.
    NoTime,
    /// A period or a deadline of no time at all.
    ZeroPeriod,
    /// A range whose least is above its most.
    Reversed(String),
    /// A parameter that only a program can set, while it runs.
    NotInFiles,
    /// An empty set of processors.
    NoProcessors,
    /// A processor that is named twice.
    ProcessorTwice(i64),
}

impl ValueError {
    /// The kind of mistake.
    pub(crate) const fn code(&self) -> Code {
        match self {
            ValueError::NoUnit(_)
            | ValueError::NoSizeUnit(_)
            | ValueError::NoWhole(_)
            | ValueError::Time(_, ParseError::NoUnit) => Code::MissingUnit,
            ValueError::NotA(..)
            | ValueError::Neither(..)
            | ValueError::NoSlash(_)
            | ValueError::NoProcessors
            | ValueError::NotInFiles => Code::InvalidValue,
            ValueError::ProcessorTwice(_) => Code::DuplicateProcessor,
            ValueError::Time(..) => Code::InvalidTime,
            ValueError::Guarantee(GuaranteeError::Length(LengthError::Unreadable(
                _,
                ParseError::NoUnit,
            ))) => Code::MissingUnit,
            ValueError::Guarantee(_) => Code::InvalidGuarantee,
            ValueError::UnknownWordError(_) | ValueError::UnknownWhole(..) => {
                Code::UnknownWordError
            }
            ValueError::OutOfRange(_)
            | ValueError::BelowZero(_)
            | ValueError::ZeroFraction
            | ValueError::TooManyDigits(_)
            | ValueError::SizeTooLarge(_)
            | ValueError::FrequencyOutOfRange(_)
            | ValueError::Amount { .. } => Code::OutOfRange,
            ValueError::ZeroLimit | ValueError::NoTime | ValueError::ZeroPeriod => Code::ZeroTime,
            ValueError::Reversed(_) => Code::ReversedRange,
        }
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueError::NoUnit(shown) => write!(f, "{shown} has no unit"),
            ValueError::NoSizeUnit(text) => write!(f, "`{text}` has no unit; known: KB, MB, GB"),
            ValueError::NoWhole(text) => write!(f, "`{text}` does not say of what"),
            ValueError::UnknownWhole(text, whole) => {
                write!(f, "`{text}`: unknown whole `{whole}`")
            }
            ValueError::NotA(shown, what) => write!(f, "{shown} is not {what}"),
            ValueError::Neither(shown, one, other) => {
                write!(f, "{shown} is neither {one} nor {other}")
            }
            ValueError::NoSlash(text) => write!(f, "`{text}` has no `/`"),
            ValueError::Time(text, why) => write!(f, "`{text}`: {why}"),
            ValueError::Guarantee(why) => why.fmt(f),
            ValueError::UnknownWordError(shown) => write!(f, "unknown word {shown}"),
            ValueError::OutOfRange(n) => write!(f, "`{n}` is out of range"),
            ValueError::BelowZero(n) => write!(f, "`{n}` is below zero"),
            ValueError::ZeroFraction => f.write_str("the fraction is zero"),
            ValueError::TooManyDigits(text) => write!(f, "`{text}` has too many digits"),
            ValueError::SizeTooLarge(text) => {
                write!(f, "`{text}` is too large; at most 1048576 GB")
            }
            ValueError::FrequencyOutOfRange(text) => {
                write!(f, "`{text}` is out of range; allowed: 1Hz to 1000000kHz, whole numbers")
            }
            ValueError::Amount { amount, period } => write!(
                f,
                "amount {amount} is out of range; allowed: above 0, at most the period {period}"
            ),
            ValueError::ZeroLimit => f.write_str("a limit of no time at all; allowed: above 0"),
            ValueError::NoTime => f.write_str("no time at all"),
            ValueError::NotInFiles => f.write_str("no file tells it"),
            ValueError::NoProcessors => f.write_str("no processor is named"),
            ValueError::ProcessorTwice(n) => write!(f, "processor {n} is named twice"),
            ValueError::ZeroPeriod => f.write_str("period and deadline must be above zero"),
            ValueError::Reversed(text) => write!(f, "`{text}`: the least is above the most"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::Code;
    use crate::file::parameter;
    use crate::file::{Cap, Cycle, Due, Frequency, Kib, Raw, Scalar, SpinText};
    use crate::model::{Claim, Level};
    use windfall_guarantees::Guarantee;
    use windfall_schedulers::parameters::Form;
    use windfall_time::{Ratio, Span};

    #[track_caller]
    fn refused<T: Scalar + core::fmt::Debug>(raw: Raw, code: Code, said: &str) {
        let why = T::read(&raw).unwrap_err();
        assert_eq!((why.code(), why.to_string().as_str()), (code, said));
    }

    #[track_caller]
    fn refused_form(form: Form, raw: Raw, code: Code, said: &str) {
        let why = parameter::read(form, &raw).0.unwrap_err();
        assert_eq!((why.code(), why.to_string().as_str()), (code, said));
    }

    fn text(text: &str) -> Raw {
        Raw::Text(text.to_owned())
    }

    #[test]
    fn refuses_values_without_their_unit() {
        refused::<Span>(Raw::Integer(3), Code::MissingUnit, "`3` has no unit");
        refused::<Kib>(text("64"), Code::MissingUnit, "`64` has no unit; known: KB, MB, GB");
        refused::<Level>(text("30%"), Code::MissingUnit, "`30%` does not say of what");
        let said = "`3`: no unit; add one of ns, us, ms, s, min, h (or Hz for a period)";
        refused::<Span>(text("3"), Code::MissingUnit, said);
    }

    #[test]
    fn refuses_values_of_another_form() {
        refused::<Span>(Raw::Bool(true), Code::InvalidValue, "`true` is not a length of time");
        refused::<bool>(text("yes"), Code::InvalidValue, "`yes` is neither `true` nor `false`");
        let said = "`3ms` has no `/`";
        refused_form(Form::Reservation, text("3ms"), Code::InvalidValue, said);
        refused::<SpinText>(text("spun"), Code::InvalidValue, "`spun` is not a program");
        refused::<Cap>(
            text("95%machine"),
            Code::InvalidValue,
            "`95%machine` is not a share of a processor's time",
        );
        let said = "`soon`: not a number; write digits first, such as `1.5 ms`";
        refused::<Due>(text("soon"), Code::InvalidTime, said);
        let said = "`PS` takes a share, as `PS 3/10`";
        refused::<Guarantee>(text("PS"), Code::InvalidGuarantee, said);
    }

    #[test]
    fn refuses_words_that_are_not_known() {
        refused::<Claim>(text("all"), Code::UnknownWordError, "unknown word `all`");
        refused::<Level>(
            text("30%disk"),
            Code::UnknownWordError,
            "`30%disk`: unknown whole `disk`",
        );
    }

    #[test]
    fn refuses_values_out_of_range_and_accepts_those_at_its_ends() {
        refused::<u16>(Raw::Integer(65_536), Code::OutOfRange, "`65536` is out of range");
        assert_eq!(u16::read(&Raw::Integer(65_535)), Ok(65_535));
        refused::<Level>(Raw::Integer(-1), Code::OutOfRange, "`-1` is below zero");
        refused::<Ratio>(Raw::Integer(0), Code::OutOfRange, "the fraction is zero");
        let said = "`1099511627777` has too many digits";
        refused::<Ratio>(Raw::Integer((1 << 40) + 1), Code::OutOfRange, said);
        assert!(Ratio::read(&Raw::Integer(1 << 40)).is_ok());
        let said = "`1048577GB` is too large; at most 1048576 GB";
        refused::<Kib>(text("1048577GB"), Code::OutOfRange, said);
        assert_eq!(Kib::read(&text("1048576GB")), Ok(Kib(1 << 40)));
        let said = "`0Hz` is out of range; allowed: 1Hz to 1000000kHz, whole numbers";
        refused::<Frequency>(text("0Hz"), Code::OutOfRange, said);
        let said = "amount 4ms is out of range; allowed: above 0, at most the period 3ms";
        refused_form(Form::Reservation, text("4ms/3ms"), Code::OutOfRange, said);
        assert!(parameter::read(Form::Reservation, &text("3ms/3ms")).0.is_ok());
        refused_form(Form::Integer(1, 9), Raw::Integer(0), Code::OutOfRange, "`0` is out of range");
    }

    #[test]
    fn refuses_no_time_and_ranges_the_wrong_way_round() {
        let said = "a limit of no time at all; allowed: above 0";
        refused_form(Form::Limit, text("0ms/5ms"), Code::ZeroTime, said);
        refused_form(Form::Span(false), text("0ms"), Code::ZeroTime, "no time at all");
        let said = "period and deadline must be above zero";
        refused::<Cycle>(text("1ms/0ms"), Code::ZeroTime, said);
        let said = "`3ms..1ms`: the least is above the most";
        refused::<Cycle>(text("3ms..1ms/10ms"), Code::ReversedRange, said);
    }
}

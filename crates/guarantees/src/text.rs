//! Guarantees as text: `RESBH 3ms 10ms`, `PS 3/10`, `PSBE 3/10 35ms`, `RESU 1/2`, `ALL`, `NULL`.
//!
//! Invariant: what is printed is read back as the same value. Lower case is read, upper is printed.

use crate::error::{GuaranteeError, LengthError, form};
use crate::guarantee::{Guarantee, Type};
use crate::length::Length;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;
use windfall_time::Ratio;

impl FromStr for Guarantee {
    type Err = GuaranteeError;

    fn from_str(text: &str) -> Result<Guarantee, GuaranteeError> {
        if let Some((amount, period)) = in_short(text) {
            return format!("RESBS {amount} {period}").parse();
        }
        let (name, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
        let name = name.to_ascii_uppercase();
        let Some(kind) = Type::ALL_TYPES.into_iter().find(|kind| kind.name() == name) else {
            return Err(GuaranteeError::UnknownName(name));
        };
        let parts = join_units(rest);
        if parts.len() != form(kind).0 {
            return Err(GuaranteeError::Parameters(kind));
        }
        let time = |at: usize| -> Result<Length, LengthError> { parts[at].parse() };
        let share = |at: usize| share(&parts[at]);
        let reservation = || {
            let (amount, period) = (time(0)?, time(1)?);
            if amount.is_zero() || amount > period {
                return Err(GuaranteeError::Amount { amount, period });
            }
            Ok((amount, period))
        };
        Ok(match kind {
            Type::All => Guarantee::All,
            Type::Null => Guarantee::Null,
            Type::Resu => Guarantee::Slower(at_most_one(share(0)?)?),
            Type::Ps => Guarantee::Share(at_most_one(share(0)?)?),
            Type::Psbe => Guarantee::BoundedShare(at_most_one(share(0)?)?, time(1)?),
            Type::Resps => {
                let ((amount, period), overrun) = (reservation()?, time(2)?);
                if overrun > period {
                    return Err(GuaranteeError::Overrun { overrun, period });
                }
                Guarantee::Probabilistic(amount, period, overrun)
            }
            Type::Ressh => {
                let (amount, period) = reservation()?;
                Guarantee::Synchronized(amount, period, time(2)?)
            }
            Type::Resbh => reservation().map(|(x, y)| Guarantee::BasicHard(x, y))?,
            Type::Resbs => reservation().map(|(x, y)| Guarantee::BasicSoft(x, y))?,
            Type::Resch => reservation().map(|(x, y)| Guarantee::ContinuousHard(x, y))?,
            Type::Rescs => reservation().map(|(x, y)| Guarantee::ContinuousSoft(x, y))?,
            Type::Resnh => reservation().map(|(x, y)| Guarantee::NonPreemptive(x, y))?,
        })
    }
}

fn share(part: &str) -> Result<Ratio, GuaranteeError> {
    let share: Ratio = part.parse().map_err(|_| GuaranteeError::Share(part.to_owned()))?;
    if share.numerator() <= 0 {
        return Err(GuaranteeError::NoShare(share));
    }
    Ok(share)
}

fn at_most_one(share: Ratio) -> Result<Ratio, GuaranteeError> {
    if share > Ratio::ONE {
        return Err(GuaranteeError::ShareAboveOne(share));
    }
    Ok(share)
}

/// The long form of `3ms/10ms`: this amount in each period, and more where there is more.
fn in_short(text: &str) -> Option<(&str, &str)> {
    let (amount, period) = text.split_once('/')?;
    let is_time = |part: &str| part.trim().parse::<Length>().is_ok();
    (is_time(amount) && is_time(period)).then_some((amount.trim(), period.trim()))
}

/// Splits at spaces, but leaves a unit with its number: `3 ms 10 ms` is two parts.
fn join_units(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_unit = word.chars().next().is_some_and(char::is_alphabetic);
        match parts.last_mut() {
            Some(last) if is_unit => last.push_str(word),
            _ => parts.push(word.to_owned()),
        }
    }
    parts
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.kind().name();
        match self {
            Guarantee::All | Guarantee::Null => f.pad(name),
            Guarantee::Slower(share) | Guarantee::Share(share) => write!(f, "{name} {share}"),
            Guarantee::BoundedShare(share, error) => write!(f, "{name} {share} {error}"),
            Guarantee::BasicHard(x, y)
            | Guarantee::BasicSoft(x, y)
            | Guarantee::ContinuousHard(x, y)
            | Guarantee::ContinuousSoft(x, y)
            | Guarantee::NonPreemptive(x, y) => write!(f, "{name} {x} {y}"),
            Guarantee::Probabilistic(x, y, z) | Guarantee::Synchronized(x, y, z) => {
                write!(f, "{name} {x} {y} {z}")
            }
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn accepts_every_form_and_prints_it_back() {
        for text in [
            "ALL",
            "RESU 1/2",
            "RESBH 3ms 10ms",
            "RESBS 10ms 20ms",
            "RESCH 1us 1ms",
            "RESCS 25/3ms 1s",
            "RESPS 5ms 33ms 10ms",
            "RESNH 2ms 8ms",
            "RESSH 2ms 16ms 0s",
            "PSBE 3/10 35ms",
            "PSBE 1/3 100/3ms",
            "PS 3/10",
            "NULL",
        ] {
            assert_eq!(text.parse::<Guarantee>().unwrap().to_string(), text);
        }
        let spaced: Guarantee = "resbh 3 ms 10 ms".parse().unwrap();
        assert_eq!(spaced.to_string(), "RESBH 3ms 10ms");
    }

    #[test]
    fn refuses_with_what_is_allowed() {
        let refused = |text: &str| text.parse::<Guarantee>().unwrap_err().to_string();
        assert!(refused("RESBH 3 10").contains("no unit"));
        assert!(refused("RESBH 12ms 10ms").contains("at most the period 10ms"));
        assert!(refused("RESBH 3ms").contains("two times"));
        assert!(refused("PS 0").contains("above 0"));
        assert!(refused("PS 3/2").contains("at most 1"));
        assert!(refused("ALL 3ms").contains("nothing after"));
        assert!(refused("RESX 1ms 2ms").contains("allowed: ALL"));
        assert!(refused("RESPS 5ms 33ms").contains("three times"));
        assert!(refused("RESPS 5ms 33ms 34ms").contains("at most the period"));
        assert!(refused("").contains("unknown guarantee"));
        assert!(refused("PS half").contains("`half` is not a share"));
    }
}

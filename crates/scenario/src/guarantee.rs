//! Guarantees as text (HLS 5.3): `RESBH 3ms 10ms`, `PS 3/10`, `PSBE 3/10 35ms`, `RESU 1/2`, `ALL`, `NULL`.
//!
//! Invariant: what is printed is read back as the same value. Lower case is read, upper is printed.
//! Absent on purpose: which guarantee follows from which; that is not decided here.

use core::fmt;
use core::str::FromStr;
use windfall_time::{Ratio, Span};

/// A guarantee about the processor time that a virtual processor receives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Guarantee {
    /// `ALL`: a processor to itself.
    All,
    /// `NULL`: nothing.
    Null,
    /// `RESBH x y`: x in each of its periods of length y, and not more.
    BasicHard(Span, Span),
    /// `RESBS x y`: x in each of its periods of length y, and perhaps more.
    BasicSoft(Span, Span),
    /// `RESCH x y`: x in every interval of length y, and not more.
    ContinuousHard(Span, Span),
    /// `RESCS x y`: x in every interval of length y, and perhaps more.
    ContinuousSoft(Span, Span),
    /// `RESU r`: a uniformly slower processor of speed r.
    Slower(Ratio),
    /// `PS s`: the share s of a processor in the long run.
    Share(Ratio),
    /// `PSBE s d`: the share s, never further behind than d.
    BoundedShare(Ratio, Span),
}

const FORMS: &str = "RESBH x y, RESBS x y, RESCH x y, RESCS x y, RESU r, PS s, PSBE s d, ALL, NULL";

impl FromStr for Guarantee {
    type Err = String;

    fn from_str(text: &str) -> Result<Guarantee, String> {
        let (name, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
        let name = name.to_ascii_uppercase();
        let (count, form) = match name.as_str() {
            "ALL" | "NULL" => (0, ""),
            "RESU" => (1, "a share, as `RESU 1/2`"),
            "PS" => (1, "a share, as `PS 3/10`"),
            "PSBE" => (2, "a share and a time, as `PSBE 3/10 35ms`"),
            "RESBH" | "RESBS" | "RESCH" | "RESCS" => (2, "two times, as `RESBH 3ms 10ms`"),
            _ => return Err(format!("unknown guarantee `{name}`; allowed: {FORMS}")),
        };
        let parts = join_units(rest);
        if parts.len() != count {
            return Err(match count {
                0 => format!("`{name}` takes nothing after it"),
                _ => format!("`{name}` takes {form}"),
            });
        }
        let time = |part: &str| -> Result<Span, String> {
            part.parse().map_err(|error| format!("`{part}`: {error}"))
        };
        let share = |part: &str| -> Result<Ratio, String> {
            let share: Ratio = part
                .parse()
                .map_err(|_| format!("`{part}` is not a share; write `3/10` or `0.3`"))?;
            if share.is_zero() || share > Ratio::whole(1 << 16) {
                return Err(format!("share {share} is out of range; allowed: above 0"));
            }
            Ok(share)
        };
        match name.as_str() {
            "ALL" => Ok(Guarantee::All),
            "NULL" => Ok(Guarantee::Null),
            "RESU" => share(&parts[0]).map(Guarantee::Slower),
            "PS" => share(&parts[0]).map(Guarantee::Share),
            "PSBE" => Ok(Guarantee::BoundedShare(share(&parts[0])?, time(&parts[1])?)),
            _ => {
                let (amount, period) = (time(&parts[0])?, time(&parts[1])?);
                if amount.is_zero() || amount > period {
                    return Err(format!(
                        "amount {amount} is out of range; allowed: above 0, at most the period {period}"
                    ));
                }
                let make = match name.as_str() {
                    "RESBH" => Guarantee::BasicHard,
                    "RESBS" => Guarantee::BasicSoft,
                    "RESCH" => Guarantee::ContinuousHard,
                    _ => Guarantee::ContinuousSoft,
                };
                Ok(make(amount, period))
            }
        }
    }
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
        match self {
            Guarantee::All => f.write_str("ALL"),
            Guarantee::Null => f.write_str("NULL"),
            Guarantee::BasicHard(x, y) => write!(f, "RESBH {x} {y}"),
            Guarantee::BasicSoft(x, y) => write!(f, "RESBS {x} {y}"),
            Guarantee::ContinuousHard(x, y) => write!(f, "RESCH {x} {y}"),
            Guarantee::ContinuousSoft(x, y) => write!(f, "RESCS {x} {y}"),
            Guarantee::Slower(r) => write!(f, "RESU {r}"),
            Guarantee::Share(s) => write!(f, "PS {s}"),
            Guarantee::BoundedShare(s, d) => write!(f, "PSBE {s} {d}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_every_form_and_prints_it_back() {
        for text in [
            "RESBH 3ms 10ms",
            "RESBS 10ms 20ms",
            "RESCH 1us 1ms",
            "RESCS 1ms 1ms",
            "RESU 1/2",
            "PS 3/10",
            "PSBE 3/10 35ms",
            "ALL",
            "NULL",
        ] {
            assert_eq!(text.parse::<Guarantee>().unwrap().to_string(), text);
        }
        let spaced: Guarantee = "resbh 3 ms 10 ms".parse().unwrap();
        assert_eq!(spaced.to_string(), "RESBH 3ms 10ms");
    }

    #[test]
    fn refuses_with_what_is_allowed() {
        let refused = |text: &str| text.parse::<Guarantee>().unwrap_err();
        assert!(refused("RESBH 3 10").contains("no unit"));
        assert!(refused("RESBH 12ms 10ms").contains("at most the period 10ms"));
        assert!(refused("RESBH 3ms").contains("two times"));
        assert!(refused("PS 0").contains("above 0"));
        assert!(refused("ALL 3ms").contains("nothing after"));
        assert!(refused("RESX 1ms 2ms").contains("allowed: RESBH"));
        assert!(refused("").contains("unknown guarantee"));
    }
}

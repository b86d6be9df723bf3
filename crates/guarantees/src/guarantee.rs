//! The guarantees: eleven types with their parameters, and ALL.
//!
//! All lengths are absolute processor time and all shares are shares of a whole processor (HLS
//! 5.2.1), also below a uniformly slower processor. A guarantee holds while its owner is runnable.

use crate::length::Length;
use windfall_time::{Instant, Ratio};

/// A guarantee about the processor time that a virtual processor receives (HLS 5.2.2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Guarantee {
    /// `ALL`: a processor to itself.
    All,
    /// `RESU r`: a uniformly slower processor of speed r. By each deadline that its owner
    /// announced in time and in order, r times the time since it woke, less what it had run ahead before.
    Slower(Ratio),
    /// `RESBH x y`: x in each of its periods of length y, and not more.
    BasicHard(Length, Length),
    /// `RESBS x y`: x in each of its periods of length y, and perhaps more.
    BasicSoft(Length, Length),
    /// `RESCH x y`: x in every interval of length y, and not more.
    ContinuousHard(Length, Length),
    /// `RESCS x y`: x in every interval of length y, and perhaps more.
    ContinuousSoft(Length, Length),
    /// `RESPS x y z`: x in each of its periods of length y, and a chance of a part of the overrun
    /// partition of size z in y that it shares with others.
    Probabilistic(Length, Length, Length),
    /// `RESNH x y`: x in one piece in each of its periods of length y, always at the same offset.
    NonPreemptive(Length, Length),
    /// `RESSH x y z`: x in one piece from z + i y on, for every whole i.
    Synchronized(Length, Length, Length),
    /// `PSBE s d`: in every interval of length t at least s t - d.
    BoundedShare(Ratio, Length),
    /// `PS s`: the share s of a processor in the long run.
    Share(Ratio),
    /// `NULL`: nothing.
    Null,
}

/// The type of a guarantee, in the order of table 5.2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "each is the guarantee of that name")]
pub enum Type {
    All,
    Resu,
    Resbh,
    Resbs,
    Resch,
    Rescs,
    Resps,
    Resnh,
    Ressh,
    Psbe,
    Ps,
    Null,
}

impl Type {
    /// All of them, in the order of table 5.2.
    pub const ALL_TYPES: [Type; 12] = [
        Type::All,
        Type::Resu,
        Type::Resbh,
        Type::Resbs,
        Type::Resch,
        Type::Rescs,
        Type::Resps,
        Type::Resnh,
        Type::Ressh,
        Type::Psbe,
        Type::Ps,
        Type::Null,
    ];

    /// The identifier, as in table 5.2.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Type::All => "ALL",
            Type::Resu => "RESU",
            Type::Resbh => "RESBH",
            Type::Resbs => "RESBS",
            Type::Resch => "RESCH",
            Type::Rescs => "RESCS",
            Type::Resps => "RESPS",
            Type::Resnh => "RESNH",
            Type::Ressh => "RESSH",
            Type::Psbe => "PSBE",
            Type::Ps => "PS",
            Type::Null => "NULL",
        }
    }
}

impl Guarantee {
    /// Its type.
    #[must_use]
    pub const fn kind(&self) -> Type {
        match self {
            Guarantee::All => Type::All,
            Guarantee::Slower(_) => Type::Resu,
            Guarantee::BasicHard(..) => Type::Resbh,
            Guarantee::BasicSoft(..) => Type::Resbs,
            Guarantee::ContinuousHard(..) => Type::Resch,
            Guarantee::ContinuousSoft(..) => Type::Rescs,
            Guarantee::Probabilistic(..) => Type::Resps,
            Guarantee::NonPreemptive(..) => Type::Resnh,
            Guarantee::Synchronized(..) => Type::Ressh,
            Guarantee::BoundedShare(..) => Type::Psbe,
            Guarantee::Share(_) => Type::Ps,
            Guarantee::Null => Type::Null,
        }
    }

    /// Amount and period of a reservation of any kind.
    #[must_use]
    pub const fn reservation(&self) -> Option<(Length, Length)> {
        match *self {
            Guarantee::BasicHard(x, y)
            | Guarantee::BasicSoft(x, y)
            | Guarantee::ContinuousHard(x, y)
            | Guarantee::ContinuousSoft(x, y)
            | Guarantee::Probabilistic(x, y, _)
            | Guarantee::NonPreemptive(x, y)
            | Guarantee::Synchronized(x, y, _) => Some((x, y)),
            _ => None,
        }
    }

    /// The share of a processor that it comes to in the long run.
    #[must_use]
    pub fn share(&self) -> Option<Ratio> {
        match *self {
            Guarantee::All => Some(Ratio::ONE),
            Guarantee::Slower(s) | Guarantee::BoundedShare(s, _) | Guarantee::Share(s) => Some(s),
            Guarantee::Null => Some(Ratio::ZERO),
            _ => self.reservation().and_then(|(x, y)| x.over(y)),
        }
    }

    /// A rate a and a latency g, with at least a (d - g) of processor time in every window of length d in which its owner is runnable.
    /// `None` for guarantees that bound no window, and for none that would fit.
    #[must_use]
    pub fn least_supply(&self) -> Option<(Ratio, Length)> {
        let gap = |x: Length, y: Length| y.checked_sub(x);
        match *self {
            Guarantee::All => Some((Ratio::ONE, Length::ZERO)),
            Guarantee::BasicHard(x, y)
            | Guarantee::BasicSoft(x, y)
            | Guarantee::Probabilistic(x, y, _) => {
                let latency = gap(x, y)?.checked_mul(Ratio::whole(2))?;
                Some((x.over(y)?, latency))
            }
            Guarantee::ContinuousHard(x, y)
            | Guarantee::ContinuousSoft(x, y)
            | Guarantee::NonPreemptive(x, y)
            | Guarantee::Synchronized(x, y, _) => Some((x.over(y)?, gap(x, y)?)),
            Guarantee::BoundedShare(share, error) => Some((share, error.checked_div(share)?)),
            Guarantee::Slower(_) | Guarantee::Share(_) | Guarantee::Null => None,
        }
        .filter(|(rate, _)| !rate.is_zero())
    }

    /// Whether it limits what its owner gets from above, too.
    #[must_use]
    pub const fn is_hard(&self) -> bool {
        matches!(self.kind(), Type::Resbh | Type::Resch | Type::Resnh | Type::Ressh)
    }

    /// The same without the limit from above (HLS 5.3.1.2): what a join makes of it.
    #[must_use]
    pub const fn soft(self) -> Guarantee {
        match self {
            Guarantee::BasicHard(x, y) => Guarantee::BasicSoft(x, y),
            Guarantee::ContinuousHard(x, y)
            | Guarantee::NonPreemptive(x, y)
            | Guarantee::Synchronized(x, y, _) => Guarantee::ContinuousSoft(x, y),
            other => other,
        }
    }

    /// The amount that a reservation gives in each period of length `period` from `begins` on, while its owner is
    /// runnable. `None` if these are not made up of whole periods of its own, which follow each other from `since` on, or
    /// if either start is unknown.
    #[must_use]
    pub fn in_periods(
        &self,
        since: Option<Instant>,
        period: Length,
        begins: Option<Instant>,
    ) -> Option<Length> {
        let ((x, y), since, begins) = (self.reservation()?, since?, begins?);
        let apart = since.since(begins).or_else(|| begins.since(since))?;
        let (apart, many) = (Length::from(apart).over(y)?, period.over(y)?);
        let whole = apart.denominator() == 1 && many.denominator() == 1;
        x.checked_mul(many).filter(|_| whole)
    }
}

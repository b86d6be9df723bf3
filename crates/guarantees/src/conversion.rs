//! How schedulers turn guarantees into guarantees (HLS 5.3.1, table 5.1).
//!
//! Each kind of scheduler implements [`Conversion`] in its own file, beside its admission: types and
//! numbers. The checker asks it three things: which types it can make use of, which parameter a
//! child has to send in order to get a guarantee, and what all children get with their parameters.

use crate::allowance::Allowance;
use crate::guarantee::{Guarantee, Type};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use windfall_time::{Instant, Ratio, Span};

/// How one instance of a scheduler converts guarantees: a line of table 5.1, with its numbers.
///
/// # The implementor promises
/// - C1. Every guarantee in an offer is kept in every run in which the own VPs' guarantees are kept,
///   whatever the other children do, while its child is runnable.
/// - C2. Monotone, while no further child is admitted: stronger own guarantees give no weaker offers; a child that
///   asks for less (a smaller amount, a smaller share) takes nothing from the others. A child that is refused does
///   not count.
///
/// ```
/// use windfall_guarantees::{ChildParam, ChildParams, Conversion, Guarantee, Offer, Supply, Type};
/// use windfall_time::Ratio;
///
/// /// Serves children in turn, for as long each: of a whole processor, each of n has the n-th part in the long run.
/// struct InTurn;
///
/// impl Conversion for InTurn {
///     fn takes(&self) -> &'static [Type] {
///         &[Type::All]
///     }
///     fn parameter_for(&self, asked: &Guarantee) -> Result<ChildParam, &'static str> {
///         match asked {
///             Guarantee::Share(_) => Ok(ChildParam::Nothing),
///             _ => Err("it gives PS"),
///         }
///     }
///     fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
///         let [Guarantee::All] = own.guarantees else {
///             return vec![Offer::nothing(); children.len()];
///         };
///         let part = i128::try_from(children.len()).ok().and_then(|n| Ratio::new(1, n));
///         let offer = Offer::exact(part.map(Guarantee::Share), "turns of one length");
///         vec![offer; children.len()]
///     }
/// }
///
/// let children = [ChildParams::default(); 3];
/// let offers = InTurn.give(Supply::of(&[Guarantee::All]), &children);
/// assert_eq!(offers[0].gives[0].guarantee.to_string(), "PS 1/3");
/// ```
pub trait Conversion: Send {
    /// The types of guarantee that it can make use of, the most useful first; what it is given is
    /// rewritten to these. None at all means any, as it is.
    fn takes(&self) -> &'static [Type];

    /// The parameter that a child has to send in order to be given `requested`, or a guarantee from
    /// which it follows.
    ///
    /// # Errors
    /// No child can be given that type here. The error says which can be given (`it gives ...`).
    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str>;

    /// The offer to each child, in the same order.
    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer>;

    /// By how much each child's `PS` may be behind, where the own VPs' shares may be behind by `behind`; as far as
    /// these together, for one that only hands on what it has. `None` where the numbers are too fine: then nothing is
    /// allowed.
    fn behind(
        &self,
        _own: Supply<'_>,
        behind: &[Allowance],
        children: &[ChildParams],
    ) -> Option<Vec<Allowance>> {
        let all = behind.iter().copied().try_fold(Allowance::ZERO, Allowance::checked_add)?;
        Some(vec![all; children.len()])
    }

    /// From now on timers go off up to `tick` late, so that what is given may be short of its guarantee,
    /// or over it, by less than a tick. Whether it can say what it gives then.
    fn at_ticks(&mut self, _tick: Span) -> bool {
        false
    }

    /// Whether a child without a reservation never runs, however idle the processor is.
    fn serves_reserved_alone(&self) -> bool {
        false
    }

    /// Whether children may get more than they are given in order to make up for time that was stolen
    /// from them, so that others below may get less as soon as anything is stolen (HLS 11.7.1).
    fn makes_up(&self) -> bool {
        false
    }

    /// Whether its scheduler declares the speed of the slower processor that it gives, so that the one below admits no more (`Context::set_speed` of crate `hierarchy`).
    /// Time on it counts by the deadlines that its owner reports, so a law lets such owners overrun rarely: a deadline reported too late shows nothing.
    fn declares_speed(&self) -> bool {
        false
    }
}

/// Guarantees of a scheduler's own VPs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Supply<'a> {
    /// One guarantee for each own VP, of a type that [`takes`](Conversion::takes) names, the same for all; or
    /// NULL for some, but not for all.
    pub guarantees: &'a [Guarantee],
    /// Since when the periods of each follow each other; empty, or `None`, where that is not known. It is
    /// known only in a tree whose schedulers all begin at time 0.
    pub since: &'a [Option<Instant>],
    /// Whether all own VPs stem from one processor, so that no two of them ever run at once.
    pub on_one: bool,
    /// Whether the scheduler above own VP 0 [declares its speed](Conversion::declares_speed).
    pub declared: bool,
}

impl<'a> Supply<'a> {
    /// Nothing is known but the guarantees.
    #[must_use]
    pub const fn of(guarantees: &'a [Guarantee]) -> Supply<'a> {
        Supply { guarantees, since: &[], on_one: false, declared: false }
    }

    /// The same, all from one processor.
    #[must_use]
    pub const fn on_one(guarantees: &'a [Guarantee]) -> Supply<'a> {
        Supply { guarantees, since: &[], on_one: true, declared: false }
    }

    /// The same, with the speed of own VP 0 declared.
    #[must_use]
    pub const fn declared(self) -> Supply<'a> {
        Supply { declared: true, ..self }
    }

    /// The same, with these guarantees.
    #[must_use]
    pub const fn guarantees(self, guarantees: &'a [Guarantee]) -> Supply<'a> {
        Supply { guarantees, ..self }
    }

    /// Since when the periods of an own VP's guarantee follow each other, where that is known.
    #[must_use]
    pub fn since(&self, own: usize) -> Option<Instant> {
        self.since.get(own).copied().flatten()
    }
}

/// A parameter that a child sends to a scheduler in order to be given a guarantee.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChildParam {
    /// Nothing: it is given what there is.
    Nothing,
    /// To reserve an amount in each period.
    Reserve {
        /// Processor time in each period.
        amount: Span,
        /// Length of a period.
        period: Span,
    },
    /// To reserve one piece in each period.
    Block {
        /// Processor time in each period.
        amount: Span,
        /// Length of a period.
        period: Span,
        /// A moment at which a piece begins.
        at: Option<Instant>,
    },
    /// A share of a processor; becomes a weight.
    Share(Ratio),
}

/// The parameters that a child has sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ChildParams {
    /// Amount and period of its reservation, or of its block.
    pub reserve: Option<(Span, Span)>,
    /// A moment at which its block begins.
    pub at: Option<Instant>,
    /// When it sends all these, where that is known: the periods of a reservation follow each other from then on.
    pub since: Option<Instant>,
    /// Its weight; what counts is the proportion to its siblings' weights.
    pub weight: Ratio,
    /// How far it may borrow against its future allocation.
    pub warp: Span,
    /// Its priority, the larger first; a child without one comes after all that have one.
    pub priority: Option<i32>,
    /// How often it works: longest work of a job if known, least time between jobs, relative deadline.
    pub rate: Option<(Option<Span>, Span, Span)>,
    /// The currency of its tickets.
    pub currency: Option<u32>,
    /// Whether it may run on some of its scheduler's virtual processors only.
    pub bound: bool,
}

impl Default for ChildParams {
    /// No parameter sent: weight 1.
    fn default() -> ChildParams {
        ChildParams {
            reserve: None,
            at: None,
            since: None,
            weight: Ratio::ONE,
            warp: Span::ZERO,
            priority: None,
            rate: None,
            currency: None,
            bound: false,
        }
    }
}

impl ChildParams {
    /// The same, with a reservation of this amount in each period.
    #[must_use]
    pub const fn reserve(mut self, amount: Span, period: Span) -> ChildParams {
        self.reserve = Some((amount, period));
        self
    }

    /// The same, sent at that instant, where that is known.
    #[must_use]
    pub fn since(mut self, since: impl Into<Option<Instant>>) -> ChildParams {
        self.since = since.into();
        self
    }

    /// The same, with this weight among siblings.
    #[must_use]
    pub const fn weight(mut self, weight: Ratio) -> ChildParams {
        self.weight = weight;
        self
    }

    /// The same, with so far to borrow.
    #[must_use]
    pub const fn warp(mut self, warp: Span) -> ChildParams {
        self.warp = warp;
        self
    }

    /// The same, with this priority.
    #[must_use]
    pub fn priority(mut self, priority: impl Into<Option<i32>>) -> ChildParams {
        self.priority = priority.into();
        self
    }

    /// The same, with tickets of this currency.
    #[must_use]
    pub const fn currency(mut self, currency: u32) -> ChildParams {
        self.currency = Some(currency);
        self
    }
}

/// A scheduler's offer to one child.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Offer {
    /// Guarantees that all hold at once, the tightest first; none means NULL.
    pub gives: Vec<Given>,
    /// Why it differs from the parameters sent, where it does.
    pub lacks: Option<String>,
}

/// A guarantee that is given, and by which reasoning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Given {
    /// The guarantee.
    pub guarantee: Guarantee,
    /// The rule: `equation 5.2`, `EDF with budgets`.
    pub by: &'static str,
    /// Since when its periods follow each other, whether its owner is runnable or not; `None` where they do
    /// not, or where that is not known.
    pub since: Option<Instant>,
}

impl Given {
    /// A guarantee, and by which rule it is given.
    #[must_use]
    pub const fn new(guarantee: Guarantee, by: &'static str) -> Given {
        Given { guarantee, by, since: None }
    }

    /// The same, in periods that follow each other since then.
    #[must_use]
    pub const fn since(mut self, since: Option<Instant>) -> Given {
        self.since = since;
        self
    }
}

impl Offer {
    /// Nothing, to a child that has sent no parameters.
    #[must_use]
    pub fn nothing() -> Offer {
        Offer::default()
    }

    /// Nothing, for a reason: a fact, then what would help.
    #[must_use]
    pub fn lacking(why: String) -> Offer {
        Offer { gives: Vec::new(), lacks: Some(why) }
    }

    /// One guarantee.
    #[must_use]
    pub fn one(guarantee: Guarantee, by: &'static str) -> Offer {
        Offer::all(vec![Given::new(guarantee, by)])
    }

    /// Guarantees that all hold at once, the tightest first.
    #[must_use]
    pub const fn all(gives: Vec<Given>) -> Offer {
        Offer { gives, lacks: None }
    }

    /// The same, with the reason why it differs from the parameters sent.
    #[must_use]
    pub fn lacks(mut self, why: String) -> Offer {
        self.lacks = Some(why);
        self
    }

    /// The same, in periods that follow each other since then.
    #[must_use]
    pub fn since(mut self, since: Option<Instant>) -> Offer {
        self.gives.iter_mut().for_each(|given| given.since = since);
        self
    }

    /// One guarantee, or nothing where its numbers were too fine to compute.
    #[must_use]
    pub fn exact(guarantee: Option<Guarantee>, by: &'static str) -> Offer {
        match guarantee {
            Some(guarantee) => Offer::one(guarantee, by),
            None => Offer::lacking("its numbers are too fine to be exact; use rounder ones".into()),
        }
    }
}

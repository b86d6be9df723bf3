//! The costs of requests by class: their bounds, learnt at a stated quantile (decision 0036, 5).
//!
//! Invariant: at most [`CLASSES`] classes with at most [`VALUES`] values each are kept; `sorted` has the values of `latest`.

use core::fmt;
use std::collections::{BTreeMap, VecDeque};
use windfall_time::{Span, quantile};

/// So many of the last costs of a class are kept.
pub const VALUES: u32 = 1_024;

/// So many classes are kept; for another, the one asked for least recently is forgotten.
pub const CLASSES: usize = 256;

/// Why costs cannot be learnt so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CostsError {
    /// The first bound is nothing.
    NoWork,
    /// The quantile is none, or above 1.
    NotAQuantile,
    /// The quantile cannot be told from the largest of the values that are kept.
    TooFine {
        /// So many values it would take.
        values: u32,
    },
}

impl fmt::Display for CostsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CostsError::NoWork => f.write_str("no work as the first bound; give at least 1ns"),
            CostsError::NotAQuantile => {
                f.write_str("not a quantile above 0 and up to 1; write 99 of 100")
            }
            CostsError::TooFine { values } => {
                write!(
                    f,
                    "that quantile takes {values} values, and {VALUES} are kept; ask for a lower one, or for the largest: 1 of 1"
                )
            }
        }
    }
}

impl core::error::Error for CostsError {}

/// The costs of all classes.
#[derive(Clone, Debug)]
pub struct Costs {
    first: Span,
    part: u32,
    of: u32,
    classes: BTreeMap<String, Class>,
    /// How often a bound was asked for.
    asked: u64,
    forgotten: u64,
}

#[derive(Clone, Debug, Default)]
struct Class {
    /// The number of the last question about it.
    asked: u64,
    latest: VecDeque<Span>,
    sorted: Vec<Span>,
    estimated: u64,
    exceeded: u64,
}

/// The bound of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bound {
    pub(super) work: Span,
    /// Whether it was learnt; else it is the one that was stated.
    pub(super) estimated: bool,
}

/// The statistics of a class.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ClassCosts {
    /// Its name.
    pub name: String,
    /// The bound of the next request.
    pub bound: Span,
    /// Whether that is learnt.
    pub is_estimated: bool,
    /// How many costs are kept.
    pub values: usize,
    /// How many tickets had learnt bounds.
    pub estimated: u64,
    /// How many of these exceeded them.
    pub exceeded: u64,
}

impl Costs {
    /// Bounds at the quantile `part` of `of` of the costs of a class, as 99 of 100; `first` until there are enough of them that it lies below the largest. 1 of 1 is the largest of
    /// [`VALUES`].
    ///
    /// # Errors
    /// When there is no first bound, or no such quantile.
    pub fn new(first: Span, part: u32, of: u32) -> Result<Costs, CostsError> {
        if first.is_zero() {
            return Err(CostsError::NoWork);
        }
        if part == 0 || part > of {
            return Err(CostsError::NotAQuantile);
        }
        let costs = Costs { first, part, of, classes: BTreeMap::new(), asked: 0, forgotten: 0 };
        let values = costs.enough();
        if values > VALUES { Err(CostsError::TooFine { values }) } else { Ok(costs) }
    }

    /// How many values it takes until the quantile is not simply the largest.
    fn enough(&self) -> u32 {
        let above = self.of - self.part;
        if above == 0 { VALUES } else { self.of.div_ceil(above) }
    }

    fn bound_of(&self, class: &Class) -> Bound {
        let enough = class.sorted.len() as u64 >= u64::from(self.enough());
        let learnt = quantile(&class.sorted, self.part, self.of).filter(|_| enough);
        let work = learnt.unwrap_or(self.first);
        Bound { work, estimated: learnt.is_some() }
    }

    /// The bound of a request.
    pub(super) fn bound(&mut self, name: &str) -> Bound {
        self.asked += 1;
        if !self.classes.contains_key(name) && self.classes.len() == CLASSES {
            let oldest = self.classes.iter().min_by_key(|(_, class)| class.asked);
            let oldest = oldest.map(|(name, _)| name.clone());
            self.forgotten +=
                u64::from(oldest.and_then(|name| self.classes.remove(&name)).is_some());
        }
        self.classes.entry(name.to_owned()).or_default().asked = self.asked;
        self.bound_of(&self.classes[name])
    }

    /// A request of the class has cost this.
    pub(super) fn learn(&mut self, name: &str, cost: Span) {
        // A class that was forgotten meanwhile begins anew with its next request.
        let Some(class) = self.classes.get_mut(name) else { return };
        if class.latest.len() as u64 == u64::from(VALUES)
            && let Some(oldest) = class.latest.pop_front()
            && let Ok(at) = class.sorted.binary_search(&oldest)
        {
            class.sorted.remove(at);
        }
        class.latest.push_back(cost);
        let at = class.sorted.partition_point(|value| *value <= cost);
        class.sorted.insert(at, cost);
    }

    /// A request with a learnt bound was admitted.
    pub(super) fn admitted(&mut self, name: &str) {
        if let Some(class) = self.classes.get_mut(name) {
            class.estimated += 1;
        }
    }

    /// It exceeded that.
    pub(super) fn exceeded(&mut self, name: &str) {
        if let Some(class) = self.classes.get_mut(name) {
            class.exceeded += 1;
        }
    }

    /// The statistics of each class, in order of name.
    pub(super) fn classes(&self) -> Vec<ClassCosts> {
        let each = self.classes.iter().map(|(name, class)| {
            let Bound { work: bound, estimated: is_estimated } = self.bound_of(class);
            let (name, values) = (name.clone(), class.latest.len());
            let Class { estimated, exceeded, .. } = *class;
            ClassCosts { name, bound, is_estimated, values, estimated, exceeded }
        });
        each.collect()
    }

    /// How many classes were forgotten.
    pub(super) const fn forgotten(&self) -> u64 {
        self.forgotten
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn us(n: u32) -> Span {
        Span::from_nanos(u64::from(n) * 1_000)
    }

    proptest! {
        /// The definition, over the last values.
        #[test]
        fn law_a_bound_is_the_quantile_of_the_latest_costs(
            costs in prop::collection::vec(1..200_u32, 1..1_500),
            part in 1..100_u32,
        ) {
            let mut learnt = Costs::new(us(500), part, 100).unwrap();
            let enough = 100_usize.div_ceil(100 - part as usize);
            learnt.bound("a");
            for (n, cost) in costs.iter().enumerate() {
                learnt.learn("a", us(*cost));
                if n % 97 != 0 && n + 1 != costs.len() {
                    continue;
                }
                let mut latest = costs[(n + 1).saturating_sub(VALUES as usize)..=n].to_vec();
                latest.sort_unstable();
                let bound = learnt.bound("a");
                prop_assert_eq!(bound.estimated, n + 1 >= enough);
                let rank = (latest.len() * part as usize).div_ceil(100);
                let expected = if n + 1 >= enough { latest[rank - 1] } else { 500 };
                prop_assert_eq!(bound.work, us(expected));
            }
        }
    }

    #[test]
    fn law_bounds_that_are_too_small_double_until_they_are_enough() {
        let mut costs = Costs::new(us(1), 9, 10).unwrap();
        let mut asked = 0;
        while costs.bound("a").work < us(1_000) {
            let bound = costs.bound("a").work;
            costs.learn("a", bound.saturating_mul(2));
            asked += 1;
        }
        // Ten doublings, each of a tenth of what was known at most.
        assert!(asked < 1_500, "{asked}");
        (0..VALUES).for_each(|_| costs.learn("a", us(900)));
        assert_eq!(costs.bound("a").work, us(900));
    }

    #[test]
    fn limit_the_class_asked_for_least_recently_is_forgotten() {
        let mut costs = Costs::new(us(1), 1, 2).unwrap();
        for n in 0..CLASSES {
            costs.bound(&n.to_string());
        }
        costs.bound("0");
        costs.bound("new");
        let names: Vec<String> = costs.classes().into_iter().map(|class| class.name).collect();
        assert_eq!((names.len(), costs.forgotten()), (CLASSES, 1));
        assert!(names.contains(&"0".to_owned()) && !names.contains(&"1".to_owned()));
        costs.learn("1", us(1));
        assert_eq!(costs.classes().len(), CLASSES);
    }

    #[test]
    fn refuses_no_work_and_quantiles_that_cannot_be_told() {
        let refused = |first, part, of| Costs::new(first, part, of).unwrap_err();
        assert_eq!(refused(Span::ZERO, 1, 2), CostsError::NoWork);
        assert_eq!(refused(us(1), 0, 2), CostsError::NotAQuantile);
        assert_eq!(refused(us(1), 3, 2), CostsError::NotAQuantile);
        assert_eq!(refused(us(1), 9_999, 10_000), CostsError::TooFine { values: 10_000 });
        assert!(Costs::new(us(1), 999, 1_000).is_ok());
        assert!(Costs::new(us(1), 1, 1).is_ok());
    }
}

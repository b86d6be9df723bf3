//! Modules that vote, fail for good, are replaced by spares and repaired: N-modular redundancy as a chain of few states.
//!
//! Assumptions. A1: modules fail independently at one rate. A2: a module that fails is noticed at once, and a spare takes its place. A3: voter, switch and repair do not fail. A4: the system fails, for good, once fewer modules work than are a majority of the replicas.
//!
//! The state is how many modules have failed. It changes by one at a time; so the mean time to failure is a sum, exact, and the reliability at a time is the chain's by uniformisation, with an error below 10^-12.

use core::fmt;

/// Redundant modules. Rates are per second; times in seconds.
///
/// ```
/// use windfall_reliability::Redundancy;
///
/// // Three modules that fail once in 1000 s each last 5/6 of that together: they are better only in short missions.
/// let triple = Redundancy::new(3, 0.001)?;
/// assert!((triple.mean_seconds() - 5000.0 / 6.0).abs() < 1e-9);
/// assert!(triple.reliability(10.0)? > (-0.001_f64 * 10.0).exp());
/// # Ok::<(), windfall_reliability::RedundancyError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Redundancy {
    replicas: u8,
    spares: u8,
    rate: f64,
    dormant: f64,
    repair: f64,
    crews: u8,
}

impl Redundancy {
    /// A system of this many replicas, each failing at this rate, without spares or repair.
    ///
    /// # Errors
    /// When there are none or more than 64, or the rate is not positive and finite.
    pub fn new(replicas: u8, rate: f64) -> Result<Redundancy, RedundancyError> {
        if !(1..=64).contains(&replicas) {
            return Err(RedundancyError::Modules { replicas, spares: 0 });
        }
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(RedundancyError::Rate { name: "failure", rate });
        }
        Ok(Redundancy { replicas, spares: 0, rate, dormant: 0.0, repair: 0.0, crews: 0 })
    }

    /// The same, with so many spares that fail at a rate of their own while they wait: 0 for cold spares, that of replicas for hot ones.
    ///
    /// # Errors
    /// When replicas and spares are more than 64, or the rate is negative or infinite.
    pub fn spares(self, spares: u8, dormant: f64) -> Result<Redundancy, RedundancyError> {
        if u16::from(self.replicas) + u16::from(spares) > 64 {
            return Err(RedundancyError::Modules { replicas: self.replicas, spares });
        }
        if !(dormant >= 0.0 && dormant.is_finite()) {
            return Err(RedundancyError::Rate { name: "dormant failure", rate: dormant });
        }
        Ok(Redundancy { spares, dormant, ..self })
    }

    /// The same, with failed modules repaired at this rate each, at most `crews` at a time.
    ///
    /// # Errors
    /// When the rate is negative or infinite, or nobody repairs.
    pub fn repair(self, rate: f64, crews: u8) -> Result<Redundancy, RedundancyError> {
        if !(rate >= 0.0 && rate.is_finite()) {
            return Err(RedundancyError::Rate { name: "repair", rate });
        }
        if crews == 0 {
            return Err(RedundancyError::NoCrew);
        }
        Ok(Redundancy { repair: rate, crews, ..self })
    }

    /// How many modules may have failed while the system works, from 0 on.
    fn working_states(&self) -> u8 {
        self.replicas + self.spares - self.replicas / 2
    }

    /// Rates from a state to the next and to the one before.
    fn rates(&self, failed: u8) -> (f64, f64) {
        let left = self.replicas + self.spares - failed;
        let active = left.min(self.replicas);
        let fails = f64::from(active) * self.rate + f64::from(left - active) * self.dormant;
        (fails, f64::from(failed.min(self.crews)) * self.repair)
    }

    /// The mean time to failure, in seconds, from all modules working.
    #[must_use]
    pub fn mean_seconds(&self) -> f64 {
        let (mut total, mut to_next) = (0.0, 0.0);
        for failed in 0..self.working_states() {
            let (fails, repaired) = self.rates(failed);
            to_next = (1.0 + repaired * to_next) / fails;
            total += to_next;
        }
        total
    }

    /// As many steps of the chain as are worth their time.
    const MOST_STEPS: f64 = 1e7;

    /// The probability that the system has not failed after so many seconds, from all modules working.
    ///
    /// # Errors
    /// [`RedundancyError::Time`] when the time is negative or no number, [`RedundancyError::Stiff`] when the modules change their state more than 10^7 times in it.
    pub fn reliability(&self, seconds: f64) -> Result<f64, RedundancyError> {
        if !(seconds >= 0.0 && seconds.is_finite()) {
            return Err(RedundancyError::Time { seconds });
        }
        let states: Vec<(f64, f64)> = (0..self.working_states()).map(|at| self.rates(at)).collect();
        let fastest = states.iter().map(|(up, down)| up + down).fold(0.0, f64::max);
        let steps = fastest * seconds;
        if steps > Redundancy::MOST_STEPS {
            return Err(RedundancyError::Stiff { steps, most: Redundancy::MOST_STEPS });
        }
        let mut now = vec![0.0; states.len()];
        now[0] = 1.0;
        // In parts, so that the first weight of Poisson, e^-steps, is no zero.
        let parts = (steps / 50.0).ceil().max(1.0);
        let mut left = parts;
        while left > 0.0 {
            now = uniformised(&states, fastest, steps / parts, now);
            left -= 1.0;
        }
        Ok(now.iter().sum::<f64>().min(1.0))
    }

    /// The seconds after which the system is no better than one module; `None` if it is better as long as one module has a chance of 10^-12, or never.
    ///
    /// # Errors
    /// The same as of [`Redundancy::reliability`].
    pub fn crossover_seconds(&self) -> Result<Option<f64>, RedundancyError> {
        let is_better = |seconds: f64| -> Result<bool, RedundancyError> {
            Ok(self.reliability(seconds)? > (-self.rate * seconds).exp())
        };
        let (mut low, mut high) = (0.01 / self.rate, 27.6 / self.rate);
        if !is_better(low)? || is_better(high)? {
            return Ok(None);
        }
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if is_better(middle)? {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(Some(high))
    }
}

/// The chain after steps at the fastest rate, whose number is of Poisson with this mean, at most 50.
fn uniformised(states: &[(f64, f64)], fastest: f64, mean: f64, mut now: Vec<f64>) -> Vec<f64> {
    let mut weight = (-mean).exp();
    let mut sum: Vec<f64> = now.iter().map(|share| share * weight).collect();
    let (mut seen, mut step) = (weight, 0.0);
    // Past the mean weights fall; what is left of them is less than 10^-15 of all.
    while 1.0 - seen > 1e-15 && step < 2.0 * mean + 100.0 {
        step += 1.0;
        let mut next = vec![0.0; now.len()];
        for (at, (up, down)) in states.iter().enumerate() {
            next[at] += now[at] * (1.0 - (up + down) / fastest);
            if at + 1 < next.len() {
                next[at + 1] += now[at] * up / fastest;
            }
            if at > 0 {
                next[at - 1] += now[at] * down / fastest;
            }
        }
        now = next;
        weight *= mean / step;
        seen += weight;
        for (total, share) in sum.iter_mut().zip(&now) {
            *total += share * weight;
        }
    }
    sum
}

/// The probability that at least `needed` of `count` independent events occur, each with this probability.
pub(crate) fn at_least(needed: u8, count: u8, each: f64) -> f64 {
    let mut ways = 1.0;
    let mut total = 0.0;
    for occurred in 0..=count {
        if occurred >= needed {
            total +=
                ways * each.powi(occurred.into()) * (1.0 - each).powi((count - occurred).into());
        }
        ways *= f64::from(count - occurred) / f64::from(occurred + 1);
    }
    f64::min(total, 1.0)
}

/// Why there is no such system, or no answer.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum RedundancyError {
    /// No module, or too many.
    Modules {
        /// Replicas that were asked.
        replicas: u8,
        /// Spares that were asked.
        spares: u8,
    },
    /// No rate.
    Rate {
        /// Which.
        name: &'static str,
        /// The value given, per second.
        rate: f64,
    },
    /// Repair by nobody.
    NoCrew,
    /// No time.
    Time {
        /// The value given.
        seconds: f64,
    },
    /// Rates so high for the time that the chain takes too many steps.
    Stiff {
        /// How many it would take.
        steps: f64,
        /// How many it may.
        most: f64,
    },
}

impl fmt::Display for RedundancyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RedundancyError::Modules { replicas, spares } => write!(
                f,
                "{replicas} replicas and {spares} spares; allowed: 1 replica or more, 64 modules together"
            ),
            RedundancyError::Rate { name, rate } => write!(
                f,
                "a {name} rate of {rate} per second; allowed: finite, and above 0 for replicas, 0 or more for spares and repair"
            ),
            RedundancyError::NoCrew => write!(f, "repair by 0 crews; allowed: 1 or more"),
            RedundancyError::Time { seconds } => {
                write!(f, "a time of {seconds} s; allowed: 0 or more, finite")
            }
            RedundancyError::Stiff { steps, most } => write!(
                f,
                "the rates allow {steps:.1e} changes in this time; allowed: {most:.0e}; ask for a shorter time, or for the mean"
            ),
        }
    }
}

impl core::error::Error for RedundancyError {}

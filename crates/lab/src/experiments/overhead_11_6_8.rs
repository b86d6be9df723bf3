//! Section 11.6.8: the cost that Rez-C and Rez-FB add to Rez, relative to the reservation that they serve.
//!
//! The hierarchy of chapter 11 is driven on this processor through one period after the other, tick by tick; what its decisions
//! take is measured, and under the augmented schedulers also the cost of reporting stolen time, once each tick of a block.

use super::{digits, with_confidence};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{ClaimStatus, Findings, Raw, Table, Verdict, record};
use crate::reservation::{AMOUNT, PERIOD, TICK, scenario};
use crate::statistics::{Mean, difference, mean};
use crate::trees::all_ready;
use windfall_clocks::Lap;
use windfall_hierarchy::{Hierarchy, Processor, ThreadId};
use windfall_schedulers::catalogue::Kind;
use windfall_schedulers::kinds;
use windfall_time::{Instant, Span};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "overhead-11-6-8",
    also: &[],
    title: "overhead of augmented reservations",
    source: "HLS 11.6.8",
    question: "how much of a reservation of 4 ms in 20 ms do Rez-C and Rez-FB cost more than Rez?",
    claim: "no more than in 2001: Rez-C 0.012 ± 0.0028 %, Rez-FB 0.017 ± 0.0024 %",
    hosts: &[Host::Here],
    absent: "what is measured is the scheduler's own code, which is the same on each host",
    run: findings,
};

/// A scheduler, and the cost that it added in 2001 with its confidence, in per cent of the reservation.
const AUGMENTED: [(&str, &Kind, f64, f64); 2] =
    [("Rez-C", kinds::REZ_C, 0.012, 0.0028), ("Rez-FB", kinds::REZ_FB, 0.017, 0.0024)];
/// The clock's period, 4096 Hz: timers go off at its ticks.
const CLOCK: Span = Span::from_nanos(244_141);

/// The hierarchy of chapter 11 below one clock, and its present time.
struct Driven {
    hierarchy: Hierarchy,
    app: ThreadId,
    /// Whether stolen time is reported.
    tells: bool,
    now: Instant,
}

impl Driven {
    fn new(rez: &Kind, tells: bool) -> Result<Driven, LabError> {
        let mut plan = scenario(rez, AMOUNT, Span::from_secs(1))?.build()?;
        let app = all_ready(&mut plan)?.first().copied();
        let app = app.ok_or_else(|| LabError::Run("there is no application".to_owned()))?;
        Ok(Driven { hierarchy: plan.hierarchy, app, tells, now: Instant::ZERO })
    }

    /// The cost of its scheduling in `periods` periods, in per cent of the time that is reserved in them.
    fn overhead(&mut self, periods: u32) -> Result<f64, LabError> {
        let span = PERIOD.saturating_mul(periods.into());
        let end = self.now.saturating_add(span);
        let lap = Lap::begin();
        while self.now < end {
            self.now = self.now.saturating_add(CLOCK);
            if self.tells && self.hierarchy.running(Processor(0)) == Some(self.app) {
                self.hierarchy.report_stolen(Processor(0), TICK)?;
            }
            if self.hierarchy.next_timer().is_some_and(|at| at <= self.now) {
                self.hierarchy.timer_due(self.now)?;
                while self.hierarchy.next_changed().is_some() {}
            }
        }
        let reserved = AMOUNT.as_secs_f64() * f64::from(periods);
        Ok(lap.passed().as_secs_f64() / reserved * 100.0)
    }
}

/// Whether no more is added than in 2001, if the uncertainty allows a decision.
fn standing((paper, spread): (f64, f64), added: Mean) -> ClaimStatus {
    let most = paper + spread;
    if added.value - added.confidence > most {
        ClaimStatus::Refuted
    } else if added.value + added.confidence <= most {
        ClaimStatus::Stands
    } else {
        ClaimStatus::Open
    }
}

/// A scheduler that adds more refutes the claim; an uncertain one decides nothing.
fn verdict(all: &[ClaimStatus], why: String) -> Verdict {
    let any = |standing| all.contains(&standing);
    let standing = [ClaimStatus::Refuted, ClaimStatus::Open].into_iter().find(|one| any(*one));
    Verdict { standing: standing.unwrap_or(ClaimStatus::Stands), why }
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let (rounds, periods) = settings.either((400, 500), (20, 50));
    (settings.progress)(&format!("{rounds} rounds of {periods} periods"));
    let names = [kinds::REZ, AUGMENTED[0].1, AUGMENTED[1].1];
    // Rez does not ask for stolen time.
    let driven = names.iter().zip([false, true, true]).map(|(rez, tells)| Driven::new(rez, tells));
    let mut driven = driven.collect::<Result<Vec<_>, _>>()?;
    let mut samples = vec![Vec::new(); names.len()];
    for _ in 0..rounds {
        for (driven, samples) in driven.iter_mut().zip(&mut samples) {
            samples.push(driven.overhead(periods)?);
        }
    }
    let head = ["", "paper", "here", "scheduling in all, here"];
    let title = "added to Rez, in per cent of the reserved time";
    let mut table = Table::new(title, 1, &head);
    let (mut standings, mut told) = (Vec::new(), Vec::new());
    for ((name, _, paper, spread), found) in AUGMENTED.iter().zip(&samples[1..]) {
        let added = difference(found, &samples[0]);
        standings.push(standing((*paper, *spread), added));
        told.push(format!("{name} adds {} %", with_confidence(added)));
        let paper = format!("{} ± {spread}", digits(*paper));
        let all = with_confidence(mean(found));
        table.rows.push(vec![(*name).to_owned(), paper, with_confidence(added), all]);
    }
    let rez = with_confidence(mean(&samples[0]));
    table.rows.push(vec!["Rez".to_owned(), "-".to_owned(), "-".to_owned(), rez]);
    let rows = names.iter().zip(&samples).flat_map(|(name, samples)| {
        samples.iter().enumerate().map(move |(round, percent)| record![name, round, percent])
    });
    Ok(Findings {
        circumstances: vec![
            crate::machine::here(),
            format!("{rounds} rounds of {periods} periods each, in turns; 95 % confidence"),
        ],
        tables: vec![table],
        figures: Vec::new(),
        raw: vec![Raw::csv("overhead-11-6-8", "scheduler,round,percent", rows)],
        notes: vec![
            "All decisions of a period are counted, those for the other thread, too; the paper measured how much less its \
             application received on a processor of 500 MHz. Stolen time is told once each tick of a block, and not to Rez."
                .to_owned(),
        ],
        verdict: verdict(&standings, told.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_what_was_added_in_2001_and_refuses_more() {
        let of = |value| Mean { value, confidence: 0.001, count: 400 };
        let [(_, _, paper, spread), _] = AUGMENTED;
        let standings = [0.012, 0.0157, 0.02].map(|value| standing((paper, spread), of(value)));
        assert_eq!(standings, [ClaimStatus::Stands, ClaimStatus::Open, ClaimStatus::Refuted]);
        let of_all = |all: &[ClaimStatus]| verdict(all, String::new()).standing;
        assert_eq!(of_all(&standings), ClaimStatus::Refuted);
        assert_eq!(of_all(&standings[..2]), ClaimStatus::Open);
        assert_eq!(of_all(&standings[..1]), ClaimStatus::Stands);
    }

    #[test]
    fn paper_the_application_has_its_reservation_under_each() {
        for (rez, tells) in [(kinds::REZ, false), (kinds::REZ_C, true), (kinds::REZ_FB, true)] {
            let mut driven = Driven::new(rez, tells).unwrap_or_else(|why| panic!("{why}"));
            let mut ran = 0;
            for _ in 0..8_200 {
                driven.now = driven.now.saturating_add(CLOCK);
                ran += u64::from(driven.hierarchy.running(Processor(0)) == Some(driven.app));
                assert!(driven.hierarchy.timer_due(driven.now).is_ok());
            }
            // 4 ms end at the 17th tick, of 82 in a period.
            assert!((1_600..=1_800).contains(&ran), "{rez}: {ran} ticks of 100 periods");
        }
    }
}

//! Telling time (AIRLAB, 3): what a look at the clock costs alone and all at once, how fine it is, and how the processors' counters differ and drift.
//!
//! Two counters are compared by round trips: the other's look lies between two of one's own, so that their difference is known to within half of the shortest trip. Drift is what that difference gains.

use super::{grouped, shown};
use crate::experiment::LabError;
use crate::findings::Table;
use crate::validate::found::{Better, Found, Level, Metric, Sentence, Unit};
use crate::validate::machine::{Core, Machine, RoundTrip};
use crate::validate::options::Options;
use crate::validate::part::Part;
use std::sync::atomic::Ordering;
use windfall_clocks::Samples;
use windfall_time::{Instant, Span};

pub(crate) const PART: Part = Part {
    name: "time",
    title: "telling time: cost, resolution, contention, skew and drift",
    question: "what does a look at the clock cost, how fine is it, and do all processors agree on the time?",
    run: found,
};

/// Looks at the clock in a row, of which the mean is one sample.
const LOOKS: u32 = 1_000;
const BATCHES: usize = 200;
/// Round trips, of which the shortest count.
const TRIPS: u32 = 20_000;
/// So often it is looked at whether to end.
const NAP: Span = Span::from_millis(100);
/// Counters that gain more than this on each other are not one clock.
const DRIFT: u64 = 1_000;

/// The costs of reading a clock on a processor.
struct Looks {
    processor: u16,
    /// Of a thousand each.
    batches: Samples,
    /// The least step that it was seen to make.
    step: Span,
}

impl Looks {
    /// A look, in picoseconds.
    fn cost(&self) -> u64 {
        self.batches.median().as_nanos() * 1_000 / u64::from(LOOKS)
    }
}

fn looks(core: &mut dyn Core, processor: u16) -> Looks {
    let mut step = None;
    let mut last = core.now();
    for _ in 0..LOOKS {
        let now = core.now();
        let gone = now.saturating_since(last);
        if !gone.is_zero() {
            step = Some(step.map_or(gone, |least: Span| least.min(gone)));
        }
        last = now;
    }
    let batch = |_| {
        let begun = core.now();
        (1..LOOKS).for_each(|_| {
            core.now();
        });
        core.now().saturating_since(begun)
    };
    Looks {
        processor,
        batches: Samples::of((0..BATCHES).map(batch).collect()),
        step: step.unwrap_or(Span::ZERO),
    }
}

fn measured(machine: &dyn Machine, on: &[u16]) -> Result<Vec<Looks>, LabError> {
    let body = |processor: u16, core: &mut dyn Core| looks(core, processor);
    Ok(machine.gather(on, body)?.0)
}

/// How far another processor's counter was ahead, in nanoseconds, by how much that may be wrong, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ahead {
    by: i64,
    doubt: u64,
    at: Instant,
}

/// From the shortest of these trips.
fn ahead(trips: &[RoundTrip]) -> Option<Ahead> {
    let shortest = trips.iter().min_by_key(|trip| trip.back.saturating_since(trip.sent))?;
    let whole = shortest.back.saturating_since(shortest.sent).as_nanos();
    let middle = shortest.sent.saturating_add(Span::from_nanos(whole / 2));
    let by = middle.slack_until(shortest.seen)?.as_nanos();
    Some(Ahead { by, doubt: whole.div_ceil(2), at: shortest.sent })
}

/// The drift of a counter, and its uncertainty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Drift {
    gains: bool,
    ppb: u64,
    doubt_ppb: u64,
}

/// A counter beside that of the first processor.
struct Compared {
    processor: u16,
    first: Ahead,
    last: Ahead,
}

impl Compared {
    fn over(&self) -> Span {
        self.last.at.saturating_since(self.first.at)
    }

    fn drift(&self) -> Drift {
        let over = self.over().as_nanos().max(1);
        let parts = |ns: u64| ns.saturating_mul(1_000_000_000) / over;
        let gained = self.last.by.saturating_sub(self.first.by);
        let doubt_ppb = parts(self.first.doubt + self.last.doubt);
        Drift { gains: gained > 0, ppb: parts(gained.unsigned_abs()), doubt_ppb }
    }

    /// Whether it gains more than can be a mistake of the comparison, and more than matters.
    fn drifts(&self) -> bool {
        let Drift { ppb, doubt_ppb, .. } = self.drift();
        ppb > doubt_ppb.max(DRIFT)
    }

    /// Whether the two differ by more than can be a mistake of the comparison.
    fn is_apart(&self) -> bool {
        self.first.by.unsigned_abs() > self.first.doubt
    }
}

fn found(machine: &dyn Machine, options: &Options) -> Result<Found, LabError> {
    let mut found = Found::default();
    let over = options.either(Span::from_secs(20), Span::from_secs(3));
    let others: Vec<u16> = machine.processors().iter().skip(1).copied().collect();
    let first = machine.processors().first().copied().unwrap_or(0);
    let stopped = &options.stopped;
    let compare = || -> Result<Vec<Option<Ahead>>, LabError> {
        others.iter().map(|other| Ok(ahead(&machine.round_trips(first, *other, TRIPS)?))).collect()
    };
    let before = compare()?;
    let alone: Vec<Looks> = machine
        .processors()
        .iter()
        .map(|one| measured(machine, &[*one]))
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect();
    let together = measured(machine, machine.processors())?;
    machine.on_each(&[first], &|_, core: &mut dyn Core| {
        let end = core.now() + over;
        while !stopped.load(Ordering::Relaxed) && core.now() < end {
            let next = core.now() + NAP;
            core.sleep_until(next.min(end));
        }
    })?;
    let after = compare()?;
    let compared: Vec<Compared> = others
        .iter()
        .zip(before.into_iter().zip(after))
        .filter_map(|(processor, (first, last))| {
            Some(Compared { processor: *processor, first: first?, last: last? })
        })
        .collect();
    found.circumstances.push(format!("{BATCHES} times {LOOKS} looks at the clock on each processor; {TRIPS} round trips, again after {}", shown(over)));
    says_cost(&mut found, &alone, &together);
    says_skew(&mut found, first, &compared);
    found.tables.push(costs(&alone, &together));
    if compared.is_empty() {
        found.not_done("skew and drift of counters", "this process may use one processor only");
    } else {
        found.tables.push(skews(first, &compared));
    }
    for looks in &alone {
        let name = format!("time.look.cpu{}", looks.processor);
        let metric = Metric::new(name, looks.cost(), Unit::Picoseconds, Better::Lower);
        found.metrics.push(metric.noise(100, 5_000));
    }
    for one in &compared {
        let name = format!("time.drift.cpu{}", one.processor);
        let metric = Metric::new(name, one.drift().ppb, Unit::PartsPerBillion, Better::Lower);
        found.metrics.push(metric.noise(100, 2 * DRIFT));
    }
    Ok(found)
}

/// Thousandths as tenths: picoseconds in nanoseconds, parts in 10^9 in ppm.
fn tenths(thousandths: u64) -> String {
    format!("{}.{}", thousandths / 1_000, thousandths % 1_000 / 100)
}

fn says_cost(found: &mut Found, alone: &[Looks], together: &[Looks]) {
    let most = alone.iter().map(Looks::cost).max().unwrap_or(0);
    let all = together.iter().map(Looks::cost).max().unwrap_or(0);
    let step = alone.iter().map(|looks| looks.step).max().unwrap_or(Span::ZERO);
    let mut text = format!(
        "A look at the clock takes {} ns, and the clock goes on in steps of {} at least",
        tenths(most),
        shown(step)
    );
    // Half as much again is more than interrupts add.
    if all * 2 > most * 3 {
        text.push_str(&format!("; {} ns where all processors look at once", tenths(all)));
    }
    text.push('.');
    if most > 200_000 {
        let text = format!(
            "{text} That is a system call each time, which makes short measurements doubtful."
        );
        let remedy = "let the kernel use the processor's counter as its clock (clocksource=tsc), or see `windfall doctor`";
        found.sentences.push(Sentence::new(Level::Warning, text).remedy(remedy));
    } else {
        found.says(Level::Fact, text);
    }
}

fn says_skew(found: &mut Found, first: u16, compared: &[Compared]) {
    for one in compared.iter().filter(|one| one.drifts()) {
        let Drift { gains, ppb, doubt_ppb } = one.drift();
        let word = if gains { "gains" } else { "loses" };
        let text = format!(
            "The counter of processor {} drifts: it {word} {} ppm (± {}) on that of processor {first}.",
            one.processor,
            tenths(ppb),
            tenths(doubt_ppb)
        );
        let remedy = "take no times of one processor for those of another; use the kernel's clocks, with a clock source that all share";
        found.sentences.push(Sentence::new(Level::Warning, text).remedy(remedy));
    }
    let apart = compared.iter().filter(|one| !one.drifts() && one.is_apart());
    for one in apart {
        let by = one.first.by.unsigned_abs();
        let word = if one.first.by > 0 { "ahead of" } else { "behind" };
        let text = format!(
            "The counter of processor {} is {} {word} that of processor {first} (± {} ns).",
            one.processor,
            shown(Span::from_nanos(by)),
            one.first.doubt
        );
        found.says(Level::Warning, text);
    }
    let alike = compared.iter().filter(|one| !one.drifts() && !one.is_apart());
    if let Some(doubt) = alike.map(|one| one.first.doubt).max() {
        found.says(
            Level::Fact,
            format!(
                "Counters of processors agree within {doubt} ns, which is half of a round trip."
            ),
        );
    }
}

fn costs(alone: &[Looks], together: &[Looks]) -> Table {
    let title = "a look at the clock by which threads sleep, ns";
    let head = ["processor", "alone", "all at once", "least step"];
    let mut table = Table::new(title, 1, &head);
    for (one, all) in alone.iter().zip(together) {
        table.rows.push(vec![
            one.processor.to_string(),
            tenths(one.cost()),
            tenths(all.cost()),
            one.step.as_nanos().to_string(),
        ]);
    }
    table
}

fn skews(first: u16, compared: &[Compared]) -> Table {
    let title = format!("counters beside that of processor {first}");
    let head = ["processor", "ahead by, ns", "± ns", "gains, ppb", "± ppb", "over"];
    let mut table = Table::new(&title, 1, &head);
    for one in compared {
        let Drift { gains, ppb, doubt_ppb } = one.drift();
        table.rows.push(vec![
            one.processor.to_string(),
            one.first.by.to_string(),
            one.first.doubt.to_string(),
            format!("{}{ppb}", if gains { "" } else { "-" }),
            grouped(doubt_ppb),
            shown(one.over()),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_the_shortest_trip_bounds_the_difference() {
        let at = Instant::from_nanos;
        let trip = |sent, seen, back| RoundTrip { sent: at(sent), seen: at(seen), back: at(back) };
        let found =
            ahead(&[trip(100, 900, 500), trip(1_000, 1_130, 1_060), trip(2_000, 2_000, 3_000)]);
        assert_eq!(found, Some(Ahead { by: 100, doubt: 30, at: at(1_000) }));
        assert_eq!(ahead(&[]), None);
    }

    #[test]
    fn law_drift_is_told_from_the_doubt_of_the_comparison() {
        let at = |by, doubt, ns| Ahead { by, doubt, at: Instant::from_nanos(ns) };
        let second = 1_000_000_000;
        let of = |gained, doubt| Compared {
            processor: 1,
            first: at(0, doubt, 0),
            last: at(gained, doubt, second),
        };
        assert!(of(5_000, 50).drifts() && of(-5_000, 50).drifts());
        assert!(!of(5_000, 3_000).drifts() && !of(900, 50).drifts());
        let drift = Drift { gains: true, ppb: 5_000, doubt_ppb: 100 };
        assert_eq!(of(5_000, 50).drift(), drift);
    }
}

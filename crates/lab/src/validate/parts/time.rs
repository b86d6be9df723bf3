//! Telling time (AIRLAB, 3): what a look at the clock costs alone and all at once, how fine it is, and how the processors' counters differ and drift.
//!
//! Two counters are compared by round trips: the other's look lies between two of one's own, so that their difference is known to within half of the shortest trip. Drift is what that difference gains.

use super::{grouped, shown};
use crate::experiment::LabError;
use crate::findings::Table;
use crate::validate::found::{Better, Found, Level, Metric, Sentence, Unit};
use crate::validate::machine::{Core, Machine, RoundTrip};
use crate::validate::options::Options;
use crate::validate::suite::Part;
use std::sync::Mutex;
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
/// Counters that gain more than this on each other are not one clock.
const DRIFT: u64 = 1_000;

/// What looks at a clock cost on a processor.
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
    let all = Mutex::new(Vec::new());
    let body = |processor: u16, core: &mut dyn Core| {
        let looks = looks(core, processor);
        if let Ok(mut all) = all.lock() {
            all.push(looks);
        }
    };
    machine.on_each(on, &body)?;
    let mut all = all.into_inner().unwrap_or_default();
    all.sort_by_key(|looks| looks.processor);
    Ok(all)
}

/// How far another processor's counter was ahead, in nanoseconds, by how much that may be wrong, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ahead {
    by: i128,
    doubt: u64,
    at: Instant,
}

/// From the shortest of these trips.
fn ahead(trips: &[RoundTrip]) -> Option<Ahead> {
    let shortest = trips.iter().min_by_key(|trip| trip.back.saturating_since(trip.sent))?;
    let whole = shortest.back.saturating_since(shortest.sent).as_nanos();
    let middle = i128::from(shortest.sent.as_nanos()) + i128::from(whole / 2);
    let by = i128::from(shortest.seen.as_nanos()) - middle;
    Some(Ahead { by, doubt: whole.div_ceil(2), at: shortest.sent })
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

    /// What it gains, in parts in 10^9, and by how much that may be wrong.
    fn drift(&self) -> (i128, u64) {
        let over = i128::from(self.over().as_nanos()).max(1);
        let gained = (self.last.by - self.first.by) * 1_000_000_000 / over;
        let doubt = i128::from(self.first.doubt + self.last.doubt) * 1_000_000_000 / over;
        (gained, u64::try_from(doubt).unwrap_or(u64::MAX))
    }

    /// Whether it gains more than can be a mistake of the comparison, and more than matters.
    fn drifts(&self) -> bool {
        let (gained, doubt) = self.drift();
        gained.unsigned_abs() > u128::from(doubt) && gained.unsigned_abs() > u128::from(DRIFT)
    }

    /// Whether the two differ by more than can be a mistake of the comparison.
    fn is_apart(&self) -> bool {
        self.first.by.unsigned_abs() > u128::from(self.first.doubt)
    }
}

fn found(machine: &dyn Machine, options: &Options<'_>) -> Result<Found, LabError> {
    let mut found = Found::default();
    let over = options.either(Span::from_secs(20), Span::from_secs(3));
    let others: Vec<u16> = machine.processors().iter().skip(1).copied().collect();
    let first = machine.processors().first().copied().unwrap_or(0);
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
        core.sleep_until(end);
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
        let gained = u64::try_from(one.drift().0.unsigned_abs()).unwrap_or(u64::MAX);
        let metric = Metric::new(name, gained, Unit::PartsPerBillion, Better::Lower);
        found.metrics.push(metric.noise(100, 2 * DRIFT));
    }
    Ok(found)
}

fn ns(picoseconds: u64) -> String {
    format!("{}.{}", picoseconds / 1_000, picoseconds % 1_000 / 100)
}

fn says_cost(found: &mut Found, alone: &[Looks], together: &[Looks]) {
    let most = alone.iter().map(Looks::cost).max().unwrap_or(0);
    let all = together.iter().map(Looks::cost).max().unwrap_or(0);
    let step = alone.iter().map(|looks| looks.step).max().unwrap_or(Span::ZERO);
    let mut text = format!(
        "A look at the clock takes {} ns, and the clock goes on in steps of {} at least",
        ns(most),
        shown(step)
    );
    // Half as much again is more than interrupts add.
    if all * 2 > most * 3 {
        text.push_str(&format!("; {} ns where all processors look at once", ns(all)));
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
        let (gained, doubt) = one.drift();
        let (word, parts) = (if gained > 0 { "gains" } else { "loses" }, gained.unsigned_abs());
        let text = format!(
            "The counter of processor {} drifts: it {word} {}.{} ppm (± {}.{}) on that of processor {first}.",
            one.processor,
            parts / 1_000,
            parts % 1_000 / 100,
            doubt / 1_000,
            doubt % 1_000 / 100
        );
        let remedy = "take no times of one processor for those of another; use the kernel's clocks, with a clock source that all share";
        found.sentences.push(Sentence::new(Level::Warning, text).remedy(remedy));
    }
    let apart = compared.iter().filter(|one| !one.drifts() && one.is_apart());
    for one in apart {
        let by = u64::try_from(one.first.by.unsigned_abs()).unwrap_or(u64::MAX);
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
            ns(one.cost()),
            ns(all.cost()),
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
        let (gained, doubt) = one.drift();
        table.rows.push(vec![
            one.processor.to_string(),
            one.first.by.to_string(),
            one.first.doubt.to_string(),
            gained.to_string(),
            grouped(doubt),
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
        assert_eq!(of(5_000, 50).drift(), (5_000, 100));
    }
}

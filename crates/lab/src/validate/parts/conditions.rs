//! Conditions that spoil all later measurements: stolen time, long interrupts, and the warnings of `doctor`.
//!
//! A loop on each processor does nothing but look at the clock. Two looks further apart than an interrupt takes mean that the processor was not there.

use super::{LEAST_GAP, grouped, processors, shown};
use crate::experiment::LabError;
use crate::findings::Table;
use crate::validate::found::{Better, Found, Level, Metric, Sentence, Unit};
use crate::validate::machine::{Class, Core, Machine};
use crate::validate::options::Options;
use crate::validate::part::Part;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};
use windfall_clocks::poll;
use windfall_doctor::State;
use windfall_time::{Instant, Span};

pub(crate) const PART: Part = Part {
    name: "conditions",
    title: "what spoils other results: stolen time, long interrupts, missing rights",
    question: "how much of a processor does a thread get that nothing on this machine should interrupt, and what does `windfall doctor` find amiss?",
    run: found,
};

/// More than an interrupt takes; the processor was not there meanwhile.
const AWAY: Span = Span::from_nanos(200_000);
/// An interrupt of this length matters to whoever has periods of a millisecond.
const LONG: Span = Span::from_nanos(50_000);
/// So long a processor is looked at, and so long it is left alone then.
const STRETCH: Span = Span::from_millis(20);
const PAUSE: Span = Span::from_millis(10);
/// So many such stretches, in a fourth of the time for which the machine is measured under load.
const STRETCHES: RangeInclusive<u64> = 10..=1_000;

/// The time that a processor lost.
struct Lost {
    processor: u16,
    looked: Span,
    interrupts: Vec<Span>,
    away: Vec<Span>,
}

fn sum(spans: &[Span]) -> Span {
    spans.iter().fold(Span::ZERO, |sum, one| sum.saturating_add(*one))
}

fn most(spans: &[Span]) -> Span {
    spans.iter().copied().max().unwrap_or(Span::ZERO)
}

fn looks(core: &mut dyn Core, processor: u16, stretches: u64, stopped: &AtomicBool) -> Lost {
    let mut lost = Lost { processor, looked: Span::ZERO, interrupts: Vec::new(), away: Vec::new() };
    for _ in 0..stretches {
        if stopped.load(Ordering::Relaxed) {
            break;
        }
        let next = core.now() + PAUSE;
        core.sleep_until(next);
        let begun = core.now();
        let gap = |from, to: Instant| {
            let gap = to.saturating_since(from);
            if gap > AWAY { lost.away.push(gap) } else { lost.interrupts.push(gap) }
        };
        let last = poll(|| core.now(), begun, begun + STRETCH, LEAST_GAP, gap);
        lost.looked += last.saturating_since(begun);
    }
    lost
}

fn found(machine: &dyn Machine, options: &Options) -> Result<Found, LabError> {
    let mut found = Found::default();
    found.circumstances.push(machine.line());
    let stretches = options.length.as_nanos() / 4 / (STRETCH + PAUSE).as_nanos();
    let stretches = stretches.clamp(*STRETCHES.start(), *STRETCHES.end());
    let (before, stopped) = (machine.stolen(), &options.stopped);
    let body = |processor: u16, core: &mut dyn Core| looks(core, processor, stretches, stopped);
    let (all, class) = machine.gather(machine.processors(), body)?;
    let after = machine.stolen();
    if class == Class::Ordinary {
        let text = "All was measured at an ordinary priority, because threads of this user may not become real-time: what other programs took counts as lost.";
        let remedy = "run as root, or grant CAP_SYS_NICE; see `windfall doctor`";
        found.sentences.push(Sentence::new(Level::Warning, text).remedy(remedy));
        let why = format!("threads of this user may not become real-time; {remedy}");
        found.not_done("anything at a real-time priority", why);
    }
    says_away(&mut found, &all, class);
    says_interrupts(&mut found, &all);
    says_stolen(&mut found, before, after);
    found.tables.push(table(&all));
    for lost in &all {
        metrics(&mut found, lost);
    }
    if machine.is_here() {
        examined(&mut found);
    } else {
        found.not_done("what `windfall doctor` looks at", "a simulated machine has no kernel");
    }
    Ok(found)
}

fn says_away(found: &mut Found, all: &[Lost], class: Class) {
    let taker = match class {
        Class::RealTime => {
            "a hypervisor, the firmware, or the kernel's throttle of real-time threads"
        }
        Class::Ordinary => "other programs of this machine, or a hypervisor",
    };
    let away: Vec<_> = all.iter().filter(|lost| !lost.away.is_empty()).collect();
    if away.is_empty() {
        let looked = all.iter().map(|lost| lost.looked).min().unwrap_or(Span::ZERO);
        found.says(
            Level::Fact,
            format!(
                "No processor was taken away for more than {} while it was looked at for {}.",
                shown(AWAY),
                shown(looked)
            ),
        );
        return;
    }
    for lost in away {
        let (times, looked) = (lost.away.len(), shown(lost.looked));
        let (whole, longest) = (shown(sum(&lost.away)), shown(most(&lost.away)));
        let often = if times == 1 { "once".to_owned() } else { format!("{times} times") };
        let text = format!(
            "Processor {} was taken away {often} in {looked}, for {whole} in all and {longest} at the longest: {taker}. All results hold such times, too.",
            lost.processor
        );
        let remedy = "on a virtual machine, have its processors pinned by the host, and give the host less other work; on hardware, look for firmware interrupts in the BIOS settings";
        found.sentences.push(Sentence::new(Level::Warning, text).remedy(remedy));
    }
}

fn says_interrupts(found: &mut Found, all: &[Lost]) {
    let longest = all.iter().max_by_key(|lost| most(&lost.interrupts));
    let Some(longest) = longest.filter(|lost| !lost.interrupts.is_empty()) else { return };
    let most = most(&longest.interrupts);
    let (level, long) = if most > LONG { (Level::Warning, "long ") } else { (Level::Fact, "") };
    let mut sentence = Sentence::new(
        level,
        format!(
            "There were {long}interrupts of up to {} on processor {}.",
            shown(most),
            longest.processor
        ),
    );
    if level == Level::Warning {
        sentence = sentence.remedy(format!(
            "move device interrupts to other processors (/proc/irq/*/smp_affinity), and keep the thread away from processor {}",
            longest.processor
        ));
    }
    found.sentences.push(sentence);
}

fn says_stolen(
    found: &mut Found,
    before: Option<Vec<(u16, Span)>>,
    after: Option<Vec<(u16, Span)>>,
) {
    let (Some(before), Some(after)) = (before, after) else {
        found.not_done("what the kernel counts as stolen", "/proc/stat cannot be read here");
        return;
    };
    let stolen: Vec<u16> = before
        .iter()
        .zip(&after)
        .filter(|((_, before), (_, after))| after > before)
        .map(|((processor, _), _)| *processor)
        .collect();
    if !stolen.is_empty() {
        let text = format!(
            "The kernel, too, counts time that a hypervisor took meanwhile, on {}.",
            processors(&stolen)
        );
        found.says(Level::Warning, text);
    }
}

fn table(all: &[Lost]) -> Table {
    let title = "what was taken from a loop that only looks at the clock";
    let head = [
        "processor",
        "looked at for",
        "interrupts",
        "longest",
        "away",
        "in all",
        "longest away",
        "lost, ppm",
    ];
    let mut table = Table::new(title, 1, &head);
    for lost in all {
        table.rows.push(vec![
            lost.processor.to_string(),
            shown(lost.looked),
            grouped(lost.interrupts.len() as u64),
            shown(most(&lost.interrupts)),
            grouped(lost.away.len() as u64),
            shown(sum(&lost.away)),
            shown(most(&lost.away)),
            grouped(lost_ppm(lost)),
        ]);
    }
    table
}

fn lost_ppm(lost: &Lost) -> u64 {
    let taken = sum(&lost.interrupts) + sum(&lost.away);
    taken.as_nanos().saturating_mul(1_000_000) / lost.looked.as_nanos().max(1)
}

fn metrics(found: &mut Found, lost: &Lost) {
    let name = |what: &str| format!("conditions.{what}.cpu{}", lost.processor);
    let share = Metric::new(name("lost"), lost_ppm(lost), Unit::PartsPerMillion, Better::Lower);
    found.metrics.push(share.noise(100, 2_000));
    let longest = Metric::time(name("interrupt-max"), most(&lost.interrupts));
    found.metrics.push(longest.noise(100, 50_000));
    let away = Metric::time(name("away-max"), most(&lost.away));
    found.metrics.push(away.noise(300, 1_000_000));
}

/// The warnings of `doctor`, each with its remedy.
fn examined(found: &mut Found) {
    let examination = match windfall_doctor::examine() {
        Ok(examination) => examination,
        Err(why) => return found.not_done("what `windfall doctor` looks at", why.to_string()),
    };
    let mut table =
        Table::new("what `windfall doctor` finds amiss", 4, &["for", "tried", "found", "remedy"]);
    for check in examination.checks.iter().filter(|check| check.state != State::Yes) {
        let remedy = check.remedy.clone().unwrap_or_default();
        table.rows.push(vec![
            check.purpose.to_owned(),
            check.subject.to_owned(),
            check.found.clone(),
            remedy,
        ]);
    }
    found.tables.push(table);
}

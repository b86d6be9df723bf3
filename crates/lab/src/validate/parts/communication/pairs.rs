//! How near processors are to each other: what a word takes between the two of each pair, and what it takes them to wake each other.
//!
//! All pairs are measured where they are few. Of many, as many of each distance as there is time for, spread over the processors.

mod chosen;
mod shown;

use super::measured::{Pattern, Way, messages};
use super::mechanism::{Mechanism, WORD};
use super::{time, typical};
use crate::experiment::LabError;
use crate::validate::found::{Found, Level, Metric, Sentence};
use crate::validate::machine::Machine;
use crate::validate::options::Options;
use chosen::{Chosen, Pair};
use windfall_clocks::Samples;
use windfall_time::Span;

/// More pairs than this are not measured: those of 16 processors, or of 10 where it is to be quick.
const MOST: (usize, usize) = (120, 45);
/// A pair is far apart where a word takes more than so many times as long as between the nearest of the same distance, and so much longer at least.
const FAR: (u64, Span) = (4, Span::from_nanos(200));

/// The measurements of a pair.
struct Measured {
    pair: Pair,
    /// A word, to another processor that looks for it without end: half of the time there and back.
    word: Samples,
    /// A word and a wake-up. Nothing on a machine without a kernel.
    wake: Option<Samples>,
}

impl Measured {
    fn word(&self) -> Span {
        typical(&self.word)
    }

    fn wake(&self) -> Option<Span> {
        self.wake.as_ref().map(typical)
    }
}

/// Measures pairs, and says which are near and which are far.
///
/// # Errors
/// When a thread cannot be kept on its processor, or the kernel refuses a message.
pub(super) fn find(
    found: &mut Found,
    machine: &dyn Machine,
    options: &Options,
) -> Result<(), LabError> {
    let distance = |one, other| machine.distance(one, other);
    let chosen = Chosen::new(machine.processors(), distance, options.either(MOST.0, MOST.1));
    if chosen.pairs.is_empty() {
        return Ok(());
    }
    let (trips, batches) = options.either((2_000, 10), (400, 3));
    let mut all = Vec::new();
    for pair in chosen.pairs.iter().take_while(|_| !options.is_stopped()) {
        let (from, to) = (pair.one, pair.other);
        let trips = machine.round_trips(from, to, trips)?;
        let half = trips
            .iter()
            .map(|trip| Span::from_nanos(trip.back.saturating_since(trip.sent).as_nanos() / 2));
        let word = Samples::of(half.collect());
        let way = Way { mechanism: Mechanism::Futex, from, to, bytes: WORD };
        let wake = match machine.is_here() {
            true => Some(messages(machine, way, Pattern::Answered, batches)?),
            false => None,
        };
        all.push(Measured { pair: *pair, word, wake });
    }
    found.circumstances.push(format!(
        "pairs of processors: {}; distances as /sys/devices/system/cpu tells them (a hypervisor may tell others than there are). A word is answered by a processor that looks for it without end; its time is half of that there and back, with a look at the counter at the far end",
        chosen.words()
    ));
    says_near(found, &all);
    says_far(found, &all);
    found.tables.extend(shown::tables(&chosen, &all, machine.processors()));
    found.raw.push(shown::raw(&all));
    for one in &all {
        let name =
            |what: &str| format!("communication.{what}.cpu{}-cpu{}", one.pair.one, one.pair.other);
        let least = FAR.1.as_nanos();
        found.metrics.push(Metric::time(name("word"), one.word()).noise(300, least));
        if let Some(wake) = one.wake() {
            found.metrics.push(Metric::time(name("wake"), wake).noise(400, 30_000));
        }
    }
    Ok(())
}

fn named(pair: Pair) -> String {
    format!("processors {} and {}", pair.one, pair.other)
}

fn says_near(found: &mut Found, all: &[Measured]) {
    let near = all.iter().min_by_key(|one| one.word());
    let far = all.iter().max_by_key(|one| one.word());
    let (Some(near), Some(far), true) = (near, far, all.len() > 1) else { return };
    let of = |one: &Measured| {
        format!("{} ({}, {})", named(one.pair), one.pair.distance.words(), time(one.word()))
    };
    found.says(
        Level::Fact,
        format!(
            "A word is handed over fastest between {}, and slowest between {}.",
            of(near),
            of(far)
        ),
    );
}

/// Pairs that are farther from each other than others of their distance.
fn says_far(found: &mut Found, all: &[Measured]) {
    let nearest = |distance| {
        let same = all.iter().filter(move |one| one.pair.distance == distance);
        same.min_by_key(|one| one.word())
    };
    let is_far = |one: &&Measured| {
        let least = nearest(one.pair.distance).map_or(Span::ZERO, Measured::word);
        let (times, more) = FAR;
        one.word() > least.saturating_mul(times) && one.word() > least.saturating_add(more)
    };
    let far: Vec<&Measured> = all.iter().filter(is_far).collect();
    let Some(worst) = far.iter().max_by_key(|one| one.word()) else { return };
    let Some(nearest) = nearest(worst.pair.distance) else { return };
    let is_in = |number: u16, one: &Measured| number == one.pair.one || number == one.pair.other;
    let in_all = |number: &u16| far.iter().all(|one| is_in(*number, one));
    let common = [worst.pair.one, worst.pair.other].into_iter().find(in_all);
    let others = match (far.len() - 1, common) {
        (0, _) => String::new(),
        (more, Some(number)) => format!("; {more} more far apart, all with processor {number}"),
        (more, None) => format!("; {more} more far apart"),
    };
    let text = format!(
        "A word takes {} between {}, and {} between {}, which are {} as well{others}.",
        time(worst.word()),
        named(worst.pair),
        time(nearest.word()),
        named(nearest.pair),
        worst.pair.distance.words()
    );
    let remedy = "keep threads that exchange much on near pairs (the table of pairs); on a virtual machine, let the host pin its processors and tell their topology";
    found.sentences.push(Sentence::new(Level::Warning, text).remedy(remedy));
}

#[cfg(test)]
mod tests;

//! Communication mechanisms (AIRLAB, 3; CMU 1982, Measuring Time in Multiprocessor Systems, 5, figures 16 and 17): what a message takes and how much is carried, by size, mechanism and place of the receiver.
//!
//! Sizes and mechanisms from the first processor to itself and to the next one; a word and a wake-up between the processors of all pairs. A message's time is half of that there and back; what is carried comes of messages one after the other.

mod measured;
mod mechanism;
mod pairs;
mod shown;

use super::{processors, shown as time};
use crate::experiment::LabError;
use crate::validate::found::{Better, Found, Level, Metric, Sentence, Unit};
use crate::validate::machine::Machine;
use crate::validate::options::Options;
use crate::validate::part::Part;
use measured::{Pattern, Way, copies, messages, typical};
use mechanism::{Mechanism, WORD};
use windfall_clocks::Samples;
use windfall_time::Span;

pub(crate) const PART: Part = Part {
    name: "communication",
    title: "latency and throughput by size, mechanism and place",
    question: "what does a message from one thread to another take, how much is carried, what does it cost to wake a thread on another processor, and how near are the processors of each pair?",
    run: found,
};

/// Bytes of messages.
const SIZES: [usize; 6] = [WORD, 64, 1 << 10, 16 << 10, 128 << 10, 1 << 20];
/// The least that is copied: less takes too few nanoseconds to be told in whole ones.
const LEAST_COPY: usize = 1 << 10;
/// More than caches of one processor hold.
const LARGE_COPY: usize = 32 << 20;
/// A wake-up on another processor is expensive where it takes more than so many times as long as on the same one.
const EXPENSIVE: u64 = 10;

/// A mechanism to a processor.
struct Measured {
    mechanism: Mechanism,
    is_other: bool,
    /// By the sizes that it carries: the time of a message, and that of one in a stream.
    sizes: Vec<Sized>,
}

struct Sized {
    bytes: usize,
    message: Samples,
    stream: Option<Samples>,
}

/// Bytes in a second, where so many take so long.
fn rate(bytes: usize, time: Span) -> u64 {
    // The largest copy is far below the 18 GB for which this has room.
    bytes as u64 * 1_000_000_000 / time.as_nanos().max(1)
}

impl Measured {
    const fn place(&self) -> &'static str {
        if self.is_other { "other" } else { "same" }
    }

    /// The time of a message of one word.
    fn latency(&self) -> Span {
        self.sizes.first().map_or(Span::ZERO, |size| typical(&size.message))
    }

    /// The most that it carries, and in messages of how many bytes.
    fn most(&self) -> Option<(u64, usize)> {
        let of =
            |size: &Sized| Some((rate(size.bytes, typical(size.stream.as_ref()?)), size.bytes));
        self.sizes.iter().filter_map(of).max()
    }
}

/// Copies in memory: on the first processor by size, and large ones on it alone and on all at once.
struct Copied {
    sizes: Vec<(usize, Samples)>,
    alone: Samples,
    together: Vec<Samples>,
}

impl Copied {
    /// Bytes that all copy together in a second.
    fn together(&self) -> u64 {
        let of = |samples: &Samples| rate(LARGE_COPY, typical(samples));
        self.together.iter().map(of).fold(0, u64::saturating_add)
    }
}

fn found(machine: &dyn Machine, options: &Options) -> Result<Found, LabError> {
    let mut found = Found::default();
    if !machine.is_here() {
        found.not_done(
            "communication but for words between processors",
            "a simulated machine has no threads that wake each other, and no kernel",
        );
        pairs::find(&mut found, machine, options)?;
        return Ok(found);
    }
    let batches = options.either(40, 5);
    let first = machine.processors().first().copied().unwrap_or(0);
    let mut all = measured(machine, options, (first, first), batches)?;
    let other = machine.processors().get(1).copied();
    if let Some(other) = other {
        all.extend(measured(machine, options, (first, other), batches)?);
    } else {
        let what =
            "messages to a thread on another processor, and the ring, which its receiver polls";
        found.not_done(
            what,
            "this process may use one processor only; give it two (taskset, cpuset)",
        );
    }
    let copied = copied(machine, first, batches)?;
    let places: Vec<u16> = std::iter::once(first).chain(other).collect();
    found.circumstances.push(format!(
        "on {}; what a quarter of {batches} batches of about 1.5 ms each did not exceed. Receivers sleep until they are woken, but for the ring, whose receiver polls it and needs a processor of its own. A channel hands over the copy that its sender made; of all others the receiver makes one more",
        processors(&places)
    ));
    says_small(&mut found, &all);
    says_carried(&mut found, &all, &copied);
    says_wake(&mut found, &all);
    found.tables.extend([shown::times(&all, &copied), shown::carried(&all, &copied)]);
    found.figures.push(shown::figure(&all, &copied));
    found.raw.push(shown::raw(&all, &copied));
    metrics(&mut found, &all, &copied);
    pairs::find(&mut found, machine, options)?;
    Ok(found)
}

/// All mechanisms, or those that were measured until it was stopped.
fn measured(
    machine: &dyn Machine,
    options: &Options,
    (from, to): (u16, u16),
    batches: u32,
) -> Result<Vec<Measured>, LabError> {
    let is_other = from != to;
    let mut all = Vec::new();
    for mechanism in Mechanism::ALL.into_iter().filter(|one| is_other || !one.is_polled()) {
        let mut sizes = Vec::new();
        for bytes in SIZES.into_iter().filter(|bytes| *bytes == WORD || !mechanism.is_signal()) {
            if options.is_stopped() {
                break;
            }
            let way = Way { mechanism, from, to, bytes };
            let message = messages(machine, way, Pattern::Answered, batches)?;
            let stream = match mechanism.is_signal() {
                true => None,
                false => Some(messages(machine, way, Pattern::Stream, batches)?),
            };
            sizes.push(Sized { bytes, message, stream });
        }
        if !sizes.is_empty() {
            all.push(Measured { mechanism, is_other, sizes });
        }
    }
    Ok(all)
}

fn copied(machine: &dyn Machine, first: u16, batches: u32) -> Result<Copied, LabError> {
    let alone = |bytes| -> Result<Samples, LabError> {
        Ok(copies(machine, &[first], bytes, batches)?.pop().unwrap_or_default())
    };
    let mut sizes = Vec::new();
    for bytes in SIZES.into_iter().filter(|bytes| *bytes >= LEAST_COPY) {
        sizes.push((bytes, alone(bytes)?));
    }
    // Each takes milliseconds.
    let batches = batches.div_ceil(4);
    let together = copies(machine, machine.processors(), LARGE_COPY, batches)?;
    Ok(Copied {
        sizes,
        alone: copies(machine, &[first], LARGE_COPY, batches)?.pop().unwrap_or_default(),
        together,
    })
}

/// Where a receiver is, in a sentence.
const fn where_to(is_other: bool) -> &'static str {
    if is_other { "to another processor" } else { "on the same processor" }
}

fn says_small(found: &mut Found, all: &[Measured]) {
    let best = |is_other| {
        let there = all.iter().filter(move |one| one.is_other == is_other);
        there.min_by_key(|one| one.latency())
    };
    let said: Vec<_> = [true, false]
        .into_iter()
        .filter_map(|is_other| {
            let best = best(is_other)?;
            Some(format!(
                "{} by {} ({})",
                where_to(is_other),
                best.mechanism.named(),
                time(best.latency())
            ))
        })
        .collect();
    if said.is_empty() {
        return;
    }
    let said = said.join(", and ");
    found.says(Level::Fact, format!("Messages of 8 bytes are handed over fastest {said}."));
}

fn says_carried(found: &mut Found, all: &[Measured], copied: &Copied) {
    let carries = |one: &Measured| Some((one.most()?, one.mechanism, one.is_other));
    let best = all.iter().filter_map(carries).max_by_key(|(most, ..)| *most);
    let Some(((rate, bytes), mechanism, is_other)) = best else { return };
    found.says(
        Level::Fact,
        format!(
            "Most is carried {} by {}: {} with messages of {}. A copy of {} in memory makes {}, and all processors at once {}.",
            where_to(is_other),
            mechanism.named(),
            shown::rate(rate),
            shown::size(bytes),
            shown::size(LARGE_COPY),
            shown::rate(self::rate(LARGE_COPY, typical(&copied.alone))),
            shown::rate(copied.together()),
        ),
    );
}

fn says_wake(found: &mut Found, all: &[Measured]) {
    let wake = |is_other| {
        let futex = |one: &&Measured| one.mechanism == Mechanism::Futex && one.is_other == is_other;
        all.iter().find(futex).map(Measured::latency)
    };
    let (Some(same), Some(other)) = (wake(false), wake(true)) else { return };
    let text = format!(
        "To wake a thread takes {} on another processor and {} on the same",
        time(other),
        time(same)
    );
    if other.as_nanos() <= same.as_nanos().saturating_mul(EXPENSIVE) {
        return found.says(Level::Fact, format!("{text}."));
    }
    let text = format!(
        "{text}, {} times as long: a processor without work sleeps deeply, or its hypervisor takes it away.",
        other.as_nanos() / same.as_nanos().max(1)
    );
    let remedy = "keep threads that wake each other often on one processor, or let the receiver poll; on a virtual machine, let idle processors poll before they halt (cpuidle_haltpoll), on hardware, forbid deep idle states (/dev/cpu_dma_latency)";
    found.sentences.push(Sentence::new(Level::Warning, text).remedy(remedy));
}

/// Wake-ups across processors of a virtual machine differ by three to five times within seconds.
fn metrics(found: &mut Found, all: &[Measured], copied: &Copied) {
    for one in all {
        let name =
            |what: &str| format!("communication.{what}.{}.{}", one.mechanism.name(), one.place());
        let (percent, least) = if one.is_other { (400, 30_000) } else { (300, 5_000) };
        found.metrics.push(Metric::time(name("latency"), one.latency()).noise(percent, least));
        if let Some((rate, _)) = one.most() {
            let metric =
                Metric::new(name("throughput"), rate, Unit::BytesPerSecond, Better::Higher);
            found.metrics.push(metric.noise(400, 0));
        }
    }
    for (name, value) in
        [("alone", rate(LARGE_COPY, typical(&copied.alone))), ("together", copied.together())]
    {
        let name = format!("communication.copy.{name}");
        found
            .metrics
            .push(Metric::new(name, value, Unit::BytesPerSecond, Better::Higher).noise(150, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(mechanism: Mechanism, is_other: bool, ns: u64) -> Measured {
        let of = |ns| Samples::of(vec![Span::from_nanos(ns)]);
        let stream = (!mechanism.is_signal()).then(|| of(ns / 2));
        let sizes = vec![Sized { bytes: WORD, message: of(ns), stream }];
        Measured { mechanism, is_other, sizes }
    }

    #[test]
    fn law_the_fastest_mechanism_and_an_expensive_wake_up_are_named() {
        for (other, level) in [(29_000, Level::Fact), (31_000, Level::Warning)] {
            let all = [
                measured(Mechanism::Futex, false, 3_000),
                measured(Mechanism::Pipe, false, 2_000),
                measured(Mechanism::Ring, true, 100),
                measured(Mechanism::Futex, true, other),
            ];
            let mut found = Found::default();
            says_small(&mut found, &all);
            says_wake(&mut found, &all);
            let said = &found.sentences[0].text;
            assert!(said.contains("another processor by a ring that the receiver polls (100 ns), and on the same processor by a pipe (2 us)"), "{said}");
            assert_eq!(found.sentences[1].level, level);
            assert_eq!(found.sentences[1].remedies.is_empty(), level == Level::Fact);
        }
    }

    #[test]
    fn law_what_is_carried_follows_from_size_and_time() {
        assert_eq!(rate(1 << 20, Span::from_millis(1)), 1_048_576_000);
        assert_eq!(rate(8, Span::ZERO), 8_000_000_000);
        assert_eq!(measured(Mechanism::Pipe, true, 16).most(), Some((1_000_000_000, WORD)));
        assert_eq!(measured(Mechanism::Futex, true, 16).most(), None);
    }
}

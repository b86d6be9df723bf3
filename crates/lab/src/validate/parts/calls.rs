//! The times of system calls (AIRLAB, 3): by type, frequency, number of callers at once, and owner of the objects; and the time of a vote.

mod kinds;
mod measured;
mod votes;

use super::{processors, shown};
use crate::experiment::LabError;
use crate::findings::Table;
use crate::validate::found::{Better, Found, Level, Metric, Sentence, Unit};
use crate::validate::machine::Machine;
use crate::validate::options::Options;
use crate::validate::part::Part;
use kinds::{CALLS, CLOCK, Call, NOTHING, Objects, SHORTEST, THREAD};
use measured::{EVERY, Owner, back_to_back, objects_on, one_by_one};
use votes::{Votes, votes};
use windfall_time::Span;

pub(crate) const PART: Part = Part {
    name: "calls",
    title: "system calls by type, frequency, contention and placement; what a vote takes",
    question: "what does each service of the kernel add to a program, alone and where all processors ask at once, and what does software voting add?",
    run: found,
};

/// In picoseconds: a call that does nothing and takes longer than this passes through more than the kernel's entry.
const EXPENSIVE: u64 = 1_000_000;
/// So many times as long where all call at once is worth a sentence.
const CONTENDED: u64 = 4;

/// The time of a call, in picoseconds.
struct Took {
    call: &'static Call,
    alone: u64,
    /// With a sleep before each.
    spaced: u64,
    /// On all processors at once, each with objects of its own.
    together: Option<u64>,
    /// The same with the same objects.
    shared: Option<u64>,
    /// Alone, with objects made on another processor.
    elsewhere: Option<u64>,
}

impl Took {
    /// The most of what all at once take.
    fn contended(&self) -> u64 {
        self.together.max(self.shared).unwrap_or(0)
    }

    /// How many times as long all at once take as one alone.
    fn times(&self) -> u64 {
        self.contended() / self.alone.max(1)
    }
}

fn found(machine: &dyn Machine, options: &Options) -> Result<Found, LabError> {
    let mut found = Found::default();
    if !machine.is_here() {
        found.not_done("system calls and votes", "a simulated machine has no kernel");
        return Ok(found);
    }
    let all = calls(machine, options, &mut found)?;
    let on = machine.processors();
    let first = on.first().copied().unwrap_or(0);
    (options.progress)("what a vote takes");
    let (batches, runs) = options.either((100, (9, 2_000)), (10, (3, 200)));
    let votes =
        if options.is_stopped() { Vec::new() } else { votes(machine, first, batches, runs)? };
    found.circumstances.push(format!(
        "on processor {first}: what a quarter of the batches of about 0.4 ms did not exceed, or the median of calls one after each sleep of {}; all at once: the longest of {}. Votes on threads: ordinary threads, placed by the kernel",
        shown(EVERY), processors(on)
    ));
    if on.len() < 2 {
        found.not_done(
            "system calls of all processors at once, and with objects of another processor",
            "this process may use one processor only; give it two (taskset, cpuset)",
        );
    }
    says_calls(&mut found, &all);
    says_contended(&mut found, &all);
    says_votes(&mut found, &all, &votes);
    found.tables.extend([table(&all), votes_table(&votes)]);
    for took in all.iter().filter(|took| took.call.key != NOTHING.key) {
        let name = format!("calls.{}", took.call.key);
        // To start a thread needs another's wake-up.
        let least = if took.call.key == THREAD.key { 200_000_000 } else { 500_000 };
        let metric = Metric::new(name, took.alone, Unit::Picoseconds, Better::Lower);
        found.metrics.push(metric.noise(400, least));
    }
    for one in &votes {
        let name = format!("calls.vote-of-{}", one.replicas);
        let voter = Metric::new(name.clone(), one.voter, Unit::Picoseconds, Better::Lower);
        found.metrics.push(voter.noise(200, 500_000));
        let threads = Metric::time(format!("{name}.threads"), one.threads.median());
        found.metrics.push(threads.noise(400, 2_000_000));
    }
    Ok(found)
}

/// Measures all calls that this machine lets us make.
fn calls(
    machine: &dyn Machine,
    options: &Options,
    found: &mut Found,
) -> Result<Vec<Took>, LabError> {
    let (batches, count) = options.either((100, 200), (12, 40));
    let on = machine.processors();
    let first = on.first().copied().unwrap_or(0);
    let (shared, last) = (objects_on(machine, first, &CALLS)?, on.last().copied().unwrap_or(first));
    let elsewhere = objects_on(machine, last, &CALLS)?;
    let several = on.len() > 1;
    let mut all = Vec::new();
    for call in CALLS.into_iter().take_while(|_| !options.is_stopped()) {
        if !(call.once)(&shared) {
            found.not_done(
                format!("the call: {}", call.name),
                "the kernel refuses it here, or a sandbox does",
            );
            continue;
        }
        let with = |on: &[u16], objects: Option<&Objects>| {
            let owner = objects.map_or(Owner::Own, Owner::Shared);
            back_to_back(machine, on, owner, call, batches)
        };
        let of_others = several && call.has_object;
        all.push(Took {
            call,
            alone: with(&[first], None)?,
            spaced: one_by_one(machine, first, call, count)?,
            together: several.then(|| with(on, None)).transpose()?,
            shared: of_others.then(|| with(on, Some(&shared))).transpose()?,
            elsewhere: of_others.then(|| with(&[first], Some(&elsewhere))).transpose()?,
        });
    }
    Ok(all)
}

/// Picoseconds as people read them: with a tenth below 100 ns.
fn picoseconds(ps: u64) -> String {
    if ps < 100_000 {
        format!("{}.{} ns", ps / 1_000, ps % 1_000 / 100)
    } else {
        shown(Span::from_nanos(ps / 1_000))
    }
}

fn alone(all: &[Took], call: &Call) -> Option<u64> {
    all.iter().find(|took| took.call.key == call.key).map(|took| took.alone)
}

fn says_calls(found: &mut Found, all: &[Took]) {
    let Some(shortest) = alone(all, SHORTEST) else { return };
    let mut text = format!("A system call that does nothing takes {}", picoseconds(shortest));
    for (call, what) in [(CLOCK, "a look at the clock"), (THREAD, "starting and joining a thread")]
    {
        if let Some(took) = alone(all, call) {
            text.push_str(&format!(", {what} {}", picoseconds(took)));
        }
    }
    text.push('.');
    if shortest <= EXPENSIVE {
        return found.says(Level::Fact, text);
    }
    let text = format!(
        "{text} That is more than entering a kernel takes: something else looks at each call."
    );
    let remedy = "look for what traces or filters calls of this process (strace, seccomp, audit, gVisor), and for mitigations in /sys/devices/system/cpu/vulnerabilities";
    found.sentences.push(Sentence::new(Level::Warning, text).remedy(remedy));
}

fn says_contended(found: &mut Found, all: &[Took]) {
    let Some(worst) = all
        .iter()
        .filter(|took| took.together.is_some() && took.call.key != NOTHING.key)
        .max_by_key(|took| took.times())
    else {
        return;
    };
    if worst.times() < CONTENDED {
        found.says(
            Level::Fact,
            format!("No call takes {CONTENDED} times as long where all processors call at once."),
        );
        return;
    }
    let (alone, all) = (picoseconds(worst.alone), picoseconds(worst.contended()));
    let text = format!(
        "Where all processors call at once, calls wait for each other: to {} takes {all} instead of {alone}.",
        worst.call.name
    );
    let remedy = "keep such calls out of loops that all processors run; make threads, files and mappings before";
    found.sentences.push(Sentence::new(Level::Fact, text).remedy(remedy));
}

fn says_votes(found: &mut Found, all: &[Took], votes: &[Votes]) {
    let Some(of_three) = votes.first() else { return };
    let mut text = format!(
        "A vote of three takes {} in one thread, and {} among replicas on threads",
        picoseconds(of_three.voter),
        shown(of_three.threads.median())
    );
    if let Some(shortest) = alone(all, SHORTEST).filter(|ps| *ps > 0) {
        let times = of_three.threads.median().as_nanos().saturating_mul(1_000) / shortest;
        text.push_str(&format!(", as long as {times} of the shortest calls"));
    }
    found.says(Level::Fact, format!("{text}."));
}

fn table(all: &[Took]) -> Table {
    let spaced = format!("every {}", shown(EVERY));
    let head =
        ["call", "alone", &spaced, "all at once", "on the same object", "alone, another's object"];
    let mut table = Table::new("what calls take", 1, &head);
    let or = |ps: Option<u64>| ps.map_or_else(|| "-".to_owned(), picoseconds);
    for took in all {
        // Of nothing, nothing is left.
        let spaced = Some(took.spaced).filter(|_| took.call.key != NOTHING.key);
        let cells = [Some(took.alone), spaced, took.together, took.shared, took.elsewhere].map(or);
        table.rows.push(std::iter::once(took.call.name.to_owned()).chain(cells).collect());
    }
    table
}

fn votes_table(votes: &[Votes]) -> Table {
    let head = ["replicas", "in one thread", "on threads", "least of a run", "most of a run"];
    let mut table = Table::new("what a vote takes", 1, &head);
    for one in votes {
        let times = [one.threads.median(), one.threads.least(), one.threads.most()].map(shown);
        let row = [one.replicas.to_string(), picoseconds(one.voter)];
        table.rows.push(row.into_iter().chain(times).collect());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn took(call: &'static Call, alone: u64, together: u64) -> Took {
        Took { call, alone, spaced: alone, together: Some(together), shared: None, elsewhere: None }
    }

    #[test]
    fn law_an_expensive_call_and_a_contended_one_are_named() {
        for (shortest, level) in [(EXPENSIVE, Level::Fact), (EXPENSIVE + 1, Level::Warning)] {
            let mut found = Found::default();
            let all = [took(SHORTEST, shortest, shortest), took(THREAD, 20_000_000, 79_000_000)];
            says_calls(&mut found, &all);
            says_contended(&mut found, &all);
            assert_eq!(found.sentences[0].level, level);
            assert!(found.sentences[1].text.contains("No call takes 4 times"));
        }
        let mut found = Found::default();
        says_contended(
            &mut found,
            &[took(SHORTEST, 100_000, 100_000), took(THREAD, 20_000_000, 90_000_000)],
        );
        let said = &found.sentences[0].text;
        assert!(said.contains("start and join a thread takes 90 us instead of 20 us"), "{said}");
    }

    #[test]
    fn law_one_processor_has_no_contention_to_tell_of() {
        let mut found = Found::default();
        let alone = Took { together: None, ..took(SHORTEST, 1, 1) };
        says_contended(&mut found, &[alone]);
        assert!(found.sentences.is_empty());
        assert_eq!(
            [950, 99_950, 100_000, 20_000_000].map(picoseconds),
            ["0.9 ns", "99.9 ns", "100 ns", "20 us"]
        );
    }
}

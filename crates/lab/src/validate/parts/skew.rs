//! The impact of time skew (AIRLAB, 3): by how much a replica may lag until values come too late for their row, by the length of the voters' queues, and how many rows a voter needs on this machine.
//!
//! On the simulated structure of the voter experiments, which is the same on every machine, and with crate `nmr` on threads of this one.

mod replicas;
mod stretches;
mod structure;

use super::shown;
use crate::experiment::LabError;
use crate::findings::Table;
use crate::validate::found::{Better, Found, Level, Metric, Sentence, Unit};
use crate::validate::machine::Machine;
use crate::validate::options::Options;
use crate::validate::part::Part;
use replicas::{ITERATION, LONGEST, Lost, least_delays};
use stretches::{Stretch, stretches};
use structure::{TENTHS, VOTES, first_late, least_delay};
use windfall_time::Span;

pub(crate) const PART: Part = Part {
    name: "skew",
    title: "by how much a replica may lag until it loses its sequence",
    question: "with which lag, and which length of the voters' queues, do values of a replica come too late for their row, and how many rows does a voter need here?",
    run: found,
};

/// Rows of the voters' queues.
const QUEUES: [u32; 5] = [1, 2, 4, 8, 16];
/// Per cent by which a subtask of the simulated structure is slower all the time.
const PERCENTS: [u64; 2] = [1, 10];
/// Iterations of replicas, for which rows are counted.
const ITERATIONS: [Span; 2] = [Span::from_millis(1), Span::from_nanos(100_000)];
/// A machine is watched for so long at most.
const LOOKED: Span = Span::from_secs(10);

/// Rows with which a voter keeps the values of a replica that is away for so long: a delay of n iterations is too long for n rows.
fn rows(away: Span, iteration: Span) -> u64 {
    away.as_nanos() / iteration.as_nanos() + 1
}

fn found(machine: &dyn Machine, options: &Options) -> Result<Found, LabError> {
    let mut found = Found::default();
    let quarter = Span::from_nanos(options.length.as_nanos() / 4).min(LOOKED);
    let length = options.either(quarter, Span::from_secs(1));
    let (away, class) = stretches(machine, length, &options.stopped)?;
    let (class, length) = (class.words(), shown(length));
    found.circumstances.push(format!("a thread on each processor, {class}, for {length}"));
    says_rows(&mut found, &away);
    let mut lost = Vec::new();
    if machine.is_here() {
        (options.progress)("replicas that lag");
        for queue in QUEUES.into_iter().take_while(|_| !options.is_stopped()) {
            let of = least_delays(queue, options.either(7, 2))?;
            if of.delays.is_empty() {
                let what = format!("replicas on threads that lag, with queues of {queue}");
                found.not_done(what, "others kept replicas from their processors in each search; give the machine less other work");
            }
            lost.push(of);
        }
        let runs: u32 = lost.iter().map(|lost| lost.runs).sum();
        found.circumstances.push(format!("{runs} runs of three replicas on ordinary threads, placed by the kernel, with iterations of {}", shown(ITERATION)));
        says_lost(&mut found, &lost);
    } else {
        let why = "a simulated machine has no threads that vote";
        found.not_done("replicas on threads that lag", why);
    }
    found.tables.extend([table(&lost), rows_table(&away)]);
    metrics(&mut found, &away, &lost);
    Ok(found)
}

fn says_rows(found: &mut Found, away: &[Stretch]) {
    let Some(worst) = away.iter().max_by_key(|stretch| stretch.longest()) else { return };
    let longest = worst.longest();
    let [slow, fast] = ITERATIONS.map(|iteration| rows(longest, iteration));
    let (of, count) = (ITERATIONS.map(shown), |rows| {
        if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") }
    });
    let text = format!(
        "A thread on processor {} was kept from its work for up to {}. So that voters miss no value of a replica meanwhile, their queues need {} with iterations of {}, and {} with iterations of {}.",
        worst.processor,
        shown(longest),
        count(slow),
        of[0],
        count(fast),
        of[1]
    );
    if slow == 1 {
        return found.says(Level::Fact, text);
    }
    let remedy = format!(
        "give voters at least {slow} rows (`Settings::queue` of crate windfall-nmr), and as large a lag; synchronous voting, which has one row, loses replicas here"
    );
    found.sentences.push(Sentence::new(Level::Warning, text).remedy(remedy));
}

fn says_lost(found: &mut Found, lost: &[Lost]) {
    let runs: u32 = lost.iter().map(|lost| lost.runs).sum();
    let stopped: u32 = lost.iter().map(|lost| lost.stopped).sum();
    if stopped > 0 {
        let text = format!(
            "In {stopped} of {runs} runs with a replica that lags, no majority went on to the end: others were kept from their processors for longer than a vote is waited for."
        );
        return found.says(Level::Warning, text);
    }
    if runs == 0 {
        return;
    }
    let with = |lost: &Lost| match lost.median() {
        Some(delay) => format!("{delay} with {}", lost.queue),
        None => format!("none up to {LONGEST} with {}", lost.queue),
    };
    let delays: Vec<_> = counted(lost).map(with).collect();
    let text = format!(
        "On threads, a replica loses its sequence from a lag of so many iterations, by the rows of its queue: {}. In none of {runs} runs did it stop the others.",
        delays.join(", ")
    );
    found.says(Level::Fact, text);
}

/// Those of which a search counts.
fn counted(lost: &[Lost]) -> impl Iterator<Item = &Lost> {
    lost.iter().filter(|lost| !lost.delays.is_empty())
}

fn table(lost: &[Lost]) -> Table {
    let slower = PERCENTS.map(|percent| format!("{percent} % slower"));
    let mut head = vec!["rows", "delayed once"];
    head.extend(slower.iter().map(String::as_str));
    head.extend(["on threads", "least of all searches"]);
    let title = "when the first of three replicas loses its sequence, by the rows of the voters' queues. On the simulated structure: the least delay, in iterations, and the vote where it is slower all the time. On threads, where rings before the voters hold values, too: the least delay, in iterations";
    let mut table = Table::new(title, 0, &head);
    let or = |count: Option<u64>, more: String| count.map_or(more, |count| count.to_string());
    for (place, queue) in QUEUES.into_iter().enumerate() {
        let delay = least_delay(queue);
        let delay = delay.map(|tenths| format!("{}.{}", tenths / TENTHS, tenths % TENTHS));
        let mut row = vec![queue.to_string(), delay.unwrap_or_else(|| "-".to_owned())];
        row.extend(PERCENTS.map(|percent| or(first_late(queue, percent), format!("> {VOTES}"))));
        let of = lost.get(place).filter(|lost| !lost.delays.is_empty());
        row.extend([of.map(Lost::median), of.map(Lost::least)].map(|delay| {
            delay.map_or_else(|| "-".to_owned(), |delay| or(delay, format!("> {LONGEST}")))
        }));
        table.rows.push(row);
    }
    table
}

fn rows_table(away: &[Stretch]) -> Table {
    let of = ITERATIONS.map(|iteration| format!("rows, iterations of {}", shown(iteration)));
    let head = ["processor", "woke late by", "away for", &of[0], &of[1]];
    let title = "the longest that a thread was kept from its work, and the rows that a voter needs for that";
    let mut table = Table::new(title, 1, &head);
    for stretch in away {
        let spans = [stretch.late, stretch.away].map(shown);
        let rows = ITERATIONS.map(|iteration| rows(stretch.longest(), iteration).to_string());
        let cells = std::iter::once(stretch.processor.to_string()).chain(spans).chain(rows);
        table.rows.push(cells.collect());
    }
    table
}

fn metrics(found: &mut Found, away: &[Stretch], lost: &[Lost]) {
    for stretch in away {
        let name = format!("skew.away-max.cpu{}", stretch.processor);
        let metric = Metric::time(name, stretch.longest());
        // A longest one, which comes from elsewhere on virtual machines.
        found.metrics.push(metric.noise(300, 10_000_000));
    }
    for one in counted(lost) {
        let name = format!("skew.lag.rows{}", one.queue);
        let value = one.median().unwrap_or(LONGEST);
        found.metrics.push(Metric::new(name, value, Unit::Count, Better::Higher).noise(100, 4));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::machine::{Planted, Simulated, Taken};

    fn options() -> Options {
        Options::quick(Span::from_secs(4))
    }

    #[test]
    fn law_a_voter_has_a_row_for_each_iteration_that_begins_meanwhile() {
        let ms = Span::from_millis;
        assert_eq!([0, 1, 5].map(|away| rows(ms(away), ms(1))), [1, 2, 6]);
        assert_eq!(rows(Span::from_nanos(999_999), ms(1)), 1);
        // As the simulated structure: for n rows a delay of n iterations is too long.
        for queue in [1, 4] {
            let least = least_delay(queue).unwrap();
            let delay = |tenths: u64| Span::from_nanos(tenths * 100_000);
            assert_eq!(rows(delay(least), ms(1)), u64::from(queue) + 1);
        }
    }

    #[test]
    fn law_stolen_time_asks_for_rows_and_a_sound_machine_for_one() {
        let taken = Taken { every: Span::from_millis(90), length: Span::from_millis(5) };
        let stolen = Planted { stolen: Some(taken), ..Planted::default() };
        for (planted, level, words) in [
            (stolen, Level::Warning, "6 rows with iterations of 1 ms"),
            (Planted::default(), Level::Fact, "1 row with iterations of 1 ms"),
        ] {
            let machine = Simulated::new(vec![planted; 2]);
            let found = found(&machine, &options()).unwrap();
            let sentence = &found.sentences[0];
            assert!(sentence.level == level && sentence.text.contains(words), "{}", sentence.text);
            assert_eq!((found.undone.len(), found.tables[0].rows.len()), (1, QUEUES.len()));
        }
    }
}

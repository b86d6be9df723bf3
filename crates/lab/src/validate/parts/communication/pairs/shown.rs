//! Tables and raw numbers of pairs.

use super::super::{time, typical};
use super::Measured;
use super::chosen::{Chosen, Pair};
use crate::findings::{Raw, Table, record};
use windfall_clocks::Samples;
use windfall_time::Span;

/// By distance, and each pair: as a matrix if all were measured, else as a list.
pub(super) fn tables(chosen: &Chosen, all: &[Measured], processors: &[u16]) -> Vec<Table> {
    let head = [
        "processors",
        "pairs",
        "measured",
        "word: nearest",
        "median",
        "farthest",
        "wake-up: fastest",
        "median",
        "slowest",
    ];
    let mut by_distance =
        Table::new("what a word and a wake-up take between two processors", 1, &head);
    for (distance, count) in &chosen.there {
        let of: Vec<&Measured> = all.iter().filter(|one| one.pair.distance == *distance).collect();
        let three = |times: Vec<Span>| {
            let times = Samples::of(times);
            if times.count() == 0 {
                return ["-"; 3].map(str::to_owned);
            }
            [times.least(), times.median(), times.most()].map(time)
        };
        let mut row = vec![distance.words().to_owned(), count.to_string(), of.len().to_string()];
        row.extend(three(of.iter().map(|one| one.word()).collect()));
        row.extend(three(of.iter().filter_map(|one| one.wake()).collect()));
        by_distance.rows.push(row);
    }
    let mut tables = vec![by_distance];
    if all.len() < chosen.count() {
        let head = ["processors", "", "word", "wake-up"];
        let mut list = Table::new("pairs that were measured", 2, &head);
        list.rows.extend(all.iter().map(|one| {
            let Pair { one: first, other, distance } = one.pair;
            let wake = one.wake().map_or_else(|| "-".to_owned(), time);
            vec![
                format!("{first} and {other}"),
                distance.words().to_owned(),
                time(one.word()),
                wake,
            ]
        }));
        tables.push(list);
    } else {
        tables.push(matrix(
            "what a word takes from the processor of a row to that of a column",
            processors,
            |one, other| Some(between(all, one, other)?.word()),
        ));
        tables.push(matrix(
            "what it takes to wake a thread of the other processor",
            processors,
            |one, other| between(all, one, other)?.wake(),
        ));
    }
    tables
}

fn between(all: &[Measured], one: u16, other: u16) -> Option<&Measured> {
    let (one, other) = (one.min(other), one.max(other));
    all.iter().find(|measured| (measured.pair.one, measured.pair.other) == (one, other))
}

/// A table of all processors by all; without rows where nothing was measured.
fn matrix(title: &str, processors: &[u16], of: impl Fn(u16, u16) -> Option<Span>) -> Table {
    let names: Vec<String> = processors.iter().map(u16::to_string).collect();
    let head: Vec<&str> = std::iter::once("").chain(names.iter().map(String::as_str)).collect();
    let mut table = Table::new(title, 1, &head);
    let is_empty =
        processors.iter().all(|one| processors.iter().all(|other| of(*one, *other).is_none()));
    for one in processors.iter().filter(|_| !is_empty) {
        let cells =
            processors.iter().map(|other| of(*one, *other).map_or_else(|| "-".to_owned(), time));
        table.rows.push(std::iter::once(one.to_string()).chain(cells).collect());
    }
    table
}

pub(super) fn raw(all: &[Measured]) -> Raw {
    let rows = all.iter().flat_map(|one| {
        let of = |what: &str, samples: &Samples| {
            let ns = [samples.least(), typical(samples), samples.median(), samples.most()];
            let ns = ns.map(|span| span.as_nanos());
            let Pair { one, other, distance } = one.pair;
            record![one, other, distance.words(), what, samples.count(), ns[0], ns[1], ns[2], ns[3]]
        };
        let word = of("word", &one.word);
        std::iter::once(word)
            .chain(one.wake.as_ref().map(|wake| of("wake", wake)))
            .collect::<Vec<_>>()
    });
    let head = "one,other,distance,what,samples,least_ns,quarter_ns,median_ns,most_ns";
    Raw::csv("validate-pairs", head, rows.collect::<Vec<_>>())
}

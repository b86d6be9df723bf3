//! Figures 16 and 17: the latency of messages of StarOS and the time of remote procedure calls, by pairs of processes in a cluster; beside today's mechanisms.

mod pair;
mod today;

use super::{PAPER, SERIES, digits, solid};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Raw, Table, Verdict, record};
use pair::{Called, MESSAGE, pairs};
use today::Today;
use windfall_plot::chart::{Axis, Chart, Dot, Mark};

pub(super) static EXPERIMENT: Experiment = Experiment {
    name: "messages",
    also: &["clock-16", "clock-17"],
    title: "messages and remote procedure calls of StarOS, and of today",
    source: "CMU 1982, Measuring Time in Multiprocessor Systems, 5, figures 16 and 17",
    question: "does a Kmap that serves one reference at a time explain what messages take when two and three pairs of processes share it?",
    claim: "a message that takes 7.05 ms, 2.53 of them at the Kmap, takes 7.96 beside one other pair, and within 4.5 % of 9.615 beside two; it takes less where calls access more words; a call takes 49.9 us more for each word",
    hosts: &[Host::Sim, Host::Here],
    absent: "threads of this process send to each other, without any scheduler of ours",
    run: findings,
};

/// Words that client and server access together.
const WORDS: [u64; 5] = [0, 50, 100, 150, 200];
const QUICK: [u64; 2] = [0, 200];
/// The paper's latencies by pairs in a cluster, in us.
const LATENCY: [f64; 3] = [7_050.0, 7_960.0, 9_615.0];
const PER_WORD: f64 = 49.9;

/// The results of pairs in a cluster.
struct Found {
    pairs: u16,
    words: u64,
    called: Called,
}

fn simulated(settings: &Settings<'_>) -> Result<Vec<Found>, LabError> {
    let words: &[u64] = settings.either(&WORDS, &QUICK);
    let repetitions = settings.either(512, 160);
    let mut all = Vec::new();
    for count in 1..=3 {
        for words in words.iter().copied() {
            (settings.progress)(&format!("{count} pairs, {words} words"));
            let called = pairs(count, words, repetitions)?;
            all.push(Found { pairs: count, words, called });
        }
    }
    Ok(all)
}

fn of(all: &[Found], pairs: u16) -> impl Iterator<Item = &Found> {
    all.iter().filter(move |found| found.pairs == pairs)
}

/// Microseconds a word, from no words to the most.
#[expect(clippy::cast_precision_loss, reason = "200 words")]
fn slope(all: &[Found], pairs: u16) -> f64 {
    let mut ends = of(all, pairs);
    match (ends.next(), ends.last()) {
        (Some(least), Some(most)) => {
            (most.called.call - least.called.call) / (most.words - least.words) as f64
        }
        _ => f64::NAN,
    }
}

fn table(all: &[Found]) -> Table {
    let head = ["pairs", "words", "latency, us", "deviation, us", "1982, us", "call, us"];
    let mut table =
        Table::new("messages and remote procedure calls, by pairs in a cluster", 0, &head);
    for Found { pairs, words, called } in all {
        let in_1982 = LATENCY[usize::from(*pairs) - 1];
        let numbers = [called.latency, called.deviation, in_1982, called.call];
        let first = [pairs.to_string(), words.to_string()];
        table.rows.push(first.into_iter().chain(numbers.map(digits)).collect());
    }
    table
}

fn figure(
    all: &[Found],
    (name, title, y): (&str, &str, Axis),
    value: fn(&Called) -> f64,
) -> Figure {
    let x = Axis::between("words accessed", 0.0, 210.0);
    let facts = "StarOS on a simulated cluster of Cm*, by pairs of client and server in it";
    let mut chart = Chart::new(title, facts, x, y);
    let marks = [Mark::Ring, Mark::Square, Mark::Diamond];
    for ((pairs, mark), colour) in (1..=3).zip(marks).zip(SERIES) {
        #[expect(clippy::cast_precision_loss, reason = "200 words")]
        let points: Vec<(f64, f64)> =
            of(all, pairs).map(|found| (found.words as f64, value(&found.called))).collect();
        let label = if pairs == 1 { "1 pair".to_owned() } else { format!("{pairs} pairs") };
        chart.line(&points, solid(colour), "");
        chart.dots(&points, Dot { mark, colour }, &label);
        if name == "clock-16" {
            let bars = of(all, pairs).zip(&points);
            // Beside each other.
            let aside = f64::from(pairs - 1) * 2.0;
            let bars: Vec<_> =
                bars.map(|(found, at)| (at.0 + aside, at.1, found.called.deviation)).collect();
            chart.spread(&bars, colour);
            let paper = [(0.0, LATENCY[usize::from(pairs) - 1])];
            let what = if pairs == 1 { "1982" } else { "" };
            chart.dots(&paper, Dot { mark: Mark::Diamond, colour: PAPER }, what);
        }
    }
    let caption = match name {
        "clock-16" => {
            "The paper's latency of one pair does not depend on the words either; bars are standard deviations, as there."
        }
        _ => "The paper's slope is 49.9 us a word with one pair; its intercept is not in the text.",
    };
    Figure { name: name.to_owned(), caption: caption.to_owned(), picture: chart.finish() }
}

/// The evidence against the claim, and its numbers.
fn judge(all: &[Found]) -> (Vec<String>, String) {
    let mut against = Vec::new();
    let first = |pairs: u16| of(all, pairs).next().map_or(f64::NAN, |found| found.called.latency);
    let found = [1, 2, 3].map(first);
    for ((found, in_1982), within) in found.iter().zip(LATENCY).zip([0.02, 0.03, 0.045]) {
        let off = (found / in_1982 - 1.0).abs();
        if off.is_nan() || off > within {
            against.push(format!("{} us instead of {in_1982}", digits(*found)));
        }
    }
    for pairs in [2, 3] {
        let last = of(all, pairs).last().map_or(f64::NAN, |found| found.called.latency);
        if last.is_nan() || last >= first(pairs) {
            against.push(format!("more words make a message of {pairs} pairs no shorter"));
        }
    }
    let of_one: Vec<f64> = of(all, 1).map(|found| found.called.latency).collect();
    if of_one.iter().any(|latency| (latency / of_one[0] - 1.0).abs() > 0.01) {
        against.push(format!("one pair's latency depends on the words: {of_one:?}"));
    }
    let slope = slope(all, 1);
    if slope.is_nan() || (slope - PER_WORD).abs() > 1.0 {
        against.push(format!("{slope:.1} us a word"));
    }
    let why = format!(
        "{} us with one, two and three pairs (1982: 7050, 7960, 9615), {slope:.1} us a word",
        found.map(digits).join(", ")
    );
    (against, why)
}

fn today_table(all: &[Today]) -> Table {
    let head = ["mechanism", "latency, ns", "a word more, ns", "1982 takes longer by"];
    let title = "today, one way between two threads of this machine, and a word more in a message of up to 200";
    let mut table = Table::new(title, 1, &head);
    for one in all {
        table.rows.push(vec![
            one.name.to_owned(),
            digits(one.latency_ns),
            digits(one.word_ns),
            digits(LATENCY[0] * 1e3 / one.latency_ns),
        ]);
    }
    table
}

fn notes() -> Vec<String> {
    vec![
        format!("A message is {} visits of the Kmap, one after the other, between two halves of the sender's own work, which varies evenly by half. The sum is the paper's latency of one pair. By mean value analysis two pairs wait s^2/L longer, s at the Kmap and L in all; with 910 us more of 7,050 s is 2.53 ms. So one and two pairs are put in; three are found, as is what words do.", MESSAGE),
        "A word takes 49.9 us, of which 10.4 are a reference through the Kmap. Client and server access half of the words each.".to_owned(),
        "The pairs of a cluster use the Kmap of that cluster alone, so one cluster is simulated; the paper had as many pairs in each.".to_owned(),
    ]
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let mut circumstances = Vec::new();
    let (mut tables, mut figures, mut raw) = (Vec::new(), Vec::new(), Vec::new());
    let mut verdict = None;
    let mut notes = notes();
    if settings.on(Host::Sim) {
        let all = simulated(settings)?;
        circumstances.push(
            "sim: a cluster of ten processors, whose Kmap is a station of 10.4 us".to_owned(),
        );
        tables.push(table(&all));
        let latency = Axis::between("latency (us)", 6_000.0, 12_000.0);
        let call = Axis::covering("remote procedure call (us)", 32_000.0);
        figures.push(figure(&all, ("clock-16", "Latency of messages", latency), |one| one.latency));
        figures.push(figure(&all, ("clock-17", "Remote procedure calls", call), |one| one.call));
        let lines = all.iter().map(|Found { pairs, words, called }| {
            record![pairs, words, called.latency, called.deviation, called.call]
        });
        let head = "pairs,words,latency_us,deviation_us,call_us";
        raw.push(Raw::csv("messages", head, lines));
        let (against, why) = judge(&all);
        verdict = Some(Verdict::by(&against, &why));
    }
    if settings.on(Host::Here) {
        (settings.progress)("today's mechanisms");
        let all = today::measured(settings.either(20_000, 2_000))?;
        circumstances.push(today::circumstances());
        tables.push(today_table(&all));
        notes.push(today::NOTE.to_owned());
        let lines = all.iter().map(|one| record![one.name, one.latency_ns, one.word_ns]);
        raw.push(Raw::csv("messages-today", "mechanism,latency_ns,word_ns", lines));
    }
    let open = || Verdict {
        standing: crate::findings::ClaimStatus::Open,
        why: "the claim is about the simulated machine".to_owned(),
    };
    Ok(Findings {
        circumstances,
        tables,
        figures,
        raw,
        notes,
        verdict: verdict.unwrap_or_else(open),
    })
}

//! CMU 1982, 1.9: the four design principles for asynchronous voting, each held against runs of the three experiments.

use super::digits;
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Findings, Table, Verdict};
use crate::voting::{
    CONSTANT, Cost, Counted, FREE, GRANULARITIES, LINEAR, Pace, Run, Trial, least_and_most,
};

pub(super) static EXPERIMENT: Experiment = Experiment {
    name: "nmr-conclusions",
    also: &[],
    title: "the four principles that the voter experiments led to",
    source: "CMU 1982, 1.9",
    question: "do the paper's four principles of asynchronous voting hold where everything else is equal?",
    claim: "smaller granularity has the queue bounded more often; random variation matters more with larger granularity; equal times faster and slower have it bounded; a voter that costs more allows more variation",
    hosts: &[Host::Sim],
    absent: "the principles are about what costs come to, not about a machine",
    run: findings,
};

/// The per cents of which each is as likely.
const PERCENTS: std::ops::RangeInclusive<u64> = 1..=150;
const VARIED: [u64; 3] = [10, 30, 50];
/// Operations of a message, for voters of constant cost.
const OVERHEADS: [u64; 4] = [50, 130, 260, 520];

/// Votes in which a queue that grows by a hundredth of a row a vote is seen to.
const VOTES: usize = 1_000;

fn is_at_one_row(run: &Run) -> bool {
    run.lengths.iter().all(|rows| *rows == 1)
}

const fn constant(message: u64) -> Cost {
    Cost { message, row: 0 }
}

/// The largest per cent that is hidden by a voter, of those tried: the queue stays at one row.
fn hidden(granularity: u64, cost: Cost) -> u64 {
    // What is hidden at one per cent is at all below.
    let (mut low, mut high) = (0, 1_000);
    while low + 1 < high {
        let percent = u64::midpoint(low, high);
        let run = Trial::new(granularity, Pace::slower(percent), VOTES).cost(cost).run();
        if is_at_one_row(&run) { low = percent } else { high = percent }
    }
    low
}

/// 1: how many of the per cents have a bounded queue, and how long it is.
fn granularity() -> (Table, Verdict) {
    let title = "1. of the per cents from 1 to 150, how many the voter hides, and at 50 % the rows after 2,000 votes";
    let head = ["granularity", "linear: hidden", "rows", "constant: hidden, so bounded", "rows"];
    let mut table = Table::new(title, 0, &head);
    let (mut shares, mut rows) = (Vec::new(), Vec::new());
    for granularity in GRANULARITIES {
        let mut row = vec![granularity.to_string()];
        for cost in [LINEAR, CONSTANT] {
            let hidden = hidden(granularity, cost).min(*PERCENTS.end());
            let length =
                Trial::new(granularity, Pace::slower(50), 2_000).cost(cost).run().at(2_000);
            row.extend([hidden.to_string(), length.to_string()]);
            shares.push(hidden);
            rows.push(length);
        }
        table.rows.push(row);
    }
    // Both voters by turns.
    let falls = shares.windows(3).all(|three| three[2] < three[0]);
    let grows = rows.windows(3).all(|three| three[2] >= three[0]);
    let against =
        if falls && grows { Vec::new() } else { vec![format!("hidden {shares:?}, rows {rows:?}")] };
    let each: Vec<String> = shares.chunks(2).map(|both| both[1].to_string()).collect();
    let why = format!(
        "of 150 per cents {} have a bounded queue with a constant voter; with a linear one all have, and its bound is larger",
        each.join(", ")
    );
    (table, Verdict::by(&against, &why))
}

/// 2: what variation does whose mean is zero.
fn variation(votes: usize) -> (Table, Verdict) {
    let title = "2. work of each iteration at random within p of the normal, equally likely, linear voter: mean and largest queue in all votes, beside p slower always";
    let mut head = vec!["granularity".to_owned()];
    for percent in VARIED {
        head.extend(
            ["mean", "largest", "always slower"].map(|name| format!("{percent} %: {name}")),
        );
    }
    let mut table = Table::new(title, 0, &head.iter().map(String::as_str).collect::<Vec<_>>());
    let mut means = Vec::new();
    for granularity in GRANULARITIES {
        let mut row = vec![granularity.to_string()];
        for percent in VARIED {
            let pace = Pace::oscillating(percent).counted(Counted::Random(percent));
            let run = Trial::new(granularity, pace, votes).run();
            let sum: u64 = run.lengths.iter().map(|rows| u64::from(*rows)).sum();
            #[expect(clippy::cast_precision_loss, reason = "shown; below 2^53")]
            let mean = sum as f64 / votes as f64;
            let most = run.lengths.iter().copied().max().unwrap_or(1);
            let always = Trial::new(granularity, Pace::slower(percent), votes).run().at(votes);
            row.extend([digits(mean), most.to_string(), always.to_string()]);
            means.push((percent, sum));
        }
        table.rows.push(row);
    }
    let of = |percent: u64| -> Vec<u64> {
        means.iter().filter(|one| one.0 == percent).map(|one| one.1).collect()
    };
    let against: Vec<String> = VARIED
        .into_iter()
        .filter(|percent| !of(*percent).is_sorted())
        .map(|percent| format!("at {percent} % the mean does not grow with granularity"))
        .collect();
    let last = table.rows.iter().map(|row| row[7].as_str()).collect::<Vec<_>>().join(", ");
    let why =
        format!("50 % at random leads to {last} rows in the mean at granularities 256 to 16,384");
    (table, Verdict::by(&against, &why))
}

/// 3: equal times, and equal iterations.
fn equal_times() -> (Table, Verdict) {
    let title = "3. slower and faster by p for equal times, of 20 normal iterations each: largest queue in votes 161 to 200 and 1,961 to 2,000, for 10, 30 and 50 %; the same for 20 iterations each";
    let head =
        ["voter", "granularity", "times, to 200", "to 2,000", "iterations, to 200", "to 2,000"];
    let mut table = Table::new(title, 1, &head);
    let mut against = Vec::new();
    for (name, cost) in [("linear", LINEAR), ("constant", CONSTANT), ("without cost", FREE)] {
        for granularity in GRANULARITIES {
            let mut row = vec![name.to_owned(), granularity.to_string()];
            for counted in [Counted::Time, Counted::Own] {
                let runs = VARIED.map(|percent| {
                    Trial::new(granularity, Pace::oscillating(percent).counted(counted), 2_000)
                        .cost(cost)
                        .run()
                });
                let [early, late] =
                    [200, 2_000].map(|vote| runs.each_ref().map(|run| least_and_most(run, vote).1));
                if early.iter().zip(&late).any(|(early, late)| late > &(early + 1)) {
                    against.push(format!(
                        "{name}, granularity {granularity}, equal {counted:?}: {early:?} rows, then {late:?}"
                    ));
                }
                row.extend([early, late].map(|all| all.map(|rows| rows.to_string()).join(", ")));
            }
            table.rows.push(row);
        }
    }
    let why = "no queue grows between 200 and 2,000 votes with any voter, nor where iterations are equal, against figure 1-11";
    (table, Verdict::by(&against, why))
}

/// 4: what a voter that costs more allows, and what it costs.
fn overhead() -> (Table, Verdict) {
    let title = "4. voters of constant cost: per cents that are hidden, and votes in a million operations while all subtasks are as fast, by granularity";
    let mut head = vec!["operations a message".to_owned()];
    head.extend(GRANULARITIES.map(|granularity| format!("{granularity}: hidden, %")));
    head.extend(GRANULARITIES.map(|granularity| format!("{granularity}: votes")));
    let mut table = Table::new(title, 0, &head.iter().map(String::as_str).collect::<Vec<_>>());
    // What is hidden, and operations that so many votes take.
    let mut all: Vec<[(u64, u64); 4]> = Vec::new();
    for message in OVERHEADS {
        let each = GRANULARITIES.map(|granularity| {
            let normal =
                Trial::new(granularity, Pace::slower(0), VOTES).cost(constant(message)).run();
            let operations = normal.took.as_nanos() / crate::voting::OPERATION.as_nanos();
            (hidden(granularity, constant(message)), operations)
        });
        let mut row = vec![message.to_string()];
        row.extend(each.map(|(hidden, _)| hidden.to_string()));
        row.extend(each.map(|(_, operations)| (VOTES as u64 * 1_000_000 / operations).to_string()));
        table.rows.push(row);
        all.push(each);
    }
    let mut against = Vec::new();
    for (less, more) in all.iter().zip(&all[1..]) {
        for ((less, more), granularity) in less.iter().zip(more).zip(GRANULARITIES) {
            if more.0 <= less.0 || more.1 <= less.1 {
                against.push(format!("granularity {granularity}: {less:?}, then {more:?}"));
            }
        }
    }
    let cell = |row: usize| all[row][1].0;
    let why = format!(
        "at granularity 1,024 voters of 50 to 520 operations a message hide {}, {}, {} and {} %, and each takes longer for a vote",
        cell(0),
        cell(1),
        cell(2),
        cell(3)
    );
    (table, Verdict::by(&against, &why))
}

/// Its table and what it comes to, in runs of so many votes.
type Principle = fn(usize) -> (Table, Verdict);

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let votes = settings.either(20_000, 2_000);
    let (mut tables, mut against, mut why) = (Vec::new(), Vec::new(), Vec::new());
    let mut judged = Table::new("the four conclusions", 3, &["conclusion", "verdict", "by"]);
    let each: [(&str, Principle); 4] = [
        ("1: smaller granularity, more often bounded", |_| granularity()),
        ("2: larger granularity, random variation matters more", variation),
        ("3: equal times faster and slower, bounded", |_| equal_times()),
        ("4: more overhead, more variation allowed", |_| overhead()),
    ];
    for (name, find) in each {
        (settings.progress)(name);
        let (table, verdict) = find(votes);
        let word =
            if verdict.standing == crate::ClaimStatus::Stands { "stands" } else { "refuted" };
        if word == "refuted" {
            against.push(format!("{name}: {}", verdict.why));
        }
        why.push(format!("{}: {word}", name.split(':').next().unwrap_or(name)));
        judged.rows.push(vec![name.to_owned(), word.to_owned(), verdict.why]);
        tables.push(table);
    }
    tables.insert(0, judged);
    Ok(Findings {
        circumstances: vec![format!("sim: {VOTES} to {votes} votes; linear voter 40 + 5 a row, constant voter {} operations a message", CONSTANT.message)],
        tables,
        figures: Vec::new(),
        raw: Vec::new(),
        notes: vec![
            "1 speaks of a probability, and of none in particular: each per cent from 1 to 150 counts as likely. With a linear search every queue is bounded, so that the principle is about how long it is (`nmr-slower`).".to_owned(),
            "2 does not say what is measured. Here it is the queue where work varies and is normal in the mean: it is the longer, the smaller a part of an iteration the voter takes. It is short against that of a subtask that is always slower, which is in the last column of each.".to_owned(),
        ],
        verdict: Verdict::by(&against, &why.join("; ")),
    })
}

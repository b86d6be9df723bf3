//! Possible causes of a queue that increases at granularity 16,384 and not at 4,096 or below (figures 1-10 and 1-11), though 1.6 does not say it.

use crate::findings::Table;
use crate::voting::{Counted, DRAWN, FREE, GRANULARITIES, Pace, Trial, WHOLE, least_and_most};

const PERCENTS: [u64; 3] = [10, 30, 50];
/// As long as a run lasts.
const VOTES: usize = 2_000;

/// A run by granularity and per cent.
type Cause = fn(u64, u64) -> Trial;

fn trial(granularity: u64, pace: Pace) -> Trial {
    Trial::new(granularity, pace, VOTES)
}

/// Work of whole operations, rounded down, in parts.
const fn whole(granularity: u64, hundredths: u64) -> u64 {
    (granularity * hundredths / 100 * WHOLE).div_ceil(granularity)
}

const CAUSES: [(&str, Cause); 18] = [
    ("none: as 1.6 describes it", |g, p| trial(g, Pace::oscillating(p))),
    ("20 votes for each period, whoever takes them", |g, p| {
        trial(g, Pace::oscillating(p).counted(Counted::Votes))
    }),
    ("equal times for both periods", |g, p| trial(g, Pace::oscillating(p).counted(Counted::Time))),
    ("20 slower iterations, 19 faster", |g, p| trial(g, Pace::oscillating(p).long(20, 19))),
    ("21 slower iterations, 19 faster", |g, p| trial(g, Pace::oscillating(p).long(21, 19))),
    ("55 % of the iterations slower: 22 and 18", |g, p| {
        trial(g, Pace::oscillating(p).long(22, 18))
    }),
    ("its processor is 1 % slower, or interrupted for as long", |g, p| {
        trial(g, Pace::oscillating(p).on_slower_processor(10))
    }),
    ("its processor is 2 % slower", |g, p| trial(g, Pace::oscillating(p).on_slower_processor(20))),
    ("its processor is 3 % slower", |g, p| trial(g, Pace::oscillating(p).on_slower_processor(30))),
    ("a tenth of the work is not sped up", |g, p| {
        trial(g, Pace::of([WHOLE + 1_000 * p, WHOLE - 900 * p]))
    }),
    ("work times 1 + p, then divided by it", |g, p| {
        trial(g, Pace::of([WHOLE + 1_000 * p, WHOLE * 100 / (100 + p)]))
    }),
    ("speed, and not work, less and more by p", |g, p| {
        trial(g, Pace::of([WHOLE * 100 / (100 - p), WHOLE * 100 / (100 + p)]))
    }),
    ("work in whole operations", |g, p| trial(g, Pace::of([whole(g, 100 + p), whole(g, 100 - p)]))),
    ("recording a length takes each voter 50 operations", |g, p| Trial {
        recording: [50; 3],
        ..trial(g, Pace::oscillating(p))
    }),
    ("it takes the slow subtask's voter 500, no other", |g, p| Trial {
        recording: [500, 0, 0],
        ..trial(g, Pace::oscillating(p))
    }),
    ("a queue of 8 rows, the oldest pushed out", |g, p| Trial {
        queue: Some(8),
        ..trial(g, Pace::oscillating(p))
    }),
    ("a queue of 4 rows", |g, p| Trial { queue: Some(4), ..trial(g, Pace::oscillating(p)) }),
    ("voters that take no time", |g, p| trial(g, Pace::oscillating(p)).cost(FREE)),
];

/// Whether the queue is longer than a row all the time, at the end.
fn rises(trial: &Trial) -> bool {
    least_and_most(&trial.run(), VOTES).0 > 1
}

/// The least lengths before vote 200 and before the last, by per cent.
fn least(cause: Cause, granularity: u64) -> [[u32; 3]; 2] {
    let runs = PERCENTS.map(|percent| cause(granularity, percent).run());
    [DRAWN, VOTES].map(|vote| runs.each_ref().map(|run| least_and_most(run, vote).0))
}

/// The effect of each cause; and the causes that have the effect of the paper.
pub(super) fn table() -> (Table, Vec<&'static str>) {
    let title = "what would cause an increase: least rows of the queue in the 40 votes before a vote, for 10, 30 and 50 %; granularities at which it is never restored to one row then";
    let head = [
        "cause",
        "4,096: to 200",
        "4,096: to 2,000",
        "16,384: to 200",
        "16,384: to 2,000",
        "increases at",
    ];
    let mut table = Table::new(title, 1, &head);
    let mut found = Vec::new();
    for (name, cause) in CAUSES {
        let each = GRANULARITIES.map(|granularity| (granularity, least(cause, granularity)));
        let risen = each.iter().filter(|(_, [_, last])| last.iter().any(|rows| *rows > 1));
        let at: Vec<u64> = risen.map(|(granularity, _)| *granularity).collect();
        if at == [16_384] {
            found.push(name);
        }
        let mut row = vec![name.to_owned()];
        let shown = each.iter().filter(|(granularity, _)| *granularity >= 4_096);
        row.extend(
            shown.flat_map(|(_, ends)| {
                ends.map(|rows| rows.map(|rows| rows.to_string()).join(", "))
            }),
        );
        let at: Vec<String> = at.iter().map(u64::to_string).collect();
        row.push(if at.is_empty() { "none".to_owned() } else { at.join(", ") });
        table.rows.push(row);
    }
    (table, found)
}

/// From how many thousandths on a slower processor would have the queue increase, looked for in such steps.
pub(super) fn thresholds(step: usize) -> Table {
    let title = "by how many thousandths the processor of the slow subtask must be slower, so that the queue is not restored to one row within 2,000 votes";
    let mut table = Table::new(title, 0, &["granularity", "10 %", "30 %", "50 %"]);
    for granularity in [1_024, 4_096, 16_384] {
        let from = |percent: u64| {
            let slower = |thousandths: &u64| {
                let pace = Pace::oscillating(percent).on_slower_processor(*thousandths);
                rises(&trial(granularity, pace))
            };
            (0..400)
                .step_by(step)
                .find(slower)
                .map_or_else(|| "-".to_owned(), |from| from.to_string())
        };
        let each = PERCENTS.map(from).to_vec();
        table.rows.push([vec![granularity.to_string()], each].concat());
    }
    table
}

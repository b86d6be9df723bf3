//! CMU 1982, experiment 2 (1.6, figures 1-8 to 1-11): a subtask that is slower for 20 iterations and then as much faster for 20; and what would cause the net increase of figure 1-11.

mod causes;

use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Verdict};
use crate::voting::{
    Curve, DRAWN, Drawn, Pace, Trial, figure, least_and_most, lengths_table, records,
};

pub(super) static EXPERIMENT: Experiment = Experiment {
    name: "nmr-oscillating",
    also: &["nmr-figure-1-8", "nmr-figure-1-9", "nmr-figure-1-10", "nmr-figure-1-11"],
    title: "a subtask that is slower for 20 iterations and faster for 20, by granularity",
    source: "CMU 1982, 1.6, figures 1-8 to 1-11",
    question: "does a subtask catch up that is as much faster as it was slower before, and what would keep it from that?",
    claim: "at granularities 256, 1,024 and 4,096 the queue returns to one row in each period, at 4,096 and 50 % just so; at 16,384 it does not, and increases over time",
    hosts: &[Host::Sim],
    absent: "periods of 20 iterations are shorter than what a thread runs at a stretch",
    run: findings,
};

/// "The variation in these experiments, 10% to 100%".
const PERCENTS: [u64; 7] = [10, 20, 30, 40, 50, 75, 100];
/// The last curve in the legend of figure 1-9. At granularity 256 a voter hides as much.
const DRAWN_TO: u64 = 50;

fn label(granularity: &str, percent: u64) -> String {
    format!("granularity = {granularity} +/- {percent} % every 20 votes")
}

fn figures(curves: &[Curve]) -> Vec<Figure> {
    let each = [
        (
            256,
            "1-8",
            "Granularity 256. Of the paper's legend only 10 % is left (printed 266). Up to 50 % lie on each other at one row, which the voter hides as in figure 1-4; so the rise and fall of the paper's text is that of 75 and 100 %.",
        ),
        (1_024, "1-9", "Granularity 1,024. Legend and axis are those of the paper."),
        (
            4_096,
            "1-10",
            "Granularity 4,096. Legend and axis of the paper are lost: those of 1-9. At 50 % the queue comes to one row for the last two of 40 iterations.",
        ),
        (
            16_384,
            "1-11",
            "Granularity 16,384, as the text describes the experiment. Legend and axis of the paper are lost: those of 1-9. The paper's curves increase; these do not.",
        ),
    ];
    let draw = |(granularity, number, caption)| {
        let most = if granularity == 256 { 100 } else { DRAWN_TO };
        let here =
            curves.iter().filter(|curve| curve.granularity == granularity && curve.percent <= most);
        figure(Drawn { number, differs: "", caption, rows: 30.0, label }, &here.collect::<Vec<_>>())
    };
    let mut figures: Vec<Figure> = each.map(draw).into();
    figures.push(slower_processor());
    figures
}

/// Figure 1-11 as it would be with one of the causes.
fn slower_processor() -> Figure {
    let curve = |percent| {
        let pace = Pace::oscillating(percent).on_slower_processor(20);
        Curve { granularity: 16_384, percent, run: Trial::new(16_384, pace, DRAWN).run() }
    };
    let curves: Vec<Curve> =
        PERCENTS.into_iter().filter(|percent| *percent <= DRAWN_TO).map(curve).collect();
    let drawn = Drawn {
        number: "1-11",
        differs: ", with one slower processor",
        caption: "Granularity 16,384, where the processor of the first subtask is 2 % slower than the others: a net increase, at each per cent. At 4,096 the same processor changes nothing that can be seen.",
        rows: 30.0,
        label,
    };
    figure(drawn, &curves.iter().collect::<Vec<_>>())
}

/// The parts of the claim that are contradicted.
fn judge(curves: &[Curve], votes: usize) -> Vec<String> {
    let mut against = Vec::new();
    for Curve { granularity, percent, run } in curves {
        let (least, most) = least_and_most(run, votes);
        if *granularity <= 4_096 && least > 1 {
            against.push(format!(
                "at {granularity} and {percent} % the queue does not return to one row"
            ));
        }
        if *granularity > 4_096 && *percent == 50 && least <= 1 {
            against.push(format!("at {granularity} and {percent} % it returns to one row in each period, after {most} at most"));
        }
    }
    against
}

fn notes() -> Vec<String> {
    vec![
        "20 iterations at 1 + p and 20 at 1 - p take as long as 40 normal ones, and the fast subtasks wait for their voters in each: so the slow one catches up whatever the granularity. That more of its time is spent on the slower ones (1.6: 55 % and 45 % of it at 10 %) changes nothing about that sum.".to_owned(),
        "All causes that have the queue increase make the slow subtask's work longer in the mean, by a part e. What hides that is the voter's cost of two messages, which does not grow with granularity: it is hidden while e g is less. So whatever makes it longer by 1 to 2 % does what the paper shows, restored at 4,096 and not at 16,384: a processor that is slower or interrupted, periods that are out by an iteration, a part of the work that is not sped up. Which of them it was cannot be told from the text."
            .to_owned(),
        "Not run: a voter that opens a row again for a value that comes after its row was pushed out. Queues are as long at 4,096 as at 16,384, so whatever a full queue does would happen at both.".to_owned(),
    ]
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let until: &[usize] = settings.either(&[200, 2_000, 20_000], &[200, 2_000]);
    let votes = until[until.len() - 1];
    (settings.progress)("simulated voters");
    let curves = Curve::all(&PERCENTS, votes, |trial| trial, Pace::oscillating);
    let title = "least and largest queue, in rows, in the 40 votes before each";
    let mut tables = vec![lengths_table(title, until, &curves)];
    (settings.progress)("what would cause an increase");
    let (causes, found) = causes::table();
    tables.push(causes);
    (settings.progress)("how much slower a processor would do");
    tables.push(causes::thresholds(settings.either(1, 4)));
    let against = judge(&curves, votes);
    let verdict = Verdict::by(&against, "the queue increases at 16,384 alone");
    Ok(Findings {
        circumstances: vec![format!(
            "sim: {votes} votes, linear voter (40 operations a message and 5 a row)"
        )],
        tables,
        figures: figures(&curves),
        raw: vec![records("nmr-oscillating", &curves)],
        notes: notes(),
        verdict: Verdict {
            why: format!(
                "{}; an increase at 16,384 alone comes of: {}",
                verdict.why,
                found.join("; ")
            ),
            ..verdict
        },
    })
}

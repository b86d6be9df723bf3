//! The memo on the Multics traffic controller: nine measurements of two processes that wake each other.
//!
//! The costs of the simulated machine are the memo's, each taken out of one measurement; that all the others come back
//! says that calls, decisions, switches and timers add up as the memo's did.

use super::digits;
use crate::carried_out::whole;
use crate::experiment::{Experiment, Host, Settings, Trouble};
use crate::findings::{Findings, Raw, Table, Verdict};
use crate::memo::{Notifier, Report, RunOut, ScriptA, reported};
use crate::statistics::{line, mean, median};
use crate::trees::scenario;
use windfall_programs::{Code, Costs, Node, Terms};
use windfall_scenario::model::{self, Scheduler, Setting};
use windfall_scenario::{Home, PlannedInterrupts, PlannedPattern, PlannedThread};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};
use windfall_trace::{Event, Sink, Theft};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "multics",
    also: &[],
    title: "what the calls of a traffic controller cost",
    source: "Multics, Rappaport and Spier: timing test of the new traffic controller",
    question: "what do waking, blocking, waiting, notifying and running out of a quantum cost?",
    claim: "with the memo's costs the simulated machine gives each of its measurements back within 5 %, and its \
            interpretation",
    hosts: &[Host::Sim],
    absent: "the two scripts run there as threads of their own, which have no costs to set",
    run: findings,
};

/// What is measured: in words, the steps that begin it, and the memo's figures in microseconds without those that it
/// circles.
struct Measurement {
    what: &'static str,
    steps: &'static [u32],
    paper: &'static [f64],
}

/// The memo's items 1 to 8. The scan has lost the table of item 5; what it says of it elsewhere is "about 200 plus
/// about 100 per process waiting".
const MEASUREMENTS: [Measurement; 8] = [
    Measurement {
        what: "wake a blocked process",
        steps: &[1, 3, 5, 7, 17],
        paper: &[
            879.0, 882.0, 882.0, 908.0, 904.0, 904.0, 877.0, 878.0, 911.0, 911.0, 911.0, 904.0,
            904.0, 904.0,
        ],
    },
    Measurement {
        what: "block",
        steps: &[2, 4, 6],
        paper: &[1379.0, 1389.0, 1389.0, 1407.0, 1407.0, 1379.0, 1379.0, 1379.0],
    },
    Measurement { what: "wait for something", steps: &[10], paper: &[1277.0; 3] },
    Measurement { what: "wait for nothing", steps: &[16], paper: &[230.0; 3] },
    Measurement { what: "notify, one waits", steps: &[11], paper: &[] },
    Measurement { what: "notify, nobody waits", steps: &[8, 13], paper: &[237.0; 6] },
    Measurement {
        what: "add an event",
        steps: &[9, 14],
        paper: &[231.0, 231.0, 231.0, 227.0, 227.0, 227.0],
    },
    Measurement { what: "delete an event", steps: &[15], paper: &[235.0; 3] },
];

/// Item 9, for processes A and B. The memo writes "msecs" there and in its last paragraph, and means microseconds.
const RUN_OUT: [f64; 2] = [1454.0, 1511.0];

const fn us(count: u64) -> Span {
    Span::from_nanos(count * 1_000)
}

/// What the extra 15 instructions of a mark took: that many of a processor that did some 435,000 a second.
const METERING: Span = us(35);
/// Choosing a successor, of the 100 that each process takes that is notified.
const DECISION: Span = us(50);
/// The clock interrupts that the memo circles: 1558 where 1407 was found else, 1028 where it was 877.
const INTERRUPT: Span = us(151);

/// The memo's costs. Giving the processor away is what waiting for something takes more than waiting for nothing:
/// 1277 - 230.
fn costs() -> (model::Costs, Costs) {
    let machine = model::Costs {
        switch: us(1_277 - 230) - DECISION,
        decision: DECISION,
        timer: us(1_482) - DECISION,
        ..model::Costs::default()
    };
    let calls = Costs {
        now: METERING,
        wakeup: us(895) - DECISION - METERING,
        block: us(1_389 - (1_277 - 230)) - METERING,
        wait_event: us(230) - METERING,
        notify: us(237) - METERING,
        notify_each: us(100) - DECISION,
        add_event: us(229) - METERING,
        del_event: us(235) - METERING,
        ..Costs::default()
    };
    (machine, calls)
}

/// When interrupts were served.
#[derive(Default)]
struct Interrupts(Vec<Instant>);

impl Sink for Interrupts {
    fn record(&mut self, at: Instant, event: &Event) {
        if let Event::TheftBegin { kind: Theft::Interrupt, .. } = event {
            self.0.push(at);
        }
    }
}

/// Runs one process, and all that it makes, on the memo's machine.
fn simulate(code: impl Code, length: Span, clock: Option<Span>) -> Result<Interrupts, Trouble> {
    let root = Scheduler::root("traffic", "round-robin");
    let root = root.with("quantum", Setting::Span(Span::from_millis(500)));
    let mut scenario = scenario(length, vec![root], Vec::new());
    let (machine, calls) = costs();
    scenario.machine.costs = machine;
    let mut plan = scenario.build().map_err(|wrong| Trouble::Scenario(wrong.render(false)))?;
    let homes = plan.nodes.iter();
    let homes = homes.map(|(_, scheduler)| Home { scheduler: *scheduler, asks: |_| Vec::new() });
    plan.processes.nodes = homes.collect();
    plan.processes.costs = calls;
    let first = plan
        .processes
        .nodes
        .first()
        .map(|home| PlannedThread::process(Node(0), home, &Terms::default(), code));
    plan.threads.extend(first);
    plan.interrupts.extend(clock.map(|period| PlannedInterrupts {
        processor: 0,
        kind: Theft::Interrupt,
        number: 0,
        pattern: PlannedPattern::Periodic {
            offset: Instant::ZERO + period,
            period,
            cost: INTERRUPT,
        },
    }));
    let mut interrupts = Interrupts::default();
    let sim = Sim::of(plan, Some(&mut interrupts)).map_err(|why| Trouble::Run(why.to_string()))?;
    whole(sim.run(Instant::ZERO + length, |_| true))?;
    Ok(interrupts)
}

/// One time from the entry of a step to that of the next.
#[derive(Clone, Copy)]
struct Sample {
    step: u32,
    us: f64,
    /// Whether an interrupt fell into it.
    circled: bool,
}

#[expect(clippy::cast_precision_loss, reason = "shown; below 2^53 ns")]
fn micros(span: Span) -> f64 {
    span.as_nanos() as f64 / 1_000.0
}

/// Both scripts so often; what each step took, and what a mark costs.
fn scripts(loops: usize) -> Result<(Vec<Sample>, Span), Trouble> {
    let (marks, metering) = (Report::default(), Report::default());
    let script = ScriptA { loops, marks: marks.clone(), metering: metering.clone() };
    let length = Span::from_millis(20).checked_mul(loops as u64 + 10).unwrap_or(Span::MAX);
    let interrupts = simulate(script, length, Some(Span::from_millis(17)))?;
    let mut marks = reported(&marks);
    marks.sort_by_key(|(_, at)| *at);
    let order = (1..=18).cycle().take(18 * loops);
    if !marks.iter().map(|(step, _)| *step).eq(order) {
        return Err(Trouble::Run("the steps of the scripts are out of order".to_owned()));
    }
    let mut struck = interrupts.0.iter().copied().peekable();
    let samples = marks.windows(2).map(|pair| {
        let ((step, from), (_, to)) = (pair[0], pair[1]);
        // One at the very moment of a mark comes after it.
        while struck.next_if(|at| *at < from).is_some() {}
        let circled = struck.peek().is_some_and(|at| *at < to);
        Sample { step, us: micros(to.saturating_since(from)), circled }
    });
    Ok((samples.collect(), reported(&metering).first().copied().unwrap_or(Span::ZERO)))
}

/// What running out of a quantum takes, each time.
fn run_out() -> Result<Vec<f64>, Trouble> {
    let spans = Report::default();
    let code = RunOut { pieces: 1_500, piece: Span::from_millis(1), spans: spans.clone() };
    simulate(code, Span::from_secs(2), None)?;
    let spans: Vec<f64> = reported(&spans).into_iter().map(micros).collect();
    let usual = median(&spans);
    Ok(spans.into_iter().filter(|span| *span > usual + 1.0).map(|span| span - usual).collect())
}

/// Waiters, and what notifying them takes.
fn notified() -> Result<Vec<(f64, f64)>, Trouble> {
    let spans = Report::default();
    let waiters = vec![1, 2, 4, 8, 16, 32, 64];
    simulate(Notifier { waiters, spans: spans.clone() }, Span::from_secs(10), None)?;
    Ok(reported(&spans).into_iter().map(|(woken, span)| (f64::from(woken), micros(span))).collect())
}

fn findings(settings: &Settings<'_>) -> Result<Findings, Trouble> {
    let loops = settings.either(10_000, 300);
    (settings.progress)(&format!("scripts A and B, {loops} loops"));
    let (samples, metering) = scripts(loops)?;
    (settings.progress)("running out of quanta, and notifying 1 to 64 waiters");
    let (run_outs, notified) = (run_out()?, notified()?);
    let metering = micros(metering);

    let mut against = Vec::new();
    let mut nine = Table::new(
        "the nine measurements (us)",
        1,
        &["", "paper", "sim", "off (%)", "without metering", "least", "most", "circled"],
    );
    let mut row = |what: &str, paper: &[f64], found: &[f64], metered: f64, circled: usize| {
        let sim = median(found);
        let off = (mean(paper).value - sim) / mean(paper).value * 100.0;
        if off.abs() > 5.0 || sim.is_nan() {
            against.push(format!("{what}: {} us, {} % off", digits(sim), digits(off)));
        }
        let (least, most) = found
            .iter()
            .fold((f64::INFINITY, 0.0_f64), |(least, most), us| (least.min(*us), most.max(*us)));
        let paper = mean(paper).value;
        let cells = [paper, sim, off, sim - metered, least, most].map(digits);
        let mut cells: Vec<String> = cells.into();
        cells.insert(0, what.to_owned());
        cells.push(circled.to_string());
        nine.rows.push(cells);
        sim
    };
    let mut medians = Vec::new();
    for Measurement { what, steps, paper } in &MEASUREMENTS {
        let of = samples.iter().filter(|sample| steps.contains(&sample.step));
        let (circled, clear): (Vec<Sample>, Vec<Sample>) = of.partition(|sample| sample.circled);
        let clear: Vec<f64> = clear.iter().map(|sample| sample.us).collect();
        let interpreted = [200.0 + 100.0 + micros(METERING)];
        let paper = if paper.is_empty() { &interpreted } else { *paper };
        medians.push(row(what, paper, &clear, metering, circled.len()));
    }
    row("run out of a quantum", &RUN_OUT, &run_outs, 0.0, 0);
    let fit = line(&notified);
    let interpretation = interpretation(&medians, (fit.at_zero, fit.slope), &mut against);
    let rows = samples.iter().map(|one| format!("{},{},{}", one.step, one.us, one.circled));
    let notes = [
        "The simulated costs are the memo's: each is what one measurement has left when decisions, switches and the \
         metering are taken out, so the table says that they add up, not that they were predicted.",
        "The paper's column is the mean of what the memo prints without its circled figures. The scan has lost the table of \
         item 5; its figure here is the memo's interpretation, 200 plus 100 for the one that waits, and the metering of \
         its entry. Item 9 is printed in `msecs` and meant in microseconds.",
        "A figure in parentheses has a clock interrupt in it, which the memo circles; they count in neither column.",
    ];
    let wrong = format!("{} measurements within 5 %", nine.rows.len());
    Ok(Findings {
        circumstances: vec![format!(
            "simulated: 1 processor, round robin, {loops} loops; metering {} us a mark",
            digits(metering)
        )],
        tables: vec![nine, three_loops(&samples), interpretation],
        figures: Vec::new(),
        raw: vec![
            Raw::csv("multics", "step,us,interrupted", rows),
            Raw::csv(
                "multics-notify",
                "waiters,us",
                notified.iter().map(|(n, us)| format!("{n},{us}")),
            ),
        ],
        notes: notes.map(str::to_owned).into(),
        verdict: Verdict::by(&against, &wrong),
    })
}

/// The memo's tables: three loops in full.
fn three_loops(samples: &[Sample]) -> Table {
    let mut table =
        Table::new("three loops (us)", 2, &["", "from step", "loop 1", "loop 2", "loop 3"]);
    for Measurement { what, steps, .. } in &MEASUREMENTS {
        for step in *steps {
            let of = samples.iter().filter(|sample| sample.step == *step).take(3);
            let cells = of.map(|sample| match sample.circled {
                true => format!("({})", digits(sample.us)),
                false => digits(sample.us),
            });
            table
                .rows
                .push([(*what).to_owned(), format!("T{step}")].into_iter().chain(cells).collect());
        }
    }
    table
}

/// The memo's last paragraph.
fn interpretation(
    medians: &[f64],
    (notify, waiter): (f64, f64),
    against: &mut Vec<String>,
) -> Table {
    let [wakeup, block, wait, .., add, _] = *medians else { return Table::new("", 1, &[]) };
    let mut table = Table::new("the memo's interpretation (us)", 1, &["", "paper", "sim"]);
    let rows = [
        ("give a processor away", "1300 to 1400", f64::midpoint(block, wait), 1_250.0..1_450.0),
        ("wake a blocked process", "about 850", wakeup, 800.0..950.0),
        ("block and wake", "about 2000", block + wakeup, 1_900.0..2_400.0),
        ("notify, without waiters", "about 200", notify, 180.0..260.0),
        ("notify, more for each waiter", "about 100", waiter, 95.0..105.0),
        ("add, wait and notify", "about 1800", add + wait + notify + waiter, 1_700.0..1_900.0),
    ];
    for (what, paper, sim, range) in rows {
        if !range.contains(&sim) {
            against.push(format!("{what}: {} us where the memo has {paper}", digits(sim)));
        }
        table.rows.push(vec![what.to_owned(), paper.to_owned(), digits(sim)]);
    }
    table
}

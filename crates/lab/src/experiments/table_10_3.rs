//! Table 10.3: by how much a program does less when a timer goes off often.
//!
//! On the simulator each tick costs what the paper's second column amounts to; on this machine a thread
//! that a timer wakes takes the place of the interrupt: more than an interrupt, and what the system
//! allows a program.

use super::{PAPER, SERIES, dashed, digits, solid, with_confidence};
use crate::carried_out::{percent, run};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{ClaimStatus, Figure, Findings, Raw, Table, Verdict, record};
use crate::machine::cache_kib;
use crate::native::{on_one_processor, spend};
use crate::statistics::{Mean, difference, line, mean};
use crate::trees::{clock, scenario, spinners};
use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use windfall_plot::chart::{Axis, Chart, Dot, Mark};
use windfall_scenario::model::{Scheduler, Timer};
use windfall_schedulers::kinds;
use windfall_time::Span;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "table-10-3",
    also: &[],
    title: "overhead of a fast timer",
    source: "HLS 10.4, table 10.3",
    question: "how much less work does a program do when a timer fires up to 8192 times a second?",
    claim: "the loss is in proportion to the frequency, and below 4 % at 8192 Hz for an interrupt",
    hosts: &[Host::Sim, Host::Here],
    absent: "the system's own timer is measured on `here`",
    run: findings,
};

/// Hertz, and the losses of 2001 in per cent: with little data, and with all of the cache in use.
const LINES: [(u64, f64, f64); 6] = [
    (256, -0.102, 0.0989),
    (512, -0.141, 0.260),
    (1024, -0.002_56, 0.520),
    (2048, 0.387, 1.12),
    (4096, 1.09, 2.28),
    (8192, 2.74, 3.69),
];
/// The frequency against which it is measured.
const BASE: u64 = 64;

/// The losses at all frequencies.
struct Losses {
    table: Table,
    rows: Vec<Vec<String>>,
    against: Vec<String>,
    /// Frequency and loss: simulated, warm and cold, then here.
    points: [Vec<(f64, f64)>; 4],
}

/// How it is found.
struct Setup {
    /// The cost of a tick, warm and cold: the paper's losses in proportion to the frequency.
    costs: [Span; 2],
    /// Working sets, warm and cold, in KiB.
    sizes: [u64; 2],
    length: Span,
    runs: usize,
    /// How long a run is here, in milliseconds.
    spell: u64,
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let slope = |of: fn(&(u64, f64, f64)) -> f64| {
        #[expect(clippy::cast_precision_loss, reason = "a few kilohertz")]
        let points: Vec<_> = LINES.iter().map(|one| (one.0 as f64, of(one) / 100.0)).collect();
        line(&points).slope * 1e9
    };
    let (runs, spell) = settings.either((20, 1_000), (2, 100));
    let setup = Setup {
        costs: [slope(|one| one.1), slope(|one| one.2)].map(whole),
        sizes: [0, cache_kib(2).unwrap_or(1024)],
        length: Span::from_secs(10),
        runs,
        spell,
    };
    let Losses { table, rows, mut against, points } = losses(settings, &setup)?;
    for (name, points) in ["sim warm", "sim cold"].into_iter().zip(&points) {
        if !points.is_empty() && line(points).explained < 0.98 {
            against.push(format!("{name}: not in proportion"));
        }
    }
    Ok(Findings {
        circumstances: circumstances(settings, &setup),
        tables: vec![table],
        figures: vec![figure(&points)],
        raw: vec![Raw::csv("table-10-3", "host,hertz,cold,loss_percent,confidence,ticks_per_second", rows)],
        notes: vec![
            "Simulated, a tick costs what the paper's columns have as their slope; the table shows that one number \
             explains each column."
                .to_owned(),
            "Here a thread sleeps on a timer of that frequency on the processor of the working thread: a timer's \
             interrupt, a wake-up and two switches each time. A kernel's own tick costs less."
                .to_owned(),
        ],
        verdict: if settings.on(Host::Sim) {
            Verdict::by(&against, "sim: in proportion to the frequency, and below 4 % at 8192 Hz")
                .calibrated()
        } else {
            let why = "a thread that a timer wakes costs more than an interrupt, which the claim is about";
            Verdict { standing: ClaimStatus::Open, why: why.to_owned() }
        },
    })
}

fn losses(settings: &Settings<'_>, setup: &Setup) -> Result<Losses, LabError> {
    let Setup { costs, sizes, length, runs, spell } = *setup;
    let head = [
        "Hz",
        "paper warm",
        "sim warm",
        "here warm",
        "paper cold",
        "sim cold",
        "here cold",
        "here ticks a second",
    ];
    let mut table = Table::new("loss of a program's work, in per cent", 0, &head);
    let (mut rows, mut against) = (Vec::new(), Vec::new());
    let mut points: [Vec<(f64, f64)>; 4] = Default::default();
    for (hertz, warm, cold) in LINES {
        let mut row = vec![hertz.to_string()];
        let mut ticks = "-".to_owned();
        for (at, (paper, cost)) in [warm, cold].into_iter().zip(costs).enumerate() {
            row.push(digits_signed(paper));
            let (mut sim, mut here) = ("-".to_owned(), "-".to_owned());
            #[expect(clippy::cast_precision_loss, reason = "a few kilohertz")]
            let x = hertz as f64;
            if settings.on(Host::Sim) {
                let lost = simulated(BASE, cost, length)? - simulated(hertz, cost, length)?;
                points[at].push((x, lost));
                if hertz == 8192 && lost > 4.0 {
                    against.push(format!("sim: {lost:.2} % at {hertz} Hz"));
                }
                sim = digits_signed(lost);
                rows.push(record!["sim", hertz, at, lost, 0, hertz]);
            }
            if settings.on(Host::Here) {
                (settings.progress)(&format!("here, {hertz} Hz, {} KiB", sizes[at]));
                let found = measured(hertz, sizes[at], runs, Duration::from_millis(spell))?;
                let Mean { value, confidence, .. } = found.0;
                points[2 + at].push((x, value));
                here = with_confidence(found.0);
                ticks = format!("{:.0}", found.1);
                rows.push(record!["here", hertz, at, value, confidence, found.1]);
            }
            row.extend([sim, here]);
        }
        row.push(ticks);
        table.rows.push(row);
    }
    Ok(Losses { table, rows, against, points })
}

fn circumstances(settings: &Settings<'_>, setup: &Setup) -> Vec<String> {
    let Setup { costs: [warm, cold], sizes: [_, size], length, runs, spell } = setup;
    let mut circumstances = Vec::new();
    if settings.on(Host::Sim) {
        circumstances.push(format!(
            "sim: a tick costs {warm} warm and {cold} cold, {length} at each frequency"
        ));
    }
    if settings.on(Host::Here) {
        circumstances.push(crate::machine::here());
        circumstances.push(format!(
            "here: {runs} runs of {spell} ms; cold: a working set of {size} KiB; 95 % confidence"
        ));
    }
    circumstances
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few microseconds")]
fn whole(ns: f64) -> Span {
    Span::from_nanos(ns.max(0.0).round() as u64)
}

fn digits_signed(value: f64) -> String {
    if value < 0.0 { format!("-{}", digits(-value)) } else { digits(value) }
}

/// The processor time of a thread alone beside a clock of that frequency, in per cent.
fn simulated(hertz: u64, cost: Span, length: Span) -> Result<f64, LabError> {
    let schedulers = vec![Scheduler::root("ts", kinds::TIME_SHARING)];
    let mut scenario = scenario(length, schedulers, vec![spinners("worker", 1, "ts")]);
    scenario.machine.timer = Timer::Ticks(hertz);
    scenario.interrupts.push(clock(hertz, cost)?);
    Ok(percent(&run(&scenario, Vec::new(), None)?, "worker"))
}

/// The loss of a working thread beside a timer of that frequency, in per cent; and ticks a second.
fn measured(hertz: u64, kib: u64, runs: usize, length: Duration) -> Result<(Mean, f64), LabError> {
    let (mut slow, mut fast, mut ticks) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        slow.push(beside_a_timer(BASE, kib, length)?.0);
        let (work, seen) = beside_a_timer(hertz, kib, length)?;
        fast.push(work);
        ticks.push(seen);
    }
    let lost = difference(&slow, &fast);
    let all = mean(&slow).value / 100.0;
    let lost = Mean { value: lost.value / all, confidence: lost.confidence / all, ..lost };
    Ok((lost, mean(&ticks).value))
}

/// Work done in `length` by a thread with a timer's thread on its processor; and ticks a second.
fn beside_a_timer(hertz: u64, kib: u64, length: Duration) -> Result<(f64, f64), LabError> {
    let kib = usize::try_from(kib).expect("less than this machine's memory");
    let (done, failed) = (Mutex::new(0.0), Mutex::new(None));
    let ticks = AtomicU64::new(0);
    on_one_processor(2, &|thread| {
        if thread == 0 {
            let spent = spend(kib, length);
            if let Ok(mut done) = done.lock() {
                *done = spent.work;
            }
        } else if let Err(why) = tick(hertz, length, &ticks)
            && let Ok(mut failed) = failed.lock()
        {
            *failed = Some(why);
        }
    })?;
    if let Some(why) = failed.into_inner().unwrap_or_default() {
        let asked = format!("a timer of {hertz} Hz");
        return Err(LabError::Machine { asked, why: why.to_string() });
    }
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    let ticks = ticks.into_inner() as f64 / length.as_secs_f64();
    Ok((done.into_inner().unwrap_or_default(), ticks))
}

/// Sleeps on a timer repeatedly for `length`, and counts the wake-ups.
fn tick(hertz: u64, length: Duration, woken: &AtomicU64) -> rustix::io::Result<()> {
    let timer = rustix::time::timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::empty())?;
    let nanos = i64::try_from(1_000_000_000 / hertz).expect("at most a second");
    let period = Timespec { tv_sec: 0, tv_nsec: nanos };
    let times = Itimerspec { it_interval: period, it_value: period };
    rustix::time::timerfd_settime(&timer, TimerfdTimerFlags::empty(), &times)?;
    let (mut missed, end) = ([0; 8], Instant::now() + length);
    while Instant::now() < end {
        rustix::io::read(&timer, &mut missed)?;
        woken.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

fn figure(points: &[Vec<(f64, f64)>; 4]) -> Figure {
    #[expect(clippy::cast_precision_loss, reason = "a few kilohertz")]
    let paper = [LINES.map(|one| (one.0 as f64, one.1)), LINES.map(|one| (one.0 as f64, one.2))];
    let all = points.iter().flatten().chain(paper.iter().flatten());
    let (least, most) = all.fold((0.0_f64, 1.0_f64), |(a, b), (_, y)| (a.min(*y), b.max(*y)));
    let mut chart = Chart::new(
        "What a fast timer takes from a program",
        "table 10.3 as a picture; the paper has only the numbers",
        Axis::until("timer frequency (Hz)", 8_500.0),
        Axis::between("loss (%)", least, most),
    );
    for (series, (name, mark)) in paper.iter().zip([("warm", Mark::Ring), ("cold", Mark::Square)]) {
        chart.line(series, dashed(PAPER), "");
        chart.dots(series, Dot { mark, colour: PAPER }, &format!("2001, {name}"));
    }
    let names = ["simulated, warm", "simulated, cold", "here, warm", "here, cold"];
    let marks = [Mark::Ring, Mark::Square, Mark::Ring, Mark::Square];
    for (((series, name), mark), colour) in points.iter().zip(names).zip(marks).zip(SERIES) {
        if !series.is_empty() {
            chart.line(series, solid(colour), "");
            chart.dots(series, Dot { mark, colour }, name);
        }
    }
    Figure {
        name: "table-10-3".to_owned(),
        caption: "Losses grow in proportion to the frequency.".to_owned(),
        picture: chart.finish(),
    }
}

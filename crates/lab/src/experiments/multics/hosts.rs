//! The memo's programs on each host: the simulated machine with the memo's costs, supervised threads, and threads among which
//! the kernel decides.

use super::costs;
use crate::carried_out::whole;
use crate::experiment::LabError;
use crate::statistics::median;
use crate::supervised::supervise_plan;
use crate::trees::scenario;
use crate::units::micros;
use windfall_processes::{Ended, Settings, run};
use windfall_programs::memo::{Notifier, Report, RunOut, ScriptA, forget, reported};
use windfall_programs::{Code, ProcessParams};
use windfall_record::{Recorder, Wanted};
use windfall_scenario::model::Scheduler;
use windfall_scenario::{Plan, PlannedInterrupts, PlannedPattern};
use windfall_schedulers::time_sharing::RoundRobin;
use windfall_sim::Sim;
use windfall_time::{Instant, Span};
use windfall_trace::{Cpu, Event, OverheadKind, Sink};

/// Where the programs run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// The simulated machine.
    Simulated,
    /// Supervised threads under the same round-robin scheduler.
    Supervised,
    /// Real-time threads of one processor that block in the kernel.
    Threads,
}

impl Place {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Place::Simulated => "sim",
            Place::Supervised => "hierarchy",
            Place::Threads => "threads",
        }
    }
}

/// The clock interrupts that the memo circles: 1558 where 1407 was found else, 1028 where it was 877.
const INTERRUPT: Span = Span::from_nanos(151_000);
const CLOCK: Span = Span::from_millis(17);

/// When interrupts were served on a processor.
#[derive(Default)]
struct Interrupts {
    of: Option<Cpu>,
    at: Vec<Instant>,
}

impl Sink for Interrupts {
    fn record(&mut self, at: Instant, event: &Event) {
        if let Event::OverheadBegin {
            cpu,
            kind: OverheadKind::Interrupt | OverheadKind::Softirq,
            ..
        } = event
            && self.of.is_none_or(|of| of == *cpu)
        {
            self.at.push(at);
        }
    }
}

/// The quantum, except where its end is measured on a real machine.
const QUANTUM: Span = Span::from_millis(500);

/// One process, and all that it makes, below a round-robin scheduler.
fn plan(code: impl Code, quantum: Span, length: Span, clock: bool) -> Result<Plan, LabError> {
    let turns = RoundRobin::default().quantum(quantum).ends_alone(true);
    let mut scenario = scenario(length, vec![Scheduler::root("traffic", turns)], Vec::new());
    let (machine, calls) = costs();
    scenario.machine.costs = machine;
    let mut plan = scenario.build()?;
    plan.processes.costs = calls;
    plan.begin_with(|_| Vec::new(), &ProcessParams::default(), code);
    plan.interrupts.extend(clock.then(|| {
        let pattern = PlannedPattern::Periodic {
            offset: Instant::ZERO + CLOCK,
            period: CLOCK,
            cost: INTERRUPT,
        };
        PlannedInterrupts::new(0, OverheadKind::Interrupt, 0, pattern)
    }));
    Ok(plan)
}

/// When interrupts were served.
fn simulate(code: impl Code, length: Span, clock: bool) -> Result<Interrupts, LabError> {
    let mut interrupts = Interrupts::default();
    let plan = plan(code, QUANTUM, length, clock)?;
    let sim = Sim::of(plan, Some(&mut interrupts))?;
    whole(sim.run(Instant::ZERO + length, |_| true))?;
    Ok(interrupts)
}

/// A disturbed run is repeated, and its results are discarded; the disturbance of the last one is reported.
fn supervise(
    code: &impl Code,
    quantum: Span,
    length: Span,
    forget: impl Fn(),
    disturbed: &mut Vec<String>,
) -> Result<(), LabError> {
    let run = supervise_plan(|| {
        forget();
        plan(code.clone(), quantum, length, false)
    })?;
    disturbed.extend(run.disturbed);
    Ok(())
}

/// The machine's last processor, which serves the fewest interrupts.
fn last() -> u16 {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    u16::try_from(cpus - 1).unwrap_or(0)
}

fn threads(code: impl Code) -> Result<Ended, LabError> {
    let settings =
        Settings::default().node([last()]).seed(1).length(Span::from_secs(60)).real_time(1);
    let ended = run(&settings, code)?;
    match (ended.failures.first(), ended.unfinished) {
        (Some(failed), _) => {
            Err(LabError::Run(format!("`{}` failed: {}", failed.name, failed.why)))
        }
        (None, 0) => Ok(ended),
        (None, left) => Err(LabError::Run(format!("{left} processes had not ended in a minute"))),
    }
}

/// As [`threads`], while interrupts are recorded.
fn recorded(code: impl Code) -> Result<(Ended, Interrupts), LabError> {
    let mut interrupts = Interrupts { of: Some(Cpu(last())), at: Vec::new() };
    let recorder = Recorder::open()?;
    let wanted = Wanted { length: Some(Span::from_secs(3)), ..Wanted::default() };
    let ended = std::thread::scope(|scope| {
        let recording = scope.spawn(|| recorder.run(&wanted, &mut interrupts).map(drop));
        let ended = threads(code);
        match recording.join() {
            Ok(recorded) => recorded.map_err(LabError::from).and(ended),
            Err(_) => Err(LabError::Run("the recording panicked".to_owned())),
        }
    })?;
    Ok((ended, interrupts))
}

/// One time from the entry of a step to that of the next.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub(super) step: u32,
    pub(super) us: f64,
    /// Whether an interrupt fell into it.
    pub(super) circled: bool,
}

/// The results of the scripts.
pub(super) struct Scripts {
    /// The time of each step.
    pub(super) samples: Vec<Sample>,
    /// The cost of a mark.
    pub(super) metering: Span,
}

/// Runs both scripts this many times.
pub(super) fn scripts(
    place: Place,
    loops: usize,
    disturbed: &mut Vec<String>,
) -> Result<Scripts, LabError> {
    let (marks, metering) = (Report::default(), Report::default());
    let script = ScriptA::new(loops, marks.clone(), metering.clone());
    let each = Span::from_millis(if place == Place::Simulated { 20 } else { 1 });
    let length = each.saturating_mul(loops as u64 + 100);
    let mut began = Instant::ZERO;
    let interrupts = match place {
        Place::Simulated => simulate(script, length, true)?,
        // A supervised run puts what was stolen at the end of a stretch, not where it was.
        Place::Supervised => {
            let both = || {
                forget(&marks);
                forget(&metering);
            };
            supervise(&script, QUANTUM, length, both, disturbed)?;
            Interrupts::default()
        }
        Place::Threads => {
            let (ended, interrupts) = recorded(script)?;
            began = ended.began;
            interrupts
        }
    };
    let mut marks = reported(&marks);
    marks.sort_by_key(|(_, at)| *at);
    let order = (1..=18).cycle().take(18 * loops);
    if !marks.iter().map(|(step, _)| *step).eq(order) {
        let why = format!("{}: the steps of the scripts are out of order", place.name());
        return Err(LabError::Run(why));
    }
    let since = began.saturating_since(Instant::ZERO);
    let mut struck = interrupts.at.iter().filter_map(|at| at.checked_sub(since)).peekable();
    let samples = marks.windows(2).map(|pair| {
        let ((step, from), (_, to)) = (pair[0], pair[1]);
        // One at the very moment of a mark comes after it.
        while struck.next_if(|at| *at < from).is_some() {}
        let circled = struck.peek().is_some_and(|at| *at < to);
        Sample { step, us: micros(to.saturating_since(from)), circled }
    });
    let metering = reported(&metering).first().copied().unwrap_or(Span::ZERO);
    Ok(Scripts { samples: samples.collect(), metering })
}

/// The time of each end of a quantum; nothing where there are no quanta.
pub(super) fn run_out(place: Place, disturbed: &mut Vec<String>) -> Result<Vec<f64>, LabError> {
    let spans = Report::default();
    let piece = Span::from_millis(1);
    let code = RunOut::new(1_500, piece, spans.clone());
    let length = Span::from_secs(2);
    let found = || reported(&spans).into_iter().map(micros).collect::<Vec<f64>>();
    match place {
        Place::Simulated => {
            simulate(code, length, false)?;
            let usual = median(&found());
            let longer = found().into_iter().filter(|span| *span > usual + 1.0);
            Ok(longer.map(|span| span - usual).collect())
        }
        // Interrupts are as long; but each piece has a quantum's end in it if that is as long as a piece.
        Place::Supervised => {
            supervise(&code, QUANTUM, length, || forget(&spans), disturbed)?;
            let usual = median(&found());
            supervise(&code, piece, length, || forget(&spans), disturbed)?;
            Ok(vec![median(&found()) - usual])
        }
        Place::Threads => Ok(Vec::new()),
    }
}

/// The number of waiters, and the time to notify them.
pub(super) fn notified(
    place: Place,
    times: usize,
    disturbed: &mut Vec<String>,
) -> Result<Vec<(u32, f64)>, LabError> {
    let spans = Report::default();
    let waiters = [1, 2, 4, 8, 16, 32, 64].repeat(times);
    let length = Span::from_millis(300).checked_mul(waiters.len() as u64 + 1);
    let length = length.unwrap_or(Span::MAX);
    let code = Notifier::new(waiters, spans.clone());
    match place {
        Place::Simulated => drop(simulate(code, length, false)?),
        Place::Supervised => supervise(&code, QUANTUM, length, || forget(&spans), disturbed)?,
        Place::Threads => drop(threads(code)?),
    }
    Ok(reported(&spans).into_iter().map(|(woken, span)| (woken, micros(span))).collect())
}

//! Cm*, as its clocks were measured: fifty processors in five clusters, a Kmap for each cluster, and a clock of two words that modules read through the Kmap of its cluster
//! (CMU 1982, Kong, Spector and Siewiorek, 2.2 and 3).
//!
//! The path to the clock is one station of 10.4 us, since 96,000 references a second are the most that the paper saw. A module's work beside its references is its own time.

mod elapsed;
mod module;

pub(crate) use elapsed::Elapsed;
pub(crate) use module::{Module, Routine, Sample, WRAP};

use crate::carried_out::whole;
use crate::experiment::LabError;
use crate::trees::scenario;
use windfall_programs::memo::{Report, reported};
use windfall_programs::{CallKind, Code, Node, ProcessParams};
use windfall_scenario::model::{Interrupts, Machine, Pattern, Scheduler, Station, StationCall};
use windfall_scenario::outcome::Outcome;
use windfall_scenario::{Home, Plan, PlannedThread};
use windfall_schedulers::kinds;
use windfall_sim::Sim;
use windfall_time::{Instant, Span};
use windfall_trace::OverheadKind;

/// How long a Kmap is busy with a reference: 1 s / 96,000.
pub(crate) const REFERENCE: Span = Span::from_nanos(10_400);
/// Five clusters of ten processors.
const CLUSTERS: u16 = 5;
const IN_CLUSTER: u16 = 10;
/// The line clock interrupts sixty times a second.
const LINE: Span = Span::from_nanos(16_666_667);
/// The time of its routine: the text's second peaks lie 320 to 450 us behind the first.
const LINE_COST: (Span, Span) = (Span::from_nanos(320_000), Span::from_nanos(450_000));

/// An operating system of Cm*, as far as reading a clock differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum System {
    StarOs,
    Medusa,
}

impl System {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            System::StarOs => "StarOS",
            System::Medusa => "Medusa",
        }
    }

    /// The range over which a reference's own time is spread evenly: the deviation of reading a word under light load, 7.138 and 2.3 us (3.2.2), times the root of 12.
    pub(crate) const fn spread(self) -> Span {
        match self {
            System::StarOs => Span::from_nanos(24_700),
            System::Medusa => Span::from_nanos(8_000),
        }
    }
}

/// The machine with nothing on it: its Kmaps are stations, of which calls visit those that are named. Processors are nodes, ten of each cluster in order.
pub(crate) fn plan(
    length: Span,
    calls: impl Fn(u16) -> Vec<CallKind>,
    line_clock: bool,
) -> Result<Plan, LabError> {
    let processors = CLUSTERS * IN_CLUSTER;
    let schedulers =
        (0..processors).map(|at| Scheduler::root(&format!("cm-{at}"), kinds::ROUND_ROBIN));
    let mut scenario = scenario(length, schedulers.collect(), Vec::new());
    let kmap = |cluster: u16| {
        let calls = calls(cluster).into_iter().map(StationCall::Process).collect();
        Station::new(format!("kmap-{}", cluster + 1), REFERENCE).calls(calls)
    };
    let kmaps = (0..CLUSTERS).map(kmap).collect();
    scenario.machine = Machine::ideal(processors).stations(kmaps);
    if line_clock {
        let pattern = Pattern::Random { gap: (LINE, LINE), cost: LINE_COST };
        scenario.interrupts.push(Interrupts::new(OverheadKind::Interrupt, 60, pattern));
    }
    let mut plan = scenario.build()?;
    let home = |(_, node): &(String, _)| Home::new(*node, |_| Vec::new());
    plan.processes.nodes = plan.nodes.iter().map(home).collect();
    Ok(plan)
}

/// Adds a process on a processor.
pub(crate) fn add<C: Code>(plan: &mut Plan, processor: u16, code: C) {
    let node = Node(u8::try_from(processor).expect("there are fifty processors"));
    let home = plan.processes.nodes[usize::from(processor)];
    plan.threads.push(PlannedThread::process(node, &home, &ProcessParams::default(), code));
}

/// The processors of `count` modules, evenly in clusters 2 to 5; the clock is in cluster 1.
fn readers(count: u16) -> impl Iterator<Item = u16> {
    let far = CLUSTERS - 1;
    (0..count).map(move |at| IN_CLUSTER * (1 + at % far) + at / far)
}

/// Modules that read the clock, each starting some time after the one before and making so many readings; without end for the length of the run if none are given.
pub(crate) struct Readers {
    pub(crate) count: u16,
    pub(crate) routine: Routine,
    pub(crate) system: System,
    /// The least own time of a reference.
    pub(crate) between: Span,
    /// The mean own time from one pair of readings to the next.
    pub(crate) outside: Span,
    /// Whether that time is always the same, and not evenly from nothing to twice as much.
    pub(crate) is_regular: bool,
    pub(crate) apart: Span,
    pub(crate) pairs: Option<u64>,
    pub(crate) length: Span,
}

/// The results of modules that read the clock.
pub(crate) struct Readings {
    pub(crate) samples: Vec<Sample>,
    pub(crate) outcome: Outcome,
}

impl Readers {
    pub(crate) fn run(&self) -> Result<Readings, LabError> {
        let now = |cluster| if cluster == 0 { vec![CallKind::Now] } else { Vec::new() };
        let mut plan = plan(self.length, now, self.system == System::StarOs)?;
        let seen: Report<Sample> = Report::default();
        for (number, processor) in (0..).zip(readers(self.count)) {
            let module = Module {
                number,
                routine: self.routine,
                own: (self.between, self.between + self.system.spread()),
                outside: self.outside_between(),
                starts: Instant::ZERO + self.apart.saturating_mul(number.into()),
                pairs: self.pairs.unwrap_or(u64::MAX),
                seen: seen.clone(),
            };
            add(&mut plan, processor, module);
        }
        let sim = Sim::of(plan, None)?;
        let outcome = whole(sim.run(Instant::ZERO + self.length, |_| true))?;
        Ok(Readings { samples: reported(&seen), outcome })
    }

    /// Own time from pair to pair, between two limits.
    fn outside_between(&self) -> (Span, Span) {
        let varies = if self.is_regular { Span::ZERO } else { self.outside };
        (self.outside.saturating_sub(varies), self.outside + varies)
    }

    /// References to the clock in a second, in the long run.
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    pub(crate) fn rate(&self) -> Result<f64, LabError> {
        let readings = self.run()?;
        let references = readings.outcome.stations[0].visits.count as f64;
        Ok(references / crate::units::seconds(self.length))
    }

    /// The mean own time between pairs with which so many modules make so many references a second.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a time of a few hundred microseconds, above zero"
    )]
    pub(crate) fn fitted(&self, per_second: f64) -> Result<Span, LabError> {
        let of_pair = 2.0 * self.routine.references() * f64::from(self.count);
        let mut outside_ns = crate::units::micros(self.outside) * 1e3;
        for _ in 0..5 {
            let outside = Span::from_nanos(outside_ns as u64);
            let rate = Readers { outside, ..*self }.rate()?;
            // A pair takes that time and what waits add, which changes less.
            outside_ns = (outside_ns + of_pair * 1e9 * (1.0 / per_second - 1.0 / rate)).max(0.0);
        }
        Ok(Span::from_nanos(outside_ns as u64))
    }
}

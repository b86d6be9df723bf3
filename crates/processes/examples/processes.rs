//! Event-driven processes, written once: on the simulated machine, where computing takes virtual time, and as threads of this one.
//!
//! A maker puts numbers into a dual queue; two takers wait for them, and stop when they are told that there are no more.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use windfall_programs::{Code, Process, ProcessError, ProcessParams, Queue};
use windfall_scenario::Scenario;
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

/// Who has taken how many, and when it was done.
type Tallies = Arc<Mutex<Vec<(u64, Instant)>>>;

const NUMBERS: u64 = 100;
const NO_MORE: u64 = u64::MAX;

#[derive(Clone)]
struct Maker(Tallies);

#[derive(Clone)]
struct Taker {
    queue: Queue,
    tallies: Tallies,
}

impl Code for Maker {
    const NAME: &'static str = "maker";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let here = me.node();
        let queue = me.make_queue(here, 1_000).await?;
        let takers = me.make_template(here).await?;
        for _ in 0..2 {
            let code = Taker { queue, tallies: self.0.clone() };
            me.make_process(takers, here, ProcessParams::default(), code).await?;
        }
        for number in 0..NUMBERS {
            me.compute(Span::from_nanos(100_000)).await;
            me.enqueue(queue, number).await?;
        }
        for _ in 0..2 {
            me.enqueue(queue, NO_MORE).await?;
        }
        Ok(())
    }
}

impl Code for Taker {
    const NAME: &'static str = "taker";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        let mut taken = 0;
        while me.take(self.queue, event).await? != NO_MORE {
            me.compute(Span::from_nanos(50_000)).await;
            taken += 1;
        }
        let now = me.now().await;
        self.tallies.lock().unwrap_or_else(PoisonError::into_inner).push((taken, now));
        Ok(())
    }
}

fn simulate() -> Result<Tallies, Box<dyn Error>> {
    let text = "schema = 2\nseed = 1\nlength = \"1s\"\n\
                [schedulers.node]\nscheduler = \"epoch\"\nparent = \"top\"\nslice = \"1ms\"\n";
    let scenario = Scenario::parse("node.toml", text).map_err(|wrong| wrong.render(false))?;
    let mut plan = scenario.build().map_err(|wrong| wrong.render(false))?;
    let tallies = Tallies::default();
    plan.begin_with(|_| Vec::new(), &ProcessParams::default(), Maker(tallies.clone()));
    let end = Instant::ZERO + plan.length;
    let outcome = Sim::of(plan, None)?.run(end, |_| true);
    outcome.failure.map_or(Ok(tallies), |failure| Err(failure.to_string().into()))
}

fn on_threads() -> Result<Tallies, Box<dyn Error>> {
    let tallies = Tallies::default();
    let settings = windfall_processes::Settings::default();
    let ended = windfall_processes::run(&settings, Maker(tallies.clone()))?;
    ended.failures.first().map_or(Ok(tallies), |failed| Err(failed.why.clone().into()))
}

fn main() -> Result<(), Box<dyn Error>> {
    for (host, tallies) in [("simulated", simulate()?), ("threads", on_threads()?)] {
        for (taken, at) in tallies.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            println!("{host}: a taker has had {taken}, and was done at {at}");
        }
    }
    Ok(())
}

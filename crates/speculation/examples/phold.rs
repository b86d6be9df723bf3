//! PHOLD in order and on threads: what both commit is the same, and which is faster depends on how long an event takes.
//!
//! `cargo run --release --example phold -- [PROCESSES [REMOTE, of a thousand [STEPS of work [THREADS]]]]`

use windfall_clocks::Lap;
use windfall_speculation::phold::{Phold, digest};
use windfall_speculation::{Cancellation, Parallel, Sequential};
use windfall_time::{Instant, Span};

/// About so many events.
const EVENTS: u64 = 400_000;

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let mut given = [1_000, 250, 500, 2];
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.len() > given.len() {
        return Err("at most four numbers: processes, remote, steps, threads".into());
    }
    for (number, word) in given.iter_mut().zip(&words) {
        *number = word.parse().map_err(|why| format!("`{word}`: {why}"))?;
    }
    let [processes, remote, grain, threads] = given;
    let (processes, threads) = (u32::try_from(processes)?.max(1), u32::try_from(threads)?.max(1));
    let mut model = Phold::new(processes, remote);
    model.grain = grain;
    // An event leads to the next one a microsecond later, in the mean.
    let end = Instant::from_nanos(EVENTS * 1_000 / u64::from(processes));

    let waiting = model.waiting();
    let mut run = Sequential::new(model.clone(), waiting)?;
    let lap = Lap::begin();
    let events = run.run_until(end, |_, ()| ())?;
    let (in_order, committed) = (lap.passed(), digest(run.states()));
    println!("in order:     {events} events in {in_order}, states {committed}");

    let mut run = Parallel::new(model, end, waiting, Cancellation::Aggressive, threads)?;
    let lap = Lap::begin();
    let events = run.run(|_, ()| ())?;
    let (took, counts) = (lap.passed(), run.counts());
    println!("on {threads} threads: {events} events in {took}, states {}", digest(run.states()));
    let round = Span::from_nanos(took.as_nanos() / run.rounds().max(1));
    println!("{} were undone; a round of global virtual time took {round}", counts.undone);
    if digest(run.states()) != committed {
        return Err("both should have come to the same".into());
    }
    Ok(())
}

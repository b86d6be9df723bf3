//! An audio program on a claimed processor, beside a load that keeps the processor full: jobs missed under bare SCHED_FIFO,
//! SCHED_DEADLINE, and Windfall with the same algorithm as SCHED_DEADLINE, in turns.
//!
//! `cargo bench -p windfall --bench audio -- [ROUNDS] [SECONDS]`, as root, with stress-ng and a C compiler. The processor
//! is claimed in all three cases. Standstills of the whole machine above 1 ms, seen by the highest real-time thread of each
//! processor, are left out of all three alike.

mod audio {
    pub(crate) mod culprits;
    pub(crate) mod domain;
    pub(crate) mod rounds;
    pub(crate) mod tally;
}
#[path = "claimed/mod.rs"]
mod claimed;

use audio::culprits::Culprits;
use audio::domain::{self, RootDomain};
use audio::tally::{Missed, Tally, shared};
use claimed::machine::{Claimed, Machine, Watcher, done};
use std::path::Path;
use std::process::Command;

/// How the audio program is scheduled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Fifo,
    Deadline,
    Windfall,
}

/// A small generator: the order of a round is drawn, and is the same in every run of this program.
fn drawn(seed: &mut u64) -> [Class; 3] {
    let mut order = [Class::Fifo, Class::Deadline, Class::Windfall];
    for last in (1..order.len()).rev() {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(last, usize::try_from(*seed >> 33).unwrap_or(0) % (last + 1));
    }
    order
}

fn run(machine: &Machine, class: Class, seconds: u64) -> Result<Missed, String> {
    let watch = |cpu| machine.watch("watch", cpu, seconds + 6);
    let watchers = [watch(machine.cpu)?, watch(machine.cpu - 1)?];
    let jobs = match class {
        Class::Windfall => machine.supervised(seconds)?,
        bare => {
            let _claimed = Claimed::by_an_idle_run(machine, seconds)?;
            let _domain = (bare == Class::Deadline).then(|| RootDomain::of(machine)).transpose()?;
            machine.bare(if bare == Class::Fifo { "fifo" } else { "deadline" }, seconds)?
        }
    };
    let [one, other] = watchers.map(Watcher::stretches);
    Missed::of(&jobs, &shared(&one?, &other?))
}

fn measure(rounds: u64, seconds: u64) -> Result<bool, String> {
    let machine = Machine::prepare(Path::new(env!("CARGO_TARGET_TMPDIR")))?;
    let (mut tally, mut seed) = (Tally::default(), 1);
    done(Command::new("stress-ng").arg("--version"))?;
    let domain = if domain::is_there() { "a root domain" } else { "no root domain" };
    println!("processor {} is claimed; SCHED_DEADLINE has {domain} of its own", machine.cpu);
    let mut culprits = Culprits::default();
    for round in 1..=rounds {
        for class in drawn(&mut seed) {
            let missed = run(&machine, class, seconds)?;
            println!("round {round:>2}  {:<9} {missed}", format!("{class:?}"));
            if class == Class::Windfall {
                culprits.add(&machine.trace())?;
            }
            if class == Class::Windfall && missed.is_far_off() {
                println!("          its trace is kept: {}", machine.keep_trace(round)?.display());
            }
            tally.add(class, missed);
        }
    }
    println!("{tally}");
    println!("{}", culprits);
    Ok(tally.holds())
}

fn main() -> std::process::ExitCode {
    let mut numbers = std::env::args().skip(1).filter_map(|word| word.parse::<u64>().ok());
    let (rounds, seconds) = (numbers.next().unwrap_or(10), numbers.next().unwrap_or(60));
    match measure(rounds, seconds) {
        Ok(true) => std::process::ExitCode::SUCCESS,
        Ok(false) => std::process::ExitCode::FAILURE,
        Err(why) => {
            eprintln!("audio: {why}");
            std::process::ExitCode::from(2)
        }
    }
}

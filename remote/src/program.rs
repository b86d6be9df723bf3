//! One replica of a sum, as a process: each step adds the number of its iteration, and prints what is voted.
//!
//! Exit status: 0 all voted and no fault noticed, 1 a fault noticed, 2 no vote, or bad arguments. The binary names the transports that it was built with.

use crate::ballot::{States, Votes};
use crate::{Carrier, Replica, Stateful};
use std::process::ExitCode;
use std::time::Duration;
use windfall_nmr::{Iteration, Majority, ReplicaNumber, Settings};

const OPTIONS: &str = "
  --run N            tells runs apart that use the same places; 0 when absent
  --iterations N     how many steps; 10000 when absent
  --lie FIRST..LAST  in these iterations its values are wrong, LAST included
  --patience MS      how long a vote is waited for; 2000 when absent
  --value WHAT       what is voted: a word, or records of 4-words or 100-words, or a state of so many bytes; word when absent
  --tries N          how often it is waited for; 1 when absent

prints `vote ITERATION VALUE`, `fault REPLICA ITERATION WHAT`, and `none ITERATION WHY` where it waits again
";

/// Whatever stands in a replica's way.
pub type Failed = Box<dyn std::error::Error>;

/// The ends of one replica, and how many replicas there are.
pub type Opened = Result<(Box<dyn Carrier>, usize), Failed>;

/// A transport as a command line names it.
pub struct Choice {
    /// Its name.
    pub name: &'static str,
    /// What the replicas' places look like.
    pub places: &'static str,
    /// Opens the ends of one of the replicas at these places.
    pub open: fn(own: usize, places: &str, run: u64) -> Opened,
}

/// By UDP.
pub const UDP: Choice =
    Choice { name: "udp", places: "ADDRESS,ADDRESS,...", open: crate::udp::by_name };

/// By shared memory.
#[cfg(feature = "iceoryx2")]
pub const ICEORYX2: Choice =
    Choice { name: "iceoryx2", places: "COUNT", open: crate::shared_memory::by_name };

struct Asked {
    transport: String,
    own: u8,
    places: String,
    run: u64,
    iterations: u64,
    lies: (u64, u64),
    patience: Duration,
    tries: u32,
    ballot: String,
}

/// A number of a command line.
///
/// # Errors
/// When it is none, or does not fit.
pub fn number<N: std::str::FromStr>(what: &str, word: &str) -> Result<N, Failed> {
    word.parse().map_err(|_| format!("{what} `{word}` is no number that fits; see --help").into())
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Asked, Failed> {
    let mut word = |what: &str| words.next().ok_or(format!("{what} is missing; see --help"));
    let (transport, own, places) = (word("transport")?, word("number")?, word("places")?);
    let own = number("replica", &own)?;
    let patience = Duration::from_secs(2);
    let (run, iterations, lies, tries, ballot) = (0, 10_000, (1, 0), 1, "word".to_owned());
    let mut asked =
        Asked { transport, own, places, run, iterations, lies, patience, tries, ballot };
    while let Some(option) = words.next() {
        let value = words.next().ok_or(format!("`{option}` is without a value; see --help"))?;
        match option.as_str() {
            "--run" => asked.run = number("run", &value)?,
            "--iterations" => asked.iterations = number("iterations", &value)?,
            "--value" => asked.ballot = value,
            "--tries" => asked.tries = number("tries", &value)?,
            "--patience" => asked.patience = Duration::from_millis(number("patience", &value)?),
            "--lie" => {
                let (first, last) = value.split_once("..").ok_or("--lie needs FIRST..LAST")?;
                asked.lies = (number("first", first)?, number("last", last)?);
            }
            _ => return Err(format!("unknown option `{option}`; see --help").into()),
        }
    }
    Ok(asked)
}

/// The sum of all iterations. Whether no fault was noticed.
fn sums(asked: &Asked, mut voter: impl Votes) -> Result<bool, Failed> {
    let (mut is_clean, mut last) = (true, 0_u64);
    while voter.iteration() <= Iteration(asked.iterations) {
        let iteration = voter.iteration().0;
        let lie = u64::from((asked.lies.0..=asked.lies.1).contains(&iteration));
        let sum = last.wrapping_add(iteration + lie);
        let mut tries = 1;
        let (voted, value) = loop {
            match voter.vote(sum) {
                Err(why) if tries < asked.tries => println!("none {iteration} {why}"),
                vote => break vote?,
            }
            tries += 1;
        };
        println!("vote {} {value}", voted.0);
        last = value;
        for fault in voter.take_faults() {
            is_clean = false;
            println!("fault {} {} {}", fault.replica.0, fault.iteration.0, fault.kind);
        }
    }
    voter.finish();
    Ok(is_clean)
}

fn joins(asked: &Asked, replicas: usize, carrier: Box<dyn Carrier>) -> Result<bool, Failed> {
    let replicas = u8::try_from(replicas).map_err(|_| "more replicas than there may be")?;
    let settings = Settings::new(replicas).queue(256);
    let (own, rule, patience) = (ReplicaNumber(asked.own), Majority::EXACT, asked.patience);
    match asked.ballot.as_str() {
        "word" => {
            sums(asked, Replica::<_, _, [u64; 1]>::join(own, settings, rule, patience, carrier)?)
        }
        "4-words" => {
            sums(asked, Replica::<_, _, [u64; 4]>::join(own, settings, rule, patience, carrier)?)
        }
        "100-words" => {
            sums(asked, Replica::<_, _, [u64; 100]>::join(own, settings, rule, patience, carrier)?)
        }
        bytes => {
            let bytes = number("--value", bytes)?;
            sums(
                asked,
                States { bytes, stateful: Stateful::join(own, settings, rule, patience, carrier)? },
            )
        }
    }
}

fn run(choices: &[Choice]) -> Result<bool, Failed> {
    let asked = parse(std::env::args().skip(1))?;
    let known = choices.iter().find(|choice| choice.name == asked.transport);
    let names: Vec<_> = choices.iter().map(|choice| choice.name).collect();
    let unknown =
        || format!("unknown transport `{}`; allowed: {}", asked.transport, names.join(", "));
    let (carrier, replicas) =
        (known.ok_or_else(unknown)?.open)(asked.own.into(), &asked.places, asked.run)?;
    joins(&asked, replicas, carrier)
}

/// Does what the command line says, over one of these transports.
#[must_use]
pub fn main(choices: &[Choice]) -> ExitCode {
    if std::env::args().any(|word| word == "--help") {
        for choice in choices {
            println!("replica {} NUMBER {} [OPTIONS]", choice.name, choice.places);
        }
        print!("{OPTIONS}");
        return ExitCode::SUCCESS;
    }
    exit(run(choices))
}

/// The exit status of a program that noticed no fault, or some, or failed.
#[must_use]
pub fn exit(result: Result<bool, Failed>) -> ExitCode {
    match result {
        Ok(is_clean) => ExitCode::from(u8::from(!is_clean)),
        Err(error) => {
            eprintln!("replica: {error}");
            ExitCode::from(2)
        }
    }
}

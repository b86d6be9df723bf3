//! One replica of a sum, as a process: each step adds the number of its iteration, and prints what is voted.
//!
//! Exit status: 0 all voted and no fault noticed, 1 a fault noticed, 2 no vote, or bad arguments.

use std::process::ExitCode;
use std::time::Duration;
use windfall_nmr::{Iteration, Majority, ReplicaNumber, Settings};
use windfall_remote::udp::Udp;
use windfall_remote::{Carrier, Replica};

const HELP: &str = "\
replica TRANSPORT NUMBER PLACES [--run N] [--iterations N] [--lie FIRST..LAST] [--patience MS]

  udp NUMBER ADDRESS,ADDRESS,...        the replicas' addresses, in order
  iceoryx2 NUMBER COUNT                 how many replicas there are, on this machine

  clean                                 removes what killed replicas left in shared memory

  --run N            tells runs apart that use the same places; 0 when absent
  --iterations N     how many steps; 10000 when absent
  --lie FIRST..LAST  in these iterations its values are wrong, LAST included
  --patience MS      how long a vote is waited for; 2000 when absent

prints `vote ITERATION VALUE` and `fault REPLICA ITERATION WHAT`
";

type Failed = Box<dyn std::error::Error>;

struct Asked {
    transport: String,
    own: u8,
    places: String,
    run: u64,
    iterations: u64,
    lies: (u64, u64),
    patience: Duration,
}

fn number<N: std::str::FromStr>(what: &str, word: &str) -> Result<N, Failed> {
    word.parse().map_err(|_| format!("{what} `{word}` is no number that fits; see --help").into())
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Asked, Failed> {
    let mut word = |what: &str| words.next().ok_or(format!("{what} is missing; see --help"));
    let (transport, own, places) = (word("transport")?, word("number")?, word("places")?);
    let own = number("replica", &own)?;
    let patience = Duration::from_secs(2);
    let mut asked =
        Asked { transport, own, places, run: 0, iterations: 10_000, lies: (1, 0), patience };
    while let Some(option) = words.next() {
        let value = words.next().ok_or(format!("`{option}` is without a value; see --help"))?;
        match option.as_str() {
            "--run" => asked.run = number("run", &value)?,
            "--iterations" => asked.iterations = number("iterations", &value)?,
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

fn addresses(places: &str) -> Result<Vec<std::net::SocketAddr>, Failed> {
    let address = |word: &str| {
        word.parse()
            .map_err(|_| format!("`{word}` is no address and port, as 127.0.0.1:7001").into())
    };
    places.split(',').map(address).collect()
}

/// The sum of all iterations. Whether no fault was noticed.
fn sums<C: Carrier>(asked: &Asked, replicas: usize, carrier: C) -> Result<bool, Failed> {
    let replicas = u8::try_from(replicas).map_err(|_| "more replicas than there may be")?;
    let settings = Settings::new(replicas).queue(256);
    let own = ReplicaNumber(asked.own);
    let mut replica = Replica::join(own, settings, Majority::EXACT, asked.patience, carrier)?;
    let mut is_clean = true;
    while replica.iteration() <= Iteration(asked.iterations) {
        let iteration = replica.iteration().0;
        let lie = u64::from((asked.lies.0..=asked.lies.1).contains(&iteration));
        let sum = replica.last().map_or(0, |vote| vote.value).wrapping_add(iteration + lie);
        let vote = replica.vote(sum)?;
        println!("vote {} {}", vote.iteration.0, vote.value);
        for fault in replica.take_faults() {
            is_clean = false;
            println!("fault {} {} {}", fault.replica.0, fault.iteration.0, fault.kind);
        }
    }
    replica.finish();
    Ok(is_clean)
}

fn run() -> Result<bool, Failed> {
    #[cfg(feature = "iceoryx2")]
    if std::env::args().nth(1).as_deref() == Some("clean") {
        let killed = windfall_remote::shared_memory::clean()?;
        println!("removed what {killed} killed replicas left");
        return Ok(true);
    }
    let asked = parse(std::env::args().skip(1))?;
    match asked.transport.as_str() {
        "udp" => {
            let addresses = addresses(&asked.places)?;
            let carrier = Udp::bind(asked.own.into(), &addresses, asked.run)?;
            sums(&asked, addresses.len(), carrier)
        }
        #[cfg(feature = "iceoryx2")]
        "iceoryx2" => {
            use windfall_remote::shared_memory::SharedMemory;
            let replicas = number("count", &asked.places)?;
            let carrier = SharedMemory::open(asked.own.into(), replicas, asked.run)?;
            sums(&asked, replicas, carrier)
        }
        other => Err(format!(
            "unknown transport `{other}`; udp is always there, iceoryx2 if built with that feature"
        )
        .into()),
    }
}

fn main() -> ExitCode {
    if std::env::args().any(|word| word == "--help") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    match run() {
        Ok(is_clean) => ExitCode::from(u8::from(!is_clean)),
        Err(error) => {
            eprintln!("replica: {error}");
            ExitCode::from(2)
        }
    }
}

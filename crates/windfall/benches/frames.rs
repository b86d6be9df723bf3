//! Table 10.5's frames on a claimed processor: whether a soft reservation is in time beside 1 and 10 threads, in rounds
//! in which the machine was.
//!
//! `cargo bench -p windfall --bench frames -- [ROUNDS] [SECONDS]`, as root, with a C compiler. Before and after each round
//! a bare real-time thread reads the clock in the same place. A round counts if neither of these neighbours saw a gap of a
//! frame's slack (0.5 ms): only then is a late frame the hierarchy's.

#[path = "claimed/mod.rs"]
mod claimed;

use claimed::machine::{Claimed, Machine, WINDFALL};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Background threads; the scenarios of the table's lines.
const LINES: [(u32, &str); 2] =
    [(1, "virtual-environment-1-soft.toml"), (10, "virtual-environment-10-soft.toml")];

/// The trace of the last round.
const TRACE: &str = "frames.wft";

/// How many gaps a bare real-time thread saw.
fn neighbour(machine: &Machine, seconds: u64) -> Result<usize, String> {
    let _claimed = Claimed::by_an_idle_run(machine, seconds)?;
    Ok(machine.watch("spin", machine.cpu, seconds)?.stretches()?.len())
}

/// Intervals between frames above 33 ms, and how many frames there were.
fn round(machine: &Machine, file: &str, seconds: u64) -> Result<(u64, u64), String> {
    let shipped: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../scenarios", file].iter().collect();
    let mut command = Command::new(WINDFALL);
    command.arg("run").arg(shipped).args(["--for", &format!("{seconds}s")]);
    command.args(["--cpus", &machine.cpu.to_string(), "--json", "--force", "--trace"]);
    let output = command.arg(machine.file(TRACE)).output();
    let output = output.map_err(|e| e.to_string())?; // its status says that an expectation does not hold
    let found: Value = serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("{e}: {}", String::from_utf8_lossy(&output.stderr)))?;
    let late = found["expectations"].as_array().into_iter().flatten().find_map(|one| {
        let what = one["what"].as_str()?;
        what.starts_with("app.intervals").then(|| one["found"].as_str()?.parse().ok())?
    });
    let frames = found["threads"][0]["jobs"].as_u64();
    late.zip(frames).ok_or_else(|| format!("no frames in the results: {found}"))
}

#[derive(Default)]
struct Sum {
    rounds: u64,
    late: u64,
    frames: u64,
}

impl Sum {
    const fn add(&mut self, late: u64, frames: u64) {
        self.rounds += 1;
        self.late += late;
        self.frames += frames;
    }
}

fn measure(rounds: u64, seconds: u64) -> Result<bool, String> {
    let machine = Machine::prepare(Path::new(env!("CARGO_TARGET_TMPDIR")))?;
    let (mut counted, mut others) =
        ([Sum::default(), Sum::default()], [Sum::default(), Sum::default()]);
    let mut before = neighbour(&machine, seconds)?;
    for number in 1..=rounds {
        for (line, (background, file)) in LINES.into_iter().enumerate() {
            let (late, frames) = round(&machine, file, seconds)?;
            let after = neighbour(&machine, seconds)?;
            let counts = before == 0 && after == 0;
            let sums = if counts { &mut counted } else { &mut others };
            sums[line].add(late, frames);
            let word = if counts { "counts" } else { "does not count" };
            println!(
                "round {number:>2}, {background:>2} beside: {late} of {frames} frames late; neighbours saw \
                 {before} and {after} gaps: {word}"
            );
            if counts && late > 0 {
                let kept = machine.file(&format!("frames-{number}-{background}.wft"));
                fs::rename(machine.file(TRACE), &kept).map_err(|e| e.to_string())?;
                println!("          its trace is kept: {}", kept.display());
            }
            before = after;
        }
    }
    for (line, (background, _)) in LINES.iter().enumerate() {
        let (counted, others) = (&counted[line], &others[line]);
        println!(
            "{background:>2} beside: {} of {} frames late in {} rounds that count; {} of {} in {} others",
            counted.late, counted.frames, counted.rounds, others.late, others.frames, others.rounds
        );
    }
    let decided = counted.iter().all(|sum| sum.rounds > 0);
    println!("{}", if decided { "decided" } else { "NOT DECIDED: no round of a line counts" });
    Ok(decided && counted.iter().all(|sum| sum.late == 0))
}

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).filter_map(|word| word.parse::<u64>().ok());
    let (rounds, seconds) = (numbers.next().unwrap_or(20), numbers.next().unwrap_or(3));
    match measure(rounds, seconds) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("frames: {why}");
            ExitCode::from(2)
        }
    }
}

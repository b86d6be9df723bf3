//! The project's own chores, as `cargo xtask NAME`. Nothing to install but Rust and a linker.
#![forbid(unsafe_code)]

mod arrows;
mod bpf;
mod circles;
mod folders;
mod functions;
mod guide;
mod kinds;
mod lengths;
mod library;
mod lines;
mod openings;
mod patience;
mod pointers;
mod run;
mod semver;
mod setting_names;
mod shape;
mod source;
mod tally;
mod targets;
mod tidy;
mod traits;
mod words;

use run::{Step, all};
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask CHORE

  demo     compare the recorded workload with Linux's own policy and with reservations
  check    everything that must pass: format, lints, documentation, tests, arrows, no std
  tidy     of these what takes seconds: format, arrows, lengths and words
  model    all ways in which two or three threads can meet in crates exchange, speculation and nmr (loom), as far as half an hour goes
  full     every test of every crate, optimised, three quarters of an hour; check optimises those that draw many cases or bound costs
  law      the law (what the checker grants is kept) on half a million random trees, a quarter of an hour
  fuzz     mutated inputs for every reader, ten minutes each (WINDFALL_FUZZ_SECONDS says otherwise); see fuzz/README.md
  bpf      compile the programs for the kernel anew; needs clang-19 and llvm-strip-19
  bench    the benchmarks; needs valgrind for the instruction counts
  remote   replicas that vote as processes of their own (remote/): lints and tests over UDP and shared memory; builds 90 packages
  zenoh    the same over Zenoh (remote/zenoh/); builds 300 packages, in about ten minutes the first time
  semver   what would break users of the library since the last release, or since a revision; needs cargo-semver-checks
  dist     pack each crate as it would be published, and build it from that alone; publishes nothing
";

fn main() -> ExitCode {
    let chore = std::env::args().nth(1);
    let done = match chore.as_deref() {
        Some("check") => check(),
        Some("tidy") => all(&tidiness()),
        Some("demo") => demo(),
        Some("full") => all(&[Step::tests("tests, optimised", &OPTIMISED)]),
        Some("law") => all(&[Step::tests("the law", &LAW).with("WINDFALL_LAW_TREES", "500000")]),
        Some("model") => all(&[model("40")]),
        Some("fuzz") => fuzz(),
        Some("bpf") => bpf::remake(),
        Some("bench") => bench(),
        Some("remote") => all(&remote()),
        Some("zenoh") => all(&zenoh()),
        Some("semver") => semver::check(std::env::args().nth(2)),
        Some("dist") => all(&[Step::cargo("crates as they would be published", &DIST)]),
        _ => {
            print!("{HELP}");
            return ExitCode::from(u8::from(chore.is_some()) * 2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

fn tidiness() -> [Step; 8] {
    [
        Step::cargo("format", &["fmt", "--all", "--check"]),
        Step::call("arrows between crates", arrows::check),
        Step::call("arrows between folders of linux", folders::check),
        Step::call("the shape of structs, types and circles of files", shape::check),
        Step::call("tidy", tidy::check),
        Step::call("what the library promises", library::check),
        Step::call("compiled programs for the kernel", bpf::check),
        Step::call("the guide as a book", guide::check),
    ]
}

fn check() -> Result<(), String> {
    all(&tidiness())?;
    let optimised = targets::optimised()?;
    all(&[
        Step::cargo("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        Step::cargo("documentation", &["doc", "--workspace", "--no-deps", "--quiet"])
            .with("RUSTDOCFLAGS", "-D warnings"),
        Step::cargo("documentation of ports with tokio", &PORTS_DOC)
            .with("RUSTDOCFLAGS", "-D warnings"),
        Step::cargo("the core without std", &NO_STD),
        Step::cargo("hierarchy, each feature alone", &HIERARCHY_PLAIN),
        Step::cargo("the library without the command", &LIBRARY),
        Step::cargo("examples of the library without the command", &LIBRARY_EXAMPLES),
        Step::cargo("the command without verbs of this machine", &DEMO_PLAIN),
        Step::cargo("reports without pictures", &REPORT_PLAIN),
        Step::cargo("ports without tokio", &PORTS_PLAIN),
        model("1"),
        Step::tests("tests", &targets::for_debugging()?)
            .with("WINDFALL_FUZZ_SECONDS", "2")
            .meanwhile(&optimised),
        Step::tests(
            "examples in documentation",
            &["test", "--workspace", "--doc", "--no-fail-fast"],
        ),
        Step::tests("tests that draw many cases or bound costs, optimised", &optimised),
        Step::tests("replicas over UDP on loopback", &over_udp()),
    ])
}

/// Every reader of what others write, each for ten minutes unless the environment says otherwise.
fn fuzz() -> Result<(), String> {
    let steps = FUZZ.map(|(name, args)| {
        let step = Step::tests(name, args);
        let said = std::env::var_os("WINDFALL_FUZZ_SECONDS").is_some();
        if said { step } else { step.with("WINDFALL_FUZZ_SECONDS", "600") }
    });
    all(&steps)
}

/// What lies outside the workspace, with a lock file of its own.
fn remote() -> [Step; 5] {
    [
        Step::cargo("format", &["fmt", "--manifest-path", REMOTE, "--check"]),
        Step::cargo("lints", &[&["clippy"], &REMOTE_ALL[..], &REMOTE_STRICT].concat()),
        Step::cargo("documentation", &[&["doc", "--no-deps", "--quiet"], &REMOTE_ALL[..]].concat())
            .with("RUSTDOCFLAGS", "-D warnings"),
        Step::tests("tests with UDP alone", &[&["test"], &REMOTE_ALL[..4]].concat()),
        Step::tests("tests over each transport", &[&["test"], &REMOTE_ALL[..]].concat()),
    ]
}

/// Its tests that take seconds, by UDP alone: all but machines, a thousand kills, and values of every size.
fn over_udp() -> Vec<&'static str> {
    let chosen = ["--lib", "--test", "udp", "--test", "processes"];
    let others = ["--", "--skip", "law_records_and_states"];
    [&["test"], &REMOTE_ALL[..4], &chosen, &others].concat()
}

/// The same over Zenoh, which few want to build.
fn zenoh() -> [Step; 4] {
    [
        Step::cargo("format", &["fmt", "--manifest-path", ZENOH, "--check"]),
        Step::cargo("lints", &[&["clippy"], &ZENOH_ALL[..], &REMOTE_STRICT].concat()),
        Step::cargo("documentation", &[&["doc", "--no-deps", "--quiet"], &ZENOH_ALL[..]].concat())
            .with("RUSTDOCFLAGS", "-D warnings"),
        Step::tests("tests over Zenoh", &[&["test"], &ZENOH_ALL[..]].concat()),
    ]
}

/// The model checker, for so many seconds a test and way of looking.
fn model(seconds: &'static str) -> Step {
    Step::tests("the models of crates exchange, speculation and nmr", &MODEL)
        .with("WINDFALL_MODEL_SECONDS", seconds)
        .with("RUSTFLAGS", "--cfg loom")
}

const REMOTE: &str = "remote/Cargo.toml";
const REMOTE_ALL: [&str; 6] =
    ["--locked", "--manifest-path", REMOTE, "--target-dir=target/remote", "--features", "iceoryx2"];
const ZENOH: &str = "remote/zenoh/Cargo.toml";
const ZENOH_ALL: [&str; 4] = ["--locked", "--manifest-path", ZENOH, "--target-dir=target/zenoh"];
const REMOTE_STRICT: [&str; 4] = ["--all-targets", "--", "-D", "warnings"];
/// Where the targets are.
const FUZZ: [(&str, &[&str]); 3] = [
    (
        "recordings",
        &["test", "-p", "windfall-trace", "--profile", "checked", "--test", "mutations"],
    ),
    (
        "scenarios, promises, profiles, imports, rt-app files",
        &["test", "-p", "windfall-scenario", "--profile", "checked", "--test", "fuzz"],
    ),
    (
        "the control protocol and the kernel's records",
        &[
            "test",
            "-p",
            "windfall-linux",
            "-p",
            "windfall-record",
            "--profile",
            "checked",
            "--lib",
            "--",
            "law_no_re",
        ],
    ),
];
/// Where the models are; without unit tests, which stand in modules of this name.
const MODEL: [&str; 18] = [
    "test",
    "--profile",
    "checked",
    "--target-dir",
    "target/model",
    "-p",
    "windfall-exchange",
    "-p",
    "windfall-speculation",
    "-p",
    "windfall-nmr",
    "--lib",
    "--test",
    "model",
    "--",
    "--nocapture",
    "--skip",
    "tests::",
];
const OPTIMISED: [&str; 7] =
    ["test", "--workspace", "--no-fail-fast", "--profile", "checked", "--lib", "--tests"];
const LAW: [&str; 9] =
    ["test", "-p", "windfall-sim", "--profile", "checked", "--test", "law", "--", "--nocapture"];
const NO_STD: [&str; 5] =
    ["build", "--manifest-path", "ci/no-std/Cargo.toml", "--target-dir", "target/no-std"];
const DIST: [&str; 3] = ["publish", "--workspace", "--dry-run"];
const DEMO: [&str; 6] =
    ["build", "-p", "windfall", "--no-default-features", "--features", "command"];
const DEMO_PLAIN: [&str; 6] =
    ["check", "-p", "windfall", "--no-default-features", "--features", "command"];
const LIBRARY: [&str; 5] = ["check", "-p", "windfall", "--no-default-features", "--tests"];
const LIBRARY_EXAMPLES: [&str; 5] = ["test", "-p", "windfall", "--no-default-features", "--doc"];
const REPORT_PLAIN: [&str; 3] = ["check", "-p", "windfall-report"];
const PORTS_DOC: [&str; 7] =
    ["doc", "-p", "windfall-ports", "--no-deps", "--quiet", "--features", "tokio"];
const PORTS_PLAIN: [&str; 3] = ["check", "-p", "windfall-ports"];
const HIERARCHY_PLAIN: [&str; 4] = ["check", "-p", "windfall-hierarchy", "--no-default-features"];

fn demo() -> Result<(), String> {
    // What is shown takes two seconds even so; to optimise the command would take several times as long as to build it.
    eprintln!(
        "first the command is built, not optimised and without the verbs that need this machine: one to three minutes, once; then six steps of a second each"
    );
    all(&[Step::cargo("build", &DEMO)])?;
    run::script("scenarios/recorded/demo.sh")
}

fn bench() -> Result<(), String> {
    let counts = instruments();
    if let Err(why) = &counts {
        eprintln!("no instruction counts: {why}");
    }
    all(&[
        Step::cargo(
            "notifications",
            &["bench", "-p", "windfall-schedulers", "--bench", "notifications"],
        ),
        Step::cargo("the bars' cases", &["bench", "-p", "windfall-sim", "--bench", "bars"]),
        Step::cargo("analysis", &["bench", "-p", "windfall-analysis"]),
        Step::cargo("admission", &["bench", "-p", "windfall-admission", "--bench", "admission"]),
        Step::cargo("speculation", &["bench", "-p", "windfall-speculation"]),
        Step::cargo("clocks", &["bench", "-p", "windfall-clocks"]),
        Step::cargo("the checker", &["bench", "-p", "windfall-scenario"]),
        Step::cargo("the trace's own file", &["bench", "-p", "windfall-trace"]),
    ])?;
    if counts.is_ok() {
        // Beyond the limits that stand in them, they fail.
        all(&[
            Step::cargo(
                "instructions of a level",
                &["bench", "-p", "windfall-schedulers", "--bench", "instructions"],
            ),
            Step::cargo(
                "instructions of case A",
                &["bench", "-p", "windfall-sim", "--bench", "instructions"],
            ),
        ])?;
    }
    Ok(())
}

/// What instruction counts need: valgrind, and the runner of the version that Cargo.lock names.
fn instruments() -> Result<(), String> {
    let valgrind = std::process::Command::new("valgrind").arg("--version").output();
    valgrind.map_err(|_| "valgrind is not installed")?;
    let lock =
        std::fs::read_to_string(run::root().join("Cargo.lock")).map_err(|e| e.to_string())?;
    let (_, after) =
        lock.split_once("name = \"gungraun\"\nversion = \"").ok_or("no gungraun in Cargo.lock")?;
    let version = after.split('"').next().unwrap_or_default().to_owned();
    let install = ["install", "gungraun-runner", "--quiet", "--version", &version];
    all(&[Step::cargo("the runner of instruction counts", &install)])
}

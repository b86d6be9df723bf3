//! `windfall compare FILE`: one scenario, simulated and on real threads, side by side; or two outcomes (`compare/outcomes.rs`).
//!
//! The verdict is about processor time: it must differ from the simulated by no more than `--tolerance`.

mod outcomes;

use crate::cli::CompareArgs;
use crate::command_error::CommandError;
use crate::output::{Destinations, document, input_name, print, short, table};
use crate::verbs::check::{load, plan};
use crate::{Answer, VerbError};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use windfall_linux::Settings;
use windfall_scenario::outcome::{Outcome, ThreadOutcome, groups};
use windfall_scenario::{Scenario, read_text};
use windfall_sim::Sim;
use windfall_time::{Instant, Ratio, Span};

pub(crate) fn run(args: &CompareArgs) -> Result<Answer, CommandError> {
    if let Some(other) = &args.other {
        return outcomes::run(args, other);
    }
    let inputs = std::iter::once(&args.file).chain(&args.costs).map(PathBuf::as_path);
    Destinations::new(false, inputs)?;
    let mut scenario = load(&args.file)?;
    if args.length.is_some_and(Span::is_zero) {
        return Err(
            VerbError("windfall: `--for 0s` is no time at all; write how long".to_owned()).into()
        );
    }
    scenario.length = args.length.unwrap_or(scenario.length);
    let mut modelled = scenario.clone();
    if let Some(path) = &args.costs {
        cost(&mut modelled, path)?;
    }
    let named = |why: &dyn std::fmt::Display| {
        VerbError(format!("windfall: {}: {why}", input_name(&args.file)))
    };
    let simulation = Sim::of(plan(&modelled, &args.file)?, None);
    let simulation = simulation.map_err(|why| named(&why))?;
    let simulated = simulation.run(Instant::ZERO + scenario.length, |_| true);
    let settings = Settings { cpus: args.cpus.clone(), ..Settings::default() };
    let received = windfall_linux::run(plan(&scenario, &args.file)?, &settings, None)?;
    if let Some(failure) = [&simulated, &received].iter().find_map(|run| run.failure.as_ref()) {
        return Err(named(failure).into());
    }
    let pairs = pairs(&scenario, &simulated, &received);
    print(&if args.json {
        document(data(&pairs, args.tolerance, [&simulated, &received]))
    } else {
        text(&pairs, args.tolerance)
    })?;
    let close = pairs.iter().all(|pair| pair.is_close(args.tolerance));
    Ok(if close { Answer::Yes } else { Answer::No })
}

/// Gives the simulated machine the costs of a file that `windfall measure` wrote.
fn cost(scenario: &mut Scenario, path: &Path) -> Result<(), CommandError> {
    // Costs alone are no scenario.
    const AROUND: &str = "schema = 2\ninherits = \"costs\"\nseed = 1\nlength = \"1s\"\n\
        [schedulers.any]\nscheduler = \"round-robin\"\nparent = \"top\"\n\
        [threads.one]\nparent = \"any\"\nrun = \"spin\"\n";
    let name = input_name(path);
    let text = read_text(path).map_err(|why| VerbError(format!("windfall: {name}: {why}")))?;
    let costs = Scenario::parse_with("costs", AROUND, |_| Ok((name, text)));
    let costs = costs.map_err(CommandError::of)?;
    let machine = &mut scenario.machine;
    (machine.timer, machine.costs) = (costs.machine.timer, costs.machine.costs);
    machine.cache = costs.machine.cache;
    scenario.interrupts = costs.interrupts;
    Ok(())
}

/// What one thread, or several that are told together, got on one host.
struct Got {
    received: Span,
    dispatches: u64,
    missed: u64,
    /// Median, 99th percentile and largest of response times; of several threads only the largest.
    response: [Option<Span>; 3],
}

impl Got {
    fn of(threads: &[ThreadOutcome]) -> Got {
        let response = match threads {
            [one] => {
                let response = &one.response;
                [response.quantile(50), response.quantile(99), response.most()]
            }
            several => [None, None, several.iter().filter_map(|t| t.response.most()).max()],
        };
        let received = threads.iter().map(|thread| thread.received);
        Got {
            received: received.fold(Span::ZERO, Span::saturating_add),
            dispatches: threads.iter().map(|thread| thread.dispatches).sum(),
            missed: threads.iter().map(|thread| thread.missed).sum(),
            response,
        }
    }

    /// Everything as numbers, in the order of the table's columns.
    fn numbers(&self) -> [Option<u64>; 6] {
        let [p50, p99, most] = self.response.map(|span| span.map(Span::as_nanos));
        [Some(self.received.as_nanos()), Some(self.dispatches), p50, p99, most, Some(self.missed)]
    }

    fn cells(&self) -> [String; 6] {
        let dash = || "-".to_owned();
        let [p50, p99, most] = self.response.map(|span| span.map_or_else(dash, short));
        let counts = [self.dispatches.to_string(), self.missed.to_string()];
        let [dispatches, missed] = counts;
        [short(self.received), dispatches, p50, p99, most, missed]
    }
}

/// The same on both hosts.
struct Pair {
    name: String,
    simulated: Got,
    received: Got,
}

impl Pair {
    fn is_close(&self, within: Ratio) -> bool {
        let (one, other) = (self.simulated.received.as_nanos(), self.received.received.as_nanos());
        let wide = Ratio::whole;
        within.checked_mul(wide(one)).is_some_and(|allowed| wide(one.abs_diff(other)) <= allowed)
    }
}

/// A pair for each thread; for threads that are told together, or of which the hosts made unequal
/// numbers, a pair of sums.
fn pairs(scenario: &Scenario, simulated: &Outcome, received: &Outcome) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (one, other) in groups(scenario, simulated).into_iter().zip(groups(scenario, received)) {
        let alike = one.threads.len() == other.threads.len();
        if alike && !one.together {
            pairs.extend(one.threads.iter().zip(other.threads).map(|(one, other)| Pair {
                name: one.name.clone(),
                simulated: Got::of(std::slice::from_ref(one)),
                received: Got::of(std::slice::from_ref(other)),
            }));
        } else {
            pairs.push(Pair {
                name: one.name.to_owned(),
                simulated: Got::of(one.threads),
                received: Got::of(other.threads),
            });
        }
    }
    pairs
}

fn text(pairs: &[Pair], within: Ratio) -> String {
    let mut rows = Vec::new();
    for pair in pairs {
        let row = |name: &str, what: &str, cells: [String; 6]| {
            [name.to_owned(), what.to_owned()].into_iter().chain(cells).collect::<Vec<_>>()
        };
        let (one, other) = (pair.simulated.numbers(), pair.received.numbers());
        let apart = std::array::from_fn(|n| {
            one[n]
                .zip(other[n])
                .map_or_else(|| "-".to_owned(), |(one, other)| difference(one, other))
        });
        rows.push(row(&pair.name, "simulated", pair.simulated.cells()));
        rows.push(row("", "received", pair.received.cells()));
        rows.push(row("", "difference", apart));
    }
    let head = ["THREAD", "", "TIME", "DISPATCHES", "RESPONSE p50", "p99", "MAX", "MISSED"];
    let mut text = table(&head, 2, rows);
    let far: Vec<&str> =
        pairs.iter().filter(|pair| !pair.is_close(within)).map(|pair| pair.name.as_str()).collect();
    text.push('\n');
    text.push_str(&match far.as_slice() {
        [] => format!("Processor time agrees within {}.\n", percent(within)),
        far => format!(
            "Processor time differs by more than {}: {}.\n",
            percent(within),
            far.join(", ")
        ),
    });
    text
}

fn data(pairs: &[Pair], within: Ratio, runs: [&Outcome; 2]) -> Value {
    let got = |got: &Got| {
        let [received, dispatches, p50, p99, most, missed] = got.numbers();
        json!({
            "received_ns": received, "dispatches": dispatches, "missed": missed,
            "response_p50_ns": p50, "response_p99_ns": p99, "response_max_ns": most,
        })
    };
    let pair = |pair: &Pair| {
        json!({
            "name": pair.name, "simulated": got(&pair.simulated), "received": got(&pair.received),
            "close": pair.is_close(within),
        })
    };
    json!({
        "within": within.to_string(),
        "simulated_length_ns": runs[0].length.as_nanos(),
        "received_length_ns": runs[1].length.as_nanos(),
        "threads": pairs.iter().map(pair).collect::<Vec<_>>(),
    })
}

/// How far the second is from the first, in per cent of the first with two places.
fn difference(one: u64, other: u64) -> String {
    let apart = i128::from(other) - i128::from(one);
    if apart == 0 {
        return "0".to_owned();
    }
    if one == 0 {
        return "-".to_owned();
    }
    let hundredths = apart.unsigned_abs() * 10_000 / u128::from(one);
    let sign = if apart < 0 { '-' } else { '+' };
    format!("{sign}{}.{:02}%", hundredths / 100, hundredths % 100)
}

fn percent(ratio: Ratio) -> String {
    let hundred = Ratio::whole(100);
    ratio.checked_mul(hundred).map_or_else(|| ratio.to_string(), |ratio| format!("{ratio} %"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn got(ns: u64) -> Got {
        let received = Span::from_nanos(ns);
        Got { received, dispatches: 1, missed: 0, response: [None; 3] }
    }

    #[test]
    fn limit_a_difference_of_just_the_allowed_is_close() {
        let within = "2%".parse().unwrap();
        for (one, other, close) in
            [(100, 102, true), (100, 98, true), (100, 103, false), (0, 0, true), (0, 1, false)]
        {
            let pair = Pair { name: "a".to_owned(), simulated: got(one), received: got(other) };
            assert_eq!(pair.is_close(within), close, "{one} {other}");
        }
    }

    #[test]
    fn accepts_differences_of_either_sign() {
        assert_eq!(difference(1_000, 1_015), "+1.50%");
        assert_eq!(difference(1_000, 985), "-1.50%");
        assert_eq!((difference(5, 5), difference(0, 5)), ("0".to_owned(), "-".to_owned()));
    }
}

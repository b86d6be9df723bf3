//! One scenario on two hosts, side by side: as text and as JSON; two outcomes are `compare/outcomes.rs`.

mod document;
mod outcomes;
mod shared;

pub use document::{OutcomeDocument, OutcomeError};
pub use outcomes::Outcomes;

use crate::terminal::{short, table_with};
use serde_json::{Value, json};
use windfall_scenario::Scenario;
use windfall_scenario::outcome::{Outcome, ThreadOutcome, groups};
use windfall_time::{Ratio, Span};

/// Figures of one thread, or of a group of threads, on one host.
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

    fn json(&self) -> Value {
        let [received, dispatches, p50, p99, most, missed] = self.numbers();
        json!({
            "received_ns": received, "dispatches": dispatches, "missed": missed,
            "response_p50_ns": p50, "response_p99_ns": p99, "response_max_ns": most,
        })
    }

    fn cells(&self) -> [String; 6] {
        let dash = || "-".to_owned();
        let [p50, p99, most] = self.response.map(|span| span.map_or_else(dash, short));
        let counts = [self.dispatches.to_string(), self.missed.to_string()];
        let [dispatches, missed] = counts;
        [short(self.received), dispatches, p50, p99, most, missed]
    }
}

/// The same threads on two hosts, side by side.
pub struct Comparison {
    pairs: Vec<Pair>,
    lengths: [Span; 2],
    within: Ratio,
}

impl Comparison {
    /// Sets both runs of a scenario side by side; processor time may differ by `within` of the simulated.
    #[must_use]
    pub fn new(
        scenario: &Scenario,
        simulated: &Outcome,
        received: &Outcome,
        within: Ratio,
    ) -> Comparison {
        let lengths = [simulated.length, received.length];
        Comparison { pairs: pairs(scenario, simulated, received), lengths, within }
    }

    /// Whether processor time differs by no more than was allowed.
    #[must_use]
    pub fn is_close(&self) -> bool {
        self.pairs.iter().all(|pair| pair.is_close(self.within))
    }

    /// For people.
    #[must_use]
    pub fn text(&self, width: Option<usize>) -> String {
        let mut text = rows(&self.pairs, width);
        let far = self.pairs.iter().filter(|pair| !pair.is_close(self.within));
        let far: Vec<&str> = far.map(|pair| pair.name.as_str()).collect();
        let within = percent(self.within);
        text.push_str(&match far.as_slice() {
            [] => format!("\nProcessor time agrees within {within}.\n"),
            far => format!("\nProcessor time differs by more than {within}: {}.\n", far.join(", ")),
        });
        text
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> Value {
        let pair = |pair: &Pair| {
            json!({
                "name": pair.name,
                "simulated": pair.simulated.json(),
                "received": pair.received.json(),
                "close": pair.is_close(self.within),
            })
        };
        json!({
            "within": self.within.to_string(),
            "simulated_length_ns": self.lengths[0].as_nanos(),
            "received_length_ns": self.lengths[1].as_nanos(),
            "threads": self.pairs.iter().map(pair).collect::<Vec<_>>(),
        })
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

/// A pair for each thread. A group of threads, or threads of which the hosts made unequal numbers,
/// are a pair of sums.
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

/// Three rows for each pair: simulated, received, and how far apart.
fn rows(pairs: &[Pair], width: Option<usize>) -> String {
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
    table_with(&head, 2, 4..7, rows, width)
}

/// How far the second is from the first, in per cent of the first with two places.
#[must_use]
pub(crate) fn difference(one: u64, other: u64) -> String {
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

/// A part of a whole in per cent.
#[must_use]
pub(crate) fn percent(ratio: Ratio) -> String {
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

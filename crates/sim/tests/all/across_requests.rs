//! Random requests to trees with reservations: no promise that the checker grants is missed, before, across and after them.

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use windfall_scenario::Scenario;
use windfall_scenario::outcome::PromiseStatus;

/// A request: its time, its kind, its subject, and two numbers.
type Asked = (u64, u8, u8, u64, u64);

/// Two reservation schedulers on a processor each; four threads with reservations, two of them below a scheduler that has one itself.
fn scenario(threads: &[(u64, u64, bool); 4], requests: &[Asked]) -> String {
    let mut text = "length = \"600ms\"\nseed = 1\nschema = 2\n[machine]\nprocessors = 2\n\
                    [schedulers.left]\nscheduler = \"rez\"\nparent = \"top\"\n\
                    [schedulers.right]\nscheduler = \"rez\"\nparent = \"top\"\n\
                    [schedulers.ps]\nscheduler = \"proportional-share\"\nparent = \"left\"\n\
                    guarantee = \"RESBH 3ms 12ms\"\nquantum = \"1ms\"\n\
                    [schedulers.both]\nscheduler = \"join\"\nparents = [\"left\", \"right\"]\n\
                    [threads.joined]\nparent = \"both\"\nrun = \"spin\"\n"
        .to_owned();
    for (number, (amount, period, spins)) in threads.iter().enumerate() {
        let run = if *spins {
            "run = \"spin\"".to_owned()
        } else {
            format!("periodic = \"1ms/{period}ms\"")
        };
        text += &match number {
            0 | 1 => {
                let parent = ["left", "right"][number];
                format!(
                    "[threads.t{number}]\nparent = \"{parent}\"\nguarantee = \"RESBH {amount}ms {period}ms\"\n{run}\n"
                )
            }
            _ => format!("[threads.t{number}]\nparent = \"ps\"\nshare = {amount}\n{run}\n"),
        };
    }
    let mut sorted = requests.to_vec();
    sorted.sort_by_key(|request| request.0);
    for (number, (time, what, whom, amount, period)) in sorted.iter().enumerate() {
        let one = request(number, *what, *whom, (*amount, *period));
        text += &if what % 9 == 8 {
            let parts = [0, 3, 5].map(|more| {
                format!(
                    "{{ {} }}",
                    request(number, what / 9 + more, *whom, (*amount, *period)).join(", ")
                )
            });
            format!(
                "[[at]]\ntime = \"{time}ms\"\ndo = \"transaction\"\nrequests = [{}]\n",
                parts.join(", ")
            )
        } else {
            format!("[[at]]\ntime = \"{time}ms\"\n{}\n", one.join("\n"))
        };
    }
    text
}

/// The keys of a request.
fn request(number: usize, what: u8, whom: u8, (amount, period): (u64, u64)) -> Vec<String> {
    let thread = format!("thread = \"t{}\"", whom % 2);
    let to = format!("to = \"{}\"", ["left", "right"][usize::from(whom / 2 % 2)]);
    let guarantee = format!("guarantee = \"RESBH {amount}ms {period}ms\"");
    let keys: &[&str] = match what % 8 {
        0 => &["do = \"guarantee\"", &thread, &guarantee],
        1 => &["do = \"unreserve\"", &thread],
        2 => &["do = \"move\"", &thread, &to, &guarantee],
        3 => &["do = \"move\"", "scheduler = \"ps\"", &to, &guarantee],
        4 => &["do = \"guarantee\"", "scheduler = \"ps\"", &guarantee],
        5 => &["do = \"remove-parent\"", "scheduler = \"both\""],
        6 => &["do = \"add-parent\"", "scheduler = \"both\"", &to, &guarantee],
        _ => {
            let with = format!("with = {{ scheduler = \"edf\", parent = \"left\", {guarantee} }}");
            return vec!["do = \"create\"".to_owned(), format!("name = \"new{number}\""), with];
        }
    };
    keys.iter().map(|key| (*key).to_owned()).collect()
}

/// Simulates it; what was judged, by kind.
fn judged(text: &str, seen: &mut BTreeMap<&'static str, u64>) -> Result<(), String> {
    let Ok(scenario) = Scenario::parse("test.toml", text) else {
        *seen.entry("refused when read").or_default() += 1;
        return Ok(());
    };
    let outcome = windfall_sim::simulate(&scenario).map_err(|why| why.to_string())?.outcome;
    if let Some((name, why)) = outcome.quarantined.first() {
        return Err(format!("{name} was quarantined: {why}"));
    }
    let mut count = |what| *seen.entry(what).or_default() += 1;
    (0..outcome.refused.len()).for_each(|_| count("refused"));
    let requests = scenario.requests.len();
    (outcome.refused.len()..requests).for_each(|_| count("carried out"));
    for verdict in &outcome.promises {
        match verdict.status() {
            PromiseStatus::Kept if verdict.until.is_some() => count("kept until it was touched"),
            // All requests come after 100 ms and before 500 ms.
            PromiseStatus::Kept if verdict.runnable.as_nanos() > 520_000_000 => {
                count("kept across requests");
            }
            PromiseStatus::Kept => count("kept after a request"),
            PromiseStatus::Unused | PromiseStatus::NotTested => count("not tested"),
            broken => {
                let promise = &verdict.promise;
                return Err(format!(
                    "{} of {}: {broken:?}: {verdict:?}",
                    promise.guarantee, promise.owner
                ));
            }
        }
    }
    Ok(())
}

fn cases() -> impl Strategy<Value = ([(u64, u64, bool); 4], Vec<Asked>)> {
    let thread = || (1..5_u64, 6..20_u64, any::<bool>());
    let requests = (100..500_u64, any::<u8>(), any::<u8>(), 1..6_u64, 6..20_u64);
    ([thread(), thread(), thread(), thread()], prop::collection::vec(requests, 0..6))
}

#[test]
fn law_no_request_breaks_what_is_granted_before_or_after_it() {
    let mut seen = BTreeMap::new();
    let config =
        ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let all = std::cell::RefCell::new(&mut seen);
    let tried = runner.run(&cases(), |(threads, requests)| {
        let text = scenario(&threads, &requests);
        if let Err(why) = judged(&text, &mut all.borrow_mut()) {
            let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("across-requests.toml");
            std::fs::write(&path, &text).unwrap();
            prop_assert!(false, "{why}\nre-run: windfall simulate {}", path.display());
        }
        Ok(())
    });
    println!("{seen:?}");
    tried.unwrap();
    for (kind, least) in [
        ("kept across requests", 300),
        ("kept until it was touched", 300),
        ("kept after a request", 300),
        ("carried out", 300),
        ("refused", 50),
    ] {
        let count = seen.get(kind).copied().unwrap_or(0);
        assert!(count >= least, "{count} {kind}");
    }
}

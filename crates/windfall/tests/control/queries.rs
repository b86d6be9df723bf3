//! Answers of schedulers that admit tasks, and the laxity that one gives to another (decision 0034).

use super::{Run, text};
use serde_json::Value;

/// A scheduler's answer about work of 2 ms by then.
fn query(run: &Run, by: &str) -> Value {
    let output = run.ctl(&["query", "p", "2ms", "--by", by, "--json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.success(), answer["admits"] == true, "{answer}");
    answer
}

/// Whether a time is this, to the nanosecond to which work is rounded, of which a fifth of a processor does one in five.
fn is_about(ns: &Value, wanted: u64) -> bool {
    ns.as_u64().is_some_and(|ns| ns.abs_diff(wanted) <= 5)
}

#[test]
fn law_a_query_answers_by_the_supply_that_a_scheduler_holds() {
    let Some((run, _alone)) = Run::begin("control-query") else { return };
    run.done(&[
        "create",
        "p",
        "--scheduler",
        "ports",
        "--parent",
        "res",
        "guarantee=RESBS 4ms 20ms",
    ]);
    // Nothing runs below it: 4 ms in 20 ms after a latency of 32 ms.
    let early = query(&run, "40ms");
    assert!(early["admits"] == false && is_about(&early["idle_ns"], 1_600_000), "{early}");
    let late = query(&run, "60ms");
    assert!(late["admits"] == true && is_about(&late["idle_ns"], 5_600_000), "{late}");
    assert!(is_about(&late["earliest_ns"], 42_000_000), "{late}");
    // 2 ms by 60 ms and 3 ms by then do not change what either is answered, and go together; with 4 ms the second does not.
    let several =
        |more: &[&str]| run.ctl(&[&["query", "p", "2ms", "--by", "60ms"][..], more].concat());
    let all = several(&["--and", "3ms/60ms", "--and", "1ms/100ms"]);
    assert!(all.status.success() && text(&all.stdout) == "yes: all 3 could be done\n");
    let not = several(&["--and", "1ms/60ms", "--and", "4ms/60ms", "--json"]);
    let found: Value = serde_json::from_slice(&not.stdout).unwrap();
    assert_eq!(
        (not.status.code(), &found["refused"], &found["tasks"]),
        (Some(1), &2.into(), &3.into())
    );
    assert!(is_about(&found["idle_ns"], 2_600_000), "{found}");
    let words = text(&several(&["--and", "4ms/60ms"]).stdout);
    assert!(
        words.starts_with("no: not 4ms by 60ms, number 2 of 2; after those before it 3.6ms")
            || words.contains("before it 3.599999ms"),
        "{words}"
    );
    let wrong = several(&["--and", "4ms"]);
    assert!(text(&wrong.stderr).contains("`4ms` is not a task; write WORK/BY"));
    let again = query(&run, "60ms");
    assert!(is_about(&again["idle_ns"], 5_600_000), "a query changes nothing: {again}");
    run.done(&["reserve", "p", "RESBS 1ms 20ms"]);
    assert_eq!(query(&run, "60ms")["admits"], false);
    assert_eq!(query(&run, "100ms")["admits"], true);
    let output = run.ctl(&["query", "res", "2ms", "--by", "1s"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("`res` admits no tasks"));
    let words = text(&run.ctl(&["query", "p", "1ms", "--by", "1s"]).stdout);
    assert!(
        words.starts_with("yes: ") && words.contains(" is idle before 1s from now; 1ms"),
        "{words}"
    );
    run.stop();
}

/// Time of one scheduler that admits work goes to another below it, which has none of its own.
#[test]
fn law_laxity_moves_by_request_and_is_there_for_whom_it_was_moved_to() {
    let Some((run, _alone)) = Run::begin("control-transfer") else { return };
    let p = ["p", "--scheduler", "ports", "--parent", "res", "guarantee=RESBS 4ms 20ms"];
    run.done(&[&["create"][..], &p].concat());
    run.done(&["create", "low", "--scheduler", "ports", "--parent", "p"]);
    run.done(&["create", "other", "--scheduler", "ports", "--parent", "p"]);
    let admits = |name: &str| {
        let output = run.ctl(&["query", name, "2ms", "--by", "10s", "--json"]);
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["admits"] == true
    };
    assert!(admits("p") && !admits("low"));
    let would = run.ctl(&["transfer", "p", "low", "400ms", "--query"]);
    assert!(would.status.success() && !admits("low"), "{}", text(&would.stderr));
    run.done(&["transfer", "p", "low", "400ms"]);
    assert!(admits("low") && !admits("other"));
    let refused = |args: &[&str]| {
        let output = run.ctl(args);
        assert_eq!(output.status.code(), Some(1));
        text(&output.stderr)
    };
    let again = refused(&["transfer", "p", "other", "1ms"]);
    assert!(again.contains("still passing") && again.contains("ask again"), "{again}");
    let up = refused(&["transfer", "low", "p", "1ms"]);
    assert!(
        up.contains("`p` does not lie below `low` but above") && up.contains("has passed"),
        "{up}"
    );
    run.stop();
}

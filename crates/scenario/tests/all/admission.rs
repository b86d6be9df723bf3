//! Jobs that are admitted: what the checks refuse, and what they leave alone.

use crate::common::tells;
use windfall_scenario::Scenario;

/// A processor, a scheduler that admits with these keys, and threads.
fn scenario(keys: &str, threads: &str) -> String {
    format!(
        "schema = 2\nlength = \"1 s\"\n[schedulers.rez]\nscheduler = \"rez\"\nparent = \"top\"\n\
         [schedulers.p]\nscheduler = \"ports\"\n{keys}\n{threads}"
    )
}

fn jobs(name: &str, more: &str) -> String {
    format!(
        "[threads.{name}]\nparent = \"p\"\nperiodic = {{ work = \"1ms\", period = \"9ms\"{more} }}\n"
    )
}

const BELOW: &str = "parent = \"rez\"\nguarantee = \"RESBS 5ms 10ms\"";
const SMALL: &str = "[threads.small]\nparent = \"p\"\ninstead = { work = \"1ms\", deadline = \"9ms\", admit = true }\n";

#[test]
fn accepts_each_supply_that_bounds_a_window() {
    let admitted = jobs("a", ", admit = true");
    for guarantee in ["RESBH 5ms 10ms", "RESBS 5ms 10ms", "RESCS 5ms 10ms"] {
        let keys = format!("parent = \"rez\"\nguarantee = \"{guarantee}\"");
        Scenario::parse("e.toml", &scenario(&keys, &admitted)).unwrap();
    }
    let alone = scenario("parent = \"rez\"\nguarantee = \"RESBS 1ms 2ms\"", &admitted);
    Scenario::parse("e.toml", &alone).unwrap();
}

#[test]
fn refuses_a_scheduler_that_cannot_know_when_it_runs() {
    let admitted = jobs("a", ", admit = true");
    for (keys, says) in [
        ("parent = \"rez\"", "asks its parent for nothing"),
        ("parent = \"rez\"\nguarantee = \"PS 1/2\"", "PS 1/2 bounds no window"),
    ] {
        let line = if keys.contains("guarantee") { 9 } else { 8 };
        tells(&scenario(keys, &admitted), &[(line, says, "RESBS 5ms 10ms")]);
    }
    let slower = scenario("parent = \"rez\"\nguarantee = \"RESU 1/2\"", &admitted);
    let slower = slower.replace("scheduler = \"rez\"", "scheduler = \"pshed\"");
    tells(&slower, &[(9, "RESU 1/2 bounds no window", "RESBS 5ms 10ms")]);
}

#[test]
fn refuses_jobs_that_nobody_can_admit() {
    let never = jobs("a", ", admit = true, deadline = \"none\"");
    tells(&scenario(BELOW, &never), &[(12, "are never due", "deadline")]);
    let elsewhere = jobs("a", ", admit = true").replace("\"p\"", "\"rez\"");
    tells(&scenario(BELOW, &elsewhere), &[(12, "admits no jobs", "ports")]);
}

#[test]
fn refuses_secondaries_that_are_never_released() {
    let with = |threads: String| scenario(BELOW, &threads);
    tells(&with(SMALL.to_owned()), &[(12, "no thread names `small`", "else = \"small\"")]);
    let plain = jobs("a", ", else = \"small\"") + SMALL;
    tells(&with(plain), &[(12, "without `admit = true`", "admit = true")]);
    let itself = jobs("a", ", admit = true, else = \"b\"") + &jobs("b", "");
    tells(&with(itself), &[(12, "released by itself", "instead")]);
    let nobody = jobs("a", ", admit = true, else = \"nobody\"");
    tells(&with(nobody), &[(12, "nobody", "")]);
    let circle = SMALL.replace(" }", ", else = \"small\" }")
        + &jobs("a", ", admit = true, else = \"small\"");
    tells(&with(circle), &[(10, "stands for itself", "no `else`")]);
}

/// Schedulers below one that admits get the laxity that it moves to them, and no others do.
#[test]
fn refuses_laxity_for_those_that_are_not_below_the_giver() {
    let tree = |more: &str, request: &str| {
        let keys = format!(
            "{BELOW}\n[schedulers.q]\nscheduler = \"ports\"\nparent = \"rez\"\nguarantee = \"RESBS 1ms 10ms\"\n\
             [schedulers.low]\nscheduler = \"ports\"\nparent = \"p\"\n{more}"
        );
        let request = format!("[[at]]\ntime = \"1ms\"\ndo = \"transfer\"\n{request}\n");
        scenario(&keys, &request)
    };
    let join = "[schedulers.j]\nscheduler = \"join\"\nparents = [{ parent = \"rez\", guarantee = \"RESBS 2ms 10ms\" }, \"p\"]\n\
                [schedulers.both]\nscheduler = \"ports\"\nparent = \"j\"\nguarantee = \"RESBS 2ms 10ms\"";
    let moves = |to: &str| format!("from = \"p\"\nto = \"{to}\"\nwork = \"2ms\"");
    Scenario::parse("e.toml", &tree("", &moves("low"))).unwrap();
    let read = Scenario::parse("e.toml", &tree(join, &moves("both"))).unwrap();
    assert_eq!(Scenario::parse("written.toml", &read.write()).unwrap(), read);
    for (to, key, says, help) in [
        (
            "q",
            1,
            "below `p`; what that leaves goes back to `rez`, which may give it",
            "a scheduler (join)",
        ),
        ("p", 1, "below `p`, and has its laxity already", "below `p`"),
        ("rez", 1, "is a `rez`, which has no laxity", "ports"),
        ("nobody", 1, "nobody", ""),
    ] {
        let text = tree("", &moves(to));
        let line = text.lines().position(|line| line.starts_with("from")).unwrap() + 1 + key;
        tells(&text, &[(line, says, help)]);
    }
    // From a receiver back to its giver, and to another receiver of it.
    let other = "[schedulers.other]\nscheduler = \"ports\"\nparent = \"p\"";
    for (to, says, help) in [
        ("p", "`p` does not lie below `low` but above it, and has back what", "has passed"),
        (
            "other",
            "`other` does not lie below `low`; what that leaves goes back to `p`",
            "a scheduler (join)",
        ),
    ] {
        let text = tree(other, &moves(to).replace("from = \"p\"", "from = \"low\""));
        let line = text.lines().position(|line| line.starts_with("from")).unwrap() + 2;
        tells(&text, &[(line, says, help)]);
    }
    let nothing = tree("", &moves("low").replace("2ms", "0s"));
    let line = nothing.lines().position(|line| line.starts_with("work")).unwrap() + 1;
    tells(&nothing, &[(line, "no", "above zero")]);
}

//! The verbs that look at this machine: `doctor`, `measure`, `compare`, for root and for others.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/nobody.rs"]
mod nobody;
#[path = "common/real.rs"]
mod real;
#[path = "common/taken.rs"]
mod taken;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use windfall_skips::{Needs, skip};

fn windfall(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_windfall")).args(arguments).output().unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_str(&printed(output)).unwrap()
}

fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn accepts_any_machine_for_an_examination() {
    let output = windfall(&["doctor", "--json"]);
    let found = json(&output);
    assert_eq!(output.status.code(), Some(i32::from(found["ready"] != true)));
    let checks = found["checks"].as_array().unwrap();
    assert!(checks.len() >= 20, "{found:#}");
    for check in checks {
        assert!(!check["found"].as_str().unwrap().is_empty(), "{check:#}");
        let amiss = check["state"] != "yes";
        assert_eq!(check["remedy"].is_string(), amiss, "{check:#}");
    }
}

#[test]
fn refuses_a_user_without_rights_and_says_what_is_missing() {
    let Some(output) = nobody::run(&["doctor"]) else { return };
    let text = printed(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in ["CAP_SYS_NICE", "does not work here", "`windfall simulate` needs none"] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
    let output = nobody::run(&["measure", "--quick"]).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(errors.contains("CAP_SYS_NICE"), "{errors}");
}

#[test]
fn law_an_examination_leaves_no_control_group_behind() {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    let mount = mounts.lines().find(|line| line.split(' ').nth(2) == Some("cgroup2"));
    let Some(mount) = mount.and_then(|line| line.split(' ').nth(1)) else {
        return skip(Needs::Other, "no control groups of version 2 are mounted");
    };
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap();
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
    let child = command.arg("doctor").stdout(std::process::Stdio::null()).spawn().unwrap();
    let name = format!("windfall-{}", child.id());
    assert!(child.wait_with_output().is_ok());
    assert!(!Path::new(mount).join(own).join(name).exists());
}

const SCENARIO: &str = r#"
schema = 2
inherits = "costs-measured.toml"
seed   = 1
length = "500ms"

[schedulers.res]
scheduler = "rez"
parent    = "top"

[threads.a]
parent    = "res"
guarantee = "RESBH 3ms 10ms"
run       = "spin"
"#;

#[test]
fn accepts_a_scenario_that_inherits_what_was_measured_here() {
    if !real::is_ready() {
        return;
    }
    let costs = place("costs-measured.toml");
    let output =
        windfall(&["measure", "--force", "--quick", "--json", "-o", costs.to_str().unwrap()]);
    let measured = json(&output);
    for (key, least) in [("switch_ns", 1), ("notification_ns", 1), ("decision_ns", 0)] {
        let found = measured[key].as_u64().unwrap();
        assert!((least..1_000_000).contains(&found), "{key}: {found}");
    }
    for cost in measured["costs"].as_array().unwrap() {
        assert!(cost["samples"].as_u64().unwrap() > 0, "{cost:#}");
        assert!(cost["median_ns"].as_u64() <= cost["p99_ns"].as_u64(), "{cost:#}");
    }
    let scenario = place("inherits-measured.toml");
    std::fs::write(&scenario, SCENARIO).unwrap();
    let path = scenario.to_str().unwrap();
    for verb in ["check", "simulate"] {
        let output = windfall(&[verb, path, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{verb}: {output:?}");
    }
}

#[test]
fn twin_a_hard_reservation_receives_what_is_simulated() {
    if !real::is_ready() {
        return;
    }
    let scenario = place("compared.toml");
    std::fs::write(&scenario, SCENARIO.replace("inherits = \"costs-measured.toml\"\n", ""))
        .unwrap();
    let costs = place("compared-costs.toml");
    std::fs::write(&costs, "schema = 2\n[machine]\ncosts = { switch = \"2us\" }\n").unwrap();
    // Other tests may run on this machine: only what they cannot take away is asserted.
    let (scenario, costs) = (scenario.to_str().unwrap(), costs.to_str().unwrap());
    let words = ["compare", scenario, "--costs", costs, "--tolerance", "50%", "--json"];
    let Some(output) = taken::once_free(|| windfall(&words)) else { return };
    let compared = json(&output);
    let thread = &compared["threads"][0];
    assert_eq!(thread["name"], "a");
    // 3 ms in each of 50 periods, less a switch at 2 us each.
    assert_eq!(thread["simulated"]["received_ns"], 149_900_000, "{compared:#}");
    assert_eq!(output.status.code(), Some(i32::from(thread["close"] != true)));
    assert!(thread["received"]["received_ns"].as_u64().unwrap() > 0);
}

#[test]
fn refuses_costs_that_cannot_be_read_with_their_name() {
    let scenario = place("uncompared.toml");
    std::fs::write(&scenario, SCENARIO.replace("inherits = \"costs-measured.toml\"\n", ""))
        .unwrap();
    let costs = place("broken-costs.toml");
    std::fs::write(&costs, "[machine]\ncosts = { swich = \"1us\" }\n").unwrap();
    let scenario = scenario.to_str().unwrap();
    for (costs, part) in [
        (costs.to_str().unwrap(), "broken-costs.toml:2"),
        ("/nonexistent.toml", "/nonexistent.toml"),
    ] {
        let output = windfall(&["compare", scenario, "--costs", costs]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(errors.contains(part), "{errors}");
    }
}

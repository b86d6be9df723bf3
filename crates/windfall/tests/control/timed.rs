//! The requests of a file: simulated and run, they give the same tree.

use super::{MACHINE, PATIENCE, TREE, WINDFALL, real, text};
use serde_json::Value;
use std::process::Command;
use std::sync::PoisonError;
use std::time::Instant;

#[test]
fn twin_requests_at_the_same_times_give_the_same_tree() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    if !real::is_ready() {
        return;
    }
    let requests = r#"
[[at]]
time = "100ms"
do = "create"
name = "rr"
with = { scheduler = "round-robin", parent = "ts", quantum = "5ms" }

[[at]]
time = "200ms"
do = "move"
thread = "a"
to = "rr"

[[at]]
time = "300ms"
do = "move"
thread = "b"
to = "res"
guarantee = "RESBH 19ms 20ms"

[[at]]
time = "330ms"
do = "transaction"
requests = [
    { do = "create", name = "held", with = { scheduler = "proportional-share", parent = "ts" } },
    { do = "move", scheduler = "rr", to = "held" },
]

[[at]]
time = "340ms"
do = "add-parent"
scheduler = "held"
to = "res"
guarantee = "RESBH 1ms 20ms"

[[at]]
time = "350ms"
do = "transaction"
requests = [
    { do = "create", name = "lost", with = { scheduler = "round-robin", parent = "ts" } },
    { do = "move", scheduler = "held", to = "rr" },
]

[[at]]
time = "360ms"
do = "remove-parent"
scheduler = "held"

[[at]]
time = "400ms"
do = "guarantee"
thread = "c"
guarantee = "RESBH 4ms 20ms"

[[at]]
time = "500ms"
do = "default"
scheduler = "rr"

[[at]]
time = "600ms"
do = "destroy"
scheduler = "res"

[[at]]
time = "650ms"
do = "timer"
timer = "1024Hz"
"#;
    let folder = std::env::temp_dir().join(format!("windfall-twin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("twin.toml");
    std::fs::write(&file, TREE.to_owned() + requests).unwrap();
    let outcome = |verb: &str| -> Value {
        let begun = Instant::now();
        loop {
            let output = Command::new("timeout")
                .args(["-s", "KILL", "20", WINDFALL, verb, "--json", "--for", "800ms"])
                .arg(&file)
                .output()
                .unwrap();
            match serde_json::from_slice(&output.stdout) {
                Ok(outcome) => return outcome,
                Err(_) => assert!(begun.elapsed() < PATIENCE, "{}", text(&output.stderr)),
            }
        }
    };
    let (simulated, ran) = (outcome("simulate"), outcome("run"));
    let shape = |outcome: &Value| -> Vec<String> {
        let node =
            |n: &Value| format!("{} {} {} {}", n["name"], n["kind"], n["parents"], n["alive"]);
        let thread = |t: &Value| format!("{} {}", t["name"], t["parent"]);
        let refused = |r: &Value| r["what"].to_string();
        let all = |key: &str, form: &dyn Fn(&Value) -> String| -> Vec<String> {
            outcome[key].as_array().unwrap().iter().map(form).collect()
        };
        [all("schedulers", &node), all("threads", &thread), all("refused", &refused)].concat()
    };
    assert_eq!(shape(&simulated), shape(&ran));
    assert!(shape(&ran).iter().any(|line| line.contains("\"a\" \"rr\"")), "{:?}", shape(&ran));
    let refused = ran["refused"].as_array().unwrap();
    assert_eq!(refused.len(), 3, "{refused:?}"); // `res` is above the default by then
    let why = refused[1]["what"].as_str().unwrap();
    assert!(why.contains("lie below itself"), "{why}");
    let held = |line: &&String| line.contains("\"held\"");
    let held: Vec<String> = shape(&ran).iter().filter(held).cloned().collect();
    assert_eq!(held.len(), 2, "{held:?}"); // itself, and `rr` below it
    std::fs::remove_dir_all(&folder).unwrap();
}

//! A process that ends because its schedulers refuse what it asks for: the result says what that was, and what would work.

#[path = "common/real.rs"]
mod real;
#[path = "common/scratch.rs"]
mod scratch;
#[path = "common/taken.rs"]
mod taken;

use scratch::{Scratch, text};
use serde_json::Value;

const ROBOT: &str = include_str!("../../../scenarios/robot-reserved.toml");

#[test]
fn twin_a_refused_reservation_of_a_robot_is_named_with_what_would_work() {
    let folder = Scratch::new("refused-robot");
    let much = ROBOT.replace("amount = \"6ms\"", "amount = \"9ms\"");
    assert_ne!(much, ROBOT);
    folder.write("robot.toml", &much);
    for verb in ["simulate", "run"] {
        if verb == "run" && !real::is_ready() {
            return;
        }
        let command = || folder.run(&[verb, "robot.toml", "--json"]);
        let Some(output) = taken::once_free(command) else { return };
        assert_eq!(output.status.code(), Some(2), "{verb}: {output:?}");
        let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
        let said = text(&output.stderr);
        let error: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
        let failure = outcome["failure"].as_str().unwrap();
        let message = error["error"]["message"].as_str().unwrap();
        for told in [failure, message] {
            assert!(told.contains("process `planner-1` ends at "), "{verb}: {told}");
            assert!(
                told.contains(": guarantee RESBS 9ms 10ms at `res`: refused: "),
                "{verb}: {told}"
            );
        }
        let help = error["error"]["help"].as_str().unwrap();
        assert!(failure.ends_with(help) && help.contains("ask for"), "{verb}: {help}");
    }
}

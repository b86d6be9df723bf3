//! Same seed, same bytes: in another directory, locale, time zone, and with another thread count.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::path::{Path, PathBuf};
use std::process::Command;

fn run(folder: &Path, scenario: &Path, seed: u64, environment: &[(&str, &str)]) -> Vec<Vec<u8>> {
    std::fs::create_dir_all(folder).unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_windfall"))
        .arg("simulate")
        .arg(scenario)
        .args(["--for", "500ms", "--json", "--seed", &seed.to_string()])
        .arg("--force")
        .args(["--trace", "out.wft", "--picture", "out.svg", "--report", "out.html"])
        .envs(environment.iter().copied())
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(status.status.code().is_some_and(|code| code < 2), "{status:?}");
    let mut outputs = vec![status.stdout];
    for name in ["out.wft", "out.svg", "out.html"] {
        outputs.push(std::fs::read(folder.join(name)).unwrap());
    }
    outputs
}

#[test]
fn law_same_seed_gives_same_bytes_elsewhere() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("same_bytes");
    let scenario = scratch.join("random.toml");
    std::fs::create_dir_all(&scratch).unwrap();
    std::fs::write(&scenario, RANDOM).unwrap();
    let here: PathBuf = scratch.join("a");
    let there = scratch.join("b/c d");
    let plain = run(&here, &scenario, 7, &[]);
    let other = [
        ("LC_ALL", "tr_TR.UTF-8"),
        ("LANG", "de_DE.UTF-8"),
        ("TZ", "Pacific/Chatham"),
        ("RAYON_NUM_THREADS", "7"),
        ("RUST_MIN_STACK", "4000000"),
        ("HOME", "/nonexistent"),
    ];
    assert!(plain == run(&there, &scenario, 7, &other), "equal seeds, different bytes");
    assert!(plain != run(&here, &scenario, 8, &[]), "the seed changes nothing");
}

/// Random gaps, random work, random interrupts, two processors.
const RANDOM: &str = r#"
schema = 2
seed   = 1
length = "500ms"

[machine]
processors = 2
costs      = { switch = "3us", decision = "1us" }

[[interrupts]]
gap  = "100us..3ms"
cost = "5us..50us"

[schedulers.ts]
scheduler  = "time-sharing"
parent     = "top"
processors = 2

[threads.a]
parent   = "ts"
sporadic = { gap = "1ms..9ms", work = "200us..700us" }

[threads.b]
parent   = "ts"
sporadic = { gap = "2ms..7ms", work = "1ms" }

[threads.c]
parent = "ts"
count  = 3
run    = "spin"
"#;

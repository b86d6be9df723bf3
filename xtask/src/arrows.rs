//! Crates stand on floors, and know only the floors below (docs/ARCHITECTURE.md).

use crate::run::{Done, root};

/// Each crate, its floor, and which crates it may use.
const FLOORS: &[(&str, &[&str])] = &[
    ("time", &[]),
    ("exchange", &[]),
    ("guarantees", &["time"]),
    ("hierarchy", &["time"]),
    ("plot", &[]),
    ("skips", &[]),
    ("trace", &["plot", "time"]),
    ("analysis", &["guarantees", "time"]),
    ("schedulers", &["guarantees", "hierarchy", "time"]),
    ("programs", &["time", "trace"]),
    (
        "scenario",
        &["analysis", "guarantees", "hierarchy", "programs", "schedulers", "time", "trace"],
    ),
    (
        "linux",
        &[
            "exchange",
            "guarantees",
            "hierarchy",
            "programs",
            "scenario",
            "schedulers",
            "time",
            "trace",
        ],
    ),
    ("host", &["hierarchy", "programs", "scenario", "time", "trace"]),
    ("sim", &["hierarchy", "host", "programs", "scenario", "schedulers", "time", "trace"]),
    (
        "lab",
        &[
            "hierarchy",
            "linux",
            "plot",
            "programs",
            "scenario",
            "schedulers",
            "sim",
            "time",
            "trace",
        ],
    ),
    (
        "windfall",
        &[
            "analysis",
            "guarantees",
            "hierarchy",
            "lab",
            "linux",
            "plot",
            "programs",
            "scenario",
            "schedulers",
            "sim",
            "time",
            "trace",
        ],
    ),
];

/// Reads each crate's manifest; development dependencies may point anywhere below the command.
pub(crate) fn check() -> Done {
    let crates = root().join("crates");
    let listing = std::fs::read_dir(&crates).map_err(|why| why.to_string())?;
    for entry in listing.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let floor = FLOORS.iter().find(|(floor, _)| *floor == name);
        let Some((_, allowed)) = floor else {
            return Err(format!("crate `{name}` has no floor; add it to xtask/src/arrows.rs"));
        };
        let manifest = std::fs::read_to_string(entry.path().join("Cargo.toml"))
            .map_err(|why| format!("{name}: {why}"))?;
        let mut section = "";
        for line in manifest.lines().map(str::trim) {
            if line.starts_with('[') {
                section = line;
            }
            let used = line.strip_prefix("windfall-").filter(|_| section == "[dependencies]");
            let Some(used) = used.and_then(|rest| rest.split(['.', ' ', '=']).next()) else {
                continue;
            };
            if !allowed.contains(&used) {
                return Err(format!("crate `{name}` uses `{used}`, which is not below it"));
            }
        }
    }
    Ok(None)
}

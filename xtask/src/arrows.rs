//! Each crate is in a layer, and knows only crates of layers below it (docs/ARCHITECTURE.md).

use crate::run::{Done, root};

/// Each crate, and which crates it may use, from the lowest layer to the highest.
const LAYERS: &[(&str, &[&str])] = &[
    ("time", &[]),
    ("allocations", &[]),
    ("exchange", &[]),
    ("instructions", &[]),
    ("client", &[]),
    ("admission", &["time"]),
    ("clocks", &["time"]),
    ("guarantees", &["time"]),
    ("hierarchy", &["time"]),
    ("os", &["time"]),
    ("plot", &[]),
    ("reliability", &["time"]),
    ("settings", &["time"]),
    ("skips", &[]),
    ("trace", &["time"]),
    ("analysis", &["guarantees", "time"]),
    ("schedulers", &["admission", "guarantees", "hierarchy", "settings", "time"]),
    ("trial", &["guarantees", "hierarchy", "schedulers", "time"]),
    ("programs", &["clocks", "guarantees", "settings", "time", "trace"]),
    ("observe", &["os", "time", "trace"]),
    ("speculation", &["admission", "time"]),
    ("nmr", &["exchange", "programs", "settings", "time"]),
    ("cores", &["clocks", "nmr", "os", "time"]),
    ("robot", &["guarantees", "programs", "settings", "speculation", "time"]),
    (
        "scenario",
        &[
            "analysis",
            "guarantees",
            "hierarchy",
            "nmr",
            "programs",
            "robot",
            "schedulers",
            "time",
            "trace",
        ],
    ),
    ("ports", &["admission", "exchange", "os", "programs", "time"]),
    ("record", &["observe", "os", "programs", "time", "trace"]),
    (
        "doctor",
        &["clocks", "hierarchy", "observe", "os", "programs", "reliability", "scenario", "time"],
    ),
    ("processes", &["exchange", "os", "programs", "time"]),
    (
        "linux",
        &[
            "guarantees",
            "hierarchy",
            "host",
            "observe",
            "os",
            "programs",
            "scenario",
            "schedulers",
            "time",
            "trace",
        ],
    ),
    (
        "report",
        &[
            "analysis",
            "doctor",
            "guarantees",
            "observe",
            "plot",
            "programs",
            "record",
            "scenario",
            "schedulers",
            "time",
            "trace",
        ],
    ),
    ("host", &["hierarchy", "programs", "scenario", "time", "trace"]),
    (
        "sim",
        &["guarantees", "hierarchy", "host", "programs", "scenario", "schedulers", "time", "trace"],
    ),
    (
        "lab",
        &[
            "admission",
            "exchange",
            "clocks",
            "cores",
            "doctor",
            "hierarchy",
            "instructions",
            "linux",
            "nmr",
            "os",
            "plot",
            "ports",
            "processes",
            "programs",
            "record",
            "reliability",
            "report",
            "robot",
            "scenario",
            "schedulers",
            "sim",
            "settings",
            "speculation",
            "time",
            "trace",
        ],
    ),
    (
        "windfall",
        &[
            "analysis",
            "doctor",
            "guarantees",
            "hierarchy",
            "host",
            "lab",
            "linux",
            "observe",
            "processes",
            "programs",
            "record",
            "report",
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
        let layer = LAYERS.iter().find(|(layered, _)| *layered == name);
        let Some((_, allowed)) = layer else {
            return Err(format!("crate `{name}` has no layer; add it to xtask/src/arrows.rs"));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_each_crate_uses_only_crates_of_layers_below_it() {
        assert_eq!(check(), Ok(None));
    }
}

//! Each crate is in a layer, and knows only crates of layers below it, or those beside it that [`BESIDE`] names
//! (docs/ARCHITECTURE.md, which has the same numbers).
//!
//! Read is every section of a crate's manifest that has dependencies: ordinary, optional, of a target, and of a build script alike. For
//! tests, a crate may use any below the experiments, higher ones too: [`FOR_TESTS`] are used by nothing else. Not read: manifests outside
//! of `crates/` (`xtask`, `remote`, `fuzz`, `ci`), and what features turn on, since an optional dependency counts as used.

use crate::run::{Done, root};

/// A crate: its layer, and which crates it uses.
type Row = (u8, &'static str, &'static [&'static str]);

/// All crates, from the lowest layer to the highest.
const LAYERS: &[Row] = &[
    (0, "allocations", &[]),
    (0, "client", &[]),
    (0, "exchange", &[]),
    (0, "instructions", &[]),
    (0, "plot", &[]),
    (0, "skips", &[]),
    (0, "time", &[]),
    (1, "admission", &["time"]),
    (1, "clocks", &["time"]),
    (1, "guarantees", &["time"]),
    (1, "hierarchy", &["time"]),
    (1, "os", &["time"]),
    (1, "reliability", &["time"]),
    (1, "settings", &["time"]),
    (1, "trace", &["time"]),
    (2, "analysis", &["guarantees", "time"]),
    (2, "observe", &["os", "time", "trace"]),
    (2, "programs", &["clocks", "guarantees", "settings", "time", "trace"]),
    (2, "schedulers", &["admission", "guarantees", "hierarchy", "settings", "time"]),
    (2, "speculation", &["admission", "time"]),
    (3, "nmr", &["exchange", "programs", "settings", "time"]),
    (3, "ports", &["admission", "exchange", "os", "programs", "time"]),
    (3, "robot", &["guarantees", "programs", "settings", "speculation", "time"]),
    (
        3,
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
    (3, "trial", &["guarantees", "hierarchy", "schedulers", "time"]),
    (4, "cores", &["clocks", "nmr", "os", "time"]),
    (
        4,
        "doctor",
        &["clocks", "hierarchy", "observe", "os", "programs", "reliability", "scenario", "time"],
    ),
    (4, "host", &["hierarchy", "programs", "scenario", "time", "trace"]),
    (4, "processes", &["exchange", "os", "programs", "time"]),
    (4, "record", &["observe", "os", "programs", "time", "trace"]),
    (
        5,
        "linux",
        &[
            "guarantees",
            "hierarchy",
            "host",
            "observe",
            "os",
            "programs",
            "scenario",
            "time",
            "trace",
        ],
    ),
    (
        5,
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
    (
        5,
        "sim",
        &["guarantees", "hierarchy", "host", "programs", "scenario", "schedulers", "time", "trace"],
    ),
    (
        6,
        "lab",
        &[
            "admission",
            "clocks",
            "cores",
            "doctor",
            "exchange",
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
            "settings",
            "sim",
            "speculation",
            "time",
            "trace",
        ],
    ),
    (
        7,
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

/// Arrows within a layer: programs that a file may name are read where the file is, if the feature `applications` is on.
const BESIDE: [(&str, &str); 2] = [("scenario", "nmr"), ("scenario", "robot")];
/// Only tests use these.
const FOR_TESTS: [&str; 2] = ["allocations", "skips"];
/// The experiments and the command, which nothing else may use.
const ABOVE_ALL: u8 = 6;

/// Reads each crate's manifest.
pub(crate) fn check() -> Done {
    let crates = root().join("crates");
    let listing = std::fs::read_dir(&crates).map_err(|why| why.to_string())?;
    let mut faults = of_table(LAYERS);
    let mut there = Vec::new();
    for entry in listing.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let manifest = std::fs::read_to_string(entry.path().join("Cargo.toml"))
            .map_err(|why| format!("{name}: {why}"))?;
        faults.extend(of_crate(&name, &manifest));
        there.push(name);
    }
    let rows = LAYERS.iter().map(|(_, name, _)| *name);
    let absent = rows.filter(|name| !there.iter().any(|there| there == name));
    faults.extend(absent.map(|name| format!("there is no crate `{name}`")));
    if faults.is_empty() { Ok(None) } else { Err(faults.join("\n")) }
}

/// What is wrong with the table itself.
fn of_table(rows: &[Row]) -> Vec<String> {
    let layer = |name: &str| rows.iter().find(|(_, row, _)| *row == name).map(|(layer, ..)| *layer);
    let mut faults = Vec::new();
    if !rows.is_sorted_by_key(|(layer, name, _)| (*layer, *name)) {
        faults.push("crates do not stand in the order of layers and names".to_owned());
    }
    for (above, name, allowed) in rows {
        for other in *allowed {
            let beside = BESIDE.contains(&(name, other));
            let is_down =
                layer(other).is_some_and(|below| below < *above || beside && below == *above);
            if !is_down {
                faults.push(format!(
                    "`{name}` of layer {above} may not use `{other}`, {:?}",
                    layer(other)
                ));
            }
        }
    }
    faults
}

/// What is wrong with a crate, given its manifest.
fn of_crate(name: &str, manifest: &str) -> Vec<String> {
    let Some((_, _, allowed)) = LAYERS.iter().find(|(_, row, _)| *row == name) else {
        return vec![format!("crate `{name}` has no layer; add it to xtask/src/arrows.rs")];
    };
    let used = used(manifest);
    let mut faults = Vec::new();
    for (other, for_tests) in &used {
        let row = LAYERS.iter().find(|(_, row, _)| row == other);
        let Some((layer, ..)) = row else {
            faults.push(format!("crate `{name}` uses `{other}`, which has no layer"));
            continue;
        };
        if !for_tests && !allowed.contains(&other.as_str()) {
            faults.push(format!("crate `{name}` uses `{other}`, which the table does not allow"));
        }
        if *for_tests && other != name && *layer >= ABOVE_ALL {
            faults.push(format!("tests of crate `{name}` use `{other}`, which is above all"));
        }
        if !for_tests && FOR_TESTS.contains(&other.as_str()) {
            faults.push(format!("crate `{name}` uses `{other}`, which is for tests"));
        }
    }
    let is_used = |other: &&&str| used.iter().any(|(used, tests)| !tests && used == **other);
    let unused = allowed.iter().filter(|other| !is_used(other));
    faults.extend(unused.map(|other| format!("crate `{name}` may use `{other}` and does not")));
    faults
}

/// The crates of ours that a manifest names as dependencies, and whether for tests only.
fn used(manifest: &str) -> Vec<(String, bool)> {
    let mut used = Vec::new();
    let mut section = None;
    for line in manifest.lines().map(str::trim) {
        if let Some(head) = line.strip_prefix('[') {
            // `[dependencies]`, `[target.'cfg(unix)'.dev-dependencies]`, `[dependencies.windfall-os]`
            let head = head.trim_matches(['[', ']']);
            let parts = head.rsplit_once("dependencies");
            section = parts.map(|(before, _)| before.ends_with("dev-"));
            let one = parts.and_then(|(_, after)| after.strip_prefix(".windfall-"));
            used.extend(one.zip(section).map(|(name, tests)| (name.to_owned(), tests)));
            continue;
        }
        let Some(tests) = section else { continue };
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let renamed = value.split_once("package = \"windfall-");
        let own = key.trim().strip_prefix("windfall-").map(|name| name.split('.').next());
        let name = renamed.map(|(_, after)| after.split('"').next()).or(own).flatten();
        used.extend(name.map(|name| (name.to_owned(), tests)));
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_each_crate_uses_only_crates_of_layers_below_it() {
        assert_eq!(check(), Ok(None));
    }

    #[test]
    fn law_dependencies_of_every_section_are_read() {
        let manifest = "[package]\nname = \"windfall-a\"\n[dependencies]\nwindfall-time.workspace = true\n\
                        os = { package = \"windfall-os\", path = \"../os\" }\n# windfall-no\n\
                        windfall-plot = { workspace = true, optional = true }\nserde = \"1\"\n\
                        [target.'cfg(unix)'.dependencies]\nwindfall-trace.workspace = true\n\
                        [build-dependencies]\nwindfall-exchange.workspace = true\n\
                        [dependencies.windfall-client]\npath = \"../client\"\n\
                        [features]\nwindfall-x = []\n[dev-dependencies]\nwindfall-skips.workspace = true\n";
        let expected = ["time", "os", "plot", "trace", "exchange", "client", "skips"];
        let expected = expected.map(|name| (name.to_owned(), name == "skips"));
        assert_eq!(used(manifest), expected);
    }

    #[test]
    fn refuses_an_arrow_up_or_beside_and_a_table_out_of_order() {
        let rows: &[Row] = &[(0, "time", &[]), (1, "os", &["time"]), (2, "nmr", &["os"])];
        assert_eq!(of_table(rows), Vec::<String>::new());
        let up: &[Row] = &[(0, "time", &["os"]), (1, "os", &[])];
        let beside: &[Row] = &[(1, "clocks", &[]), (1, "os", &["clocks"])];
        let unordered: &[Row] = &[(1, "os", &[]), (0, "time", &[])];
        let unknown: &[Row] = &[(1, "os", &["time"])];
        for rows in [up, beside, unordered, unknown] {
            assert_eq!(of_table(rows).len(), 1, "{rows:?}");
        }
    }

    #[test]
    fn refuses_what_is_not_allowed_not_used_or_for_tests_only() {
        let manifest = |line: &str| format!("[dependencies]\n{line}\n");
        let time = "windfall-time.workspace = true";
        assert_eq!(of_crate("os", &manifest(time)), Vec::<String>::new());
        for amiss in ["windfall-trace.workspace = true", "windfall-none.workspace = true"] {
            assert_eq!(of_crate("os", &manifest(&format!("{time}\n{amiss}"))).len(), 1, "{amiss}");
        }
        assert_eq!(of_crate("os", ""), ["crate `os` may use `time` and does not"]);
        let skips = of_crate("os", &manifest(&format!("{time}\nwindfall-skips.workspace = true")));
        assert_eq!(skips.len(), 2, "{skips:?}");
        let tests = |name: &str| {
            let section = format!("[dev-dependencies]\nwindfall-{name}.workspace = true\n");
            of_crate("os", &(manifest(time) + &section)).len()
        };
        assert_eq!([tests("sim"), tests("skips"), tests("lab"), tests("windfall")], [0, 0, 1, 1]);
    }
}

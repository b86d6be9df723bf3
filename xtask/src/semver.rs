//! Whether the library's crates break those who use them, since a revision: what `cargo-semver-checks` finds.

use crate::library::exported;
use crate::run::{Step, all, root};
use std::process::{Command, Stdio};

/// Compares with the revision that is named, or with the last release.
pub(crate) fn check(named: Option<String>) -> Result<(), String> {
    let baseline = named.map_or_else(last_release, Ok)?;
    if !is_installed() {
        return Err("cargo-semver-checks is not installed, which compares the public names of two revisions; install it with \
                    `cargo install cargo-semver-checks --locked` and run this again"
            .to_owned());
    }
    let crates = exported(&root().join("crates"))?;
    let (crates, later): (Vec<_>, Vec<_>) =
        crates.into_iter().partition(|name| has_crate(&baseline, name));
    if crates.is_empty() {
        return Err(format!(
            "git knows no crate of the library at `{baseline}`; name a commit or a tag of this repository"
        ));
    }
    if !later.is_empty() {
        eprintln!("not compared, because `{baseline}` does not have them: {}", later.join(", "));
    }
    let baseline = format!("--baseline-rev={baseline}");
    let packages: Vec<String> =
        crates.iter().map(|name| format!("--package=windfall-{name}")).collect();
    let mut below = vec!["semver-checks", &baseline];
    below.extend(packages.iter().map(String::as_str));
    // The command behind the feature `command` promises nothing to programs, and takes minutes to compile.
    let library = ["semver-checks", &baseline, "--package=windfall", "--only-explicit-features"];
    all(&[
        Step::cargo("public names of the crates, compared", &below),
        Step::cargo("public names of the library, compared", &library),
    ])
}

/// The tag of the last release.
fn last_release() -> Result<String, String> {
    let git = Command::new("git")
        .args(["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"])
        .current_dir(root())
        .output();
    let tag = git.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned());
    tag.ok().filter(|tag| !tag.is_empty()).ok_or_else(|| {
        "no release is tagged (`v0.1.0`); say what to compare with: `cargo xtask semver REVISION`"
            .to_owned()
    })
}

/// Whether a revision has the crate of this name. A new crate breaks nobody, and cargo-semver-checks stops at one.
fn has_crate(revision: &str, name: &str) -> bool {
    let manifest = format!("{revision}:crates/{name}/Cargo.toml");
    let mut git = Command::new("git");
    git.args(["cat-file", "-e", &manifest]).current_dir(root()).stderr(Stdio::null());
    git.status().is_ok_and(|status| status.success())
}

fn is_installed() -> bool {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut probe = Command::new(cargo);
    probe.args(["semver-checks", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_only_crates_of_the_baseline_are_compared() {
        assert!(has_crate("HEAD", "time"));
        assert!(!has_crate("HEAD", "no-such-crate"));
        assert!(!has_crate("no-such-revision", "time"));
    }
}

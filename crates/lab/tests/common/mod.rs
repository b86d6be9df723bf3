//! An experiment in its quick form.

use windfall_lab::{ClaimStatus, Findings, Host, Settings, find};

/// What it found.
pub(crate) fn quick(name: &str, host: Host) -> Findings {
    let settings = Settings { host: Some(host), quick: true, progress: &|_| {} };
    find(name).unwrap().run(&settings).unwrap()
}

/// What it found, of which its claim stands.
pub(crate) fn stands(name: &str) -> Findings {
    let findings = quick(name, Host::Sim);
    assert_eq!(findings.verdict.standing, ClaimStatus::Stands, "{name}: {}", findings.verdict.why);
    findings
}

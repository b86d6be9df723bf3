//! Facts about the kernel and the processors' clock.

/// The kernel's release, as `uname -r` has it.
#[must_use]
pub fn release() -> String {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    release.trim().to_owned()
}

/// Whether the processors' clock is known to vary, so that the same work takes longer at times.
#[must_use]
pub fn clock_varies() -> bool {
    let governor = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    governor.is_ok_and(|governor| !matches!(governor.trim(), "performance" | "powersave"))
}

/// Whether the kernel has a fair server (6.12 and later): waiting ordinary threads get 5 % of a processor before real-time ones.
#[must_use]
pub fn has_fair_server() -> bool {
    is_in(&release())
}

/// Whether a kernel of this release has one.
fn is_in(release: &str) -> bool {
    let mut parts = release.split(['.', '-']).map(|part| part.trim().parse::<u32>().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= (6, 12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_releases_as_distributions_write_them() {
        for (release, has) in
            [("6.12.0", true), ("6.18.44-fc", true), ("7.2-amd64", true), ("6.1.0-18-amd64", false)]
        {
            assert_eq!(is_in(release), has, "{release}");
        }
    }
}

//! Facts about the machine from /proc and /sys, read once.

use std::fs;
use std::path::Path;
use windfall_observe::procfs;
use windfall_os::LinuxError;
use windfall_os::sched::Affinity;

/// Facts about the machine and about this process.
pub(crate) struct Facts {
    /// The kernel's release.
    pub(crate) release: String,
    /// The processor's name.
    pub(crate) model: String,
    /// Whether a hypervisor is below this kernel.
    pub(crate) hypervisor: bool,
    /// The processors that exist, and those that this process may use.
    pub(crate) online: Vec<u16>,
    pub(crate) allowed: Vec<u16>,
    /// The capabilities of this process, one bit each.
    pub(super) capabilities: u64,
    /// The source of the kernel's clock.
    pub(crate) clock_source: String,
}

impl Facts {
    pub(crate) fn gather() -> Result<Facts, LinuxError> {
        let read = |path: &str| {
            fs::read_to_string(path).map_err(|e| {
                LinuxError::of(format!("cannot read {path}"), &e, "mount /proc and /sys")
            })
        };
        let status = read("/proc/self/status")?;
        let cpuinfo = read("/proc/cpuinfo")?;
        let line = |text: &str, name: &str| {
            let found = text.lines().find(|line| line.starts_with(name));
            found.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned())
        };
        let capabilities = line(&status, "CapEff").unwrap_or_default();
        let own = Affinity::of(0)
            .map_err(|e| LinuxError::of("cannot read the affinity", &e, "report it"))?;
        let allowed: Vec<u16> = (0..1024).filter(|cpu| own.has(*cpu)).collect();
        let online =
            word("/sys/devices/system/cpu/online").and_then(|text| procfs::processors(&text));
        Ok(Facts {
            release: read("/proc/sys/kernel/osrelease")?.trim().to_owned(),
            model: line(&cpuinfo, "model name").unwrap_or_else(|| "unknown processor".to_owned()),
            hypervisor: crate::records::virtual_machine(Path::new("/")).is_some(),
            online: online.unwrap_or_else(|| allowed.clone()),
            allowed,
            capabilities: u64::from_str_radix(&capabilities, 16).unwrap_or(0),
            clock_source: word("/sys/devices/system/clocksource/clocksource0/current_clocksource")
                .unwrap_or_else(|| "unknown".to_owned()),
        })
    }

    /// Whether this process has a capability.
    pub(super) const fn can(&self, capability: u32) -> bool {
        self.capabilities & (1 << capability) != 0
    }

    /// The machine in a line.
    pub(crate) fn line(&self) -> String {
        let Facts { model, release, online, .. } = self;
        let guest = if self.hypervisor { ", guest of a hypervisor" } else { "" };
        let processors = if online.len() == 1 { "processor" } else { "processors" };
        format!("Linux {release}, {} {processors}, {model}{guest}", online.len())
    }
}

/// The one line of a file, where it can be read and says something.
pub(crate) fn word(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

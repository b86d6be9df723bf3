//! What SCHED_DEADLINE needs: a root domain of the claimed processor.

use crate::claimed::machine::Machine;
use std::fs;
use std::path::{Path, PathBuf};

/// Version 1 of the controller that makes root domains.
const CPUSET: &str = "/sys/fs/cgroup/cpuset";

/// Whether there is one to be had.
pub(crate) fn is_there() -> bool {
    Path::new(CPUSET).is_dir()
}

/// A root domain of the claimed processor, where version 1 of control groups has cpusets.
pub(crate) struct RootDomain {
    group: Option<PathBuf>,
}

impl RootDomain {
    pub(crate) fn of(machine: &Machine) -> Result<RootDomain, String> {
        let root = Path::new(CPUSET);
        if !is_there() {
            return Ok(RootDomain { group: None });
        }
        let group = root.join("windfall-audio");
        let write = |path: PathBuf, text: &str| {
            fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
        };
        fs::create_dir_all(&group).map_err(|e| e.to_string())?;
        let domain = RootDomain { group: Some(group.clone()) };
        write(group.join("cpuset.cpus"), &machine.cpu.to_string())?;
        write(group.join("cpuset.mems"), "0")?;
        write(group.join("cpuset.cpu_exclusive"), "1")?;
        write(root.join("cpuset.sched_load_balance"), "0")?;
        Ok(domain)
    }
}

impl Drop for RootDomain {
    fn drop(&mut self) {
        if let Some(group) = &self.group {
            let _ = fs::write(Path::new(CPUSET).join("cpuset.sched_load_balance"), "1");
            let _ = fs::remove_dir(group);
        }
    }
}

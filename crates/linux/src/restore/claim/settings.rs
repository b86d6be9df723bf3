//! Changes kernel settings that bring work to claimed processors, and undoes that.

use super::log::Log;
use std::fs;
use std::io::{self, ErrorKind};
use windfall_observe::mask;
use windfall_observe::occupancy::{Setting, Stay};
use windfall_os::sched::Affinity;

fn write(setting: Setting, value: &Affinity) -> io::Result<()> {
    fs::write(setting.path(), mask::print(value))
}

/// Describes a setting that cannot be changed.
fn refused(setting: &Setting, error: &io::Error) -> Stay {
    let remedy = match setting {
        Setting::Interrupt(_) => {
            "its driver binds it: `isolcpus=managed_irq,LIST` on the kernel's command line"
        }
        _ => "run where /proc and /sys may be written",
    };
    Stay::new(format!("{setting}: {error}"), remedy)
}

/// Describes a setting for which the restore log has no room.
fn full(setting: &Setting) -> Stay {
    Stay::new(format!("{setting}: the restore log is full"), "claim fewer processors")
}

/// Changes every setting that brings work to claimed processors. Returns the number of interrupts that were moved.
pub(super) fn take(log: &Log, claimed: &Affinity, stays: &mut Vec<Stay>) -> usize {
    let mut interrupts = 0;
    for setting in Setting::all() {
        let former = match setting.read() {
            Ok(former) => former,
            Err(e) if e.kind() == ErrorKind::NotFound => continue, // this kernel does not offer it
            Err(e) => {
                stays.push(refused(&setting, &e));
                continue;
            }
        };
        let Some(value) = setting.claimed(&former, claimed) else { continue };
        let Ok(at) = log.note_setting(setting, &former) else {
            stays.push(full(&setting));
            continue;
        };
        match write(setting, &value) {
            Ok(()) => interrupts += usize::from(matches!(setting, Setting::Interrupt(_))),
            Err(e) => {
                log.strike_out_setting(at);
                stays.push(refused(&setting, &e));
            }
        }
    }
    interrupts
}

/// Restores every setting that still has the value which the claim gave it.
pub(super) fn give_back(log: &Log, claimed: &Affinity, trouble: &mut Vec<String>) {
    for (at, setting, former) in log.settings() {
        let ours = setting.claimed(&former, claimed);
        match setting.read() {
            Ok(value) if Some(value) == ours => {
                if let Err(e) = write(setting, &former) {
                    let (path, text) = (setting.path(), mask::print(&former));
                    trouble.push(format!("{path}: {e}; write {text} into it"));
                }
            }
            // Another program has set it since, or its device is gone.
            Ok(_) => {}
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => trouble.push(format!("{}: {e}", setting.path())),
        }
        log.strike_out_setting(at);
    }
}

//! The kernel's throttle of real-time threads, which leaves a part of each processor to the rest of the system (decision 0008).
//!
//! Where the kernel has a fair server (6.12 and later), waiting ordinary threads get 5 % from it, and nothing is taken when none
//! wait; then the throttle is lifted during a run, because it would take its part in one piece, needed or not. For smaller caps, and on
//! older kernels, it is set to the cap.

use std::fs;
use windfall_observe::kernel;
use windfall_os::LinuxError;
use windfall_scenario::model::Machine;
use windfall_time::Ratio;

/// Files of the throttle's two settings, in us.
pub(super) const RUNTIME: &str = "/proc/sys/kernel/sched_rt_runtime_us";
const PERIOD_FILE: &str = "/proc/sys/kernel/sched_rt_period_us";

/// Period of the throttle, in us. It is short, so that no gap is longer than a tenth of it.
const PERIOD: i64 = 100_000;

/// The throttle's runtime and period for a cap, in us. A runtime of -1 means no throttle.
pub(crate) fn of(cap: &Ratio) -> (i64, i64) {
    choose(cap, kernel::has_fair_server())
}

fn choose(cap: &Ratio, fair_server: bool) -> (i64, i64) {
    if fair_server && *cap >= Machine::most_cap() {
        return (-1, 1_000_000);
    }
    let runtime = cap.numerator().saturating_mul(PERIOD.into()) / cap.denominator();
    (i64::try_from(runtime).unwrap_or(0).clamp(1, PERIOD * 95 / 100), PERIOD)
}

/// Reads the current runtime and period, in us.
pub(super) fn read() -> Result<(i64, i64), LinuxError> {
    let read = |path: &str| {
        let text = fs::read_to_string(path)
            .map_err(|e| LinuxError::of(format!("cannot read {path}"), &e, "mount /proc"))?;
        text.trim().parse::<i64>().map_err(|e| LinuxError::new(path, e.to_string(), "report it"))
    };
    Ok((read(RUNTIME)?, read(PERIOD_FILE)?))
}

/// Sets runtime and period, in us. The order matters: the kernel refuses a runtime above the period. It also refuses (`EBUSY`) while
/// deadline threads hold more than would be left; the write is repeated for up to 0.8 s, because those may end soon.
pub(super) fn set(runtime: i64, period: i64) -> std::io::Result<()> {
    let write = |path: &str, value: i64| {
        for _ in 0..40 {
            match fs::write(path, value.to_string()) {
                Err(e) if e.raw_os_error() == Some(libc::EBUSY) => {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                other => return other,
            }
        }
        fs::write(path, value.to_string())
    };
    write(RUNTIME, -1)?;
    write(PERIOD_FILE, period)?;
    write(RUNTIME, runtime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_a_cap_is_never_above_what_the_kernel_allows() {
        let ratio = |text: &str| text.parse::<Ratio>().unwrap();
        assert_eq!(choose(&ratio("95%"), true), (-1, 1_000_000));
        assert_eq!(choose(&ratio("95%"), false), (95_000, PERIOD));
        assert_eq!(choose(&ratio("1/2"), true), (50_000, PERIOD));
    }
}

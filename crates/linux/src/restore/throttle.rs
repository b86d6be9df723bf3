//! How much of a processor is left to the rest of the system, by the kernel's throttle of real-time
//! threads (decision 0008).
//!
//! Where the kernel has a fair server (6.12 and later), waiting ordinary threads get 5 % from it, and
//! nothing is taken when none wait; then the throttle is lifted while we run. It would take its part in
//! one piece, whether anybody wants it or not. For smaller caps, and older kernels, it is set to the cap.

use windfall_observe::kernel;
use windfall_scenario::model::Machine;
use windfall_time::Ratio;

/// Over so long the throttle keeps its cap, in us: short, so that no gap is longer than a tenth of it.
const PERIOD: i64 = 100_000;

/// The throttle's runtime and period for a cap, in us; -1: none.
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

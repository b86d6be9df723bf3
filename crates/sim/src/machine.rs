//! When timers of the simulated machine go off (HLS 9.2.5).

use windfall_scenario::model::Timer;
use windfall_time::Instant;

/// When something that is set for `at` happens.
pub(crate) fn fires(timer: Timer, at: Instant) -> Instant {
    let Timer::Ticks(hertz) = timer else { return at };
    const SECOND: u128 = 1_000_000_000;
    let tick = (u128::from(at.as_nanos()) * u128::from(hertz)).div_ceil(SECOND);
    let nanos = tick * SECOND / u128::from(hertz.max(1));
    Instant::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_tick_is_the_first_at_or_after() {
        for hertz in [64, 1024, 4096, 8192, 1_000_000] {
            let timer = Timer::Ticks(hertz);
            for at in (0..3_000_000_000_u64).step_by(7_654_321) {
                let tick = fires(timer, Instant::from_nanos(at)).as_nanos();
                assert!(tick >= at && tick - at <= 1_000_000_000 / hertz + 1);
                assert_eq!(fires(timer, Instant::from_nanos(tick)).as_nanos(), tick);
            }
        }
    }
}

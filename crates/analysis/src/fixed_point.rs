//! Least fixed points: the moment at which all demand has been served.

use crate::window::{HORIZON, ROUNDS};

/// The least fixed point of a function that never decreases, from a start that lies at or below it.
///
/// `None` where the function has no value, beyond [`HORIZON`], and once `rounds` that are counted here
/// come to [`ROUNDS`].
pub(crate) fn least(
    start: u64,
    rounds: &mut u32,
    function: impl Fn(u64) -> Option<u64>,
) -> Option<u64> {
    let mut moment = start;
    while *rounds < ROUNDS {
        *rounds += 1;
        let next = function(moment)?;
        if next == moment {
            return Some(moment);
        }
        moment = next;
        if moment > HORIZON.as_nanos() {
            return None;
        }
    }
    None
}

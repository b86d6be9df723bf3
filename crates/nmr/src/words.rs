//! Bit by bit votes on whole states: each bit is that of a majority of three.
//!
//! Faults in different bits of different replicas are outvoted, where a vote on values would find no majority. But a value that no replica computed may come of it.

use core::fmt;

/// Three states of unequal size, or no room for what is voted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SizeError {
    /// Words of the three states.
    pub states: [usize; 3],
    /// Words that there is room for.
    pub voted: usize,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, two, three] = self.states;
        let voted = self.voted;
        write!(
            f,
            "states of {one}, {two} and {three} words, and room for {voted}; all must be equal"
        )
    }
}

impl core::error::Error for SizeError {}

/// Votes bit by bit, into `voted`. Whether all three were equal.
///
/// # Errors
/// When not all are of one size; nothing is written then.
///
/// ```
/// use windfall_nmr::words::majority;
///
/// let mut voted = [0; 2];
/// let all_equal = majority([&[0b1100, 7], &[0b1010, 7], &[0b1001, 7]], &mut voted)?;
/// assert_eq!((voted, all_equal), ([0b1000, 7], false));
/// # Ok::<(), windfall_nmr::words::SizeError>(())
/// ```
pub fn majority(states: [&[u64]; 3], voted: &mut [u64]) -> Result<bool, SizeError> {
    let [one, two, three] = states;
    if states.iter().any(|state| state.len() != voted.len()) {
        return Err(SizeError { states: states.map(<[u64]>::len), voted: voted.len() });
    }
    let mut differ = 0;
    for (((voted, one), two), three) in voted.iter_mut().zip(one).zip(two).zip(three) {
        differ |= (one ^ two) | (one ^ three);
        *voted = (one & two) | (three & (one | two));
    }
    Ok(differ == 0)
}

//! Nice values, as Linux' own schedulers take them: -20 (served best) to 19, with the sign of the
//! message `priority` turned round, so that a larger priority is served better everywhere.

use windfall_hierarchy::AnswerError;

/// The nice value of a priority.
///
/// # Errors
/// Outside 20 to -19.
pub(crate) fn of_priority(priority: i32) -> Result<i32, AnswerError> {
    if (-19..=20).contains(&priority) {
        return Ok(-priority);
    }
    let allowed = "20 to -19, minus the nice value";
    Err(AnswerError::OutOfRange { what: "priority", allowed })
}

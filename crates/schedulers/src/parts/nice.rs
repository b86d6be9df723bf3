//! Nice values, as Linux' own schedulers take them: -20 (served best) to 19. The message `priority` has the
//! opposite sign, so that a larger priority is served better under all schedulers.

use windfall_hierarchy::AnswerError;

/// The nice value of a priority.
///
/// # Errors
/// When the priority is not from -19 to 20.
pub(crate) fn of_priority(priority: i32) -> Result<i32, AnswerError> {
    if (-19..=20).contains(&priority) {
        return Ok(-priority);
    }
    let allowed = "20 to -19, minus the nice value";
    Err(AnswerError::OutOfRange { what: "priority", allowed })
}

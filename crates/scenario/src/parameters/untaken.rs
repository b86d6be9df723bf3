//! Parameters that children of a kind do not have: found in the kind's table, before any message is sent.

use crate::diagnostic::Code;
use windfall_schedulers::catalogue::Kind;
use windfall_schedulers::parameters::{ALL, PROCESSORS, Parameter, RATE};

/// A key that the parent does not take: the kind of mistake, the key, the error, a correction.
pub(crate) type ParamError = (Code, &'static str, String, String);

/// Whether children of that kind may have this parameter.
///
/// # Errors
/// Which parameters they have instead.
pub(crate) fn taken(kind: &Kind, parameter: &'static Parameter) -> Result<(), ParamError> {
    // A binding to all processors of a scheduler means the same below any (`processors.rs`).
    if is_taken(kind, parameter) || *parameter == PROCESSORS {
        return Ok(());
    }
    let (key, has) = (parameter.key, parameters_of(kind));
    let message = format!("children of a `{kind}` have {has}; `{key}` means nothing there");
    let help = format!("leave `{key}` out; `windfall catalogue` says which kinds have it");
    Err((Code::UntakenParameter, key, message, help))
}

fn is_taken(kind: &Kind, parameter: &Parameter) -> bool {
    kind.takes(parameter) || kind.properties.passes_on && *parameter == RATE
}

/// The parameters that a file may write for children of that kind, in words.
fn parameters_of(kind: &Kind) -> String {
    let keys = ALL.iter().filter(|parameter| is_taken(kind, parameter));
    let keys: Vec<String> = keys.map(|one| format!("`{}`", one.key)).collect();
    match keys.split_last() {
        None => "no parameters".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

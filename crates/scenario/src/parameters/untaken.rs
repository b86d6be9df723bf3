//! Parameters that children of a scheduler do not have: found in the table of its kind, before any message is sent.

use super::{ParamError, ParameterWriter};
use crate::diagnostic::Code;
use crate::model::Requirements;
use windfall_schedulers::catalogue::Kind;
use windfall_schedulers::parameters::{ALL, PROCESSORS, Parameter, RATE};

impl ParameterWriter<'_> {
    /// Whether children of the scheduler of that name may have all these parameters.
    ///
    /// # Errors
    /// As for [`taken`](Self::taken).
    pub(super) fn all_taken(
        &self,
        requires: &Requirements,
        parent: Option<&str>,
    ) -> Result<(), ParamError> {
        let mut written = ALL.iter().filter(|parameter| requires.get(parameter).is_some());
        written.try_for_each(|parameter| self.taken(parameter, parent))
    }

    /// Whether children of the scheduler of that name may have this parameter; `None` is the top, of which another check speaks.
    ///
    /// # Errors
    /// Which parameters they have instead.
    pub(crate) fn taken(
        &self,
        parameter: &'static Parameter,
        parent: Option<&str>,
    ) -> Result<(), ParamError> {
        let Some((kind, _)) = parent.and_then(|parent| self.conversions.get(parent)) else {
            return Ok(());
        };
        let passed = *parameter == RATE && kind.properties.passes_on;
        // A binding to all processors of a scheduler means the same below any (`processors.rs`).
        if kind.takes(parameter) || passed || *parameter == PROCESSORS {
            return Ok(());
        }
        let has = parameters_of(kind);
        let key = parameter.key;
        let message = format!("children of a `{kind}` have {has}; `{key}` means nothing there");
        let help = format!("leave `{key}` out; `windfall catalogue` says which kinds have it");
        Err((Code::UntakenParameter, key, message, help))
    }
}

/// The parameters that a file may write for children of that kind, in words.
fn parameters_of(kind: &Kind) -> String {
    let passed = |parameter: &Parameter| kind.properties.passes_on && *parameter == RATE;
    let keys = ALL.iter().filter(|one| kind.takes(one) || passed(one));
    let keys: Vec<String> = keys.map(|one| format!("`{}`", one.key)).collect();
    match keys.split_last() {
        None => "no parameters".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

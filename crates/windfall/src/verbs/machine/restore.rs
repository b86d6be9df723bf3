//! `windfall restore`

use crate::cli::RestoreArgs;
use crate::output::show;
use crate::{Answer, VerbError};
use serde_json::json;
use windfall_linux::Restored;

pub(crate) fn run(args: &RestoreArgs) -> Result<Answer, VerbError> {
    let restored = windfall_linux::restore()?;
    let run = restored.as_ref();
    let value = |run: &Restored| json!({ "process": run.supervisor, "threads": run.threads });
    show(
        args.json,
        || json!({ "restored": run.map(value) }),
        |_| run.map_or_else(|| "nothing is left to restore\n".to_owned(), |run| format!("{run}\n")),
    )?;
    Ok(Answer::Yes)
}

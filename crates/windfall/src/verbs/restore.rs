//! `windfall restore`

use crate::cli::RestoreArgs;
use crate::output::{document, print};
use crate::{Answer, VerbError};
use serde_json::json;

pub(crate) fn run(args: &RestoreArgs) -> Result<Answer, VerbError> {
    let restored = windfall_linux::restore()?;
    print(&match (restored, args.json) {
        (restored, true) => {
            let run =
                restored.map(|run| json!({ "process": run.supervisor, "threads": run.threads }));
            document(json!({ "restored": run }))
        }
        (Some(restored), false) => format!("{restored}\n"),
        (None, false) => "nothing is left to give back\n".to_owned(),
    })?;
    Ok(Answer::Yes)
}

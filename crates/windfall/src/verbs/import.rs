//! `windfall import TRACE -o FILE.toml`

use crate::cli::ImportArgs;
use crate::{Answer, Trouble};

pub(crate) fn run(args: &ImportArgs) -> Result<Answer, Trouble> {
    Err(Trouble(format!("windfall: {}: not yet", args.trace.display())))
}

//! `windfall schema`

use crate::output::print;
use crate::{Answer, VerbError};

pub(crate) fn run() -> Result<Answer, VerbError> {
    print(&windfall_scenario::schema())?;
    Ok(Answer::Yes)
}

//! `windfall schema`

use crate::output::print;
use crate::{Answer, Trouble};

pub(crate) fn run() -> Result<Answer, Trouble> {
    print(&windfall_scenario::schema())?;
    Ok(Answer::Yes)
}

//! `windfall restore`

use crate::output::print;
use crate::{Answer, VerbError};

pub(crate) fn run() -> Result<Answer, VerbError> {
    match windfall_linux::restore()? {
        Some(restored) => print(&format!("{restored}\n"))?,
        None => print("nothing is left to give back\n")?,
    }
    Ok(Answer::Yes)
}

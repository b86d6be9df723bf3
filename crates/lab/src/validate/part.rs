//! One part of the suite.

use super::found::Found;
use super::machine::Machine;
use super::options::Options;
use crate::experiment::LabError;

/// One thing that is measured.
pub(crate) struct Part {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its subject.
    pub(crate) title: &'static str,
    /// Its question.
    pub(crate) question: &'static str,
    pub(crate) run: fn(&dyn Machine, &Options) -> Result<Found, LabError>,
}

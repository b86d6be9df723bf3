//! What is wrong with what was written.

use alloc::borrow::Cow;
use core::fmt;

/// A setting that is unknown, of the wrong form or out of range.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SettingError {
    /// Which.
    pub name: Cow<'static, str>,
    /// Whether it is one that was declared.
    pub known: bool,
    /// What is allowed.
    pub allowed: Cow<'static, str>,
}

impl SettingError {
    /// A declared one, with a value that does not go with the others.
    #[must_use]
    pub const fn value(name: &'static str, allowed: &'static str) -> SettingError {
        let (name, allowed) = (Cow::Borrowed(name), Cow::Borrowed(allowed));
        SettingError { name, known: true, allowed }
    }
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.known { "is out of range" } else { "is unknown" };
        write!(f, "setting `{}` {what}; allowed: {}", self.name, self.allowed)
    }
}

impl core::error::Error for SettingError {}

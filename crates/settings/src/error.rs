//! Errors in settings.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use core::fmt;

/// A setting that is unknown, of the wrong form or out of range.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SettingError {
    /// Which.
    pub name: Cow<'static, str>,
    /// The value written; `None` if no such setting was declared.
    pub value: Option<String>,
    /// The allowed values.
    pub allowed: Cow<'static, str>,
}

impl SettingError {
    /// A declared one, with a value that does not go with the others.
    #[must_use]
    pub fn value(
        name: &'static str,
        value: impl fmt::Display,
        allowed: &'static str,
    ) -> SettingError {
        SettingError { name: name.into(), value: Some(value.to_string()), allowed: allowed.into() }
    }
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "setting `{}`", self.name)?;
        match &self.value {
            Some(value) => write!(f, ": {value} is out of range")?,
            None => f.write_str(" is unknown")?,
        }
        write!(f, "; allowed: {}", self.allowed)
    }
}

impl core::error::Error for SettingError {}

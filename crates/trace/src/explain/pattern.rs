//! Which threads are meant: a name, a name with `*`, or a thread number.

use crate::glob::fits;
use std::fmt;
use std::str::FromStr;

/// A choice of threads. `2215` and `#2215` are thread numbers of the source; anything else is a
/// name, in which `*` stands for any text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    text: String,
    tid: Option<u32>,
}

impl Pattern {
    /// Whether a thread with this number and name is meant. A number written without `#` is also
    /// a name.
    #[must_use]
    pub fn matches(&self, tid: u32, name: &str) -> bool {
        (tid != 0 && self.tid == Some(tid)) || fits(&self.text, name)
    }

    /// Whether a thread with this number may ever be meant, whatever it is called later. A number with `#` means
    /// that number only.
    pub(super) fn may_match(&self, tid: u32) -> bool {
        self.tid.is_none() || self.tid == Some(tid) || !self.text.starts_with('#')
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl From<&str> for Pattern {
    fn from(text: &str) -> Pattern {
        let digits = text.strip_prefix('#').unwrap_or(text);
        Pattern { text: text.to_owned(), tid: digits.parse().ok() }
    }
}

impl FromStr for Pattern {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Pattern, Self::Err> {
        Ok(Pattern::from(text))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_names_globs_and_numbers() {
        for (pattern, tid, name, is) in [
            ("lame", 7, "lame", true),
            ("lame", 7, "lamer", false),
            ("la*", 7, "lame", true),
            ("*", 0, "", true),
            ("7", 7, "lame", true),
            ("#7", 7, "lame", true),
            ("7", 8, "7", true),
            ("#7", 8, "7", false),
            ("0", 0, "unnumbered", false),
            ("lame", 7, "", false),
        ] {
            assert_eq!(Pattern::from(pattern).matches(tid, name), is, "{pattern} {tid} {name}");
        }
    }
}

//! Why a request is refused, and the words for it.

use crate::guarantee::{Guarantee, Type};
use crate::rewrite::RewriteError;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Why a request is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Why {
    /// The parent can make no use of what it has: what it takes, what it has.
    Unusable(&'static [Type], Vec<Guarantee>),
    /// The parent gives nothing: why.
    Lacks(String),
    /// It gives too little: the guarantee that it gives, and why the requested one does not follow
    /// from it.
    Weaker(Guarantee, RewriteError),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Unusable(takes, has) => {
                f.write_str("it needs ")?;
                joined(f, takes, " or ")?;
                f.write_str(" to give anything, and has ")?;
                match has[..] {
                    [] => f.write_str("nothing"),
                    _ => joined(f, has, " and "),
                }
            }
            Why::Lacks(why) => f.write_str(why),
            Why::Weaker(gives, RewriteError::TooMuch { most: Some(most) }) if most == gives => {
                write!(f, "it gives at most {most}")
            }
            Why::Weaker(gives, why) => write!(f, "it gives {gives}; {why}"),
        }
    }
}

fn joined<T: fmt::Display>(f: &mut fmt::Formatter<'_>, list: &[T], by: &str) -> fmt::Result {
    for (at, one) in list.iter().enumerate() {
        write!(f, "{}{one}", if at == 0 { "" } else { by })?;
    }
    Ok(())
}

//! Why there is no session.

use core::fmt;

/// Why there is no session.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ZenohError {
    /// Its number is none of theirs.
    NoSuchReplica {
        /// Which was asked.
        own: usize,
        /// How many endpoints there are.
        replicas: usize,
    },
    /// None that others can connect to by TCP.
    Endpoint {
        /// Whose.
        replica: usize,
        /// Which.
        endpoint: String,
    },
    /// Two replicas with one endpoint.
    Twice {
        /// Whose.
        replicas: [usize; 2],
        /// Which.
        endpoint: String,
    },
    /// What Zenoh refused.
    Refused {
        /// What was asked of it.
        what: &'static str,
        /// What it says.
        why: String,
    },
}

pub(crate) fn refused(what: &'static str) -> impl Fn(zenoh::Error) -> ZenohError {
    move |error| ZenohError::Refused { what, why: error.to_string() }
}

impl fmt::Display for ZenohError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ZenohError::NoSuchReplica { own, replicas } => {
                write!(
                    f,
                    "replica {own} is none of the {replicas} with an endpoint, counted from 0"
                )
            }
            ZenohError::Endpoint { replica, endpoint } => write!(
                f,
                "replica {replica} has endpoint `{endpoint}`; allowed: tcp/ with an address of its machine and a port, as tcp/10.0.0.1:7447"
            ),
            ZenohError::Twice { replicas: [one, other], endpoint } => write!(
                f,
                "replicas {one} and {other} both have endpoint {endpoint}; each needs its own"
            ),
            ZenohError::Refused { what, why } => write!(
                f,
                "zenoh cannot {what}: {why}; an address of this machine is needed, with a port that nobody has"
            ),
        }
    }
}

impl core::error::Error for ZenohError {}

//! The answer to a client whose request is not served: a response, in the form of HTTP or of gRPC (decision 0036, 6).

use super::timeout::{TimeoutError, at_least, at_most};
use crate::{Reason, SubmitError};
use core::fmt;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use windfall_admission::AdmitError;
use windfall_time::{Instant, Span};

const REFUSED: HeaderName = HeaderName::from_static("windfall-refused");
const ENDED: HeaderName = HeaderName::from_static("windfall-ended");
const IDLE: HeaderName = HeaderName::from_static("windfall-idle");
const EARLIEST: HeaderName = HeaderName::from_static("windfall-earliest");
const GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");
const GRPC_MESSAGE: HeaderName = HeaderName::from_static("grpc-message");

/// Why a request has no response of the service. It is in the extensions of the response that it has instead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RequestError {
    /// Its `grpc-timeout` is malformed.
    Timeout(TimeoutError),
    /// The pool refused it.
    Refused {
        /// Why.
        error: SubmitError,
        /// When it was submitted.
        now: Instant,
    },
    /// It was stopped at the bound of its class.
    Exceeded,
    /// The pool has ended.
    Cancelled,
    /// The service panicked.
    Panicked,
}

impl RequestError {
    /// The most work that would have been admitted with its deadline; `None` if the question did not arise.
    #[must_use]
    pub const fn idle(&self) -> Option<Span> {
        match self {
            RequestError::Refused { error: SubmitError::NotAdmitted(error), .. } => match error {
                AdmitError::NoRoom { idle, .. } => Some(*idle),
                AdmitError::DeadlinePassed { .. } => Some(Span::ZERO),
                _ => None,
            },
            _ => None,
        }
    }

    /// The least timeout with which it would have been admitted; `None` if there is none.
    #[must_use]
    pub fn earliest(&self) -> Option<Span> {
        let RequestError::Refused { error: SubmitError::NotAdmitted(error), now } = self else {
            return None;
        };
        match error {
            AdmitError::NoRoom { earliest, .. } | AdmitError::DeadlinePassed { earliest, .. } => {
                earliest.map(|at| at.saturating_since(*now))
            }
            _ => None,
        }
    }

    const fn status(&self) -> StatusCode {
        match self {
            RequestError::Timeout(_) => StatusCode::BAD_REQUEST,
            RequestError::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The status in gRPC ("Status codes and their use in gRPC").
    const fn grpc_status(&self) -> &'static str {
        const DEADLINE_EXCEEDED: &str = "4";
        const RESOURCE_EXHAUSTED: &str = "8";
        const INTERNAL: &str = "13";
        const UNAVAILABLE: &str = "14";
        match self {
            RequestError::Refused { error, .. } => match error.reason() {
                Reason::DeadlinePassed => DEADLINE_EXCEEDED,
                Reason::Unsuitable => INTERNAL,
                _ => RESOURCE_EXHAUSTED,
            },
            RequestError::Exceeded => RESOURCE_EXHAUSTED,
            RequestError::Cancelled => UNAVAILABLE,
            RequestError::Timeout(_) | RequestError::Panicked => INTERNAL,
        }
    }

    /// The header that names the reason, and the reason.
    const fn reason(&self) -> (HeaderName, &'static str) {
        match self {
            RequestError::Timeout(_) => (REFUSED, "malformed-timeout"),
            RequestError::Refused { error, .. } => (REFUSED, error.reason().name()),
            RequestError::Exceeded => (ENDED, "exceeded"),
            RequestError::Cancelled => (ENDED, "cancelled"),
            RequestError::Panicked => (ENDED, "panicked"),
        }
    }

    /// The response, for a client of gRPC (trailers only) or another.
    pub(super) fn response<B: Default>(self, is_grpc: bool) -> Response<B> {
        let mut response = Response::new(B::default());
        response.extensions_mut().insert(self);
        let (name, reason) = self.reason();
        if !is_grpc {
            *response.status_mut() = self.status();
        }
        let headers = response.headers_mut();
        headers.insert(name, HeaderValue::from_static(reason));
        let mut text = |name: HeaderName, value: Option<String>| {
            // Digits, letters and spaces.
            if let Some(Ok(value)) = value.map(HeaderValue::try_from) {
                headers.insert(name, value);
            }
        };
        text(IDLE, self.idle().map(at_most));
        text(EARLIEST, self.earliest().map(at_least));
        let seconds = |span: Span| span.as_nanos().div_ceil(1_000_000_000).to_string();
        text(RETRY_AFTER, self.earliest().map(seconds));
        if is_grpc {
            text(CONTENT_TYPE, Some("application/grpc".to_owned()));
            text(GRPC_STATUS, Some(self.grpc_status().to_owned()));
            text(GRPC_MESSAGE, Some(self.to_string()));
        }
        response
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::Timeout(error) => error.fmt(f),
            RequestError::Refused { error, .. } => {
                write!(f, "refused, {}", error.reason().name())?;
                if let Some(idle) = self.idle() {
                    write!(f, ": {idle} is idle before the deadline")?;
                }
                match self.earliest() {
                    Some(earliest) => write!(f, "; the earliest that fits is in {earliest}"),
                    None => Ok(()),
                }
            }
            RequestError::Exceeded => {
                f.write_str("stopped: it took longer than the bound of its class")
            }
            RequestError::Cancelled => f.write_str("cancelled: the pool has ended"),
            RequestError::Panicked => f.write_str("the service panicked"),
        }
    }
}

impl core::error::Error for RequestError {}

/// Whether a request is one of gRPC.
pub(super) fn is_grpc(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let rest = kind.strip_prefix(b"application/grpc");
    rest.is_some_and(|rest| rest.first().is_none_or(|next| b"+;".contains(next)))
}

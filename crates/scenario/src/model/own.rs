//! Requests of a thread for itself that set a parameter.

use windfall_programs::OwnRequest;
use windfall_schedulers::parameters::{PRIORITY, Parameter, ParameterValue, RESERVE, SHARE};

/// The parameter that a request sets, and its value.
pub(crate) fn parameter_of(request: &OwnRequest) -> Option<(&'static Parameter, ParameterValue)> {
    Some(match *request {
        OwnRequest::Reserve { amount, period, .. } => {
            (&RESERVE, ParameterValue::Reservation { amount, period })
        }
        OwnRequest::Share(share) => (&SHARE, ParameterValue::Integer(share.into())),
        OwnRequest::Priority(priority) => (&PRIORITY, ParameterValue::Integer(priority.into())),
        _ => return None,
    })
}

/// The request that sets this value of a parameter.
pub(crate) fn request_for(parameter: &Parameter, value: ParameterValue) -> Option<OwnRequest> {
    match value {
        ParameterValue::Reservation { amount, period } => Some(OwnRequest::reserve(amount, period)),
        ParameterValue::Integer(share) if *parameter == SHARE => {
            u32::try_from(share).ok().map(OwnRequest::Share)
        }
        ParameterValue::Integer(priority) if *parameter == PRIORITY => {
            i32::try_from(priority).ok().map(OwnRequest::Priority)
        }
        _ => None,
    }
}

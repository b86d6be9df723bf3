//! Values in requests of a thread for itself, in the forms of the parameters of these names.

use super::lax::{Raw, Scalar};
use super::parameter::{read, reservation, wanted};
use super::value_error::ValueError;
use windfall_schedulers::parameters::{PRIORITY, Parameter, ParameterValue, RESERVE, SHARE};
use windfall_time::Span;

/// An amount in every period, as `3ms/10ms`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reservation(pub(crate) Span, pub(crate) Span);

impl Scalar for Reservation {
    const NAME: &'static str = "reservation";

    fn wanted() -> String {
        wanted(RESERVE.form)
    }

    fn read(raw: &Raw) -> Result<Reservation, ValueError> {
        match reservation(raw)? {
            ParameterValue::Reservation { amount, period } => Ok(Reservation(amount, period)),
            _ => Err(ValueError::NotInFiles),
        }
    }

    fn write(&self) -> Raw {
        Raw::Text(format!("{}/{}", self.0, self.1))
    }
}

/// A weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Share(pub(crate) u32);

/// A priority, larger first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Priority(pub(crate) i32);

/// A whole number that the parameter takes.
fn whole(raw: &Raw, parameter: &Parameter) -> Result<i64, ValueError> {
    match read(parameter.form, raw).0? {
        ParameterValue::Integer(number) => Ok(number),
        _ => Err(ValueError::NotInFiles),
    }
}

impl Scalar for Share {
    const NAME: &'static str = "share";

    fn wanted() -> String {
        wanted(SHARE.form)
    }

    fn read(raw: &Raw) -> Result<Share, ValueError> {
        let number = whole(raw, &SHARE)?;
        u32::try_from(number).map(Share).map_err(|_| ValueError::OutOfRange(number))
    }

    fn write(&self) -> Raw {
        Raw::Integer(self.0.into())
    }

    fn json() -> &'static [&'static str] {
        &["integer"]
    }
}

impl Scalar for Priority {
    const NAME: &'static str = "priority";

    fn wanted() -> String {
        wanted(PRIORITY.form)
    }

    fn read(raw: &Raw) -> Result<Priority, ValueError> {
        let number = whole(raw, &PRIORITY)?;
        i32::try_from(number).map(Priority).map_err(|_| ValueError::OutOfRange(number))
    }

    fn write(&self) -> Raw {
        Raw::Integer(self.0.into())
    }

    fn json() -> &'static [&'static str] {
        &["integer"]
    }
}

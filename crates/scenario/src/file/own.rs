//! Requests of a thread for itself that set a parameter: each is spelled as the parameter of that name.

use super::lax::{Raw, Scalar};
use super::parameter::{read, wanted, write};
use super::value_error::ValueError;
use crate::model::{parameter_of, request_for};
use windfall_programs::OwnRequest;
use windfall_schedulers::parameters::{PRIORITY, RESERVE, SHARE};

macro_rules! spelled_as {
    ($($(#[$about:meta])* $name:ident = $parameter:ident, $schema:literal, $json:literal;)+) => {$(
        $(#[$about])*
        #[derive(Clone, Debug)]
        pub(crate) struct $name(pub(crate) OwnRequest);

        impl Scalar for $name {
            const NAME: &'static str = $schema;

            fn wanted() -> String {
                wanted($parameter.form)
            }

            fn read(raw: &Raw) -> Result<$name, ValueError> {
                let value = read($parameter.form, raw).0?;
                request_for(&$parameter, value).map($name).ok_or(ValueError::NotInFiles)
            }

            fn write(&self) -> Raw {
                parameter_of(&self.0).map_or_else(|| Raw::Text(String::new()), |(_, value)| write(value))
            }

            fn json() -> &'static [&'static str] {
                &[$json]
            }
        }
    )+};
}

spelled_as! {
    /// An amount in every period, as `3ms/10ms`.
    Reservation = RESERVE, "reservation", "string";
    /// A weight.
    Share = SHARE, "share", "integer";
    /// A priority, larger first.
    Priority = PRIORITY, "priority", "integer";
}

//! Values of parameters as they are written, by their form: all that a file knows of a form.
//!
//! A form that no file sets has no arm in any function here. A test fails for one that a file sets and that has none.

use super::lax::{Lax, Raw};
use super::processor_list::{self, ProcessorList};
use super::scalar::{span, text};
use super::value_error::ValueError;
use super::values::period_and_deadline;
#[cfg(feature = "schema")]
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::de::MapAccess;
use serde::ser::{Serialize, Serializer};
#[cfg(feature = "schema")]
use serde_json::json;
use windfall_schedulers::parameters::{Form, ParameterValue, Rate};
use windfall_time::Span;

/// The expected form of a value, for messages and the schema.
pub(crate) fn wanted(form: Form) -> String {
    match form {
        Form::Reservation => "amount and period, as `3ms/10ms`".to_owned(),
        Form::Integer(least, most) => format!("a whole number from {least} to {most}"),
        Form::Span(true) => "a length of time with its unit, as `10ms`".to_owned(),
        Form::Span(false) => "a length of time above zero with its unit, as `10ms`".to_owned(),
        Form::Limit => "limit and time without, as `10ms/50ms`".to_owned(),
        Form::Rate => {
            "a period, as `33ms` or `30Hz`, with work, as `5ms/33ms`, or deadline, as `33ms@20ms`"
                .to_owned()
        }
        Form::Processors => processor_list::WANTED.to_owned(),
        _ => "nothing: no file sets it".to_owned(),
    }
}

/// The JSON schema of a parameter's value; forms with a name are defined once.
#[cfg(feature = "schema")]
pub(super) fn parameter_schema(form: Form, generator: &mut SchemaGenerator) -> Schema {
    let name = match form {
        Form::Integer(least, most) => {
            return json_schema!({ "type": "integer", "minimum": least, "maximum": most });
        }
        Form::Processors => {
            let number = json!({ "type": "integer", "minimum": 0, "maximum": 191 });
            let list =
                json!({ "type": "array", "items": number, "minItems": 1, "uniqueItems": true });
            return json_schema!({ "anyOf": [list, { "type": "string" }] });
        }
        Form::Reservation => "reservation",
        Form::Span(true) => "time",
        Form::Span(false) => "time-above-zero",
        Form::Limit => "limit",
        Form::Rate => "rate",
        _ => return false.into(),
    };
    let text = json_schema!({ "type": "string", "description": wanted(form).replace('`', "") });
    generator.definitions_mut().insert(name.to_owned(), text.to_value());
    Schema::new_ref(format!("#/$defs/{name}"))
}

/// The next value of a table, of that form.
pub(super) fn next<'de, A: MapAccess<'de>>(
    form: Form,
    entries: &mut A,
) -> Result<Lax<ParameterValue>, A::Error> {
    match form {
        Form::Processors => Ok(entries.next_value::<ProcessorList>()?.0),
        _ => Ok(read(form, &entries.next_value()?)),
    }
}

/// A value of that form, which is a text or a number.
pub(crate) fn read(form: Form, raw: &Raw) -> Lax<ParameterValue> {
    Lax(match form {
        Form::Reservation => reservation(raw),
        Form::Integer(least, most) => integer(raw, least, most),
        Form::Span(zero) => length(raw, zero),
        Form::Limit => limit(raw),
        Form::Rate => rate(raw),
        _ => Err(ValueError::NotInFiles),
    })
}

/// Two lengths of time, as `3ms/10ms`.
fn pair(raw: &Raw, what: &'static str) -> Result<(Span, Span), ValueError> {
    let text = text(raw, what)?;
    let halves = text.split_once('/').ok_or_else(|| ValueError::NoSlash(text.to_owned()))?;
    Ok((span(halves.0)?, span(halves.1)?))
}

fn reservation(raw: &Raw) -> Result<ParameterValue, ValueError> {
    let (amount, period) = pair(raw, "a reservation")?;
    if amount.is_zero() || amount > period {
        return Err(ValueError::Amount { amount, period });
    }
    Ok(ParameterValue::Reservation { amount, period })
}

fn integer(raw: &Raw, least: i64, most: i64) -> Result<ParameterValue, ValueError> {
    match raw {
        Raw::Integer(n) if (least..=most).contains(n) => Ok(ParameterValue::Integer(*n)),
        Raw::Integer(n) => Err(ValueError::OutOfRange(*n)),
        _ => Err(ValueError::NotA(raw.show(), "a whole number")),
    }
}

fn length(raw: &Raw, zero: bool) -> Result<ParameterValue, ValueError> {
    let length = text(raw, "a length of time").and_then(span)?;
    if length.is_zero() && !zero {
        return Err(ValueError::NoTime);
    }
    Ok(ParameterValue::Span(length))
}

fn limit(raw: &Raw) -> Result<ParameterValue, ValueError> {
    let (limit, pause) = pair(raw, "a limit")?;
    if limit.is_zero() {
        return Err(ValueError::ZeroLimit);
    }
    Ok(ParameterValue::Limit { limit, pause })
}

fn rate(raw: &Raw) -> Result<ParameterValue, ValueError> {
    let text = text(raw, "a period")?;
    let (work, rest) = match text.split_once('/') {
        Some((work, rest)) => (Some(span(work)?), rest),
        None => (None, text),
    };
    let (period, deadline) = period_and_deadline(rest)?;
    Ok(ParameterValue::Rate(Rate::new(work, period).deadline(deadline)))
}

/// The value as it is written.
pub(super) fn serialize<S: Serializer>(
    value: ParameterValue,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        ParameterValue::Processors(processors) => serializer.collect_seq(processors.iter()),
        value => write(value).serialize(serializer),
    }
}

/// The text or the number that is written.
pub(super) fn write(value: ParameterValue) -> Raw {
    Raw::Text(match value {
        ParameterValue::Integer(n) => return Raw::Integer(n),
        ParameterValue::Span(span) => span.to_string(),
        ParameterValue::Reservation { amount, period } => format!("{amount}/{period}"),
        ParameterValue::Limit { limit, pause } => format!("{limit}/{pause}"),
        ParameterValue::Rate(Rate { work, period, deadline, .. }) => {
            let work = work.map_or_else(String::new, |work| format!("{work}/"));
            let due = if deadline == period { String::new() } else { format!("@{deadline}") };
            format!("{work}{period}{due}")
        }
        // No file sets the others; a text that is read as no value.
        _ => String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use windfall_schedulers::parameters::ALL;

    #[test]
    fn law_each_form_that_a_file_sets_is_described() {
        for parameter in ALL {
            assert!(!wanted(parameter.form).starts_with("nothing"), "{}", parameter.key);
            #[cfg(feature = "schema")]
            {
                let schema = parameter_schema(parameter.form, &mut SchemaGenerator::default());
                assert_ne!(schema.as_bool(), Some(false), "{}", parameter.key);
            }
        }
    }
}

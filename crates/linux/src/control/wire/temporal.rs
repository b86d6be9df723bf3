//! A query about time to come, as a client writes it: `{"windfall":2,"do":"query","scheduler":"server","work":"2ms","by":"10ms"}`.

use super::{Asked, ControlError};
use serde_json::{Map, Value};
use windfall_time::Span;

/// Reads a query about time to come.
pub(super) fn read(request: &Map<String, Value>) -> Result<Asked, ControlError> {
    let wrong = |why: String| {
        let help = "write `\"scheduler\":\"NAME\",\"work\":\"2ms\",\"by\":\"10ms\"`";
        ControlError::new("`query`", why, help)
    };
    let text = |key: &str| {
        let value = request.get(key).and_then(Value::as_str);
        value.ok_or_else(|| wrong(format!("has no `{key}` that is a text")))
    };
    let span = |key: &str| {
        text(key)?.parse::<Span>().map_err(|why| wrong(format!("has a wrong `{key}`: {why}")))
    };
    if request.len() != 4 {
        return Err(wrong("takes a scheduler, work and a time, and nothing else".to_owned()));
    }
    Ok(Asked::Query {
        scheduler: text("scheduler")?.to_owned(),
        work: span("work")?,
        by: span("by")?,
    })
}

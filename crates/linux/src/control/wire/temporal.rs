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

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Result<Asked, ControlError> {
        read(&serde_json::from_str(text).unwrap_or_default())
    }

    #[test]
    fn refuses_queries_that_are_not_whole_and_accepts_one_that_is() {
        let whole = r#"{"do":"query","scheduler":"p","work":"2ms","by":"10ms"}"#;
        let (work, by) = (Span::from_millis(2), Span::from_millis(10));
        assert_eq!(answer(whole), Ok(Asked::Query { scheduler: "p".to_owned(), work, by }));
        for (text, why) in [
            (r#"{"do":"query"}"#, "takes a scheduler, work and a time"),
            (&whole.replace("\"p\"", "5"), "no `scheduler` that is a text"),
            (&whole.replace("2ms", "2"), "wrong `work`: no unit"),
            (&whole.replace("\"by\"", "\"until\""), "no `by` that is a text"),
        ] {
            let refused = answer(text).unwrap_err();
            assert!(refused.why.contains(why), "{refused}");
            assert!(refused.help.contains("\"by\":\"10ms\""), "{refused}");
        }
    }
}

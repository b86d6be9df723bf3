//! The control protocol (decision 0009): one JSON object a line; a request, then its answer.
//!
//! A request is an entry of `[[at]]` without `time`, in JSON instead of TOML, or one of `list`, `stop`, `trace`, `query`, `submit` and `withdraw`,
//! which files do not have. `unreserve` returns a thread that was moved for a reservation to its former scheduler. The answer to `trace`
//! gives the number of `bytes` of Windfall's trace format (decision 0002) that follow its line.

mod own;
mod temporal;

pub(in crate::control) use own::about;
pub(in crate::control) use temporal::TaskCommand;

use own::own;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt;
use windfall_time::Span;

/// The version of the protocol.
pub(super) const VERSION: u64 = 2;
/// Longest request, in bytes.
pub(super) const LONGEST: usize = 64 * 1024;
/// Deepest nesting of values in a request.
const DEEPEST: usize = 8;

/// A client's request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ClientRequest {
    /// List the state of the run.
    List,
    /// End the run.
    Stop,
    /// Send the latest records.
    Trace,
    /// Whether a scheduler could still do all of these, each so much by a time from now (PORTS 2.2).
    Query {
        /// The scheduler.
        scheduler: String,
        /// How much, and by when; at least one.
        tasks: Vec<(Span, Span)>,
    },
    /// Submit or withdraw a task of a thread (PORTS 2.2).
    Task(String, TaskCommand),
    /// End a thread's reservation, and return the thread to its former scheduler.
    Unreserve(String),
    /// Do something for one of the client's own threads (decision 0024).
    Own {
        /// The kernel's number of the thread.
        tid: i32,
        /// Its `do`.
        verb: String,
        /// Its other keys.
        request: Map<String, Value>,
    },
    /// Carry out an entry of `[[at]]`.
    Change {
        /// Its `do`.
        verb: String,
        /// The entry, as TOML.
        text: String,
        /// The thread that it moves for a reservation, if it does.
        lends: Option<String>,
        /// Whether to do it even if it breaks what was granted to others.
        force: bool,
        /// Whether only the answer is wanted.
        query: bool,
    },
}

/// The reason why a request was not carried out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ControlError {
    /// The request, as the subject of the sentence in `why`.
    #[serde(rename = "asked")]
    pub request: String,
    /// The reason.
    pub why: String,
    /// A remedy; may be empty.
    pub help: String,
}

impl ControlError {
    pub(super) fn new(
        request: impl Into<String>,
        why: impl Into<String>,
        help: impl Into<String>,
    ) -> ControlError {
        ControlError { request: request.into(), why: why.into(), help: help.into() }
    }
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.request, self.why)?;
        if self.help.is_empty() { Ok(()) } else { write!(f, "\n  help: {}", self.help) }
    }
}

impl std::error::Error for ControlError {}

/// Reads a request.
pub(super) fn read(line: &[u8]) -> Result<ClientRequest, ControlError> {
    let request = entry(line)?;
    let verb = request.get("do").and_then(Value::as_str).unwrap_or_default().to_owned();
    let alone = |one: ClientRequest| match request.len() {
        1 => Ok(one),
        _ => Err(ControlError::new(format!("`{verb}`"), "takes no other keys", "leave them out")),
    };
    if request.contains_key("own") {
        return own(verb, request);
    }
    match verb.as_str() {
        "list" => alone(ClientRequest::List),
        "stop" => alone(ClientRequest::Stop),
        "trace" => alone(ClientRequest::Trace),
        "query" | "submit" | "withdraw" => temporal::read(&verb, &request),
        "unreserve" if request.contains_key("thread") => {
            match (request.get("thread").and_then(Value::as_str), request.len()) {
                (Some(thread), 2) => Ok(ClientRequest::Unreserve(thread.to_owned())),
                _ => {
                    let help = "write `\"thread\":\"NAME\"`";
                    Err(ControlError::new("`unreserve`", "takes a thread, and nothing else", help))
                }
            }
        }
        "release" => {
            let help = "write `\"do\":\"unreserve\"`";
            Err(ControlError::new("`release`", "is called `unreserve` now", help))
        }
        _ if request.contains_key("time") => {
            let help = "leave `time` out: it is done at once";
            Err(ControlError::new(format!("`{verb}`"), "has a `time`", help))
        }
        _ => change(verb, request),
    }
}

/// Reads the object of a line, checks the version of the protocol and removes it.
fn entry(line: &[u8]) -> Result<Map<String, Value>, ControlError> {
    let form = "write `{\"windfall\":2,\"do\":\"list\"}` on one line";
    let value: Value = serde_json::from_slice(line)
        .map_err(|why| ControlError::new("a request", format!("is no JSON: {why}"), form))?;
    let Value::Object(mut request) = value else {
        return Err(ControlError::new("a request", "is no object", form));
    };
    match request.remove("windfall") {
        Some(Value::Number(version)) if version.as_u64() == Some(VERSION) => {}
        Some(other) => {
            let why = format!("version {other} of the protocol is not known");
            return Err(ControlError::new("a request", why, format!("this run speaks {VERSION}")));
        }
        None => return Err(ControlError::new("a request", "has no `windfall`, its version", form)),
    }
    Ok(request)
}

/// Reads a request that a file could have.
fn change(verb: String, mut request: Map<String, Value>) -> Result<ClientRequest, ControlError> {
    let mut flag = |key: &str| match request.remove(key) {
        None => Ok(false),
        Some(Value::Bool(set)) => Ok(set),
        Some(other) => {
            let why = format!("has a `{key}` that is {other}");
            Err(ControlError::new(format!("`{verb}`"), why, "write true, or leave it out"))
        }
    };
    let (force, query) = (flag("force")?, flag("query")?);
    let asks = ["guarantee", "reserve"].iter().any(|key| request.contains_key(*key));
    let thread = request.get("thread").and_then(Value::as_str);
    let lends = thread.filter(|_| verb == "move" && asks).map(str::to_owned);
    let text =
        toml(&request).map_err(|(why, help)| ControlError::new(format!("`{verb}`"), why, help))?;
    Ok(ClientRequest::Change { verb, text, lends, force, query })
}

/// Writes a request as an entry of `[[at]]`. The error has a reason and a remedy.
fn toml(request: &Map<String, Value>) -> Result<String, (String, String)> {
    let mut text = "[[at]]\ntime = \"0s\"\n".to_owned();
    for (key, value) in request {
        quote(key, &mut text);
        text.push_str(" = ");
        write(value, DEEPEST, &mut text)?;
        text.push('\n');
    }
    Ok(text)
}

fn write(value: &Value, room: usize, text: &mut String) -> Result<(), (String, String)> {
    let Some(room) = room.checked_sub(1) else {
        return Err(("values are nested too deep".into(), format!("use {DEEPEST} levels")));
    };
    match value {
        Value::Null => return Err(("holds `null`".into(), "leave the key out".into())),
        Value::Bool(_) | Value::Number(_) => text.push_str(&value.to_string()),
        Value::String(string) => quote(string, text),
        Value::Array(list) => {
            text.push('[');
            for item in list {
                write(item, room, text)?;
                text.push_str(", ");
            }
            text.push(']');
        }
        Value::Object(table) => {
            let mut before = "{ ";
            for (key, value) in table {
                text.push_str(before);
                quote(key, text);
                text.push_str(" = ");
                write(value, room, text)?;
                before = ", ";
            }
            text.push_str(if table.is_empty() { "{}" } else { " }" });
        }
    }
    Ok(())
}

/// A string as a TOML literal.
pub(super) fn quoted(string: &str) -> String {
    let mut text = String::new();
    quote(string, &mut text);
    text
}

fn quote(string: &str, text: &mut String) {
    text.push('"');
    for c in string.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => text.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => text.push(c),
        }
    }
    text.push('"');
}

/// The answer to a request.
pub(super) struct Answer {
    pub(super) value: Value,
    /// Bytes that follow the line.
    pub(super) bytes: Vec<u8>,
}

impl From<Value> for Answer {
    fn from(value: Value) -> Answer {
        Answer { value, bytes: Vec::new() }
    }
}

/// Writes an answer: its line, and the bytes that follow.
pub(super) fn answer(answer: Result<Answer, ControlError>) -> Vec<u8> {
    let (value, bytes) = match answer {
        Ok(Answer { value, bytes }) => {
            (json!({ "windfall": VERSION, "ok": true, "answer": value }), bytes)
        }
        Err(rejection) => {
            (json!({ "windfall": VERSION, "ok": false, "rejected": rejection }), Vec::new())
        }
    };
    let mut answer = format!("{value}\n").into_bytes();
    answer.extend(bytes);
    answer
}

/// Reads the line of an answer.
pub(super) fn understand(line: &[u8]) -> Result<Value, ControlError> {
    let strange = |why: String| {
        ControlError::new("an answer", why, "use the same version of windfall on both ends")
    };
    let mut value: Value =
        serde_json::from_slice(line).map_err(|why| strange(format!("is no JSON: {why}")))?;
    let Some(fields) = value.as_object_mut() else {
        return Err(strange("is no object".to_owned()));
    };
    let mut take = |key: &str| fields.remove(key).unwrap_or(Value::Null);
    match take("ok") {
        Value::Bool(true) => Ok(take("answer")),
        _ => {
            let rejection = serde_json::from_value(take("rejected"));
            Err(rejection.unwrap_or_else(|why| strange(why.to_string())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Listing;
    use super::*;

    fn text(line: &str) -> String {
        match read(line.as_bytes()) {
            Ok(ClientRequest::Change { text, .. }) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn accepts_what_a_file_could_say() {
        let line = r#"{"windfall":2,"do":"create","name":"x","with":{"scheduler":"rez","parent":"top","n":3}}"#;
        let text = text(line);
        assert!(text.starts_with("[[at]]\ntime = \"0s\"\n"), "{text}");
        assert!(text.contains("\"scheduler\" = \"rez\""), "{text}");
    }

    #[test]
    fn law_strings_are_one_value_whatever_is_in_them() {
        let line = r#"{"windfall":2,"do":"destroy","scheduler":"a\"\n[[at]]\ndo=\u0001\\"}"#;
        let text = text(line);
        assert_eq!(text.lines().count(), 4, "{text}");
    }

    #[test]
    fn refuses_other_versions_no_json_and_what_does_not_belong() {
        let why = |line: &str| read(line.as_bytes()).unwrap_err().why;
        assert!(why(r#"{"windfall":1,"do":"list"}"#).contains("version 1"));
        assert!(why(r#"{"do":"list"}"#).contains("no `windfall`"));
        assert!(why("list").contains("no JSON"));
        assert!(why("[1]").contains("no object"));
        assert!(why(r#"{"windfall":2,"do":"stop","now":true}"#).contains("no other keys"));
        assert!(why(r#"{"windfall":2,"do":"share","share":null}"#).contains("null"));
        assert!(why(r#"{"windfall":2,"do":"share","time":"1s"}"#).contains("time"));
        let deep =
            format!(r#"{{"windfall":2,"do":"x","v":{}1{}}}"#, "[".repeat(60), "]".repeat(60));
        assert!(why(&deep).contains("too deep"));
    }

    #[test]
    fn accepts_what_a_thread_may_ask_for_itself_and_refuses_the_rest() {
        let own = |line: &str| read(format!("{{\"windfall\":2,{line}}}").as_bytes());
        let Ok(ClientRequest::Own { tid: 7, verb, request }) =
            own(r#""do":"reserve","own":7,"reserve":"1ms/10ms","to":"res""#)
        else {
            panic!("not read");
        };
        let Ok(ClientRequest::Change { verb, text, lends, force: false, query: false }) =
            about("a", &verb, request)
        else {
            panic!("not about a thread");
        };
        assert_eq!((verb.as_str(), lends.as_deref()), ("move", Some("a")), "{text}");
        for (line, why) in [
            (r#""do":"destroy","own":7,"scheduler":"x""#, "not what a thread may ask"),
            (r#""do":"list","own":7"#, "not what a thread may ask"),
            (r#""do":"share","own":7,"thread":"b","share":2"#, "`own` and `thread`"),
            (r#""do":"share","own":7,"share":2,"force":true"#, "`own` and `force`"),
            (r#""do":"share","own":-1,"share":2"#, "no number of a thread"),
            (r#""do":"share","own":"a","share":2"#, "no number of a thread"),
            (r#""do":"share","own":4294967297,"share":2"#, "no number of a thread"),
        ] {
            assert!(own(line).unwrap_err().why.contains(why), "{line}");
        }
    }

    #[test]
    fn accepts_answers_of_both_sorts() {
        let yes = answer(Ok(json!({ "done": true }).into()));
        assert_eq!(understand(&yes).unwrap()["done"], true);
        let no = ControlError::new("a", "b", "c");
        assert_eq!(understand(&answer(Err(no.clone()))), Err(no));
        assert!(understand(b"{}").is_err());
    }

    #[test]
    fn r0013_an_answer_that_is_no_object_is_refused() {
        for line in ["5", "[]", "\"ok\"", "null", "[{\"ok\":true}]"] {
            let refused = understand(line.as_bytes()).expect_err(line);
            assert!(refused.why.contains("no object"), "{line}: {refused}");
        }
        assert!(understand(b"{\"ok\":5}").is_err() && understand(b"{\"rejected\":5}").is_err());
    }

    #[test]
    fn law_no_request_and_no_answer_panics() {
        let sound: [&[u8]; 7] = [
            br#"{"windfall":2,"do":"list"}"#,
            br#"{"windfall":2,"do":"unreserve","thread":"a"}"#,
            br#"{"windfall":2,"do":"submit","thread":"a","work":"2ms","by":"10ms"}"#,
            br#"{"windfall":2,"do":"create","name":"x","with":{"scheduler":"rez","parent":"top","n":3}}"#,
            br#"{"windfall":2,"do":"move","thread":"a","to":"res","guarantee":"RESBH 1ms 10ms","list":[1,"b",true]}"#,
            br#"{"windfall":2,"ok":true,"answer":{"pid":1,"name":"x","cpus":[],"nodes":[],"threads":[]}}"#,
            br#"{"windfall":2,"ok":false,"rejected":{"asked":"a","why":"b","help":"c"}}"#,
        ];
        crate::mutate::fuzz("control", &sound, |line| {
            let _ = read(line).map_err(|refused| assert!(!refused.why.is_empty()));
            let _ = understand(line).map(serde_json::from_value::<Listing>);
        });
    }
}

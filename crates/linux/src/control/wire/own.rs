//! Requests of programs for their own threads, as the protocol has them (decision 0024).

use super::{ClientRequest, ControlError, change};
use serde_json::{Map, Value, json};

/// Requests that a program may make for a thread of its own.
const OWN: [&str; 7] =
    ["reserve", "guarantee", "unreserve", "share", "priority", "move", "notices"];

/// Reads a request of a program for one of its threads.
pub(super) fn own(
    verb: String,
    mut request: Map<String, Value>,
) -> Result<ClientRequest, ControlError> {
    let wrong = |why: String, help: &str| Err(ControlError::new(format!("`{verb}`"), why, help));
    if !OWN.contains(&verb.as_str()) {
        let why = "is not what a thread may ask for itself".to_owned();
        return wrong(why, &format!("write one of `{}`", OWN.join("`, `")));
    }
    for key in ["thread", "scheduler", "processor", "force", "time"] {
        if request.contains_key(key) {
            return wrong(format!("has `own` and `{key}`"), "leave one of them out");
        }
    }
    let tid = request.remove("own").and_then(|tid| i32::try_from(tid.as_i64()?).ok());
    let Some(tid) = tid.filter(|tid| *tid > 0) else {
        let help = "write `\"own\":TID`, as gettid returns it";
        return wrong("has an `own` that is no number of a thread".to_owned(), help);
    };
    Ok(ClientRequest::Own { tid, verb, request })
}

/// The request of a program for its thread of this name, as one about that thread. The error is a reason and a remedy.
pub(in crate::control) fn about(
    name: &str,
    verb: &str,
    mut request: Map<String, Value>,
) -> Result<ClientRequest, ControlError> {
    request.insert("thread".to_owned(), json!(name));
    if verb == "unreserve" {
        return Ok(ClientRequest::Unreserve(name.to_owned()));
    }
    let moves = matches!(verb, "reserve" | "guarantee") && request.contains_key("to");
    let verb = if moves { "move" } else { verb };
    request.insert("do".to_owned(), json!(verb));
    change(verb.to_owned(), request)
}

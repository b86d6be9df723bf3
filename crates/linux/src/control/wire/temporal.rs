//! Queries and tasks of schedulers that admit, as a client writes them: `{"windfall":2,"do":"query","scheduler":"server","work":"2ms","by":"10ms"}`, where
//! `"and":[{"work":"3ms","by":"20ms"}]` asks about more tasks beside it,
//! `"do":"submit","thread":"a","work":"2ms","by":"10ms"`, and `"do":"withdraw","thread":"a","task":5`.

use super::{ClientRequest, ControlError};
use serde_json::{Map, Value};
use windfall_time::Span;

/// A request about the tasks of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::control) enum TaskCommand {
    /// Admit one.
    Submit {
        /// Processor time, at most.
        work: Span,
        /// By when, from now; not none.
        by: Span,
    },
    /// The task of this number will not be done.
    Withdraw(u32),
}

/// The key of more tasks of a query.
const MORE: &str = "and";

/// A request, as far as it is read.
struct Reader<'a> {
    verb: &'a str,
    /// The expected form, for errors.
    form: &'a str,
    request: &'a Map<String, Value>,
}

/// Reads a request whose word is one of `query`, `submit` and `withdraw`.
pub(super) fn read(
    verb: &str,
    request: &Map<String, Value>,
) -> Result<ClientRequest, ControlError> {
    let form = match verb {
        "query" => {
            r#"write `"scheduler":"NAME","work":"2ms","by":"10ms"`, and for more tasks `"and":[{"work":"3ms","by":"20ms"}]`"#
        }
        "submit" => r#"write `"thread":"NAME","work":"2ms","by":"10ms"`"#,
        _ => r#"write `"thread":"NAME","task":5`"#,
    };
    let reader = Reader { verb, form, request };
    let requested = match verb {
        "query" => ClientRequest::Query {
            scheduler: reader.text("scheduler")?.to_owned(),
            tasks: reader.tasks()?,
        },
        "submit" => {
            let (work, by) = (reader.some("work")?, reader.some("by")?);
            ClientRequest::Task(reader.text("thread")?.to_owned(), TaskCommand::Submit { work, by })
        }
        _ => {
            let task = request.get("task").and_then(Value::as_u64);
            let task = task.and_then(|task| u32::try_from(task).ok());
            let wrong = || reader.wrong("has no `task` that is a number of a task".to_owned());
            let task = TaskCommand::Withdraw(task.ok_or_else(wrong)?);
            ClientRequest::Task(reader.text("thread")?.to_owned(), task)
        }
    };
    let keys = match verb {
        "withdraw" => 3,
        "query" => 4 + usize::from(request.contains_key(MORE)),
        _ => 4,
    };
    reader.has(keys)?;
    Ok(requested)
}

impl Reader<'_> {
    fn wrong(&self, why: String) -> ControlError {
        ControlError::new(format!("`{}`", self.verb), why, self.form)
    }

    fn text(&self, key: &str) -> Result<&str, ControlError> {
        let value = self.request.get(key).and_then(Value::as_str);
        value.ok_or_else(|| self.wrong(format!("has no `{key}` that is a text")))
    }

    fn span(&self, key: &str) -> Result<Span, ControlError> {
        let wrong = |why| self.wrong(format!("has a wrong `{key}`: {why}"));
        self.text(key)?.parse::<Span>().map_err(|why| wrong(why.to_string()))
    }

    fn has(&self, keys: usize) -> Result<(), ControlError> {
        let wrong = || self.wrong("has other keys".to_owned());
        if self.request.len() == keys { Ok(()) } else { Err(wrong()) }
    }

    /// The tasks of a query: one, or several.
    fn tasks(&self) -> Result<Vec<(Span, Span)>, ControlError> {
        let mut tasks = vec![(self.span("work")?, self.span("by")?)];
        let Some(more) = self.request.get(MORE) else { return Ok(tasks) };
        let wrong = || self.wrong(format!("has an `{MORE}` that is no list of tasks"));
        for one in more.as_array().ok_or_else(wrong)? {
            let one = Reader { request: one.as_object().ok_or_else(wrong)?, ..*self };
            one.has(2)?;
            tasks.push((one.span("work")?, one.span("by")?));
        }
        Ok(tasks)
    }

    /// A span that is not none.
    fn some(&self, key: &str) -> Result<Span, ControlError> {
        let span = self.span(key)?;
        let why = if key == "by" { "has a deadline that is not to come" } else { "has no work" };
        if span.is_zero() {
            return Err(self.wrong(format!("{why}: its `{key}` is {span}")));
        }
        Ok(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Result<ClientRequest, ControlError> {
        let request: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
        let verb = request.get("do").and_then(Value::as_str).unwrap_or_default().to_owned();
        read(&verb, &request)
    }

    #[test]
    fn refuses_requests_that_are_not_whole_and_accepts_those_that_are() {
        let query = r#"{"do":"query","scheduler":"p","work":"2ms","by":"10ms"}"#;
        let submit = r#"{"do":"submit","thread":"a","work":"2ms","by":"10ms"}"#;
        let withdraw = r#"{"do":"withdraw","thread":"a","task":5}"#;
        let (work, by) = (Span::from_millis(2), Span::from_millis(10));
        let task = |requested| Ok(ClientRequest::Task("a".to_owned(), requested));
        let requested = |tasks| Ok(ClientRequest::Query { scheduler: "p".to_owned(), tasks });
        assert_eq!(answer(query), requested(vec![(work, by)]));
        let three = r#","and":[{"work":"1ms","by":"3ms"},{"by":"1s","work":"5us"}]}"#;
        let three = query.replace('}', three);
        let (one, five) = (Span::from_millis(1), Span::from_nanos(5_000));
        let all = vec![(work, by), (one, Span::from_millis(3)), (five, Span::from_secs(1))];
        assert_eq!(answer(&three), requested(all));
        assert_eq!(answer(submit), task(TaskCommand::Submit { work, by }));
        assert_eq!(answer(withdraw), task(TaskCommand::Withdraw(5)));
        for (text, why) in [
            (r#"{"do":"query"}"#, "no `scheduler` that is a text"),
            (&query.replace("\"p\"", "5"), "no `scheduler` that is a text"),
            (&query.replace("2ms", "2"), "wrong `work`: no unit"),
            (&query.replace("\"by\"", "\"until\""), "no `by` that is a text"),
            (&query.replace('}', ",\"force\":true}"), "has other keys"),
            (&three.replace('[', "5,\"x\":["), "an `and` that is no list of tasks"),
            (&three.replace('[', "[7,"), "an `and` that is no list of tasks"),
            (&three.replace(",\"work\":\"5us\"", ""), "has other keys"),
            (&three.replace("\"work\":\"5us\"", "\"more\":\"5us\""), "no `work` that is a text"),
            (&submit.replace('}', ",\"and\":[]}"), "has other keys"),
            (r#"{"do":"submit"}"#, "no `work` that is a text"),
            (&submit.replace("thread", "scheduler"), "no `thread` that is a text"),
            (&submit.replace("2ms", "0ms"), "has no work: its `work` is 0"),
            (&submit.replace("10ms", "0ms"), "a deadline that is not to come: its `by` is 0"),
            (&submit.replace("10ms", "-1ms"), "wrong `by`"),
            (&submit.replace('}', ",\"time\":\"1s\"}"), "has other keys"),
            (&withdraw.replace('5', "-5"), "no `task` that is a number"),
            (&withdraw.replace('5', "4294967296"), "no `task` that is a number"),
            (&withdraw.replace('5', "\"5\""), "no `task` that is a number"),
            (&withdraw.replace('5', "5,\"work\":\"1ms\""), "has other keys"),
        ] {
            let refused = answer(text).unwrap_err();
            assert!(refused.why.contains(why), "{text}: {refused}");
            let form = if text.contains("withdraw") { "\"task\":5" } else { "\"by\":\"10ms\"" };
            assert!(refused.help.contains(form), "{refused}");
        }
    }
}

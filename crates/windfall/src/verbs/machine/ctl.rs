//! `windfall ctl VERB`

use crate::cli::{CtlArgs, CtlVerb, ParameterVerb};
use crate::output::{print_error, print_json, print_text, show};
use crate::{Answer, VerbError};
use serde_json::{Map, Value, json};
use std::path::Path;
use windfall_linux::control;
use windfall_report::live;
use windfall_schedulers::parameters::PROCESSORS;

pub(crate) fn run(args: &CtlArgs) -> Result<Answer, VerbError> {
    let socket = args.socket.as_deref();
    let changes = changes(&args.verb);
    let kept = [(args.query, "--query"), (args.force, "--force")];
    if let Some((_, option)) = kept.iter().find(|(given, _)| *given && !changes) {
        let help = format!("`{option}` goes with requests that change the tree; leave it out");
        return Err(VerbError(format!("windfall: {help}")));
    }
    if matches!(args.verb, CtlVerb::List) {
        let listing = control::list(socket)?;
        let value = serde_json::to_value(&listing)?;
        show(args.json, || value, |width| live::text(&listing, width))?;
        return Ok(Answer::Yes);
    }
    let request = request(args)?;
    match control::send(socket, request)? {
        Ok(answer) => {
            let breaks = answer["breaks"].as_array().is_some_and(|broken| !broken.is_empty());
            let admits = answer["admits"].as_bool();
            if args.json {
                print_json(answer)?;
            } else if let Some(words) = live::answer(&answer, args.query) {
                print_text(&words)?;
            }
            let no = breaks && !args.force || admits == Some(false);
            Ok(if no { Answer::No } else { Answer::Yes })
        }
        Err(rejection) => {
            match args.json {
                true => print_json(json!({ "rejected": rejection }))?,
                false => print_error(&format!("windfall: {rejection}\n")),
            }
            Ok(Answer::No)
        }
    }
}

/// Whether a request may change the tree.
const fn changes(verb: &CtlVerb) -> bool {
    !matches!(
        verb,
        CtlVerb::List
            | CtlVerb::Stop
            | CtlVerb::Query { .. }
            | CtlVerb::Submit { .. }
            | CtlVerb::Withdraw { .. }
            | CtlVerb::Unreserve { .. }
            | CtlVerb::Enqueue { .. }
    )
}

/// The request, in the keys of an entry of `[[at]]`.
// Length: a table: the keys of each verb.
fn request(args: &CtlArgs) -> Result<Map<String, Value>, VerbError> {
    let mut request = Map::new();
    let mut set = |pairs: &[(&str, Value)]| {
        request.extend(pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    };
    match &args.verb {
        CtlVerb::List => {}
        CtlVerb::Query { scheduler, work, by, and } => {
            set(&[
                ("do", json!("query")),
                ("scheduler", json!(scheduler)),
                ("work", json!(work.to_string())),
                ("by", json!(by.to_string())),
            ]);
            if !and.is_empty() {
                set(&[("and", tasks(and)?)]);
            }
        }
        CtlVerb::Submit { thread, work, by } => set(&[
            ("do", json!("submit")),
            ("thread", json!(thread)),
            ("work", json!(work.to_string())),
            ("by", json!(by.to_string())),
        ]),
        CtlVerb::Withdraw { thread, task } => {
            set(&[("do", json!("withdraw")), ("thread", json!(thread)), ("task", json!(task))]);
        }
        CtlVerb::Create { name, scheduler, parent, settings } => {
            let with = created(scheduler, parent, settings)?;
            set(&[("do", json!("create")), ("name", json!(name)), ("with", with)]);
        }
        CtlVerb::Destroy { scheduler } => {
            set(&[("do", json!("destroy")), ("scheduler", json!(scheduler))]);
        }
        CtlVerb::Reserve { name, guarantee, at } => {
            let amount = guarantee.starts_with(|c: char| c.is_ascii_digit());
            let key = if amount { "reserve" } else { "guarantee" };
            match at {
                Some(at) => {
                    set(&[("do", json!("move")), ("thread", json!(name)), ("to", json!(at))])
                }
                None => set(&[("do", json!(key)), whom(args, name)?]),
            }
            set(&[(key, json!(guarantee))]);
        }
        CtlVerb::Unreserve { thread } => {
            set(&[("do", json!("unreserve")), ("thread", json!(thread))]);
        }
        CtlVerb::Set(ParameterVerb { parameter, name, value }) => {
            set(&[
                ("do", json!(parameter.key)),
                whom(args, name)?,
                (parameter.key, requested(parameter.key, typed(value))),
            ]);
        }
        CtlVerb::Move { name, to, requirements } => {
            set(&[("do", json!("move")), whom(args, name)?, ("to", json!(to))]);
            request.extend(pairs(requirements)?.into_iter().map(|(key, value)| {
                let value = requested(&key, value);
                (key, value)
            }));
        }
        CtlVerb::AddParent { scheduler, to, requirements } => {
            let to = ("to", json!(to));
            set(&[("do", json!("add-parent")), ("scheduler", json!(scheduler)), to]);
            request.extend(pairs(requirements)?);
        }
        CtlVerb::RemoveParent { scheduler, processor } => {
            let processor = ("processor", json!(processor));
            set(&[("do", json!("remove-parent")), ("scheduler", json!(scheduler)), processor]);
        }
        CtlVerb::Transaction { file } => {
            set(&[("do", json!("transaction")), ("requests", requests(file)?)]);
        }
        CtlVerb::Default { scheduler } => {
            set(&[("do", json!("default")), ("scheduler", json!(scheduler))]);
        }
        CtlVerb::Quantum { scheduler, quantum } => {
            let quantum = json!(quantum.to_string());
            set(&[("do", json!("quantum")), ("scheduler", json!(scheduler)), ("quantum", quantum)]);
        }
        CtlVerb::Transfer { from, to, work } => set(&[
            ("do", json!("transfer")),
            ("from", json!(from)),
            ("to", json!(to)),
            ("work", json!(work.to_string())),
        ]),
        CtlVerb::Enqueue { queue, datum } => {
            set(&[("do", json!("enqueue")), ("queue", json!(queue)), ("datum", json!(datum))]);
        }
        CtlVerb::Timer { timer } => set(&[("do", json!("timer")), ("timer", json!(timer))]),
        CtlVerb::Stop => set(&[("do", json!("stop"))]),
    }
    if args.force {
        request.insert("force".to_owned(), json!(true));
    }
    if args.query {
        request.insert("query".to_owned(), json!(true));
    }
    Ok(request)
}

/// More tasks of a query, `WORK/BY`.
fn tasks(texts: &[String]) -> Result<Value, VerbError> {
    let task = |text: &String| {
        let (work, by) = text.split_once('/').ok_or_else(|| {
            let help = "write WORK/BY, as `3ms/20ms` for 3 ms by 20 ms from now";
            VerbError(format!("windfall: `{text}` is not a task; {help}"))
        })?;
        Ok(json!({ "work": work, "by": by }))
    };
    texts.iter().map(task).collect()
}

/// The requests of a file, as JSON.
fn requests(file: &Path) -> Result<Value, VerbError> {
    let shown = file.display();
    let text = match file.to_str() {
        Some("-") => std::io::read_to_string(std::io::stdin()),
        _ => std::fs::read_to_string(file),
    };
    let text = text.map_err(|why| VerbError(format!("windfall: {shown}: {why}")))?;
    let table: toml::Table =
        toml::from_str(&text).map_err(|why| VerbError(format!("windfall: {shown}: {why}")))?;
    match (table.get("at"), table.len()) {
        (Some(requests @ toml::Value::Array(_)), 1) => Ok(serde_json::to_value(requests)?),
        _ => {
            let help = "write `[[at]]` above each request, and nothing else";
            Err(VerbError(format!("windfall: {shown} is no list of requests; {help}")))
        }
    }
}

/// A scheduler that is to be made, as it would stand in a file.
fn created(scheduler: &str, parents: &[String], settings: &[String]) -> Result<Value, VerbError> {
    let mut with = pairs(settings)?;
    with.insert("scheduler".to_owned(), json!(scheduler));
    match parents {
        [one] => with.insert("parent".to_owned(), json!(one)),
        several => with.insert("parents".to_owned(), json!(several)),
    };
    Ok(Value::Object(with))
}

/// A name, under the key for what the run has by that name.
fn whom(args: &CtlArgs, name: &str) -> Result<(&'static str, Value), VerbError> {
    let listing = control::list(args.socket.as_deref())?;
    let is_scheduler = listing.nodes.iter().any(|node| node.name == name);
    Ok((if is_scheduler { "scheduler" } else { "thread" }, json!(name)))
}

/// `KEY=VALUE`, where a value is a number, true, false, or text.
fn pairs(texts: &[String]) -> Result<Map<String, Value>, VerbError> {
    let pair = |text: &String| {
        let (key, value) = text.split_once('=').ok_or_else(|| {
            VerbError(format!(
                "windfall: `{text}` is not a setting; write KEY=VALUE, as `quantum=10ms`"
            ))
        })?;
        Ok((key.to_owned(), typed(value)))
    };
    texts.iter().map(pair).collect()
}

/// The value as a thread's key takes it: one processor is a list of one.
fn requested(key: &str, value: Value) -> Value {
    if key == PROCESSORS.key && value.is_number() { json!(value.to_string()) } else { value }
}

/// A number, true, false, or text.
fn typed(value: &str) -> Value {
    let number = value.parse::<i64>().ok().map(Value::from);
    let bool = value.parse::<bool>().ok().map(Value::from);
    number.or(bool).unwrap_or_else(|| json!(value))
}

//! The answer to a request to a run, in words.

use serde_json::Value;
use windfall_time::Span;

/// An answer in words; nothing where the request asks for nothing to read. A query about a change says what the change would break.
#[must_use]
pub fn answer(answer: &Value, is_query: bool) -> Option<String> {
    if let Some(done) = answer["done"].as_str() {
        return Some(format!("{done}\n"));
    }
    match answer["admits"].as_bool() {
        Some(admits) => Some(admitted(admits, answer)),
        None => is_query.then(|| would(answer)),
    }
}

/// The answer about time to come.
fn admitted(admits: bool, answer: &Value) -> String {
    let tasks = answer["tasks"].as_u64();
    if let (true, Some(tasks)) = (admits, tasks) {
        return format!("yes: all {tasks} could be done\n");
    }
    let span = |key: &str| answer[key].as_u64().map(Span::from_nanos);
    let of = |key: &str| span(key).unwrap_or(Span::ZERO);
    let (work, by, idle) = (of("work_ns"), of("by_ns"), of("idle_ns"));
    let word = if admits { "yes" } else { "no" };
    let earliest = match span("earliest_ns") {
        Some(earliest) => format!("{work} could be done by {earliest} from now at the earliest"),
        None => format!("{work} could never be done"),
    };
    let which = match (tasks, answer["refused"].as_u64()) {
        (Some(tasks), Some(index)) => {
            format!("not {work} by {by}, number {} of {tasks}; after those before it ", index + 1)
        }
        _ => String::new(),
    };
    format!("{word}: {which}{idle} is idle before {by} from now; {earliest}\n")
}

/// The answer about a change.
fn would(answer: &Value) -> String {
    let broken = answer["breaks"].as_array().into_iter().flatten();
    let broken = broken.filter_map(|one| {
        Some(format!("  {} of `{}`\n", one["guarantee"].as_str()?, one["owner"].as_str()?))
    });
    let broken: String = broken.collect();
    if broken.is_empty() {
        return "it would be carried out, and break no promise\n".to_owned();
    }
    format!(
        "it would be refused without `--force`, because it would break what is granted:\n{broken}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn law_an_answer_says_what_was_done_admitted_or_would_break() {
        let ms = |ms: u64| ms * 1_000_000;
        let one = json!({ "admits": true, "work_ns": ms(3), "by_ns": ms(20), "idle_ns": ms(9), "earliest_ns": ms(4) });
        let several = json!({ "admits": false, "tasks": 3, "refused": 1, "work_ns": ms(3), "by_ns": ms(20), "idle_ns": ms(1) });
        let broken = json!({ "breaks": [{ "guarantee": "RESBH 3ms 10ms", "owner": "audio" }] });
        let cases = [
            (json!({ "done": "gone" }), true, Some("gone\n")),
            (
                one,
                false,
                Some(
                    "yes: 9ms is idle before 20ms from now; 3ms could be done by 4ms from now at the earliest\n",
                ),
            ),
            (json!({ "admits": true, "tasks": 2 }), false, Some("yes: all 2 could be done\n")),
            (
                several,
                false,
                Some(
                    "no: not 3ms by 20ms, number 2 of 3; after those before it 1ms is idle before 20ms from now; 3ms could never be done\n",
                ),
            ),
            (
                json!({ "breaks": [] }),
                true,
                Some("it would be carried out, and break no promise\n"),
            ),
            (
                broken.clone(),
                true,
                Some(
                    "it would be refused without `--force`, because it would break what is granted:\n  RESBH 3ms 10ms of `audio`\n",
                ),
            ),
            (broken, false, None),
        ];
        for (value, is_query, words) in cases {
            assert_eq!(answer(&value, is_query).as_deref(), words, "{value}");
        }
    }
}

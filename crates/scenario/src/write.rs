//! From a scenario to text that is read back as the same scenario.

mod change;
mod expectation;
mod external;
mod machine;
mod scheduler;
#[cfg(test)]
mod tests;
mod thread;
mod value;

use crate::file::{HeadFile, Lax, LockFile};
use crate::model::Scenario;
use crate::resolve::SCHEMA;
use toml::Value;
use value::{requirements, value};
use windfall_time::Instant;

impl Scenario {
    /// Writes it as TOML. Everything that was checked is read back equal; work between two equal
    /// limits is read back as fixed, and inheritance is resolved.
    #[must_use]
    pub fn write(&self) -> String {
        let head = HeadFile {
            schema: Lax::good(SCHEMA),
            inherits: None,
            question: self.question.clone().and_then(Lax::good),
            answer: self.answer.clone().and_then(Lax::good),
            seed: Lax::good(self.seed),
            epoch: (self.epoch != Instant::ZERO).then_some(Lax(Ok(self.epoch))),
            length: Lax::good(self.length),
            default: self.default.clone().and_then(Lax::good),
        };
        let mut text = String::new();
        table(&mut text, "", &value(&head));
        table(&mut text, "[machine]", &value(&machine::machine(&self.machine)));
        for source in &self.interrupts {
            table(&mut text, "[[interrupts]]", &value(&machine::interrupts(source)));
        }
        for scheduler in &self.schedulers {
            let header = format!("[schedulers.{}]", key(&scheduler.name));
            table(&mut text, &header, &scheduler::scheduler(scheduler));
        }
        for thread in &self.threads {
            let header = format!("[threads.{}]", key(&thread.name));
            table(&mut text, &header, &value(&thread::thread(thread)));
        }
        for lock in &self.locks {
            let file = LockFile { protocol: Lax::good(lock.protocol) };
            table(&mut text, &format!("[locks.{}]", key(&lock.name)), &value(&file));
        }
        for request in &self.requests {
            table(&mut text, "[[at]]", &change::request(request));
        }
        for expectation in &self.expectations {
            table(&mut text, "[[expect]]", &value(&expectation::expectation(expectation)));
        }
        text
    }
}

/// A header and the keys below it, one a line.
fn table(text: &mut String, header: &str, value: &Value) {
    let Value::Table(entries) = value else {
        return;
    };
    if !header.is_empty() {
        if entries.is_empty() {
            return;
        }
        text.push('\n');
        text.push_str(header);
        text.push('\n');
    }
    for (name, value) in entries {
        text.push_str(&format!("{} = {}\n", key(name), inline(value)));
    }
}

/// A value on one line, but for lists of tables: those have a line for each.
fn inline(value: &Value) -> String {
    match value {
        Value::Array(list) if list.iter().any(Value::is_table) => {
            let items: Vec<String> = list.iter().map(|item| format!("    {item},\n")).collect();
            format!("[\n{}]", items.concat())
        }
        value => value.to_string(),
    }
}

/// A key, in quotes where it needs them. JSON's escapes are TOML's, too.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(bare) {
        name.to_owned()
    } else {
        serde_json::to_string(name).unwrap_or_default()
    }
}

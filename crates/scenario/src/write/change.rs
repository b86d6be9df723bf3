//! Control requests, as they are written.

use super::{requirements, scheduler, value};
use crate::file::{AtFile, Frequency, Lax, WithRequirements};
use crate::model::{Change, Request, Requirements, Whom};
use toml::Value;

pub(super) fn request(request: &Request) -> Value {
    let file = AtFile { time: Lax::good(request.time), ..AtFile::default() };
    change(&request.change, file)
}

// Length: a table: the keys of each change.
fn change(change: &Change, file: AtFile) -> Value {
    let verb = |verb: &str| Lax::good(verb.to_owned());
    let name = |name: &String| Lax::good(name.clone());
    let parameter = |word: &str, whom: &Whom, requested: &Requirements| {
        let file = AtFile { r#do: verb(word), ..file.clone() };
        let own = match whom {
            Whom::Thread(thread) => AtFile { thread: name(thread), ..file },
            Whom::Scheduler(scheduler, own) => AtFile {
                scheduler: name(scheduler),
                processor: (*own != 0).then_some(Lax(Ok(*own))),
                ..file
            },
        };
        value(&WithRequirements { own, requirements: requirements(requested) })
    };
    let none = Requirements::default();
    let file = match change {
        Change::Create(created) => {
            let mut written =
                value(&AtFile { r#do: verb("create"), name: name(&created.name), ..file });
            if let Value::Table(table) = &mut written {
                table.insert("with".to_owned(), scheduler::scheduler(created));
            }
            return written;
        }
        Change::Destroy(scheduler) => {
            AtFile { r#do: verb("destroy"), scheduler: name(scheduler), ..file }
        }
        Change::Default(scheduler) => {
            AtFile { r#do: verb("default"), scheduler: name(scheduler), ..file }
        }
        Change::Move { thread, to, requires: requested } => {
            let file = AtFile { r#do: verb("move"), thread: name(thread), to: name(to), ..file };
            return value(&WithRequirements { own: file, requirements: requirements(requested) });
        }
        Change::MoveScheduler { own: (node, own), to, requires: requested } => {
            let processor = (*own != 0).then_some(Lax(Ok(*own)));
            let (scheduler, to) = (name(node), name(&scheduler::parent_name(to).to_owned()));
            let file = AtFile { r#do: verb("move"), scheduler, processor, to, ..file };
            return value(&WithRequirements { own: file, requirements: requirements(requested) });
        }
        Change::AddParent { scheduler: node, to, requires: requested } => {
            let (scheduler, to) = (name(node), name(&scheduler::parent_name(to).to_owned()));
            let file = AtFile { r#do: verb("add-parent"), scheduler, to, ..file };
            return value(&WithRequirements { own: file, requirements: requirements(requested) });
        }
        Change::RemoveParent(scheduler, own) => AtFile {
            r#do: verb("remove-parent"),
            scheduler: name(scheduler),
            processor: (*own != 0).then_some(Lax(Ok(*own))),
            ..file
        },
        Change::Transaction(parts) => {
            let mut written = value(&AtFile { r#do: verb("transaction"), ..file });
            let parts = parts.iter().map(|part| self::change(part, AtFile::default()));
            if let Value::Table(table) = &mut written {
                table.insert("requests".to_owned(), Value::Array(parts.collect()));
            }
            return written;
        }
        Change::Set(whom, key, value) => {
            return parameter(key.key, whom, &none.with(key, *value));
        }
        Change::Guarantee(whom, guarantee) => {
            return parameter("guarantee", whom, &Requirements::guarantee(*guarantee));
        }
        Change::Unreserve(whom) => return parameter("unreserve", whom, &none),
        Change::Quantum(scheduler, quantum) => AtFile {
            r#do: verb("quantum"),
            scheduler: name(scheduler),
            quantum: Lax::good(*quantum),
            ..file
        },
        Change::Transfer { from, to, work } => AtFile {
            r#do: verb("transfer"),
            from: name(from),
            to: name(to),
            work: Lax::good(*work),
            ..file
        },
        Change::Enqueue { queue, datum } => {
            AtFile { r#do: verb("enqueue"), queue: name(queue), datum: Lax::good(*datum), ..file }
        }
        Change::Timer(timer) => {
            AtFile { r#do: verb("timer"), timer: Lax::good(Frequency(*timer)), ..file }
        }
    };
    value(&file)
}

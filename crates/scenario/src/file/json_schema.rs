//! The JSON schema of a file, for the types that are not read as they are declared.

use super::parameter::parameter_schema;
use super::requirements::{GUARANTEE, HasRequirements};
use super::{
    AtFile, Command, ExpectFile, HeadFile, InterruptsFile, KindFile, Lax, LockFile, MachineFile,
    Processors, ProgramFile, Scalar, SchedulerFile, SpeedFile, TextOr, ThreadFile,
    WithRequirements,
};
use crate::Guarantee;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A machine, its schedulers, its threads, what happens to them, and what must come of it.
#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(title = "Windfall scenario", rename = "Scenario")]
#[expect(dead_code, reason = "the shape of the file; read piece by piece")]
pub(crate) struct ScenarioFile {
    #[serde(flatten)]
    head: HeadFile,
    /// The machine.
    machine: Option<MachineFile>,
    /// Interrupts, which take processor time from threads.
    interrupts: Option<Vec<InterruptsFile>>,
    /// The schedulers by name.
    schedulers: Option<BTreeMap<String, WithRequirements<SchedulerFile>>>,
    /// Programs by name, for the threads that name them.
    programs: Option<BTreeMap<String, ProgramFile>>,
    /// The threads by name.
    threads: Option<BTreeMap<String, WithRequirements<ThreadFile>>>,
    /// Locks by name, with their protocols.
    locks: Option<BTreeMap<String, LockFile>>,
    /// Control requests, made during the run.
    at: Option<Vec<WithRequirements<AtFile>>>,
    /// Expectations, judged at the end.
    expect: Option<Vec<ExpectFile>>,
}

impl<T: Scalar> JsonSchema for Lax<T> {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed(T::NAME)
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let wanted = T::wanted().replace('`', "");
        match T::json() {
            [one] => json_schema!({ "type": one, "description": wanted }),
            several => json_schema!({ "type": several, "description": wanted }),
        }
    }
}

impl<T: JsonSchema> JsonSchema for TextOr<T> {
    fn schema_name() -> Cow<'static, str> {
        Cow::Owned(format!("text-or-{}", T::schema_name()))
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [{ "type": "string" }, table] })
    }
}

impl JsonSchema for KindFile {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("ProgramOfKind")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let kind = "A kind of program, as `bsat-sink`; `windfall catalogue` lists them.";
        json_schema!({
            "type": "object",
            "description": "A program of a kind; keys beside `kind` are its settings.",
            "properties": { "kind": { "type": "string", "description": kind } },
            "required": ["kind"],
            "additionalProperties": true,
        })
    }
}

impl JsonSchema for Processors {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Processors")
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let list = generator.subschema_for::<Vec<SpeedFile>>();
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 1 }, list] })
    }
}

impl JsonSchema for Command {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Command")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": { "type": "string" }, "minItems": 1 })
    }
}

impl<T: JsonSchema + HasRequirements> JsonSchema for WithRequirements<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        let mut guarantee = generator.subschema_for::<Lax<Guarantee>>();
        let help = "A guarantee, as `RESBH 3ms 10ms`; becomes what the parent's kind understands.";
        guarantee.insert("description".to_owned(), json!(help));
        let parameters = T::parameters().map(|parameter| {
            let mut value = parameter_schema(parameter.form, generator);
            value.insert("description".to_owned(), json!(parameter.help));
            (parameter.key, value)
        });
        let all = [(GUARANTEE, guarantee)].into_iter().chain(parameters);
        let all: Vec<(String, Value)> =
            all.map(|(key, value)| (key.to_owned(), value.to_value())).collect();
        let object = schema.ensure_object();
        if let Some(Value::Object(keys)) = object.get_mut("properties") {
            keys.extend(all);
        }
        schema
    }
}

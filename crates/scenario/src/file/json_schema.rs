//! The shape of a file as a JSON schema: of the types that are not read as they are declared.

use super::{
    AtFile, Command, ExpectFile, HeadFile, InterruptsFile, Lax, MachineFile, Processors,
    ProgramFile, Scalar, SchedulerFile, SpeedFile, TextOr, ThreadFile,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
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
    /// Who takes processor time without being a thread.
    interrupts: Option<Vec<InterruptsFile>>,
    /// The schedulers by name.
    schedulers: Option<BTreeMap<String, SchedulerFile>>,
    /// Programs by name, which threads run that name them.
    programs: Option<BTreeMap<String, ProgramFile>>,
    /// The threads by name.
    threads: Option<BTreeMap<String, ThreadFile>>,
    /// What users ask for while it runs.
    at: Option<Vec<AtFile>>,
    /// What must hold at the end.
    expect: Option<Vec<ExpectFile>>,
}

impl<T: Scalar> JsonSchema for Lax<T> {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed(T::NAME)
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let wanted = T::WANTED.replace('`', "");
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

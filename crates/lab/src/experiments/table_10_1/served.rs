//! The operations from user level: requests on the control socket of a run, for a thread of the requesting process and for one of another.
//!
//! Each time is all that the client waits: connecting, sending, the checks of what would break, the change under the lock, and the answer.

use super::TIMES;
use crate::experiment::LabError;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use windfall_clocks::Lap;
use windfall_linux::{Settings, control};
use windfall_scenario::Scenario;
use windfall_schedulers::kinds;

/// The paper's tree, ten threads of this process, and one of another.
const TREE: &str = r#"
schema  = 2
length  = "60 s"
default = "ts"
[schedulers.fp]
scheduler = "fixed-priority"
parent    = "top"
[schedulers.res]
scheduler = "rez"
parent    = "fp"
priority  = 1
[schedulers.ts]
scheduler = "time-sharing"
parent    = "fp"
priority  = 0
[threads.a]
count = 10
run   = "spin"
[threads.other]
exec = ["sleep", "60"]
"#;

/// Between two requests, so that none is refused as one too many.
const PAUSE: Duration = Duration::from_millis(3);
/// How long to wait for the run, and for another that supervises this machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// By row of the paper's table: the times of the operation, in microseconds.
pub(super) type Served = [Vec<f64>; 9];

/// Measures them; an error gives the reason if that is impossible here.
pub(super) fn measure() -> Result<Served, LabError> {
    let socket = std::env::temp_dir().join(format!("windfall-table-10-1-{}", std::process::id()));
    let scenario = Scenario::parse("table-10-1", TREE);
    let scenario = scenario?;
    let plan = scenario.build()?;
    let settings =
        Settings { scenario: Some(scenario), socket: Some(socket.clone()), ..Settings::default() };
    let run = std::thread::spawn(move || windfall_linux::run(plan, &settings, None).map(drop));
    let begun = Instant::now();
    let other = loop {
        if run.is_finished() || begun.elapsed() > PATIENCE {
            let ended = run.is_finished().then(|| run.join().ok()?.err()).flatten();
            let why = ended.map_or_else(|| "no run began".to_owned(), |why| why.to_string());
            return Err(LabError::Run(why));
        }
        let listing = control::list(Some(&socket)).ok();
        let threads = listing.map(|listing| listing.threads).unwrap_or_default();
        let known = threads.into_iter().find(|thread| thread.name.starts_with("other"));
        match known {
            Some(thread) if thread.parent.is_some() => break thread.name,
            _ => std::thread::sleep(PAUSE),
        }
    };
    let measured = Client { socket }.rounds(&other);
    let _ = run.join(); // its outcome is not used
    measured
}

struct Client {
    socket: PathBuf,
}

impl Client {
    fn rounds(&self, other: &str) -> Result<Served, LabError> {
        let mut samples = Served::default();
        let mut wrong = None;
        for _ in 0..TIMES {
            if let Err(why) = self.round(other, &mut samples) {
                wrong = Some(why);
                break;
            }
        }
        let _ = self.send(json!({ "do": "stop" }));
        match wrong {
            Some(why) => Err(why),
            None => Ok(samples),
        }
    }

    /// Each operation once, by its row.
    fn round(&self, other: &str, samples: &mut Served) -> Result<(), LabError> {
        let with = json!({ "scheduler": kinds::TIME_SHARING.name, "parent": "ts" });
        let begin = |thread: &str| json!({ "do": "move", "thread": thread, "to": "res", "reserve": "4ms/20ms" });
        let end = |thread: &str| json!({ "do": "unreserve", "thread": thread });
        let operations = [
            (Some(2), json!({ "do": "create", "name": "another", "with": with })),
            (Some(4), json!({ "do": "move", "thread": "a-1", "to": "another" })),
            (None, json!({ "do": "move", "thread": "a-1", "to": "ts" })),
            (Some(3), json!({ "do": "destroy", "scheduler": "another" })),
            (Some(5), begin("a-1")),
            (Some(6), end("a-1")),
            (Some(7), begin(other)),
            (Some(8), end(other)),
        ];
        for (row, request) in operations {
            std::thread::sleep(PAUSE);
            let us = self.send(request)?;
            if let Some(row) = row {
                samples[row].push(us);
            }
        }
        Ok(())
    }

    /// Makes a request, and returns the time that it took in microseconds.
    fn send(&self, request: Value) -> Result<f64, LabError> {
        let request: Map<String, Value> = match request {
            Value::Object(request) => request,
            other => return Err(LabError::Run(format!("{other} is no request"))),
        };
        let lap = Lap::begin();
        let answer = control::send(Some(Path::new(&self.socket)), request);
        let us = lap.passed().as_secs_f64() * 1e6;
        answer??;
        Ok(us)
    }
}

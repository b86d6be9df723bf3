//! Programs that are phases of steps.

use super::reader::Reader;
use crate::diagnostic::Code;
use crate::file::{Lax, PhaseFile, StepFile, TextOr};
use crate::model::{Phase, Run, Step};
use crate::source::Path;
use windfall_time::Span;

/// `steps` of a thread: one phase.
pub(super) fn alone(
    list: Vec<TextOr<StepFile>>,
    loops: Option<Lax<u64>>,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Option<Run> {
    let loops = reader.get(loops, &path.key("loops"));
    let steps = steps(list, &path.key("steps"), reader);
    Some(Run::Phases { loops, phases: vec![Phase::new("main", steps)] })
}

/// `phases` of a thread.
pub(super) fn phases(
    list: Vec<PhaseFile>,
    loops: Option<Lax<u64>>,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Option<Run> {
    let loops = reader.get(loops, &path.key("loops"));
    let path = path.key("phases");
    if list.is_empty() {
        reader.wrong(
            Code::EmptyPhase,
            &path,
            "no phases",
            "write at least one, or another program",
        );
    }
    let phases = list.into_iter().enumerate().map(|(number, file)| {
        let path = path.item(number);
        let name = reader.get(file.name, &path.key("name"));
        let count = reader.get(file.loops, &path.key("loops"));
        if file.steps.is_none() {
            reader.missing(&path.key("steps"), "`steps = [{ run = \"1ms\" }]`");
        }
        let steps = steps(file.steps.unwrap_or_default(), &path.key("steps"), reader);
        let name = name.unwrap_or_else(|| format!("phase-{}", number + 1));
        Phase::new(name, steps).loops(count.unwrap_or(1))
    });
    let phases = phases.collect();
    Some(Run::Phases { loops, phases })
}

fn steps(list: Vec<TextOr<StepFile>>, path: &Path, reader: &mut Reader<'_>) -> Vec<Step> {
    list.into_iter()
        .enumerate()
        .map(|(number, step)| {
            let path = path.item(number);
            // A step that could not be read and has been reported takes time and names nothing.
            StepFile::read(step, &path, reader).unwrap_or(Step::Sleep(Span::from_secs(1)))
        })
        .collect()
}

//! Threads, and the rehearsal of their admission.

use super::programs::Numbers;
use super::trees::Nodes;
use super::{Builder, Recordings, recordings, what_fits};
use crate::diagnostic::Code;
use crate::model::{Requirements, Run, Scenario, Thread};
use crate::parameters::{self, ParameterWriter};
use crate::plan::{PlannedProgram, PlannedThread};
use crate::source::Path;
use windfall_hierarchy::{AnswerError, HierarchyError, Message, OwnVp, Target};
use windfall_programs::Program;
use windfall_time::Instant;

impl Builder<'_> {
    /// Every thread, those of a `count` next to each other.
    pub(super) fn threads(
        &mut self,
        nodes: &Nodes<'_>,
        recordings: &mut dyn Recordings,
    ) -> Vec<PlannedThread> {
        let scenario = self.scenario;
        let numbers = Numbers::of(scenario);
        let mut planned = Vec::new();
        for thread in &scenario.threads {
            let Some(parent) = parent_of(scenario, thread) else {
                continue;
            };
            let Some((_, node)) = nodes.iter().find(|(name, _)| *name == parent) else {
                continue;
            };
            let messages = self.messages(thread, parent);
            let promised = thread.requires.guarantee.map(|guarantee| guarantee.to_string());
            for (at, name) in thread.names().enumerate() {
                let declared = match &thread.run {
                    Run::Recorded { file, thread: recorded } => {
                        match self.recorded(thread, (file, recorded, at), recordings, &numbers) {
                            Some(program) => Some(program),
                            None => break,
                        }
                    }
                    _ => numbers.program(thread, at),
                };
                // A recorded thread starts no earlier than in its recording.
                let born = match &declared {
                    Some(Program::Recorded(recorded)) => recorded.start,
                    _ => Instant::ZERO,
                };
                let Some(program) = planned_program(thread, declared) else {
                    break;
                };
                planned.push(PlannedThread {
                    name,
                    parent: *node,
                    messages: messages.iter().map(|(_, message)| *message).collect(),
                    promised: promised.clone(),
                    program,
                    start: thread.start.max(born),
                    working_set_kib: thread.working_set_kib,
                });
            }
        }
        planned
    }

    fn messages(&self, thread: &Thread, parent: &str) -> Vec<(&'static str, Message)> {
        thread_messages(self.scenario, self.writer, thread, parent)
    }

    /// The parameters of a thread below a scheduler.
    pub(super) fn parameters(
        &self,
        requires: &Requirements,
        parent: &str,
    ) -> Vec<(&'static str, Message)> {
        self.writer.messages(requires, Some(parent)).unwrap_or_default()
    }

    fn recorded(
        &mut self,
        thread: &Thread,
        (file, recorded, at): (&str, &str, usize),
        recordings: &mut dyn Recordings,
        numbers: &Numbers<'_>,
    ) -> Option<Program> {
        let others = self.scenario.threads.iter().filter_map(|other| match &other.run {
            Run::Recorded { file: theirs, thread } if theirs == file => {
                let first = numbers.first(other);
                Some((thread.clone(), first..first + other.names().count()))
            }
            _ => None,
        });
        let others: recordings::Numbers = others.collect();
        match recordings.program(file, recorded, at, &others) {
            Ok(program) => Some(program),
            Err(why) => {
                let path = Path::of(&["threads", &thread.name, "recorded"]);
                if why.is_of_the_file() {
                    self.unread(file, &path, &why);
                    return None;
                }
                self.wrong(
                    Code::Recording,
                    &[path],
                    format!("`{recorded}` of `{file}`: {why}"),
                    None,
                );
                None
            }
        }
    }

    /// Creates every thread in a hierarchy of its own: those that exist from the beginning all
    /// together, later ones each alone, since room may have become free by then.
    pub(super) fn rehearse(&mut self) {
        let scenario = self.scenario;
        let (mut hierarchy, nodes) = self.tree();
        let now = Instant::ZERO;
        let (first, late): (Vec<&Thread>, Vec<&Thread>) =
            scenario.threads.iter().partition(|thread| thread.start == Instant::ZERO);
        for (thread, alone) in
            first.into_iter().map(|t| (t, false)).chain(late.into_iter().map(|t| (t, true)))
        {
            let Some(parent) = parent_of(scenario, thread) else {
                continue;
            };
            let Some((_, node)) = nodes.iter().find(|(name, _)| *name == parent) else {
                continue;
            };
            let path = Path::of(&["threads", &thread.name]);
            let messages = self.messages(thread, parent);
            let times = if alone { 1 } else { thread.names().count() };
            'twins: for _ in 0..times {
                let id = match hierarchy.create_thread(now, *node, &[]) {
                    Ok(id) => id,
                    Err(refusal) if alone && !is_lasting(&refusal) => break,
                    Err(refusal) => {
                        let text = format!("{parent}: refused `{}`: {refusal}", thread.name);
                        self.wrong(Code::NotAdmitted, &[path.key("parent")], text, None);
                        break;
                    }
                };
                for (key, message) in &messages {
                    let answer = hierarchy.send_for(now, Target::Thread(id), OwnVp(0), *message);
                    match answer {
                        Err(refusal) if !alone || is_lasting(&refusal) => {
                            let text = format!("{parent}: refused `{}`: {refusal}", thread.name);
                            self.wrong(
                                Code::NotAdmitted,
                                &[path.key(key), path.key("parent")],
                                text,
                                what_fits(key),
                            );
                            break 'twins;
                        }
                        _ => {}
                    }
                }
                if alone {
                    let _ = hierarchy.exited(now, id);
                }
            }
        }
    }
}

/// The program of a thread; `None` if it is neither declared nor external, which the checks refuse.
fn planned_program(thread: &Thread, declared: Option<Program>) -> Option<PlannedProgram> {
    let Some(external) = thread.external.clone() else {
        return declared.map(PlannedProgram::Declared);
    };
    let profile = match &thread.run {
        Run::Profile(name) => Some(name.clone()),
        _ => None,
    };
    Some(PlannedProgram::External { external, profile, stand_in: declared })
}

/// The parameters of a thread, its own program's rate included.
fn thread_messages(
    scenario: &Scenario,
    writer: &ParameterWriter<'_>,
    thread: &Thread,
    parent: &str,
) -> Vec<(&'static str, Message)> {
    let mut messages = writer.messages(&thread.requires, Some(parent)).unwrap_or_default();
    messages.extend(
        parameters::rate(scenario, &thread.run, &thread.requires, parent)
            .map(|rate| ("periodic", rate.message())),
    );
    messages
}

/// The scheduler above a thread, by name.
pub(crate) fn parent_of<'a>(scenario: &'a Scenario, thread: &'a Thread) -> Option<&'a str> {
    thread.parent.as_deref().or_else(|| scenario.default_scheduler())
}

/// Whether a refusal would be the same at any other time.
fn is_lasting(refusal: &HierarchyError) -> bool {
    matches!(
        refusal,
        HierarchyError::Refused(AnswerError::NotUnderstood { .. } | AnswerError::OutOfRange { .. })
    )
}

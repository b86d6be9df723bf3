//! Requests of threads for themselves in their steps: that they name existing schedulers, and that the schedulers take them.

use super::Checker;
use crate::build::parent_of;
use crate::diagnostic::Code;
use crate::model::{Parent, Requirements, Scenario, Step, Thread, parameter_of};
use crate::parameters::{ParameterWriter, out_of_range};
use crate::source::Path;
use windfall_programs::{Interaction, OwnRequest};

pub(super) fn check(
    checker: &mut Checker<'_>,
    thread: &Thread,
    steps: &[(&Step, Path)],
    writer: &ParameterWriter<'_>,
) {
    for (step, path) in steps {
        let Interaction::Requests(request) = step.interaction() else { continue };
        if let Some((parameter, value)) = parameter_of(request)
            && !parameter.form.allows(value)
        {
            let (code, key, message, help) = out_of_range(parameter);
            checker.wrong(code, &[path.key(key)], message, &help);
        }
        match request {
            OwnRequest::Reserve { at: Some(at), .. } => {
                checker.scheduler_exists(at, true, &[path.key("to")]);
            }
            OwnRequest::Guarantee { guarantee, at } => {
                let to = at.as_deref().or_else(|| parent_of(checker.scenario, thread));
                let known = at
                    .as_ref()
                    .is_none_or(|at| checker.scheduler_exists(at, true, &[path.key("to")]));
                let requires = Requirements::guarantee(*guarantee);
                if known && let Err((code, _, message, help)) = writer.messages(&requires, to) {
                    checker.wrong(code, &[path.key("guarantee")], message, &help);
                }
            }
            OwnRequest::Share(share @ 1..) => {
                let parent = parent_of(checker.scenario, thread);
                if let Err((code, key, message, help)) = writer.share((*share).into(), parent) {
                    checker.wrong(code, &[path.key(key)], message, &help);
                }
            }
            OwnRequest::Move(to) if checker.scheduler_exists(to, true, &[path.key("move")]) => {
                moves(checker, thread, to, path);
            }
            _ => {}
        }
    }
}

/// A thread moves itself to a scheduler at or below the one that it begins at.
fn moves(checker: &mut Checker<'_>, thread: &Thread, to: &str, path: &Path) {
    let Some(home) = parent_of(checker.scenario, thread) else { return };
    if !lies_at_or_below(checker.scenario, to, home, 0) {
        let message = format!("`{to}` does not lie below `{home}`, where `{}` begins", thread.name);
        let help = format!(
            "name `{home}` or a scheduler below it; reserve at `{to}`, or write an entry of `[[at]]`"
        );
        checker.wrong(Code::OutsideSubtree, &[path.key("move")], message, &help);
    }
}

/// Whether one scheduler is at or below another, in the tree of the file with all schedulers that it creates.
fn lies_at_or_below(scenario: &Scenario, name: &str, above: &str, depth: usize) -> bool {
    let mut all = scenario.all_schedulers();
    name == above
        || depth < windfall_hierarchy::LEVELS
            && all.find(|scheduler| scheduler.name == name).is_some_and(|scheduler| {
                scheduler.owns.iter().any(|own| match &own.parent {
                    Parent::Scheduler(parent) => {
                        lies_at_or_below(scenario, parent, above, depth + 1)
                    }
                    Parent::Top | Parent::Nowhere => false,
                })
            })
}

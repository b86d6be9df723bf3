//! Programs that control threads of others: that the schedulers they name exist, and that all keep accounts of epochs.

use super::Checker;
use crate::diagnostic::Code;
use crate::model::Thread;
use crate::source::Path;
use windfall_programs::{Start, is_of_family};

/// Checks the family of schedulers that a thread's process controls, if it controls any.
pub(super) fn check(checker: &mut Checker<'_>, thread: &Thread, start: &Start, path: &Path) {
    let Some(family) = start.controls() else { return };
    let scenario = checker.scenario;
    let paths = [path.key("nodes"), path.clone()];
    let mut named = false;
    for scheduler in scenario.all_schedulers() {
        if !is_of_family(family, &scheduler.name) {
            continue;
        }
        named = true;
        let kind = scenario.catalogue.find(&scheduler.kind);
        if kind.is_some_and(|kind| !kind.properties.keeps_epochs) {
            let message = format!(
                "`{}` is of kind `{}`, which keeps no accounts of epochs for `{}` to read",
                scheduler.name, scheduler.kind, thread.name
            );
            let kinds = scenario.kinds_with(|kind| kind.properties.keeps_epochs);
            let help = format!(
                "name a family of schedulers in `nodes` that keep such accounts ({kinds}), or give this scheduler another name"
            );
            checker.wrong(Code::NotControllable, &paths, message, &help);
        }
    }
    if !named {
        let message = format!("no scheduler is called `{family}` or `{family}-1`");
        let help =
            "name the schedulers in `nodes`: those of this name, and this name with a number";
        checker.wrong(Code::UnknownScheduler, &paths, message, help);
    }
}

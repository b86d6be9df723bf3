//! Whether a thread or a scheduler may have another parent, when a request comes, than where it begins.

use super::names;
use crate::model::{Change, Run, Scenario, Step, Thread, Whom};
use windfall_programs::OwnRequest;

/// Whether its parent is not known beforehand.
pub(super) fn may_be(scenario: &Scenario, whom: &Whom) -> bool {
    // What is destroyed leaves its children to the default.
    let parent = scenario.parent_of_whom(whom);
    let orphaned =
        |change: &Change| matches!(change, Change::Destroy(gone) if Some(gone.as_str()) == parent);
    let is_moved = match whom {
        Whom::Thread(name) => names::find(scenario, name).is_some_and(|one| thread(scenario, one)),
        Whom::Scheduler(name, _) => scheduler(scenario, name),
    };
    is_moved || scenario.changes().any(orphaned)
}

/// Whether some request moves a scheduler.
pub(super) fn scheduler(scenario: &Scenario, name: &str) -> bool {
    let moves =
        |change: &Change| matches!(change, Change::MoveScheduler { own, .. } if own.0 == name);
    scenario.changes().any(moves)
}

/// Whether some request moves a thread, or it may move itself.
fn thread(scenario: &Scenario, entry: &Thread) -> bool {
    let moves = |change: &Change| matches!(change, Change::Move { thread, .. } if names::means(thread, entry));
    let own = |step: &Step| matches!(step, Step::OwnRequest(OwnRequest::Move(_)));
    // Of a run that is under way it is known where its threads are.
    let itself = !scenario.under_way
        && (matches!(entry.run, Run::OfKind { .. }) || entry.run.all_steps().any(own));
    itself || scenario.changes().any(moves)
}

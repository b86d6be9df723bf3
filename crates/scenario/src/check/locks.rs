//! Locks with a protocol: that such locks exist, and that their holders can be lent a rank (decision 0022).

use super::Checker;
use crate::build::{lends_ranks, parent_of, rank};
use crate::diagnostic::Code;
use crate::model::{Lock, Thread};
use crate::source::Path;
use crate::suggest;
use windfall_programs::{LockProtocol, Sharing};
use windfall_schedulers::kinds::{EDF, FIXED_PRIORITY, RATE_MONOTONIC};

pub(super) fn check(checker: &mut Checker<'_>) {
    let scenario = checker.scenario;
    for lock in &scenario.locks {
        let path = Path::of(&["locks", &lock.name]);
        let users: Vec<&Thread> =
            scenario.threads.iter().filter(|thread| thread.run.takes(&lock.name)).collect();
        if users.is_empty() {
            unknown(checker, lock, &path);
        } else if lock.protocol != LockProtocol::None {
            inherits(checker, lock, &users, &path.key("protocol"));
        }
    }
}

fn unknown(checker: &mut Checker<'_>, lock: &Lock, path: &Path) {
    let threads = &checker.scenario.threads;
    let named = threads.iter().flat_map(|thread| thread.run.all_steps());
    let named: Vec<(&String, Sharing)> = named.flat_map(|step| step.shared()).collect();
    let other = named.iter().find(|(name, sort)| **name == lock.name && *sort != Sharing::Lock);
    if other.is_some() {
        let message = format!("`{}` is no lock in the steps of threads", lock.name);
        checker.wrong_key(Code::MixedUse, path, message, "give the lock another name");
        return;
    }
    let locks = named.iter().filter(|(_, sort)| *sort == Sharing::Lock);
    let hint = suggest::hint(&lock.name, locks.map(|(name, _)| name.as_str()));
    let message = format!("no step takes the lock `{}`", lock.name);
    checker.wrong_key(Code::UnknownLock, path, message, &hint);
}

/// Whether a rank can be lent among the users of a lock.
fn inherits(checker: &mut Checker<'_>, lock: &Lock, users: &[&Thread], path: &Path) {
    let scenario = checker.scenario;
    let Some(parent) = users.first().and_then(|user| parent_of(scenario, user)) else { return };
    if let Some(other) = users.iter().find(|user| parent_of(scenario, user) != Some(parent)) {
        let (name, first) = (&other.name, &users[0].name);
        let message = format!(
            "`{}` is shared by `{first}` and `{name}`, which are below different schedulers",
            lock.name
        );
        let help = "put all its users below one scheduler, or write `protocol = \"none\"`";
        let paths = [path.clone(), Path::of(&["threads", name, "parent"])];
        checker.wrong(Code::LockAcrossSchedulers, &paths, message, help);
        return;
    }
    let Some(scheduler) = scenario.scheduler_named(parent).filter(|_| scenario.has_kind(parent))
    else {
        return; // reported elsewhere
    };
    if !lends_ranks(scenario, scheduler) {
        let message = format!("`{parent}` cannot lend the rank of one thread to another");
        let help = format!(
            "use `{FIXED_PRIORITY}` without `exclusive`, `{RATE_MONOTONIC}`, or `{EDF}` whose late jobs complete; \
             or write `protocol = \"none\"`"
        );
        checker.wrong(Code::LockNotInherited, std::slice::from_ref(path), message, &help);
        return;
    }
    for user in users {
        if rank(scenario, scheduler, user).is_none() {
            let thread = Path::of(&["threads", &user.name]);
            let paths = [thread.key("steps"), thread.key("phases"), path.clone()];
            let message = format!(
                "`{}` shares the lock `{}`, and its rank is not written",
                user.name, lock.name
            );
            let help = format!(
                "write its `priority` or `rate`, as its scheduler wants it; below `{EDF}` with the period of its \
                 one `timer` step"
            );
            checker.wrong(Code::LockWithoutRank, &paths, message, &help);
        }
    }
}

//! Control requests: that they name existing objects, and come in time.

use super::schedulers::{alone, fits};
use super::{Checker, names};
use crate::diagnostic::Code;
use crate::model::{
    Change, Lock, Parent, Requirements, Run, Scenario, Scheduler, Setting, Step, Thread, Timer,
    Whom,
};
use crate::parameters::{ParameterWriter, out_of_range, taken};
use crate::source::Path;
use windfall_programs::{Interaction, LockProtocol, OwnRequest};
use windfall_schedulers::catalogue::Settings;
use windfall_schedulers::parameters::{PROCESSORS, ParameterValue};
use windfall_time::Span;

pub(super) fn check(checker: &mut Checker<'_>, writer: &ParameterWriter<'_>) {
    let scenario = checker.scenario;
    for (number, request) in scenario.requests.iter().enumerate() {
        let path = Path::of(&["at"]).item(number);
        if request.time.as_nanos() > scenario.length.as_nanos() {
            let message = format!("{} comes when all is over", request.time);
            let help = format!("write at most the scenario's length, {}", scenario.length);
            checker.wrong(Code::AfterTheEnd, &[path.key("time")], message, &help);
        }
        change(checker, &request.change, &path, writer);
    }
}

// Length: a table: what must hold of each request.
fn change(checker: &mut Checker<'_>, change: &Change, path: &Path, writer: &ParameterWriter<'_>) {
    let scenario = checker.scenario;
    match change {
        Change::Create(created) => self::created(checker, created, path, writer),
        Change::Destroy(name) | Change::Default(name) | Change::Quantum(name, _) => {
            checker.scheduler_exists(name, true, &[path.key("scheduler")]);
            if matches!(change, Change::Quantum(_, Span::ZERO)) {
                let (at, help) = (path.key("quantum"), "write a time above zero");
                checker.wrong(Code::ZeroTime, &[at], "no time at all", help);
            }
        }
        Change::Move { thread, to, requires } => {
            checker.thread_exists(thread, &path.key("thread"));
            stays_for_lock(checker, thread, path);
            if checker.scheduler_exists(to, true, &[path.key("to")]) && scenario.has_kind(to) {
                let paths = |key: &str| vec![path.key(key), path.key("to")];
                fits(checker, requires, Some(to), writer, paths);
            }
        }
        Change::MoveScheduler { own: (name, number), to, requires } => {
            own(checker, name, *number, path);
            keeps_bindings(checker, name, path, writer);
            parent(checker, name, (to, requires), path, writer);
        }
        Change::AddParent { scheduler, to, requires } => {
            checker.scheduler_exists(scheduler, true, &[path.key("scheduler")]);
            keeps_bindings(checker, scheduler, path, writer);
            parent(checker, scheduler, (to, requires), path, writer);
        }
        Change::RemoveParent(name, number) => {
            keeps_bindings(checker, name, path, writer);
            if let Some(1) = own(checker, name, *number, path) {
                let message = format!("`{name}` would have no parent left");
                let help = "add another parent before, or destroy it";
                checker.wrong(Code::TooFewParents, &[path.key("scheduler")], message, help);
            }
        }
        Change::Transaction(parts) => {
            for (number, part) in parts.iter().enumerate() {
                self::change(checker, part, &path.key("requests").item(number), writer);
            }
        }
        Change::Set(whom, parameter, value) => {
            self::whom(checker, whom, path);
            if !parameter.form.allows(*value) {
                let (code, key, message, help) = out_of_range(parameter);
                checker.wrong(code, &[path.key(key)], message, &help);
            }
            if **parameter == PROCESSORS {
                bound(checker, (whom, *value), path, writer);
            } else if !may_have_moved(scenario, whom)
                && let Some(kind) = writer.kind(scenario.parent_of_whom(whom))
                && let Err((code, key, message, help)) = taken(kind, parameter)
            {
                checker.wrong(code, &[path.key(key)], message, &help);
            }
        }
        Change::Guarantee(whom, guarantee) => {
            self::whom(checker, whom, path);
            let parent = scenario.parent_of_whom(whom);
            let paths = |_: &str| vec![path.key("guarantee")];
            if parent.is_some() {
                fits(checker, &Requirements::guarantee(*guarantee), parent, writer, paths);
            }
        }
        Change::Unreserve(whom) => self::whom(checker, whom, path),
        Change::Transfer { from, to, .. } => transfer(checker, [from, to], path, writer),
        // Which queues there are is known only when processes have made them.
        Change::Enqueue { .. } => {}
        Change::Timer(timer) => {
            if *timer == Timer::Ticks(0) {
                let at = path.key("timer");
                checker.wrong(Code::OutOfRange, &[at], "a timer at 0 Hz", "write 1 Hz or more");
            }
        }
    }
}

/// Laxity moves from a scheduler that admits tasks to another that lies below it.
fn transfer(
    checker: &mut Checker<'_>,
    [from, to]: [&String; 2],
    path: &Path,
    writer: &ParameterWriter<'_>,
) {
    let scenario = checker.scenario;
    for (name, key) in [(from, "from"), (to, "to")] {
        if !checker.scheduler_exists(name, true, &[path.key(key)]) {
            return;
        }
        let found = scenario.scheduler_named(name);
        if let Some(found) = found.filter(|found| !scenario.admits(found)) {
            let message = format!("`{name}` is a `{}`, which has no laxity to move", found.kind);
            let kinds = scenario.kinds_with(|kind| kind.properties.admits);
            let help = format!("name one of a kind that admits tasks: {kinds}");
            checker.wrong(Code::NoTransfer, &[path.key(key)], message, &help);
            return;
        }
    }
    let keeps = |giver: &Scheduler| {
        let settings = Setting::values(&giver.settings);
        scenario.kind_of(giver)?.keeps_laxity(&Settings(&settings)).ok()?
    };
    if let Some(why) = scenario.scheduler_named(from).and_then(keeps) {
        let message = format!("`{from}` {why}");
        let help = format!("leave that setting out of `{from}`");
        checker.wrong(Code::NoTransfer, &[path.key("from")], message, &help);
        return;
    }
    if scenario.way_between(from, to).is_none() {
        let (why, help) = unsure(scenario, from, to);
        let message = format!("`{to}` does not lie below `{from}`{why}");
        checker.wrong(Code::NoTransfer, &[path.key("to")], message, &help);
    } else if !writer.processors().is_on_one(to) {
        let message = format!("`{to}` may be served on several processors at once");
        let help = format!("give `{to}` parents that all lie on the processor of `{from}`");
        checker.wrong(Code::NoTransfer, &[path.key("to")], message, &help);
    }
}

/// Why a scheduler that does not lie below a giver cannot be sure of its time (decision 0034), and what would work.
fn unsure(scenario: &Scenario, from: &str, to: &str) -> (String, String) {
    if from == to {
        let help = format!("name a scheduler below `{from}`");
        return (", and has its laxity already".to_owned(), help);
    }
    if scenario.way_between(to, from).is_some() {
        let why = format!(" but above it, and has back what `{from}` does not use");
        return (why, "wait until it has passed, or move less to it".to_owned());
    }
    let owns = scenario.scheduler_named(from).map(|from| &from.owns[..]).unwrap_or_default();
    let parents = owns.iter().map(|own| own.parent.name().unwrap_or("top"));
    let parents: Vec<_> = parents.map(|parent| format!("`{parent}`")).collect();
    let why = format!(
        "; what that leaves goes back to {}, which may give it to others",
        parents.join(" and ")
    );
    let kinds = scenario.kinds_with(|kind| kind.properties.adds_up);
    let help = format!(
        "put it below `{from}`, or below a scheduler ({kinds}) whose parents are that and the one where it holds a guarantee"
    );
    (why, help)
}

/// A thread that shares an inheriting lock stays below the scheduler of the others.
fn stays_for_lock(checker: &mut Checker<'_>, thread: &str, path: &Path) {
    let scenario = checker.scenario;
    let Some(moved) = names::find(scenario, thread) else { return };
    let inherits =
        |lock: &&Lock| lock.protocol != LockProtocol::None && moved.run.takes(&lock.name);
    if let Some(lock) = scenario.locks.iter().find(inherits) {
        let message = format!("`{thread}` shares the lock `{}`, which inherits", lock.name);
        let help = "leave it below the scheduler of the others that use it";
        checker.wrong(Code::LockAcrossSchedulers, &[path.key("to")], message, help);
    }
}

/// A thread that a request binds is where it was at the beginning.
fn bound(
    checker: &mut Checker<'_>,
    (whom, value): (&Whom, ParameterValue),
    path: &Path,
    writer: &ParameterWriter<'_>,
) {
    let scenario = checker.scenario;
    let Whom::Thread(name) = whom else {
        let help = "name a thread";
        let message = "threads are bound to processors, not schedulers";
        checker.wrong(Code::MisplacedKey, &[path.key("scheduler")], message, help);
        return;
    };
    let mut changes = scenario.changes();
    if changes.any(|change| matches!(change, Change::Move { thread, .. } if thread == name)) {
        let message = format!("`{name}` may be below another scheduler by then");
        let help = "write `processors` with the request that moves it";
        checker.wrong(Code::BindingNotKept, &[path.key(PROCESSORS.key)], message, help);
    } else if let Some(parent) = scenario.parent_of_whom(whom) {
        let requires = Requirements::default().with(&PROCESSORS, value);
        fits(checker, &requires, Some(parent), writer, |key| vec![path.key(key)]);
    }
}

/// A scheduler keeps its parents if a thread at or below it is bound to some processors.
fn keeps_bindings(
    checker: &mut Checker<'_>,
    name: &str,
    path: &Path,
    writer: &ParameterWriter<'_>,
) {
    if let Some(thread) = writer.processors().bound_at_or_below(name) {
        let message = format!("`{thread}` is bound to processors that `{name}` has where it is");
        let help = "bind it to all processors before, or leave the scheduler where it is";
        checker.wrong(Code::BindingNotKept, &[path.key("scheduler")], message, help);
    }
}

fn created(
    checker: &mut Checker<'_>,
    created: &Scheduler,
    path: &Path,
    writer: &ParameterWriter<'_>,
) {
    if checker.names.is_scheduler(&created.name)
        || names::find(checker.scenario, &created.name).is_some()
    {
        let message = format!("`{}` exists already", created.name);
        checker.wrong(Code::DuplicateName, &[path.key("name")], message, "choose another name");
    }
    if let Some(why) = names::unfit(&created.name) {
        let message = format!("the name `{}` {why}", names::shown(&created.name));
        checker.wrong(Code::InvalidName, &[path.key("name")], message, "choose another name");
    }
    alone(checker, created, &path.key("with"), writer, true);
}

/// A scheduler's new parent, and its parameters there.
fn parent(
    checker: &mut Checker<'_>,
    name: &str,
    (to, requires): (&Parent, &Requirements),
    path: &Path,
    writer: &ParameterWriter<'_>,
) {
    let to_path = path.key("to");
    let known = match to.name() {
        None => true,
        Some(to) if to == name => {
            let message = format!("`{name}` would lie below itself");
            checker.wrong(
                Code::SchedulerCycle,
                std::slice::from_ref(&to_path),
                message,
                "name another parent",
            );
            return;
        }
        Some(to) => {
            checker.scheduler_exists(to, true, std::slice::from_ref(&to_path))
                && checker.scenario.has_kind(to)
        }
    };
    if requires.get(&PROCESSORS).is_some() {
        let message = "threads are bound to processors, not schedulers";
        checker.wrong(Code::MisplacedKey, &[path.key(PROCESSORS.key)], message, "leave it out");
    } else if known {
        fits(checker, requires, to.name(), writer, |key| vec![path.key(key), to_path.clone()]);
    }
}

/// A scheduler's own virtual processor. Returns how many it has, if that is known: it is not if a request creates the scheduler.
fn own(checker: &mut Checker<'_>, name: &str, number: u16, path: &Path) -> Option<usize> {
    if !checker.scheduler_exists(name, true, &[path.key("scheduler")]) {
        return None;
    }
    let scenario = checker.scenario;
    let owns = scenario.schedulers.iter().find(|other| other.name == *name)?.owns.len();
    // An earlier request of the file may have added one.
    let added = scenario.changes().filter(
        |change| matches!(change, Change::AddParent { scheduler, .. } if scheduler == name),
    );
    let most = owns + added.count();
    if usize::from(number) >= most {
        let message = format!("`{name}` has no virtual processor {number}");
        let help = format!("write 0 to {}", most.saturating_sub(1));
        let paths = [path.key("processor"), path.key("scheduler")];
        checker.wrong(Code::UnknownProcessor, &paths, message, &help);
    }
    Some(most)
}

fn whom(checker: &mut Checker<'_>, whom: &Whom, path: &Path) {
    let (name, number) = match whom {
        Whom::Thread(name) => {
            checker.thread_exists(name, &path.key("thread"));
            return;
        }
        Whom::Scheduler(name, number) => (name, *number),
    };
    if own(checker, name, number, path).is_none() {
        return;
    }
    let schedulers = &checker.scenario.schedulers;
    let scheduler = schedulers.iter().find(|other| other.name == *name);
    let own = scheduler.and_then(|scheduler| scheduler.owns.get(usize::from(number)));
    if own.is_some_and(|own| own.parent == Parent::Top) && !moves_scheduler(checker.scenario, name)
    {
        let message = format!("`{name}` lies below the top, which takes no parameters");
        checker.wrong(
            Code::TopParameter,
            &[path.key("scheduler")],
            message,
            "ask for it where it has a parent",
        );
    }
}

/// Whether a thread or a scheduler may have another parent, when a request comes, than where it begins.
fn may_have_moved(scenario: &Scenario, whom: &Whom) -> bool {
    // What is destroyed leaves its children to the default.
    let parent = scenario.parent_of_whom(whom);
    let orphaned =
        |change: &Change| matches!(change, Change::Destroy(gone) if Some(gone.as_str()) == parent);
    let is_moved = match whom {
        Whom::Thread(name) => {
            names::find(scenario, name).is_some_and(|one| moves_thread(scenario, one))
        }
        Whom::Scheduler(name, _) => moves_scheduler(scenario, name),
    };
    is_moved || scenario.changes().any(orphaned)
}

/// Whether some request moves a scheduler.
fn moves_scheduler(scenario: &Scenario, name: &str) -> bool {
    let moves =
        |change: &Change| matches!(change, Change::MoveScheduler { own, .. } if own.0 == name);
    scenario.changes().any(moves)
}

/// Whether some request moves a thread, or it may move itself.
fn moves_thread(scenario: &Scenario, entry: &Thread) -> bool {
    let moves = |change: &Change| matches!(change, Change::Move { thread, .. } if names::means(thread, entry));
    let own =
        |step: &Step| matches!(step.interaction(), Interaction::Requests(OwnRequest::Move(_)));
    // Of a run that is under way it is known where its threads are.
    let itself = !scenario.under_way
        && (matches!(entry.run, Run::OfKind { .. }) || entry.run.all_steps().any(own));
    itself || scenario.changes().any(moves)
}

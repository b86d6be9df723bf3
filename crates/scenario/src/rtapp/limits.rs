//! Limits of a file: its size stays convertible, and it has nothing that makes rt-app itself fail.
//!
//! Invariant: threads, steps and processor numbers of an accepted file are bounded, so
//! code that processes each of them is, too.

use super::keys::Findings;
use super::{Action, EntryError, Event, Policy, RtApp, RtAppError, Scheduling, Task};
use std::collections::BTreeSet;

/// How many bytes a file may have.
pub const MOST_BYTES: u64 = 16 << 20;
/// How many threads the tasks of a file may have, all together.
const MOST_THREADS: u64 = 100_000;
/// How many events all these threads may have.
const MOST_EVENTS: u64 = 1_000_000;
/// How many processors (and nodes of memory) can be named: 0 to one less.
pub(super) const MOST_PROCESSORS: u32 = 1024;

/// How many doubtful places a file may have.
pub(super) const MOST_WARNINGS: usize = 10_000;
/// How many of the problems of a file that is refused are listed.
const LISTED: usize = 100;
/// How many groups may lie within each other in a `taskgroup`.
const MOST_GROUPS: usize = 16;

/// Refuses values above the limits, and those that the kernel would refuse to rt-app.
pub(super) fn check(app: &RtApp, f: &mut Findings) {
    let (mut threads, mut events) = (0_u64, 0_u64);
    for task in &app.tasks {
        let own: usize = task.phases.iter().map(|phase| phase.events.len()).sum();
        let (own, instances) = (own as u64, u64::from(task.instance));
        let (threads_before, events_before) = (threads, events);
        threads = threads.saturating_add(instances);
        events = events.saturating_add(own.saturating_mul(instances));
        let line = task.instance_line;
        if threads > MOST_THREADS && threads_before <= MOST_THREADS {
            let left = MOST_THREADS - threads_before;
            f.refuse_line(line, format!(
                "`instance` of task `{}` is {instances}; allowed: at most {MOST_THREADS} threads in \
                 the whole file, of which {left} are left here",
                task.name
            ));
        } else if events > MOST_EVENTS && events_before <= MOST_EVENTS {
            let left = (MOST_EVENTS - events_before).checked_div(own).unwrap_or(0);
            f.refuse_line(
                line,
                format!(
                    "{instances} threads of task `{}` have {own} events each; allowed: at most \
                 {MOST_EVENTS} in all threads of the file, so `instance` is at most {left} here",
                    task.name
                ),
            );
        }
        scheduling(task, app.global.default_policy, f);
        locks(task, f);
    }
}

/// A thread that releases a lock, or waits with it, has taken it before; a thread that takes one releases it: rt-app
/// leaves other cases to the C library.
fn locks(task: &Task, f: &mut Findings) {
    let events = || task.reached().iter().flat_map(|phase| &phase.events);
    let unlocks = |event: &Event| match &event.action {
        Action::Unlock(name) => Some(name.clone()),
        _ => None,
    };
    let given: BTreeSet<String> = events().filter_map(unlocks).collect();
    let mut held = BTreeSet::new();
    for event in events() {
        let (name, own) = (&task.name, &event.name);
        let (lock, holds) = match &event.action {
            Action::Lock(lock) => {
                held.insert(lock);
                if !given.contains(lock) {
                    let text = format!("`{own}`: task `{name}` never gives `{lock}` back");
                    f.refuse_line(event.line, format!("{text}; write `unlock`"));
                }
                continue;
            }
            Action::Unlock(lock) => (lock, held.remove(lock)),
            Action::Wait { mutex, .. } | Action::Sync { mutex, .. } => {
                (mutex, held.contains(mutex))
            }
            _ => continue,
        };
        if !holds {
            let text = format!("`{own}`: task `{name}` does not hold `{lock}` there");
            f.refuse_line(event.line, format!("{text}; write `lock` before it"));
        }
    }
}

/// The scheduling of a task and, from there on, of its phases.
fn scheduling(task: &Task, default: Policy, f: &mut Findings) {
    let mut policy = task.scheduling.policy.unwrap_or(default);
    let mut group = task.scheduling.taskgroup.is_some();
    one(&task.scheduling, policy, group, task.line, f);
    for phase in &task.phases {
        policy = phase.scheduling.policy.unwrap_or(policy);
        group |= phase.scheduling.taskgroup.is_some();
        one(&phase.scheduling, policy, group, phase.line, f);
    }
}

fn one(scheduling: &Scheduling, policy: Policy, group: bool, line: u32, f: &mut Findings) {
    let line = |key: &str| scheduling.line(key).unwrap_or(line);
    if scheduling.cpus.as_ref().is_some_and(Vec::is_empty) {
        f.refuse_line(line("cpus"), "`cpus` names no processor; name one, or leave it out".into());
    }
    let (range, what) = match policy {
        Policy::Other | Policy::Batch => (-20..=19, "nice values from -20 to 19"),
        Policy::Fifo | Policy::RoundRobin => (1..=99, "real-time priorities from 1 to 99"),
        Policy::Idle | Policy::Deadline => (i32::MIN..=i32::MAX, ""),
    };
    if let Some(priority) = scheduling.priority
        && !range.contains(&priority)
    {
        f.refuse_line(line("priority"), format!("`priority` is {priority}; allowed: {what}"));
    }
    if policy == Policy::Deadline {
        reservation(scheduling, &line, f);
    }
    let Some(name) = &scheduling.taskgroup else {
        if group && scheduling.policy.is_some() && !policy.is_fair() {
            let text = "a task in a `taskgroup` has another policy than the fair ones";
            f.refuse_line(line("policy"), format!("{text}; leave one of the two out"));
        }
        return;
    };
    if !name.starts_with('/') {
        f.refuse_line(line("taskgroup"), format!("`taskgroup` is `{name}`; begin it with `/`"));
    }
    let depth = name.split('/').filter(|part| !part.is_empty()).count();
    if depth > MOST_GROUPS {
        let text = format!("`taskgroup` has {depth} levels; allowed: at most {MOST_GROUPS}");
        f.refuse_line(line("taskgroup"), text);
    }
    if !policy.is_fair() {
        let text = "`taskgroup` goes with SCHED_OTHER, SCHED_BATCH and SCHED_IDLE only";
        f.refuse_line(line("taskgroup"), format!("{text}; leave it out"));
    }
}

/// The kernel takes a reservation whose runtime is at most its deadline, and that at most its period.
fn reservation(scheduling: &Scheduling, line: &impl Fn(&str) -> u32, f: &mut Findings) {
    let whole = scheduling.reservation().filter(|whole| !whole.runtime.is_zero());
    let Some(whole) = whole else {
        if scheduling.policy == Some(Policy::Deadline) || !scheduling.lines.is_empty() {
            let text = "SCHED_DEADLINE without `dl-runtime`; write it, in microseconds";
            f.refuse_line(line("policy"), text.to_owned());
        }
        return;
    };
    if whole.runtime > whole.deadline {
        let text = format!(
            "`dl-runtime` is {}; allowed: at most the deadline of {}",
            whole.runtime, whole.deadline
        );
        f.refuse_line(line("dl-runtime"), text);
    } else if whole.deadline > whole.period {
        let text = format!(
            "`dl-deadline` is {}; allowed: at most the period of {}",
            whole.deadline, whole.period
        );
        f.refuse_line(line("dl-deadline"), text);
    }
}

/// All problems in the order of the file; of more than can be read the first, and how many follow.
pub(super) fn listed(mut problems: Vec<EntryError>) -> RtAppError {
    problems.sort_by_key(|problem| (problem.line, problem.column));
    let more = problems.len().saturating_sub(LISTED);
    if more > 0 {
        problems.truncate(LISTED + 1);
        problems[LISTED].text = format!("from here on {more} more problems");
    }
    RtAppError { problems }
}

/// Why a file with more doubtful places is refused.
pub(super) fn too_doubtful() -> String {
    format!("more than {MOST_WARNINGS} doubtful places before this; is it an rt-app file?")
}

impl Findings {
    fn refuse_line(&mut self, line: u32, text: String) {
        self.errors.push(EntryError { line, column: 1, text });
    }
}

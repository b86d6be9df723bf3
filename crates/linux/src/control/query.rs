//! Queries about the free capacity of a scheduler that admits jobs (PORTS 2.2, 2.4). They change nothing.

use super::tasks::free_capacity;
use super::wire::ControlError;
use crate::supervise::locked::Locked;
use crate::supervise::settle::settle;
use serde_json::{Value, json};
use windfall_host::TaskQueryError;
use windfall_programs::{IdleTime, TaskError};
use windfall_time::Span;

/// Whether all of these tasks, each so much work by a time from now, would be done in time if they were submitted now. Of one, the idle time before that and the earliest time for it; of
/// several, these of the first that would be refused after those before it.
///
/// # Errors
/// When there is no such scheduler, or it admits nothing; when it would refuse one of several for another reason than time.
pub(super) fn answer(
    host: &Locked,
    scheduler: &str,
    tasks: Vec<(Span, Span)>,
) -> Result<Value, ControlError> {
    let wanted = scheduler.to_owned();
    let (requested, name) = (tasks.clone(), || format!("`{scheduler}`"));
    let found = host.call(move |s| {
        settle(s);
        // One moment for the question and its answer, however long that takes.
        let now = s.host.machine.clock.now();
        s.host.machine.clock.set_event(Some(now));
        let due = |(work, by): &(Span, Span)| (*work, now.saturating_add(*by));
        let due: Vec<_> = requested.iter().map(due).collect();
        let found = match due.as_slice() {
            [(work, by)] => s.host.temporal_query(&wanted, *work, *by).map(Found::One),
            several => match s.host.what_if(&wanted, several) {
                Ok(()) => Ok(Found::Several(Ok(()))),
                Err(TaskQueryError::Refused(why)) => Ok(Found::Several(Err(why))),
                Err(nobody) => Err(nobody),
            },
        };
        s.host.machine.clock.set_event(None);
        settle(s); // tasks that were found to be lost may have given way to others
        let found =
            found.map_err(|why| (why, s.host.live(now).map(|live| live.kinds_that_admit())));
        Ok((now, found?))
    });
    let (now, found) = found.map_err(|(why, kinds): (TaskQueryError, Option<String>)| {
        let which = kinds.map_or_else(
            || "name one that admits tasks".to_owned(),
            |kinds| format!("those of these kinds admit tasks: {kinds}"),
        );
        let help = format!("`windfall ctl list` shows the schedulers; {which}");
        ControlError::new(name(), why.to_string(), help)
    })?;
    match (found, tasks.as_slice()) {
        (Found::One(idle), [(work, by), ..]) => Ok(free_capacity(now, *work, *by, idle)),
        (Found::Several(Err(TaskError::OneOf { index, why })), _) => match (*why, tasks.get(index))
        {
            (TaskError::NoTime { instead, .. }, Some((work, by))) => {
                let mut answer = free_capacity(now, *work, *by, instead);
                answer["admits"] = false.into();
                answer["tasks"] = tasks.len().into();
                answer["refused"] = index.into();
                Ok(answer)
            }
            (why, _) => Err(ControlError::new(name(), format!("task {index}: {why}"), "")),
        },
        (Found::Several(Err(why)), _) => Err(ControlError::new(name(), why.to_string(), "")),
        (Found::One(_) | Found::Several(Ok(())), _) => {
            Ok(json!({ "admits": true, "tasks": tasks.len(), "refused": null }))
        }
    }
}

/// The answer of a scheduler.
enum Found {
    One(IdleTime),
    Several(Result<(), TaskError>),
}

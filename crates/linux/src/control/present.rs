//! The scenario as it is now: it is copied from the event loop, and requests are planned and judged in the copy by the thread that serves clients,
//! because that takes milliseconds.

use super::wire::ControlError;
use crate::control;
use crate::supervise::locked::Locked;
use crate::supervise::settle::settle;
use windfall_host::{ControlRequestError, ControlRequestErrorKind};
use windfall_scenario::{Live, LiveNode, LiveRequest, LiveThread, PlannedRequest, PromiseChange};

/// The schedulers and threads that requests may refer to.
type There = (Vec<LiveNode>, Vec<LiveThread>);

/// The scenario as it is now, with its schedulers and threads.
///
/// # Errors
/// When the run has no scenario.
pub(super) fn there(host: &Locked) -> Result<(Live, There), ControlError> {
    let found = host.call(|s| {
        let now = s.time();
        let live = s.host.live(now).map(|live| live.clone());
        live.map(|live| (live, s.host.there()))
    });
    found.ok_or_else(|| ControlError::new("a request", "the run has no scenario", "report it"))
}

/// Plans a request.
///
/// # Errors
/// The first mistake in it.
pub(super) fn plan(
    live: &Live,
    nodes: &[LiveNode],
    threads: &[LiveThread],
    verb: &str,
    text: &str,
) -> Result<LiveRequest, ControlError> {
    live.plan(nodes, threads, text).map_err(|diagnostics| {
        let first = diagnostics.list().first();
        let why = first.map_or_else(String::new, |first| first.message.clone());
        let help = first.and_then(|first| first.help.clone()).unwrap_or_default();
        ControlError::new(format!("`{verb}`"), why, help)
    })
}

/// Carries out a request that was planned for these threads.
///
/// # Errors
/// The first refusal; nothing has changed then.
pub(super) fn carry_out(
    host: &Locked,
    live: &Live,
    (nodes, threads): (&[LiveNode], &[LiveThread]),
    mut request: LiveRequest,
) -> Result<(), ControlError> {
    let planned = together(std::mem::take(&mut request.planned));
    let meant = planned.parts().iter().filter_map(PlannedRequest::thread);
    let meant = meant.filter_map(|at| Some((at, threads.get(at)?.name.clone())));
    let meant: Vec<(usize, String)> = meant.collect();
    let change = live.promise_change(nodes, threads, &request);
    let done = host.call(move |s| {
        settle(s);
        // A number may belong to another thread by now.
        let ended = meant.iter().find(|(at, name)| !control::is_called(s, *at, name));
        if let Some((_, name)) = ended {
            let why = ControlRequestErrorKind::Ended.to_string();
            return Err(ControlError::new(format!("`{name}`"), why, ""));
        }
        let refused = s.host.request_judged(planned, &change);
        settle(s);
        match refused.into_iter().next() {
            Some(first) => Err(refusal(first)),
            None => {
                let now = s.time();
                s.host.carried_out(now, request);
                Ok(())
            }
        }
    });
    done?;
    let (live, (nodes, threads)) = there(host)?;
    let promises = live.promises(&nodes, &threads);
    host.call(move |s| {
        s.host.record_promises(&promises);
        s.host.promises_change(&PromiseChange::untouched(promises));
    });
    Ok(())
}

/// Requests of which all happen or none.
pub(super) fn together(mut planned: Vec<PlannedRequest>) -> PlannedRequest {
    if planned.len() == 1 {
        return planned.remove(0);
    }
    PlannedRequest::Transaction(planned)
}

/// A host's refusal.
pub(super) fn refusal(refused: ControlRequestError) -> ControlError {
    ControlError::new(refused.request, refused.why.to_string(), "")
}

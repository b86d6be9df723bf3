//! The effect of a step is what its thread does: each effect beside the actions of a program of that step alone.

use super::{Interaction, Numbers, Pause, Phase, Step};
use crate::action::{Action, Resource, Station, Tick};
use crate::program::{Program, Work};
use crate::request::OwnRequest;
use windfall_time::{Instant, Span};

const MS: Span = Span::from_millis(1);
const NOW: Instant = Instant::from_nanos(7);

/// One of each; the compiler leads here from [`is_in_the_list`].
fn each() -> [Step; 19] {
    let (work, station) = (Work::Fixed(Span::from_millis(5)), Station(3));
    [
        Step::Run(work),
        Step::Run(Work::Uniform(MS, Span::from_millis(5))),
        Step::Sleep(MS),
        Step::Sleep(Span::ZERO),
        Step::Sleep(Span::MAX),
        Step::Timer { timer: 0, period: MS, tick: Tick::Absolute },
        Step::Job,
        Step::Lock(Resource(1)),
        Step::Unlock(Resource(1)),
        Step::Wait { condition: Resource(2), lock: Resource(1) },
        Step::Signal(Resource(2)),
        Step::Broadcast(Resource(2)),
        Step::Barrier(Resource(3)),
        Step::Yield,
        Step::Suspend,
        Step::Resume(4),
        Step::OwnRequest(OwnRequest::Share(2)),
        Step::Visit { station, times: 2 },
        Step::RunVisiting { work, station, every: MS },
    ]
}

/// Every step is; a new one does not compile until somebody has been here.
const fn is_in_the_list(step: &Step) {
    match step {
        Step::Run(_) | Step::Sleep(_) | Step::Timer { .. } | Step::Job => {}
        Step::Lock(_) | Step::Unlock(_) | Step::Wait { .. } | Step::Signal(_) => {}
        Step::Broadcast(_) | Step::Barrier(_) | Step::Yield | Step::Suspend => {}
        Step::Resume(_) | Step::OwnRequest(_) | Step::Visit { .. } | Step::RunVisiting { .. } => {}
    }
}

/// All that a thread does in the step.
fn actions(step: &Step) -> Vec<Action> {
    let phases = vec![Phase::new("one", vec![step.clone()])];
    let mut body = Program::Phases { loops: Some(1), phases }.start(1);
    let mut all = Vec::new();
    while all.len() < 100 {
        match body.next(NOW) {
            Action::Exit => return all,
            action => all.push(action),
        }
    }
    panic!("{step:?} has no end");
}

/// The dealings of an action with others.
const fn interaction(action: &Action) -> Option<Interaction<'_, Numbers>> {
    Some(match action {
        Action::Lock(lock) => Interaction::Takes(lock),
        Action::Unlock(lock) => Interaction::Releases(lock),
        Action::Wait { condition, lock } => Interaction::AwaitsSignal { condition, lock },
        Action::Signal(condition) | Action::Broadcast(condition) => Interaction::Signals(condition),
        Action::Barrier(barrier) => Interaction::AwaitsAll(barrier),
        Action::AwaitWake => Interaction::AwaitsResume,
        Action::Wake(thread) => Interaction::Resumes(thread),
        Action::Visit(station) => Interaction::Visits(station),
        Action::OwnRequest(request) => Interaction::Requests(request),
        _ => return None,
    })
}

/// How a thread may stop in an action for anything but a lock.
fn pause(action: &Action) -> Pause {
    match action {
        Action::SleepUntil(Instant::MAX) => Pause::ForEver,
        Action::SleepUntil(at) if *at > NOW => Pause::Time,
        Action::Wait { .. } | Action::Barrier(_) | Action::AwaitWake => Pause::Time,
        Action::SleepUntil(_) | Action::Visit(_) | Action::OwnRequest(_) => Pause::Possible,
        _ => Pause::No,
    }
}

#[test]
fn law_the_effect_of_a_step_is_what_its_thread_does() {
    for step in each() {
        is_in_the_list(&step);
        let (effect, actions) = (step.effect(), actions(&step));
        let computed = actions.iter().filter_map(|action| match action {
            Action::Compute(work) => Some(*work),
            _ => None,
        });
        let computed = computed.fold(Span::ZERO, Span::saturating_add);
        match step {
            // At most so much; and the most that is drawn is the bound, not the least.
            Step::Run(Work::Uniform(least, most)) => {
                assert!(least <= computed && computed <= most && effect.computes == most);
            }
            _ => assert_eq!(computed, effect.computes, "{step:?}"),
        }
        let begun = actions.iter().find_map(|action| match action {
            Action::JobBegins { release, deadline } => {
                Some(deadline.map(|deadline| deadline.saturating_since(*release)))
            }
            _ => None,
        });
        assert_eq!((begun.is_some(), begun.flatten()), (effect.begins_job, effect.due), "{step:?}");
        let with = actions.iter().find_map(interaction).unwrap_or(Interaction::Nothing);
        assert_eq!(with, effect.interaction, "{step:?}");
        let pauses = actions.iter().map(pause);
        let longest = pauses.max().unwrap_or(Pause::No);
        assert_eq!(longest > Pause::No, effect.pause > Pause::No, "{step:?}");
        // How long a visit takes, the station says; each takes some time.
        let visits = matches!(step, Step::Visit { .. });
        assert_eq!(if visits { Pause::Time } else { longest }, effect.pause, "{step:?}");
    }
}

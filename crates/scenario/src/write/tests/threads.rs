//! Random threads: their programs and actions, and those of a real machine.

use super::*;
use crate::model::{Activation, Phase, Run};
use windfall_programs::{OnLate, OwnRequest, Tick, Work};

fn work() -> impl Strategy<Value = Work> {
    pair().prop_map(|(a, b)| if a == b { Work::Fixed(a) } else { Work::Uniform(a, b) })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        work().prop_map(Step::Run),
        span().prop_map(Step::Sleep),
        ("t[0-9]", span(), any::<bool>()).prop_map(|(timer, period, grid)| Step::Timer {
            timer,
            period,
            tick: if grid { Tick::Absolute } else { Tick::Relative },
        }),
        (station(), 1_u64..4).prop_map(|(station, times)| Step::Visit { station, times }),
        (work(), station(), span()).prop_map(|(work, station, every)| Step::RunVisiting {
            work,
            station,
            every
        }),
        Just(Step::Job),
        Just(Step::Yield),
        "c[0-9]".prop_map(Step::Signal),
        "c[0-9]".prop_map(Step::Broadcast),
        Just(Step::Resume("thread 0".to_owned())),
        Just(Step::OwnRequest(OwnRequest::Unreserve)),
        (1_u32..9).prop_map(|amount| Step::OwnRequest(OwnRequest::reserve(
            Span::from_millis(amount),
            Span::from_millis(10)
        ))),
        any::<bool>().prop_map(|here| {
            let request = OwnRequest::guarantee("NULL".parse().unwrap());
            Step::OwnRequest(if here { request } else { request.at("fp") })
        }),
        any::<i32>().prop_map(|priority| Step::OwnRequest(OwnRequest::Priority(priority))),
        (1_u32..9).prop_map(|share| Step::OwnRequest(OwnRequest::Share(share))),
    ]
}

fn phase() -> impl Strategy<Value = Phase> {
    let steps = proptest::collection::vec(step(), 0..5);
    let name = prop_oneof![Just("main".to_owned()), "[a-z]{1,5}"];
    (name, 1_u64..3, work(), steps).prop_map(|(name, loops, work, mut steps)| {
        steps.push(Step::Run(work));
        Phase::new(name, steps).loops(loops)
    })
}

fn jobs() -> impl Strategy<Value = Jobs> {
    let activation = prop_oneof![
        (instant(), span()).prop_map(|(offset, period)| Activation::Periodic { offset, period }),
        (instant(), pair()).prop_map(|(offset, (least, most))| Activation::Sporadic {
            offset,
            least,
            most
        }),
    ];
    let late = prop_oneof![Just(OnLate::Complete), Just(OnLate::Abort)];
    let (deadline, count) = (proptest::option::of(span()), proptest::option::of(0_u64..9));
    (activation, work(), deadline, late, count).prop_map(
        |(activation, work, deadline, late, count)| {
            let mut jobs = Jobs::new(activation, work).late(late);
            (jobs.deadline, jobs.count) = (deadline, count);
            jobs
        },
    )
}

pub(super) fn run() -> BoxedStrategy<Run> {
    let phases = proptest::collection::vec(phase(), 1..4);
    prop_oneof![
        instant().prop_map(|from| Run::Spin { from }),
        jobs().prop_map(Run::Jobs),
        (proptest::option::of(1_u64..5), phases)
            .prop_map(|(loops, phases)| Run::Phases { loops, phases }),
        (".{0,9}", ".{0,9}").prop_map(|(file, thread)| Run::Recorded { file, thread }),
    ]
    .boxed()
}

/// For thread number n, of several entries that name different programs.
pub(super) fn external(n: usize) -> BoxedStrategy<External> {
    let exec = (
        proptest::collection::vec("[^\0]{1,9}", 1..4),
        proptest::collection::btree_map("[A-Z]{1,3}", "[^\0]{0,5}", 0..3),
    )
        .prop_map(|(command, env)| ExternalProgram::Exec { command, env });
    let program = prop_oneof![
        exec,
        Just(ExternalProgram::Pid(u32::try_from(n).unwrap() + 2)),
        Just(ExternalProgram::Cgroup(format!("/user.slice/{n}"))),
        Just(ExternalProgram::Unit(format!("a{n}.service"))),
    ];
    let comm = proptest::option::of("[^\0]{0,3}\\*");
    let exe = proptest::option::of("[/*][^\0]{0,9}");
    let routine = proptest::option::of("[^\0:]{0,5}:[^\0:]{0,5}(::[^\0:]{0,3})?");
    (program, comm, exe, routine, any::<bool>())
        .prop_map(|(program, comm, exe, routine, each)| External {
            program,
            threads: ThreadMatch { comm, exe, routine },
            each,
        })
        .boxed()
}

/// The model of a real machine's program in a simulation.
pub(super) fn stand_in() -> BoxedStrategy<Run> {
    prop_oneof![run(), Just(Run::Unknown), ".{0,9}".prop_map(Run::Profile)].boxed()
}

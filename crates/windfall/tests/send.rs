//! What a user builds may be moved to a thread of its own.

use windfall::analysis::search::Boundary;
use windfall::analysis::{Locks, Supply, Task};
use windfall::guarantees::check::{Findings, Node, Tree};
use windfall::guarantees::{Conversion, Guarantee};
use windfall::hierarchy::{Hierarchy, Scheduler};
use windfall::host::Accounts;
use windfall::processes::Ended;
use windfall::programs::learn::Learned;
use windfall::programs::{Body, Program, ProgramRuntime};
use windfall::scenario::explain::Explanation;
use windfall::scenario::model::{Requirements, Run, Thread};
use windfall::scenario::outcome::{PromiseVerdict, Verdict};
use windfall::scenario::{
    Catalogues, Diagnostics, Imported, Live, Plan, Promises, Recording, TraceFiles, model,
};
use windfall::schedulers::catalogue::{Catalogue, Kind};
use windfall::trace::{Source, Timeline};
use windfall::{Outcome, Scenario, Sim, Simulated, Simulation, SimulationError, Span, kinds};

const fn assert_send<T: Send>() {}

#[test]
fn law_what_a_user_builds_may_be_moved_to_a_thread() {
    // That this compiles is the test.
    assert_send::<Scenario>();
    assert_send::<Promises>();
    assert_send::<Explanation>();
    assert_send::<Recording>();
    assert_send::<Imported>();
    assert_send::<TraceFiles>();
    assert_send::<Catalogues>();
    assert_send::<Tree>();
    assert_send::<Node>();
    assert_send::<Findings>();
    assert_send::<Guarantee>();
    assert_send::<Box<dyn Conversion>>();
    assert_send::<Verdict>();
    assert_send::<PromiseVerdict>();
    assert_send::<Accounts>();
    assert_send::<Kind>();
    assert_send::<Supply>();
    assert_send::<Task>();
    assert_send::<Locks<'_>>();
    assert_send::<Boundary>();
    assert_send::<Learned>();
    assert_send::<Ended>();
    assert_send::<Source>();
    assert_send::<Timeline>();
    assert_send::<Diagnostics>();
    assert_send::<Plan>();
    assert_send::<Live>();
    assert_send::<Outcome>();
    assert_send::<Catalogue>();
    assert_send::<Hierarchy>();
    assert_send::<Box<dyn Scheduler>>();
    assert_send::<Program>();
    assert_send::<Box<dyn Body>>();
    assert_send::<ProgramRuntime>();
    assert_send::<Simulation<'_>>();
    assert_send::<Sim<'_>>();
    assert_send::<Simulated>();
    assert_send::<SimulationError>();
}

#[test]
fn law_a_simulation_that_began_here_goes_on_on_another_thread() {
    let spin = |name| Thread::new(name, "rr", Requirements::default(), Run::spin());
    let scenario = Scenario::new(Span::from_secs(1))
        .scheduler(model::Scheduler::root("rr", kinds::ROUND_ROBIN))
        .thread(spin("a"))
        .thread(spin("b"));
    let mut simulation = Simulation::of(&scenario).unwrap();
    let first = simulation.step().unwrap();
    let running = std::thread::scope(|scope| {
        let elsewhere = scope.spawn(move || {
            simulation.run_until(first + Span::from_millis(15));
            simulation.running(0).map(str::to_owned)
        });
        elsewhere.join().unwrap()
    });
    assert_eq!(running.as_deref(), Some("b"));
}

const fn assert_error<T: std::error::Error + Send + Sync + 'static>() {}

#[test]
fn law_errors_of_what_is_exported_are_exported_and_may_be_passed_on() {
    // That this compiles is the test.
    assert_error::<windfall::LinuxError>();
    assert_error::<windfall::UnsupportedPlan>();
    assert_error::<SimulationError>();
    assert_error::<windfall::host::ControlRequestError>();
    assert_error::<windfall::host::ControlRequestErrorKind>();
    assert_error::<windfall::programs::ProgramError>();
}

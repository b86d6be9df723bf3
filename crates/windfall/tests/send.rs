//! What a user builds may be moved to a thread of its own.

use windfall::hierarchy::{Hierarchy, Scheduler};
use windfall::programs::{Body, Program, ProgramRuntime};
use windfall::scenario::model::{Requirements, Run, Thread};
use windfall::scenario::{Diagnostics, Live, Plan, model};
use windfall::schedulers::catalogue::Catalogue;
use windfall::{Outcome, Scenario, Sim, Simulated, Simulation, SimulationError, Span, kinds};

const fn assert_send<T: Send>() {}

#[test]
fn law_what_a_user_builds_may_be_moved_to_a_thread() {
    // That this compiles is the test.
    assert_send::<Scenario>();
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

//! A simulation that is carried out in pieces, and one that is judged as a whole.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use windfall_scenario::Scenario;
use windfall_sim::{Simulation, SimulationError, simulate};
use windfall_time::{Instant, Span};

const BUSY: &str = r#"
schema = 2
seed   = 7
length = "2s"
machine = { processors = 2, timer = "1024Hz", costs = { switch = "7us" } }
interrupts = [{ gap = "300us..5ms", cost = "1us..80us" }]

[schedulers.fp]
scheduler = "fixed-priority"
parent = "top"
processors = 2
[schedulers.res]
scheduler = "rez"
parent = "fp"
priority = 1
guarantee = "ALL"
[schedulers.rr]
scheduler = "round-robin"
parent = "fp"
[threads.audio]
parent = "res"
guarantee = "RESBS 2ms 5ms"
periodic = "2ms/10ms"
[threads.bg]
parent = "rr"
count = 3
run = "spin"
"#;

fn scenario(text: &str) -> Scenario {
    Scenario::parse("busy.toml", text).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

#[test]
fn law_in_however_many_pieces_it_comes_to_the_same() {
    let scenario = scenario(BUSY);
    let whole = format!("{:?}", simulate(&scenario).unwrap().outcome);

    let mut stepped = Simulation::of(&scenario).unwrap();
    let mut steps = 0;
    while stepped.step().is_some() {
        steps += 1;
    }
    assert!(steps > 1000, "only {steps} steps");
    stepped.run_until(stepped.end());
    assert_eq!(format!("{:?}", stepped.finish()), whole);

    let mut cut = Simulation::of(&scenario).unwrap();
    let mut at = Instant::ZERO;
    while at < cut.end() {
        cut.run_until(at);
        assert_eq!(cut.now(), at);
        at = at + Span::from_nanos(777_777);
    }
    cut.run_until(Instant::MAX);
    assert_eq!(cut.now(), cut.end());
    assert_eq!(format!("{:?}", cut.finish()), whole);
}

#[test]
fn law_books_close_wherever_it_stands() {
    let scenario = scenario(BUSY);
    let mut simulation = Simulation::of(&scenario).unwrap();
    simulation.run_until(Instant::ZERO + Span::from_nanos(123_456_789));
    let outcome = simulation.finish();
    assert_eq!(outcome.length, Span::from_nanos(123_456_789));
    assert!(outcome.threads[0].completed >= 12);
}

#[test]
fn law_a_simulation_may_go_to_another_thread() {
    let mut simulation = Simulation::of(&scenario(BUSY)).unwrap();
    simulation.run_until(Instant::ZERO + Span::from_millis(10));
    let outcome = std::thread::spawn(move || {
        simulation.run_until(simulation.end());
        simulation.finish()
    });
    let whole = format!("{:?}", simulate(&scenario(BUSY)).unwrap().outcome);
    assert_eq!(format!("{:?}", outcome.join().unwrap()), whole);
}

#[test]
fn law_promises_and_expectations_are_judged_without_being_asked_for() {
    let expects = |most: &str| {
        format!(
            "{BUSY}[[expect]]\nwhat = \"bg-1.received\"\nat-most = \"{most}\"\nbecause = \"it says so\"\n"
        )
    };
    let simulated = simulate(&scenario(&expects("2s"))).unwrap();
    assert_eq!(simulated.outcome.promises.len(), 2, "{:?}", simulated.outcome.promises);
    assert!(simulated.holds());
    assert!(!simulate(&scenario(&expects("1ns"))).unwrap().holds());
}

#[test]
fn refuses_what_cannot_be_simulated_by_kind() {
    let unknown = scenario(&format!("{BUSY}[threads.player]\nexec = [\"mpv\"]\n"));
    let error = simulate(&unknown).unwrap_err();
    assert!(matches!(error, SimulationError::Unsupported(_)), "{error}");
    let nobody = Scenario::new(Span::from_secs(1));
    let error = simulate(&nobody).unwrap_err();
    assert!(matches!(error, SimulationError::Scenario(_)), "{error}");
    assert!(error.to_string().contains("no schedulers"), "{error}");
}

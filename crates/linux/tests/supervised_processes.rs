//! Event-driven processes under a hierarchy: their threads know nothing of it, and each is selected by its name.
//!
//! This file is also the supervised program: the run executes this test binary again, limited to `the_program`.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use windfall_linux::Settings;
use windfall_processes as processes;
use windfall_programs::{Code, Node, Process, ProcessError, ProcessParams, Queue};
use windfall_scenario::Scenario;
use windfall_scenario::outcome::Outcome;
use windfall_time::Span;

const ROLE: &str = "WINDFALL_TEST_PROCESSES";

/// Makes a consumer of data, and passes data to it, computing in between.
#[derive(Clone)]
struct Maker;

#[derive(Clone)]
struct Taker(Queue);

const DATA: u64 = 200;

impl Code for Maker {
    const NAME: &'static str = "maker";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let queue = me.make_queue(Node(0), 1_000).await?;
        let template = me.make_template(Node(0)).await?;
        me.make_process(template, Node(0), ProcessParams::default(), Taker(queue)).await?;
        for datum in 0..DATA {
            me.compute(Span::from_nanos(200_000)).await;
            me.enqueue(queue, datum).await?;
        }
        Ok(())
    }
}

impl Code for Taker {
    const NAME: &'static str = "taker";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        for expected in 0..DATA {
            assert_eq!(me.take(self.0, event).await?, expected);
            me.compute(Span::from_nanos(100_000)).await;
        }
        Ok(())
    }
}

/// The program that a run executes; run as an ordinary test, it does nothing.
#[test]
fn the_program() {
    if std::env::var_os(ROLE).is_some() {
        let ended = processes::run(&processes::Settings::default(), Maker).unwrap();
        assert_eq!((ended.failures.as_slice(), ended.unfinished), (&[][..], 0));
    }
}

#[test]
fn law_a_hierarchy_decides_for_all_processes_that_a_first_one_makes() {
    let text = scenario("the_program", &[("taker", 3), ("maker", 2)], "20s");
    let Some(outcome) = run(&text) else { return };
    let of = |name: &str| {
        let its = outcome.threads.iter().filter(|one| one.name.starts_with(name));
        its.map(|one| one.received).fold(Span::ZERO, Span::saturating_add)
    };
    // Most of their time is computing; part of it may have passed before they were taken.
    let ms = |count: u64| Span::from_nanos(count * 1_000_000);
    assert!(of("maker-") > ms(30) && of("maker-") < ms(80), "{}", of("maker-"));
    assert!(of("taker-") > ms(15) && of("taker-") < ms(40), "{}", of("taker-"));
}

/// A scenario that runs a test of this file as a supervised program. Threads of these names have these priorities, above all others of it.
fn scenario(program: &str, threads: &[(&str, u32)], length: &str) -> String {
    let this = std::env::current_exe().unwrap().display().to_string();
    let named = threads.iter().map(|(name, priority)| {
        format!(
            "[threads.{name}]\nparent = \"fp\"\nof = \"other\"\nmatch = {{ comm = \"{name}\" }}\n\
             priority = {priority}\n"
        )
    });
    format!(
        r#"
schema = 2
seed   = 1
length = "{length}"
[schedulers.fp]
scheduler = "fixed-priority"
parent    = "top"
{}
[threads.other]
parent   = "fp"
exec     = ["{this}", "--exact", "{program}"]
env      = {{ {ROLE} = "1" }}
priority = 1
"#,
        named.collect::<String>()
    )
}

/// Runs it. Skips, with a message, if this machine cannot be supervised now.
fn run(text: &str) -> Option<Outcome> {
    let scenario = || Scenario::parse("processes.toml", text).unwrap_or_else(|e| panic!("{e:?}"));
    for _ in 0..60 {
        match windfall_linux::run(scenario().build().unwrap(), &Settings::default(), None) {
            Ok(outcome) => return Some(outcome),
            Err(why) if why.to_string().contains("twice") => {
                std::thread::sleep(std::time::Duration::from_millis(500));
            }
            Err(why) if why.to_string().contains("as root") => {
                windfall_skips::skip(windfall_skips::Needs::Real, why);
                return None;
            }
            Err(why) => panic!("{why}"),
        }
    }
    panic!("this machine was supervised by somebody else for half a minute");
}

/// The program that another run executes: threads that have their names from the beginning.
#[test]
fn the_named() {
    if std::env::var_os(ROLE).is_none() {
        return;
    }
    for _ in 0..NAMED {
        let named = std::thread::Builder::new().name("named".to_owned());
        let named = named.spawn(|| std::thread::sleep(std::time::Duration::from_millis(200)));
        drop(named.unwrap());
    }
    std::thread::sleep(std::time::Duration::from_millis(400));
}

const NAMED: usize = 60;

#[test]
fn law_a_thread_that_names_itself_while_it_is_met_is_known_by_that_name() {
    let text = scenario("the_named", &[("named", 3)], "5s");
    for _ in 0..3 {
        let Some(outcome) = run(&text) else { return };
        let names = outcome.threads.iter().map(|one| one.name.as_str()).collect::<Vec<_>>();
        let named = names.iter().filter(|name| name.starts_with("named-"));
        assert_eq!(named.count(), NAMED, "{names:?}");
    }
}

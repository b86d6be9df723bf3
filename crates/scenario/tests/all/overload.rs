//! Deadlines on several processors, with too much work, and of threads that nobody serves, as the checker
//! reports them.

use windfall_guarantees::Guarantee;
use windfall_scenario::{Assessment, Scenario};

fn checked(processors: u16, rest: &str) -> Assessment {
    let text = format!(
        "schema = 2\nseed = 1\nlength = \"1s\"\n[machine]\nprocessors = {processors}\n{rest}"
    );
    match Scenario::parse("test.toml", &text) {
        Ok(scenario) => scenario.assess(),
        Err(mistakes) => panic!("{}", mistakes.render(false)),
    }
}

fn edf(works: &[&str]) -> String {
    let mut text = "[schedulers.e]\nscheduler = \"edf\"\nparents = [\"top\", \"top\"]\n".to_owned();
    for (number, work) in works.iter().enumerate() {
        text += &format!("[threads.t{number}]\nparent = \"e\"\nperiodic = \"{work}\"\n");
    }
    text
}

#[test]
fn accepts_what_a_test_of_global_edf_accepts() {
    let found = checked(2, &edf(&["3ms/10ms", "4ms/12ms", "5ms/20ms"]));
    let deadlines = &found.deadlines;
    assert_eq!(deadlines.len(), 3);
    assert!(deadlines.iter().all(|deadline| deadline.is_met()), "{deadlines:?}");
    assert!(found.overloads.is_empty() && found.holds());
}

#[test]
fn limit_global_edf_may_be_late_though_two_processors_hold_the_work() {
    // Dhall's effect: the long job begins after the two short ones.
    let found = checked(2, &edf(&["2ms/10ms", "2ms/10ms", "10ms/11ms"]));
    let deadlines = &found.deadlines;
    assert!(deadlines.iter().any(|deadline| deadline.is_late()), "{deadlines:?}");
    assert!(found.overloads.is_empty() && !found.is_in_time() && !found.holds());
}

#[test]
fn refuses_more_work_than_there_are_processors() {
    let found = checked(2, &edf(&["9ms/10ms", "9ms/10ms", "46ms/50ms"]));
    let text = found.overloads.first().map(ToString::to_string).unwrap();
    assert!(text.contains("272.0%"), "{text}");
    assert!(found.deadlines.iter().all(|deadline| !deadline.is_met()));
    assert!(found.is_in_time() && !found.holds(), "nobody knows who is late");
    // Below one scheduler of one processor.
    let one =
        edf(&["6ms/10ms", "6ms/10ms"]).replace("parents = [\"top\", \"top\"]", "parent = \"top\"");
    let rest = "[schedulers.rr]\nscheduler = \"round-robin\"\nparent = \"top\"\n";
    let found = checked(2, &format!("{one}{rest}"));
    let text = found.overloads.first().map(ToString::to_string).unwrap();
    assert!(text.contains("below e") && text.contains("120.0%"), "{text}");
}

#[test]
fn a_thread_that_nobody_serves_is_told() {
    let rest = "[schedulers.rez]\nscheduler = \"rez\"\nparent = \"top\"\n\
                [threads.a]\nparent = \"rez\"\nrun = \"spin\"\nguarantee = \"3ms/10ms\"\n\
                [threads.b]\nparent = \"rez\"\nrun = \"spin\"\n";
    let lines = checked(2, rest).promises.never_served();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("b never runs: rez (rez) serves reservations alone"), "{lines:?}");
}

#[test]
fn accepts_an_amount_over_a_period_as_a_soft_reservation() {
    let short: Guarantee = "3ms/10ms".parse().unwrap();
    assert_eq!(short.to_string(), "RESBS 3ms 10ms");
    assert_eq!("3 ms / 10 ms".parse::<Guarantee>().unwrap(), short);
    assert!("3/10".parse::<Guarantee>().is_err());
    assert!("12ms/10ms".parse::<Guarantee>().is_err());
}

#[test]
fn refuses_jobs_that_never_receive_what_they_need() {
    let below = |asks: &str, work: &str| {
        let rest = format!(
            "[schedulers.r]\nscheduler = \"rez\"\nparent = \"top\"\n[threads.a]\nparent = \"r\"\n{asks}\nperiodic = \"{work}\"\n"
        );
        let found = checked(1, &rest);
        assert_eq!((found.holds(), found.is_in_time()), [found.underserved.is_empty(); 2].into());
        found.underserved.first().map(ToString::to_string)
    };
    let text = below("guarantee = \"RESBH 3ms 10ms\"", "4ms/10ms").unwrap();
    assert!(text.starts_with("a may ask for 40.0%") && text.contains("30.0%"), "{text}");
    assert!(below("", "2ms/10ms").unwrap().contains("receives 0.0%"));
    assert_eq!(below("guarantee = \"RESBH 4ms 10ms\"", "4ms/10ms"), None);
    assert_eq!(below("reserve = \"4ms/10ms\"", "4ms/10ms"), None);
}

/// By period, the shorter period comes first, whatever the deadlines are; by deadline, the shorter deadline.
#[test]
fn law_threads_rank_by_what_their_scheduler_is_set_to() {
    let bound = |order: &str, a: &str, b: &str| {
        let rest = format!(
            "[schedulers.rm]\nscheduler = \"rate-monotonic\"\nparent = \"top\"\norder = \"{order}\"\n\
             [threads.a]\nparent = \"rm\"\nperiodic = \"{a}\"\n[threads.b]\nparent = \"rm\"\nperiodic = \"{b}\"\n"
        );
        let found = checked(1, &rest);
        found.deadlines[0].bound.clone().unwrap().to_string()
    };
    assert_eq!(bound("deadline", "3ms/20ms@8ms", "6ms/10ms@10ms"), "3ms");
    assert_eq!(bound("rate", "3ms/20ms@8ms", "6ms/10ms@10ms"), "9ms");
    assert_eq!(bound("rate", "2ms/5ms", "4ms/100ms@5ms"), "2ms");
}

/// A bound holds until the tree changes, so a run in which it does cannot break it.
#[test]
fn law_bounds_hold_until_a_thread_requests_something_for_itself() {
    let text = |steps: &str| {
        format!(
            "[schedulers.s]\nscheduler = \"fixed-priority\"\nparent = \"top\"\n[threads.a]\nparent = \"s\"\n\
             periodic = \"5ms/10ms\"\npriority = 5\n[threads.c]\nparent = \"s\"\npriority = 1\nsteps = [{steps}]\n"
        )
    };
    let run = "{ run = \"20ms\" }, { sleep = \"3ms\" }";
    assert!(checked(1, &text(run)).promises.requesters.is_empty());
    assert_eq!(checked(1, &text(&format!("{{ priority = 9 }}, {run}"))).promises.requesters, ["c"]);
}

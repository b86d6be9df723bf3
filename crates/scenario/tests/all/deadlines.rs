//! Deadlines in `check`: bounds, and reasons where there is none.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use windfall_analysis::global_edf::GlobalError;
use windfall_scenario::{BoundError, Scenario};
use windfall_time::Span;

/// The bound of each thread that has a deadline, by name; `None` without one.
fn bounds(text: &str) -> Vec<(String, Option<Span>)> {
    let text = format!("schema = 2\nseed = 1\nlength = \"1 s\"\n{text}");
    let scenario = Scenario::parse("test.toml", &text).unwrap();
    scenario.check().unwrap();
    let promises = scenario.promises();
    let name = |vp: usize| promises.tree.vps[vp].name.clone();
    let deadlines = promises.deadlines(&scenario);
    deadlines.into_iter().map(|deadline| (name(deadline.vp), deadline.bound.ok())).collect()
}

fn ms(ms: u32) -> Option<Span> {
    Some(Span::from_millis(ms))
}

fn below(kind: &str, threads: &str) -> String {
    format!("[schedulers.s]\nscheduler = \"{kind}\"\nparent = \"top\"\n{threads}")
}

const TWO: &str = "[threads.a]\nparent = \"s\"\nperiodic = \"3ms/10ms\"\n\
                   [threads.b]\nparent = \"s\"\nperiodic = \"4ms/20ms\"\n";

#[test]
fn paper_rate_monotonic_under_a_whole_processor() {
    let found = bounds(&below("rate-monotonic", TWO));
    assert_eq!(found, [("a".to_owned(), ms(3)), ("b".to_owned(), ms(7))]);
}

#[test]
fn r0012_a_slow_processor_takes_longer() {
    let slow = format!(
        "[machine]\nprocessors = [{{ speed = \"1/2\" }}]\n{}",
        below("rate-monotonic", TWO)
    );
    assert_eq!(bounds(&slow), [("a".to_owned(), ms(6)), ("b".to_owned(), ms(20))]);
}

#[test]
fn r0013_a_told_rate_ranks_where_it_is_told() {
    let threads = "[threads.a]\nparent = \"s\"\nperiodic = \"1ms/5ms\"\nrate = \"1ms/100ms\"\n\
                   [threads.b]\nparent = \"s\"\nperiodic = \"9ms/20ms\"\n";
    let found = bounds(&below("rate-monotonic", threads));
    assert_eq!(found, [("a".to_owned(), ms(10)), ("b".to_owned(), ms(9))]);
}

/// A slower processor counts between deadlines that its scheduler reports; without these a thread was late by half.
#[test]
fn r0013_a_slower_processor_bounds_nothing_below_who_reports_no_deadlines() {
    let text = |reports: bool| {
        format!(
            "[schedulers.p]\nscheduler = \"pshed\"\nparent = \"top\"\n\
             [schedulers.s]\nscheduler = \"edf\"\nparent = \"p\"\nguarantee = \"RESU 3/10\"\nreport-deadlines = {reports}\n\
             [threads.a]\nparent = \"s\"\nperiodic = \"750us/4ms\"\n"
        )
    };
    assert_eq!(bounds(&text(true)), [("a".to_owned(), ms(4))]);
    assert_eq!(unbounded(&text(false)), [BoundError::DeadlinesNotReported]);
}

/// A slower processor tells 63 deadlines to come apart.
#[test]
fn refuses_a_bound_where_more_deadlines_may_be_to_come_than_are_told_apart() {
    let text = |count: u32| {
        format!(
            "[schedulers.p]\nscheduler = \"pshed\"\nparent = \"top\"\n\
             [schedulers.s]\nscheduler = \"edf\"\nparent = \"p\"\nguarantee = \"RESU 3/10\"\nreport-deadlines = true\n\
             [threads.a]\nparent = \"s\"\nperiodic = \"1us/4ms@3ms\"\ncount = {count}\n"
        )
    };
    assert_eq!(bounds(&text(63)).len(), 63);
    assert!(bounds(&text(63)).iter().all(|(_, bound)| *bound == ms(3)));
    assert_eq!(unbounded(&text(64)), vec![BoundError::ManyDeadlines; 64]);
}

/// However much a thread receives, it may wait for a lock.
#[test]
fn refuses_a_bound_in_step_beside_locks() {
    let text = "[schedulers.rez]\nscheduler = \"rez\"\nparent = \"top\"\n\
                [schedulers.s]\nscheduler = \"fixed-priority\"\nparent = \"rez\"\nguarantee = \"RESBH 4ms 10ms\"\n\
                [locks.m]\nprotocol = \"inherit\"\n\
                [threads.hi]\nparent = \"s\"\npriority = 9\n\
                steps = [{ timer = \"10ms\" }, { run = \"1ms\" }, { lock = \"m\" }, { run = \"1ms\" }, { unlock = \"m\" }]\n\
                [threads.lo]\nparent = \"s\"\npriority = 1\n\
                steps = [{ timer = \"100ms\" }, { lock = \"m\" }, { run = \"8ms\" }, { unlock = \"m\" }]\n";
    let text = format!("schema = 2\nseed = 1\nlength = \"1 s\"\n{text}");
    let scenario = Scenario::parse("test.toml", &text).unwrap();
    let hi = scenario.promises().deadlines(&scenario).into_iter().next().unwrap();
    assert_eq!((hi.bound.clone().ok(), hi.in_step, hi.is_late()), (ms(34), None, true));
}

/// The scheduler beside passed the shorter rate of its child on, and ran first.
#[test]
fn r0013_a_sibling_that_passes_rates_on_may_rank_before_whatever_it_was_given() {
    let text = |kind: &str| {
        format!(
            "{}[schedulers.o]\nscheduler = \"{kind}\"\nparent = \"s\"\nrate = \"20ms\"\n\
             [threads.b]\nparent = \"o\"\nrun = \"spin\"\nrate = \"1ms\"\n",
            below("rate-monotonic", "[threads.a]\nparent = \"s\"\nperiodic = \"5ms/10ms\"\n")
        )
    };
    assert_eq!(bounds(&text("edf")), [("a".to_owned(), ms(5))]);
    assert_eq!(unbounded(&text("limit")), [BoundError::NoRate("o".to_owned())]);
}

#[test]
fn r0014_least_laxity_has_no_bounds() {
    assert!(bounds(&below("llf", TWO)).iter().all(|(_, bound)| bound.is_none()));
}

#[test]
fn r0015_a_thread_is_not_of_a_group_by_its_name() {
    let threads = "[threads.x]\nparent = \"s\"\nperiodic = \"1ms/10ms\"\npriority = 1\n\
                   [threads.x-1]\nparent = \"s\"\nrun = \"spin\"\npriority = 2\n";
    assert_eq!(bounds(&below("fixed-priority", threads)), [("x".to_owned(), None)]);
}

#[test]
fn r0016_who_is_never_due_delays_nobody_under_deadlines() {
    let threads = "[threads.a]\nparent = \"s\"\n\
                   periodic = { work = \"1ms\", period = \"10ms\", deadline = \"none\" }\n\
                   [threads.b]\nparent = \"s\"\nperiodic = \"45ms/50ms\"\n";
    assert_eq!(bounds(&below("edf", threads)), [("b".to_owned(), ms(45))]);
}

#[test]
fn refuses_a_bound_where_the_timer_ticks() {
    let ticks = format!("[machine]\ntimer = \"100Hz\"\n{}", below("rate-monotonic", TWO));
    assert!(bounds(&ticks).iter().all(|(_, bound)| bound.is_none()));
}

/// Of one thread with a deadline: the bound, the one in step, and whether it is met, late or neither.
fn in_step(guarantee: &str, periodic: &str) -> (Option<Span>, Option<Span>, [bool; 3]) {
    let thread = format!(
        "[threads.a]\nparent = \"s\"\nguarantee = \"{guarantee}\"\nperiodic = \"{periodic}\"\n"
    );
    let text = format!("schema = 2\nlength = \"1 s\"\n{}", below("rez", &thread));
    let scenario = Scenario::parse("test.toml", &text).unwrap();
    let found = scenario.promises().deadlines(&scenario).pop().unwrap();
    let verdict = [found.is_met(), found.is_late(), found.is_open()];
    (found.bound.ok(), found.in_step, verdict)
}

#[test]
fn limit_in_step_a_job_is_done_before_the_rest_of_its_amount_could_come() {
    let [met, late, open] = [0, 1, 2].map(|at| [0, 1, 2].map(|of| of == at));
    assert_eq!(in_step("RESBH 4ms 10ms", "2ms/10ms"), (ms(14), ms(8), open));
    assert_eq!(in_step("RESBH 2ms 10ms", "2ms/10ms"), (ms(18), ms(10), open));
    assert_eq!(in_step("RESBH 4ms 10ms", "2ms/10ms@8ms"), (ms(14), ms(8), open));
    assert_eq!(in_step("RESBH 4ms 10ms", "2ms/10ms@7ms"), (ms(14), ms(8), late));
    assert_eq!(in_step("RESBH 2ms 5ms", "2ms/10ms"), (ms(8), None, met));
    assert_eq!(in_step("RESBH 3ms 9ms", "2ms/10ms"), (ms(14), None, late));
    // What takes longer than its reservation has no bound, and none in step.
    assert_eq!(in_step("RESBH 1ms 10ms", "2ms/10ms"), (None, None, open));
}

/// Why there is no bound for each thread that has a deadline and none.
fn unbounded(text: &str) -> Vec<BoundError> {
    let text = format!("schema = 2\nlength = \"1 s\"\n{text}");
    let scenario = Scenario::parse("test.toml", &text).unwrap();
    let deadlines = scenario.promises().deadlines(&scenario);
    deadlines.into_iter().filter_map(|deadline| deadline.bound.err()).collect()
}

#[test]
fn refuses_a_bound_with_the_reason() {
    let ticks = format!("[machine]\ntimer = \"100Hz\"\n{}", below("rate-monotonic", TWO));
    assert_eq!(unbounded(&ticks), [BoundError::TickingTimer, BoundError::TickingTimer]);
    let spin = below("edf", &format!("{TWO}[threads.x]\nparent = \"s\"\nrun = \"spin\"\n"));
    assert_eq!(unbounded(&spin)[0], BoundError::NoRate("x".to_owned()));
    let much = "[threads.a]\nparent = \"s\"\nperiodic = \"9ms/10ms\"\n\
                [threads.b]\nparent = \"s\"\nperiodic = \"9ms/20ms\"\n";
    assert_eq!(unbounded(&below("rate-monotonic", much)), [BoundError::TooMuchTogether]);
    assert_eq!(unbounded(&below("round-robin", TWO)), [const { BoundError::TooMuchAlone }; 2]);
}

#[test]
fn refuses_a_bound_on_several_processors_with_the_reason() {
    let two = |kind: &str, parent: &str, threads: &str| {
        format!(
            "[machine]\nprocessors = 2\n\
             [schedulers.s]\nscheduler = \"{kind}\"\nparent = \"{parent}\"\nprocessors = 2\n{threads}"
        )
    };
    let found = unbounded(&two("rate-monotonic", "top", TWO));
    assert_eq!(found, [const { BoundError::SeveralProcessors }; 2]);
    let root = "[schedulers.r]\nscheduler = \"round-robin\"\nparent = \"top\"\nprocessors = 2\n";
    let found = unbounded(&two("edf", "r", &format!("{root}{TWO}")));
    assert_eq!(found, [const { BoundError::NotWholeProcessors }; 2]);
    let much = |name: &str| format!("[threads.{name}]\nparent = \"s\"\nperiodic = \"9ms/10ms\"\n");
    let three = ["a", "b", "c"].map(much).concat();
    let found = unbounded(&two("edf", "top", &three));
    assert!(
        matches!(
            found[0],
            BoundError::NoTestAccepts { processors: 2, tried: 7, uncovered: 0, left_out: 0 }
        ),
        "{found:?}"
    );
}

#[test]
fn refuses_a_bound_by_tests_that_do_not_cover_the_deadlines() {
    let edf = |count: usize, work: &str| {
        let threads = (0..count).map(|number| {
            format!(
                "[threads.t{number}]\nparent = \"s\"\n\
                 periodic = {{ work = \"{work}\", period = \"10ms\", deadline = \"11ms\" }}\n"
            )
        });
        let scheduler = "[machine]\nprocessors = 2\n\
                         [schedulers.s]\nscheduler = \"edf\"\nparent = \"top\"\nprocessors = 2\n";
        scheduler.to_owned() + &threads.collect::<String>()
    };
    // One test covers such deadlines.
    assert_eq!(bounds(&edf(3, "1ms"))[0].1, ms(11));
    let found = unbounded(&edf(3, "9ms"));
    let one = BoundError::NoTestAccepts { processors: 2, tried: 1, uncovered: 6, left_out: 0 };
    assert_eq!(found, vec![one.clone(); 3]);
    assert_eq!(
        one.to_string(),
        "no test of global EDF shows that they fit on 2 processors: 1 tried, 6 do not cover deadlines beyond periods"
    );
    // It is not tried for so many.
    let found = unbounded(&edf(201, "1us"));
    let why = GlobalError::DeadlineAbovePeriod(0);
    assert_eq!(found, vec![BoundError::NotCovered { why }; 201]);
}

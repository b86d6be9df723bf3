//! Replicas that vote (CMU 1982, chapter 1), as processes of the simulated machine.

use super::common::{figure, run};
use windfall_hierarchy::Count;
use windfall_scenario::Scenario;
use windfall_scenario::outcome::Outcome;
use windfall_sim::Sim;
use windfall_time::{Instant, Span};
use windfall_trace::{Event, Memory};

fn scenario(settings: &str) -> String {
    format!(
        "length = \"3s\"\n[machine]\nprocessors = 3\n[schedulers.replicas]\nscheduler = \"round-robin\"\nparent = \"top\"\nprocessors = 3\n\
         [threads.replica]\nparent = \"replicas\"\n[threads.replica.program]\nkind = \"voting\"\n{settings}\n"
    )
}

fn voting(settings: &str) -> Outcome {
    run(&scenario(settings))
}

#[test]
fn law_each_fault_is_reported_and_stops_nobody() {
    for (fault, figure_of_it, count) in [
        ("none", "wrong-values", 0),
        ("flip", "wrong-values", 5),
        ("two-faced", "wrong-values", 5),
        ("wrong-iteration", "wrong-iterations", 5),
        ("babble", "wrong-iterations", 15),
    ] {
        let settings = format!("fault = \"{fault}\"\nfault-iterations = 5\nfault-from = 20");
        let outcome = voting(&settings);
        assert_eq!(outcome.failure, None, "{fault}");
        for replica in ["replica", "replica-1"] {
            assert_eq!(figure(&outcome, replica, "votes"), 100, "{fault}");
            assert_eq!(figure(&outcome, replica, figure_of_it), count, "{fault}: {replica}");
        }
        assert_eq!(figure(&outcome, "replica-2", "votes"), 100, "{fault}");
    }
}

#[test]
fn law_a_replica_that_ends_or_hangs_is_absent_and_stops_nobody() {
    for fault in ["crash", "hang"] {
        let outcome = voting(&format!("fault = \"{fault}\"\nfault-from = 50\nqueue = 8"));
        for replica in ["replica", "replica-1"] {
            assert_eq!(figure(&outcome, replica, "votes"), 100, "{fault}");
            // Those whose rows were pushed out: 51 less those of the queue.
            assert_eq!(figure(&outcome, replica, "absent-values"), 51 - 8, "{fault}");
        }
    }
}

#[test]
fn law_a_replica_too_slow_for_the_queue_goes_on_from_a_later_vote() {
    let outcome = voting("slower = 400\nqueue = 4\niterations = 400");
    assert_eq!(outcome.failure, None);
    assert_eq!(figure(&outcome, "replica", "votes"), 400);
    let (votes, missed) =
        (figure(&outcome, "replica-2", "votes"), figure(&outcome, "replica-2", "votes-missed"));
    assert!(missed > 100 && votes + missed <= 400, "{votes} votes, {missed} missed");
}

/// A bit of the last word is wrong: what is voted on is the whole state, of whatever size.
#[test]
fn law_all_words_of_a_state_are_voted_on_and_one_that_comes_back_begins_with_them() {
    for words in 1..=4 {
        let wrong =
            format!("fault = \"flip\"\nfault-from = 20\nfault-iterations = 5\nwords = {words}");
        let outcome = voting(&wrong);
        assert_eq!(figure(&outcome, "replica", "wrong-values"), 5, "{words}");
        let restarts =
            format!("{wrong}\nremedy = \"restart\"\npatience = \"20ms\"\niterations = 200");
        let outcome = voting(&restarts);
        let counted = ["faults", "restarts"].map(|name| figure(&outcome, "manager-1", name));
        assert_eq!(counted, [1, 1], "{words}");
        // Of its second life nothing is wrong, so it began with the voted state.
        assert_eq!(told(&outcome, "replica", "replica-2-wrong"), Some(1), "{words}");
        assert_eq!(told(&outcome, "replica", "replica-2-wrong-since"), Some(0), "{words}");
    }
}

#[test]
fn law_two_that_differ_give_up() {
    let outcome = voting("replicas = 2\nfault = \"flip\"\nfault-from = 7\npatience = \"10ms\"");
    let failure = outcome.failure.expect("no majority");
    assert!(format!("{failure:?}").contains("no majority"), "{failure:?}");
}

#[test]
fn law_a_faulty_replica_is_restarted_replaced_or_left_out() {
    let faulty = "fault-from = 20\npatience = \"20ms\"\nlag = 4\niterations = 200";
    let remedies = [
        ("\"restart\"", 1, None),
        ("\"replace\"\nspares = 1", 1, Some(("replica-2-replaced-by", 3))),
        ("\"retire\"", 0, Some(("replica-2-retired", 1))),
    ];
    for (remedy, begun, figure_of_it) in remedies {
        for fault in ["crash", "hang", "flip"] {
            let settings = format!("{faulty}\nfault = \"{fault}\"\nremedy = {remedy}");
            let outcome = voting(&settings);
            assert_eq!(outcome.failure, None, "{settings}");
            assert_eq!(figure(&outcome, "replica", "votes"), 200, "{settings}");
            assert_eq!(figure(&outcome, "manager-1", "faults"), 1, "{settings}");
            assert_eq!(figure(&outcome, "manager-1", "restarts"), begun, "{settings}");
            let whose =
                if remedy.contains("replace") { "replica-3-begun" } else { "replica-2-begun" };
            assert_eq!(told(&outcome, "manager-1", whose).unwrap_or(0), begun, "{settings}");
            for name in ["replica-2-replaced-by", "replica-2-retired", "replica-2-ended-the-run"] {
                let wanted = figure_of_it.filter(|found| found.0 == name).map(|found| found.1);
                assert_eq!(told(&outcome, "manager-1", name), wanted, "{settings}");
            }
        }
    }
}

#[test]
fn law_a_fault_may_end_the_run_which_says_because_of_whom() {
    let settings = "fault = \"flip\"\nfault-from = 20\nremedy = \"end\"\npatience = \"20ms\"";
    let outcome = voting(settings);
    assert_eq!(told(&outcome, "manager-1", "replica-2-ended-the-run"), Some(1));
    assert_eq!(told(&outcome, "manager-1", "replica-2-retired"), None);
    // Of 100 steps those before the fault, and a few until all had heard of it.
    let votes = ["replica", "replica-1"].map(|name| figure(&outcome, name, "votes"));
    assert!(votes.iter().all(|votes| (19..30).contains(votes)), "{votes:?}");
}

/// A figure that is told only if there is something to tell.
fn told(outcome: &Outcome, thread: &str, name: &str) -> Option<u64> {
    let thread = outcome.threads.iter().find(|found| found.name == thread)?;
    match thread.stats.iter().find(|found| found.0 == name)?.1 {
        Count::Times(count) => Some(count),
        ref other => panic!("{name}: {other:?}"),
    }
}

/// `top`, `ctl list` and results say who was wrong, how often and since when, while the run goes on: what is told last is what counts.
#[test]
fn law_figures_say_who_was_wrong_and_since_when_as_long_as_it_is_so() {
    let flips = |iterations: &str| {
        voting(&format!("fault = \"flip\"\nfault-from = 90\nfault-iterations = {iterations}"))
    };
    for (iterations, wrong, since) in [("5", 5, 0), ("1000", 11, 90)] {
        let outcome = flips(iterations);
        for replica in ["replica", "replica-1", "replica-2"] {
            assert_eq!(told(&outcome, replica, "replica-2-wrong"), Some(wrong), "{replica}");
            assert_eq!(told(&outcome, replica, "replica-2-wrong-since"), Some(since), "{replica}");
            for other in ["replica-0-wrong", "replica-1-wrong-since", "replica-2-absent"] {
                assert_eq!(told(&outcome, replica, other), None, "{replica} {other}");
            }
        }
    }
    // One that takes no part any longer told what it knew until then.
    let outcome = voting("fault = \"hang\"\nfault-from = 50\nqueue = 8");
    assert_eq!(told(&outcome, "replica-2", "votes"), Some(49));
    assert_eq!(told(&outcome, "replica", "replica-2-absent"), Some(51 - 8));
    assert_eq!(told(&outcome, "replica", "replica-2-wrong-since"), Some(50));
}

/// The trace shows each step, and which replica was wrong in which.
#[test]
fn law_a_disagreement_is_a_mark_with_the_replica_and_the_iteration() {
    let settings = "fault = \"flip\"\nfault-from = 20\nfault-iterations = 2\nremedy = \"restart\"";
    let text = format!("schema = 2\nseed = 1\n{}", scenario(settings));
    let mut memory = Memory::default();
    let plan = Scenario::parse("voting.toml", &text).unwrap().build().unwrap();
    let sim = Sim::of(plan, Some(&mut memory)).unwrap();
    let outcome = sim.run(Instant::ZERO + Span::from_secs(3), |_| true);
    let explanation = crate::explained::explain(&memory.records, &outcome);
    let marks = |name: &str| -> Vec<String> {
        let is_it = |found: &&_| outcome.threads[thread_of(found)].name == name;
        let found = explanation.threads.iter().find(is_it).unwrap();
        found.marks.first.iter().map(|(_, mark)| mark.clone()).collect()
    };
    for replica in ["replica", "replica-1"] {
        assert_eq!(marks(replica)[0], "replica 2 was outvoted in iteration 20", "{replica}");
    }
    assert_eq!(marks("manager-1"), ["replica 2 was outvoted in iteration 20: it is restarted"]);
    let begins = |record: &&windfall_trace::Record| matches!(&record.event, Event::ActivityBegins { text, .. } if text == "iteration 77");
    assert!(memory.records.iter().filter(begins).count() >= 2);
}

fn thread_of(found: &windfall_trace::explain::Explained) -> usize {
    found.thread.0 as usize
}

//! Replicas that vote (CMU 1982, chapter 1), as processes of the simulated machine.

use super::common::{figure, run};
use windfall_scenario::outcome::Outcome;

fn voting(settings: &str) -> Outcome {
    run(&format!(
        "length = \"3s\"\n[machine]\nprocessors = 3\n[schedulers.replicas]\nscheduler = \"round-robin\"\nparent = \"top\"\nprocessors = 3\n\
         [threads.replica]\nparent = \"replicas\"\n[threads.replica.program]\nkind = \"voting\"\n{settings}\n"
    ))
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

#[test]
fn law_two_that_differ_give_up() {
    let outcome = voting("replicas = 2\nfault = \"flip\"\nfault-from = 7\npatience = \"10ms\"");
    let failure = outcome.failure.expect("no majority");
    assert!(format!("{failure:?}").contains("no majority"), "{failure:?}");
}

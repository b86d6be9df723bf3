//! Tasks that end in particular ways: lost in the moment of their end, by a request, or done although they were used up.

use super::{Step, explained, lost, run};
use crate::explained::explain;
use crate::late_tasks::TREE;
use windfall_hierarchy::Count;
use windfall_scenario::outcome::ThreadOutcome;
use windfall_time::Span;

/// A scheduler that admits with a processor to itself, from which 3 ms are stolen after the first.
fn stolen() -> String {
    let tree = TREE.replace("length = \"100ms\"", "length = \"20ms\"");
    assert_ne!(tree, TREE);
    let interrupts =
        "[[interrupts]]\nevery = \"1s\"\noffset = \"1ms\"\ncost = \"3ms\"\nprocessors = [0]\n";
    tree + interrupts
}

/// The outcome of one process with these steps, and what `explain` says of its tasks.
fn alone(text: &str, steps: &[Step]) -> (ThreadOutcome, Vec<String>) {
    let (_, outcome, trace) = run(text, vec![steps.to_vec()]);
    explained(&trace, &outcome);
    let place = outcome.threads.iter().position(|thread| thread.submitted > 0).unwrap();
    let thread = outcome.threads[place].clone();
    assert_eq!(thread.lost, lost(&trace), "each loss is noted");
    let server = outcome.nodes.iter().find(|node| node.name == "server").unwrap();
    assert!(server.stats.contains(&("lost", Count::Times(thread.lost))), "{:?}", server.stats);
    assert_eq!(thread.tasks_admitted(), thread.tasks.submitted - thread.tasks.refused);
    let explanation = explain(&trace.records, &outcome);
    let found = explanation.threads.into_iter().find(|found| found.thread.0 as usize == place);
    let findings = found.unwrap().task_findings;
    (thread, findings.all().map(|found| format!("{:?} {:?}", found.what, found.request)).collect())
}

const fn us(us: u64) -> Span {
    Span::from_nanos(us * 1_000)
}

/// 5 ms by 6 ms.
const TASK: Step = Step::Submit(us(5_000), us(6_000));

#[test]
fn law_a_task_that_is_lost_before_its_process_ends_it_is_counted_as_lost() {
    // It is named as the interrupt ends, although its scheduler has no event then.
    let at = Step::Compute(us(1_500));
    let (done, said) = alone(&stolen(), &[TASK, at, Step::Finish(0)]);
    let found = (done.lost, done.tasks.in_time, done.tasks.done_though_lost, done.tasks.lost);
    assert_eq!(found, (1, 1, 1, 0));
    assert!(said.len() == 1 && said[0].contains("Lost { left: Some(Span(4000000))"), "{said:?}");
    assert!(said[0].contains("stolen: Span(3000000)"), "{said:?}");
    for steps in [&[TASK, at, Step::Withdraw(0)][..], &[TASK, at]] {
        let (left, _) = alone(&stolen(), steps);
        let found = (left.lost, left.tasks.lost, left.tasks.withdrawn, left.late_tasks.count);
        assert_eq!(found, (1, 1, 0, 0), "{steps:?}");
    }
}

#[test]
fn law_a_lost_task_may_be_done_late_and_its_end_counts_once() {
    let at = Step::Compute(us(5_000));
    let (late, said) =
        alone(&stolen(), &[TASK, at, Step::Finish(0), Step::Finish(0), Step::Withdraw(0)]);
    let found = (late.lost, late.late_tasks.count, late.tasks.done_though_lost, late.tasks.lost);
    assert_eq!(found, (1, 1, 1, 0));
    assert_eq!((late.late_tasks.most, late.late_tasks.stolen), (us(2_000), us(2_000)));
    assert!(said.len() == 2 && said[1].contains("Ended { how: Done, was: Lost"), "{said:?}");
    // What comes first counts, whatever is said later.
    let (back, _) = alone(&stolen(), &[TASK, at, Step::Withdraw(0), Step::Finish(0)]);
    assert_eq!(
        (back.lost, back.tasks.lost, back.tasks.in_time, back.late_tasks.count),
        (1, 1, 0, 0)
    );
}

#[test]
fn law_a_request_that_takes_supply_away_is_named_as_the_reason_of_the_loss() {
    let text = r#"
schema = 2
seed = 1
length = "60ms"
[schedulers.rez]
scheduler = "rez"
parent = "top"
[schedulers.server]
scheduler = "ports"
parent = "rez"
guarantee = "RESBS 8ms 10ms"
[threads.other]
parent = "rez"
run = "spin"
[[at]]
time = "2ms"
do = "guarantee"
scheduler = "server"
guarantee = "RESBS 1ms 10ms"
"#;
    let first = Step::Submit(us(1_000), us(58_000));
    let second = Step::Submit(us(20_000), us(40_000));
    let (thread, said) = alone(text, &[first, second, Step::Compute(us(20_000))]);
    assert_eq!((thread.lost, thread.tasks.refused), (1, 0), "{said:?}");
    assert!(said[0].starts_with("Lost") && said[0].contains("reserve for `server`"), "{said:?}");
}

#[test]
fn law_a_task_that_was_used_up_is_done_when_its_process_says_so() {
    let text = stolen().replace("offset = \"1ms\"", "offset = \"900ms\"").replace("20ms", "1s");
    let works = |work: u64, end: &[Step]| {
        let all = [&[TASK, Step::Compute(us(work))], end].concat();
        let (thread, said) = alone(&text, &all);
        assert_eq!(thread.lost, 0);
        (thread.tasks.in_time, thread.late_tasks.count, thread.late_tasks.unfinished, said.concat())
    };
    let (in_time, late, _, said) = works(5_500, &[Step::Finish(0)]);
    assert_eq!((in_time, late, said.as_str()), (1, 0, ""), "it needed more than it said, in time");
    let (in_time, late, unfinished, said) = works(7_000, &[Step::Finish(0)]);
    assert_eq!((in_time, late, unfinished), (0, 1, 0));
    assert!(said.contains("was: UsedUp"), "{said}");
    let (in_time, late, unfinished, said) = works(7_000, &[]);
    assert_eq!((in_time, late, unfinished), (0, 1, 1), "nobody says that it was done");
    assert!(said.contains("how: Left"), "{said}");
    // A process that ends before the deadline takes its task back.
    assert_eq!(works(3_000, &[]), (0, 0, 0, String::new()));
}

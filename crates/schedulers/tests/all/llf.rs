//! Least laxity first, by hand.

use crate::common::{Host, MS, at, span};
use windfall_hierarchy::{Message, Processor};
use windfall_schedulers::deadline::Llf;
use windfall_schedulers::kinds;

fn job(due: u64, work: u64) -> Message {
    Message::Job { release: at(0), deadline: at(due * MS), work: Some(span(work * MS)) }
}

#[test]
fn paper_dertouzos_mok_1989_the_least_laxity_goes_first_whatever_the_deadline() {
    let mut host = Host::new(1);
    let root = host.top(kinds::LLF);
    let early = host.thread(root, "early", &[job(10, 2)]);
    let long = host.thread(root, "long", &[job(12, 9)]);
    host.wake_for(early, 2 * MS);
    host.wake_for(long, 9 * MS);
    host.run_to(20 * MS);
    // Laxities 8 and 3. The early one's falls to that of the long one after 5 ms.
    assert_eq!(
        host.timeline(0),
        "0 long, 5.000001 early, 6.000001 long, 7.000001 early, 8.000001 long, 11 -"
    );
}

#[test]
fn limit_equal_laxities_change_places_once_per_granularity() {
    let mut host = Host::new(1);
    let root = host.top(Llf::default().granularity(span(4 * MS)));
    let a = host.thread(root, "a", &[job(20, 10)]);
    let b = host.thread(root, "b", &[job(20, 10)]);
    host.wake_for(a, 10 * MS);
    host.wake_for(b, 10 * MS);
    host.run_to(20 * MS);
    let switches = "0 a, 4 b, 8.000001 a, 12.000001 b, 16.000001 a, 18.000001 b, 20 -";
    assert_eq!(host.timeline(0), switches);
}

#[test]
fn accepts_two_processors_and_jobs_without_work() {
    let mut host = Host::new(2);
    let root = host.top(kinds::LLF);
    let due = |n| Message::Job { release: at(0), deadline: at(n * MS), work: None };
    let never = host.spin(root, "never", &[]);
    let late = host.spin(root, "late", &[due(30)]);
    let soon = host.spin(root, "soon", &[due(20)]);
    assert_eq!((host.on(0), host.on(1)), (Some(soon), Some(late)));
    assert_eq!(host.tree.peek(Processor(0)), Some(host.threads[never].id));
    host.block(late);
    assert_eq!(host.on(1), Some(never));
}

/// Half of all instants are further away than 63 bits tell.
#[test]
fn limit_deadlines_of_more_than_292_years_are_told_apart() {
    let mut host = Host::new(1);
    let root = host.top(kinds::LLF);
    let later = host.thread(root, "later", &[job(9_400_000_000_000, 2)]);
    let sooner = host.thread(root, "sooner", &[job(9_300_000_000_000, 1)]);
    host.wake_for(later, 2 * MS);
    host.wake_for(sooner, MS);
    host.run_to(4 * MS);
    assert_eq!(host.timeline(0), "0 sooner, 1 later, 3 -");
}

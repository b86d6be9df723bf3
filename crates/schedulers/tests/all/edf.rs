//! EDF on one and two processors, by hand.

use windfall_hierarchy::{Hierarchy, Message, NodeSpec, Parent, Processor};
use windfall_schedulers::catalogue::Settings;
use windfall_schedulers::kinds;
use windfall_time::{Instant, Span};

fn at(ns: u64) -> Instant {
    Instant::from_nanos(ns)
}

fn job(deadline: u64) -> Message {
    Message::Job { release: at(0), deadline: at(deadline), work: None }
}

#[test]
fn law_an_offer_says_whether_there_is_a_use_for_it() {
    let mut tree = Hierarchy::new(1);
    let top: &[(Parent, &[Message])] = &[(Parent::Top, &[])];
    let spec = NodeSpec::new("edf", "edf", kinds::EDF.build(&Settings::default()).unwrap(), top);
    let edf = tree.create(at(0), spec).unwrap();
    let thread = tree.create_thread(at(0), edf, &[]).unwrap();
    assert_eq!(tree.try_send(at(0), thread, job(20)), Ok(true));
    assert_eq!(tree.try_send(at(0), thread, Message::Quantum(Span::ZERO)), Ok(false));
    tree.exited(at(1), thread).unwrap();
    assert!(tree.try_send(at(1), thread, job(20)).is_err());
}

#[test]
fn accepts_an_earlier_deadline_at_once() {
    let mut tree = Hierarchy::new(1);
    let spec = NodeSpec::new(
        "edf",
        "edf",
        kinds::EDF.build(&Settings::default()).unwrap(),
        &[(Parent::Top, &[])],
    );
    let edf = tree.create(at(0), spec).unwrap();
    let [a, b] = [20, 10].map(|deadline| {
        let thread = tree.create_thread(at(0), edf, &[]).unwrap();
        tree.send(at(0), thread, job(deadline)).unwrap();
        tree.ready(at(0), thread).unwrap();
        thread
    });
    assert_eq!(tree.running(Processor(0)), Some(b));
    assert_eq!(tree.peek(Processor(0)), Some(a));
    tree.send(at(5), b, job(30)).unwrap();
    assert_eq!(tree.running(Processor(0)), Some(a));
    tree.blocked(at(6), a).unwrap();
    assert_eq!(tree.running(Processor(0)), Some(b));
    tree.check_tables().unwrap();
    tree.check_schedulers();
    assert!(tree.quarantined().is_empty());
    tree.exited(at(7), b).unwrap();
    assert_eq!(tree.running(Processor(0)), None);
    assert!(tree.ready(at(8), b).is_err());
}

#[test]
fn accepts_two_processors_and_preempts_the_latest() {
    let mut tree = Hierarchy::new(2);
    let spec = NodeSpec::new(
        "edf",
        "edf",
        kinds::EDF.build(&Settings::default()).unwrap(),
        &[(Parent::Top, &[]), (Parent::Top, &[])],
    );
    let edf = tree.create(at(0), spec).unwrap();
    let threads = [30, 20, 10].map(|deadline| {
        let thread = tree.create_thread(at(0), edf, &[]).unwrap();
        tree.send(at(0), thread, job(deadline)).unwrap();
        tree.ready(at(0), thread).unwrap();
        thread
    });
    let running: Vec<_> = (0..2).filter_map(|p| tree.running(Processor(p))).collect();
    assert_eq!(running, [threads[2], threads[1]]);
    tree.check_tables().unwrap();
    tree.check_schedulers();
    assert!(tree.quarantined().is_empty());
}

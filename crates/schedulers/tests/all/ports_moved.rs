//! Laxity that one scheduler that admits tasks moves to another below it (PORTS 2.5, decision 0034).

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod random;

use crate::common::{Host, at, promise, reserve, span};
use crate::ports::Held;
use windfall_hierarchy::{
    AnswerError, HierarchyError, JournalEvent, Message, NodeId, Note, Parent, TemporalAnswer,
    TemporalQuery,
};
use windfall_schedulers::catalogue::Value;
use windfall_schedulers::parameters;

/// The giver and the receiver, and whose own virtual processor 0 or 1 gets what is moved.
struct Two {
    host: Host,
    giver: NodeId,
    taker: NodeId,
    way: (NodeId, u16),
}

impl Two {
    /// A receiver that is the giver's child.
    fn below(held: Held) -> Two {
        let mut host = Host::new(1);
        let giver = held.build(&mut host);
        let taker = host.below(giver, "taker", "ports", &[]);
        Two { host, giver, taker, way: (taker, 0) }
    }

    /// A receiver that holds a reservation of its own, beside the giver's: a join adds what it is given.
    fn joined((amount, period): (u64, u64), (own, its): (u64, u64), exact: bool) -> Two {
        let mut host = Host::new(1);
        let rez = host.root("rez", &[]);
        let (mine, yours) = ([reserve(amount, period)], [reserve(own, its)]);
        let giver = host.below(rez, "ports", "ports", &mine);
        let owns: [(Parent, &[Message]); 2] =
            [(Parent::Node(rez), &yours), (Parent::Node(giver), &[])];
        let join = host.try_node("join", "join", &[], &owns).unwrap();
        let exact = [("exact", Value::Bool(exact))];
        let below = [(Parent::Node(join), &[][..])];
        let taker = host.try_node("taker", "ports", &exact, &below).unwrap();
        host.spin(rez, "rest", &[]);
        for period in [7, 31] {
            let _ = host.try_thread(rez, "other", &[reserve(period / 3, period)]);
        }
        let mut two = Two { host, giver, taker, way: (join, 1) };
        two.holds(giver, &format!("RESBS {amount}ns {period}ns"));
        two.holds(taker, &format!("RESBS {own}ns {its}ns"));
        two
    }

    fn holds(&mut self, node: NodeId, guarantee: &str) {
        let message = parameters::supply(&promise(guarantee));
        self.host.tree.configure(at(self.host.now), node, message).unwrap();
    }

    fn moves(&mut self, work: u64) -> Result<(), AnswerError> {
        match self.host.ask(self.way.0, self.way.1, Message::Transfer(span(work))) {
            Ok(()) => Ok(()),
            Err(HierarchyError::Refused(why)) => Err(why),
            other => panic!("{other:?}"),
        }
    }
}

fn submit(task: u32, work: u64, deadline: u64) -> Message {
    Message::Submit { task, work: span(work), deadline: at(deadline) }
}

impl Two {
    fn idle(&mut self, node: NodeId, deadline: u64) -> u64 {
        let query = TemporalQuery::IdleBefore(at(deadline));
        match self.host.tree.temporal_query(at(self.host.now), node, query) {
            Ok(Some(TemporalAnswer::Idle(idle))) => idle.as_nanos(),
            other => panic!("{other:?}"),
        }
    }

    /// Notes about moved or lost laxity since the last time.
    fn noted(&mut self) -> Vec<Note> {
        let noted = self.host.tree.drain_journal().filter_map(|entry| match entry.what {
            JournalEvent::Noted { note: note @ (Note::Moved(_) | Note::Lost(_)), .. } => Some(note),
            _ => None,
        });
        noted.collect()
    }
}

#[test]
fn limit_what_moves_is_the_receivers_from_now_until_it_has_passed_and_not_the_givers() {
    let mut two = Two::below(Held::All);
    let (giver, taker) = (two.giver, two.taker);
    assert_eq!((two.idle(giver, 100), two.idle(taker, 100)), (100, 0));
    two.moves(30).unwrap();
    assert_eq!((two.idle(taker, 20), two.idle(taker, 30), two.idle(taker, 100)), (20, 30, 30));
    assert_eq!((two.idle(giver, 30), two.idle(giver, 100)), (0, 70));
    two.host.run_to(10);
    // Nobody was ready: a third has passed.
    assert_eq!((two.idle(taker, 100), two.idle(giver, 100)), (20, 70));
    let thread = two.host.thread(taker, "t", &[]);
    two.host.tell(thread, submit(0, 20, 30)).unwrap();
    let none = AnswerError::NoTime { work: span(1), idle: span(0), earliest: None };
    assert_eq!(two.host.tell(thread, submit(1, 1, 500)), Err(HierarchyError::Refused(none)));
    two.host.wake_for(thread, 20);
    two.host.run_to(40);
    assert_eq!((two.host.ran(thread), two.idle(giver, 100), two.idle(taker, 900)), (20, 60, 0));
    two.moves(5).unwrap();
    assert_eq!(two.idle(taker, 900), 5, "again");
}

#[test]
fn refuses_laxity_that_is_promised_or_still_moves() {
    let mut two = Two::below(Held::All);
    let thread = two.host.thread(two.giver, "t", &[]);
    two.host.tell(thread, submit(0, 10, 40)).unwrap();
    let work = AnswerError::OutOfRange { what: "work", allowed: "at least 1ns" };
    assert_eq!(two.moves(0), Err(work));
    let most = AnswerError::NoLaxity { work: span(31), most: span(30) };
    assert_eq!(two.moves(31), Err(most));
    assert!(most.to_string().contains("30ns could be moved now"), "{most}");
    two.moves(30).unwrap();
    let moving = AnswerError::Moving { until: at(30) };
    assert_eq!(two.moves(1), Err(moving));
    assert!(moving.to_string().contains("ask again"), "{moving}");
    // The receiver does not pass it on meanwhile, and has nothing else.
    let (taker, giver) = (two.taker, two.giver);
    let lowest = two.host.below(taker, "lowest", "ports", &[]);
    two.way = (lowest, 0);
    assert_eq!(two.moves(1), Err(moving));
    two.host.run_to(31);
    assert_eq!(two.moves(1), Err(AnswerError::NoSupply));
    two.holds(giver, "NULL");
    two.way = (taker, 0);
    assert_eq!(two.moves(1), Err(AnswerError::NoSupply));
}

#[test]
fn law_what_does_not_come_takes_nothing_that_the_own_steps_promise() {
    let mut two = Two::joined((4, 10), (2, 4), true);
    // In any 5 of its own, 1 is sure; none comes before 4.
    two.host.stolen = vec![(0, 4)];
    two.host.tree.open_journal(100, false);
    let thread = two.host.thread(two.taker, "t", &[]);
    two.host.tell(thread, submit(0, 1, 5)).unwrap();
    two.host.wake_for(thread, 1);
    two.host.run_to(1);
    two.moves(1).unwrap();
    two.host.run_to(3);
    let giver = two.giver;
    two.holds(giver, "NULL");
    assert_eq!(
        two.noted(),
        [Note::Moved(span(1)), Note::Lost(span(1))],
        "what was moved, and no task"
    );
    two.host.run_to(5);
    assert_eq!(two.host.ran(thread), 1);
}

#[test]
fn refuses_to_move_laxity_from_an_instance_that_admits_by_steps() {
    let mut two = Two::joined((4, 10), (2, 10), true);
    let lowest = two.host.below(two.taker, "lowest", "ports", &[]);
    two.way = (lowest, 0);
    let allowed = "none by an instance with `exact`";
    assert_eq!(two.moves(1), Err(AnswerError::OutOfRange { what: "a transfer", allowed }));
}

#[test]
fn law_what_was_moved_and_does_not_come_is_named_and_so_are_the_tasks_that_it_was_for() {
    let mut two = Two::below(Held::All);
    let (giver, taker) = (two.giver, two.taker);
    two.host.tree.open_journal(1_000, false);
    let thread = two.host.thread(taker, "t", &[]);
    two.moves(30).unwrap();
    two.host.tell(thread, submit(0, 20, 60)).unwrap();
    assert_eq!(two.noted(), [Note::Moved(span(30))]);
    two.holds(giver, "RESBS 30ns 60ns");
    assert_eq!(two.noted(), [Note::Lost(span(30)), Note::Lost(span(20))]);
    assert_eq!(two.idle(taker, 900), 0);
    // One that is given something while it gives: what it gave does not come.
    two.holds(taker, "RESBS 10ns 60ns");
    let lowest = two.host.below(taker, "lowest", "ports", &[]);
    two.way = (lowest, 0);
    two.moves(5).unwrap();
    assert_eq!(two.idle(lowest, 900), 5);
    two.way = (taker, 0);
    two.moves(7).unwrap();
    assert_eq!(two.noted(), [Note::Moved(span(5)), Note::Moved(span(7)), Note::Lost(span(5))]);
    assert_eq!(two.idle(lowest, 900), 0);
}

/// A giver that holds 40 in 100, and another that takes the rest when it wakes.
fn busy() -> (Two, usize) {
    let mut host = Host::new(1);
    let rez = host.root("rez", &[]);
    let giver = host.below(rez, "ports", "ports", &[reserve(40, 100)]);
    let rest = host.thread(rez, "rest", &[reserve(60, 100)]);
    let taker = host.below(giver, "taker", "ports", &[]);
    let mut two = Two { host, giver, taker, way: (taker, 0) };
    two.holds(giver, "RESBS 40ns 100ns");
    (two, rest)
}

#[test]
fn law_what_the_receiver_had_early_is_not_promised_again() {
    let (mut two, other) = busy();
    let (giver, taker) = (two.giver, two.taker);
    let [own, its] =
        [(giver, "own"), (taker, "its")].map(|(node, name)| two.host.thread(node, name, &[]));
    two.moves(80).unwrap();
    two.host.tell(its, submit(0, 39, 400)).unwrap();
    // At the beginning of the period it receives 39 in 39, where 16 fall due.
    two.host.wake_for(its, 39);
    two.host.wake(other);
    two.host.run_to(40);
    assert_eq!(two.host.ran(its), 39);
    two.host.run_to(100);
    let left = two.idle(taker, 2_000);
    assert!(left > 30, "{left}");
    let query = TemporalQuery::EarliestDeadline(span(left));
    let earliest = two.host.tree.temporal_query(at(100), taker, query).unwrap();
    let Some(TemporalAnswer::Earliest(Some(deadline))) = earliest else { panic!("{earliest:?}") };
    two.host.tell(its, submit(1, left, deadline.as_nanos())).unwrap();
    // The giver promises all that it has until some time after that.
    let end = deadline.as_nanos() + 500;
    let rest = two.idle(giver, end);
    two.host.tell(own, submit(0, rest, end)).unwrap();
    two.host.wake_for(own, rest);
    two.host.wake_for(its, left);
    two.host.run_to(deadline.as_nanos());
    assert_eq!(two.host.ran(its), 39 + left);
    two.host.run_to(end);
    assert_eq!(two.host.ran(own), rest);
}

#[test]
fn limit_a_receiver_that_waits_gains_all_of_it_and_so_does_one_behind_a_join() {
    let (mut two, other) = busy();
    two.host.wake(other);
    let own = two.host.thread(two.giver, "own", &[]);
    two.host.tell(own, submit(0, 40, 900)).unwrap();
    two.host.wake_for(own, 40);
    // The giver has received 20 in 80, and its supply may catch up with 12.
    two.host.run_to(80);
    two.moves(50).unwrap();
    let taker = two.taker;
    assert_eq!(two.idle(taker, 2_000), 50);
    let mut two = Two::joined((4, 10), (2, 10), false);
    let (taker, far) = (two.taker, 1_000);
    let before = two.idle(taker, far);
    two.moves(50).unwrap();
    assert_eq!(two.idle(taker, far), before + 50);
}

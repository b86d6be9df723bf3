//! Fixed priority, by hand.

use crate::common::{Host, MS, conversion, gives, promise, reserve};
use proptest::prelude::*;
use windfall_guarantees::{ChildParams, Guarantee, Supply};
use windfall_hierarchy::{AnswerError, HierarchyError, Message};
use windfall_schedulers::catalogue::Value;
use windfall_schedulers::kinds;
use windfall_schedulers::priority::FixedPriority;

const LOW: [Message; 1] = [Message::Priority(1)];
const MIDDLE: [Message; 1] = [Message::Priority(2)];
const HIGH: [Message; 1] = [Message::Priority(3)];

#[test]
fn paper_hls_5_3_1_1_no_other_delays_the_highest() {
    let mut host = Host::new(1);
    let root = host.top(FixedPriority::default().exclusive(true));
    let low = host.spin(root, "low", &LOW);
    let high = host.cycle(root, "high", &HIGH, (2 * MS, 10 * MS));
    host.cycle(root, "middle", &MIDDLE, (3 * MS, 5 * MS));
    host.run_to(10 * MS - 1);
    assert_eq!(host.timeline(0), "0 high, 2 middle, 8 low");
    assert_eq!(host.ran(high), 2 * MS);
    assert_eq!(host.ran(low), 2 * MS - 1);
}

#[test]
fn accepts_equals_first_come_first_served_and_the_running_one_stays() {
    let mut host = Host::new(1);
    let root = host.top(kinds::FIXED_PRIORITY);
    let [a, b, c] = ["a", "b", "c"].map(|name| host.spin(root, name, &MIDDLE));
    assert_eq!(host.on(0), Some(a));
    host.yields(a);
    assert_eq!(host.on(0), Some(b));
    let high = host.spin(root, "high", &HIGH);
    assert_eq!(host.on(0), Some(high));
    host.block(high);
    assert_eq!(host.on(0), Some(b), "a preempted one comes before those that asked later");
    host.block(b);
    assert_eq!(host.on(0), Some(c));
}

#[test]
fn accepts_as_many_as_there_are_processors() {
    let mut host = Host::new(2);
    let root = host.top(kinds::FIXED_PRIORITY);
    let low = host.spin(root, "low", &LOW);
    let middle = host.spin(root, "middle", &MIDDLE);
    let high = host.spin(root, "high", &HIGH);
    assert_eq!((host.on(0), host.on(1)), (Some(high), Some(middle)));
    host.tell(low, Message::Priority(9)).unwrap();
    assert_eq!((host.on(0), host.on(1)), (Some(high), Some(low)));
}

#[test]
fn limit_without_a_priority_ranks_below_every_priority() {
    let mut host = Host::new(1);
    let root = host.top(FixedPriority::default().exclusive(true));
    let none = host.spin(root, "none", &[]);
    host.thread(root, "none too", &[]);
    let least = host.spin(root, "least", &[Message::Priority(i32::MIN)]);
    assert_eq!(host.on(0), Some(least));
    host.block(least);
    assert_eq!(host.on(0), Some(none));
}

#[test]
fn refuses_a_priority_that_another_has_beside_accepts_it_when_that_one_is_gone() {
    let mut host = Host::new(1);
    let root = host.top(FixedPriority::default().exclusive(true));
    let first = host.thread(root, "first", &HIGH);
    let taken = Err(HierarchyError::Refused(AnswerError::Taken { what: "priority" }));
    assert_eq!(host.try_thread(root, "second", &HIGH), taken);
    let second = host.thread(root, "second", &MIDDLE);
    assert_eq!(host.tell(second, HIGH[0]).map(|()| 0), taken);
    assert_eq!(host.tell(second, MIDDLE[0]), Ok(()), "its own again");
    host.tell(first, LOW[0]).unwrap();
    host.tell(second, HIGH[0]).unwrap();
    host.exit(second);
    host.tell(first, HIGH[0]).unwrap();
}

/// The guarantees offered to children of these priorities.
fn offered(own: &[&str], priorities: &[Option<i32>]) -> Vec<Vec<String>> {
    let own: Vec<Guarantee> = own.iter().map(|text| promise(text)).collect();
    let params = |priority: &Option<i32>| ChildParams::default().priority(*priority);
    let params: Vec<ChildParams> = priorities.iter().map(params).collect();
    conversion("fixed-priority", &[]).give(Supply::of(&own), &params).iter().map(gives).collect()
}

#[test]
fn paper_hls_5_3_1_1_any_becomes_any_for_the_highest_and_null_for_the_others() {
    for text in ["ALL", "RESBH 3ms 10ms", "RESPS 5ms 33ms 10ms", "PSBE 1/2 5ms", "PS 1/2"] {
        let children = [Some(1), Some(5), Some(4)];
        assert_eq!(offered(&[text], &children), [vec![], vec![text], vec![]]);
    }
    assert_eq!(offered(&["RESU 1/2"], &[Some(1)]), [["PS 1/2"]]);
    assert_eq!(offered(&["ALL"], &[Some(5), Some(5)]), [[""; 0]; 2], "neither of two equals");
}

#[test]
fn limit_who_has_told_no_priority_ranks_below_the_lowest() {
    assert_eq!(offered(&["ALL"], &[None, Some(i32::MIN)]), [vec![], vec!["ALL"]]);
    assert_eq!(offered(&["ALL"], &[None]), [["ALL"]]);
}

#[test]
fn limit_as_many_have_all_as_there_are_whole_processors() {
    let children = [Some(4), Some(3), Some(3), Some(1)];
    let all = |n: usize| vec!["ALL"; n].into_iter().map(String::from).collect::<Vec<_>>();
    let on = |own: &[&str]| offered(own, &children);
    assert_eq!(on(&["ALL"; 2]), [all(1), all(0), all(0), all(0)]);
    assert_eq!(on(&["ALL"; 3]), [all(1), all(1), all(1), all(0)]);
    assert_eq!(on(&["NULL", "ALL"]), [all(1), all(0), all(0), all(0)]);
    assert_eq!(on(&["PS 1/2", "PS 1/2"]), [all(0), all(0), all(0), all(0)]);
}

proptest! {
    #[test]
    fn law_whoever_is_given_all_waits_for_nobody(
        processors in 1_u16..5,
        children in prop::collection::vec(
            (prop::option::of(0..4), prop::option::of((MS..30 * MS, MS..40 * MS))),
            1..9,
        ),
    ) {
        let mut host = Host::new(processors);
        let root = host.top(kinds::FIXED_PRIORITY);
        let mut threads = Vec::new();
        for (priority, cycle) in &children {
            let told: Vec<Message> = priority.map(Message::Priority).into_iter().collect();
            let thread = host.thread(root, "t", &told);
            match cycle {
                Some(cycle) => host.begin_cycle(thread, *cycle),
                None => host.wake(thread),
            }
            threads.push(thread);
        }
        let begun = host.now;
        host.run_for(300 * MS);
        let own = vec!["ALL"; usize::from(processors)];
        let priorities: Vec<Option<i32>> = children.iter().map(|(priority, _)| *priority).collect();
        for (thread, gives) in threads.into_iter().zip(offered(&own, &priorities)) {
            for text in gives {
                host.keeps(thread, begun, &promise(&text));
            }
        }
    }

    #[test]
    fn law_the_highest_has_what_the_scheduler_has(
        amount in MS..10 * MS,
        low in (MS..40 * MS, MS..40 * MS),
        cycle in prop::option::of((MS..30 * MS, MS..40 * MS)),
        rivals in prop::collection::vec((MS..20 * MS, MS..50 * MS), 0..4),
    ) {
        let mut host = Host::new(1);
        let root = host.top(kinds::REZ);
        let node = host.below(root, "node", "fixed-priority", &[reserve(amount, 20 * MS)]);
        host.cycle(node, "low", &LOW, low);
        let high = host.thread(node, "high", &HIGH);
        match cycle {
            Some(cycle) => host.begin_cycle(high, cycle),
            None => host.wake(high),
        }
        for (amount, period) in rivals {
            let requested = reserve(amount.min(period), period);
            if let Ok(rival) = host.try_thread(root, "rival", &[requested]) {
                host.wake(rival);
            }
        }
        host.run_for(400 * MS);
        let reserved = Guarantee::BasicHard(crate::common::span(amount).into(), crate::common::span(20 * MS).into());
        let offers = conversion("fixed-priority", &[])
            .give(Supply::of(&[reserved]), &[ChildParams::default().priority(3)]);
        for given in &offers[0].gives {
            host.keeps(high, 0, &given.guarantee);
        }
    }
}

/// With `exclusive`, the later of two children with the same priority is refused when it is added, and so promised
/// nothing.
#[test]
fn refuses_a_priority_that_another_has_where_each_is_given_once() {
    let child = |priority: i32| ChildParams::default().priority(priority);
    let children = [child(5), child(5), child(3)];
    let told = |exclusive: bool| {
        let settings = [("exclusive", Value::Bool(exclusive))];
        let conversion = crate::common::conversion("fixed-priority", &settings);
        let offers = conversion.give(Supply::of(&[Guarantee::All, Guarantee::All]), &children);
        offers.into_iter().map(|offer| !offer.gives.is_empty()).collect::<Vec<_>>()
    };
    assert_eq!(told(true), [true, false, true], "who is refused takes nothing from others");
    assert_eq!(told(false), [true, true, false]);
}

//! Uniformly slower processors, by hand and at random.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::common::{Host, MS, US, at, periodic, reserve, span};
use proptest::prelude::*;
use windfall_guarantees::{ChildParam, ChildParams, Conversion, Guarantee, Length, Offer, Supply};
use windfall_hierarchy::{
    AnswerError, HierarchyError, Message, NodeId, OwnVp, Parent, Target, VpState,
};
use windfall_schedulers::catalogue::{Settings, Value, find};
use windfall_schedulers::kinds;
use windfall_time::Ratio;

fn due(deadline: u64) -> Message {
    Message::Job { release: at(0), deadline: at(deadline), work: None }
}

const REPORT_DEADLINES: &[(&str, Value<'_>)] = &[("report-deadlines", Value::Bool(true))];

fn below(host: &mut Host, parent: NodeId, kind: &str, ask: Message) -> NodeId {
    host.try_node(kind, kind, REPORT_DEADLINES, &[(Parent::Node(parent), &[ask])]).unwrap()
}

#[test]
fn paper_hls_5_2_2_3_from_deadline_to_deadline_the_share_of_the_time() {
    let mut host = Host::new(1);
    let root = host.top(kinds::PSHED);
    let a = host.thread(root, "a", &[reserve(MS, 4 * MS)]);
    let b = host.spin(root, "b", &[reserve(3 * MS, 4 * MS)]);
    host.tell(a, due(8 * MS)).unwrap();
    host.wake(a);
    let mut had = 0;
    for (deadline, next, share) in [(8, 48, 2), (48, 52, 10), (52, 100, 1), (100, 104, 12)] {
        host.run_to(deadline * MS);
        assert_eq!(host.ran(a) - had, share * MS, "until {deadline}");
        host.tell(a, due(next * MS)).unwrap();
        had = host.ran(a);
    }
    assert!(host.ran(b) >= 75 * MS);
}

#[test]
fn limit_who_has_run_ahead_gets_less_between_two_deadlines() {
    let mut host = Host::new(1);
    let root = host.top(kinds::PSHED);
    let a = host.thread(root, "a", &[reserve(MS, 2 * MS)]);
    let b = host.thread(root, "b", &[reserve(MS, 2 * MS)]);
    host.tell(a, due(100 * MS)).unwrap();
    host.wake(a);
    host.run_to(45 * MS);
    host.tell(a, due(60 * MS)).unwrap();
    host.tell(b, due(100 * MS)).unwrap();
    host.wake(b);
    host.run_to(100 * MS - 1);
    // Half of 100 ms by 100 ms, as on a processor of half the speed; but 45 ms of them before the deadline at 60 ms
    // was reported, and 5 ms until then. The 20 ms that "between two consecutive deadlines" (5.2.2.3) would add are
    // not available: b has nearly half of the last 55 ms, and its deadline is due.
    assert_eq!(host.timeline(0), "0 a, 50 b, 77.5 -");
    assert_eq!(host.ran(a), 50 * MS);
}

/// 64 deadlines are kept. What was used until one that is forgotten is not given again until another near it.
#[test]
fn limit_a_forgotten_deadline_gives_nothing_twice() {
    let mut host = Host::new(1);
    let root = host.top(kinds::PSHED);
    let a = host.thread(root, "a", &[reserve(MS, 2 * MS)]);
    let b = host.thread(root, "b", &[reserve(MS, 2 * MS)]);
    for deadline in (160..=222).chain([300]) {
        host.tell(a, due(deadline * MS)).unwrap();
    }
    host.tell(b, due(301 * MS)).unwrap();
    host.wake(a);
    host.wake(b);
    host.run_to(150 * MS);
    assert_eq!(host.ran(a), 150 * MS);
    // The one at 300 ms is forgotten, and the one at 299 ms counts as the one at 400 ms.
    host.tell(a, due(400 * MS)).unwrap();
    host.run_to(170 * MS);
    host.tell(a, due(299 * MS)).unwrap();
    host.run_to(301 * MS);
    assert_eq!(host.ran(b), 150 * MS + MS / 2);
}

#[test]
fn limit_a_child_that_tells_nothing_has_its_amount_in_each_period() {
    let mut host = Host::new(1);
    let root = host.top(kinds::PSHED);
    let a = host.spin(root, "a", &[reserve(MS, 4 * MS)]);
    host.spin(root, "b", &[reserve(3 * MS, 4 * MS)]);
    host.run_to(400 * MS);
    let promise: Guarantee = "RESBH 1ms 4ms".parse().unwrap();
    assert!(host.keeps(a, 0, &promise) > 40);
}

#[test]
fn accepts_exactly_the_whole_beside_refuses_more() {
    let kind = find("pshed").unwrap();
    let conversion: Box<dyn Conversion> = kind.conversion(&Settings(REPORT_DEADLINES)).unwrap();
    let third = Guarantee::Slower(Ratio::new(1, 3).unwrap());
    let Ok(ChildParam::Reserve { amount, period }) = conversion.parameter_for(&third) else {
        panic!("a third cannot be told");
    };
    assert_eq!(amount.over(period), Ratio::new(1, 3));
    let params = ChildParams::default().reserve(amount, period);
    let offers = conversion.give(Supply::of(&[Guarantee::All]), &[params; 4]);
    assert!(offers[..3].iter().all(|offer| offer.gives[0].guarantee == third));
    assert!(offers[3].gives.is_empty() && offers[3].lacks.is_some());
    // Below another slower processor it promises nothing, because children that yield make deadlines come out of
    // order.
    let half = Guarantee::Slower(Ratio::new(1, 2).unwrap());
    let offers = conversion.give(Supply::of(&[half]), &[params; 2]);
    assert!(offers.iter().all(|offer: &Offer| offer.gives.is_empty()));
    assert!(conversion.parameter_for(&"RESBH 1ms 2ms".parse().unwrap()).is_err());
}

/// The action of a sibling after some time.
#[derive(Clone, Copy, Debug)]
enum Event {
    Toggle,
    Work(u64),
    Due(u64),
    /// More deadlines than are kept, this far apart, the last first or last.
    Many(u64, bool),
    Yield,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => Just(Event::Toggle),
        4 => (1_u64..9_000).prop_map(Event::Work),
        4 => (1_u64..60_000).prop_map(Event::Due),
        1 => (1_u64..900, any::<bool>()).prop_map(|(apart, falling)| Event::Many(apart, falling)),
        1 => Just(Event::Yield),
    ]
}

fn disturb(host: &mut Host, siblings: &[usize], who: usize, event: Event) {
    let thread = siblings[who % siblings.len()];
    let waits = host.tree.thread_state(host.threads[thread].id) == Some(VpState::Waiting);
    match event {
        Event::Toggle if waits => host.wake(thread),
        Event::Toggle => host.block(thread),
        Event::Work(work) if waits => host.wake_for(thread, work),
        Event::Due(ahead) => host.tell(thread, due(host.now + ahead)).unwrap(),
        Event::Many(apart, falling) => {
            for number in 1..=90 {
                let number = if falling { 91 - number } else { number };
                // Of a child of the outer processor: each deadline of an inner one's child loses a nanosecond there, too.
                host.tell(siblings[0], due(host.now + number * apart)).unwrap();
            }
        }
        Event::Yield if host.on(0) == Some(thread) => host.yields(thread),
        Event::Work(_) | Event::Yield => {}
    }
}

fn steps() -> impl Strategy<Value = Vec<(usize, u64, Event)>> {
    prop::collection::vec((0_usize..3, 0_u64..6_000, event()), 1..120)
}

/// A slower processor for `kind`, and two siblings that have the rest; if `nested`, all of that below another
/// slower processor, beside a third sibling.
fn plant(kind: &str, (above, below_): (u64, u64), nested: bool) -> (Host, NodeId, Vec<usize>) {
    let mut host = Host::new(1);
    let root = host.top(kinds::PSHED);
    let mut siblings = Vec::new();
    let mut place = root;
    let (mut above, mut below_) = (above, below_);
    if nested {
        // Two thirds of the processor; the speeds below are two thirds of what they were.
        place = below(&mut host, root, "pshed", reserve(2 * MS, 3 * MS));
        siblings.push(host.thread(root, "third", &[reserve(MS, 3 * MS)]));
        (above, below_) = (2 * above, 3 * below_);
    }
    let rest = if nested { 2 * below_ / 3 - above } else { below_ - above };
    let scheduler = below(&mut host, place, kind, reserve(above * US, below_ * US));
    for name in ["a", "b"] {
        siblings.push(host.thread(place, name, &[reserve(rest * US, 2 * below_ * US)]));
    }
    (host, scheduler, siblings)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// A set that is schedulable on a processor of speed r misses no deadline on RESU r, whatever others do (HLS
    /// 2.3.1.4). Rounding may lose a nanosecond at each deadline.
    #[test]
    fn law_a_schedulable_set_misses_no_deadline_on_a_slower_processor(
        above in 1_u64..10,
        nested in any::<bool>(),
        tasks in prop::collection::vec((3_u64..40, 1_u64..9), 1..5),
        steps in steps(),
    ) {
        let (mut host, edf, siblings) = plant("edf", (above, 10), nested);
        let weights: u64 = tasks.iter().map(|(_, weight)| weight).sum();
        let mut threads = Vec::new();
        for (number, (period, weight)) in tasks.iter().enumerate() {
            let period = period * US;
            let (speed, whole) = if nested { (2 * above, 30) } else { (above, 10) };
            let work = (period * speed * weight / (whole * weights)).saturating_sub(60).max(1);
            let name = format!("t{number}");
            let messages = [periodic(period, period)];
            let offset = host.now;
            threads.push((host.cycle(edf, &name, &messages, (work, period)), offset, work, period));
            host.run_for(700);
        }
        for (who, pause, event) in steps {
            let end = host.now + pause;
            while host.now < end {
                let next = |(_, offset, _, period): &(usize, u64, u64, u64)| {
                    offset + ((host.now - offset) / period + 1) * period
                };
                let next = threads.iter().map(next).min().unwrap().min(end);
                host.run_to(next);
                for (thread, offset, work, period) in &threads {
                    let jobs = (host.now - offset) / period;
                    prop_assert!(host.ran(*thread) >= jobs * work, "a miss by {}", host.now);
                }
            }
            disturb(&mut host, &siblings, who, event);
        }
    }

    /// A reservation scheduler keeps reservations that sum up to r on RESU r.
    #[test]
    fn law_reservations_are_kept_on_a_slower_processor(
        above in 1_u64..10,
        nested in any::<bool>(),
        shares in prop::collection::vec((3_u64..40, 1_u64..9), 1..5),
        steps in steps(),
    ) {
        let (mut host, rez, siblings) = plant("rez", (above, 10), nested);
        let weights: u64 = shares.iter().map(|(_, weight)| weight).sum();
        let mut threads = Vec::new();
        for (number, (period, weight)) in shares.iter().enumerate() {
            let period = period * US;
            let (speed, whole) = if nested { (2 * above, 30) } else { (above, 10) };
            let amount = (period * speed * weight / (whole * weights)).saturating_sub(60).max(1);
            let thread = host.spin(rez, &format!("t{number}"), &[reserve(amount, period)]);
            threads.push((thread, amount, period));
        }
        for (who, pause, event) in steps {
            host.run_for(pause);
            disturb(&mut host, &siblings, who, event);
        }
        host.run_for(100 * US);
        for (thread, amount, period) in threads {
            let (x, y) = (Length::from(span(amount)), Length::from(span(period)));
            host.keeps(thread, 0, &Guarantee::BasicHard(x, y));
        }
    }
}

/// The share that is left beside all that an instance has admitted; it admits nothing.
fn left(host: &mut Host, node: NodeId) -> Ratio {
    match host.try_thread(node, "all", &[reserve(10 * MS, 10 * MS)]) {
        Err(HierarchyError::Refused(AnswerError::NoRoom { left, .. })) => left,
        other => panic!("{other:?}"),
    }
}

#[test]
fn law_rez_admits_no_more_than_the_slower_processor_that_it_has() {
    let mut host = Host::new(2);
    let root = host.try_node("root", "pshed", &[], &[(Parent::Top, &[])]).unwrap();
    let [rez, other] = [("rez", 3), ("other", 1)].map(|(name, amount)| {
        let parent = (Parent::Node(root), &[reserve(amount * MS, 10 * MS)][..]);
        host.try_node(name, "rez", REPORT_DEADLINES, &[parent]).unwrap()
    });
    let tenth = |tenths| Ratio::new(tenths, 10).unwrap();
    host.spin(rez, "a", &[reserve(MS, 10 * MS)]);
    assert_eq!((left(&mut host, rez), left(&mut host, other)), (tenth(2), tenth(1)));
    // What is more begins with the next period, and can be reserved then; what is less counts at once.
    host.ask(rez, 0, reserve(5 * MS, 10 * MS)).unwrap();
    assert_eq!(left(&mut host, rez), tenth(2));
    host.run_to(25 * MS);
    assert_eq!(left(&mut host, rez), tenth(4));
    let c = host.spin(rez, "c", &[reserve(4 * MS, 10 * MS)]);
    host.run_to(125 * MS);
    assert!(host.ran(c) >= 39 * MS, "the processor is faster, too: {}", host.ran(c));
    host.exit(c);
    host.ask(rez, 0, reserve(2 * MS, 10 * MS)).unwrap();
    assert_eq!(left(&mut host, rez), tenth(1));
    host.run_to(145 * MS);
    assert_eq!(left(&mut host, rez), tenth(1));
    // Less than what is admitted leaves nothing.
    let b = host.spin(rez, "b", &[reserve(MS, 10 * MS)]);
    host.ask(rez, 0, reserve(MS, 10 * MS)).unwrap();
    assert_eq!(left(&mut host, rez), Ratio::ZERO);
    // A processor of its own is whole.
    host.tree.move_node(at(145 * MS), (rez, OwnVp(0)), Parent::Top, &[]).unwrap();
    assert_eq!(left(&mut host, rez), tenth(8));
    host.exit(b);
    // Back, with what another speed leaves; refused there, it stays.
    let to = Parent::Node(root);
    let refused =
        host.tree.move_node(at(145 * MS), (rez, OwnVp(0)), to, &[reserve(10 * MS, 10 * MS)]);
    assert!(refused.is_err() && left(&mut host, rez) > tenth(8));
    host.tree.move_node(at(145 * MS), (rez, OwnVp(0)), to, &[reserve(4 * MS, 10 * MS)]).unwrap();
    assert!(left(&mut host, rez) <= tenth(4));
    host.tree.send_for(at(145 * MS), Target::Node(rez), OwnVp(0), Message::Unreserve).unwrap();
    assert!(left(&mut host, rez) > tenth(4), "nothing is promised there");
}

//! Hard, firm and soft reserves, by hand and at random.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::common::{Host, MS, conversion, gives, promise, reserve, span};
use proptest::prelude::*;
use windfall_guarantees::{ChildParams, Guarantee, Length, Supply, Type};
use windfall_hierarchy::{AnswerError, HierarchyError, Message, NodeId, VpState};
use windfall_time::Ratio;

const KIND: &str = "resource-kernel";
const SOFT: Message = Message::Priority(1);
const FIRM: Message = Message::Priority(-1);

#[test]
fn paper_rajkumar_1998_the_shortest_period_goes_first() {
    let mut host = Host::new(1);
    let root = host.root(KIND, &[]);
    host.spin(root, "a", &[reserve(6 * MS, 20 * MS)]);
    host.run_to(MS);
    host.spin(root, "b", &[reserve(2 * MS, 10 * MS)]);
    host.run_to(24 * MS);
    assert_eq!(host.timeline(0), "0 a, 1 b, 3 a, 8 -, 11 b, 13 -, 20 a, 21 b, 23 a");
}

#[test]
fn paper_hls_6_2_1_hard_stops_soft_competes_and_firm_takes_what_is_left() {
    for (message, line) in [
        (Message::Priority(0), "0 r, 2 o, 10 r, 12 o, 20 r, 22 -, 30 r, 32 -"),
        (SOFT, "0 r, 2 o, 7 r, 12 o, 17 r, 22 -, 30 r, 32 -"),
        (FIRM, "0 r, 2 o, 10 r, 12 o, 20 r, 22 -, 30 r, 32 -"),
    ] {
        let mut host = Host::new(1);
        let quantum = ("quantum", windfall_schedulers::catalogue::Value::Span(span(5 * MS)));
        let root = host.root(KIND, &[quantum]);
        let other = host.thread(root, "o", &[]);
        let reserved = host.spin(root, "r", &[reserve(2 * MS, 10 * MS), message]);
        host.wake(other);
        host.run_to(20 * MS);
        host.block(other);
        host.run_to(34 * MS);
        let line = match message {
            Message::Priority(0) => line.to_owned(),
            _ => line.split(", 22 -").next().unwrap().to_owned(),
        };
        assert_eq!(host.timeline(0), line, "{message:?}");
        let kept =
            if message == Message::Priority(0) { "RESBH 2ms 10ms" } else { "RESBS 2ms 10ms" };
        assert!(host.keeps(reserved, 0, &promise(kept)) > 0);
    }
}

#[test]
fn paper_hls_6_2_1_a_class_may_change_while_its_child_is_ready() {
    let mut host = Host::new(1);
    let root = host.root(KIND, &[]);
    let a = host.spin(root, "a", &[reserve(2 * MS, 10 * MS)]);
    host.run_to(4 * MS);
    host.tell(a, SOFT).unwrap();
    host.run_to(6 * MS);
    host.tell(a, Message::Priority(0)).unwrap();
    host.run_to(8 * MS);
    host.tell(a, FIRM).unwrap();
    host.run_to(9 * MS);
    host.tell(a, Message::Unreserve).unwrap();
    host.run_to(11 * MS);
    assert_eq!(host.timeline(0), "0 a, 2 -, 4 a, 6 -, 8 a");
}

#[test]
fn limit_a_budget_is_kept_until_its_period_ends() {
    let mut host = Host::new(1);
    let root = host.root(KIND, &[]);
    let a = host.thread(root, "a", &[reserve(3 * MS, 10 * MS)]);
    let b = host.spin(root, "b", &[reserve(2 * MS, 16 * MS)]);
    host.run_to(7 * MS);
    host.wake(a);
    host.run_to(16 * MS);
    assert_eq!(host.timeline(0), "0 b, 2 -, 7 a, 13 -, 16 b");
    assert_eq!((host.ran(a), host.ran(b)), (6 * MS, 2 * MS));
}

#[test]
fn refuses_what_a_saved_budget_would_make_late_beside_accepts_one_unit_less() {
    // With 3 in 10, the other takes 6 of an interval of 15, saved up and used at once.
    let mut host = Host::new(1);
    let root = host.root(KIND, &[]);
    host.thread(root, "a", &[reserve(3, 10)]);
    assert!(host.try_thread(root, "b", &[reserve(8, 13)]).is_err());
    assert!(host.try_thread(root, "b", &[reserve(0, 13)]).is_err());
    assert!(host.try_thread(root, "b", &[reserve(14, 13)]).is_err());
    let b = host.thread(root, "b", &[reserve(7, 13)]);
    assert!(host.tell(b, Message::Share(1)).is_err());
    // Rate monotonic priorities do not use the whole processor.
    assert!(host.try_thread(root, "c", &[reserve(1, 10)]).is_err());
}

/// Amount and period, in nanoseconds.
type Reserve = (u64, u64);

#[test]
fn law_a_refusal_names_an_amount_that_is_accepted_and_one_unit_more_is_not() {
    let beside = |held: &[Reserve], asked: Reserve| {
        let mut host = Host::new(1);
        let root = host.root(KIND, &[]);
        for (amount, period) in held {
            host.thread(root, "held", &[reserve(*amount, *period)]);
        }
        host.try_thread(root, "asks", &[reserve(asked.0, asked.1)]).map(|_| ())
    };
    // In 60 ms the others take at most 7 of 2 ms and 9 of 1,234,567 ns.
    let held: [(&[Reserve], Reserve, u64); 4] = [
        (&[(3, 10)], (8, 13), 7),
        (&[(3 * MS, 10 * MS)], (9 * MS, 10 * MS), 3_500_000),
        (&[(2 * MS, 10 * MS), (1_234_567, 7_654_321)], (60 * MS, 60 * MS), 34_888_897),
        (&[(7, 13)], (1, 13), 0),
    ];
    for (held, (amount, period), expected) in held {
        let refused = beside(held, (amount, period));
        let Err(HierarchyError::Refused(AnswerError::TooLate { fits, .. })) = refused else {
            panic!("{held:?}: {refused:?}")
        };
        assert_eq!(fits, span(expected), "{held:?}");
        let with = |amount| beside(held, (amount, period)).is_ok();
        assert_eq!(
            (expected == 0 || with(expected), with(expected + 1)),
            (true, false),
            "{held:?}"
        );
    }
}

#[test]
fn limit_a_change_that_takes_nothing_from_others_waits_for_the_end_of_the_period() {
    let mut host = Host::new(1);
    let root = host.root(KIND, &[]);
    let a = host.spin(root, "a", &[reserve(MS, 10 * MS)]);
    host.run_to(2 * MS);
    host.tell(a, reserve(2 * MS, 5 * MS)).unwrap();
    host.run_to(17 * MS);
    assert_eq!(host.timeline(0), "0 a, 1 -, 10 a, 12 -, 15 a, 17 -");
}

#[test]
fn limit_another_reserve_begins_the_longest_period_after_one_that_ended() {
    let mut host = Host::new(1);
    let root = host.root(KIND, &[]);
    let b = host.thread(root, "b", &[reserve(4 * MS, 10 * MS)]);
    let a = host.thread(root, "a", &[reserve(4 * MS, 12 * MS)]);
    host.run_to(6 * MS);
    host.wake(b);
    host.run_to(10 * MS);
    host.wake(a);
    // The saved budget has been used: the same again at once would leave `a` 4 ms short.
    host.exit(b);
    host.spin(root, "c", &[reserve(4 * MS, 10 * MS)]);
    host.run_to(30 * MS);
    assert_eq!(host.timeline(0), "6 b, 10 a, 16 -, 22 c, 26 a, 30 -");
}

#[test]
fn limit_nobody_waits_for_a_reserve_that_never_began() {
    let mut host = Host::new(1);
    let root = host.root(KIND, &[]);
    let used = host.spin(root, "used", &[reserve(4 * MS, 10 * MS)]);
    host.run_to(2 * MS);
    host.exit(used);
    let changed = host.thread(root, "changed", &[reserve(2 * MS, 10 * MS)]);
    let ended = host.spin(root, "ended", &[reserve(4 * MS, 10 * MS)]);
    host.run_to(5 * MS);
    host.tell(changed, reserve(MS, 10 * MS)).unwrap();
    host.run_to(7 * MS);
    host.exit(ended);
    host.spin(root, "c", &[reserve(4 * MS, 10 * MS)]);
    host.run_to(16 * MS);
    assert_eq!(host.timeline(0), "0 used, 2 -, 12 c, 16 -");
}

#[test]
fn accepts_all_and_not_a_slower_processor() {
    let conversion = conversion(KIND, &[]);
    assert_eq!(conversion.takes(), [Type::All]);
    let params = |amount: u64, period: u64, priority| {
        ChildParams::default().reserve(span(amount * MS), span(period * MS)).priority(priority)
    };
    let requested = [
        params(1, 10, None),
        params(1, 10, Some(1)),
        ChildParams::default(),
        params(1, 20, Some(-1)),
        params(5, 20, Some(0)),
        params(1, 100, None),
    ];
    let offers = conversion.give(Supply::of(&[Guarantee::All]), &requested);
    let given: Vec<String> = offers.iter().map(|offer| gives(offer).join(" ")).collect();
    assert_eq!(
        given,
        [
            "RESBH 1ms 10ms",
            "RESBS 1ms 10ms",
            "",
            "RESBS 1ms 20ms",
            "RESBH 5ms 20ms",
            "RESBH 1ms 100ms"
        ]
    );
    let offers =
        conversion.give(Supply::of(&[Guarantee::All]), &[params(3, 10, None), params(8, 13, None)]);
    let lacks = offers[1].lacks.as_deref().unwrap();
    assert!(lacks.starts_with("beside the 1 before it, a reserve of 8ms in 13ms"), "{lacks}");
    let half = Guarantee::Slower(Ratio::new(1, 2).unwrap());
    assert!(
        conversion.give(Supply::of(&[half]), &requested).iter().all(|offer| offer.gives.is_empty())
    );
}

/// Whether a reserve of the lower priority receives its amount in a period that begins when the other has saved up
/// its whole budget; by looking at every unit of time.
fn in_time((x, y): (u64, u64), (amount, period): (u64, u64)) -> bool {
    let free = (0..period).filter(|at| *at >= x && (at - x) % y >= x).count();
    u64::try_from(free).unwrap() >= amount
}

/// An event in the life of a child.
#[derive(Clone, Copy, Debug)]
enum Event {
    Toggle,
    Work(u64),
    Yield,
    Class(i32),
    Change(u64, u64),
    Replace(u64, u64),
    /// It saves its budget for this time, uses it and the next one, and is followed by another child with the same
    /// reserve: the most that it can take from others.
    Renew(u64),
}

fn event() -> impl Strategy<Value = Event> {
    let share = || (1_u64..12, 6..LONGEST);
    prop_oneof![
        8 => Just(Event::Toggle),
        6 => (1_u64..9).prop_map(Event::Work),
        2 => Just(Event::Yield),
        1 => (-1_i32..=1).prop_map(Event::Class),
        2 => share().prop_map(|(x, y)| Event::Change(x.min(y), y)),
        1 => share().prop_map(|(x, y)| Event::Replace(x.min(y), y)),
        16 => (0..LONGEST).prop_map(Event::Renew),
    ]
}

/// Requested periods are shorter.
const LONGEST: u64 = 40;

/// Amount and period of a reserve, and whether it is hard.
type Share = (u64, u64, bool);

struct World {
    host: Host,
    node: NodeId,
    /// Thread, the time since which it has its reserve, and the reserve if it never changes.
    children: Vec<(usize, u64, Option<Share>)>,
    /// Number of children, the first ones, that never change, so that some promises can be judged.
    lasting: usize,
    /// The latest end of a reserve that was changed: the end of its period.
    changed: u64,
}

impl World {
    /// Adds a child that requests a reserve, which begins at `since` at the latest.
    fn add(&mut self, since: u64, (amount, period): (u64, u64), class: i32) -> bool {
        let requested = [reserve(amount, period), Message::Priority(class)];
        let Ok(thread) = self.host.try_thread(self.node, "t", &requested) else { return false };
        self.children.push((thread, since, Some((amount, period, class == 0))));
        self.host.wake(thread);
        true
    }

    fn replace(&mut self, thread: usize, share: (u64, u64)) {
        self.host.exit(thread);
        let ended = self.host.now.max(self.changed);
        self.add(ended + LONGEST, share, 0);
    }

    fn take(&mut self, who: usize, event: Event) {
        let who = who % self.children.len();
        let thread = self.children[who].0;
        let host = &mut self.host;
        if host.threads[thread].gone {
            return;
        }
        let lasting = who < self.lasting;
        let waits = host.tree.thread_state(host.threads[thread].id) == Some(VpState::Waiting);
        match event {
            Event::Toggle if waits => host.wake(thread),
            Event::Toggle => host.block(thread),
            Event::Work(work) if waits => host.wake_for(thread, work),
            Event::Yield if host.on(0) == Some(thread) => host.yields(thread),
            Event::Class(class) if !lasting => {
                host.tell(thread, Message::Priority(class)).unwrap();
                self.children[who].2 = None;
            }
            Event::Change(amount, period) if !lasting => {
                let _ = host.tell(thread, reserve(amount, period));
                self.changed = host.now + LONGEST;
                self.children[who].2 = None;
            }
            Event::Replace(amount, period) if !lasting => self.replace(thread, (amount, period)),
            Event::Renew(pause) if !lasting => {
                let Some((amount, period, _)) = self.children[who].2 else { return };
                if !waits {
                    host.block(thread);
                }
                host.run_for(pause);
                host.wake(thread);
                host.run_for(2 * amount);
                self.replace(thread, (amount, period));
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_200, ..ProptestConfig::default() })]

    #[test]
    fn law_every_reserve_is_kept_whatever_the_others_do(
        shares in prop::collection::vec((1_u64..10, 4..LONGEST, -1_i32..=1), 0..4),
        lasting in prop::collection::vec((1_u64..LONGEST, 4..LONGEST, -1_i32..=1), 1..3),
        steps in prop::collection::vec((0_usize..9, 0_u64..12, event()), 1..150),
    ) {
        let mut host = Host::new(1);
        let node = host.root(KIND, &[]);
        let mut world = World { host, node, children: Vec::new(), lasting: 0, changed: 0 };
        for (amount, period, class) in shares {
            world.add(0, (amount.min(period), period), class);
        }
        let before = world.children.len();
        for (most, period, class) in lasting {
            // As much as is left, so that any excess of the others becomes visible.
            (1..=most.min(period)).rev().any(|amount| world.add(0, (amount, period), class));
        }
        world.lasting = world.children.len() - before;
        world.children.rotate_left(before);
        if world.children.is_empty() {
            return Ok(());
        }
        for (who, pause, event) in steps {
            world.host.run_for(pause);
            world.take(who, event);
        }
        world.host.run_for(100);
        for (thread, since, share) in world.children {
            if let Some((amount, period, hard)) = share {
                let (x, y) = (Length::from(span(amount)), Length::from(span(period)));
                let kept = if hard { Guarantee::BasicHard(x, y) } else { Guarantee::BasicSoft(x, y) };
                world.host.keeps(thread, since, &kept);
            }
        }
    }

    #[test]
    fn limit_two_reserves_are_admitted_exactly_when_a_saved_budget_does_no_harm(
        a in (1_u64..20, 1_u64..40),
        b in (1_u64..20, 1_u64..40),
    ) {
        let (a, b) = ((a.0.min(a.1), a.1), (b.0.min(b.1), b.1));
        let mut host = Host::new(1);
        let root = host.root(KIND, &[]);
        host.thread(root, "a", &[reserve(a.0, a.1)]);
        let admitted = host.try_thread(root, "b", &[reserve(b.0, b.1)]).is_ok();
        let fits = match a.1.cmp(&b.1) {
            core::cmp::Ordering::Less => in_time(a, b),
            core::cmp::Ordering::Greater => in_time(b, a),
            core::cmp::Ordering::Equal => in_time(a, b) && in_time(b, a),
        };
        prop_assert_eq!(admitted, fits);
    }

    /// C2: a child that sets less takes nothing from others.
    #[test]
    fn law_offers_are_monotone(
        shares in prop::collection::vec((1_u64..15, 10_u64..80), 1..7),
        less in (0_usize..7, 0_u64..15),
    ) {
        let conversion = conversion(KIND, &[]);
        let params = |(amount, period): &(u64, u64)| ChildParams::default().reserve(span(*amount), span(*period));
        let who = less.0 % shares.len();
        let mut fewer = shares.clone();
        fewer[who].0 = fewer[who].0.min(less.1);
        let all = [Guarantee::All];
        let many = conversion.give(Supply::of(&all), &shares.iter().map(params).collect::<Vec<_>>());
        let fewer = conversion.give(Supply::of(&all), &fewer.iter().map(params).collect::<Vec<_>>());
        for child in (0..shares.len()).filter(|child| *child != who) {
            prop_assert!(many[child].gives.len() <= fewer[child].gives.len());
        }
    }
}

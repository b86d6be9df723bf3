//! The promises of reservation schedulers, under the worst behaviour of siblings.
//!
//! The times are small whole numbers, so that coincidences are common.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::common::{Host, MS, at, reserve, span};
use proptest::prelude::*;
use windfall_guarantees::{
    ChildParam, ChildParams, Conversion, Guarantee, Length, Offer, Supply, Type,
};
use windfall_hierarchy::{Message, NodeId, VpState};
use windfall_schedulers::catalogue::{Settings, Value, find};
use windfall_time::Ratio;

/// A scheduler of reservations, its settings, and whether its promise is hard.
type Case = (&'static str, &'static [(&'static str, Value<'static>)], bool);

const CASES: [Case; 3] = [("rez", &[], true), ("cbs", &[], true), ("tbs", &[], false)];

fn promise(hard: bool, amount: u64, period: u64) -> Guarantee {
    let (x, y) = (Length::from(span(amount)), Length::from(span(period)));
    if hard { Guarantee::BasicHard(x, y) } else { Guarantee::BasicSoft(x, y) }
}

/// An event in the life of a child.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// It blocks, or wakes to work for ever.
    Toggle,
    /// It wakes, or continues, to work for this time.
    Work(u64),
    Yield,
    /// It announces the work of its next job.
    Job(u64),
    /// It gives its reservation back and requests another.
    Change(u64, u64),
    /// It exits, and another child with another reservation is added.
    Replace(u64, u64),
}

fn event() -> impl Strategy<Value = Event> {
    let share = || (1_u64..12, 6_u64..40);
    prop_oneof![
        8 => Just(Event::Toggle),
        6 => (1_u64..9).prop_map(Event::Work),
        2 => Just(Event::Yield),
        2 => (1_u64..30).prop_map(Event::Job),
        1 => share().prop_map(|(x, y)| Event::Change(x.min(y), y)),
        1 => share().prop_map(|(x, y)| Event::Replace(x.min(y), y)),
    ]
}

/// A thread, the time since which it has its reservation, and its amount and period if it has one.
type Reserved = (usize, u64, Option<(u64, u64)>);

struct World {
    host: Host,
    node: NodeId,
    /// The children; a reservation is listed only if it never changes.
    children: Vec<Reserved>,
}

impl World {
    fn new(host: Host, node: NodeId, shares: &[(u64, u64)]) -> World {
        let mut world = World { host, node, children: Vec::new() };
        for (amount, period) in shares {
            world.add(*amount.min(period), *period);
        }
        world
    }

    fn add(&mut self, amount: u64, period: u64) {
        let name = format!("t{}", self.children.len());
        let requested = [reserve(amount, period)];
        if let Ok(thread) = self.host.try_thread(self.node, &name, &requested) {
            // A share that another child used ahead and gave back is free only at the end of that child's period.
            let since = if self.host.now == 0 { 0 } else { self.host.now + 40 };
            self.children.push((thread, since, Some((amount, period))));
            self.host.wake(thread);
        }
    }

    fn take(&mut self, who: usize, event: Event) {
        let who = who % self.children.len();
        let thread = self.children[who].0;
        let host = &mut self.host;
        if host.threads[thread].gone {
            return;
        }
        let waits = host.tree.thread_state(host.threads[thread].id) == Some(VpState::Waiting);
        match event {
            Event::Toggle if waits => host.wake(thread),
            Event::Toggle => host.block(thread),
            Event::Work(work) if waits => host.wake_for(thread, work),
            Event::Yield if host.on(0) == Some(thread) => host.yields(thread),
            Event::Job(work) => {
                let (release, deadline) = (at(host.now), at(host.now + work));
                let _ =
                    host.tell(thread, Message::Job { release, deadline, work: Some(span(work)) });
            }
            // The first two never change, so that some promises can be judged.
            Event::Change(amount, period) if who > 1 => {
                host.tell(thread, Message::Unreserve).unwrap();
                let _ = host.tell(thread, reserve(amount, period));
                self.children[who].2 = None;
            }
            Event::Replace(amount, period) if who > 1 => {
                host.exit(thread);
                self.add(amount, period);
            }
            Event::Work(_) | Event::Yield | Event::Change(..) | Event::Replace(..) => {}
        }
    }

    /// The number of windows in which promises were tested.
    fn judge(&self, hard: bool) -> u64 {
        let kept = self.children.iter().filter_map(|(thread, since, share)| {
            let (amount, period) = (*share)?;
            Some(self.host.keeps(*thread, *since, &promise(hard, amount, period)))
        });
        kept.sum()
    }
}

fn shares() -> impl Strategy<Value = Vec<(u64, u64)>> {
    prop::collection::vec((1_u64..14, 4_u64..40), 2..6)
}

fn steps() -> impl Strategy<Value = Vec<(usize, u64, Event)>> {
    prop::collection::vec((0_usize..9, 0_u64..12, event()), 1..150)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Guarantees are kept in every window of every stretch in which their owner is runnable.
    #[test]
    fn law_every_reservation_is_kept_whatever_the_others_do(shares in shares(), steps in steps()) {
        for (kind, settings, hard) in CASES {
            let mut host = Host::new(1);
            let root = host.root(kind, settings);
            let mut world = World::new(host, root, &shares);
            for (who, pause, event) in &steps {
                world.host.run_for(*pause);
                world.take(*who, *event);
            }
            world.host.run_for(100);
            world.judge(hard);
        }
    }
}

#[test]
fn limit_one_unit_more_than_the_amount_is_not_promised() {
    for (kind, settings, hard) in CASES {
        let mut host = Host::new(1);
        let root = host.root(kind, settings);
        let mut world = World::new(host, root, &[(3, 9), (4, 6)]);
        world.host.run_to(200);
        assert!(world.judge(hard) > 10, "{kind}");
        // The first child receives its amount at the beginning of one period and at the end of the next: any
        // stronger promise is broken.
        let (first, second) = (world.children[0].0, world.children[1].0);
        world.host.block(second);
        world.host.run_to(300);
        world.host.wake(second);
        world.host.run_to(400);
        let more = world.host.judge(first, 0, &promise(false, 4, 9));
        assert!(more.is_broken(), "{kind} {more:?}");
    }
}

fn conversion(kind: &str, settings: &[(&str, Value<'_>)]) -> Box<dyn Conversion> {
    find(kind).unwrap().conversion(&Settings(settings)).unwrap()
}

fn params(amount: u64, period: u64) -> ChildParams {
    ChildParams::default().reserve(span(amount * MS), span(period * MS))
}

#[test]
fn refuses_more_than_the_whole_with_what_is_left_and_who_has_the_rest() {
    for (kind, settings, _) in CASES {
        let conversion = conversion(kind, settings);
        let requested = [params(1, 3), params(2, 6), params(3, 9), params(1, 100)];
        let offers = conversion.give(Supply::of(&[Guarantee::All]), &requested);
        assert!(offers[..3].iter().all(|offer| offer.gives.len() == 1), "{kind}");
        let lacks = offers[3].lacks.as_deref().unwrap();
        assert_eq!(
            lacks,
            "it asks for 1ms in 100ms, and nothing is left (others have 1ms in 3ms, 2ms in 6ms, \
             3ms in 9ms); make others' smaller, or use another processor"
        );
        let offers = conversion.give(Supply::of(&[Guarantee::All]), &[params(1, 2), params(6, 10)]);
        let lacks = offers[1].lacks.as_deref().unwrap();
        assert!(lacks.contains("1/2 of a processor is left"), "{lacks}");
        assert!(lacks.contains("at most 5ms in 10ms"), "{lacks}");
    }
}

#[test]
fn accepts_a_slower_processor_only_when_it_tells_its_deadlines() {
    let half = Guarantee::Slower(Ratio::new(1, 2).unwrap());
    assert!(!conversion("rez", &[]).takes().contains(&Type::Resu));
    let telling = conversion("rez", &[("report-deadlines", Value::Bool(true))]);
    assert!(telling.takes().contains(&Type::Resu));
    let given = |supply: Supply<'_>| {
        let offers = telling.give(supply, &[params(1, 4), params(1, 4), params(1, 4)]);
        offers.iter().map(|offer| offer.gives.len()).collect::<Vec<usize>>()
    };
    assert_eq!(given(Supply::of(&[half]).declared()), [1, 1, 0]);
    // It cannot admit by a speed that it does not know.
    assert_eq!(given(Supply::of(&[half])), [0, 0, 0]);
    // These report some deadlines too late, or out of order.
    for kind in ["cbs", "tbs"] {
        let telling = conversion(kind, &[("report-deadlines", Value::Bool(true))]);
        assert!(!telling.takes().contains(&Type::Resu), "{kind}");
    }
}

#[test]
fn accepts_what_follows_from_a_reservation_beside_refuses_the_rest() {
    let (hard, soft) = (conversion("rez", &[]), conversion("tbs", &[]));
    for text in ["RESBS 3ms 10ms", "RESCS 3ms 17ms", "PSBE 1/2 5ms", "PS 1/3", "RESPS 1ms 9ms 2ms"]
    {
        let requested: Guarantee = text.parse().unwrap();
        assert!(
            hard.parameter_for(&requested).is_ok() && soft.parameter_for(&requested).is_ok(),
            "{text}"
        );
    }
    let requested: Guarantee = "RESBH 3ms 10ms".parse().unwrap();
    assert!(hard.parameter_for(&requested).is_ok());
    assert_eq!(
        soft.parameter_for(&requested),
        Err("it gives `RESBS amount period`, as `RESBS 3ms 10ms`")
    );
    assert_eq!(hard.parameter_for(&Guarantee::Null), Ok(ChildParam::Nothing));
    for text in ["ALL", "RESU 1/2", "RESCH 3ms 10ms", "RESNH 3ms 10ms"] {
        assert!(hard.parameter_for(&text.parse().unwrap()).is_err(), "{text}");
    }
}

proptest! {
    /// C2: while no child is refused, neither more processor time nor a smaller parameter takes anything from
    /// anybody. A child that sets less never takes anything from itself or from the children before it.
    #[test]
    fn law_offers_are_monotone(
        shares in prop::collection::vec((1_u64..20, 1_u64..40), 1..7),
        speed in (1_i128..10, 1_i128..10),
        less in (0_usize..7, 1_u64..20),
    ) {
        let conversion = conversion("rez", &[("report-deadlines", Value::Bool(true))]);
        let requested: Vec<ChildParams> = shares.iter().map(|(x, y)| params(*x.min(y), *y)).collect();
        let speed = Ratio::new(speed.0.min(speed.1), speed.0.max(speed.1)).unwrap();
        let slow = conversion.give(Supply::of(&[Guarantee::Slower(speed)]).declared(), &requested);
        let fast = conversion.give(Supply::of(&[Guarantee::All]), &requested);
        let mut fewer = requested.clone();
        let who = less.0 % requested.len();
        let (amount, period) = requested[who].reserve.unwrap();
        fewer[who].reserve = Some((amount.min(span(less.1 * MS)), period));
        let modest = conversion.give(Supply::of(&[Guarantee::All]), &fewer);
        let all = |offers: &[Offer]| offers.iter().all(|offer| !offer.gives.is_empty());
        prop_assert!(!all(&slow) || all(&fast));
        prop_assert!(!all(&fast) || all(&modest));
        for child in 0..=who {
            prop_assert!(fast[child].gives.len() <= modest[child].gives.len());
        }
    }
}

/// The scheduler admits a child that fits beside those it has admitted, and so does the checker.
#[test]
fn accepts_what_fits_beside_those_that_were_refused() {
    for kind in ["rez", "cbs", "tbs", "rez-c", "rez-fb"] {
        let offers = conversion(kind, &[])
            .give(Supply::of(&[Guarantee::All]), &[params(7, 10), params(5, 10), params(3, 10)]);
        let given: Vec<bool> = offers.iter().map(|offer| !offer.gives.is_empty()).collect();
        assert_eq!(given, [true, false, true], "{kind}");
    }
}

//! Stride scheduling: shares before random adversaries, currencies, the paper's example.

use crate::common::adversary::{offers, play, steps};
use crate::common::{Host, MS, S, conversion, gives, span};
use proptest::prelude::*;
use windfall_guarantees::{ChildParams, Guarantee, Length, Supply};
use windfall_hierarchy::{AnswerError, HierarchyError, Message, NodeId};
use windfall_schedulers::catalogue::Value;
use windfall_schedulers::kinds;
use windfall_schedulers::share::Stride;
use windfall_time::{Ratio, Span};

const WHOLE: Guarantee = Guarantee::Share(Ratio::ONE);

fn share(tickets: u32) -> [Message; 1] {
    [Message::Share(tickets)]
}

fn tickets(most: usize) -> impl Strategy<Value = Vec<u32>> {
    let tickets = prop_oneof![4 => 1_u32..10, 2 => 1_u32..100, 1 => Just(1), 1 => Just(0)];
    prop::collection::vec(tickets, 1..most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// As a share in the long run, and in any window except for 1 + 4 n p turns.
    #[test]
    fn law_what_is_offered_is_kept(tickets in tickets(8), steps in steps(100)) {
        let mut host = Host::new(1);
        let root = host.top(kinds::STRIDE);
        let spawn = |(n, tickets): (usize, &u32)| host.thread(root, &format!("t{n}"), &share(*tickets));
        let threads: Vec<_> = tickets.iter().enumerate().map(spawn).collect();
        host.wake(threads[0]);
        play(&mut host, &threads[usize::from(threads.len() > 1)..], &steps);
        let four = Ratio::whole(4 * threads.len() as u64);
        for (thread, offer) in threads.iter().zip(offers("stride", &[], &[WHOLE], &tickets)) {
            if let Some(offer) = offer {
                host.keeps(*thread, 0, &offer);
                let part = offer.share().unwrap();
                let turns = four.checked_mul(part).unwrap().checked_add(Ratio::ONE).unwrap();
                let bound = Length::from(Span::from_millis(10)).checked_mul(turns).unwrap();
                host.keeps(*thread, 0, &Guarantee::BoundedShare(part, bound));
            }
        }
    }

    /// With two currencies, whose members come and go.
    #[test]
    fn law_what_is_offered_in_currencies_is_kept(
        tickets in prop::collection::vec((0_u32..3, 1_u32..20), 1..8),
        funding in (1_i64..40, 1_i64..40),
        steps in steps(100),
    ) {
        let settings = funded(funding);
        let mut host = Host::new(1);
        let root = host.root("stride", &settings);
        let mut threads = Vec::new();
        for (n, (currency, tickets)) in tickets.iter().enumerate() {
            let messages = [Message::Share(*tickets), crate::common::currency(*currency)];
            threads.push(host.thread(root, &format!("t{n}"), &messages));
        }
        host.wake(threads[0]);
        play(&mut host, &threads[usize::from(threads.len() > 1)..], &steps);
        for (thread, text) in threads.iter().zip(shares(&settings, &tickets)) {
            host.keeps(*thread, 0, &crate::common::promise(&text));
        }
    }
}

fn funded(funding: (i64, i64)) -> [(&'static str, Value<'static>); 2] {
    [("currency-1", Value::Integer(funding.0)), ("currency-2", Value::Integer(funding.1))]
}

/// The offers to holders of (currency, tickets).
fn shares(settings: &[(&str, Value<'_>)], tickets: &[(u32, u32)]) -> Vec<String> {
    let params = |(currency, tickets): &(u32, u32)| {
        ChildParams::default().weight(Ratio::whole((*tickets).into())).currency(*currency)
    };
    let children: Vec<ChildParams> = tickets.iter().map(params).collect();
    let offers = conversion("stride", settings).give(Supply::of(&[WHOLE]), &children);
    offers.iter().flat_map(gives).collect()
}

#[test]
fn paper_waldspurger_1995_three_two_one_of_six_quanta() {
    let mut host = Host::new(1);
    let root = host.top(Stride::default().quantum(span(MS)));
    let threads = [3, 2, 1].map(|tickets| host.spin(root, &format!("{tickets}"), &share(tickets)));
    for round in 1..=20 {
        host.run_to(round * 6 * MS);
        for (thread, n) in threads.into_iter().zip([3, 2, 1]) {
            assert!(host.ran(thread).abs_diff(n * round * MS) <= MS, "{}", host.timeline(0));
        }
    }
}

/// Waldspurger and Weihl 1994, figure 3: the worth of a currency is shared among its members. If one of them is
/// issued more tickets, that takes nothing from others.
#[test]
fn paper_waldspurger_1994_inflation_stays_within_a_currency() {
    let settings = funded((2000, 1000));
    let mut host = Host::new(1);
    let root = host.root("stride", &settings);
    let member = |host: &mut Host, root: NodeId, (currency, tickets)| {
        let messages = [Message::Share(tickets), crate::common::currency(currency)];
        host.spin(root, &format!("{currency}:{tickets}"), &messages)
    };
    let tickets = [(1, 200), (1, 300), (2, 100)];
    let [a, b, c] = tickets.map(|tickets| member(&mut host, root, tickets));
    host.run_to(30 * S);
    for (thread, due) in [(a, 8 * S), (b, 12 * S), (c, 10 * S)] {
        assert!(host.ran(thread).abs_diff(due) <= 30 * MS, "{}", host.ran(thread));
    }
    assert_eq!(shares(&settings, &tickets), ["PS 4/15", "PS 2/5", "PS 1/3"]);
    host.tell(b, Message::Share(600)).unwrap();
    host.run_to(60 * S);
    assert!(host.ran(c).abs_diff(20 * S) <= 30 * MS, "as before: {}", host.ran(c));
    assert!(host.ran(a).abs_diff(13 * S) <= 50 * MS, "{}", host.ran(a));
    // While all members wait, the currency counts for nothing.
    host.block(c);
    host.run_to(70 * S);
    assert!(host.ran(a).abs_diff(13 * S + 10 * S / 4) <= 50 * MS, "{}", host.ran(a));
}

#[test]
fn refuses_a_currency_without_funds_beside_accepts_one_that_has_some() {
    let mut host = Host::new(1);
    let root = host.root("stride", &funded((5, 5)));
    let a = host.spin(root, "a", &[]);
    let b = host.spin(root, "b", &[]);
    let none = host.tell(a, crate::common::currency(3));
    assert!(matches!(
        none,
        Err(HierarchyError::Refused(AnswerError::OutOfRange { what: "currency", .. }))
    ));
    for currency in [1, 2, 0, 1] {
        host.tell(a, crate::common::currency(currency)).unwrap();
        host.run_for(15 * MS);
        host.tell(b, crate::common::currency(currency)).unwrap();
        host.run_for(15 * MS);
    }
    let offers = conversion("stride", &funded((5, 5)))
        .give(Supply::of(&[WHOLE]), &[ChildParams::default().currency(4)]);
    assert_eq!(offers[0].lacks.as_deref(), Some("currency 4 is not funded; set `currency-4`"));
}

/// Without the limit, a child that is ready only during another's turn would save up its whole share for later.
#[test]
fn law_nobody_saves_up_more_than_a_turn() {
    let mut host = Host::new(1);
    let root = host.top(kinds::STRIDE);
    let honest = host.spin(root, "honest", &[]);
    let sly = host.thread(root, "sly", &share(9));
    for _ in 0..1000 {
        host.run_for(5 * MS);
        host.wake(sly);
        host.run_for(5 * MS - 1);
        if host.on(0) == Some(honest) {
            host.block(sly);
            host.run_for(1);
        } else {
            host.block(sly);
        }
    }
    let before = host.ran(honest);
    host.wake(sly);
    host.run_for(S);
    assert!(host.ran(honest) - before >= S / 10 - 30 * MS, "{}", host.ran(honest) - before);
    // The forgone share goes to nobody: a new child does not find the others far ahead.
    host.block(sly);
    let before = host.ran(honest);
    host.spin(root, "new", &share(9));
    host.run_for(S);
    assert!(host.ran(honest) - before >= S / 10 - 30 * MS, "{}", host.ran(honest) - before);
}

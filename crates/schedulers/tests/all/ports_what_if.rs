//! What is answered about several tasks at once is what their submissions are answered, one after the other.

use crate::common::{Host, at, promise, span};
use crate::ports::{refused, submit};
use windfall_hierarchy::{Message, NodeId, TemporalAnswer, TemporalQuery};
use windfall_schedulers::catalogue::Value;
use windfall_schedulers::parameters;
use windfall_time::{Instant, Span};

/// Numbers below a limit, the same in each run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % limit
    }
}

fn answered(host: &mut Host, node: NodeId, query: TemporalQuery<'_>) -> TemporalAnswer {
    match host.tree.temporal_query(at(host.now), node, query) {
        Ok(Some(answer)) => answer,
        other => panic!("{other:?}"),
    }
}

/// The idle time before many deadlines.
fn idle(host: &mut Host, node: NodeId) -> Vec<TemporalAnswer> {
    let before = |deadline| TemporalQuery::IdleBefore(at(deadline));
    (0..60).map(|step| answered(host, node, before(host.now + step * 10))).collect()
}

#[test]
fn law_what_if_is_what_submissions_are_answered_one_after_the_other() {
    let (mut draw, mut all, mut at_once, mut later, mut much) = (Draw(16), 0, 0, 0, 0);
    for exact in [false, true] {
        for _ in 0..300 {
            let mut host = Host::new(1);
            let settings = [("exact", Value::Bool(exact)), ("slots", Value::Integer(7))];
            let node = host.root("ports", &settings);
            let child = host.thread(node, "child", &[]);
            let supply = parameters::supply(&promise("RESBS 5ns 10ns"));
            host.tree.configure(at(host.now), node, supply).unwrap();
            for task in 0..2 {
                // One that is refused changes nothing.
                let _ = host.tell(child, submit(task, 1 + draw.below(30), 60 + draw.below(200)));
            }
            host.run_to(20 + draw.below(30));
            // So far apart that other deadlines have other places.
            let mut task = || {
                // Now and then more than could be done before the horizon.
                let work = if draw.below(20) == 0 { u64::MAX } else { draw.below(25) };
                (work, host.now + 40 * (1 + draw.below(8)))
            };
            let requested: Vec<(u64, u64)> = (0..6).map(|_| task()).collect();
            let each = |(work, deadline): &(u64, u64)| (span(*work), at(*deadline));
            let tasks: Vec<(Span, Instant)> = requested.iter().map(each).collect();
            let before = idle(&mut host, node);
            let answer = answered(&mut host, node, TemporalQuery::WhatIf(&tasks));
            assert_eq!(idle(&mut host, node), before, "it changes nothing");
            let submitted = (0..).zip(&requested).find_map(|(index, (work, deadline))| {
                let number = 10 + u32::try_from(index).unwrap();
                let why = refused(&host.tell(child, submit(number, *work, *deadline)))?.1;
                Some((index, why))
            });
            assert_eq!(answer, TemporalAnswer::FirstRefused(submitted), "{requested:?}");
            all += u32::from(submitted.is_none());
            at_once += u32::from(submitted.is_some_and(|(index, _)| index == 0));
            later += u32::from(submitted.is_some_and(|(index, _)| index > 1));
            much += u32::from(submitted.is_some_and(|(index, _)| requested[index].0 == u64::MAX));
            for number in 10..16 {
                let _ = host.tell(child, Message::Withdraw(number));
            }
            assert_eq!(idle(&mut host, node), before);
        }
    }
    let judged = [all, at_once, later, much];
    assert!(all > 20 && at_once > 20 && later > 100 && much > 20, "{judged:?}");
}

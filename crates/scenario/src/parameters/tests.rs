//! Tests of the conversion of requirements.

use super::*;
use windfall_schedulers::kinds;
use windfall_time::Span;

fn share(above: i128, below: i128) -> Requirements {
    Requirements::guarantee(Guarantee::Share(Ratio::new(above, below).unwrap()))
}

/// The weights of children of one proportional-share scheduler.
fn weights(children: &[Requirements]) -> Vec<Option<u32>> {
    let below = |asks: &Requirements| Scheduler::below("c", kinds::EDF, "ps", asks.clone());
    let mut schedulers = vec![Scheduler::root("ps", kinds::PROPORTIONAL_SHARE)];
    schedulers.extend(children.iter().map(below));
    let scenario = Scenario { schedulers, ..Scenario::new(Span::from_secs(1)) };
    let writer = ParameterWriter::of(&scenario);
    let weight = |asks| match writer.messages(asks, Some("ps")).as_deref() {
        Ok([(_, Message::Share(weight))]) => Some(*weight),
        _ => None,
    };
    children.iter().map(weight).collect()
}

#[test]
fn shares_become_whole_weights_and_weights_keep_their_meaning() {
    let tenths = weights(&[share(2, 5), share(1, 10), share(1, 2)]);
    assert_eq!(tenths, [Some(400), Some(100), Some(500)]);
    assert_eq!(weights(&[share(1, 1), share(1, 3)]), [Some(3_000), Some(1_000)]);
    // A weight stays the same, whatever others require.
    let beside = weights(&[share(1, 3), Requirements::share(7), Requirements::default()]);
    assert_eq!(beside, [Some(1_000), Some(21), Some(3)]);
}

#[test]
fn accepts_a_share_as_fine_as_a_weight_can_be_and_refuses_a_finer_one() {
    assert_eq!(weights(&[share(1, 65_536 * 8)]), [Some(125)]);
    assert_eq!(weights(&[share(1, 65_537), share(1, 2)]), [None, Some(500)]);
}

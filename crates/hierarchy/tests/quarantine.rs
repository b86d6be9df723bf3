//! Schedulers that break each rule, at every place in a tree: each is quarantined, the report names its
//! rule and state, and no thread is lost (crate `windfall-trial`).

use windfall_schedulers::kinds::ROUND_ROBIN;
use windfall_trial::quarantine::{Moment, Place, refuses_every_rule};

#[test]
fn refuses_every_broken_rule_in_the_middle() {
    refuses_every_rule(ROUND_ROBIN, Moment::Event, Place::Middle);
}

#[test]
fn refuses_every_broken_rule_in_the_default() {
    refuses_every_rule(ROUND_ROBIN, Moment::Event, Place::Default);
}

#[test]
fn refuses_every_broken_rule_above_the_default() {
    refuses_every_rule(ROUND_ROBIN, Moment::Event, Place::AboveDefault);
}

#[test]
fn refuses_every_broken_rule_at_the_root() {
    refuses_every_rule(ROUND_ROBIN, Moment::Event, Place::Root);
}

#[test]
fn refuses_every_broken_rule_during_a_nested_revoke() {
    for place in [Place::Middle, Place::Default, Place::AboveDefault] {
        refuses_every_rule(ROUND_ROBIN, Moment::Revoke, place);
    }
}

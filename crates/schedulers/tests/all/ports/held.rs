//! The supply that an instance holds, beside others that take all that they can.

use super::*;
use crate::common::{conversion, reserve};
use windfall_guarantees::{ChildParams, Guarantee, Supply};
use windfall_hierarchy::Parent;
use windfall_time::Span;

/// The supply of the instance: a processor, a reservation below rez beside others, or a share beside
/// others.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Held {
    All,
    Reserved(u64, u64),
    Shared(u32, u32),
    /// A reservation, by an instance with `exact`.
    Exact(u64, u64),
    /// A share of a share, each beside others.
    Nested((u32, u32), (u32, u32)),
    /// A continuous reservation below time-line beside others, by an instance with `exact`, or not.
    Continuous(u64, u64, bool),
    /// A processor that is said to be a reservation, for a supply that a test makes; by an instance with `exact`, or not.
    Said(u64, u64, bool),
}

/// The kinds, by number.
pub(crate) const HELD: [&str; 6] = ["all", "reserved", "shared", "exact", "nested", "continuous"];

const SHARES: [(&str, Value<'static>); 2] =
    [("quantum", Value::Span(Span::from_nanos(3))), ("warps", Value::Bool(false))];

/// The part of a share that the first of two children gets.
fn shared(given: Guarantee, shares: [u32; 2]) -> Guarantee {
    let shares = shares.map(|share| {
        let mut params = ChildParams::default();
        params.weight = windfall_time::Ratio::whole(share.into());
        params
    });
    let gives = conversion("proportional-share", &SHARES);
    gives.give(Supply::of(&[given]), &shares)[0].gives[0].guarantee
}

impl Held {
    /// Its number.
    pub(crate) const fn kind(self) -> usize {
        match self {
            Held::All => 0,
            Held::Reserved(..) | Held::Said(.., false) => 1,
            Held::Shared(..) => 2,
            Held::Exact(..) | Held::Said(.., true) => 3,
            Held::Nested(..) => 4,
            Held::Continuous(..) => 5,
        }
    }

    /// Builds a tree in which an instance holds this, beside others that take all that they can.
    pub(crate) fn build(self, host: &mut Host) -> NodeId {
        let (node, guarantee) = match self {
            Held::All => (host.root("ports", &[]), Guarantee::All),
            Held::Said(amount, period, exact) => {
                let node = host.root("ports", &[("exact", Value::Bool(exact))]);
                (node, promise(&format!("RESBS {amount}ns {period}ns")))
            }
            Held::Reserved(amount, period) | Held::Exact(amount, period) => {
                let rez = host.root("rez", &[]);
                let exact = [("exact", Value::Bool(true))];
                let settings = if matches!(self, Held::Exact(..)) { &exact[..] } else { &[] };
                let params = [reserve(amount, period)];
                let parents = [(Parent::Node(rez), &params[..])];
                let node = host.try_node("ports", "ports", settings, &parents).unwrap();
                for (share, factor) in [(2, 3), (3, 2)] {
                    let period = period * factor / 2;
                    let amount = (period * (host_left(amount, period) / share)) / 100;
                    if amount > 0 {
                        host.spin(rez, "other", &[reserve(amount, period)]);
                    }
                }
                host.spin(rez, "rest", &[]);
                (node, promise(&format!("RESBH {amount}ns {period}ns")))
            }
            Held::Continuous(amount, period, exact) => {
                let line = host.root("time-line", &[]);
                let exact = [("exact", Value::Bool(exact))];
                let params = [reserve(amount, period)];
                let parents = [(Parent::Node(line), &params[..])];
                let node = host.try_node("ports", "ports", &exact, &parents).unwrap();
                if period - amount > 1 {
                    host.spin(line, "other", &[reserve((period - amount) / 2, period)]);
                }
                host.spin(line, "rest", &[]);
                (node, promise(&format!("RESCS {amount}ns {period}ns")))
            }
            Held::Shared(own, other) => {
                let parent = host.root("proportional-share", &SHARES);
                let node = host.below(parent, "ports", "ports", &[Message::Share(own)]);
                host.spin(parent, "other", &[Message::Share(other)]);
                (node, shared(promise("PSBE 1 0ns"), [own, other]))
            }
            Held::Nested(outer, inner) => {
                let top = host.root("proportional-share", &SHARES);
                let ask = [Message::Share(outer.0)];
                let parents = [(Parent::Node(top), &ask[..])];
                let parent =
                    host.try_node("inner", "proportional-share", &SHARES, &parents).unwrap();
                let node = host.below(parent, "ports", "ports", &[Message::Share(inner.0)]);
                host.spin(parent, "beside", &[Message::Share(inner.1)]);
                host.spin(top, "other", &[Message::Share(outer.1)]);
                let given = shared(promise("PSBE 1 0ns"), [outer.0, outer.1]);
                (node, shared(given, [inner.0, inner.1]))
            }
        };
        host.tree.configure(at(host.now), node, parameters::supply(&guarantee)).unwrap();
        node
    }
}

/// A part of a hundred that is left beside a reservation.
fn host_left(amount: u64, period: u64) -> u64 {
    100_u64.saturating_sub(amount * 200 / period)
}

pub(crate) fn held() -> impl Strategy<Value = Held> {
    prop_oneof![
        Just(Held::All),
        (1..10_u64, 10..40_u64).prop_map(|(amount, period)| Held::Reserved(amount, period)),
        (1..5_u32, 1..5_u32).prop_map(|(own, other)| Held::Shared(own, other)),
    ]
}

pub(crate) fn held_or_exact() -> impl Strategy<Value = Held> {
    let exact = (1..10_u64, 10..40_u64);
    let shares = || (1..4_u32, 1..3_u32);
    prop_oneof![
        3 => held(),
        1 => exact.prop_map(|(amount, period)| Held::Exact(amount, period)),
        1 => (shares(), shares()).prop_map(|(outer, inner)| Held::Nested(outer, inner)),
        1 => (1..10_u64, 10..40_u64, any::<bool>())
            .prop_map(|(amount, period, exact)| Held::Continuous(amount, period, exact)),
    ]
}

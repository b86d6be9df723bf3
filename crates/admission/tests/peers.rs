//! The benchmark's peers decide as the tree does, so that the same is compared.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "../benches/admission/arrays.rs"]
mod arrays;
#[path = "../benches/admission/btree_map.rs"]
mod btree_map;
mod common;
#[path = "../benches/admission/treap.rs"]
mod treap;

use common::Random;
use windfall_admission::{Admission, BPlusTree, Key, Structure};
use windfall_time::{Instant, Span};

/// As in the benchmark.
pub(crate) trait Peer: Structure {
    fn restore(now: Instant, slots: &[(Key, Span)]) -> Self;
}

pub(crate) fn ns(at: Instant) -> i64 {
    at.as_nanos().cast_signed()
}

pub(crate) fn span(ns: i64) -> Span {
    Span::from_nanos(ns.cast_unsigned())
}

fn agrees<S: Peer>() {
    let mut ours = Admission::over(BPlusTree::new(Instant::ZERO), u32::MAX, 0).unwrap();
    let mut peer = Admission::over(S::restore(Instant::ZERO, &[]), u32::MAX, 0).unwrap();
    let (mut random, mut decided) = (Random(5), [0; 2]);
    for _ in 0..20_000 {
        let work = Span::from_nanos(1 + random.uniform(199_999));
        let at = ours.now() + work + Span::from_nanos(random.uniform(170_000 * 300));
        assert_eq!(ours.idle_before(at), peer.idle_before(at), "{}", S::NAME);
        let (found, asked) = (peer.admit(work, at), ours.admit(work, at));
        assert_eq!(found.map(|_| ()), asked.map(|_| ()), "{}", S::NAME);
        decided[usize::from(asked.is_ok())] += 1;
        while ours.len() > 300 {
            let to = ours.now() + ours.head().unwrap().left;
            assert_eq!(ours.advance(to), peer.advance(to), "{}", S::NAME);
        }
        assert_eq!(ours.len(), peer.len());
    }
    assert!(decided.iter().all(|judged| *judged > 1_000), "{decided:?}");
}

#[test]
fn limit_peers_of_the_benchmark_decide_as_the_tree() {
    agrees::<arrays::Arrays>();
    agrees::<btree_map::Map>();
    agrees::<treap::Treap>();
}

//! How much memory a slot takes, while tasks come and go.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod common;

use common::Random;
use windfall_admission::{Admission, Structure, Tree};
use windfall_time::{Instant, Span};

/// Both widths that `BPlusTree` has. The most bytes a slot while tasks come and go.
fn most_bytes<S: Structure>(slots: u64) -> f64 {
    let mut list = Admission::<S>::new(Instant::ZERO, u32::MAX).unwrap();
    let (mut random, mut most) = (Random(3), 0.0);
    for _ in 0..slots * 3 + 300_000 {
        let work = 1 + random.uniform(199_999);
        let after = work + random.uniform(170_000 * slots);
        let _ = list.admit(Span::from_nanos(work), list.now() + Span::from_nanos(after));
        while list.len() > usize::try_from(slots).unwrap() {
            list.advance(list.now() + list.head().unwrap().left).unwrap();
            most = f64::max(most, list.structure().bytes() as f64 / list.len() as f64);
        }
    }
    assert!(most > 0.0, "as many slots came as were asked for");
    most
}

#[test]
fn limit_a_slot_of_the_tree_takes_36_bytes_at_most_from_500_on() {
    for slots in [500, 1_000, 3_000, 100_000] {
        let found = [most_bytes::<Tree<32, 32>>(slots), most_bytes::<Tree<64, 32>>(slots)];
        println!("{slots}: {found:.1?}");
        assert!(found.iter().all(|most| *most <= 36.0), "{slots} slots: {found:?} bytes a slot");
    }
}

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

/// Tasks come to a list that took its memory before, are withdrawn at random, and are done. The bytes before, and the most.
fn reserved<const L: usize, const I: usize>(slots: u32) -> (usize, usize) {
    let mut list = Admission::<Tree<L, I>>::new(Instant::ZERO, slots).unwrap();
    list.reserve().unwrap();
    let (before, mut random, mut tickets) = (list.structure().bytes(), Random(5), Vec::new());
    let mut most = before;
    for _ in 0..u64::from(slots) * 3 + 100_000 {
        let work = 1 + random.uniform(199_999);
        let after = work + random.uniform(1_000_000 * u64::from(slots));
        let at = list.now() + Span::from_nanos(after);
        tickets.extend(list.admit(Span::from_nanos(work), at));
        most = most.max(list.structure().bytes());
        while list.len() > usize::try_from(slots).unwrap() * 9 / 10 {
            if random.uniform(2) == 0 {
                list.advance(list.now() + list.head().unwrap().left).unwrap();
            } else {
                let place = random.uniform(tickets.len() as u64);
                let _ = list.withdraw(tickets.swap_remove(usize::try_from(place).unwrap()));
            }
        }
    }
    (before, most)
}

#[test]
fn limit_a_list_that_took_its_memory_takes_no_more_as_slots_come_and_go() {
    for slots in [1, 30, 500, 20_000] {
        for (before, most) in [reserved::<32, 32>(slots), reserved::<64, 32>(slots)] {
            assert_eq!(before, most, "{slots} slots");
        }
    }
}

#[test]
fn limit_a_slot_of_the_tree_takes_36_bytes_at_most_from_500_on() {
    let all = [500, 1_000, 3_000, 100_000, 1_000_000];
    // The last takes a minute when it is not optimised.
    let count = if cfg!(debug_assertions) { all.len() - 1 } else { all.len() };
    for slots in all.into_iter().take(count) {
        let found = [most_bytes::<Tree<32, 32>>(slots), most_bytes::<Tree<64, 32>>(slots)];
        println!("{slots}: {found:.1?}");
        assert!(found.iter().all(|most| *most <= 36.0), "{slots} slots: {found:?} bytes a slot");
    }
}

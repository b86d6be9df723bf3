//! A list that is restored is the list that it was read from: experiments and benchmarks begin with it.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod common;

use common::Random;
use windfall_admission::{
    Admission, BPlusTree, GuessList, HashList, HashPointerList, ImprovedList, Key, List,
    PointerList, Structure,
};
use windfall_time::{Instant, Span};

/// A task; deadlines meet.
fn draw(random: &mut Random, now: Instant) -> (Span, Instant) {
    let work = Span::from_nanos(1 + random.uniform(199));
    (work, now + work + Span::from_nanos(random.uniform(170 * 300) / 64 * 64))
}

fn is_as_the_tree<S: Structure>(restore: fn(Instant, &[(Key, Span)]) -> S) {
    let mut random = Random(3);
    let mut tree = Admission::<BPlusTree>::new(Instant::ZERO, u32::MAX).unwrap();
    while tree.len() < 300 {
        let (work, deadline) = draw(&mut random, tree.now());
        let _ = tree.admit(work, deadline);
    }
    let (mut copy, mut slots) = (tree.structure().clone(), Vec::new());
    while let Some((key, work)) = copy.head() {
        slots.push((key, work));
        copy.advance(copy.now() + work);
    }
    let restored = restore(tree.now(), &slots);
    let mut list = Admission::over(restored, u32::MAX, u32::MAX / 2).unwrap();
    let mut admitted = [0; 2];
    for round in 0..2_000 {
        let at = list.now() + Span::from_nanos(random.uniform(60_000));
        assert_eq!(list.idle_before(at), tree.idle_before(at), "{} {round}", S::NAME);
        let (work, deadline) = draw(&mut random, tree.now());
        let (found, asked) =
            (list.admit(work, deadline).map(|_| ()), tree.admit(work, deadline).map(|_| ()));
        assert_eq!(found, asked, "{} {round}", S::NAME);
        admitted[usize::from(found.is_ok())] += 1;
        while tree.len() > 300 {
            let to = tree.now() + tree.head().unwrap().left;
            assert_eq!(list.advance(to), tree.advance(to));
        }
    }
    assert!(admitted.iter().all(|judged| *judged > 200), "{}: {admitted:?}", S::NAME);
    // What was restored has its numbers.
    let mut list = restore(Instant::ZERO, &slots);
    for (key, work) in slots.iter().rev() {
        assert_eq!(list.remove(*key), Some(*work), "{}", S::NAME);
    }
    assert!(list.is_empty());
}

#[test]
fn law_a_restored_list_is_as_the_tree() {
    is_as_the_tree(List::restore);
    is_as_the_tree(HashList::restore);
    is_as_the_tree(GuessList::restore);
    is_as_the_tree(PointerList::restore);
    is_as_the_tree(HashPointerList::restore);
    is_as_the_tree(ImprovedList::restore);
}

//! Inexact analysis (the end of section 2.2): a yes is never wrong, and most that is admitted gets one.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod common;

use common::Random;
use windfall_admission::{
    Admission, BPlusTree, HORIZON, HashPointerList, ImprovedList, Inexact, List, PointerList,
    Structure, Tree,
};
use windfall_time::{Instant, Span};

/// How often it said yes, maybe where exact analysis says yes, and maybe where that says no.
#[derive(Default, Debug)]
struct Judged {
    yes: u32,
    yes_after_all: u32,
    no: u32,
}

impl Judged {
    fn judge<S: Structure>(&mut self, list: &Admission<S>, work: Span, deadline: Instant) {
        let fits = list.clone().admit(work, deadline).is_ok();
        match (list.inexact(work, deadline), fits) {
            (Inexact::Yes, true) => self.yes += 1,
            (Inexact::Yes, false) => panic!("{}: a wrong yes to {work} by {deadline}", S::NAME),
            (Inexact::Maybe, true) => self.yes_after_all += 1,
            (Inexact::Maybe, false) => self.no += 1,
        }
    }
}

/// Tasks come, time passes, and slots are withdrawn; deadlines meet.
fn judged<S: Structure>(slots: usize) -> Judged {
    let (mut random, mut judged) = (Random(11), Judged::default());
    let mut list = Admission::<S>::new(Instant::ZERO, u32::MAX).unwrap();
    let mut tickets = Vec::new();
    for round in 0..6_000 {
        let work = Span::from_nanos(1 + random.uniform(199));
        let after = random.uniform(170 * slots as u64) / 16 * 16;
        let deadline = list.now() + work + Span::from_nanos(after);
        judged.judge(&list, work, deadline);
        // As much as fits to the nanosecond, and a nanosecond more.
        let idle = list.idle_before(deadline);
        judged.judge(&list, idle, deadline);
        judged.judge(&list, idle + Span::from_nanos(1), deadline);
        tickets.extend(list.admit(work, deadline));
        while list.len() > slots {
            list.advance(list.now() + list.head().unwrap().left).unwrap();
        }
        if round % 7 == 0 && !tickets.is_empty() {
            let place = usize::try_from(random.uniform(tickets.len() as u64)).unwrap();
            let _ = list.withdraw(tickets.swap_remove(place));
        }
    }
    judged
}

#[test]
fn law_inexact_analysis_never_says_a_wrong_yes() {
    let found = [
        judged::<BPlusTree>(300),
        judged::<Tree<4, 4>>(300),
        judged::<PointerList>(60),
        judged::<HashPointerList>(300),
        judged::<ImprovedList>(300),
    ];
    for judged in found {
        assert!(
            judged.yes > 2_000 && judged.yes_after_all > 100 && judged.no > 5_000,
            "{judged:?}"
        );
    }
}

#[test]
fn limit_inexact_analysis_without_a_shorter_way_is_exact() {
    let judged = judged::<List>(60);
    assert!(judged.yes > 2_000 && judged.yes_after_all == 0, "{judged:?}");
}

#[test]
fn refuses_to_say_yes_where_nothing_can_be_admitted() {
    let at = Instant::from_nanos;
    let ns = Span::from_nanos;
    let mut list = Admission::<ImprovedList>::new(at(100), 1).unwrap();
    assert_eq!(list.inexact(ns(0), at(200)), Inexact::Maybe);
    assert_eq!(list.inexact(ns(1), at(100)), Inexact::Maybe);
    assert_eq!(list.inexact(ns(1), HORIZON + ns(1)), Inexact::Maybe);
    assert_eq!(list.inexact(ns(100), at(200)), Inexact::Yes);
    list.admit(ns(1), at(200)).unwrap();
    assert_eq!(list.inexact(ns(1), at(300)), Inexact::Maybe, "the only slot is taken");
}

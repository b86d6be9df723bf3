//! The list that is collected later decides as the original, whenever it is collected.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod common;

use common::Random;
use windfall_admission::{
    Admission, AdmitError, Head, Inexact, List, PagedList, Ticket, TicketError,
};
use windfall_time::{Instant, Span};

struct Both {
    list: Admission<List>,
    paged: Admission<PagedList>,
    tickets: Vec<(Ticket, Ticket)>,
    random: Random,
    /// How often slots stayed, and an earlier deadline came behind them.
    kept: usize,
}

/// What both lists must agree in: a head without the list's own number.
fn head(head: Option<Head>) -> Option<(String, Span)> {
    head.map(|head| (head.ticket.to_string(), head.left))
}

impl Both {
    fn new(seed: u64, most: u32) -> Both {
        let (list, paged) =
            (Admission::new(Instant::ZERO, most), Admission::new(Instant::ZERO, most));
        let (list, paged) = (list.unwrap(), paged.unwrap());
        Both { list, paged, tickets: Vec::new(), random: Random(seed), kept: 0 }
    }

    fn after(&mut self, longest: u64) -> Instant {
        self.list.now() + Span::from_nanos(self.random.uniform(longest))
    }

    fn admit(&mut self) {
        let (work, deadline) = (Span::from_nanos(1 + self.random.uniform(12)), self.after(200));
        assert!(
            self.paged.inexact(work, deadline) == Inexact::Maybe
                || self.list.clone().admit(work, deadline).is_ok()
        );
        match (self.list.admit(work, deadline), self.paged.admit(work, deadline)) {
            (Ok(one), Ok(other)) => self.tickets.push((one, other)),
            (one, other) => assert_eq!(one.unwrap_err(), other.unwrap_err()),
        }
    }

    fn step(&mut self) {
        match self.random.uniform(12) {
            0..5 => self.admit(),
            5..7 => {
                let to = self.after(16);
                self.list.advance(to).unwrap();
                assert_eq!(self.paged.advance(to), Ok(0));
            }
            7 => {
                let tasks: Vec<_> = (0..self.random.uniform(5))
                    .map(|_| (Span::from_nanos(1 + self.random.uniform(20)), self.after(200)))
                    .collect();
                assert_eq!(self.list.what_if(&tasks), self.paged.what_if(&tasks));
            }
            8 if !self.tickets.is_empty() => {
                let place = self.random.uniform(self.tickets.len() as u64);
                let (one, other) = self.tickets.swap_remove(usize::try_from(place).unwrap());
                let answers = (self.list.withdraw(one), self.paged.withdraw(other));
                match answers {
                    (Err(TicketError::Stale { .. }), Err(TicketError::Stale { .. })) => {}
                    (one, other) => assert_eq!(one.unwrap(), other.unwrap()),
                }
            }
            9..11 => {
                let (Some(one), Some(other)) = (self.list.head(), self.paged.head()) else {
                    return;
                };
                let used = Span::from_nanos(self.random.uniform(one.left.as_nanos() + 1));
                let free = self.list.done(one.ticket, used).unwrap();
                assert_eq!(self.paged.done(other.ticket, used), Ok(free));
            }
            _ => {
                let slots = self.paged.len();
                let collected = self.paged.collect();
                assert_eq!(self.paged.len() + collected, slots);
                assert_eq!(self.paged.len(), self.list.len(), "none stays");
            }
        }
    }

    fn same(&mut self) {
        assert_eq!(head(self.list.head()), head(self.paged.head()));
        assert_eq!(self.list.now(), self.paged.now());
        for _ in 0..4 {
            let at = self.after(220);
            assert_eq!(self.list.idle_before(at), self.paged.idle_before(at));
            let work = Span::from_nanos(1 + self.random.uniform(40));
            assert_eq!(self.list.earliest_deadline(work), self.paged.earliest_deadline(work));
        }
        assert!(self.paged.len() >= self.list.len());
        self.kept += usize::from(self.paged.len() > self.list.len());
    }
}

#[test]
fn law_a_list_that_is_collected_later_decides_as_the_original() {
    let mut kept = 0;
    for seed in 0..300 {
        let mut both = Both::new(seed, if seed % 3 == 0 { 8 } else { 1_000 });
        for _ in 0..300 {
            both.step();
            both.same();
        }
        both.paged.collect();
        assert_eq!(both.list.counts(), both.paged.counts());
        kept += both.kept;
    }
    assert!(kept > 10_000, "slots stayed: {kept}");
}

#[test]
fn accepts_in_a_full_list_when_slots_are_used_up() {
    let (at, ns) = (Instant::from_nanos, Span::from_nanos);
    let mut list = Admission::<PagedList>::new(Instant::ZERO, 2).unwrap();
    for deadline in [10, 20] {
        list.admit(ns(5), at(deadline)).unwrap();
    }
    assert_eq!(list.admit(ns(5), at(30)), Err(AdmitError::Full { slots: 2 }));
    list.advance(at(5)).unwrap();
    assert_eq!((list.len(), list.counts().collected), (2, 0));
    list.admit(ns(5), at(30)).unwrap();
    assert_eq!((list.len(), list.counts().collected), (2, 1));
}

#[test]
fn law_a_slot_that_is_used_up_is_stale_before_it_is_collected() {
    let (at, ns) = (Instant::from_nanos, Span::from_nanos);
    let mut list = Admission::<PagedList>::new(Instant::ZERO, 9).unwrap();
    let late = list.admit(ns(5), at(100)).unwrap();
    list.advance(at(5)).unwrap();
    // Earlier than what is used up, and not before it: it begins now.
    let early = list.admit(ns(4), at(50)).unwrap();
    assert_eq!(list.idle_before(at(60)), ns(51));
    assert_eq!(list.head().unwrap().ticket, early);
    assert_eq!(list.withdraw(late), Err(TicketError::Stale { ticket: late }));
    assert_eq!(list.done(late, ns(0)), Err(TicketError::Stale { ticket: late }));
    assert_eq!(list.done(early, ns(4)), Ok(ns(0)));
    assert_eq!((list.len(), list.collect(), list.len()), (2, 2, 0));
}

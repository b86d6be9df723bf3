//! Random programs of all operations on every structure, against the definition.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod model;

use model::{Model, Tally};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use windfall_admission::{
    Admission, AdmitError, BPlusTree, GuessList, HashList, HashPointerList, ImprovedList, List,
    PointerList, Structure, Ticket, TicketError, Tree,
};
use windfall_time::{Instant, Span};

/// What a program does next; numbers are drawn to be small, so that deadlines meet and slots end together.
#[derive(Clone, Debug)]
enum Op {
    Admit { work: u64, after: u64 },
    Query { work: u64, after: u64 },
    WhatIf(Vec<(u64, u64)>),
    Withdraw { place: usize },
    Done { used: u64 },
    DoneOther { place: usize },
    Advance { by: u64 },
    Stale { place: usize },
}

/// Whether many slots are to be there, with large works, is a program's; whether it grows or shrinks changes on the way.
fn programs() -> impl Strategy<Value = Vec<Op>> {
    let ops = |span: u64, work: u64| {
        let admit = (1..=work, 0..span).prop_map(|(work, after)| Op::Admit { work, after });
        let op = prop_oneof![
            12 => admit,
            3 => (1..=work, 0..span).prop_map(|(work, after)| Op::Query { work, after }),
            1 => prop::collection::vec((1..=work, 0..span), 0..6).prop_map(Op::WhatIf),
            3 => any::<usize>().prop_map(|place| Op::Withdraw { place }),
            3 => (0..=work).prop_map(|used| Op::Done { used }),
            1 => any::<usize>().prop_map(|place| Op::DoneOther { place }),
            2 => (0..work * 3).prop_map(|by| Op::Advance { by }),
            1 => any::<usize>().prop_map(|place| Op::Stale { place }),
        ];
        prop::collection::vec(op, 0..400)
    };
    prop_oneof![
        ops(20, 4),
        ops(1_000, 10),
        ops(100_000, 300),
        // Deadlines near the horizon, and works that are large parts of it.
        ops(1 << 60, 1 << 58),
        ops(1 << 61, 1 << 61),
    ]
}

struct Both<S> {
    list: Admission<S>,
    model: Model,
    tickets: Vec<(u32, Ticket)>,
    gone: Vec<Ticket>,
}

impl<S: Structure> Both<S> {
    fn ticket(&self, number: u32) -> Ticket {
        self.tickets.iter().find(|(other, _)| *other == number).unwrap().1
    }

    /// Tickets of slots that the model has not any longer are stale.
    fn forget(&mut self) {
        let (there, gone): (Vec<_>, Vec<_>) =
            self.tickets.drain(..).partition(|(number, _)| self.model.has(*number));
        self.tickets = there;
        self.gone.extend(gone.into_iter().map(|(_, ticket)| ticket));
    }

    fn at(&self, after: u64) -> Instant {
        Instant::from_nanos(self.model.now.saturating_add(after))
    }

    fn step(&mut self, op: &Op, tally: &mut Tally) {
        match op {
            Op::Admit { work, after } => {
                let at = self.at(*after);
                let (found, asked) = (
                    self.list.admit(Span::from_nanos(*work), at),
                    self.model.admit(*work, at.as_nanos()),
                );
                match (found, asked) {
                    (Ok(ticket), Ok(number)) => self.tickets.push((number, ticket)),
                    (found, asked) => assert_eq!(found.unwrap_err(), asked.unwrap_err()),
                }
                tally.admits[usize::from(found.is_ok())] += 1;
            }
            Op::Query { work, after } => self.query(*work, self.at(*after)),
            Op::WhatIf(tasks) => self.what_if(tasks, tally),
            Op::Withdraw { place } => {
                let Some(number) = self.model.number(*place) else { return };
                let left = self.list.withdraw(self.ticket(number)).unwrap();
                assert_eq!(left.as_nanos(), self.model.withdraw(number));
                tally.withdrawn += 1;
            }
            Op::Done { used } => {
                let Some(head) = self.list.head() else { return };
                let (number, left) = self.model.head();
                assert_eq!((head.ticket, head.left.as_nanos()), (self.ticket(number), left));
                let used_span = Span::from_nanos(*used);
                let found = self.list.done(head.ticket, used_span);
                if *used > left {
                    let left = head.left;
                    assert_eq!(found, Err(TicketError::AboveBound { used: used_span, left }));
                } else {
                    assert_eq!(found.unwrap().as_nanos(), self.model.done(*used));
                    tally.done[usize::from(*used == left)] += 1;
                }
            }
            Op::DoneOther { place } => {
                let Some(number) = self.model.number(*place) else { return };
                let (ticket, head) = (self.ticket(number), self.list.head().unwrap().ticket);
                if ticket != head {
                    let asked = Err(TicketError::NotHead { ticket, head });
                    assert_eq!(self.list.done(ticket, Span::ZERO), asked);
                    tally.not_head += 1;
                }
            }
            Op::Advance { by } => {
                let to = self.at(*by).min(windfall_admission::HORIZON);
                let collected = self.list.advance(to).unwrap();
                assert_eq!(collected, self.model.advance(to.as_nanos()));
                tally.collected += collected;
            }
            Op::Stale { place } => {
                let Some(ticket) = self.gone.get(place % self.gone.len().max(1)).copied() else {
                    return;
                };
                let stale = Err(TicketError::Stale { ticket });
                assert_eq!(self.list.withdraw(ticket), stale);
                assert_eq!(self.list.done(ticket, Span::ZERO), stale);
                tally.stale += 1;
            }
        }
        self.forget();
    }

    fn query(&self, work: u64, at: Instant) {
        assert_eq!(self.list.idle_before(at).as_nanos(), self.model.idle_before(at.as_nanos()));
        let found = self.list.earliest_deadline(Span::from_nanos(work));
        let asked = self.model.earliest_deadline(work).map(|found| found.map(Instant::from_nanos));
        assert_eq!(found, asked);
        // It never falls as the deadline grows.
        let mut idle = Span::ZERO;
        for deadline in self.model.interesting(at.as_nanos()) {
            let here = self.list.idle_before(Instant::from_nanos(deadline));
            assert!(here >= idle, "idle before {deadline}: {here}, earlier {idle}");
            idle = here;
        }
    }

    /// A what-if equals doing it, and changes nothing.
    fn what_if(&mut self, tasks: &[(u64, u64)], tally: &mut Tally) {
        let tasks: Vec<_> =
            tasks.iter().map(|(work, after)| (Span::from_nanos(*work), self.at(*after))).collect();
        let mut copy = self.list.clone();
        let each = tasks.iter().map(|(work, deadline)| copy.admit(*work, *deadline));
        let done = each.enumerate().find_map(|(index, answer)| Some((index, answer.err()?)));
        let before = (self.list.counts(), self.list.head(), self.list.len());
        let found = self.list.what_if(&tasks).map_err(|why| (why.index, why.error));
        assert_eq!(found, done.map_or(Ok(()), Err));
        assert_eq!((self.list.counts(), self.list.head(), self.list.len()), before);
        tally.what_if[usize::from(found.is_ok())] += 1;
    }
}

fn law_of<S: Structure>() {
    let mut runner =
        TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() });
    let tally = std::cell::RefCell::new(Tally::default());
    let judged = runner.run(&programs(), |program| {
        let list = Admission::<S>::new(Instant::from_nanos(7), 120).unwrap();
        let model = Model::new(7, 120);
        let mut both = Both { list, model, tickets: Vec::new(), gone: Vec::new() };
        for op in &program {
            both.step(op, &mut tally.borrow_mut());
            assert_eq!(both.list.len(), both.model.len());
            assert_eq!(both.list.now().as_nanos(), both.model.now);
        }
        for deadline in both.model.interesting(0) {
            both.query(1 + deadline % 7, Instant::from_nanos(deadline));
        }
        Ok(())
    });
    judged.unwrap_or_else(|why| panic!("{}: {why}", S::NAME));
    tally.borrow().check();
}

/// For a structure: the law, and what it does with many slots.
macro_rules! laws {
    ($($name:ident: $structure:ty,)*) => {$(
        #[test]
        fn $name() {
            law_of::<$structure>();
        }
    )*};
}

laws! {
    law_the_list_is_as_defined: List,
    law_hashing_is_as_defined: HashList,
    law_best_guess_is_as_defined: GuessList,
    law_minimum_laxity_pointers_are_as_defined: PointerList,
    law_hashing_with_pointers_is_as_defined: HashPointerList,
    law_the_improved_list_is_as_defined: ImprovedList,
    law_the_tree_is_as_defined: BPlusTree,
    law_a_tree_of_four_is_as_defined: Tree<4, 4>,
    law_a_tree_with_wide_leaves_is_as_defined: Tree<64, 5>,
}

#[test]
fn refuses_what_can_never_be_admitted_and_says_what_would() {
    let at = Instant::from_nanos;
    let ns = Span::from_nanos;
    let mut list = Admission::<List>::new(at(100), 1).unwrap();
    assert_eq!(list.admit(ns(0), at(200)), Err(AdmitError::NoWork));
    let passed =
        AdmitError::DeadlinePassed { deadline: at(100), now: at(100), earliest: Some(at(105)) };
    assert_eq!(list.admit(ns(5), at(100)), Err(passed));
    let most = windfall_admission::HORIZON - at(100);
    let asked = AdmitError::TooMuchWork { work: Span::MAX, most };
    assert_eq!(list.admit(Span::MAX, at(200)), Err(asked));
    assert_eq!(list.earliest_deadline(Span::MAX), Err(asked));
    let beyond = at(u64::MAX);
    assert_eq!(list.admit(ns(5), beyond), Err(AdmitError::BeyondHorizon { deadline: beyond }));
    assert_eq!(list.idle_before(beyond), ns(u64::MAX - 100), "idle all the same");
    let ticket = list.admit(most, windfall_admission::HORIZON).unwrap();
    assert_eq!(list.admit(ns(5), at(200)), Err(AdmitError::Full { slots: 1 }));
    assert_eq!(list.earliest_deadline(ns(1)), Ok(None), "nothing is left before the horizon");
    let mut other = Admission::<List>::new(at(100), 1).unwrap();
    assert_eq!(other.withdraw(ticket), Err(TicketError::Foreign { ticket }));
    assert_eq!(other.done(ticket, ns(1)), Err(TicketError::Foreign { ticket }));
    assert_eq!(list.withdraw(ticket), Ok(most));
    assert_eq!(list.done(ticket, ns(1)), Err(TicketError::Stale { ticket }));
    assert!(list.advance(at(99)).is_err() && list.advance(beyond).is_err());
    assert!(list.advance(at(100)).is_ok() && list.advance(windfall_admission::HORIZON).is_ok());
    assert!(Admission::<List>::new(beyond, 1).is_err());
    assert_eq!(list.counts().refused, 5);
}

#[test]
fn refuses_in_words_that_say_what_would_fit() {
    let at = |ms| Instant::ZERO + Span::from_millis(ms);
    let mut list = Admission::<List>::new(Instant::ZERO, 10).unwrap();
    list.admit(Span::from_millis(6), at(10)).unwrap();
    let refused = list.admit(Span::from_millis(7), at(12)).unwrap_err();
    let text =
        "work 7ms does not fit before 12ms: 6ms is idle; the earliest deadline for it is 13ms";
    assert_eq!(refused.to_string(), text);
}

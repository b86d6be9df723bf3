//! Time in which more or less than itself is worked, against the definition.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use windfall_admission::{Admission, AdvanceError, BPlusTree, List, Supplied, Tree};
use windfall_time::{Instant, Span};

#[derive(Clone, Debug)]
enum Op {
    Admit { work: u64, after: u64 },
    Serve { passes: u64, works: u64 },
    Withdraw { place: usize },
}

/// Slots in order: deadline, number, work that is left.
#[derive(Default)]
struct Model {
    now: i64,
    slots: Vec<(i64, usize, i64)>,
}

impl Model {
    fn laxities(&self) -> impl Iterator<Item = i64> + '_ {
        let end = |end: &mut i64, slot: &(i64, usize, i64)| {
            *end += slot.2;
            Some(slot.0 - *end)
        };
        self.slots.iter().scan(self.now, end)
    }

    /// The most work that may be put before all slots behind a deadline, and ends by it.
    fn room(&self, deadline: i64) -> i64 {
        let before = |slot: &&(i64, usize, i64)| slot.0 <= deadline;
        let end = self.now + self.slots.iter().take_while(before).map(|slot| slot.2).sum::<i64>();
        let count = self.slots.iter().filter(|slot| slot.0 <= deadline).count();
        self.laxities().skip(count).fold(deadline - end, i64::min).max(0)
    }
}

fn programs() -> impl Strategy<Value = Vec<Op>> {
    let ops = |span: u64, work: u64| {
        let op = prop_oneof![
            6 => (1..=work, 0..span).prop_map(|(work, after)| Op::Admit { work, after }),
            4 => (0..=work, 0..=work).prop_map(|(passes, works)| Op::Serve { passes, works }),
            1 => any::<usize>().prop_map(|place| Op::Withdraw { place }),
        ];
        prop::collection::vec(op, 0..300)
    };
    prop_oneof![ops(20, 4), ops(2_000, 10), ops(100_000, 500)]
}

/// What was judged: slots that were done while time stood behind and ran ahead of work, slots that were lost, one or several at once.
#[derive(Default)]
struct Tally {
    ahead: usize,
    behind: usize,
    collected: usize,
    lost: usize,
    lost_together: usize,
}

fn run<S: Supplied>(program: &[Op], tally: &mut Tally) {
    let mut list = Admission::<S>::new(Instant::ZERO, 1_000).unwrap();
    let (mut model, mut tickets) = (Model::default(), Vec::new());
    let at = |ns: i64| Instant::from_nanos(ns.cast_unsigned());
    for op in program {
        match *op {
            Op::Admit { work, after } => {
                let deadline = model.now + after.cast_signed();
                if let Ok(ticket) = list.admit(Span::from_nanos(work), at(deadline)) {
                    let place = model.slots.iter().filter(|slot| slot.0 <= deadline).count();
                    model.slots.insert(place, (deadline, tickets.len(), work.cast_signed()));
                    tickets.push(ticket);
                }
            }
            Op::Serve { passes, works } => {
                let left = model.slots.first().map_or(0, |slot| slot.2);
                let to = model.now + passes.cast_signed();
                let above = works.cast_signed() > left;
                let works = if above { left.cast_unsigned() } else { works };
                if above {
                    let (work, left) = (Span::from_nanos(works + 1), Span::from_nanos(works));
                    let refused = Err(AdvanceError::AboveBound { work, left });
                    assert_eq!(list.serve(work, at(to)), refused);
                }
                let collected = list.serve(Span::from_nanos(works), at(to)).unwrap();
                model.now = to;
                tally.ahead += usize::from(works > passes);
                tally.behind += usize::from(works < passes);
                let mut gone = 0;
                if let Some(head) = model.slots.first_mut() {
                    head.2 -= works.cast_signed();
                    if head.2 == 0 {
                        model.slots.remove(0);
                        gone = 1;
                    }
                }
                assert_eq!(collected, gone);
                tally.collected += gone;
                let mut lost = 0;
                let late = |model: &Model| model.laxities().position(|laxity| laxity < 0);
                while let Some(late) = late(&model) {
                    let (_, number, left) = model.slots.remove(late);
                    let named = (tickets[number], Span::from_nanos(left.cast_unsigned()));
                    assert_eq!(list.take_late(), Some(named));
                    lost += 1;
                }
                assert_eq!(list.take_late(), None);
                tally.lost += lost;
                tally.lost_together += usize::from(lost > 1);
            }
            Op::Withdraw { place } => {
                if !model.slots.is_empty() {
                    let (_, number, left) = model.slots.remove(place % model.slots.len());
                    let answer = list.withdraw(tickets[number]).unwrap();
                    assert_eq!(answer.as_nanos(), left.cast_unsigned());
                }
            }
        }
        assert_eq!((list.len(), list.now()), (model.slots.len(), at(model.now)));
        let deadlines = model.slots.iter().flat_map(|slot| [slot.0 - 1, slot.0, slot.0 + 1]);
        for deadline in deadlines.filter(|deadline| *deadline > model.now).step_by(7) {
            let room = list.idle_before(at(deadline)).as_nanos().cast_signed();
            assert_eq!(room, model.room(deadline), "before {deadline}");
        }
    }
}

fn law_of<S: Supplied>() {
    let config = Config { cases: 300, failure_persistence: None, ..Config::default() };
    let tally = std::cell::RefCell::new(Tally::default());
    let judged = TestRunner::new(config).run(&programs(), |program| {
        run::<S>(&program, &mut tally.borrow_mut());
        Ok(())
    });
    judged.unwrap_or_else(|why| panic!("{}: {why}", S::NAME));
    let Tally { ahead, behind, collected, lost, lost_together } = tally.into_inner();
    for (what, count, least) in [
        ("ahead", ahead, 1_000),
        ("behind", behind, 1_000),
        ("collected", collected, 500),
        ("lost", lost, 100),
        ("lost together", lost_together, 10),
    ] {
        assert!(count >= least, "{what}: {count} judged");
    }
}

#[test]
fn law_the_list_serves_as_defined() {
    law_of::<List>();
}

#[test]
fn law_the_tree_serves_as_defined() {
    law_of::<BPlusTree>();
}

#[test]
fn law_a_tree_of_four_serves_as_defined() {
    law_of::<Tree<4, 4>>();
}

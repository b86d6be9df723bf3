//! What a processor refuses, by name and with what would fit; and small cases in which all numbers are known.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use windfall_admission::{AdmitError, HORIZON};
use windfall_ports::{
    ClockError, EarliestDeadline, Entry, Processor, Ranked, Request, Share, ShareError,
    SubmitError, TableError, TimeDriven, TransferError,
};
use windfall_time::{Instant, Span};

fn ms(n: u32) -> Span {
    Span::from_millis(n)
}

fn at(n: u32) -> Instant {
    Instant::ZERO + ms(n)
}

fn edf(part: u32, of: u32) -> EarliestDeadline {
    EarliestDeadline::new(Share::new(ms(part), ms(of)).unwrap(), Instant::ZERO, 8).unwrap()
}

fn refused(answer: Result<windfall_ports::TaskId, SubmitError>) -> SubmitError {
    answer.unwrap_err()
}

#[test]
fn refuses_each_bad_request_by_name_with_what_would_fit() {
    let mut one = Processor::new(at(10), 3);
    let all = one.add(edf(1, 1)).unwrap();
    let ranked = one.add(Ranked::priorities(None)).unwrap();
    let not = |error| SubmitError::NotAdmitted(error);

    assert_eq!(refused(one.submit(all, Request::by(Span::ZERO, at(20)))), not(AdmitError::NoWork));
    let (deadline, now, earliest) = (at(5), at(10), Some(at(11)));
    let passed = AdmitError::DeadlinePassed { deadline, now, earliest };
    assert_eq!(refused(one.submit(all, Request::by(ms(1), at(5)))), not(passed));
    let far = HORIZON + ms(1);
    let beyond = AdmitError::BeyondHorizon { deadline: far };
    assert_eq!(refused(one.submit(all, Request::by(ms(1), far))), not(beyond));
    let most = HORIZON.saturating_since(at(10));
    let much = AdmitError::TooMuchWork { work: Span::MAX, most };
    assert_eq!(refused(one.submit(all, Request::by(Span::MAX, at(20)))), not(much));
    let (work, deadline, idle, earliest) = (ms(11), at(20), ms(10), Some(at(21)));
    let room = AdmitError::NoRoom { work, deadline, idle, earliest };
    assert_eq!(refused(one.submit(all, Request::by(work, deadline))), not(room));

    assert_eq!(refused(one.submit(all, Request::ranked(ms(1), 0))), SubmitError::NeedsDeadline);
    assert_eq!(refused(one.submit(ranked, Request::by(ms(1), at(20)))), SubmitError::NoDeadlines);
    let none = SubmitError::NoScheduler { scheduler: 7, schedulers: 2 };
    assert_eq!(refused(one.submit(7, Request::by(ms(1), at(20)))), none);
    assert_eq!(one.submit_first(all, &[]), Err(SubmitError::Nothing));
    assert_eq!(one.idle_before(ranked, at(20)), Err(SubmitError::NoDeadlines));

    for _ in 0..3 {
        one.submit(all, Request::by(ms(1), at(20))).unwrap();
    }
    let full = one.submit(all, Request::by(ms(1), at(20)));
    assert_eq!(refused(full), SubmitError::Full { tasks: 3 });
    let refused = one.counts().refused;
    assert_eq!((refused.work, refused.deadline_passed, refused.beyond_horizon), (2, 1, 1));
    assert_eq!((refused.no_room, refused.unsuitable, refused.full), (1, 4, 1));
    assert_eq!(one.counts().submitted, one.counts().admitted + refused.all());
}

#[test]
fn refuses_a_stale_task_and_impossible_time() {
    let mut one = Processor::new(at(10), 3);
    let all = one.add(edf(1, 1)).unwrap();
    assert_eq!(
        one.advance(at(11), ms(1)),
        Err(ClockError::MoreThanPassed { received: ms(1), most: Span::ZERO })
    );
    let task = one.submit(all, Request::by(ms(1), at(20))).unwrap();
    assert_eq!(
        one.advance(at(9), Span::ZERO),
        Err(ClockError::Backwards { to: at(9), now: at(10) })
    );
    assert_eq!(one.expire(), None);
    one.advance(at(11), ms(1)).unwrap();
    assert_eq!(one.expire(), Some(task));
    assert_eq!(one.done(task).unwrap_err().task, task);
    assert_eq!(one.cancel(task).unwrap_err().task, task);
    let next = one.submit(all, Request::by(ms(1), at(20))).unwrap();
    let mut other = Processor::new(at(11), 3);
    let all_there = other.add(edf(1, 1)).unwrap();
    let foreign = other.submit(all_there, Request::by(ms(1), at(20))).unwrap();
    assert!(one.done(foreign).is_err() && one.cancel(foreign).is_err());
    assert!(other.done(next).is_err() && other.done(foreign).is_ok());
    assert!(one.done(task).is_err() && one.done(next).is_ok());
}

#[test]
fn refuses_shares_above_the_processor_and_accepts_all_of_it() {
    let mut one = Processor::new(Instant::ZERO, 3);
    one.add(edf(1, 3)).unwrap();
    assert_eq!(one.add(edf(3, 4)).unwrap_err(), ShareError::AboveWhole);
    one.add(edf(2, 3)).unwrap();
    assert_eq!(one.add(Ranked::best_first(None)), Ok(2));
}

#[test]
fn refuses_tables_that_cannot_be_carried_out() {
    let half = Share::new(ms(1), ms(2)).unwrap();
    let table = |entries: &[Entry]| TimeDriven::new(half, ms(10), entries).map(drop);
    let entry = |start, work, by| Entry::new(ms(start), ms(work), ms(by));
    assert_eq!(table(&[]), Err(TableError::Empty));
    for bad in [entry(0, 0, 1), entry(10, 1, 12), entry(3, 1, 3), entry(3, 1, 14)] {
        assert_eq!(table(&[entry(0, 1, 2), bad]).is_err(), bad != entry(3, 1, 13), "{bad:?}");
    }
    assert_eq!(table(&[entry(0, 1, 2), entry(2, 4, 10)]), Ok(()));
    // The first of the next cycle lies in the window that begins with the second.
    let (from, length, work) = (ms(8), ms(4), ms(3));
    let over = TableError::TooMuch { from, length, work };
    assert_eq!(table(&[entry(0, 1, 2), entry(8, 2, 12)]), Err(over));
}

#[test]
fn paper_2_4_a_table_keeps_its_start_times() {
    let mut one = Processor::new(Instant::ZERO, 3);
    let entries = [Entry::new(ms(2), ms(1), ms(4)), Entry::new(ms(6), ms(2), ms(10))];
    let half = Share::new(ms(1), ms(2)).unwrap();
    let table = one.add(TimeDriven::new(half, ms(10), &entries).unwrap()).unwrap();
    let long = one.submit(table, Request::by(ms(2), at(40))).unwrap();
    assert_eq!((one.running(), one.wakes()), (None, Some(at(6))));
    assert_eq!(one.idle_before(table, at(9)), Ok(ms(1)));
    assert_eq!(one.earliest_deadline(table, ms(2)), Ok(Some(at(20))));
    one.advance(at(6), Span::ZERO).unwrap();
    assert_eq!(one.running().unwrap().task, long);
}

/// Decision 0032, 3: what of two halves ran first is not free when it ends.
#[test]
fn limit_time_that_was_received_is_not_promised_again() {
    let mut one = Processor::new(Instant::ZERO, 9);
    let (a, b) = (one.add(edf(1, 2)).unwrap(), one.add(edf(1, 2)).unwrap());
    let later = one.submit(a, Request::by(ms(5), at(11))).unwrap();
    let first = one.submit(b, Request::by(ms(5), at(10))).unwrap();
    one.advance(at(5), ms(5)).unwrap();
    one.done(first).unwrap();
    // The slot of `first` has progressed by 2.5 ms, and the other 2.5 ms are worked on until 10 ms.
    assert_eq!(one.idle_before(b, at(10)), Ok(Span::ZERO));
    assert_eq!(one.idle_before(b, at(12)), Ok(ms(1)));
    one.advance(at(10), ms(5)).unwrap();
    assert_eq!(one.done(later).unwrap().late, Span::ZERO);
}

#[test]
fn paper_2_5_unused_time_is_free_at_once_and_laxity_moves() {
    let mut one = Processor::new(Instant::ZERO, 9);
    let (a, b) = (one.add(edf(1, 2)).unwrap(), one.add(edf(1, 2)).unwrap());
    let task = one.submit(a, Request::by(ms(5), at(10))).unwrap();
    one.advance(at(2), ms(2)).unwrap();
    assert_eq!(one.idle_before(a, at(10)), Ok(Span::ZERO));
    one.done(task).unwrap();
    assert_eq!(one.idle_before(a, at(10)), Ok(ms(3)));

    assert_eq!(one.transfer(a, a, ms(1)), Err(TransferError::Same));
    assert_eq!(one.transfer(a, 5, ms(1)), Err(TransferError::NoLaxity { scheduler: 5 }));
    assert_eq!(one.transfer(a, b, ms(3)), Ok(at(8)));
    assert_eq!(one.idle_before(b, at(12)), Ok(ms(8)));
    assert_eq!(one.transfer(b, a, ms(1)), Err(TransferError::Receiving { until: at(8) }));
}

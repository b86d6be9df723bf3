//! Where a task goes whose state lies on one of two processors (section 4).

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use windfall_ports::{Affinity, EarliestDeadline, Place, Processor, Request, Share};
use windfall_time::{Instant, Span};

fn ms(n: u32) -> Span {
    Span::from_millis(n)
}

fn at(n: u32) -> Instant {
    Instant::ZERO + ms(n)
}

/// A processor with so much work before 10 ms, which uses a state.
fn busy(work: u32, state: u64) -> Processor {
    let mut processor = Processor::new(Instant::ZERO, 9);
    let edf: EarliestDeadline = EarliestDeadline::new(Share::WHOLE, Instant::ZERO, 9).unwrap();
    processor.add(edf).unwrap();
    if work > 0 {
        processor.submit(0, Request::by(ms(work), at(10)).using(state)).unwrap();
    }
    processor
}

#[test]
fn paper_4_numa_goes_away_only_if_home_lacks_time_and_the_other_has_it() {
    let request = Request::by(ms(4), at(10)).using(1);
    let place = |home: &Processor, away: &Processor| {
        Affinity::CcNuma { refill: ms(1) }.place(0, &request, home, away).unwrap()
    };
    assert_eq!(place(&busy(6, 1), &busy(0, 0)), Place::Home);
    assert_eq!(place(&busy(7, 1), &busy(5, 0)), Place::Away(ms(5)));
    // The refill does not fit.
    assert_eq!(place(&busy(7, 1), &busy(6, 0)), Place::Nowhere(ms(3)));
    assert_eq!(place(&busy(9, 1), &busy(6, 0)), Place::Nowhere(ms(3)));
}

#[test]
fn paper_4_coma_stays_if_a_task_at_home_touches_the_state() {
    let request = Request::by(ms(4), at(10)).using(1);
    let place = |home: &Processor, away: &Processor| {
        Affinity::CcComa { refill: ms(1) }.place(0, &request, home, away).unwrap()
    };
    let (mut touching, other) = (busy(7, 1), busy(7, 2));
    assert_eq!(place(&touching, &busy(0, 0)), Place::Nowhere(ms(3)));
    assert_eq!(place(&other, &busy(0, 0)), Place::Away(ms(5)));
    // When the task at home has ended, nobody touches the state.
    let task = touching.running().unwrap().task;
    touching.advance(at(1), ms(1)).unwrap();
    touching.done(task).unwrap();
    assert_eq!(place(&touching, &busy(0, 0)), Place::Home);
    touching.submit(0, Request::by(ms(8), at(10)).using(2)).unwrap();
    assert_eq!(place(&touching, &busy(0, 0)), Place::Away(ms(5)));
}

#[test]
fn refuses_to_place_without_a_deadline() {
    let request = Request::ranked(ms(1), 0);
    let answer = Affinity::CcNuma { refill: ms(1) }.place(0, &request, &busy(0, 0), &busy(0, 0));
    assert!(answer.is_err());
}

//! Tasks whose state lies on one of several processors (section 4): pools on threads, and members over rings and a simulated network.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "on_threads/two.rs"]
mod two;

use std::time::Duration;
use two::{AWAY, HOME, two};
use windfall_admission::AdmitError;
use windfall_ports::pool::{Pending, Pool, Target};
use windfall_ports::transport::{Faults, Network, Transport, in_process};
use windfall_ports::{
    Affinity, Answer, EarliestDeadline, Event, Member, Near, Outcome, Place, Processor, Request,
    Share, SubmitError,
};
use windfall_time::{Instant, Span};

fn ms(n: u32) -> Span {
    Span::from_millis(n)
}

fn numa(refill: u32) -> Affinity {
    Affinity::CcNuma { refill: ms(refill) }
}

fn coma(refill: u32) -> Affinity {
    Affinity::CcComa { refill: ms(refill) }
}

/// A pool, and the deadline of all tasks: ten seconds later, by which what a busy machine steals is little.
struct Busy {
    pool: Pool,
    deadline: Instant,
}

impl Busy {
    /// So much is admitted on each of the two, by tasks that use state 1.
    fn new(home: u32, away: u32) -> Busy {
        let busy = Busy { pool: two(|_| ()), deadline: Pool::now() + ms(10_000) };
        for (target, work) in [(HOME, home), (AWAY, away)] {
            if work > 0 {
                let request = Request::by(ms(work), busy.deadline).using(1);
                let waits = busy.pool.submit(target, request, |at| -> Result<(), _> {
                    loop {
                        at.checkpoint()?;
                        std::thread::sleep(Duration::from_millis(1));
                    }
                });
                drop(waits.unwrap());
            }
        }
        busy
    }

    fn near(&self, affinity: Affinity, work: u32, state: u64) -> Pending<()> {
        let request = Request::by(ms(work), self.deadline).using(state);
        self.pool.submit_near(HOME, affinity, request, |_| Ok(()))
    }

    fn idle(&self, target: Target) -> Span {
        self.pool.idle_before(target, self.deadline).unwrap()
    }

    /// Where it is admitted, which of the two has less time then, and by how much.
    fn place(&self, affinity: Affinity, work: u32, state: u64) -> Result<Place, SubmitError> {
        let before = [HOME, AWAY].map(|target| self.idle(target));
        let long = Request::by(ms(work), self.deadline).using(state);
        let held = self.pool.submit_near(HOME, affinity, long, |at| -> Result<(), _> {
            loop {
                at.checkpoint()?;
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let handle = held.wait()?;
        let took = [HOME, AWAY]
            .iter()
            .zip(before)
            .map(|(target, before)| before.saturating_sub(self.idle(*target)))
            .map(|less| if less > ms(work / 2) { Some(less) } else { None })
            .collect::<Vec<_>>();
        handle.cancel().unwrap();
        Ok(match took[..] {
            [Some(_), None] => Place::Home,
            [None, Some(work)] => Place::Away(work),
            _ => panic!("{took:?}"),
        })
    }
}

/// Away with so much work, but for what a busy machine steals.
fn is_away(place: Result<Place, SubmitError>, work: u32) -> bool {
    matches!(place, Ok(Place::Away(took)) if took >= ms(work) && took < ms(work + 400))
}

#[test]
fn paper_4_a_pool_goes_away_only_if_home_lacks_time_and_another_has_it_for_the_refill_too() {
    let busy = Busy::new(5_000, 0);
    assert_eq!(busy.place(numa(1_000), 2_000, 1), Ok(Place::Home));
    let busy = Busy::new(9_000, 0);
    assert!(is_away(busy.place(numa(1_000), 2_000, 1), 3_000));
    let busy = Busy::new(9_000, 5_000);
    assert!(is_away(busy.place(numa(1_000), 2_000, 1), 3_000));
    // The price decides, and the refusal is by the one with more time beyond it.
    let refused = busy.near(numa(3_500), 2_000, 1).wait().unwrap_err();
    let SubmitError::NotAdmitted(AdmitError::NoRoom { work, idle, .. }) = refused else {
        panic!("{refused}");
    };
    assert!(work == ms(5_500) && idle > ms(4_500) && idle <= ms(5_000), "{refused}");
    let refused = busy.near(numa(9_000), 2_000, 1).wait().unwrap_err();
    let SubmitError::NotAdmitted(AdmitError::NoRoom { work, .. }) = refused else {
        panic!("{refused}");
    };
    assert_eq!(work, ms(2_000), "at home");
    let counts = busy.pool.counts();
    assert_eq!(
        (counts.submitted, counts.refused.all()),
        (5, 2),
        "once each, wherever it is request"
    );
}

#[test]
fn paper_4_a_pool_stays_home_while_a_task_there_uses_the_state() {
    let busy = Busy::new(9_000, 0);
    let refused = busy.near(coma(100), 2_000, 1).wait().unwrap_err();
    assert!(matches!(refused, SubmitError::NotAdmitted(_)), "{refused}");
    assert!(is_away(busy.place(coma(100), 2_000, 2), 2_100));
    // The other way round nobody there uses it.
    let request = Request::by(ms(9_500), busy.deadline).using(1);
    let home = busy.pool.submit_near(AWAY, coma(100), request, |_| Ok(())).wait();
    assert!(home.unwrap().wait() != windfall_ports::pool::Finished::Cancelled);
}

#[test]
fn refuses_a_home_that_is_not_there() {
    let pool = two(|_| ());
    let request = Request::by(ms(1), Pool::now() + ms(50));
    let target = Target { processor: 2, scheduler: 0 };
    let none = SubmitError::NoProcessor { processor: 2, processors: 2 };
    assert_eq!(pool.submit_near(target, numa(1), request, |_| Ok(())).wait().unwrap_err(), none);
}

fn processor() -> Processor {
    let mut processor = Processor::new(Instant::ZERO, 1_000);
    let edf: EarliestDeadline = EarliestDeadline::new(Share::WHOLE, Instant::ZERO, 1_000).unwrap();
    processor.add(edf).unwrap();
    processor
}

fn run_to(processor: &mut Processor, now: Instant) {
    while let Some(running) = processor.running() {
        let left = now.saturating_since(processor.now());
        if left < running.at_most {
            break;
        }
        processor.advance(processor.now() + running.at_most, running.at_most).unwrap();
        let _ = processor.done(running.task).unwrap();
    }
    let left = now.saturating_since(processor.now());
    let received = if processor.running().is_some() { left } else { Span::ZERO };
    processor.advance(now, received).unwrap();
}

/// What members do is what the rule says of their two processors, when nothing happens on the way.
fn follow_the_rule<T: Transport>(ends: Vec<T>) {
    let members = ends.into_iter().map(|end| Member::new(processor(), end, Span::MAX));
    let [mut home, mut away]: [Member<T>; 2] = members.collect::<Vec<_>>().try_into().ok().unwrap();
    let (mut seed, mut counts) = (7_u64, [0; 4]);
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut now = Instant::ZERO;
    for step in 0..4_000 {
        now = now + Span::from_nanos(draw(30));
        run_to(&mut home.processor, now);
        run_to(&mut away.processor, now);
        let refill = Span::from_nanos(draw(20));
        let affinity = match draw(2) {
            0 => Affinity::CcNuma { refill },
            _ => Affinity::CcComa { refill },
        };
        let work = Span::from_nanos(1 + draw(60));
        let request = Request::by(work, now + work + Span::from_nanos(draw(80))).using(draw(6));
        let place = affinity.place(0, &request, &home.processor, &away.processor).unwrap();
        let free = |member: &Member<T>| {
            member.processor.idle_before(0, Instant::from_nanos(1 << 40)).unwrap()
        };
        let before = free(&away);
        let went = home.submit_near(0, affinity, request, (1, Instant::MAX));
        assert!(away.turn().len() < 2);
        let answers = home.turn();
        match (place, went, &answers[..]) {
            (Place::Home, Ok(Some(Near::Home(_))), []) => counts[0] += 1,
            (
                Place::Away(longer),
                Ok(Some(Near::Away(sent))),
                [Event::Outcome(submission, Outcome::Answered(Answer::Admitted(_)))],
            ) => {
                assert_eq!((sent, longer), (*submission, work + refill));
                assert_eq!(before - free(&away), longer, "{step}");
                counts[1] += 1;
            }
            (Place::Nowhere(_), Ok(Some(Near::Away(_))), [Event::Outcome(_, outcome)]) => {
                assert!(matches!(outcome, Outcome::Answered(Answer::NoRoom { .. })), "{outcome:?}");
                counts[2] += 1;
            }
            (Place::Nowhere(_), Err(SubmitError::NotAdmitted(_)), []) => {
                assert!(matches!(affinity, Affinity::CcComa { .. }));
                counts[3] += 1;
            }
            other => panic!("{step}: {other:?}"),
        }
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

#[test]
fn law_members_over_rings_place_tasks_by_the_rule() {
    follow_the_rule(in_process(2, 4));
}

#[test]
fn law_members_over_a_simulated_network_place_tasks_by_the_rule() {
    let network = Network::new(1, Faults::none(Span::ZERO));
    follow_the_rule(vec![network.member(0), network.member(1)]);
}

//! Jobs planned at arrival and blocks beside them, by hand and at random.

use crate::common::{Host, MS, at, conversion, gives, promise, reserve, span};
use proptest::prelude::*;
use windfall_guarantees::{ChildParams, Guarantee, Length, Supply, Type};
use windfall_hierarchy::{AnswerError, HierarchyError, Message, VpState};
use windfall_schedulers::catalogue::Value;
use windfall_time::Ratio;

const KIND: &str = "spring";

fn job(release: u64, deadline: u64, work: u64) -> Message {
    Message::Job { release: at(release), deadline: at(deadline), work: Some(span(work)) }
}

#[test]
fn paper_ramamritham_1990_a_plan_leaves_time_for_what_is_to_come() {
    let mut host = Host::new(1);
    let root = host.root(KIND, &[]);
    host.spin(root, "long", &[job(0, 20 * MS, 4 * MS)]);
    host.spin(root, "short", &[job(MS, 3 * MS, 2 * MS)]);
    host.run_to(20 * MS);
    // The long job had begun at once and would block the way: it is not taken back.
    assert_eq!(host.timeline(0), "0 long, 4 -");
    let later = host.thread(root, "later", &[job(22 * MS, 24 * MS, 2 * MS)]);
    host.spin(root, "again", &[job(20 * MS, 40 * MS, 4 * MS)]);
    host.run_to(22 * MS);
    host.wake(later);
    host.run_to(40 * MS);
    assert_eq!(host.timeline(0), "0 long, 4 -, 22 later, 24 again, 28 -");
}

#[test]
fn paper_hls_2_3_1_2_what_is_guaranteed_stays_so_and_what_is_not_gets_nothing() {
    let mut host = Host::new(1);
    let root = host.root(KIND, &[]);
    let a = host.thread(root, "a", &[job(2, 10, 4)]);
    let b = host.thread(root, "b", &[job(0, 12, 4)]);
    let c = host.thread(root, "c", &[job(0, 10, 3)]);
    for thread in [a, b, c] {
        host.wake(thread);
    }
    host.run_to(20);
    assert_eq!([a, b, c].map(|thread| host.ran(thread)), [4, 4, 0]);
    // The next one finds a place.
    host.tell(c, job(20, 30, 3)).unwrap();
    host.run_to(30);
    assert_eq!(host.ran(c), 3);
    // Work that is not known cannot be planned.
    let unknown = Message::Job { release: at(30), deadline: at(50), work: None };
    assert!(matches!(
        host.tell(c, unknown),
        Err(HierarchyError::Refused(AnswerError::OutOfRange { what: "work", .. }))
    ));
    assert!(host.tell(c, Message::Share(1)).is_err());
}

#[test]
fn paper_kaneko_1996_one_hard_task_serves_all_media_beside_hard_jobs() {
    let mut host = Host::new(1);
    let root = host.root(KIND, &[]);
    let media = host.below(root, "media", "round-robin", &[reserve(3 * MS, 10 * MS)]);
    let (audio, video) = (host.spin(media, "audio", &[]), host.spin(media, "video", &[]));
    let fits = host.spin(root, "fits", &[job(0, 10 * MS, 7 * MS)]);
    let long = host.spin(root, "long", &[job(10 * MS, 90 * MS, 8 * MS)]);
    host.run_to(100 * MS);
    assert_eq!(host.ran(audio) + host.ran(video), 30 * MS);
    assert_eq!((host.ran(fits), host.ran(long)), (7 * MS, 0));
}

#[test]
fn limit_a_reservation_begins_when_the_jobs_before_it_are_done() {
    let mut host = Host::new(1);
    let root = host.root(KIND, &[]);
    let hard = host.spin(root, "hard", &[job(0, 14, 13)]);
    host.run_to(1);
    let a = host.spin(root, "a", &[reserve(4, 10)]);
    host.run_to(60);
    assert_eq!(host.ran(hard), 13);
    // Only the last unit is left of the block that began at 10.
    assert_eq!(host.ran_within(a, 0, 20), 1);
    assert!(host.keeps(a, 20, &promise("RESBH 4ns 10ns")) > 0);
    host.tell(a, Message::Unreserve).unwrap();
    host.run_to(80);
    assert_eq!(host.ran(a), 1 + 16);
}

#[test]
fn limit_who_tells_another_job_makes_room_at_once() {
    let mut host = Host::new(1);
    let root = host.root(KIND, &[]);
    let a = host.spin(root, "a", &[job(10, 20, 3)]);
    let b = host.spin(root, "b", &[job(5, 60, 12)]);
    host.run_to(6);
    assert_eq!(host.on(0), None);
    host.tell(a, job(50, 60, 3)).unwrap();
    assert_eq!(host.on(0), Some(b));
    host.run_to(20);
    assert_eq!((host.ran(a), host.ran(b)), (0, 12));
    host.run_to(60);
    assert_eq!(host.ran(a), 3);
}

#[test]
fn limit_a_child_that_wakes_in_time_has_the_rest_of_its_piece() {
    let mut host = Host::new(1);
    let root = host.root(KIND, &[]);
    let a = host.spin(root, "a", &[job(0, 20, 8)]);
    host.run_to(2);
    host.block(a);
    host.run_to(5);
    host.wake(a);
    host.run_to(30);
    assert_eq!(host.ran(a), 5);
}

#[test]
fn accepts_all_and_not_a_slower_processor() {
    let conversion = conversion(KIND, &[]);
    assert_eq!(conversion.takes(), [Type::All]);
    let params = |(amount, period): (u64, u64)| {
        ChildParams::default().reserve(span(amount * MS), span(period * MS))
    };
    let requested = [(2, 10), (3, 20), (5, 40), (1, 40)].map(params);
    let offers = conversion.give(Supply::of(&[Guarantee::All]), &requested);
    let given: Vec<String> = offers.iter().map(|offer| gives(offer).join(" ")).collect();
    assert_eq!(given, ["RESBH 2ms 10ms", "RESBH 3ms 20ms", "RESBH 5ms 40ms", ""]);
    assert_eq!(
        offers[3].lacks.as_deref().unwrap(),
        "the blocks up to its own, 11ms in total, may not fit into 10ms, the greatest common \
         divisor of their periods; use periods that are multiples of one, or less"
    );
    let half = Guarantee::Slower(Ratio::new(1, 2).unwrap());
    assert!(
        conversion.give(Supply::of(&[half]), &requested).iter().all(|offer| offer.gives.is_empty())
    );
}

#[test]
fn refuses_a_block_that_would_collide_beside_accepts_one_that_does_not() {
    let mut host = Host::new(1);
    let root = host.root(KIND, &[]);
    host.thread(root, "a", &[reserve(3, 10)]);
    assert!(host.try_thread(root, "b", &[reserve(3, 15)]).is_err());
    assert!(host.try_thread(root, "b", &[reserve(0, 15)]).is_err());
    assert!(host.try_thread(root, "b", &[reserve(16, 15)]).is_err());
    host.thread(root, "b", &[reserve(2, 15)]);
}

/// Whether some order of these jobs (release, deadline, work), each begun as early as possible, is in time.
fn feasible(jobs: &[(u64, u64, u64)], from: u64) -> bool {
    jobs.is_empty()
        || (0..jobs.len()).any(|first| {
            let (release, deadline, work) = jobs[first];
            let end = release.max(from) + work;
            let mut rest = jobs.to_vec();
            rest.remove(first);
            end <= deadline && feasible(&rest, end)
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    /// With few jobs no limit is reached, and a plan is found exactly when there is one.
    #[test]
    fn limit_few_jobs_are_admitted_exactly_when_some_order_is_in_time(
        jobs in prop::collection::vec((1_u64..20, 0_u64..15, 1_u64..8), 1..6),
        weight in 0_i64..9,
    ) {
        let mut host = Host::new(1);
        let root = host.root(KIND, &[("weight", Value::Integer(weight))]);
        let jobs: Vec<_> = jobs.iter().map(|(r, slack, w)| (*r, r + w + slack, *w)).collect();
        let mut threads = Vec::new();
        for (release, deadline, work) in &jobs {
            threads.push(host.spin(root, "t", &[job(*release, *deadline, *work)]));
        }
        host.run_to(100);
        let mut admitted = Vec::new();
        for (thread, job) in threads.into_iter().zip(jobs) {
            admitted.push(job);
            let fits = feasible(&admitted, 0);
            prop_assert_eq!(host.ran_within(thread, job.0, job.1), if fits { job.2 } else { 0 });
            if !fits {
                admitted.pop();
            }
        }
    }

    /// C2: a child that sets less takes nothing from others; and offers are admitted.
    #[test]
    fn law_offers_are_monotone_and_admitted(
        shares in prop::collection::vec((1_u64..8, 1_u64..5), 1..6),
        less in (0_usize..7, 0_u64..8),
    ) {
        let conversion = conversion(KIND, &[]);
        let shares: Vec<_> = shares.iter().map(|(x, y)| (*x, 12 * y)).collect();
        let params = |(amount, period): &(u64, u64)| ChildParams::default().reserve(span(*amount), span(*period));
        let who = less.0 % shares.len();
        let mut fewer = shares.clone();
        fewer[who].0 = fewer[who].0.min(less.1);
        let all = [Guarantee::All];
        let many = conversion.give(Supply::of(&all), &shares.iter().map(params).collect::<Vec<_>>());
        let fewer = conversion.give(Supply::of(&all), &fewer.iter().map(params).collect::<Vec<_>>());
        let mut host = Host::new(1);
        let root = host.root(KIND, &[]);
        for child in 0..shares.len() {
            let admitted = host.try_thread(root, "t", &[reserve(shares[child].0, shares[child].1)]);
            prop_assert!(many[child].gives.is_empty() || admitted.is_ok());
            prop_assert!(child == who || many[child].gives.len() <= fewer[child].gives.len());
        }
    }

    /// Reservations are kept and admitted jobs done in time, whatever the others do.
    #[test]
    fn law_every_reservation_is_kept_and_every_admitted_job_is_in_time(
        blocks in prop::collection::vec((1_u64..5, prop::sample::select(vec![12_u64, 18, 24, 36])), 1..4),
        steps in prop::collection::vec((0_usize..8, 0_u64..12, 1_u64..9, 0_u64..50, 0_u8..6), 1..100),
    ) {
        let mut host = Host::new(1);
        let root = host.root(KIND, &[]);
        let mut media = Vec::new();
        for (amount, period) in blocks {
            if let Ok(thread) = host.try_thread(root, "m", &[reserve(amount, period)]) {
                host.wake(thread);
                media.push((thread, amount, period));
            }
        }
        let hard: Vec<_> = (0..4).map(|_| host.spin(root, "h", &[])).collect();
        // Thread, release, deadline, work.
        let mut promised = Vec::new();
        let mut busy = [0; 4];
        for (who, pause, work, slack, what) in steps {
            host.run_for(pause);
            let now = host.now;
            if who < 4 {
                // The next job comes when the last is due, or takes its place.
                if busy[who] <= now || slack % 5 == 0 {
                    let over = |(thread, _, due, _): &(usize, u64, u64, u64)| {
                        *thread != hard[who] || *due <= now
                    };
                    promised.retain(over);
                    let (release, deadline) = (now + work % 3, now + work % 3 + work + slack);
                    busy[who] = deadline;
                    promised.push((hard[who], release, deadline, work));
                    host.tell(hard[who], job(release, deadline, work)).unwrap();
                }
                continue;
            }
            let (thread, amount, period) = media[who % media.len()];
            let waits = host.tree.thread_state(host.threads[thread].id) == Some(VpState::Waiting);
            match what {
                _ if waits => host.wake(thread),
                0 if host.on(0) == Some(thread) => host.yields(thread),
                // A `job` of a child with a reservation has no effect.
                1 => host.tell(thread, job(now, now + 90, work)).unwrap(),
                2 => drop(host.tell(thread, reserve(amount, period))),
                _ => host.block(thread),
            }
        }
        host.run_for(100);
        for (thread, amount, period) in media {
            let (x, y) = (Length::from(span(amount)), Length::from(span(period)));
            host.keeps(thread, 0, &Guarantee::BasicHard(x, y));
        }
        for (thread, release, deadline, work) in promised {
            let ran = host.ran_within(thread, release, deadline);
            prop_assert!(ran == 0 || ran == work, "{ran} of {work} from {release} to {deadline}");
        }
    }
}

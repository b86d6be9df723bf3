//! SMART: importance first, then urgency among what can be done.

use crate::common::{Host, MS, S, T, at, conversion, gives, promise, span};
use proptest::prelude::*;
use windfall_guarantees::{ChildParam, ChildParams, Guarantee, Supply};
use windfall_hierarchy::{Message, NodeId, Processor};
use windfall_schedulers::catalogue::Value;
use windfall_schedulers::kinds;
use windfall_schedulers::parameters;

fn host(bias: u64, quantum: u64) -> (Host, NodeId) {
    let mut host = Host::new(1);
    let settings = [("bias", Value::Span(span(bias))), ("quantum", Value::Span(span(quantum)))];
    let root = host.root("smart", &settings);
    (host, root)
}

/// A job that is due at `due` and needs `work`.
fn job(due: u64, work: u64) -> Message {
    Message::Job { release: at(0), deadline: at(due), work: Some(span(work)) }
}

/// Jobs of this work, due within `period` of waking.
fn rate(work: u64, period: u64) -> Message {
    let (period, amount) = (span(period), Some(span(work)));
    Message::Periodic { period, deadline: period, amount }
}

fn apart(a: u64, b: u64, most: u64) {
    assert!(a.abs_diff(b) <= most, "{a} and {b} are more than {most} apart");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// As under EDF, whatever the shares: the most important leave nobody out when all fits.
    #[test]
    fn law_a_feasible_set_meets_all_deadlines(
        tasks in prop::collection::vec((1_u64..12, 0_usize..3, 0_i32..4, 1_u32..5), 1..8),
    ) {
        // A quantum that never ends together with a job.
        let (mut host, root) = host(50 * MS, 7_000_300);
        let (mut load, mut set) = (0, Vec::new());
        for (work, period, priority, share) in tasks {
            let period = [20, 40, 80][period];
            load += work * 80 / period;
            if load > 80 {
                break;
            }
            let rate = rate(work * MS, period * MS);
            let asks = [rate, Message::Priority(priority), Message::Share(share)];
            set.push((host.cycle(root, "task", &asks, (work * MS, period * MS)), work, period));
        }
        for step in 1..=16 {
            host.run_to(step * 20 * MS);
            for (thread, work, period) in &set {
                if step * 20 % period == 0 {
                    prop_assert!(host.ran(*thread) >= step * 20 / period * work * MS);
                }
            }
        }
    }

    /// Compares with the slow definition at one moment: jobs by priority, all sorted anew for each.
    #[test]
    fn limit_the_first_of_what_can_be_done_of_the_most_important_runs(
        jobs in prop::collection::vec((1_u64..60, 1_u64..25, any::<u32>()), 1..12),
        conventional in prop::option::of(0_i32..12),
    ) {
        let (mut host, root) = host(50 * MS, 10 * MS);
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by_key(|at| (jobs[*at].2, *at));
        let mut threads: Vec<(i32, u64, u64, T)> = Vec::new();
        for (priority, number) in (0..).map(|n| 2 * n + 1).zip(order) {
            let (due, work, _) = jobs[number];
            // A nanosecond makes deadlines distinct.
            let (due, work) = (due * MS + number as u64, work * MS);
            let asks = [Message::Priority(priority), job(due, work)];
            threads.push((priority, due, work, host.spin(root, "job", &asks)));
        }
        let other = conventional.map(|priority| {
            (priority * 2, host.spin(root, "other", &[Message::Priority(priority * 2)]))
        });
        let mut kept: Vec<(u64, u64, T)> = Vec::new();
        for (priority, due, work, thread) in threads.iter().rev() {
            if other.is_some_and(|(least, _)| *priority < least) {
                break;
            }
            let mut with = kept.clone();
            with.push((*due, *work, *thread));
            with.sort_unstable();
            let mut end = 0;
            if with.iter().all(|(due, work, _)| { end += work; end <= *due }) {
                kept = with;
            }
        }
        let first = kept.first().map(|(.., thread)| *thread);
        let most = threads.last().map(|(.., thread)| *thread);
        prop_assert_eq!(host.on(0), first.or(other.map(|(_, thread)| thread)).or(most));
    }

    /// The predicted child runs when the running one blocks.
    #[test]
    fn law_the_next_is_foretold(
        tasks in prop::collection::vec((0_i32..3, prop::option::of((1_u64..60, 1_u64..25))), 2..12),
        pass in 0_u64..40,
    ) {
        let (mut host, root) = host(50 * MS, 10 * MS);
        for (priority, work) in tasks {
            let mut asks = vec![Message::Priority(priority)];
            asks.extend(work.map(|(due, work)| job((pass + due) * MS, work * MS)));
            host.spin(root, "task", &asks);
        }
        host.run_to(pass * MS);
        while let Some(running) = host.on(0) {
            // The prediction is as of the host's last call.
            host.tell(running, Message::Share(1)).unwrap();
            let running = host.on(0).unwrap();
            let foretold = host.tree.peek(Processor(0));
            host.block(running);
            prop_assert_eq!(host.tree.running(Processor(0)), foretold);
        }
    }
}

#[test]
fn law_conventional_children_share_by_weight() {
    let (mut host, root) = host(50 * MS, 10 * MS);
    let two = host.spin(root, "two", &[Message::Share(2)]);
    let one = host.spin(root, "one", &[Message::Share(1)]);
    host.run_to(3 * S);
    apart(host.ran(two), 2 * S, 20 * MS);
    // A child that is added later has no claim to earlier time, nor does it have to wait.
    let late = host.spin(root, "late", &[Message::Share(3)]);
    host.run_to(9 * S);
    apart(host.ran(late), 3 * S, 30 * MS);
    apart(host.ran(one), 2 * S, 20 * MS);
}

#[test]
fn law_a_higher_priority_goes_first_and_times_below_it_stand_still() {
    let (mut host, root) = host(50 * MS, 10 * MS);
    let low = host.spin(root, "low", &[]);
    host.run_to(S);
    let high = host.spin(root, "high", &[Message::Priority(31)]);
    host.run_to(2 * S);
    assert_eq!((host.ran(low), host.ran(high)), (S, S));
    let other = host.spin(root, "other", &[]);
    host.block(high);
    host.run_to(3 * S);
    apart(host.ran(other), S / 2, 20 * MS);
}

#[test]
fn law_whoever_is_given_another_priority_begins_anew_in_it() {
    let (mut host, root) = host(50 * MS, 10 * MS);
    let low = host.spin(root, "low", &[]);
    host.run_to(100 * MS);
    let high = host.spin(root, "high", &[Message::Priority(31)]);
    host.run_to(1100 * MS);
    host.tell(high, Message::Priority(0)).unwrap();
    host.run_to(1300 * MS);
    assert_eq!((host.ran(low), host.ran(high)), (200 * MS, 1100 * MS));
}

#[test]
fn law_a_job_past_its_work_or_its_deadline_is_conventional() {
    // If it still counted as real-time, it would be a second ahead or, with a job that cannot be done, never run.
    for requested in [job(10 * S, MS), job(100 * MS, 5 * S)] {
        let (mut host, root) = host(S, 10 * MS);
        let honest = host.spin(root, "honest", &[]);
        let greedy = host.spin(root, "greedy", &[requested]);
        host.run_to(2 * S);
        apart(host.ran(honest), host.ran(greedy), 20 * MS);
    }
}

#[test]
fn paper_nieh_lam_1997_urgency_decides_among_what_can_be_done() {
    let (mut host, root) = host(50 * MS, 10 * MS);
    // The more important has time; the less important is done first.
    let important = [Message::Priority(2), job(20 * MS, 6 * MS)];
    let important = host.thread(root, "important", &important);
    let urgent = host.thread(root, "urgent", &[Message::Priority(1), job(9 * MS, 4 * MS)]);
    host.wake_for(important, 6 * MS);
    host.wake_for(urgent, 4 * MS);
    // A job that would make the most important one late waits, and is late.
    let costly = [Message::Priority(1), job(8 * MS, 16 * MS)];
    let costly = host.thread(root, "costly", &costly);
    host.wake_for(costly, 16 * MS);
    host.run_to(30 * MS);
    assert_eq!(host.timeline(0), "0 urgent, 4 important, 10 costly, 26 -");
}

#[test]
fn paper_nieh_lam_1997_overload_costs_the_least_important() {
    let (mut host, root) = host(50 * MS, 7_000_300);
    let task = |host: &mut Host, priority, work| {
        let asks = [Message::Priority(priority), rate(work * MS, 20 * MS)];
        host.cycle(root, "task", &asks, (work * MS, 20 * MS))
    };
    let low = task(&mut host, 1, 11);
    let high = task(&mut host, 2, 10);
    let middle = task(&mut host, 2, 5);
    for periods in 1..100 {
        host.run_to(periods * 20 * MS);
        assert_eq!((host.ran(high), host.ran(middle)), (periods * 10 * MS, periods * 5 * MS));
    }
    // It still receives the time that is left over.
    assert_eq!(host.ran(low), 99 * 5 * MS);
}

#[test]
fn law_a_job_that_claims_too_little_soon_counts_for_no_more_than_its_share() {
    let (mut host, root) = host(50 * MS, 10 * MS);
    let honest = host.spin(root, "honest", &[]);
    let greedy = host.spin(root, "greedy", &[rate(MS, 5 * MS)]);
    host.run_to(3 * S);
    apart(host.ran(honest), host.ran(greedy), 30 * MS);
    // Jobs that are announced again and again lead by the bias, no more.
    for step in 0..300 {
        host.tell(greedy, job(3 * S + step * 10 * MS + 5 * MS, MS)).unwrap();
        host.run_to(3 * S + (step + 1) * 10 * MS);
    }
    apart(host.ran(honest), host.ran(greedy), 90 * MS);
}

#[test]
fn limit_a_real_time_child_leads_by_the_bias() {
    let (mut host, root) = host(20 * MS, 10 * MS);
    host.spin(root, "batch", &[]);
    host.run_to(10 * MS);
    let video = host.thread(root, "video", &[job(S, 45 * MS)]);
    host.wake_for(video, 45 * MS);
    host.run_to(80 * MS);
    // At 30 it is 20 ahead, and then they take turns; of equals the lower slot goes first.
    let turns = "0 batch, 10 video, 30 batch, 40 video, 50 batch, 60 video, 70 batch, 80 video";
    assert_eq!(host.timeline(0), turns);
}

#[test]
fn refuses_what_means_nothing_and_accepts_what_does() {
    let (mut host, root) = host(50 * MS, 10 * MS);
    let thread = host.spin(root, "thread", &[Message::Priority(31), Message::Share(1)]);
    for message in [
        Message::Priority(-1),
        Message::Priority(32),
        Message::Share(0),
        Message::Unreserve,
        parameters::warp(span(1)),
    ] {
        assert!(host.tell(thread, message).is_err(), "{message:?}");
    }
    let unknown = Message::Job { release: at(0), deadline: at(S), work: None };
    for message in [Message::Priority(0), Message::Share(u32::MAX), unknown, rate(MS, MS)] {
        assert!(host.tell(thread, message).is_ok(), "{message:?}");
    }
}

#[test]
fn accepts_several_processors_and_uses_one() {
    let mut host = Host::new(2);
    let root = host.top(kinds::SMART);
    let threads = ["a", "b"].map(|name| host.spin(root, name, &[]));
    host.run_to(S);
    assert_eq!((host.on(1), host.ran(threads[0]) + host.ran(threads[1])), (None, S));
}

#[test]
fn paper_hls_table_5_1_null_gives_null() {
    let smart = conversion("smart", &[]);
    for own in ["ALL", "RESU 1/2", "NULL"].map(promise) {
        let children = [ChildParams::default(), ChildParams::default()];
        for offer in smart.give(Supply::of(&[own]), &children) {
            assert_eq!(gives(&offer), gives(&windfall_guarantees::Offer::nothing()));
        }
    }
    assert_eq!(smart.parameter_for(&Guarantee::Null), Ok(ChildParam::Nothing));
    assert!(smart.parameter_for(&promise("PS 1/2")).is_err());
}

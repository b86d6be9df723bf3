//! Reservations with feedback, by hand and at random.

use crate::common::{Host, MS, conversion, gives, promise, reserve, span};
use proptest::prelude::*;
use windfall_guarantees::{ChildParams, Guarantee, Supply};
use windfall_hierarchy::{JournalEvent, Message, NodeId, Note, Target};
use windfall_schedulers::catalogue::Value;
use windfall_schedulers::reservation::RezFb;
use windfall_time::Ratio;

/// The amount with which each period of a thread began, from the journal.
fn reserved(host: &mut Host, thread: usize) -> Vec<u64> {
    let id = host.threads[thread].id;
    let notes = host.tree.drain_journal();
    let begun = notes.filter_map(|entry| match entry.what {
        JournalEvent::Noted {
            note: Note::Reserved(span),
            about: Some(Target::Thread(about)),
            ..
        } => (about == id).then_some(span.as_nanos()),
        _ => None,
    });
    begun.collect()
}

/// A machine on which this much is stolen in each of this many periods of 20 ms, 1 ms after they begin.
fn robbed(settings: &[(&str, Value<'_>)], stolen: u64, periods: u64) -> (Host, NodeId) {
    let mut host = Host::new(1);
    host.stolen = (0..periods).map(|n| (n * 20 * MS + MS, stolen)).collect();
    host.tree.open_journal(10_000, false);
    let root = host.root("rez-fb", settings);
    (host, root)
}

#[test]
fn paper_hls_11_5_3_c_follows_its_equation() {
    let (mut host, root) = robbed(&[], 8 * MS / 10, 4);
    let a = host.spin(root, "a", &[reserve(4 * MS, 20 * MS)]);
    host.run_to(159 * MS);
    let c = reserved(&mut host, a);
    // Half of the missing time, four times; then half of the excess.
    let extra = [0, 400, 600, 700, 750, 375, 188, 94];
    let micros: Vec<u64> = c.iter().map(|c| (c - 4 * MS).div_ceil(1_000)).collect();
    assert_eq!(micros, extra);
}

#[test]
fn paper_hls_11_5_3_a_gain_of_1_makes_good_in_one_period_what_was_stolen_in_the_last() {
    let (mut host, root) = robbed(&[("gain", Value::Integer(1000))], MS, 2);
    let a = host.spin(root, "a", &[reserve(4 * MS, 20 * MS)]);
    host.run_to(79 * MS);
    assert_eq!(reserved(&mut host, a), [4 * MS, 5 * MS, 5 * MS, 4 * MS]);
    assert_eq!(host.ran(a), (3 + 4 + 5 + 4) * MS);
}

#[test]
fn limit_a_thread_that_blocks_early_has_lost_nothing() {
    let mut host = Host::new(1);
    host.tree.open_journal(10_000, false);
    let root = host.top(RezFb::default().gain(1000));
    let a = host.cycle(root, "a", &[reserve(4 * MS, 20 * MS)], (MS, 20 * MS));
    host.run_to(990 * MS);
    assert_eq!(reserved(&mut host, a), [4 * MS; 50], "P < R, and nothing was stolen");
}

#[test]
fn limit_c_stops_at_what_admission_leaves_and_no_neighbour_pays() {
    // Half of each period is stolen from a, which could use 12 ms; b has 8 of 20, and 90 % may be reserved.
    let settings = [("admission", Value::Integer(900))];
    let (mut host, root) = robbed(&settings, 10 * MS, 50);
    let a = host.spin(root, "a", &[reserve(4 * MS, 20 * MS)]);
    let b = host.spin(root, "b", &[reserve(8 * MS, 20 * MS)]);
    host.run_to(999 * MS);
    assert!(reserved(&mut host, a).iter().all(|c| (4 * MS..=10 * MS).contains(c)));
    let full: Vec<u64> =
        (40..49).map(|n| host.ran_within(b, n * 20 * MS, (n + 1) * 20 * MS)).collect();
    assert!(full.iter().all(|had| *had >= 8 * MS), "{full:?}");
}

#[test]
fn limit_who_comes_begins_when_what_was_lent_has_been_given_back() {
    let (mut host, root) = robbed(&[("gain", Value::Integer(1000))], 6 * MS, 1);
    let a = host.spin(root, "a", &[reserve(8 * MS, 20 * MS)]);
    host.run_to(21 * MS);
    // a has 14 of 20 until 40; b's 12 of 20 fit beside the 8 that are promised, and begin then.
    let b = host.spin(root, "b", &[reserve(12 * MS, 20 * MS)]);
    let c = host.try_thread(root, "c", &[reserve(1, 20 * MS)]);
    assert!(c.is_err(), "all is promised");
    host.run_to(100 * MS);
    assert_eq!(host.ran_within(b, 0, 40 * MS), 0);
    for period in 2..5 {
        let ran = |thread| host.ran_within(thread, period * 20 * MS, (period + 1) * 20 * MS);
        assert_eq!((ran(a), ran(b)), (8 * MS, 12 * MS));
    }
}

#[test]
fn limit_a_change_begins_anew() {
    let (mut host, root) = robbed(&[], 2 * MS, 3);
    let a = host.spin(root, "a", &[reserve(4 * MS, 20 * MS)]);
    host.run_to(45 * MS);
    host.tell(a, reserve(5 * MS, 20 * MS)).unwrap();
    host.run_to(70 * MS);
    assert_eq!(reserved(&mut host, a), [4 * MS, 5 * MS, 55 * MS / 10, 5 * MS]);
}

#[test]
fn accepts_soft_reservations_beside_refuses_hard_ones() {
    let conversion = conversion("rez-fb", &[("admission", Value::Integer(850))]);
    assert!(conversion.parameter_for(&promise("RESBS 4ms 20ms")).is_ok());
    assert!(conversion.parameter_for(&promise("RESBH 4ms 20ms")).is_err(), "it may receive more");
    let params = |amount| ChildParams::default().reserve(span(amount * MS), span(20 * MS));
    let offers =
        conversion.give(Supply::of(&[Guarantee::All]), &[params(10), params(7), params(1)]);
    assert_eq!(gives(&offers[0]), ["RESBS 10ms 20ms"]);
    assert_eq!(gives(&offers[1]), ["RESBS 7ms 20ms"]);
    assert!(offers[2].lacks.as_deref().is_some_and(|lacks| lacks.contains("nothing is left")));
}

/// A thread's reservation: amount and period, when its first period began, and the amount reserved for the period
/// that ends at `end`.
#[derive(Clone, Copy)]
struct Reserved {
    thread: usize,
    amount: u64,
    period: u64,
    since: Option<u64>,
    end: u64,
    reserved: u64,
}

/// Reads the journal: the amount with which the current period of each thread began.
fn update(host: &mut Host, all: &mut [Reserved]) -> Result<(), TestCaseError> {
    let begun: Vec<_> = host
        .tree
        .drain_journal()
        .filter_map(|entry| match entry.what {
            JournalEvent::Noted {
                note: Note::Reserved(c),
                about: Some(Target::Thread(id)),
                ..
            } => Some((id, entry.at.as_nanos(), c.as_nanos())),
            _ => None,
        })
        .collect();
    for (id, now, c) in begun {
        for slot in all.iter_mut().filter(|slot| host.threads[slot.thread].id == id) {
            prop_assert!((slot.amount..=slot.period).contains(&c));
            let since = *slot.since.get_or_insert(now);
            slot.end = now + slot.period - (now - since) % slot.period;
            slot.reserved = c;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// With any stolen time, C is never less than the requested amount, the sum of all C is never more than
    /// `admission`, and a child that never waits holds the processor at least as long as it requested in each of
    /// its periods, whatever others are lent.
    #[test]
    fn law_c_lies_between_what_was_asked_for_and_admission(
        shares in prop::collection::vec((1_u64..30, 5_u64..60, 0_u64..300), 1..16),
        gaps in prop::collection::vec((1_u64..40, 1_u64..20), 0..60),
        admission in 500_i64..=1000,
        gain in 1_i64..=1000,
        naps in prop::collection::vec((1_usize..6, 1_u64..30, 0_u8..6), 0..40),
    ) {
        let mut host = Host::new(1);
        host.tree.open_journal(10_000, false);
        let mut now = 0;
        for (gap, cost) in gaps {
            host.stolen.push((now + gap, cost));
            now += gap + cost;
        }
        let share = |part: u64, of: u64| Ratio::new(part.into(), of.into()).unwrap();
        let settings = [("admission", Value::Integer(admission)), ("gain", Value::Integer(gain))];
        let root = host.root("rez-fb", &settings);
        let (mut all, mut gone): (Vec<Reserved>, Vec<Reserved>) = (Vec::new(), Vec::new());
        let mut coming = shares;
        coming.sort_by_key(|(_, _, start)| *start);
        let mut naps = naps.into_iter();
        let mut asleep: Option<(usize, u64)> = None;
        let mut had = 0;
        for end in 0..500_u64 {
            host.run_to(end);
            while coming.first().is_some_and(|(_, _, start)| *start <= end) {
                let (amount, period, _) = coming.remove(0);
                let name = format!("t{}", host.threads.len());
                let amount = amount.min(period);
                if let Ok(thread) = host.try_thread(root, &name, &[reserve(amount, period)]) {
                    all.push(Reserved { thread, amount, period, since: None, end: 0, reserved: 0 });
                    host.wake(thread);
                }
            }
            // All but the first sleep at times, or exit.
            if let Some((who, _)) = asleep.filter(|(_, until)| *until <= end) {
                host.wake(who);
                asleep = None;
            } else if asleep.is_none() && end % 3 == 0 && all.len() > 1
                && let Some((who, long, goes)) = naps.next()
            {
                let at = 1 + who % (all.len() - 1);
                if all[at].since.is_none() {
                    // The beginning of its periods could not be seen if it was asleep then.
                } else if goes == 0 {
                    let slot = all.remove(at);
                    host.exit(slot.thread);
                    gone.extend((slot.reserved > slot.amount).then_some(slot));
                } else {
                    host.block(all[at].thread);
                    asleep = Some((all[at].thread, end + long));
                }
            }
            update(&mut host, &mut all)?;
            let mut sum = Ratio::ZERO;
            // A child that sleeps through the end of a period has nothing until it wakes; a loan to a child that
            // has exited may have been used until its period ends.
            for slot in all.iter().chain(&gone).filter(|slot| slot.end > end) {
                sum = sum.checked_add(share(slot.reserved, slot.period)).unwrap();
            }
            prop_assert!(sum <= share(admission.unsigned_abs(), 1000), "{} at {}", sum, end);
            if let Some(first) = all.first()
                && let Some(since) = first.since
                && end > since
                && (end - since).is_multiple_of(first.period)
            {
                let ran = host.ran_within(first.thread, end - first.period, end);
                prop_assert!(ran >= first.amount, "{} by {}: {}", ran, end, host.timeline(0));
                had += 1;
            }
        }
        prop_assert!(all.is_empty() || had > 0);
    }
}

#[test]
fn accepts_reserve_and_unreserve_and_nothing_else() {
    let (mut host, root) = robbed(&[], 2 * MS, 10);
    let a = host.spin(root, "a", &[reserve(4 * MS, 20 * MS)]);
    host.run_to(50 * MS);
    assert!(host.tell(a, Message::Share(1)).is_err());
    host.tell(a, Message::Unreserve).unwrap();
    // Nothing stays lent: all of the processor can be promised.
    host.tell(a, reserve(MS, MS)).unwrap();
    host.run_to(200 * MS);
    assert!(host.ran(a) > 0);
}

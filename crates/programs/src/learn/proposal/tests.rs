use super::*;
use crate::learn::{Activation, Cause, LearnedThread, LeftOut, Note, Wanted};
use crate::program::{Recorded, RecordedStep};
use windfall_time::Instant;
use windfall_trace::ThreadId;

/// A thread that is woken `count` times, `gap_us` apart, to compute `work_us`.
fn thread(id: u32, name: &str, count: u64, gap_us: u64, work_us: u64) -> LearnedThread {
    let us = |n: u64| Span::from_micros(n).unwrap();
    let each = |i: u64| Activation {
        at: Instant::ZERO + us(i * gap_us),
        by: Cause::Other,
        work: us(work_us),
    };
    let steps = vec![RecordedStep::Run(us(work_us * count))];
    LearnedThread {
        trace_thread: ThreadId(id),
        name: name.to_owned(),
        tid: 100 + id,
        pid: 100,
        of_command: false,
        recorded: Recorded { start: Instant::ZERO, steps },
        activations: (0..count).map(each).collect(),
        jobs: Vec::new(),
        unknown: Span::ZERO,
    }
}

fn learned() -> Learned {
    let threads = vec![
        thread(0, "cc1", 1, 1, 900_000),
        thread(1, "audio", 100, 10_000, 1_001),
        thread(2, "video", 30, 33_333, 5_000),
        thread(3, "cc1", 2, 500_000, 400_000),
        thread(4, "few", 5, 10_000, 10),
        thread(5, "hog", 20, 10_000, 9_000),
    ];
    Learned { threads, processors: 2, length: Span::from_secs(1), ..Learned::default() }
}

#[test]
fn law_reservations_come_first_then_who_computed_most() {
    let proposal = Proposal::new(&learned(), Options::default());
    let order: Vec<_> = proposal.rows.iter().map(|row| row.tid).collect();
    assert_eq!(order, [102, 101, 100, 103, 105, 104]);
    assert!(proposal.rows[2..].iter().all(|row| row.parent == Parent::TimeSharing));
    assert_eq!(proposal.rows[5].habit.note, Note::TooFewPeriods);
    assert!(matches!(proposal.rows[0].parent, Parent::Reservation { .. }));
}

#[test]
fn law_an_amount_is_the_greatest_need_with_its_margin_rounded_up() {
    let proposal = Proposal::new(&learned(), Options::default());
    let Parent::Reservation { amount, period, soft, .. } = proposal.rows[1].parent else {
        panic!("audio has no reservation")
    };
    // 1001 us x 6/5 = 1201.2 us.
    assert_eq!(amount, Span::from_micros(1_202).unwrap());
    assert_eq!((period, soft), (Span::from_millis(10), true));
    let hard = Options { hard: true, margin: Ratio::ONE, ..Options::default() };
    let proposal = Proposal::new(&learned(), hard);
    let audio = proposal.rows.iter().find(|row| row.name == "audio").unwrap();
    let Parent::Reservation { amount, soft, .. } = audio.parent else {
        panic!("audio has no reservation")
    };
    assert_eq!((amount, soft), (Span::from_micros(1_001).unwrap(), false));
}

#[test]
fn law_the_share_is_the_sum_of_the_reservations() {
    let proposal = Proposal::new(&learned(), Options::default());
    // 6000/33333 + 1202/10000, rounded up to millionths.
    assert_eq!(proposal.share, Ratio::new(180_002 + 120_200, 1_000_000).unwrap());
}

#[test]
fn r0013_a_need_beyond_the_period_is_not_reserved_for() {
    let proposal = Proposal::new(&learned(), Options::default());
    let hog = proposal.rows.iter().find(|row| row.name == "hog").unwrap();
    let (amount, period) = (Span::from_micros(10_800).unwrap(), Span::from_millis(10));
    assert_eq!(hog.left_out, Some(LeftOut::TooMuch(Wanted { amount, period })));
    assert_eq!(hog.parent, Parent::TimeSharing);
}

#[test]
fn r0013_what_is_reserved_fits_and_the_least_sure_goes_without() {
    let mut learned = learned();
    learned.threads = (0..5).map(|id| thread(id, "t", 100, 10_000, 3_500)).collect();
    // One of them misses two of its periods.
    for late in [20, 40] {
        let at = &mut learned.threads[1].activations[late].at;
        *at = *at + Span::from_millis(3);
    }
    let proposal = Proposal::new(&learned, Options::default());
    // 3500 us x 6/5 of 10 ms: two of them fit in 9/10 of a processor, four on two.
    let without: Vec<_> = proposal.rows.iter().filter(|row| row.left_out.is_some()).collect();
    assert_eq!(without.iter().map(|row| row.tid).collect::<Vec<_>>(), [101]);
    assert!(matches!(without[0].left_out, Some(LeftOut::NoRoom(_))));
    assert_eq!(proposal.share, Ratio::new(4 * 420_000, 1_000_000).unwrap());
}

#[test]
fn law_a_doubtful_period_gets_no_reservation() {
    let sure = Options { confidence: Ratio::ONE, ..Options::default() };
    let mut learned = learned();
    for i in [20, 40] {
        learned.threads[1].activations[i].at =
            learned.threads[1].activations[i].at + Span::from_millis(3);
    }
    let shares = |proposal: &Proposal| {
        let audio = proposal.rows.iter().find(|row| row.name == "audio");
        audio.map(|row| row.parent == Parent::TimeSharing)
    };
    assert_eq!(shares(&Proposal::new(&learned, sure)), Some(true));
    assert_eq!(shares(&Proposal::new(&learned, Options::default())), Some(false));
}

#[test]
fn law_threads_of_the_kernel_and_the_recorder_get_no_reservation_and_take_no_room() {
    let mut learned = learned();
    learned.threads[1].name = "kdamond.0".to_owned();
    let proposal = Proposal::new(&learned, Options::default());
    let kernel = proposal.rows.iter().find(|row| row.tid == 101).unwrap();
    assert_eq!(kernel.parent, Parent::TimeSharing);
    assert!(matches!(kernel.left_out, Some(LeftOut::Kernel(_))), "{kernel:?}");
    learned.threads[1].name = "windfall".to_owned();
    let recorded = Proposal::new(&learned, Options::default());
    let recorder = recorded.rows.iter().find(|row| row.tid == 101).unwrap();
    assert_eq!((recorder.parent, recorded.share), (Parent::TimeSharing, proposal.share));
    assert!(matches!(recorder.left_out, Some(LeftOut::Recorder(_))), "{recorder:?}");
    let video = proposal.rows.iter().find(|row| row.tid == 102).unwrap();
    let Parent::Reservation { amount, period, .. } = video.parent else { panic!("a promise") };
    assert_eq!(
        proposal.share.numerator() * 1_000_000 / proposal.share.denominator(),
        Wanted { amount, period }.share().cast_signed()
    );
}

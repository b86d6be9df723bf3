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
    let text = proposal.to_string();
    let why = "10.800ms in 10.000ms is more than may be reserved of a processor";
    let line = text.lines().find(|line| line.starts_with("hog 105")).unwrap();
    assert!(line.contains("time-sharing") && line.ends_with(why), "{text}");
    let foot = "1 periodic threads are not reserved for: at most 0.90 of each processor is";
    assert!(text.contains(foot), "{text}");
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
    assert!(proposal.to_string().contains("4.200ms in 10.000ms has no room beside surer ones"));
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
    assert!(Proposal::new(&learned, sure).to_string().contains("perhaps 10.000ms (0.97)"));
}

#[test]
fn law_the_table_reads_as_it_should() {
    let mut learned = learned();
    learned.threads.pop();
    learned.threads[1].unknown = Span::from_millis(3);
    let text = Proposal::new(&learned, Options::default()).to_string();
    let expected = "\
THREAD     PERIOD         CONF  NEED p50/p99/max                         SUGGEST                NOTE
video 102  33.333ms ±0us  1.00  5.000 / 5.000 / 5.000 ms                 6.000ms/33.333ms soft  29 periods
audio 101  10.000ms ±0us  1.00  1.001 / 1.001 / 1.001 ms                 1.202ms/10.000ms soft  99 periods, 3.000ms unknown
cc1 x 2    -              -     900.000 / 900.000 / 900.000 ms per wake  time-sharing           too few periods, 3 wake-ups, 1.700s in all
few 104    -              -     0.010 / 0.010 / 0.010 ms per wake        time-sharing           too few periods, 5 wake-ups, 50us in all
margin: max x 1.20, rounded up to 1us; 2 reservations ask for 0.30 of 2 processors; recorded 1.000s, 0 gaps
";
    assert_eq!(text, expected);
}

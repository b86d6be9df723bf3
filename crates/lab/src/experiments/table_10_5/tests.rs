use super::*;

fn found(percent: f64) -> Found {
    let (frames, longest) = (percent, LIMIT);
    Found { percent, frames, gaps: 0, late: 0, others: 0.0, longest, stolen: 0.0 }
}

#[test]
fn accepts_a_hard_reservation_and_a_tick_more() {
    for percent in [29.7, 30.3, 32.6, 33.3] {
        assert_eq!(contradicts(&CASES[0], &found(percent), false), None, "{percent}");
    }
}

#[test]
fn refuses_a_hard_reservation_beyond_the_tolerance_of_the_claim() {
    for percent in [29.6, 33.4, 67.3] {
        assert!(contradicts(&CASES[0], &found(percent), false).is_some(), "{percent}");
    }
    assert!(EXPERIMENT.claim.contains("29.7 to 33.3 %"));
}

#[test]
fn limit_a_run_of_30_seconds_has_room_for_909_misses() {
    let room = Span::from_secs(30).checked_div(LIMIT).unwrap_or(0);
    let beyond = CASES.iter().filter(|case| u64::from(case.misses) > room);
    assert_eq!(beyond.map(|case| case.misses).collect::<Vec<_>>(), [985]);
    for case in &CASES {
        let late = simulate(case, Span::from_secs(30)).map(|found| found.late);
        assert!(late.as_ref().is_ok_and(|late| *late <= room), "{case:?}: {late:?}");
    }
}

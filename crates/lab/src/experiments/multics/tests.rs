//! The memo's column, and how real threads decide.

use super::*;

#[test]
fn paper_the_column_is_what_the_memo_prints() {
    let columns: Vec<_> = paper().map(|(_, figures)| printed(figures)).collect();
    let expected = [
        "877 to 911",
        "1379 to 1407",
        "1277",
        "230",
        "-",
        "237",
        "227 to 231",
        "235",
        "1454 to 1511",
    ];
    assert_eq!(columns, expected);
    assert_eq!((off(1_389.0, &[1_379.0, 1_407.0]), off(303.0, &[])), (Some(0.0), None));
    assert_eq!(off(200.0, &[250.0, 400.0]), Some(-20.0));
}

#[test]
fn law_real_threads_decide_by_themselves() {
    let sample = |step, us| Sample { step, us, circled: false };
    let of = |wait: f64| Measured {
        place: Place::Threads,
        samples: vec![
            sample(1, 1.0),
            sample(2, 1.7),
            sample(8, 0.1),
            sample(9, 0.2),
            sample(10, wait),
            sample(15, 0.1),
            sample(16, 0.1),
        ],
        metering: 0.0,
        run_outs: Vec::new(),
        notified: vec![(1, 2.0), (2, 3.0), (4, 5.0)],
        disturbed: Vec::new(),
    };
    assert_eq!(of_a_real_machine(&of(1.7)), Vec::<String>::new());
    assert_eq!(of_a_real_machine(&of(0.15)).len(), 1);
}

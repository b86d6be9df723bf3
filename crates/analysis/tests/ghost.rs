//! The ghost task: the dissertation's numbers, and its agreement with the periodic resource model.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use proptest::prelude::*;
use std::path::Path;
use windfall_analysis::UnboundedError;
use windfall_analysis::ghost::Ghost;
use windfall_analysis::{
    AmountError, Resource, Supply, SupplyError, Task, fixed_priority, local_fixed_priority,
    resource_fixed_priority,
};
use windfall_time::Span;

fn us(n: u64) -> Span {
    Span::from_micros(n).unwrap()
}

fn ns(n: u64) -> Span {
    Span::from_nanos(n)
}

/// Threads by period and amount in milliseconds, as the dissertation lists them.
fn threads<const N: usize>(list: [(u32, u32); N]) -> Vec<Task> {
    let ms = Span::from_millis;
    list.into_iter().map(|(period, amount)| Task::implicit(ms(amount), ms(period))).collect()
}

/// Table 6.1.
fn media_player() -> Vec<Task> {
    threads([(10, 1), (45, 2), (100, 4), (100, 3), (500, 7), (2000, 25)])
}

#[test]
fn paper_figure_6_1_three_threads_fit_in_1100_us_each_5_ms() {
    let tasks = threads([(10, 1), (20, 1), (100, 5)]);
    let responses = Ghost::Basic.response_times(&tasks, us(1_100), us(5_000));
    assert_eq!(responses, [us(8_800), us(18_600), us(98_000)].map(Ok));
    let least = Ghost::Basic.least_amount(&tasks, us(5_000), us(1));
    assert_eq!(least, Ok(us(1_053)));
    assert_eq!(Ghost::Basic.schedulable(&tasks, us(1_053), us(5_000)), Ok(true));
    assert_eq!(Ghost::Basic.schedulable(&tasks, us(1_052), us(5_000)), Ok(false));
}

#[test]
fn paper_table_6_1_the_knee_is_at_1500_us_each_6_ms() {
    let tasks = media_player();
    assert_eq!(Ghost::Basic.schedulable(&tasks, us(1_500), us(6_000)), Ok(true));
    assert_eq!(Ghost::Basic.schedulable(&tasks, us(1_490), us(6_000)), Ok(false));
    let least = |period| Ghost::Basic.least_amount(&tasks, us(period), us(1));
    assert_eq!(least(6_000), Ok(us(1_500)));
    // Beyond the knee the gap decides: 2 (period - amount) is 9 ms.
    for period in (6_000..20_000).step_by(250) {
        assert_eq!(least(period), Ok(us(period - 4_500)), "{period} us");
    }
}

#[test]
fn reference_media_player_line_by_line() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/ghost_media_player.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let head = "period_ms,min_amount_ms_ghost,utilization_ghost,min_amount_ms_prm,utilization_prm";
    assert_eq!(lines.next(), Some(head));
    let span = |field: &str| format!("{field}ms").parse::<Span>().unwrap();
    let (tasks, mut count) = (media_player(), 0);
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let period = span(fields[0]);
        let ghost = Ghost::Basic.least_amount(&tasks, period, us(1));
        assert_eq!(ghost, Ok(span(fields[1])), "{line}");
        let resource = Resource::periodic(period).unwrap();
        let model = resource_fixed_priority::least_amount(&tasks, &resource, us(1));
        assert_eq!(model, Ok(span(fields[3])), "{line}");
        count += 1;
    }
    assert_eq!(count, 39);
}

#[test]
fn paper_two_times_forty_percent_under_rate_monotonic_depends_on_the_periods() {
    // Section 8.4.4.1 says so of two reservations alone. On a whole processor it is not true: two times
    // 2/5 is below the bound of Liu and Layland for two tasks, 0.828. It is true beside a third
    // reservation, or of a scheduler that holds a reservation itself.
    let near = threads([(10, 4), (15, 6)]);
    let multiple = threads([(10, 4), (20, 8)]);
    assert_eq!([&near, &multiple].map(|tasks| fixed_priority::schedulable(tasks)), [Ok(true); 2]);
    let fits = |tasks: &[Task]| Ghost::Basic.schedulable(tasks, us(900), us(1_000)) == Ok(true);
    assert!(fits(&multiple));
    assert!(!fits(&near));
}

#[test]
fn paper_two_times_five_twelfths_depend_on_the_periods_of_a_whole_processor() {
    let task = |amount, period| Task::implicit(us(amount), us(period));
    assert_eq!(fixed_priority::schedulable(&[task(5_000, 12_000), task(10_000, 24_000)]), Ok(true));
    assert_eq!(fixed_priority::schedulable(&[task(5_000, 12_000), task(7_100, 17_040)]), Ok(false));
}

#[test]
fn refuses_an_amount_above_the_period() {
    let tasks = threads([(10, 1)]);
    assert_eq!(
        Ghost::Basic.response_times(&tasks, us(6), us(5)),
        [Err(UnboundedError::OutOfRange)]
    );
    assert_eq!(Ghost::Basic.task(us(6), us(5)), Err(SupplyError::AmountTooLarge));
    let refused = Ghost::Basic.schedulable(&tasks, us(6), us(5));
    assert_eq!(refused, Err(UnboundedError::OutOfRange));
    assert_eq!(Ghost::Basic.least_amount(&tasks, us(5), Span::ZERO), Err(AmountError::ZeroGranule));
    assert_eq!(Ghost::Basic.least_amount(&tasks, Span::ZERO, us(1)), Err(AmountError::ZeroPeriod));
    let over = threads([(10, 11)]);
    assert_eq!(Ghost::Basic.least_amount(&over, us(5), us(1)), Err(AmountError::NotEnough));
}

#[test]
fn accepts_an_amount_equal_to_the_period() {
    let tasks = media_player();
    let alone = fixed_priority::response_times(&tasks);
    assert_eq!(Ghost::Basic.response_times(&tasks, us(5), us(5)), alone);
    assert_eq!(Ghost::NonPreemptive.response_times(&tasks, us(5), us(5)), alone);
}

/// Tasks with any deadlines and jitters, and a reservation, none of them large.
fn any_case() -> impl Strategy<Value = (Vec<Task>, u64, u64)> {
    let task = (1..20_u64, 10..200_u64, 1..300_u64, 0..40_u64)
        .prop_map(|(c, t, d, j)| Task::implicit(ns(c), ns(t)).deadline(ns(d)).jitter(ns(j)));
    let pair = (2..60_u64).prop_flat_map(|y| (1..y, Just(y)));
    (prop::collection::vec(task, 1..5), pair).prop_map(|(tasks, (x, y))| (tasks, x, y))
}

proptest! {
    #[test]
    fn law_two_times_forty_percent_always_fit_a_whole_processor(a in 1..10_000_u64, b in 1..10_000_u64) {
        let task = |unit: u64| Task::implicit(ns(2 * unit), ns(5 * unit));
        prop_assert_eq!(fixed_priority::schedulable(&[task(a.min(b)), task(a.max(b))]), Ok(true));
    }

    #[test]
    fn law_response_times_beside_a_ghost_are_those_under_its_supply((tasks, x, y) in any_case()) {
        let pairs = [(Ghost::Basic, Supply::basic(ns(x), ns(y))),
            (Ghost::NonPreemptive, Supply::continuous(ns(x), ns(y)))];
        for (ghost, supply) in pairs {
            let beside = ghost.response_times(&tasks, ns(x), ns(y));
            let under = local_fixed_priority::response_times(&tasks, &supply.unwrap());
            for (beside, under) in beside.iter().zip(&under) {
                // At exactly the full rate a ghost with jitter leaves a backlog for ever, and the
                // analysis of a whole processor gives up.
                prop_assert!(beside.is_err() || beside == under, "{:?} {:?}", beside, under);
            }
        }
    }

    #[test]
    fn law_the_least_amount_is_that_of_the_periodic_resource((tasks, _, y) in any_case()) {
        let constrain = |t: Task| t.deadline(t.deadline.min(t.period));
        let tasks: Vec<Task> = tasks.into_iter().map(constrain).collect();
        for granule in [1, 3] {
            let models = [(Ghost::Basic, Resource::periodic(ns(y))),
                (Ghost::NonPreemptive, Resource::continuous(ns(y)))];
            for (ghost, resource) in models {
                let found = ghost.least_amount(&tasks, ns(y), ns(granule));
                let resource = resource.unwrap();
                let model = resource_fixed_priority::least_amount(&tasks, &resource, ns(granule));
                prop_assert_eq!(found.ok(), model.ok());
            }
        }
    }
}

//! Redundant modules: formulas of the literature come out of the chain, and it refuses what cannot be.

use windfall_reliability::{Redundancy, RedundancyError};

const RATE: f64 = 0.002;

fn single(seconds: f64) -> f64 {
    (-RATE * seconds).exp()
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-11
}

#[test]
fn limit_triple_redundancy_is_3r2_less_2r3() {
    let triple = Redundancy::new(3, RATE).unwrap();
    for seconds in [0.0, 1.0, 10.0, 100.0, 346.573_590_279_972_6, 1_000.0, 1e5] {
        let r = single(seconds);
        let found = triple.reliability(seconds).unwrap();
        assert!(close(found, 3.0 * r * r - 2.0 * r * r * r), "{seconds}: {found}");
    }
    assert!((triple.mean_seconds() - 5.0 / (6.0 * RATE)).abs() < 1e-9);
}

#[test]
fn limit_triple_redundancy_is_no_better_once_a_module_works_at_one_half() {
    let triple = Redundancy::new(3, RATE).unwrap();
    let crossover = triple.crossover_seconds().unwrap().unwrap();
    assert!((crossover - core::f64::consts::LN_2 / RATE).abs() < 1e-6, "{crossover}");
    assert!(close(single(crossover), 0.5));
    // Five modules cross there as well; one is never better than itself; repair keeps three better.
    let five = Redundancy::new(5, RATE).unwrap().crossover_seconds().unwrap().unwrap();
    assert!((five - crossover).abs() < 1e-6);
    assert_eq!(Redundancy::new(1, RATE).unwrap().crossover_seconds(), Ok(None));
    let repaired = triple.repair(1.0, 1).unwrap();
    assert_eq!(repaired.crossover_seconds(), Ok(None));
}

#[test]
fn limit_repair_makes_the_mean_five_rates_and_the_repair_by_six_rates_squared() {
    for repair in [0.0, 0.001, 0.1, 10.0] {
        let triple = Redundancy::new(3, RATE).unwrap().repair(repair, 1).unwrap();
        let known = (5.0 * RATE + repair) / (6.0 * RATE * RATE);
        assert!((triple.mean_seconds() / known - 1.0).abs() < 1e-12);
    }
}

#[test]
fn limit_hot_spares_are_the_hybrid_of_mathur_and_avizienis() {
    for spares in 0_u8..=4 {
        let hybrid = Redundancy::new(3, RATE).unwrap().spares(spares, RATE).unwrap();
        for seconds in [1.0, 100.0, 500.0, 2_000.0] {
            let r = single(seconds);
            let more = f64::from(spares) + 2.0;
            let known = 1.0 - (1.0 - r).powf(more) * (1.0 + r * more);
            let found = hybrid.reliability(seconds).unwrap();
            assert!(close(found, known), "{spares} {seconds}: {found} {known}");
        }
    }
}

#[test]
fn law_the_mean_is_the_integral_of_the_reliability() {
    let system = Redundancy::new(3, RATE).unwrap().spares(2, RATE / 10.0).unwrap();
    let system = system.repair(RATE * 2.0, 2).unwrap();
    // Simpson's rule over 30 means.
    let (parts, end) = (3_000, 30.0 * system.mean_seconds());
    let step = end / f64::from(parts);
    let mut sum = 0.0;
    for part in 0..=parts {
        let factor = if part == 0 || part == parts { 1.0 } else { f64::from(2 + 2 * (part % 2)) };
        sum += factor * system.reliability(f64::from(part) * step).unwrap();
    }
    let integral = sum * step / 3.0;
    assert!((integral / system.mean_seconds() - 1.0).abs() < 1e-6, "{integral}");
}

#[test]
fn law_spares_and_repair_only_help_and_reliability_only_falls() {
    let triple = Redundancy::new(3, RATE).unwrap();
    let mut last = [1.0; 3];
    for step in 1..100 {
        let seconds = f64::from(step) * 20.0;
        let spared = triple.spares(1, RATE).unwrap();
        let now = [triple, spared, spared.repair(RATE, 1).unwrap()]
            .map(|system| system.reliability(seconds).unwrap());
        assert!(now[0] < now[1] && now[1] < now[2]);
        assert!(now.iter().zip(last).all(|(now, last)| *now < last));
        last = now;
    }
}

#[test]
fn law_a_crew_helps_only_where_it_has_something_to_repair() {
    let mean = |system: Redundancy, crews: u8| system.repair(RATE, crews).unwrap().mean_seconds();
    let triple = Redundancy::new(3, RATE).unwrap();
    assert_eq!(mean(triple, 1), mean(triple, 2));
    let spared = triple.spares(1, 0.0).unwrap();
    assert!(mean(spared, 2) > mean(spared, 1) * 1.05);
    assert_eq!(mean(spared, 2), mean(spared, 3));
}

#[test]
fn refuses_modules_rates_and_times_that_cannot_be() {
    let triple = Redundancy::new(3, RATE).unwrap();
    assert_eq!(Redundancy::new(0, RATE), Err(RedundancyError::Modules { replicas: 0, spares: 0 }));
    assert_eq!(triple.spares(62, 0.0), Err(RedundancyError::Modules { replicas: 3, spares: 62 }));
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Redundancy::new(3, rate).unwrap_err().to_string();
        assert!(error.contains("failure rate") && error.contains("allowed"), "{error}");
    }
    assert!(triple.spares(1, -1.0).is_err() && triple.repair(f64::NAN, 1).is_err());
    assert_eq!(triple.repair(1.0, 0), Err(RedundancyError::NoCrew));
    assert!(triple.reliability(-1.0).is_err() && triple.reliability(f64::NAN).is_err());
    let stiff = triple.repair(1e6, 1).unwrap();
    assert!(matches!(stiff.reliability(1e3), Err(RedundancyError::Stiff { .. })));
    assert!(stiff.reliability(1.0).is_ok());
}

#[test]
fn accepts_sixty_four_modules() {
    let most = Redundancy::new(63, RATE).unwrap().spares(1, 0.0).unwrap();
    assert!(most.reliability(10.0).unwrap() > 0.999_999);
}

//! Fits: what is drawn is found again, intervals hold the truth about as often as they say, and few events give no nonsense.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;
use windfall_reliability::{
    Confidence, Exponential, FitError, Mean, Sample, Verdict, Weibull, compare,
};
use windfall_time::Span;

/// More than 0, at most 1.
fn unit(random: &mut Pcg64Mcg) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "53 bits")]
    let unit = ((random.next_u64() >> 11) as f64 + 1.0) / (1_u64 << 53) as f64;
    unit
}

fn span(seconds: f64) -> Span {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "drawn below")]
    Span::from_nanos((seconds * 1e9) as u64)
}

/// One system, seen from its first day for so many seconds: the last span is cut off.
fn drawn(random: &mut Pcg64Mcg, shape: f64, scale: f64, seconds: f64) -> Sample {
    let (mut ended, mut now) = (Vec::new(), 0.0);
    loop {
        let life = scale * (-unit(random).ln()).powf(1.0 / shape);
        if now + life > seconds {
            return Sample::new(ended, vec![span(seconds - now)]);
        }
        now += life;
        ended.push(span(life));
    }
}

/// Systems that are each seen for so many seconds, and once at most: spans that are longer are cut off.
fn cut(random: &mut Pcg64Mcg, shape: f64, scale: f64, systems: usize, seconds: f64) -> Sample {
    let (mut ended, mut censored) = (Vec::new(), Vec::new());
    for _ in 0..systems {
        let life = scale * (-unit(random).ln()).powf(1.0 / shape);
        if life > seconds { censored.push(span(seconds)) } else { ended.push(span(life)) }
    }
    Sample::new(ended, censored)
}

fn estimate(fit: &Exponential) -> (f64, f64, f64) {
    match fit.mean() {
        Mean::Estimate(mean) => (mean.value, mean.low, mean.high),
        other => panic!("no estimate: {other}"),
    }
}

#[test]
fn law_the_exponential_fit_finds_the_mean_that_was_drawn() {
    let mut random = Pcg64Mcg::new(1);
    let sample = drawn(&mut random, 1.0, 100.0, 400_000.0);
    assert!(sample.events() > 3_000);
    let (mean, low, high) = estimate(&Exponential::fit(&sample, Confidence::USUAL).unwrap());
    assert!((mean / 100.0 - 1.0).abs() < 0.06 && low < 100.0 && 100.0 < high, "{mean}");
    // Half of the spans cut off: the mean of those that ended would be 0.31 of the true one.
    let sample = cut(&mut random, 1.0, 100.0, 5_000, 69.3);
    assert!((2_000..3_000).contains(&sample.censored().len()));
    let (mean, ..) = estimate(&Exponential::fit(&sample, Confidence::USUAL).unwrap());
    assert!((mean / 100.0 - 1.0).abs() < 0.08, "{mean}");
}

#[test]
fn law_samples_of_several_systems_join() {
    let mut random = Pcg64Mcg::new(7);
    let all: Vec<Sample> = (0..50).map(|_| drawn(&mut random, 2.0, 100.0, 300.0)).collect();
    let events: usize = all.iter().map(Sample::events).sum();
    let joined = all.into_iter().reduce(Sample::with).unwrap();
    assert_eq!((joined.events(), joined.censored().len()), (events, 50));
    let fit = Weibull::fit(&joined, Confidence::USUAL).unwrap();
    assert!(fit.shape().holds(2.0) && fit.scale().holds(100.0), "{fit:?}");
    // With more than one span cut off no limit is known.
    assert_eq!(compare(&joined, Confidence::USUAL).unwrap().weibull_fitness.limit, None);
}

#[test]
fn law_the_weibull_fit_finds_shape_and_scale_that_were_drawn_and_cut_off() {
    let mut random = Pcg64Mcg::new(2);
    for (shape, mean_of_scale) in [(0.5, 2.0), (1.0, 1.0), (2.0, 0.886_227), (4.0, 0.906_402)] {
        let sample = cut(&mut random, shape, 1_000.0, 4_000, 1_200.0);
        assert!(sample.censored().len() > 200 && sample.events() > 2_000);
        let fit = Weibull::fit(&sample, Confidence::USUAL).unwrap();
        let off = |value: f64, truth: f64| (value / truth - 1.0).abs();
        assert!(off(fit.shape().value, shape) < 0.06, "{fit:?}");
        assert!(off(fit.scale().value, 1_000.0) < 0.10, "{fit:?}");
        assert!(off(fit.mean().value, 1_000.0 * mean_of_scale) < 0.12, "{fit:?}");
    }
}

#[test]
fn law_exponential_intervals_hold_the_truth_as_often_as_they_say() {
    let mut random = Pcg64Mcg::new(3);
    let confidence = Confidence::new(0.9).unwrap();
    let (mut held, mut estimates, mut bounds) = (0, 0, 0);
    for draw in 0..1_000 {
        // From 20 events in the mean down to one half: some have none.
        let seconds = if draw % 2 == 0 { 2_000.0 } else { 50.0 };
        let sample = drawn(&mut random, 1.0, 100.0, seconds);
        match Exponential::fit(&sample, confidence).unwrap().mean() {
            Mean::Estimate(mean) => {
                estimates += 1;
                held += usize::from(mean.holds(100.0));
            }
            Mean::AtLeast(least) => {
                bounds += 1;
                held += usize::from(least <= 100.0);
            }
            other => panic!("{other}"),
        }
    }
    assert!(estimates > 500 && bounds > 200, "{estimates} {bounds}");
    assert!((870..1_000).contains(&held), "{held} of 1000");
}

#[test]
fn law_weibull_intervals_hold_the_truth_about_as_often_as_they_say() {
    let mut random = Pcg64Mcg::new(4);
    let (shape, scale) = (1.8, 100.0);
    let mean = scale * 0.889_287;
    let mut held = [0; 3];
    for _ in 0..1_000 {
        let sample = cut(&mut random, shape, scale, 40, 120.0);
        let fit = Weibull::fit(&sample, Confidence::USUAL).unwrap();
        held[0] += usize::from(fit.shape().holds(shape));
        held[1] += usize::from(fit.scale().holds(scale));
        held[2] += usize::from(fit.mean().holds(mean));
    }
    // 950, and 7 for the standard deviation of drawing.
    assert!(held.iter().all(|held| (910..980).contains(held)), "{held:?} of 1000");
}

/// The definition, slowly: density of those that ended, survival of those cut off.
fn likelihood(sample: &Sample, shape: f64, scale: f64) -> f64 {
    let hazard = |span: &Span| (span.as_secs_f64() / scale).powf(shape);
    let density = |span: &Span| {
        (shape / scale).ln() + (shape - 1.0) * (span.as_secs_f64() / scale).ln() - hazard(span)
    };
    sample.ended().iter().map(density).sum::<f64>()
        - sample.censored().iter().map(hazard).sum::<f64>()
}

#[test]
fn law_the_weibull_fit_is_a_maximum_and_does_not_know_units() {
    let mut random = Pcg64Mcg::new(5);
    let sample = cut(&mut random, 1.4, 50.0, 60, 70.0);
    let fit = Weibull::fit(&sample, Confidence::USUAL).unwrap();
    let (shape, scale) = (fit.shape().value, fit.scale().value);
    let likelihood = |shape: f64, scale: f64| likelihood(&sample, shape, scale);
    let best = likelihood(shape, scale);
    assert!((best - fit.log_likelihood()).abs() < 1e-6, "{best} {fit:?}");
    for (less, more) in [(0.99, 1.0), (1.01, 1.0), (1.0, 0.99), (1.0, 1.01)] {
        assert!(likelihood(shape * less, scale * more) < best);
    }
    // The ends of the shape's interval lie as deep as they should: half of 3.841.
    let profile = |shape: f64| {
        let sum: f64 = sample
            .ended()
            .iter()
            .chain(sample.censored())
            .map(|span| span.as_secs_f64().powf(shape))
            .sum();
        #[expect(clippy::cast_precision_loss, reason = "few")]
        let scale = (sum / sample.events() as f64).powf(1.0 / shape);
        likelihood(shape, scale)
    };
    for end in [fit.shape().low, fit.shape().high] {
        assert!((best - profile(end) - 1.920_73).abs() < 1e-3, "{end}");
    }
    let years = |span: &Span| Span::from_nanos(span.as_nanos() * 1_000_000);
    let longer = Sample::new(
        sample.ended().iter().map(years).collect(),
        sample.censored().iter().map(years).collect(),
    );
    let of_years = Weibull::fit(&longer, Confidence::USUAL).unwrap();
    assert!((of_years.shape().value / shape - 1.0).abs() < 1e-9);
    assert!((of_years.mean().high / fit.mean().high / 1e6 - 1.0).abs() < 1e-6);
}

#[test]
fn law_ends_of_the_mean_and_the_scale_are_those_of_a_search_over_all_shapes() {
    let mut random = Pcg64Mcg::new(8);
    let seconds = Span::from_secs;
    let three = Sample::new(vec![seconds(10), seconds(30), seconds(200)], vec![seconds(60)]);
    let samples =
        [three, cut(&mut random, 0.6, 50.0, 12, 90.0), cut(&mut random, 3.0, 50.0, 25, 40.0)];
    for sample in samples {
        let fit = Weibull::fit(&sample, Confidence::USUAL).unwrap();
        let shapes =
            || (0..6_000).map(|step| fit.shape().value * (f64::from(step) / 1_000.0 - 3.0).exp());
        let depth = |scale: &dyn Fn(f64) -> f64| {
            let all = shapes().map(|shape| likelihood(&sample, shape, scale(shape)));
            fit.log_likelihood() - all.fold(f64::NEG_INFINITY, f64::max)
        };
        let (mean, scale) = (fit.mean(), fit.scale());
        assert!(mean.low > 0.0 && mean.high.is_finite());
        for end in [mean.low, mean.high] {
            let of_mean = |shape: f64| {
                (end.ln() - statrs::function::gamma::ln_gamma(1.0 + 1.0 / shape)).exp()
            };
            assert!((depth(&of_mean) - 1.920_73).abs() < 1e-3, "{fit:?} {end}");
        }
        for end in [scale.low, scale.high] {
            assert!((depth(&|_| end) - 1.920_73).abs() < 1e-3, "{fit:?} {end}");
        }
    }
}

#[test]
fn accepts_spans_of_any_length() {
    let spans = [1, 1_000_000_000, 10_000_000_000_000_000_000].map(Span::from_nanos);
    let fit = Weibull::fit(&Sample::new(spans.to_vec(), vec![]), Confidence::USUAL).unwrap();
    for found in [fit.shape(), fit.scale(), fit.mean()] {
        assert!(found.low < found.value && found.value < found.high, "{fit:?}");
        assert!(found.low > 0.0 && found.value.is_finite(), "{fit:?}");
    }
}

#[test]
fn law_the_verdict_is_that_of_what_was_drawn() {
    let mut random = Pcg64Mcg::new(6);
    for (shape, right) in
        [(1.0, Verdict::Exponential), (2.5, Verdict::WearsOut), (0.5, Verdict::EarlyFaults)]
    {
        let (mut judged, mut off) = ([0, 0], [0, 0]);
        for _ in 0..100 {
            let sample = drawn(&mut random, shape, 100.0, 6_000.0);
            let compared = compare(&sample, Confidence::USUAL).unwrap();
            judged[usize::from(compared.verdict == right)] += 1;
            let fitness = [compared.exponential_fitness, compared.weibull_fitness];
            for (off, fitness) in off.iter_mut().zip(fitness) {
                *off += usize::from(fitness.distance > fitness.limit.unwrap());
            }
        }
        assert!(judged[1] >= 85, "shape {shape}: {judged:?}");
        // The true family is off in one of 20; the exponential is off where shapes are far from 1.
        assert!(off[1] <= 14, "shape {shape}: {off:?}");
        assert!(if shape == 1.0 { off[0] <= 14 } else { off[0] >= 50 }, "shape {shape}: {off:?}");
    }
}

#[test]
fn limit_distances_are_those_from_kaplan_and_meier_by_hand() {
    let of = |ended: [u32; 3], censored: f64| {
        let ended = ended.map(Span::from_secs).to_vec();
        let sample = Sample::new(ended, vec![span(censored)]);
        compare(&sample, Confidence::USUAL).unwrap().exponential_fitness.distance
    };
    // Steps to 3/4, 1/2 and, with one left at risk, 0; the mean is 8.5/3.
    assert!((of([1, 2, 3], 2.5) - (-9.0_f64 / 8.5).exp()).abs() < 1e-9);
    // Who is cut off at 3 is at risk at 3: the last step is to 1/4, and the first is the farthest.
    assert!((of([1, 2, 3], 3.0) - (1.0 - (-1.0_f64 / 3.0).exp())).abs() < 1e-9);
}

#[test]
fn limit_known_intervals_and_bounds_come_out() {
    // Garwood's interval of 10 events: 4.795 to 18.390 (95 %).
    let ten = Exponential::of_count(Span::from_secs(1_000), 10, Confidence::USUAL).unwrap();
    let (mean, low, high) = estimate(&ten);
    assert_eq!(mean, 100.0);
    assert!((1_000.0 / low - 18.390).abs() < 1e-3 && (1_000.0 / high - 4.795).abs() < 1e-3);
    assert!(
        (ten.rate() - 0.01).abs() < 1e-15 && (ten.survival(100.0) - (-1_f64).exp()).abs() < 1e-12
    );
    // The rule of three: none in n means at most 3/n (2.996), 95 %.
    let none = Exponential::of_count(Span::from_secs(1_000), 0, Confidence::USUAL).unwrap();
    let Mean::AtLeast(least) = none.mean() else { panic!("{:?}", none.mean()) };
    assert!((1_000.0 / least - 2.995_732).abs() < 1e-5);
    assert_eq!(none.mean().to_string(), "at least 5.56 min");
    // A counter that has run wild still has an answer.
    let wild = Exponential::of_count(Span::from_secs(1_000), u64::MAX, Confidence::USUAL).unwrap();
    let (mean, low, high) = estimate(&wild);
    assert!(low < mean && mean < high && high / low < 1.000_001);
}

#[test]
fn refuses_few_events_and_samples_that_say_nothing() {
    let usual = Confidence::USUAL;
    let second = Span::from_secs(1);
    let fit = |ended: &[Span]| Weibull::fit(&Sample::new(ended.to_vec(), vec![second]), usual);
    assert_eq!(fit(&[]), Err(FitError::FewEvents { events: 0, needs: 3 }));
    assert_eq!(fit(&[second, second]), Err(FitError::FewEvents { events: 2, needs: 3 }));
    assert_eq!(fit(&[second; 3]), Err(FitError::NoSpread { events: 3 }));
    assert_eq!(fit(&[second, Span::ZERO, second]), Err(FitError::ZeroSpan { place: 2 }));
    let nearly = fit(&[second, second, Span::from_nanos(999_999_999)]);
    assert_eq!(nearly, Err(FitError::Shapeless));
    let nothing = Sample::new(vec![], vec![Span::ZERO]);
    assert_eq!(Exponential::fit(&nothing, usual), Err(FitError::NoTime));
    assert_eq!(Exponential::of_count(Span::ZERO, 3, usual), Err(FitError::NoTime));
    for share in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(Confidence::new(share).is_err(), "{share}");
    }
    let words = FitError::FewEvents { events: 2, needs: 3 }.to_string();
    assert!(words.contains("allowed: 3 or more"), "{words}");
}

#[test]
fn accepts_three_events_with_wide_intervals() {
    let seconds = Span::from_secs;
    let sample = Sample::new(vec![seconds(10), seconds(30), seconds(200)], vec![seconds(60)]);
    let fit = Weibull::fit(&sample, Confidence::USUAL).unwrap();
    assert!(fit.shape().low < 0.5 && fit.shape().high > 1.0, "{fit:?}");
    assert!(fit.mean().low < 100.0 && fit.mean().high > 300.0, "{fit:?}");
    let compared = compare(&sample, Confidence::USUAL).unwrap();
    assert_eq!(compared.verdict, Verdict::Exponential);
    assert_eq!(compared.weibull_fitness.limit, None);
    assert_eq!(fit.survival(0.0), 1.0);
}

#[test]
fn law_the_mean_and_the_fitness_of_a_comparison_are_those_of_the_better_lifetime() {
    let of = |seconds: &[u32]| {
        let ended = seconds.iter().map(|seconds| Span::from_secs(*seconds)).collect();
        compare(&Sample::new(ended, vec![]), Confidence::USUAL).unwrap()
    };
    let alike = of(&[10, 20, 35, 60, 110, 3]);
    assert_eq!(alike.verdict, Verdict::Exponential);
    assert_eq!(
        (alike.mean(), alike.fitness()),
        (alike.exponential.mean(), alike.exponential_fitness)
    );
    let wears = of(&[90, 100, 110, 95, 105, 102, 98]);
    assert_eq!(wears.verdict, Verdict::WearsOut);
    let by_weibull = Mean::Estimate(wears.weibull.mean());
    assert_eq!((wears.mean(), wears.fitness()), (by_weibull, wears.weibull_fitness));
    assert_ne!(wears.mean(), wears.exponential.mean());
}

use super::*;
use std::vec::Vec;

/// Parts at which 64 bits end, and some inside.
const PARTS: [i128; 16] = [
    0,
    1,
    2,
    3,
    10,
    9_000,
    1_000_000_007,
    1 << 31,
    (1 << 32) - 1,
    1 << 62,
    (1 << 63) - 1,
    1 << 63,
    (1 << 63) + 1,
    (1 << 64) + 6,
    1 << 100,
    i128::MAX,
];

#[test]
fn law_arithmetic_in_64_bits_is_that_in_128() {
    let ratios: Vec<Ratio> = PARTS
        .iter()
        .flat_map(|numerator| [*numerator, -*numerator])
        .flat_map(|numerator| PARTS.map(|denominator| Ratio::new(numerator, denominator)))
        .flatten()
        .collect();
    type Wide = fn(&Inner<i128>, &Inner<i128>) -> Option<Inner<i128>>;
    type Operation = (fn(Ratio, Ratio) -> Option<Ratio>, Wide);
    let operations: [Operation; 4] = [
        (Ratio::checked_add, |a, b| a.checked_add(b)),
        (Ratio::checked_sub, |a, b| a.checked_sub(b)),
        (Ratio::checked_mul, |a, b| a.checked_mul(b)),
        (Ratio::checked_div, |a, b| if b.is_zero() { None } else { a.checked_div(b) }),
    ];
    let (mut narrow, mut wide, mut too_wide) = (0, 0, 0);
    for (ours, theirs) in operations {
        for a in &ratios {
            for b in &ratios {
                let result = ours(*a, *b);
                assert_eq!(result, theirs(&a.0, &b.0).map(Ratio), "{a:?} and {b:?}");
                let fits = |ratio: &Ratio| i64::try_from(ratio.numerator()).is_ok();
                match result {
                    None => too_wide += 1,
                    Some(result) if fits(&result) && fits(a) && fits(b) => narrow += 1,
                    Some(_) => wide += 1,
                }
            }
        }
    }
    assert!(narrow > 10_000 && wide > 10_000 && too_wide > 10_000, "{narrow} {wide} {too_wide}");
}

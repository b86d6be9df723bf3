//! What tells a parameter that has no message of its own, and what reads that: one function each, made from one line.

use crate::parameters::{BLOCK, CONSTRAINT, CURRENCY, PROGRESS, WARP, WARP_LIMIT};
use windfall_hierarchy::{Message, Value};
use windfall_time::{Instant, Span};

macro_rules! told {
    ($($parameter:ident: $tell:ident, $told:ident -> $read:ty, $shape:ident($($part:ident: $type:ty),+);)+) => {$(
        #[doc = concat!("Tells [`", stringify!($parameter), "`].")]
        #[must_use]
        pub const fn $tell($($part: $type),+) -> Message {
            Message::Set(&$parameter.key, Value::$shape($($part),+))
        }

        #[doc = concat!("What a message tells as [`", stringify!($parameter), "`], if it does.")]
        #[must_use]
        pub fn $told(message: Message) -> Option<$read> {
            match message {
                Message::Set(key, Value::$shape($($part),+)) if *key == $parameter.key => {
                    Some(($($part),+))
                }
                _ => None,
            }
        }
    )+};
}

told! {
    WARP: warp, told_warp -> Span, Span(warp: Span);
    WARP_LIMIT: warp_limit, told_warp_limit -> (Span, Span), Spans(limit: Span, unwarp: Span);
    CURRENCY: currency, told_currency -> i64, Integer(currency: i64);
    PROGRESS: progress, told_progress -> i64, Integer(fill: i64);
    BLOCK: block, told_block -> (Span, Span, Instant), Placed(amount: Span, period: Span, at: Instant);
    CONSTRAINT: constraint, told_constraint -> (Span, Instant), Due(work: Span, deadline: Instant);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::Asked;

    #[test]
    fn law_what_is_written_is_told_and_read_in_one_way() {
        let (a, b, at) = (Span::from_millis(1), Span::from_millis(9), Instant::from_nanos(7));
        let pairs = [
            (WARP.message(Asked::Span(a)), warp(a)),
            (WARP_LIMIT.message(Asked::Limit { limit: a, without: b }), warp_limit(a, b)),
            (CURRENCY.message(Asked::Integer(3)), currency(3)),
            (PROGRESS.message(Asked::Integer(4)), progress(4)),
            (BLOCK.message(Asked::Block { amount: a, period: b, at }), block(a, b, at)),
            (CONSTRAINT.message(Asked::Constraint { work: a, deadline: at }), constraint(a, at)),
        ];
        for (written, told) in pairs {
            assert_eq!(written, Some(told));
        }
        assert_eq!(told_warp(warp(a)), Some(a));
        assert_eq!(told_warp_limit(warp_limit(a, b)), Some((a, b)));
        assert_eq!(told_currency(currency(3)), Some(3));
        assert_eq!(told_progress(progress(4)), Some(4));
        assert_eq!(told_block(block(a, b, at)), Some((a, b, at)));
        assert_eq!(told_constraint(constraint(a, at)), Some((a, at)));
        // The same shape under another key is something else.
        assert_eq!(told_progress(currency(3)), None);
    }
}

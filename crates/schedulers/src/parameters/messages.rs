//! The messages of parameters that have none of their own: one function makes each, another reads it, both from one line.

use crate::parameters::{BLOCK, CONSTRAINT, CURRENCY, PROCESSORS, PROGRESS, WARP, WARP_LIMIT};
use windfall_guarantees::{Guarantee, Length};
use windfall_hierarchy::{Message, ProcessorSet, Value};
use windfall_time::{Instant, Span};

macro_rules! messages {
    ($($parameter:ident: $write:ident, $read:ident -> $values:ty, $shape:ident($($part:ident: $type:ty),+);)+) => {$(
        #[doc = concat!("A message that sets [`", stringify!($parameter), "`].")]
        #[must_use]
        pub const fn $write($($part: $type),+) -> Message {
            Message::Set(&$parameter.key, Value::$shape($($part),+))
        }

        #[doc = concat!("What a message sets [`", stringify!($parameter), "`] to, if it does.")]
        #[must_use]
        pub fn $read(message: Message) -> Option<$values> {
            match message {
                Message::Set(key, Value::$shape($($part),+)) if *key == $parameter.key => {
                    Some(($($part),+))
                }
                _ => None,
            }
        }
    )+};
}

messages! {
    WARP: warp, read_warp -> Span, Span(warp: Span);
    WARP_LIMIT: warp_limit, read_warp_limit -> (Span, Span), Spans(limit: Span, unwarp: Span);
    CURRENCY: currency, read_currency -> i64, Integer(currency: i64);
    PROCESSORS: processors, read_processors -> ProcessorSet, Processors(processors: ProcessorSet);
    PROGRESS: progress, read_progress -> i64, Integer(fill: i64);
    BLOCK: block, read_block -> (Span, Span, Instant), Placed(amount: Span, period: Span, at: Instant);
    CONSTRAINT: constraint, read_constraint -> (Span, Instant), Due(work: Span, deadline: Instant);
}

/// Tells an instance that [admits](crate::catalogue::Properties::admits) tasks what it holds from its parents: nothing that bounds a window, if the
/// guarantee does not. Rates are rounded down, latencies up.
#[must_use]
pub fn supply(guarantee: &Guarantee) -> Message {
    let supply =
        |amount, period, latency, blocks| Message::Supply { amount, period, latency, blocks };
    let nothing = supply(Span::ZERO, Span::from_nanos(1), Span::ZERO, false);
    let Some((rate, latency)) = guarantee.least_supply() else { return nothing };
    let Some(latency) = latency.ceil() else { return nothing };
    let whole = |length: Length| length.floor().filter(|floor| length.ceil() == Some(*floor));
    if let Some((x, y)) = guarantee.reservation()
        && let (Some(amount), Some(period)) = (whole(x), whole(y))
    {
        return supply(amount, period, latency, true);
    }
    let (mut amount, mut period) = (rate.numerator(), rate.denominator());
    while period > i128::from(u64::MAX) {
        (amount, period) = (amount / 2, period / 2 + 1);
    }
    let part = |part: i128| Span::from_nanos(u64::try_from(part).unwrap_or(0));
    supply(part(amount), part(period), latency, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::ParameterValue;

    #[test]
    fn law_what_is_written_is_sent_and_read_in_one_way() {
        let (a, b, at) = (Span::from_millis(1), Span::from_millis(9), Instant::from_nanos(7));
        let two = ProcessorSet::of([0, 70]).unwrap();
        let pairs = [
            (WARP.message(ParameterValue::Span(a)), warp(a)),
            (WARP_LIMIT.message(ParameterValue::Limit { limit: a, pause: b }), warp_limit(a, b)),
            (CURRENCY.message(ParameterValue::Integer(3)), currency(3)),
            (PROCESSORS.message(ParameterValue::Processors(two)), processors(two)),
            (PROGRESS.message(ParameterValue::Integer(4)), progress(4)),
            (BLOCK.message(ParameterValue::Block { amount: a, period: b, at }), block(a, b, at)),
            (
                CONSTRAINT.message(ParameterValue::Constraint { work: a, deadline: at }),
                constraint(a, at),
            ),
        ];
        for (written, sent) in pairs {
            assert_eq!(written, Some(sent));
        }
        assert_eq!(read_warp(warp(a)), Some(a));
        assert_eq!(read_warp_limit(warp_limit(a, b)), Some((a, b)));
        assert_eq!(read_currency(currency(3)), Some(3));
        assert_eq!(read_processors(processors(two)), Some(two));
        assert_eq!(read_progress(progress(4)), Some(4));
        assert_eq!(read_block(block(a, b, at)), Some((a, b, at)));
        assert_eq!(read_constraint(constraint(a, at)), Some((a, at)));
        // The same shape under another key is something else.
        assert_eq!(read_progress(currency(3)), None);
    }
}

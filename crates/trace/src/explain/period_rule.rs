//! Promises of an amount in every period, as far as a trace alone can judge them.
//!
//! A continuous reservation (`RESC`) gives its amount in every window of a period's length. A basic
//! one (`RESB`) gives it in periods of its own: they are known where the scheduler notes when it
//! replenishes; elsewhere a window of twice the period less the amount contains it whatever the
//! phase (HLS 5.3.2). A bare `3ms/10ms` counts from when the thread wakes.

use windfall_time::Span;

/// An amount of processor time in each window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PeriodRule {
    pub(super) amount: Span,
    pub(super) period: Span,
    basic: bool,
}

impl PeriodRule {
    /// Reads the amount and period in `text`; `None` if it has none.
    pub(super) fn read(text: &str) -> Option<PeriodRule> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (amount, period, basic) = match words[..] {
            [kind, amount, period] if kind.starts_with("RESB") => (amount, period, true),
            [kind, amount, period] if kind.starts_with("RESC") => (amount, period, false),
            [one] => {
                let (amount, period) = one.split_once('/')?;
                (amount, period, false)
            }
            _ => return None,
        };
        let (amount, period): (Span, Span) = (amount.parse().ok()?, period.parse().ok()?);
        let sound = !amount.is_zero() && amount <= period;
        sound.then_some(PeriodRule { amount, period, basic })
    }

    /// How long the window is in which the amount must come. `told`: windows begin when the
    /// scheduler replenishes.
    pub(super) fn window(&self, told: bool) -> Span {
        if self.basic && !told {
            return self.period.saturating_add(self.period - self.amount);
        }
        self.period
    }

    /// Whether the periods that the scheduler reports count.
    pub(super) const fn has_periods(&self) -> bool {
        self.basic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paper_hls_a_basic_reservation_has_its_amount_in_twice_the_period_less_the_amount() {
        let ms = Span::from_millis;
        let basic = PeriodRule::read("RESBH 3ms 10ms").unwrap();
        assert_eq!((basic.window(true), basic.window(false)), (ms(10), ms(17)));
        let continuous = PeriodRule::read("RESCS 3ms 10ms").unwrap();
        assert_eq!((continuous.window(true), continuous.window(false)), (ms(10), ms(10)));
        assert_eq!(
            PeriodRule::read("3ms/10ms").map(|p| (p.amount, p.period)),
            Some((ms(3), ms(10)))
        );
    }

    #[test]
    fn refuses_to_guess_a_rule() {
        for text in
            ["", "ALL", "NULL", "PSBE 3/10 35ms", "RESU 3/10", "RESBH 3ms", "3/10", "5ms/1ms"]
        {
            assert_eq!(PeriodRule::read(text), None, "{text}");
        }
    }
}

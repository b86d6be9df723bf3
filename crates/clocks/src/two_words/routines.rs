//! The three routines of section 3.2: what is read, and in which order.

use super::TwoWords;

/// Which comparison a routine makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// As the paper prints it.
    AsPrinted,
    /// As it has to be to be right at every moment.
    Mended,
}

impl Form {
    /// Whether the high word moved on between two references. As printed, a wrap of the whole clock is missed.
    fn moved_on(self, first: u32, second: u32) -> bool {
        match self {
            Form::AsPrinted => second > first,
            Form::Mended => second != first,
        }
    }
}

/// Varying-Read: three references, and a fourth if the high word moved on. In ticks.
pub fn varying_read(clock: &impl TwoWords, form: Form) -> u64 {
    let first_high = clock.high();
    let first_low = clock.low();
    let second_high = clock.high();
    if form.moved_on(first_high, second_high) {
        return clock.join(second_high, clock.low());
    }
    clock.join(first_high, first_low)
}

/// 4-Read: four references whatever the clock's value is, so that its cost does not depend on that. In ticks.
///
/// As printed, it takes two low words that are equal for a wrap after the first one. They are equal where both references share a tick, and then the result is a whole low word too small.
pub fn four_read(clock: &impl TwoWords, form: Form) -> u64 {
    let first_high = clock.high();
    let first_low = clock.low();
    let second_high = clock.high();
    let second_low = clock.low();
    let wrapped_before_low = match form {
        Form::AsPrinted => second_low > first_low,
        Form::Mended => second_low >= first_low,
    };
    let high = if form.moved_on(first_high, second_high) && wrapped_before_low {
        second_high
    } else {
        first_high
    };
    clock.join(high, first_low)
}

/// 1-Read: one reference to the low word; its wraps are counted.
///
/// It has to be called at least once in each low word, and counts from the wrap in which it was made. As printed, it counts a wrap whenever two calls share a tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OneRead {
    form: Form,
    old_low: Option<u32>,
    high: u64,
}

impl OneRead {
    /// Begins with no wrap counted.
    #[must_use]
    pub const fn new(form: Form) -> OneRead {
        OneRead { form, old_low: None, high: 0 }
    }

    /// The clock's value, in ticks, from the beginning of the low word in which the first call fell.
    pub fn read(&mut self, clock: &impl TwoWords) -> u64 {
        let low = clock.low();
        let wrapped = self.old_low.is_some_and(|old| match self.form {
            Form::AsPrinted => old >= low,
            Form::Mended => old > low,
        });
        self.high += u64::from(wrapped);
        self.old_low = Some(low);
        self.high * clock.low_values() + u64::from(low)
    }
}

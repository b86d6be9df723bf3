//! An owner's memory of a sender: its answers to the last numbers.
//!
//! Invariant: no number is new twice. One is new only if its place holds no equal or later number, and later ones replace earlier ones.

use crate::message::Answer;

/// The answers to so many numbers of a sender are remembered.
pub const REMEMBERED: usize = 1_024;

/// The state of a number.
pub(super) enum Known {
    New,
    Answered(Answer),
    /// A number so much later was answered that this one is not remembered, if it was ever there.
    Forgotten,
}

/// By the rest of the number, divided by [`REMEMBERED`].
#[derive(Clone, Debug, Default)]
pub(super) struct Seen(Vec<Option<(u64, Answer)>>);

impl Seen {
    #[expect(clippy::cast_possible_truncation, reason = "the rest is less than REMEMBERED")]
    fn place(number: u64) -> usize {
        (number % REMEMBERED as u64) as usize
    }

    pub(super) fn of(&self, number: u64) -> Known {
        match self.0.get(Seen::place(number)).copied().flatten() {
            Some((seen, answer)) if seen == number => Known::Answered(answer),
            Some((seen, _)) if seen > number => Known::Forgotten,
            _ => Known::New,
        }
    }

    /// Remembers the answer to a new number.
    pub(super) fn remember(&mut self, number: u64, answer: Answer) {
        if self.0.is_empty() {
            self.0.resize(REMEMBERED, None);
        }
        self.0[Seen::place(number)] = Some((number, answer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_no_number_is_new_twice() {
        let (mut seen, mut answered, mut counts) = (Seen::default(), vec![false; 9_000], [0; 3]);
        for turn in 0..20_000_u64 {
            // Numbers come in disorder, some again, some much later.
            let number = (turn / 3 + turn * 7_919 % 2_300) % 9_000;
            let kind = match seen.of(number) {
                Known::New => {
                    let before = &mut answered[usize::try_from(number).unwrap()];
                    assert!(!core::mem::replace(before, true), "{number}");
                    seen.remember(number, Answer::TooLate);
                    0
                }
                Known::Answered(_) => {
                    assert!(answered[usize::try_from(number).unwrap()], "{number}");
                    1
                }
                Known::Forgotten => 2,
            };
            counts[kind] += 1;
        }
        assert!(counts.iter().all(|count| *count > 500), "{counts:?}");
    }
}

//! A promise under judgement, whose judges are heard when there is time for it.
//!
//! To judge takes longer than to decide, and all that is known of a promise is small: it is kept and judged
//! later, many words at a time, in order.

use windfall_scenario::outcome::{PromiseVerdict, Use, Watch};
use windfall_time::{Instant, Span};

/// So many words wait at most.
const WORDS: usize = 512;

/// What is to be said to a promise's judges.
#[derive(Clone, Copy)]
enum Word {
    Wakes(Instant),
    Sleeps(Instant),
    Deadline(Instant, Instant),
    Served(Instant, Instant, Use),
}

/// A promise and the time of the last word about it.
pub(super) struct Judged {
    watch: Watch,
    last: Instant,
    words: Vec<Word>,
}

impl Judged {
    pub(super) fn new(watch: Watch) -> Judged {
        Judged { watch, last: Instant::ZERO, words: Vec::with_capacity(WORDS) }
    }

    /// The time of the last word.
    pub(super) const fn last(&self) -> Instant {
        self.last
    }

    fn at(&mut self, at: Instant) -> Instant {
        self.last = self.last.max(at);
        self.last
    }

    pub(super) fn wakes(&mut self, at: Instant) {
        let at = self.at(at);
        self.keep(Word::Wakes(at));
    }

    pub(super) fn sleeps(&mut self, at: Instant) {
        let at = self.at(at);
        self.keep(Word::Sleeps(at));
    }

    /// Time is stolen from a processor, its owner's or another.
    pub(super) fn time_was_stolen(&mut self) {
        self.watch.time_was_stolen();
    }

    pub(super) fn set_deadline(&mut self, at: Instant, deadline: Instant) {
        let at = self.at(at);
        self.keep(Word::Deadline(at, deadline));
    }

    pub(super) fn served(&mut self, from: Instant, to: Instant, by: Use) {
        let from = from.max(self.last);
        if from >= to {
            return;
        }
        self.last = to;
        if let Some(Word::Served(_, until, same)) = self.words.last_mut()
            && (*until, *same) == (from, by)
        {
            *until = to;
            return;
        }
        self.keep(Word::Served(from, to, by));
    }

    fn keep(&mut self, word: Word) {
        if self.words.len() == WORDS {
            let words = std::mem::take(&mut self.words);
            say(&mut self.watch, &words);
            self.words = words;
            self.words.clear();
        }
        self.words.push(word);
    }

    /// What its judges know, with all that waits.
    pub(super) fn watch(&self) -> Watch {
        let mut watch = self.watch.clone();
        say(&mut watch, &self.words);
        watch
    }

    /// Judgement ends.
    pub(super) fn verdict(
        mut self,
        now: Instant,
        (tick, precision): (Option<Span>, Span),
    ) -> PromiseVerdict {
        let now = self.at(now);
        let mut watch = self.watch();
        watch.end(now);
        watch.verdict_within(now, tick, precision)
    }
}

fn say(watch: &mut Watch, words: &[Word]) {
    for word in words {
        match *word {
            Word::Wakes(at) => watch.wakes(at),
            Word::Sleeps(at) => watch.sleeps(at),
            Word::Deadline(at, deadline) => watch.set_deadline(at, deadline),
            Word::Served(from, to, by) => watch.served(from, to, by),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windfall_scenario::outcome::Promise;
    use windfall_time::Span;

    const PRECISION: Span = Span::from_nanos(100_000);

    fn at(micros: u64) -> Instant {
        Instant::ZERO + Span::from_nanos(1_000 * micros)
    }

    /// A promise of 4 ms in 10 ms, of which in so many periods this much goes to its owner and the rest to somebody.
    fn given(periods: u64, own: u64, by: Use) -> Judged {
        let guarantee = "RESBH 4ms 10ms".parse().expect("a guarantee");
        let mut judged = Judged::new(Watch::new(Promise::new("a", guarantee)));
        judged.wakes(at(0));
        for period in 0..periods {
            let (from, to) = (10_000 * period, 10_000 * period + 4_000);
            judged.served(at(from), at(from + own), Use::Own);
            judged.served(at(from + own), at(to), by);
        }
        judged
    }

    #[test]
    fn law_what_we_cause_is_never_called_stolen() {
        let state =
            |own, by| given(50, own, by).verdict(at(500_000), (None, PRECISION)).status().name();
        assert_eq!(state(4_000, Use::Overhead), "kept");
        for own in [0, 1_000, 3_800] {
            assert_eq!(state(own, Use::Overhead), "overhead", "{own} us");
            assert_eq!(state(own, Use::Stolen), "stolen", "{own} us");
        }
    }

    #[test]
    fn law_words_that_wait_count_as_words_that_are_said() {
        for periods in [1, 255, 256, 257, 1_000] {
            let judged = given(periods, 3_000, Use::Stolen);
            let now = at(10_000 * periods);
            assert!(judged.words.len() <= WORDS);
            let mut said = given(0, 0, Use::Own).watch();
            for period in 0..periods {
                let from = 10_000 * period;
                said.served(at(from), at(from + 3_000), Use::Own);
                said.served(at(from + 3_000), at(from + 4_000), Use::Stolen);
            }
            said.end(now);
            let said = said.verdict_within(now, None, PRECISION);
            assert_eq!(judged.verdict(now, (None, PRECISION)), said, "{periods} periods");
        }
    }
}

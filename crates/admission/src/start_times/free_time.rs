//! Free time from some moment on, for tasks that begin later than others: which is the first that is left?
//!
//! Stretches of time, one behind the other, are used up in any order, and none comes back. So a find is a step within a word of 64 stretches, or one to the first word behind it that is not
//! used up. Words that are used up lie in sets, joined by size, with paths that are halved. With at least as many finds as there are stretches, n, all of them take O(n) (Gabow and Tarjan 1985).

use alloc::vec::Vec;
use windfall_time::Span;

/// Stretches of free time, by number.
pub(super) struct FreeTime {
    left: Vec<Span>,
    /// A bit for each stretch that has time left.
    words: Vec<u64>,
    /// Sets of neighbouring words, of which only the last may have a bit.
    sets: Vec<Set>,
}

struct Set {
    above: usize,
    /// Of the root: how many words it has, and its last one.
    size: usize,
    last: usize,
}

const BITS: usize = u64::BITS as usize;

impl FreeTime {
    /// All that is there; a stretch of no length is used up.
    pub(super) fn new(lengths: Vec<Span>) -> FreeTime {
        let word = |stretches: &[Span]| {
            let bits = stretches.iter().enumerate().filter(|(_, length)| !length.is_zero());
            bits.fold(0, |word, (bit, _)| word | 1 << bit)
        };
        let mut words: Vec<u64> = lengths.chunks(BITS).map(word).collect();
        // The end of all, which a search finds when nothing is left.
        words.push(1);
        let sets = (0..words.len()).map(|word| Set { above: word, size: 1, last: word }).collect();
        let mut free = FreeTime { left: lengths, words, sets };
        for word in (0..free.words.len() - 1).rev() {
            if free.words[word] == 0 {
                free.join(word, &mut || ());
            }
        }
        free
    }

    /// Takes so much from stretch `from` on, the first that is left first, and returns what was not there. `step` is called for each step that this takes.
    pub(super) fn take(&mut self, from: usize, mut work: Span, step: &mut impl FnMut()) -> Span {
        while !work.is_zero() {
            step();
            let Some(stretch) = self.first(from, step) else { break };
            let used = work.min(self.left[stretch]);
            work = work.saturating_sub(used);
            self.left[stretch] = self.left[stretch].saturating_sub(used);
            if self.left[stretch].is_zero() {
                let word = stretch / BITS;
                self.words[word] &= !(1 << (stretch % BITS));
                if self.words[word] == 0 {
                    self.join(word, step);
                }
            }
        }
        work
    }

    /// The first stretch from this one on that has time left.
    fn first(&mut self, from: usize, step: &mut impl FnMut()) -> Option<usize> {
        let (mut word, mut bits) = (from / BITS, 0);
        if word < self.words.len() - 1 {
            bits = self.words[word] & (u64::MAX << (from % BITS));
            if bits == 0 {
                let root = self.root(word + 1, step);
                word = self.sets[root].last;
                bits = self.words[word];
            }
        }
        let stretch = word * BITS + bits.trailing_zeros() as usize;
        (stretch < self.left.len()).then_some(stretch)
    }

    /// This word is used up: it and those before it lead to what the next one leads to.
    fn join(&mut self, word: usize, step: &mut impl FnMut()) {
        let (before, behind) = (self.root(word, step), self.root(word + 1, step));
        let last = self.sets[behind].last;
        let size = self.sets[before].size + self.sets[behind].size;
        let larger = self.sets[before].size > self.sets[behind].size;
        let (root, other) = if larger { (before, behind) } else { (behind, before) };
        self.sets[other].above = root;
        self.sets[root] = Set { above: root, size, last };
    }

    fn root(&mut self, mut word: usize, step: &mut impl FnMut()) -> usize {
        while self.sets[word].above != word {
            step();
            let above = self.sets[word].above;
            self.sets[word].above = self.sets[above].above;
            word = self.sets[word].above;
        }
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(ns: u64) -> Span {
        Span::from_nanos(ns)
    }

    /// From where each of these takes how much; and the steps of all.
    fn steps(stretches: usize, takes: impl Iterator<Item = (usize, u64)>) -> u64 {
        let (mut free, mut steps) = (FreeTime::new(alloc::vec![ns(10); stretches]), 0);
        for (from, work) in takes {
            let _ = free.take(from, ns(work), &mut || steps += 1);
        }
        steps
    }

    fn random(below: usize) -> impl Iterator<Item = usize> {
        let next = |seed: &u64| Some(seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        let seeds = core::iter::successors(Some(1_u64), next);
        seeds.map(move |seed| usize::try_from(seed >> 33).unwrap_or(0) % below)
    }

    /// The name, and the steps with n stretches and 2 n takes.
    fn loads(n: usize) -> [(&'static str, u64); 4] {
        let in_order = (0..n).map(|from| (from, 10));
        let back = (0..n).rev().map(|from| (from, 10));
        let pieces = random(n).map(|from| (from, 5)).take(2 * n);
        let whole = random(n).map(|from| (from, 10)).take(2 * n);
        let from_the_first = || core::iter::repeat_n((0, 1), n);
        [
            ("in order, then all from the first", steps(n, in_order.chain(from_the_first()))),
            ("from the last on, then all from the first", steps(n, back.chain(from_the_first()))),
            ("anywhere, half of a stretch", steps(n, pieces)),
            ("anywhere, a stretch", steps(n, whole)),
        ]
    }

    #[test]
    fn law_steps_grow_with_the_number_of_stretches() {
        let of = [1_000, 8_000, 64_000, 512_000].map(|n: usize| (n as u64, loads(n)));
        for (n, loads) in of {
            for (load, steps) in loads {
                assert!(steps >= n && steps <= 6 * n, "{load}: {steps} steps of {n}");
            }
        }
        for (less, more) in of.iter().zip(&of[1..]) {
            for ((load, few), (_, many)) in less.1.iter().zip(&more.1) {
                assert!(*many <= few * 17 / 2, "{load}: {few}, then {many} for 8 times as many");
            }
        }
    }

    #[test]
    fn law_the_first_that_is_left_is_taken() {
        let lengths: Vec<Span> = random(4).take(1_000).map(|length| ns(length as u64)).collect();
        let (mut left, mut free) = (lengths.clone(), FreeTime::new(lengths));
        let (mut missing, mut whole) = (0, 0);
        for (from, work) in random(1_010).zip(random(5)).take(3_000) {
            let mut rest = work as u64;
            for stretch in left.iter_mut().skip(from) {
                let used = rest.min(stretch.as_nanos());
                *stretch = ns(stretch.as_nanos() - used);
                rest -= used;
            }
            assert_eq!(free.take(from, ns(work as u64), &mut || ()), ns(rest));
            missing += u32::from(rest > 0);
            whole += u32::from(rest == 0 && work > 0);
        }
        assert!(missing > 100 && whole > 100, "{missing} {whole}");
    }
}

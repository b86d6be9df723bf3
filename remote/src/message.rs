//! What replicas say to each other, as records of a transport.
//!
//! Each message carries a value for an iteration, so any of them brings a vote nearer, whichever are lost. A record has a head, the iteration and six words of the value; a larger value takes several records, its parts. What lacks a part is lost.

use crate::words::Words;
use std::collections::VecDeque;
use std::marker::PhantomData;
use windfall_nmr::Iteration;
use windfall_ports::transport::Record;

/// What a message wants beside its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Nothing.
    Value,
    /// The receiver's value for the same iteration, or its newest, if it has none that old.
    Ask,
    /// Nothing: it is not the sender's own value, but what was voted in its last iteration, for one that is far behind.
    Voted,
    /// Nothing any longer: the sender has had all votes that it wanted.
    Done,
    /// The state of a hash, from a byte on.
    Want,
    /// A piece of a state.
    Piece,
}

const KINDS: [Kind; 6] = [Kind::Value, Kind::Ask, Kind::Voted, Kind::Done, Kind::Want, Kind::Piece];

/// The first word of a record: these four bytes, the kind, which part it is, and how many words a value has in two bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Head {
    pub(crate) kind: Kind,
    pub(crate) part: u8,
    pub(crate) words: u16,
}

/// Of records of this form; another form has another number.
const FORM: [u8; 4] = *b"wfn2";

/// So many words of a value are in a record.
pub(crate) const IN_RECORD: usize = 6;
/// So many messages of a replica may lack parts; then the oldest is lost.
const BEGUN: usize = 4;

impl Head {
    pub(crate) fn write(self) -> u64 {
        let kind = KINDS.iter().zip(1..).find(|(kind, _)| **kind == self.kind);
        let [high, low] = self.words.to_be_bytes();
        let [a, b, c, d] = FORM;
        u64::from_be_bytes([a, b, c, d, kind.map_or(0, |(_, number)| number), self.part, high, low])
    }

    pub(crate) fn read(word: u64) -> Option<Head> {
        let [a, b, c, d, kind, part, high, low] = word.to_be_bytes();
        let kind = KINDS.get(usize::from(kind).checked_sub(1)?).copied()?;
        let words = u16::from_be_bytes([high, low]);
        ([a, b, c, d] == FORM).then_some(Head { kind, part, words })
    }
}

/// A value for an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Message<V> {
    pub(crate) kind: Kind,
    pub(crate) iteration: Iteration,
    pub(crate) value: V,
}

impl<V: Words> Message<V> {
    /// Its parts.
    pub(crate) fn records(&self) -> impl Iterator<Item = Record> {
        let mut all = vec![0; V::WORDS.next_multiple_of(IN_RECORD)];
        self.value.put(&mut all[..V::WORDS]);
        let (kind, iteration) = (self.kind, self.iteration);
        let words = u16::try_from(V::WORDS).expect("it was checked at the start");
        (0..V::WORDS.div_ceil(IN_RECORD)).zip(0..).map(move |(place, part)| {
            let mut record = [Head { kind, part, words }.write(), iteration.0, 0, 0, 0, 0, 0, 0];
            record[2..].copy_from_slice(&all[place * IN_RECORD..(place + 1) * IN_RECORD]);
            record
        })
    }
}

/// Why a record is no part of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    NoMessage,
    /// Its values have so many words.
    Size(usize),
}

/// A message that lacks parts.
#[derive(Debug)]
struct Begun {
    kind: Kind,
    iteration: Iteration,
    has: Box<[bool]>,
    words: Box<[u64]>,
}

/// Puts messages together, of each replica by itself.
#[derive(Debug)]
pub(crate) struct Parts<V> {
    begun: Box<[VecDeque<Begun>]>,
    value: PhantomData<V>,
}

impl<V: Words> Parts<V> {
    pub(crate) fn new(replicas: usize) -> Parts<V> {
        let begun = (0..replicas).map(|_| VecDeque::with_capacity(BEGUN)).collect();
        Parts { begun, value: PhantomData }
    }

    /// A record with this head has come. `None` while its message lacks parts.
    pub(crate) fn takes(
        &mut self,
        from: usize,
        Head { kind, part, words }: Head,
        [_, iteration, rest @ ..]: Record,
    ) -> Result<Option<Message<V>>, Refused> {
        let (parts, part) = (V::WORDS.div_ceil(IN_RECORD), usize::from(part));
        if usize::from(words) != V::WORDS {
            return Err(Refused::Size(words.into()));
        }
        let place = part * IN_RECORD;
        let used = V::WORDS.saturating_sub(place).min(IN_RECORD);
        if used == 0 || iteration == 0 || rest[used..].iter().any(|word| *word != 0) {
            return Err(Refused::NoMessage);
        }
        let iteration = Iteration(iteration);
        if parts == 1 {
            return Ok(Some(Message { kind, iteration, value: V::take(&rest[..used]) }));
        }
        let begun = &mut self.begun[from];
        let is_same = |begun: &Begun| begun.kind == kind && begun.iteration == iteration;
        let at = begun.iter().position(is_same).unwrap_or_else(|| {
            if begun.len() == BEGUN {
                begun.pop_front();
            }
            let (has, words) = (vec![false; parts].into(), vec![0; V::WORDS].into());
            begun.push_back(Begun { kind, iteration, has, words });
            begun.len() - 1
        });
        begun[at].words[place..place + used].copy_from_slice(&rest[..used]);
        begun[at].has[part] = true;
        if begun[at].has.contains(&false) {
            return Ok(None);
        }
        let whole = begun.remove(at);
        Ok(whole.map(|whole| Message { kind, iteration, value: V::take(&whole.words) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Large = [u64; 20];

    fn takes<V: Words>(
        parts: &mut Parts<V>,
        record: Record,
    ) -> Result<Option<Message<V>>, Refused> {
        let head = Head::read(record[0]).ok_or(Refused::NoMessage)?;
        parts.takes(0, head, record)
    }

    fn large(iteration: u64) -> Message<Large> {
        let value = std::array::from_fn(|place| iteration * 100 + place as u64);
        Message { kind: Kind::Value, iteration: Iteration(iteration), value }
    }

    #[test]
    fn law_messages_come_back_as_they_were() {
        let mut parts = Parts::new(1);
        for kind in [Kind::Value, Kind::Ask, Kind::Done, Kind::Voted] {
            let message = Message { kind, iteration: Iteration(7), value: u64::MAX };
            let records: Vec<_> = message.records().collect();
            assert_eq!(records.len(), 1);
            assert_eq!(takes(&mut parts, records[0]), Ok(Some(message)));
        }
    }

    #[test]
    fn law_parts_come_in_any_order_twice_and_mixed() {
        let mut parts = Parts::new(1);
        let [one, other] = [1, 2].map(|iteration| large(iteration).records().collect::<Vec<_>>());
        assert_eq!(one.len(), 4);
        for record in [one[3], other[0], one[0], other[2], one[0], other[1], one[2]] {
            assert_eq!(takes(&mut parts, record), Ok(None));
        }
        assert_eq!(takes(&mut parts, one[1]), Ok(Some(large(1))));
        assert_eq!(takes(&mut parts, other[3]), Ok(Some(large(2))));
    }

    #[test]
    fn law_what_lacks_parts_takes_no_more_room() {
        let mut parts = Parts::new(1);
        for iteration in 1..=100 {
            let first = large(iteration).records().next().expect("it has four");
            assert_eq!(takes(&mut parts, first), Ok(None));
        }
        assert_eq!(parts.begun[0].len(), BEGUN);
        let rest: Vec<_> = large(100).records().skip(1).map(|r| takes(&mut parts, r)).collect();
        assert_eq!(rest, [Ok(None), Ok(None), Ok(Some(large(100)))]);
    }

    #[test]
    fn refuses_words_that_are_no_message() {
        let mut parts = Parts::<u64>::new(1);
        let good = Message { kind: Kind::Ask, iteration: Iteration(1), value: 3_u64 };
        let good = good.records().next().expect("one");
        for (place, word) in [(0, 0), (0, good[0] ^ 1 << 63), (1, 0), (7, 1)] {
            let mut bad = good;
            bad[place] = word;
            assert_eq!(takes(&mut parts, bad), Err(Refused::NoMessage), "{bad:x?}");
        }
        let mut bad = good;
        bad[0] |= 7 << 16;
        assert_eq!(takes(&mut parts, bad), Err(Refused::NoMessage), "there is no such part");
        bad[0] |= 0xff << 24;
        assert_eq!(takes(&mut parts, bad), Err(Refused::NoMessage), "there is no such kind");
        let large = large(1).records().next().expect("four");
        assert_eq!(takes(&mut parts, large), Err(Refused::Size(20)));
    }
}

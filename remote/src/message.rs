//! What replicas say to each other, as records of a transport.
//!
//! Each message carries a value for an iteration, so any of them brings a vote nearer, whichever are lost.

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
}

/// A value for an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Message {
    pub(crate) kind: Kind,
    pub(crate) iteration: Iteration,
    pub(crate) value: u64,
}

/// The first word of a record of this form; another form has another number.
const FORM: u64 = 0x7766_6e6d_7200_0100;

impl Message {
    pub(crate) fn encode(self) -> Record {
        let kind = match self.kind {
            Kind::Value => 1,
            Kind::Ask => 2,
            Kind::Done => 3,
            Kind::Voted => 4,
        };
        [FORM | kind, self.iteration.0, self.value, 0, 0, 0, 0, 0]
    }

    /// `None` for words that are no message.
    pub(crate) fn decode(record: Record) -> Option<Message> {
        let [form, iteration, value, rest @ ..] = record;
        let kind = match form ^ FORM {
            1 => Kind::Value,
            2 => Kind::Ask,
            3 => Kind::Done,
            4 => Kind::Voted,
            _ => return None,
        };
        let is_message = rest == [0; 5] && iteration > 0;
        is_message.then_some(Message { kind, iteration: Iteration(iteration), value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_messages_come_back_as_they_were() {
        for kind in [Kind::Value, Kind::Ask, Kind::Done, Kind::Voted] {
            let message = Message { kind, iteration: Iteration(7), value: u64::MAX };
            assert_eq!(Message::decode(message.encode()), Some(message));
        }
    }

    #[test]
    fn refuses_words_that_are_no_message() {
        let good = Message { kind: Kind::Ask, iteration: Iteration(1), value: 3 }.encode();
        for (place, word) in [(0, 0), (0, FORM), (0, FORM | 5), (1, 0), (7, 1)] {
            let mut bad = good;
            bad[place] = word;
            assert_eq!(Message::decode(bad), None, "{bad:x?}");
        }
    }
}

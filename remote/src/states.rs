//! States that a replica keeps for others, and the one that it fetches: in pieces that are asked for from a byte on, so that what is lost is asked for again.
//!
//! Invariant: what is fetched has the hash that was voted, whoever served it (`windfall_nmr::Fetch`).

#[cfg(test)]
mod tests;

use crate::message::{Head, Kind};
use crate::words::Words;
use std::collections::VecDeque;
use std::sync::Arc;
use windfall_nmr::{Digest, Fetch, Fetched, ReplicaNumber, Replicas};
use windfall_ports::transport::Record;
use windfall_time::{Instant, Span};

/// States that are kept, beside those that are being fetched.
const KEPT: usize = 4;
/// States that are kept in all.
const KEPT_AT_MOST: usize = 16;
/// Bytes of a state in a record.
const PIECE: usize = 40;
/// So many pieces are sent for a wish.
const WINDOW: usize = 32;
/// The largest state: a record has its length in half a word.
pub(crate) const MOST_BYTES: usize = u32::MAX as usize;

/// `part` of a piece that says that there is no such state.
const GONE: u8 = 1;

#[derive(Debug)]
struct Kept {
    digest: Digest,
    state: Arc<[u8]>,
    wanted: Option<Instant>,
}

#[derive(Debug)]
struct Fetching {
    digest: Digest,
    fetch: Fetch,
    /// So many bytes are here.
    at: usize,
    /// The byte from which on it was asked for last.
    asked_from: Option<usize>,
    /// When the one that is asked has been silent for too long, and when it is asked again.
    until: Instant,
    again: Instant,
}

/// What there is to do for a state that is fetched.
#[derive(Debug)]
pub(crate) enum Next {
    /// It is here.
    Whole(Arc<[u8]>),
    /// This is to be sent.
    Ask(ReplicaNumber, Record),
    /// Nothing before this moment.
    Wait(Instant),
    /// Nobody has it, or says so in time.
    Nobody,
}

/// Both, of one replica.
#[derive(Debug)]
pub(crate) struct States {
    patience: Span,
    kept: VecDeque<Kept>,
    fetching: Option<Fetching>,
    whole: Option<Arc<[u8]>>,
    /// Served another state; to be taken.
    pub(crate) wrong: Replicas,
}

fn head(kind: Kind, part: u8) -> u64 {
    Head { kind, part, words: 4 }.write()
}

impl States {
    pub(crate) const fn new(patience: Span) -> States {
        let kept = VecDeque::new();
        States { patience, kept, fetching: None, whole: None, wrong: Replicas::NONE }
    }

    /// One more that others may fetch. The oldest goes for it that nobody is fetching.
    pub(crate) fn keep(&mut self, digest: Digest, state: Arc<[u8]>, now: Instant) {
        while self.kept.len() >= KEPT {
            let is_wanted = |kept: &Kept| {
                kept.wanted.is_some_and(|wanted| now.saturating_since(wanted) < self.patience)
            };
            let free = self.kept.iter().position(|kept| !is_wanted(kept));
            let oldest = (self.kept.len() >= KEPT_AT_MOST).then_some(0);
            let Some(place) = free.or(oldest) else { break };
            self.kept.remove(place);
        }
        self.kept.push_back(Kept { digest, state, wanted: None });
    }

    /// Another wants a state. What it is sent.
    pub(crate) fn wanted(&mut self, wish: Record, now: Instant, mut send: impl FnMut(Record)) {
        let digest = Digest::take(&wish[2..6]);
        let kept = self.kept.iter_mut().rev().find(|kept| kept.digest == digest);
        let Some(kept) = kept else {
            return send([head(Kind::Piece, GONE), wish[2], 0, 0, 0, 0, 0, 0]);
        };
        kept.wanted = Some(now);
        let whole = kept.state.len() as u64;
        let from = usize::try_from(wish[1].min(whole)).unwrap_or_default();
        let rest = &kept.state[from..];
        // Of an empty state there is one piece, which is empty.
        let pieces = rest.chunks(PIECE).take(WINDOW).chain(rest.is_empty().then_some(rest));
        for (place, piece) in pieces.enumerate() {
            let at = (from + place * PIECE) as u64;
            let mut record = [head(Kind::Piece, 0), wish[2], at << 32 | whole, 0, 0, 0, 0, 0];
            let mut bytes = [0; PIECE];
            bytes[..piece.len()].copy_from_slice(piece);
            for (word, bytes) in record[3..].iter_mut().zip(bytes.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            send(record);
        }
    }

    /// The state of this hash is fetched from these.
    pub(crate) fn fetch(&mut self, digest: Digest, from: Replicas, now: Instant) {
        let fetch = Fetch::new(digest, from, MOST_BYTES);
        let (at, asked_from, until) = (0, None, now.saturating_add(self.patience));
        self.fetching = Some(Fetching { digest, fetch, at, asked_from, until, again: now });
        self.whole = None;
    }

    /// A piece has come.
    pub(crate) fn piece(&mut self, from: ReplicaNumber, part: u8, record: Record, now: Instant) {
        let Some(fetching) = &mut self.fetching else { return };
        if record[1] != first(fetching.digest) || fetching.fetch.source() != Some(from) {
            return;
        }
        if part == GONE {
            fetching.gives_up(now, self.patience);
            return;
        }
        let place = [record[2] >> 32, record[2] & u64::from(u32::MAX)];
        let [Ok(at), Ok(whole)] = place.map(usize::try_from) else { return };
        if at != fetching.at {
            // What is between was lost, and is asked for once more, at once.
            fetching.again = if at > fetching.at { now } else { fetching.again };
            return;
        }
        let words: Vec<u8> = record[3..].iter().flat_map(|word| word.to_le_bytes()).collect();
        let length = whole.saturating_sub(at).min(PIECE);
        fetching.until = now.saturating_add(self.patience);
        match fetching.fetch.receive(from, whole, &words[..length]) {
            Fetched::Whole(state) => {
                let (digest, state) = (fetching.digest, Arc::<[u8]>::from(state));
                (self.fetching, self.whole) = (None, Some(state.clone()));
                self.keep(digest, state, now);
            }
            Fetched::Wrong => {
                self.wrong = self.wrong.with(from);
                fetching.gives_up(now, self.patience);
            }
            _ => {
                fetching.at += length;
                let asked = fetching.asked_from.unwrap_or_default();
                if fetching.at >= asked + WINDOW * PIECE {
                    fetching.asked_from = None;
                }
            }
        }
    }

    /// What there is to do now. It is asked for again after so long.
    pub(crate) fn next(&mut self, now: Instant, repeat: Span) -> Next {
        if let Some(state) = self.whole.take() {
            return Next::Whole(state);
        }
        let Some(fetching) = &mut self.fetching else { return Next::Nobody };
        if now >= fetching.until {
            fetching.gives_up(now, self.patience);
        }
        let Some(asked) = fetching.fetch.source() else { return Next::Nobody };
        if fetching.asked_from.is_some() && now < fetching.again {
            return Next::Wait(fetching.again.min(fetching.until));
        }
        (fetching.asked_from, fetching.again) = (Some(fetching.at), now.saturating_add(repeat));
        let mut record = [head(Kind::Want, 0), fetching.at as u64, 0, 0, 0, 0, 0, 0];
        fetching.digest.put(&mut record[2..6]);
        Next::Ask(asked, record)
    }
}

impl Fetching {
    /// The next one is asked, from the beginning.
    fn gives_up(&mut self, now: Instant, patience: Span) {
        self.fetch.give_up();
        (self.at, self.asked_from, self.until) = (0, None, now.saturating_add(patience));
    }
}

/// Tells pieces of one state from those of another that was wanted before.
fn first(digest: Digest) -> u64 {
    let mut words = [0; 4];
    digest.put(&mut words);
    words[0]
}

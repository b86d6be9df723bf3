//! The structures that keep slots and answer queries.

use windfall_time::{Instant, Span};

/// The last deadline, and the last instant to which time moves: 2^61 ns after the origin, which is 73 years.
///
/// So all sums of structures fit in 64 bits signed (decision 0028).
pub const HORIZON: Instant = Instant::from_nanos(1 << 61);

/// A slot as a structure names it: by deadline, and number of arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key {
    /// When its work must have ended.
    pub deadline: Instant,
    /// The number that was given when it was offered; it wraps after 2^32.
    pub number: u32,
}

/// Keeps accepted tasks as slots, and answers temporal queries (sections 2.2, 2.5, 2.6).
///
/// Slots are in order of deadline, equal ones in order of arrival. Slot j finishes at `now` plus the work left of all slots up to j; its
/// laxity is its deadline minus that. All structures give equal answers to equal calls.
///
/// # The caller promises
/// C1. Work is at least 1 ns, and ends by [`HORIZON`] if nothing else is there; deadlines are later than `now`, and at most [`HORIZON`].
/// C2. `advance` does not move back, nor past [`HORIZON`].
/// C3. Among slots that are there, no two have the same key.
///
/// # The structure promises
/// A1. Every laxity is at least 0 at all times.
/// A2. Queries change no answer.
///
/// ```
/// use windfall_admission::{Key, List, Structure};
/// use windfall_time::{Instant, Span};
///
/// /// What is left before a deadline after 20 ns of work with the same one.
/// fn left<S: Structure>() -> Span {
///     let mut slots = S::new(Instant::ZERO);
///     let deadline = Instant::from_nanos(30);
///     slots.offer(Span::from_nanos(20), Key { deadline, number: 0 }).expect("nothing else is there");
///     slots.room(deadline)
/// }
///
/// assert_eq!(left::<List>(), Span::from_nanos(10));
/// ```
pub trait Structure: Clone {
    /// Its name in tables.
    const NAME: &'static str;

    /// No slots, at this time.
    fn new(now: Instant) -> Self;

    /// The time that was reached.
    fn now(&self) -> Instant;

    /// How many slots there are, those included that are used up and not collected.
    fn len(&self) -> usize;

    /// Whether there are no slots.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The most work that would be admitted with this deadline: the time from the end of all slots of an equal or earlier deadline
    /// to it, or the least laxity of all later slots if that is less; zero if there is none.
    fn room(&self, deadline: Instant) -> Span;

    /// At most what [`Structure::room`] says, found in less time where the structure has a way to (inexact analysis, the end of section 2.2).
    fn room_at_least(&self, deadline: Instant) -> Span {
        self.room(deadline)
    }

    /// The earliest deadline with which this work would be admitted: with k the last slot whose laxity is less than the work, the later of
    /// its deadline and of its end plus the work. It may lie beyond [`HORIZON`].
    fn earliest(&self, work: Span) -> Instant;

    /// Takes the work in if it fits, behind all slots of an equal deadline.
    ///
    /// # Errors
    /// The room by [`Structure::room`], if it is less than the work; nothing has changed then.
    fn offer(&mut self, work: Span, key: Key) -> Result<(), Span>;

    /// Takes a slot out, and says how much work was left of it; `None` if it is not there.
    fn remove(&mut self, key: Key) -> Option<Span>;

    /// Whether a slot is there.
    fn contains(&self, key: Key) -> bool;

    /// The first slot, and how much work is left of it, which is more than zero.
    fn head(&self) -> Option<(Key, Span)>;

    /// Time passes, in which the first slot is worked on, then the next: those whose work is used up are collected. Returns how many.
    ///
    /// A structure that collects later returns 0. Except for [`Structure::len`] it answers as if it had collected them.
    fn advance(&mut self, to: Instant) -> usize;

    /// Collects the slots that are used up; returns how many. None are there, unless the structure collects later than `advance` (section 3).
    fn collect(&mut self) -> usize {
        0
    }

    /// How many bytes of memory it holds on the heap, those that are not in use included.
    fn bytes(&self) -> usize;
}

/// A structure for a processor that is not always there: the work that is done and the time that passes are two numbers.
///
/// ```
/// use windfall_admission::{Key, List, Structure, Supplied};
/// use windfall_time::{Instant, Span};
///
/// let mut slots = List::new(Instant::ZERO);
/// let key = Key { deadline: Instant::from_nanos(30), number: 0 };
/// slots.offer(Span::from_nanos(20), key).expect("nothing else is there");
///
/// // Half of the time the processor was away: 15 of the 20 ns of work are left, for 10 ns.
/// assert_eq!(slots.serve(Span::from_nanos(5), Instant::from_nanos(20)), 0);
/// assert_eq!(slots.late(), Some(key));
/// ```
pub trait Supplied: Structure {
    /// Time moves to `to`, in which `work` of the first slot was done: less than the time that passed if the processor was away, more if
    /// the supply that time is measured on ran ahead. Slots whose work is used up are collected; returns how many.
    ///
    /// The caller gives no more work than is left of the first slot, none if there is none, and does not move back. Laxities may be negative
    /// afterwards: the caller then takes out what [`late`](Self::late) names before it calls anything else.
    fn serve(&mut self, work: Span, to: Instant) -> usize;

    /// The first slot whose laxity is negative, so that it cannot be done in time.
    fn late(&self) -> Option<Key>;
}

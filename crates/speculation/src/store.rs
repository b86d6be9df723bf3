//! The store of a part for all its processes, in pools: events, their effects, copies of states; and the changes when an event is handled or undone.

use crate::context::Effects;
use crate::event::{Entry, Node};
use crate::handled::Handled;
use crate::pool::{NOWHERE, Place, Pool};
use crate::unsure::Unsure;
use crate::{Cancellation, Counts, Key, Model};
use std::collections::TryReserveError;

/// The effects of an event.
#[derive(Debug)]
pub(crate) enum Effect<M: Model> {
    Sent(Entry<M::Event>),
    Output(M::Output),
    Change(M::Change),
}

/// It, and what came of the same event before.
#[derive(Debug)]
pub(crate) struct Logged<M: Model> {
    pub(crate) effect: Effect<M>,
    pub(crate) last: Place,
}

/// So many effects of one event always have room.
pub(crate) const SPARE: usize = 64;

/// For how much a part takes room at the start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Events that are here, be they done or not, beside those that are kept since the last copy.
    pub(crate) events: usize,
    /// Events that are done ahead, and as many that these have sent; and as many that were sent and whose causes are undone.
    pub(crate) ahead: usize,
}

/// The pools, and what is to be done next.
// Fields: the pools, the order of what is done, what a handler did, and what follows from that.
#[derive(Debug)]
pub(crate) struct Store<M: Model> {
    pub(crate) cancellation: Cancellation,
    pub(crate) events: Pool<Node<M::Event>>,
    pub(crate) handled: Handled,
    pub(crate) log: Pool<Logged<M>>,
    pub(crate) copies: Pool<M::State>,
    pub(crate) unsure: Pool<Unsure<M::Event>>,
    /// So many events were sent by those that are done and not certain; or with lazy cancellation by undone ones, and are not taken back.
    pub(crate) ahead: usize,
    /// At most so many.
    most_ahead: usize,
    pub(crate) effects: Effects<M>,
    /// These are to be taken back.
    pub(crate) cancels: Vec<Key>,
    /// After that, these are to be sent.
    pub(crate) sent: Vec<Entry<M::Event>>,
    pub(crate) counts: Counts,
    /// The event at which code of the model runs that must not panic; else [`NOWHERE`].
    pub(crate) at: Place,
}

impl<M: Model> Store<M> {
    pub(crate) fn new(cancellation: Cancellation) -> Self {
        Store {
            cancellation,
            events: Pool::new(),
            handled: Handled::new(),
            log: Pool::new(),
            copies: Pool::new(),
            unsure: Pool::new(),
            ahead: 0,
            most_ahead: 0,
            effects: Effects::new(),
            cancels: Vec::new(),
            sent: Vec::new(),
            counts: Counts::default(),
            at: NOWHERE,
        }
    }

    /// Takes room for so much, and for so many events and copies that are kept to go back to.
    pub(crate) fn reserve(
        &mut self,
        room: Room,
        (kept, copies): (usize, usize),
    ) -> Result<(), TryReserveError> {
        let Room { events, ahead } = room;
        let effects = ahead.saturating_mul(3).saturating_add(2 * SPARE);
        self.events.reserve(events.saturating_add(kept).saturating_add(SPARE))?;
        self.log.reserve(effects)?;
        self.copies.reserve(copies)?;
        self.most_ahead = ahead;
        if self.cancellation == Cancellation::Lazy {
            self.most_ahead = ahead.saturating_mul(2);
            self.unsure.reserve(self.most_ahead.saturating_add(SPARE))?;
        }
        self.cancels.try_reserve_exact(ahead.saturating_add(SPARE))?;
        self.sent.try_reserve_exact(ahead.saturating_add(SPARE))?;
        self.effects.reserve(SPARE)
    }

    /// Whether there is room for what comes of one more event.
    #[inline]
    pub(crate) const fn has_room(&self) -> bool {
        self.ahead < self.most_ahead && self.log.len() + SPARE <= self.log.room()
    }
}

/// The effects of an event, of which this is the last, from the first on. Returns the first.
#[inline]
pub(crate) fn turn<M: Model>(log: &mut Pool<Logged<M>>, mut at: Place) -> Place {
    let mut turned = NOWHERE;
    while at != NOWHERE {
        let last = core::mem::replace(&mut log[at].last, turned);
        (turned, at) = (at, last);
    }
    turned
}

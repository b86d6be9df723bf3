//! All memory of a [`Timed`](super::Timed) run, which is taken at its beginning.

use super::{ByEvent, Late};
use crate::commit::Certain;
use crate::part::Part;
use crate::store::{Room, SPARE};
use crate::{Model, RunError};
use std::collections::{TryReserveError, VecDeque};
use windfall_admission::{Admission, BPlusTree, Ticket};
use windfall_time::Instant;

/// Room for all events that may be here.
pub(super) struct Memory<M: Model> {
    pub(super) certain: Certain<M>,
    pub(super) list: Admission<BPlusTree>,
    pub(super) slots: ByEvent<Ticket>,
    pub(super) inputs: ByEvent<M::Event>,
    pub(super) late: VecDeque<Late>,
}

impl<M: Model> Memory<M> {
    /// As many events wait at most as in order, and with what is done ahead come as many, and as many that undone ones have sent.
    pub(super) fn take(
        part: &mut Part<M>,
        (most, ahead): (u32, u32),
        begin: Instant,
    ) -> Result<Self, RunError> {
        let all = most.saturating_add(ahead.saturating_mul(2));
        let list = Admission::new(begin, all).map_err(|_| RunError::Interrupted)?;
        let room = Room { events: all as usize, ahead: ahead as usize };
        Memory::with(part, list, (room, most as usize))
            .map_err(|error| RunError::no_memory((room.events, part.kept().0), &error))
    }

    fn with(
        part: &mut Part<M>,
        mut list: Admission<BPlusTree>,
        (room, most): (Room, usize),
    ) -> Result<Self, TryReserveError> {
        let Room { events, .. } = room;
        part.reserve(room)?;
        // All that is here may be taken back at once, and others come.
        part.changes.iter_mut().try_for_each(|all| all.try_reserve_exact(events + 2 * SPARE))?;
        list.reserve()?;
        let (mut certain, mut late) = (Certain::new(), VecDeque::new());
        certain.reserve(SPARE)?;
        late.try_reserve_exact(events)?;
        let (slots, inputs) = (ByEvent::new(events)?, ByEvent::new(most)?);
        Ok(Memory { certain, list, slots, inputs, late })
    }
}

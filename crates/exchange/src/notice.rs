//! Notifications by name (Multics memo: addevent, delevent, notify, wait): a table of rows, each a list of entries.
//!
//! An entry is one process entered for one event; its word says whether it still is, and whether the process sleeps. To notify is to take
//! all entries for an event out, by their words, and to wake the row's sleepers at once. An entry that is out stays in its list until it
//! is found there at the head: its process can put it in again by its word alone. Entries are numbered anew each time that they
//! are assigned, and links name that number: a reader that strays into another list notices it.

use crate::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use crate::pool::{NIL, Placed, Pool, high, low, word};
use crate::{Exchange, ExchangeError, Futex, Mine};

/// An entry's place.
#[derive(Debug, Default)]
#[repr(align(32))]
struct Entry {
    /// Its number (high half) and phase.
    state: AtomicU64,
    id: AtomicU64,
    /// The next in the row: number and place.
    next: AtomicU64,
    link: AtomicU32,
}

impl Placed for Entry {
    fn link(&self) -> &AtomicU32 {
        &self.link
    }
}

/// Free, or about to be taken.
const FREE: u32 = 0;
/// Entered.
const IN: u32 = 1;
/// Entered, and waiting for that.
const WAITING: u32 = 2;
/// Out: notified or deleted; its process may put it in again.
const OUT: u32 = 3;
/// Out for good.
const SPENT: u32 = 4;

/// Events whose names fall together.
#[derive(Debug)]
struct Row {
    /// The first entry: number and place.
    head: AtomicU64,
    /// The word that waiters sleep on; counts notifications that were waited for.
    bell: AtomicU32,
}

#[derive(Debug)]
pub(crate) struct Notices {
    entries: Pool<Entry>,
    rows: Box<[Row]>,
}

const NOTHING: u64 = u64::MAX;

impl Notices {
    pub(crate) fn new(entries: u32, rows: u32) -> Notices {
        let row = |_| Row { head: AtomicU64::new(NOTHING), bell: AtomicU32::new(0) };
        let rows = (0..rows.max(1).next_power_of_two()).map(row).collect();
        Notices { entries: Pool::new(entries), rows }
    }

    pub(crate) fn bells(&self) -> impl Iterator<Item = &AtomicU32> {
        self.rows.iter().map(|row| &row.bell)
    }

    #[inline]
    fn row(&self, id: u64) -> &Row {
        let mixed = id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let mask = self.rows.len() as u64 - 1;
        &self.rows[usize::try_from(mixed & mask).unwrap_or(0)]
    }
}

/// The event and entry (number and place) that a process waits for, or waited for last.
#[derive(Debug, Default)]
pub struct Entered {
    entries: Vec<(u64, u64)>,
    /// When there are more, those that are out are given up.
    limit: usize,
}

/// So many entries that are out a process keeps for the next time.
const KEPT: usize = if cfg!(loom) { 0 } else { 8 };

impl Entered {
    #[inline]
    fn find(&self, id: u64) -> Option<(usize, u64)> {
        let at = self.entries.iter().position(|(other, _)| *other == id)?;
        Some((at, self.entries[at].1))
    }
}

impl Exchange {
    /// Moves an entry from one phase to another.
    #[inline]
    fn turn(&self, entry: u64, from: u32, to: u32) -> Result<(), u64> {
        let state = &self.notices.entries.at(low(entry)).state;
        let (from, to) = (word(high(entry), from), word(high(entry), to));
        state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).map(|_| ())
    }

    /// Enters the process for an event.
    ///
    /// # Errors
    /// [`ExchangeError::Entered`], [`ExchangeError::NoRoom`].
    #[inline]
    pub fn add_event(&self, mine: &mut Mine, id: u64) -> Result<(), ExchangeError> {
        let entered = &mut mine.entered;
        if let Some((at, entry)) = entered.find(id) {
            match self.turn(entry, OUT, IN) {
                Ok(()) => {
                    // What the process looks at next is looked at after it was entered.
                    fence(Ordering::SeqCst);
                    return Ok(());
                }
                Err(state) if high(state) == high(entry) && low(state) == IN => {
                    return Err(ExchangeError::Entered);
                }
                Err(_) => drop(entered.entries.swap_remove(at)),
            }
        }
        self.add_anew(mine, id)
    }

    #[cold]
    fn add_anew(&self, mine: &mut Mine, id: u64) -> Result<(), ExchangeError> {
        let Notices { entries, .. } = &self.notices;
        if mine.entered.entries.len() >= mine.entered.limit {
            self.tidy(mine);
            mine.entered.limit = KEPT.max(2 * mine.entered.entries.len());
        }
        let index = match entries.take() {
            Some(index) => index,
            None => {
                self.tidy(mine);
                entries.take().ok_or(ExchangeError::NoRoom)?
            }
        };
        let entry = entries.at(index);
        let number = high(entry.state.load(Ordering::Relaxed)).wrapping_add(1);
        entry.state.store(word(number, FREE), Ordering::Relaxed);
        // Whoever strayed here and sees what follows sees the new number, too.
        entry.id.store(id, Ordering::Release);
        let row = self.notices.row(id);
        let mut head = row.head.load(Ordering::Relaxed);
        let own = word(number, index);
        loop {
            entry.next.store(head, Ordering::Release);
            entry.state.store(word(number, IN), Ordering::Release);
            let (done, lost) = (Ordering::Release, Ordering::Relaxed);
            match row.head.compare_exchange(head, own, done, lost) {
                Ok(_) => break,
                Err(other) => head = other,
            }
        }
        fence(Ordering::SeqCst);
        mine.entered.entries.push((id, own));
        Ok(())
    }

    /// Takes the entry of the process for an event back; whether there was one.
    #[inline]
    pub fn del_event(&self, mine: &mut Mine, id: u64) -> bool {
        let found = mine.entered.find(id);
        found.is_some_and(|(_, entry)| self.turn(entry, IN, OUT).is_ok())
    }

    /// Takes all entries for an event out and wakes its waiters; how many there were.
    #[inline]
    pub fn notify(&self, id: u64, futex: &impl Futex) -> u32 {
        // What was done before is seen by whoever enters himself after this has looked.
        fence(Ordering::SeqCst);
        let row = self.notices.row(id);
        if row.head.load(Ordering::Relaxed) == NOTHING {
            return 0;
        }
        let waited = self.take_out(row, id);
        if waited > 0 {
            row.bell.fetch_add(1, Ordering::Release);
            futex.wake_all(&row.bell);
        }
        waited
    }

    /// Takes all entries for an event out; how many waited.
    fn take_out(&self, row: &Row, id: u64) -> u32 {
        let mut waited = 0;
        let mut at = row.head.load(Ordering::Acquire);
        while at != NOTHING {
            let entry = self.notices.entries.at(low(at));
            let its = entry.id.load(Ordering::Acquire);
            let next = entry.next.load(Ordering::Acquire);
            let state = entry.state.load(Ordering::Acquire);
            if high(state) != high(at) {
                at = row.head.load(Ordering::Acquire); // it has left, and belongs elsewhere
                continue;
            }
            if its == id && matches!(low(state), IN | WAITING) {
                if self.turn(at, low(state), OUT).is_err() {
                    continue; // it begins to wait, or is deleted: look again
                }
                waited += u32::from(low(state) == WAITING);
            }
            at = next;
        }
        waited
    }

    /// Waits until an event is notified; at once when the process is not entered for it.
    ///
    /// # Errors
    /// [`ExchangeError::Over`].
    #[inline]
    pub fn wait_event(
        &self,
        mine: &mut Mine,
        id: u64,
        futex: &impl Futex,
    ) -> Result<(), ExchangeError> {
        let Some((_, entry)) = mine.entered.find(id) else { return Ok(()) };
        let bell = &self.notices.row(id).bell;
        let mut rings = bell.load(Ordering::Acquire);
        if self.turn(entry, IN, WAITING).is_err() {
            return Ok(());
        }
        loop {
            if !futex.wait(bell, rings) {
                return Err(ExchangeError::Over);
            }
            rings = bell.load(Ordering::Acquire);
            let state = self.notices.entries.at(low(entry)).state.load(Ordering::Acquire);
            if state != word(high(entry), WAITING) {
                return Ok(());
            }
        }
    }

    /// Gives up the entries of a process that are out.
    fn tidy(&self, mine: &mut Mine) {
        let entries = &mut mine.entered.entries;
        let mut at = 0;
        while let Some((id, entry)) = entries.get(at).copied() {
            self.clear_head(self.notices.row(id));
            let state = self.notices.entries.at(low(entry)).state.load(Ordering::Relaxed);
            let kept = high(state) == high(entry) && matches!(low(state), IN | WAITING);
            if kept {
                at += 1;
            } else {
                let _ = self.turn(entry, OUT, SPENT);
                entries.swap_remove(at);
            }
        }
    }

    /// The process is entered nowhere any more.
    pub(crate) fn leave_all(&self, mine: &mut Mine) {
        for (_, entry) in &mine.entered.entries {
            for phase in [IN, WAITING, OUT] {
                let _ = self.turn(*entry, phase, SPENT);
            }
        }
        self.tidy(mine);
    }

    /// Frees the entries at the head of a row that are out.
    fn clear_head(&self, row: &Row) {
        let entries = &self.notices.entries;
        let mut head = row.head.load(Ordering::Acquire);
        while head != NOTHING {
            let entry = entries.at(low(head));
            let next = entry.next.load(Ordering::Acquire);
            let state = entry.state.load(Ordering::Acquire);
            if high(state) == high(head) {
                let spent = low(state) == SPENT || self.turn(head, OUT, SPENT).is_ok();
                if !spent {
                    return;
                }
                let (done, lost) = (Ordering::AcqRel, Ordering::Relaxed);
                if row.head.compare_exchange(head, next, done, lost).is_ok() {
                    entries.give(low(head));
                }
            }
            head = row.head.load(Ordering::Acquire);
        }
    }
}

const _: () = assert!(NOTHING == word(NIL, NIL));

//! Messages of a few words, which many send and one reads, in the order in which they were sent.

use crate::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::inbox::Inbox;
use crate::pool::{NIL, Placed};
use crate::{Exchange, ExchangeError, Futex};

/// The place of an entry.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    words: [AtomicU64; 4],
    link: AtomicU32,
}

impl Placed for Entry {
    fn link(&self) -> &AtomicU32 {
        &self.link
    }
}

/// Where messages arrive. One thread reads them.
#[derive(Debug, Default)]
pub struct Mailbox(Inbox);

impl Mailbox {
    /// The reader sleeps until there is an entry; false when the futex waits no more, which may be for a while.
    pub fn sleep(&self, futex: &impl Futex) -> bool {
        self.0.sleep(futex)
    }

    /// The word that the reader sleeps on.
    #[must_use]
    pub const fn futex(&self) -> &AtomicU32 {
        self.0.futex()
    }
}

impl Exchange {
    /// Sends an entry.
    ///
    /// # Errors
    /// [`ExchangeError::NoRoom`].
    pub fn send(
        &self,
        to: &Mailbox,
        entry: [u64; 4],
        futex: &impl Futex,
    ) -> Result<(), ExchangeError> {
        let index = self.messages.take().ok_or(ExchangeError::NoRoom)?;
        for (place, word) in self.messages.at(index).words.iter().zip(entry) {
            place.store(word, Ordering::Relaxed);
        }
        to.0.push(&self.messages, index, futex);
        Ok(())
    }

    /// Reads all messages that have arrived.
    pub fn read(&self, mailbox: &Mailbox, mut each: impl FnMut([u64; 4])) {
        let mut index = mailbox.0.take(&self.messages);
        while index != NIL {
            let entry = self.messages.at(index);
            let next = entry.link.load(Ordering::Relaxed);
            let [a, b, c, d] = &entry.words;
            each([a, b, c, d].map(|word| word.load(Ordering::Relaxed)));
            self.messages.give(index);
            index = next;
        }
    }
}

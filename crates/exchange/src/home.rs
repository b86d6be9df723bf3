//! The place of a process: its wakeup-waiting switch and its inbox, and what it alone knows of itself.

use crate::atomic::AtomicU32;
use crate::event::Hand;
use crate::inbox::Inbox;
use crate::notice::Entered;
use crate::pool::{NIL, Placed};
use crate::switch::Switch;
use crate::{Exchange, ExchangeError, Futex, Name};

/// The part of a process that others see.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct Home {
    pub(crate) switch: Switch,
    pub(crate) inbox: Inbox,
    link: AtomicU32,
}

impl Placed for Home {
    fn link(&self) -> &AtomicU32 {
        &self.link
    }
}

/// The part of a process that only itself has. Calls that only the process may make require it.
#[derive(Debug)]
pub struct Mine {
    pub(crate) name: Name,
    /// Posted events that it has found in its inbox, the oldest first.
    pub(crate) hand: Hand,
    /// The places of its events.
    pub(crate) events: Vec<u32>,
    /// The event and entry that it waits for, or waited for last.
    pub(crate) entered: Entered,
}

impl Mine {
    /// The name of the process.
    #[must_use]
    pub const fn name(&self) -> Name {
        self.name
    }
}

impl Exchange {
    /// A process comes into being.
    ///
    /// # Errors
    /// [`ExchangeError::NoRoom`].
    pub fn enter(&self) -> Result<Mine, ExchangeError> {
        let index = self.homes.take().ok_or(ExchangeError::NoRoom)?;
        let generation = self.homes.at(index).switch.open();
        let hand = Hand { first: NIL, last: NIL };
        let (events, entered) = (Vec::new(), Entered::default());
        Ok(Mine { name: Name { index, generation }, hand, events, entered })
    }

    /// A process is gone, and its events and entries with it.
    pub fn exit(&self, mut mine: Mine) {
        while let Some(index) = mine.events.last().copied() {
            let generation = self.events.at(index).generation();
            if self.delete_event(&mut mine, Name { index, generation }).is_err() {
                mine.events.pop();
            }
        }
        self.leave_all(&mut mine);
        if self.home(&mine).switch.close(mine.name.generation) {
            self.homes.give(mine.name.index);
        }
    }

    pub(crate) fn home(&self, mine: &Mine) -> &Home {
        self.homes.at(mine.name.index)
    }

    /// The word that the process sleeps on while it waits for its events.
    #[must_use]
    pub fn futex(&self, mine: &Mine) -> &AtomicU32 {
        self.home(mine).inbox.futex()
    }

    /// Whether the process is there.
    ///
    /// # Errors
    /// [`ExchangeError::Gone`].
    pub fn check_process(&self, process: Name) -> Result<(), ExchangeError> {
        let home = self.homes.get(process.index);
        home.filter(|home| home.switch.is(process.generation))
            .map(|_| ())
            .ok_or(ExchangeError::Gone)
    }

    /// Wakes a process that is blocked; else sets its switch.
    ///
    /// # Errors
    /// [`ExchangeError::Gone`].
    #[inline]
    pub fn wakeup(&self, process: Name, futex: &impl Futex) -> Result<(), ExchangeError> {
        let home = self.homes.get(process.index).ok_or(ExchangeError::Gone)?;
        home.switch.wakeup(process.generation, futex)
    }

    /// Waits for a wake-up.
    ///
    /// # Errors
    /// [`ExchangeError::Over`].
    #[inline]
    pub fn block(&self, mine: &mut Mine, futex: &impl Futex) -> Result<(), ExchangeError> {
        self.home(mine).switch.block(mine.name.generation, futex)
    }

    /// Wakes all sleepers, which find that waiting is over.
    pub fn wake_everybody(&self, futex: &impl Futex) {
        for home in self.homes.all() {
            futex.wake_all(home.switch.futex());
            futex.wake_all(home.inbox.futex());
        }
        self.notices.bells().for_each(|bell| futex.wake_all(bell));
    }
}

//! Notices about scheduling (HLS 4.3.12), as posts of an event of the process that wants them.
//!
//! Invariant: a notice that came is in the event's datum, or in the set that is posted when the process has taken that.

use super::System;
use crate::process::{Answer, Event, ProcessError, ProcessHandle, Reply};
use crate::request::Notices;

impl System {
    /// Has notices posted to an event of the process's own, instead of to the one before.
    pub(super) fn want_notices(&mut self, me: ProcessHandle, event: Event) -> Answer {
        self.events.own(event, me)?;
        let pending = self.notices.get(&me).map_or_else(Notices::default, |(_, pending)| *pending);
        self.notices.insert(me, (event, pending));
        Ok(Reply::DONE)
    }

    pub(crate) fn wants_notices(&self, process: ProcessHandle) -> bool {
        self.notices.contains_key(&process)
    }

    /// Keeps notices for a process that wants them, and posts them if its event can be posted.
    pub(crate) fn notice(&mut self, process: ProcessHandle, notices: Notices) {
        if let Some((_, pending)) = self.notices.get_mut(&process) {
            notices.iter().for_each(|notice| pending.insert(notice));
            self.post_notices(process);
        }
    }

    /// Posts what is kept for a process, if its event can be posted.
    pub(super) fn post_notices(&mut self, process: ProcessHandle) {
        let Some((event, pending)) = self.notices.get(&process).copied() else { return };
        if pending.is_empty() {
            return;
        }
        match self.events.post(event, pending.word()) {
            Ok(owner) => {
                self.notices.insert(process, (event, Notices::default()));
                self.posted(owner, event, None);
            }
            // It is posted once its owner has taken what is there.
            Err(ProcessError::AlreadyPosted { .. } | ProcessError::InQueue { .. }) => {}
            // The process has deleted it, and wants no more.
            Err(_) => {
                self.notices.remove(&process);
            }
        }
    }
}

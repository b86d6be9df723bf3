//! The traffic controller's calls: the wakeup-waiting switch, and notifications.

use super::{CallOutcome, System, Waits, Woken};
use crate::process::{Answer, EventId, ProcessHandle, Reply};

impl System {
    pub(super) fn wakeup(&mut self, me: ProcessHandle, process: ProcessHandle) -> Answer {
        let by = self.thread_of(me);
        let proc = self.processes.at(process.handle())?;
        if proc.waits == Waits::WakeUp {
            proc.waits = Waits::Not;
            self.woken.push_back(Woken { thread: proc.thread, done: true, by });
        } else {
            proc.wakeup = true;
        }
        Ok(Reply::DONE)
    }

    pub(super) fn block(&mut self, me: ProcessHandle) -> CallOutcome {
        match self.processes.at(me.handle()) {
            Ok(proc) if proc.wakeup => {
                proc.wakeup = false;
                CallOutcome::Done(Ok(Reply::DONE))
            }
            _ => self.waits(me, Waits::WakeUp),
        }
    }

    pub(super) fn notify(&mut self, me: ProcessHandle, id: EventId) -> Reply {
        let by = self.thread_of(me);
        let mut waited = 0;
        for process in self.traffic.notify(id) {
            if let Ok(proc) = self.processes.at(process.handle())
                && proc.waits == Waits::Notice(id)
            {
                proc.waits = Waits::Not;
                self.woken.push_back(Woken { thread: proc.thread, done: true, by });
                waited += 1;
            }
        }
        Reply::datum(Some(waited))
    }

    pub(super) fn wait_event(&mut self, me: ProcessHandle, id: EventId) -> CallOutcome {
        if self.traffic.is_entered(id, me) {
            return self.waits(me, Waits::Notice(id));
        }
        CallOutcome::Done(Ok(Reply::DONE))
    }
}

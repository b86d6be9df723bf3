//! What is found out from /proc, a little each time, so that no decision waits for it.
//!
//! A thread that makes others makes hundreds in the time that it takes to look them up. Meanwhile they are
//! on a rung of ours, where they harm nobody.

use crate::adopt::Stranger;
use crate::member::Kind;
use crate::proc;
use crate::supervisor::Supervisor;
use std::collections::VecDeque;
use windfall_time::{Instant, Span};

/// So long is spent on them at a time, and so long is left to others in between.
const TURN: Span = Span::from_nanos(500_000);
const PAUSE: Span = Span::from_millis(1);

/// Something to be found out.
pub(crate) enum Chore {
    /// A thread was made: the entry of its program, and what it is to be afterwards.
    Born { tid: i32, stranger: Stranger },
    /// What a member does is not known.
    Doubt(u32),
    /// A process may have been made by a program unseen, or have made threads.
    Process(i32),
}

/// All that is to be found out, and when it goes on.
#[derive(Default)]
pub(crate) struct Chores {
    queue: VecDeque<Chore>,
    next: Instant,
}

impl Chores {
    pub(crate) fn add(&mut self, chore: Chore) {
        self.queue.push_back(chore);
    }

    /// When there is something to be done; `None`: never.
    pub(crate) fn due(&self) -> Option<Instant> {
        (!self.queue.is_empty()).then_some(self.next)
    }
}

impl Supervisor {
    /// Does some of what there is to be done.
    pub(crate) fn do_chores(&mut self) {
        if self.chores.due().is_none_or(|due| due > self.time()) {
            return;
        }
        let until = self.time() + TURN;
        while let Some(chore) = self.chores.queue.pop_front() {
            match chore {
                Chore::Born { tid, stranger } => {
                    if let Some(pid) = proc::process_of(tid) {
                        let now = self.time();
                        self.take(tid, pid, stranger, now);
                    }
                }
                Chore::Doubt(number) => self.look_at_state(number),
                Chore::Process(pid) => self.look_at_process(pid),
            }
            if self.time() > until {
                break;
            }
        }
        self.chores.next = self.time() + PAUSE;
    }

    /// Events were lost, or something was not seen: who there is and what they do is read from /proc.
    pub(crate) fn look_again(&mut self) {
        if self.chores.queue.iter().any(|chore| matches!(chore, Chore::Doubt(_))) {
            return;
        }
        let live = self.members.iter().enumerate();
        let live = live.filter(|(_, member)| member.is_foreign() && member.id.is_some());
        let doubts = live.map(|(at, _)| Chore::Doubt(u32::try_from(at).unwrap_or(u32::MAX)));
        self.chores.queue.extend(doubts);
        if !self.programs.by_entry.is_empty() {
            self.chores.queue.extend(proc::processes().into_iter().map(Chore::Process));
        }
    }

    fn look_at_state(&mut self, number: u32) {
        let member = &self.members[number as usize];
        if member.id.is_none() || member.frozen {
            return;
        }
        let now = self.time();
        let state = proc::stat(member.tid).map(|stat| stat.state);
        self.members[number as usize].heard = now;
        match state {
            None | Some('Z' | 'X') => self.becomes_gone(number, now),
            Some('R') => self.becomes_ready(number, now, None),
            Some(_) => self.becomes_blocked(number, now),
        }
    }

    fn look_at_process(&mut self, pid: i32) {
        let Some(stat) = proc::stat(pid) else { return };
        let stranger = [pid, stat.ppid].into_iter().find_map(|pid| {
            self.members.iter().filter(|member| member.id.is_some()).find_map(|m| match m.kind {
                Kind::Foreign { pid: its, program, .. } if its == pid => {
                    Some(Stranger { program, former: m.former })
                }
                _ => None,
            })
        });
        let Some(stranger) = stranger else { return };
        for tid in proc::threads(pid) {
            let now = self.time();
            self.take(tid, pid, stranger, now);
        }
    }
}

//! Later posts: by timers, and on their way to another node.
//!
//! Invariant: entries due at one instant come out in the order in which they were added, so posts arrive in the
//! order in which they were sent.

use super::dual_queue::Datum;
use super::events::Ticket;
use super::{Event, Node, Queue};
use std::collections::BTreeMap;
use windfall_time::Instant;

/// A post to another node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Post {
    pub(super) event: Event,
    pub(super) what: What,
    /// The thread that sent it, if one did.
    pub(super) by: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// The datum of an ordinary post.
    Posted(u64),
    /// A datum of a queue, for the event that entered it with this ticket.
    Handed { queue: Queue, ticket: Ticket, datum: Datum },
}

#[derive(Default)]
pub(crate) struct Agenda {
    timers: BTreeMap<(Instant, u64), (Event, u64)>,
    posts: BTreeMap<(Instant, u64), Post>,
    count: u64,
}

impl Agenda {
    fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    pub(super) fn set_timer(&mut self, at: Instant, event: Event, datum: u64) {
        let number = self.next();
        self.timers.insert((at, number), (event, datum));
    }

    pub(super) fn cancel(&mut self, at: Instant, event: Event) {
        let mut due = self.timers.range((at, 0)..=(at, u64::MAX));
        if let Some(key) = due.find(|(_, (other, _))| *other == event).map(|(key, _)| *key) {
            self.timers.remove(&key);
        }
    }

    pub(super) fn send(&mut self, at: Instant, post: Post) {
        let number = self.next();
        self.posts.insert((at, number), post);
    }

    /// The time at which the next timer is due.
    pub(crate) fn next_timer(&self) -> Option<Instant> {
        self.timers.keys().next().map(|(at, _)| *at)
    }

    /// The nodes of events whose timers are due.
    pub(crate) fn due_nodes(&self, now: Instant) -> impl Iterator<Item = Node> + '_ {
        self.timers.range(..=(now, u64::MAX)).map(|(_, (event, _))| event.handle().node())
    }

    /// The time at which the next post arrives.
    pub(crate) fn next_post(&self) -> Option<Instant> {
        self.posts.keys().next().map(|(at, _)| *at)
    }

    pub(super) fn timer_due(&mut self, now: Instant) -> Option<(Event, u64)> {
        due(&mut self.timers, now)
    }

    pub(super) fn post_due(&mut self, now: Instant) -> Option<Post> {
        due(&mut self.posts, now)
    }
}

fn due<T>(entries: &mut BTreeMap<(Instant, u64), T>, now: Instant) -> Option<T> {
    let first = entries.first_entry()?;
    (first.key().0 <= now).then(|| first.remove())
}

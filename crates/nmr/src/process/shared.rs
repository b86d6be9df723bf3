//! The data that the replicas of a computation share beside their rings: the life of each that counts, the event that it waits for, and its notices.
//!
//! Invariant: what is told to a process is here before its event is posted, and a process has said what it waits for before it looks here. So nothing is missed.

use super::voting::{State, Voting};
use crate::control::Control;
use crate::participant::{Link, Vote, link};
use crate::remedies::Heard;
use crate::{ReplicaNumber, Replicas};
use std::sync::{Mutex, MutexGuard, PoisonError};
use windfall_programs::Event;

/// The shared knowledge of a replica or spare.
#[derive(Default)]
struct Place {
    /// Which of its lives counts; 0 before the first.
    life: u32,
    /// The ends of the life that has not begun.
    links: Vec<(ReplicaNumber, Link)>,
    /// The events that it waits for, once they are there: something has arrived, and a time.
    events: Option<[Event; 2]>,
    /// Whether its life that counts sends nothing any longer.
    has_ended: bool,
    mail: Vec<Control>,
}

/// Reports that the manager has not read.
#[derive(Default)]
struct Inbox {
    event: Option<Event>,
    heard: Vec<Heard>,
}

pub(super) struct Shared {
    pub(super) voting: Voting,
    places: Mutex<Vec<Place>>,
    inbox: Mutex<Inbox>,
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// With all replicas linked, and the first life of each.
    pub(super) fn new(voting: Voting) -> Shared {
        let settings = &voting.settings;
        let mut places: Vec<Place> = (0..settings.places()).map(|_| Place::default()).collect();
        for one in 0..settings.replicas {
            for other in one + 1..settings.replicas {
                let (here, there) = link(1, 1, settings);
                places[usize::from(one)].links.push((ReplicaNumber(other), here));
                places[usize::from(other)].links.push((ReplicaNumber(one), there));
            }
            places[usize::from(one)].life = 1;
        }
        *open(&voting.votes) = vec![Vec::new(); settings.places()];
        Shared { voting, places: Mutex::new(places), inbox: Mutex::default() }
    }

    fn of<T>(&self, replica: ReplicaNumber, look: impl FnOnce(&mut Place) -> T) -> T {
        look(&mut open(&self.places)[replica.index()])
    }

    /// This was voted, as a replica has heard.
    pub(super) fn votes(&self, replica: ReplicaNumber, vote: Vote<State>) {
        open(&self.voting.votes)[replica.index()].push((vote.iteration, vote.value));
    }

    /// Another life of a replica counts from now on; which, and what the last one waits for.
    pub(super) fn begins(&self, replica: ReplicaNumber) -> (u32, Option<[Event; 2]>) {
        self.of(replica, |place| {
            let life = place.life + 1;
            let before = std::mem::replace(place, Place { life, ..Place::default() });
            (life, before.events)
        })
    }

    /// The ends of a life that is to begin.
    pub(super) fn links(&self, replica: ReplicaNumber, links: Vec<(ReplicaNumber, Link)>) {
        self.of(replica, |place| place.links = links);
    }

    pub(super) fn takes_links(&self, replica: ReplicaNumber) -> Vec<(ReplicaNumber, Link)> {
        self.of(replica, |place| std::mem::take(&mut place.links))
    }

    /// The event that this life waits for, if it counts.
    pub(super) fn waits_for(&self, (replica, life): (ReplicaNumber, u32), events: [Event; 2]) {
        self.of(replica, |place| {
            if place.life == life {
                place.events = Some(events);
            }
        });
    }

    /// The datum that is posted when there is something to read for a replica.
    pub(super) fn arrived(&self, replica: ReplicaNumber) -> Option<Event> {
        self.of(replica, |place| place.events.map(|[arrived, _]| arrived))
    }

    /// This life sends nothing any longer.
    pub(super) fn ends(&self, (replica, life): (ReplicaNumber, u32)) {
        self.of(replica, |place| place.has_ended |= place.life == life);
    }

    /// Whether the life of a replica that counts ends by itself.
    pub(super) fn has_ended(&self, replica: ReplicaNumber) -> bool {
        self.of(replica, |place| place.has_ended)
    }

    /// Whether nothing more comes from this life.
    pub(super) fn is_over(&self, (replica, life): (ReplicaNumber, u32)) -> bool {
        self.of(replica, |place| place.has_ended || place.life != life)
    }

    /// Those that have begun.
    pub(super) fn begun(&self) -> Replicas {
        let places = open(&self.places);
        let numbers = (0..ReplicaNumber::MOST).map(ReplicaNumber);
        let begun = numbers.zip(&*places).filter(|(_, place)| place.life > 0);
        begun.map(|(replica, _)| replica).collect()
    }

    pub(super) fn send(&self, replica: ReplicaNumber, control: Control) {
        self.of(replica, |place| place.mail.push(control));
    }

    /// The notices to this life; `None` if it does not count any longer.
    pub(super) fn takes_mail(&self, (replica, life): (ReplicaNumber, u32)) -> Option<Vec<Control>> {
        self.of(replica, |place| (place.life == life).then(|| std::mem::take(&mut place.mail)))
    }

    /// The event that the manager waits for.
    pub(super) fn is_managed(&self, event: Event) {
        open(&self.inbox).event = Some(event);
    }

    /// For whoever looks after the replicas; what is posted then.
    pub(super) fn reports(&self, heard: Heard) -> Option<Event> {
        let mut inbox = open(&self.inbox);
        inbox.heard.push(heard);
        inbox.event
    }

    pub(super) fn takes_heard(&self) -> Vec<Heard> {
        std::mem::take(&mut open(&self.inbox).heard)
    }
}

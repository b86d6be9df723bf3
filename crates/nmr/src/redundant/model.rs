//! All ways in which replicas on threads can meet, tried one by one (loom): what is written while another goes to sleep, who is replaced meanwhile, and what is fetched. A replica that sleeps has no end to its sleep here, so a wake-up that
//! is lost is found as a deadlock.
//!
//! `cargo xtask model`. Ways with more preemptions than [`PREEMPTIONS`] are not tried.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use super::links::Links;
use super::replica::{NewReplica, Replica};
use super::shelf::Served;
use super::stateful::Stateful;
use super::{Injected, Vote, VoteError};
use crate::participant::{Link, Participant, link};
use crate::{Digest, Iteration, Majority, ReplicaNumber, Replicas, Settings, Value};
use loom::thread;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use windfall_exchange::atomic::SWEEPING;

const PREEMPTIONS: usize = 4;

/// Longer than a model takes: time decides nothing here.
const PATIENCE: Duration = Duration::from_secs(1 << 20);

type Ends = Vec<(ReplicaNumber, Link)>;

/// So many replicas, and what links each to the others.
struct World {
    settings: Settings,
    links: Arc<Links>,
    ends: Vec<Ends>,
}

impl World {
    fn new(replicas: u8) -> World {
        let settings = Settings::new(replicas).queue(1);
        let links = Arc::new(Links::new(usize::from(replicas)));
        let mut ends: Vec<Ends> = (0..replicas).map(|_| Vec::new()).collect();
        for one in 0..replicas {
            links.begins(ReplicaNumber(one));
            for other in one + 1..replicas {
                let (here, there) = link(1, 1, &settings);
                ends[usize::from(one)].push((ReplicaNumber(other), here));
                ends[usize::from(other)].push((ReplicaNumber(one), there));
            }
        }
        World { settings, links, ends }
    }

    /// A replica as its thread makes it. It tells a manager, whom nobody plays, what it finds.
    fn new_replica(
        &mut self,
        number: u8,
    ) -> impl FnOnce() -> Replica<Digest, Majority> + Send + 'static {
        let links = std::mem::take(&mut self.ends[usize::from(number)]);
        let active = Replicas::first(self.settings.replicas);
        let (number, rule) = (ReplicaNumber(number), Majority::EXACT);
        let new = NewReplica { number, life: 1, active, is_joining: false, links, rule };
        let (settings, all) = (self.settings.clone(), self.links.clone());
        move || {
            let (sender, _) = std::sync::mpsc::channel();
            Replica::new(new, &settings, PATIENCE, (all, sender, Arc::new([])))
        }
    }

    /// A replica's part in votes, for one that never waits.
    fn part(&mut self, number: u8) -> Participant<Digest, Majority> {
        let links = std::mem::take(&mut self.ends[usize::from(number)]);
        let active = Replicas::first(self.settings.replicas);
        let rule = (&self.settings, Majority::EXACT);
        Participant::new(ReplicaNumber(number), rule, active, false, links)
    }
}

fn model(body: impl Fn() + Sync + Send + 'static) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let body = Arc::new(body);
    for sweeping in [false, true] {
        SWEEPING.store(sweeping, std::sync::atomic::Ordering::Relaxed);
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(PREEMPTIONS);
        builder.max_branches = 10_000;
        builder.checkpoint_interval = 500;
        let seconds = std::env::var("WINDFALL_MODEL_SECONDS").ok();
        builder.max_duration = seconds.and_then(|text| text.parse().ok()).map(Duration::from_secs);
        let ways = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let (counted, body) = (ways.clone(), body.clone());
        let begun = std::time::Instant::now();
        builder.check(move || {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            body();
        });
        let over = builder.max_duration.is_some_and(|most| begun.elapsed() >= most);
        let all = if over { "; there are more" } else { "" };
        let how = if sweeping { "orders" } else { "ways, loads out of date included" };
        eprintln!("{} {how}{all}", ways.load(std::sync::atomic::Ordering::Relaxed));
    }
}

fn value(n: u64) -> Digest {
    Digest::from_words([n, !n, n + 1, n + 2])
}

#[test]
fn law_two_that_vote_wake_each_other() {
    model(|| {
        let mut world = World::new(2);
        let (one, other) = (world.new_replica(0), world.new_replica(1));
        let votes = |new: Replica<Digest, Majority>| {
            let mut replica = new;
            (1..=2).map(|n| replica.vote(value(n)).unwrap()).collect::<Vec<_>>()
        };
        let thread = thread::spawn(move || votes(one()));
        let here = votes(other());
        let expected = [1, 2].map(|n| Vote { iteration: Iteration(n), value: value(n) });
        assert_eq!((here, thread.join().unwrap()), (expected.to_vec(), expected.to_vec()));
    });
}

#[test]
fn law_one_that_waits_in_vain_is_told_that_it_is_replaced() {
    model(|| {
        let mut world = World::new(2);
        let (new, links) = (world.new_replica(0), world.links.clone());
        let thread = thread::spawn(move || new().vote(value(1)));
        links.begins(ReplicaNumber(0));
        assert_eq!(thread.join().unwrap(), Err(VoteError::Replaced));
    });
}

#[test]
fn law_a_voted_state_is_there_when_its_hash_is() {
    model(|| {
        let mut world = World::new(3);
        let (mut parts, new) = ([world.part(0), world.part(1)], world.new_replica(2));
        let links = world.links.clone();
        let thread = thread::spawn(move || {
            for part in &mut parts {
                let state: Arc<[u8]> = Arc::new([7]);
                let digest = Digest::of(&state);
                links.serves(part.number, 1, Served::new(digest, state));
                part.sends(digest, None::<Injected>, |other| links.wake(other));
            }
            parts
        });
        let mut replica = new();
        let vote = Stateful::new(&mut replica).unwrap().vote(vec![8]).unwrap();
        assert_eq!((vote.iteration, &*vote.value), (Iteration(1), &[7][..]));
        drop(thread.join().unwrap());
    });
}

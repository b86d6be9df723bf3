//! The controller of a node (Chrysalis 2.3, 2.8): a thread that posts what comes from other nodes, and what is due later.
//!
//! Letters are read in the order in which they were sent. A timer is a letter, too: so nobody needs a lock to set one. What is due
//! is posted at its instant or after it.

use super::Lateness;
use super::system::System;
use crate::fault::Fault;
use crate::sys::clock;
use crate::sys::futex::Until;
use crate::sys::sched::{Affinity, Attributes};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::thread::JoinHandle;
use windfall_exchange::Mailbox;
use windfall_programs::{Event, Kind, Terms};
use windfall_time::Instant;

/// A node: its processors, and where letters to it arrive.
pub(super) struct Controller {
    pub(super) cpus: Affinity,
    pub(super) mailbox: Mailbox,
}

impl Controller {
    pub(super) fn new(cpus: Affinity) -> Controller {
        Controller { cpus, mailbox: Mailbox::default() }
    }
}

/// What is written in a letter.
pub(super) enum Letter {
    /// To post an event.
    Post { event: Event, datum: u64 },
    /// To hand a datum to an event, by its place, which has been claimed for that.
    Hand { index: u32, datum: u64 },
    /// To post an event at an instant of the machine's clock, if that timer still has that number.
    Timer { event: Event, datum: u64, number: u64, at: Instant },
}

/// Highest bits of the third word: what kind of letter it is; the rest is a timer's number, from 1 on.
const HAND: u64 = 1 << 63;

impl Letter {
    pub(super) const fn words(&self) -> [u64; 4] {
        match *self {
            Letter::Post { event, datum } => [event.datum(), datum, 0, 0],
            Letter::Hand { index, datum } => [index as u64, datum, HAND, 0],
            Letter::Timer { event, datum, number, at } => {
                [event.datum(), datum, number, at.as_nanos()]
            }
        }
    }

    fn read([first, datum, number, at]: [u64; 4]) -> Letter {
        match number {
            0 => Letter::Post { event: Event::from_datum(first), datum },
            HAND => Letter::Hand { index: u32::try_from(first).unwrap_or(u32::MAX), datum },
            number => {
                let (event, at) = (Event::from_datum(first), Instant::from_nanos(at));
                Letter::Timer { event, datum, number, at }
            }
        }
    }
}

/// The real-time priority of a controller: above all processes, if these begin there.
pub(super) fn rung(lowest: u32) -> u32 {
    lowest.saturating_add(u32::from(Terms::MOST_PRIORITY) + 1)
}

/// Starts the controllers of all nodes.
pub(super) fn begin(system: &Arc<System>) -> Result<Vec<JoinHandle<Lateness>>, Fault> {
    let mut threads = Vec::new();
    for node in 0..system.controllers.len() {
        let shared = system.clone();
        let thread = std::thread::Builder::new().name(format!("node/{node}"));
        let thread = thread.spawn(move || live(&shared, node)).map_err(|e| {
            system.beds.close();
            close(system);
            Fault::of("cannot start the controller of a node", &e, "raise `ulimit -u`")
        })?;
        threads.push(thread);
    }
    Ok(threads)
}

/// The beds are closed: wakes whoever sleeps.
pub(super) fn close(system: &System) {
    for controller in &system.controllers {
        // A letter that says nothing: nobody misses it, as he might a mere knock.
        let nothing =
            Letter::Timer { event: Event::from_datum(0), datum: 0, number: 1, at: Instant::MAX };
        let _ = system.exchange.send(&controller.mailbox, nothing.words(), &system.beds);
    }
}

fn live(system: &System, node: usize) -> Lateness {
    let mut lateness = Lateness::default();
    let Some(controller) = system.controllers.get(node) else { return lateness };
    let _ = controller.cpus.give(0); // it was found to be allowed, and so was this
    if let Some(lowest) = system.real_time {
        let _ = Attributes::fifo(rung(lowest)).give(0);
    }
    let mut due = BinaryHeap::new();
    let mut order = 0_u64;
    while !system.beds.are_closed() {
        system.exchange.read(&controller.mailbox, |words| match Letter::read(words) {
            Letter::Post { event, datum } => system.post_unseen(event, datum),
            Letter::Hand { index, datum } => {
                system.exchange.hand_over(index, datum, &system.beds);
            }
            Letter::Timer { event, datum, number, at } => {
                order += 1;
                due.push(Reverse((at, order, event, datum, number)));
            }
        });
        while let Some(Reverse((at, _, event, datum, number))) = due.peek().copied() {
            let now = clock::now();
            if now < at {
                break;
            }
            due.pop();
            let name = system.open(event.handle(), Kind::Event);
            if name.is_ok_and(|name| system.exchange.timer_due(name, number)) {
                system.post_unseen(event, datum);
                lateness.add(now.saturating_since(at));
            }
        }
        let at = due.peek().map(|Reverse((at, ..))| *at);
        let _ = controller.mailbox.sleep(&Until { beds: &system.beds, at });
    }
    lateness
}

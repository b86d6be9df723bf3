//! The controller of a node (Chrysalis 2.3, 2.8): a thread that posts events from other nodes, and events that are due
//! later.
//!
//! Messages are read in the order in which they were sent. A timer is a message, too, so setting one needs no lock. A
//! timer's event is posted at its instant or after it.

use super::Lateness;
use super::node::{NodeMessage, controller_priority};
use super::sleep::Until;
use super::system::System;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use windfall_exchange::Futex as _;
use windfall_os::LinuxError;
use windfall_os::clock;
use windfall_os::sched::Attributes;
use windfall_programs::{Event, Kind};
use windfall_time::Instant;

/// Starts the controllers of all nodes.
pub(super) fn begin(system: &Arc<System>) -> Result<Vec<JoinHandle<Lateness>>, LinuxError> {
    let mut threads = Vec::new();
    for node in 0..system.controllers.len() {
        let shared = system.clone();
        let thread = std::thread::Builder::new().name(format!("node/{node}"));
        let thread = thread.spawn(move || live(&shared, node)).map_err(|e| {
            end(system, std::mem::take(&mut threads));
            LinuxError::of("cannot start the controller of a node", &e, "raise `ulimit -u`")
        })?;
        threads.push(thread);
    }
    Ok(threads)
}

/// All is over: ends the controllers; how late their timers were.
pub(super) fn end(system: &System, controllers: Vec<JoinHandle<Lateness>>) -> Lateness {
    system.sleepers.close();
    let mut lateness = Lateness::default();
    for controller in controllers {
        // Whoever was about to sleep may have missed a wake-up; the next round wakes it.
        while !controller.is_finished() {
            system.controllers.iter().for_each(|one| system.sleepers.wake_all(one.mailbox.futex()));
            std::thread::sleep(Duration::from_millis(1));
        }
        if let Ok(its) = controller.join() {
            lateness.merge(its);
        }
    }
    lateness
}

/// When, the how manieth, which event, with what, and the number of the timer.
type Due = (Instant, u64, Event, u64, u64);

fn live(system: &System, node: usize) -> Lateness {
    let mut lateness = Lateness::default();
    let Some(controller) = system.controllers.get(node) else { return lateness };
    let _ = controller.cpus.give(0); // it was found to be allowed, and so was this
    if let Some(lowest) = system.real_time {
        let _ = Attributes::fifo(controller_priority(lowest)).give(0);
    }
    let mut due: BinaryHeap<Reverse<Due>> = BinaryHeap::new();
    let (mut order, mut room) = (0_u64, 1_024);
    while !system.sleepers.is_closed() {
        system.exchange.read(&controller.mailbox, |words| match NodeMessage::read(words) {
            NodeMessage::Post { event, datum } => system.post_unseen(event, datum),
            NodeMessage::Hand { index, datum } => {
                system.exchange.hand_over(index, datum, &system.sleepers);
            }
            NodeMessage::Timer { event, datum, number, at } => {
                order += 1;
                due.push(Reverse((at, order, event, datum, number)));
            }
        });
        // Many are cancelled long before they are due.
        if due.len() > room {
            due.retain(|Reverse((_, _, event, _, number))| {
                let name = system.open(event.handle(), Kind::Event);
                name.is_ok_and(|name| system.exchange.is_set(name, *number))
            });
            room = 1_024.max(2 * due.len());
        }
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
        let _ = controller.mailbox.sleep(&Until { queue: &system.sleepers, at });
    }
    lateness
}

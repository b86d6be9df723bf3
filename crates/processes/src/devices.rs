//! Devices of a node (decision 0023): a thread waits for all of them at once, and each posts the event that is attached to it.
//! A process that waits for its events waits for its own devices itself (`watch.rs`).
//!
//! Invariant: after an arrival the event is posted, or was found posted, unless none is attached; then it is posted when one is.

use super::node::controller_priority;
use super::system::System;
use super::watch::Watch;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use windfall_exchange::{ExchangeError, Futex};
use windfall_os::LinuxError;
use windfall_os::clock;
use windfall_os::events::{EventFd, Poll, SignalFd, Timer, duplicate};
use windfall_os::lock::Lock;
use windfall_os::sched::Attributes;
use windfall_programs::{Device, Event, Kind, Node, ProcessError};
use windfall_time::Span;

/// The cause of an arrival at a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrivals {
    /// More can be read from a descriptor, which is open when the run begins. Its reader must read until it would block.
    Descriptor(RawFd),
    /// A timer expires, for the first time after one such span.
    Every(Span),
    /// A signal comes to this process. Threads that exist before the run must hold it back.
    Signal(i32),
}

/// A device of a node, as the settings of a run have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeDevice {
    pub(crate) node: Node,
    pub(crate) device: Device,
    pub(crate) arrivals: Arrivals,
    pub(crate) datum: Option<u64>,
}

/// All devices of a node, and what their thread waits for.
pub(super) struct Devices {
    poll: Poll,
    /// Rings when all is over.
    bell: EventFd,
    list: Vec<Watched>,
}

struct Watched {
    device: Device,
    source: Source,
    datum: Option<u64>,
    state: Lock<State>,
}

enum Source {
    Descriptor(OwnedFd),
    Timer(Timer),
    Signal(SignalFd),
}

#[derive(Default)]
struct State {
    event: Option<Event>,
    arrivals: u64,
    /// Whether something has arrived while no event was attached.
    pending: bool,
}

const BELL: u64 = u64::MAX;

impl Devices {
    /// The devices of each node.
    ///
    /// # Errors
    /// A device's descriptor is closed or cannot be waited for, its name is taken, or there is no such node.
    pub(super) fn of(
        devices: &[NodeDevice],
        nodes: usize,
    ) -> Result<Vec<Option<Devices>>, LinuxError> {
        for (at, one) in devices.iter().enumerate() {
            let what = format!("cannot have device `{}`", one.device);
            if usize::from(one.node.0) >= nodes {
                let why = format!("there is no {}", one.node);
                return Err(LinuxError::unavailable(what, why, "name one of the settings' nodes"));
            }
            if devices[..at].iter().any(|other| other.device == one.device) {
                let advice = "give it another name";
                return Err(LinuxError::new(what, "there is one of that name", advice));
            }
        }
        let of = |node: usize| devices.iter().filter(move |one| usize::from(one.node.0) == node);
        (0..nodes)
            .map(|node| of(node).next().map(|_| Devices::watch(of(node))).transpose())
            .collect()
    }

    fn watch<'d>(devices: impl Iterator<Item = &'d NodeDevice>) -> Result<Devices, LinuxError> {
        let full = |why: std::io::Error| {
            LinuxError::of("cannot wait for devices", &why, "raise `ulimit -n`")
        };
        let (poll, bell) = (Poll::new().map_err(full)?, EventFd::new().map_err(full)?);
        poll.add(bell.as_raw_fd(), BELL).map_err(full)?;
        let mut list = Vec::new();
        for (name, NodeDevice { device, arrivals, datum, .. }) in (0..).zip(devices) {
            let wrong = |why: std::io::Error| {
                let advice = "give it a descriptor that is open and can be polled, or a signal that there is";
                LinuxError::of(format!("cannot wait for device `{device}`"), &why, advice)
            };
            let source = Source::of(*arrivals).map_err(wrong)?;
            watch_shared(&poll, source.fd(), name).map_err(wrong)?;
            list.push(Watched {
                device: *device,
                source,
                datum: *datum,
                state: Lock::new(State::default()),
            });
        }
        Ok(Devices { poll, bell, list })
    }

    /// Attaches an event of a process, which has been found to be its own.
    pub(super) fn attach(
        &self,
        system: &System,
        device: Device,
        event: Event,
        watch: Option<&Watch>,
    ) -> Result<(), ProcessError> {
        let (place, watched) = self.find(device)?;
        let mut state = watched.state.lock();
        if state.event.is_some_and(|other| lives(system, other)) {
            return Err(ProcessError::DeviceTaken { device });
        }
        let fd = watched.source.fd();
        if watch.is_some_and(|watch| watch.add(fd, place)) {
            // Added again, this thread's set comes after the process's. What can be read now counts anew.
            let moved = self.poll.remove(fd).and_then(|()| watch_shared(&self.poll, fd, place));
            moved.map_err(|_| ProcessError::NoRoom { kind: Kind::Event })?;
        }
        state.event = Some(event);
        if std::mem::take(&mut state.pending) {
            watched.post(system, &mut state, &system.sleepers);
        }
        Ok(())
    }

    /// Detaches an event that is one's own; whether one was attached.
    pub(super) fn detach(
        &self,
        system: &System,
        device: Device,
        watch: Option<&Watch>,
        is_own: impl FnOnce(Event) -> Result<(), ProcessError>,
    ) -> Result<bool, ProcessError> {
        let (_, watched) = self.find(device)?;
        let mut state = watched.state.lock();
        match state.event.filter(|event| lives(system, *event)) {
            Some(event) => is_own(event)?,
            None => {
                state.event = None;
                return Ok(false);
            }
        }
        state.event = None;
        if let Some(watch) = watch {
            watch.remove(watched.source.fd());
        }
        Ok(true)
    }

    /// Something has arrived at the device at a place, if there is one.
    pub(super) fn arrived(&self, place: u64, system: &System, futex: &impl Futex) {
        let watched = usize::try_from(place).ok().and_then(|place| self.list.get(place));
        if let Some(watched) = watched {
            watched.arrived(system, futex);
        }
    }

    pub(super) fn find_name(&self, device: Device) -> bool {
        self.list.iter().any(|one| one.device == device)
    }

    /// A device and its place.
    fn find(&self, device: Device) -> Result<(u64, &Watched), ProcessError> {
        let found = (0..).zip(&self.list).find(|(_, one)| one.device == device);
        found.ok_or(ProcessError::NoDevice { device })
    }
}

/// Waits for a descriptor in a set, beside others; alone for one that cannot be shared, which is then in no other set.
fn watch_shared(poll: &Poll, fd: RawFd, place: u64) -> std::io::Result<()> {
    poll.add_shared_edges(fd, place).or_else(|_| poll.add_edges(fd, place))
}

fn lives(system: &System, event: Event) -> bool {
    let name = system.open(event.handle(), Kind::Event);
    name.is_ok_and(|name| system.exchange.event_lives(name))
}

impl Source {
    fn of(arrivals: Arrivals) -> std::io::Result<Source> {
        Ok(match arrivals {
            Arrivals::Descriptor(fd) => Source::Descriptor(duplicate(fd)?),
            Arrivals::Signal(signal) => Source::Signal(SignalFd::hold(signal)?),
            Arrivals::Every(span) => {
                let (timer, every) = (Timer::new()?, span.max(Span::from_nanos(1)));
                timer.repeat(clock::now() + every, every);
                Source::Timer(timer)
            }
        })
    }

    fn fd(&self) -> RawFd {
        match self {
            Source::Descriptor(fd) => fd.as_raw_fd(),
            Source::Timer(timer) => timer.as_raw_fd(),
            Source::Signal(signal) => signal.as_raw_fd(),
        }
    }

    /// How much has arrived.
    fn take(&self) -> u64 {
        match self {
            Source::Descriptor(_) => 1,
            Source::Timer(timer) => timer.take(),
            Source::Signal(signal) => signal.take(),
        }
    }
}

impl Watched {
    fn arrived(&self, system: &System, futex: &impl Futex) {
        let count = self.source.take();
        if count == 0 {
            return;
        }
        let mut state = self.state.lock();
        state.arrivals += count;
        self.post(system, &mut state, futex);
    }

    /// Posts the event, unless that is posted already; without one, what has arrived is kept in mind.
    fn post(&self, system: &System, state: &mut State, futex: &impl Futex) {
        let Some(event) = state.event else {
            state.pending = true;
            return;
        };
        let datum = self.datum.unwrap_or(state.arrivals);
        let name = system.open(event.handle(), Kind::Event);
        let name = name.unwrap_or_else(|_| unreachable!("it was found to be its process's own"));
        match system.exchange.post(name, datum, futex) {
            Ok(()) => {}
            Err(ExchangeError::Posted) => {
                system.coalesced.fetch_add(1, Ordering::Relaxed);
            }
            Err(ExchangeError::Standing) => {
                system.undelivered.fetch_add(1, Ordering::Relaxed);
            }
            Err(_) => (state.event, state.pending) = (None, true),
        }
    }
}

/// Starts the threads of all nodes that have devices.
pub(super) fn begin(system: &Arc<System>) -> Result<Vec<JoinHandle<()>>, LinuxError> {
    let mut threads = Vec::new();
    for (node, devices) in system.devices.iter().enumerate() {
        if devices.is_none() {
            continue;
        }
        let shared = system.clone();
        let thread = std::thread::Builder::new().name(format!("devices/{node}"));
        let thread = thread.spawn(move || live(&shared, node)).map_err(|why| {
            system.sleepers.close();
            end(system, std::mem::take(&mut threads));
            LinuxError::of("cannot start the thread of a node's devices", &why, "raise `ulimit -u`")
        })?;
        threads.push(thread);
    }
    Ok(threads)
}

/// All is over: ends the threads.
pub(super) fn end(system: &System, threads: Vec<JoinHandle<()>>) {
    system.devices.iter().flatten().for_each(|devices| devices.bell.signal());
    for thread in threads {
        let _ = thread.join(); // it does not panic
    }
}

fn live(system: &System, node: usize) {
    let (Some(Some(devices)), Some(controller)) =
        (system.devices.get(node), system.controllers.get(node))
    else {
        return;
    };
    let _ = controller.cpus.give(0); // it was found to be allowed, and so was this
    if let Some(lowest) = system.real_time {
        let _ = Attributes::fifo(controller_priority(lowest)).give(0);
    }
    let mut ready = Vec::new();
    while !system.sleepers.is_closed() {
        devices.poll.wait(-1, &mut ready);
        ready.iter().for_each(|place| devices.arrived(*place, system, &system.sleepers));
    }
}

//! The state shared by all processes of a run.

use super::Failed;
use super::devices::Devices;
use super::node::Controller;
use super::sleep::{SleepQueue, Until};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;
use windfall_exchange::{Exchange, ExchangeError, Futex as _, Mine, Name, Sizes};
use windfall_os::clock;
use windfall_os::lock::Lock;
use windfall_os::sched::Affinity;
use windfall_programs::{
    Code, Counts, Device, Event, Handle, Keys, Kind, Loaded, Node, Place, ProcessError, Queue,
};
use windfall_time::{Instant, Span};

/// The most data that a queue can be made for, as on a simulated machine.
const MOST_DATA: usize = 1 << 24;

const SIZES: Sizes = Sizes {
    processes: Place::MOST,
    events: Place::MOST,
    queues: Place::MOST,
    nodes: 1 << 25,
    messages: 1 << 20,
    entries: ENTRIES,
    rows: 1 << 12,
};

/// The most entries for events, those that are kept for the next time included.
pub(super) const ENTRIES: u32 = 1 << 17;

// Fields: tables and threads of a run, which calls borrow one by one.
pub(super) struct System {
    pub(super) exchange: Exchange,
    pub(super) sleepers: SleepQueue,
    pub(super) keys: Keys,
    /// When time began.
    pub(super) epoch: Instant,
    pub(super) controllers: Vec<Controller>,
    /// The devices of each node that has some.
    pub(super) devices: Vec<Option<Devices>>,
    /// The real-time priority of processes of priority 0.
    pub(super) real_time: Option<u32>,
    /// How many timers have been set.
    pub(super) timers: AtomicU64,
    pub(super) undelivered: AtomicU64,
    pub(super) coalesced: AtomicU64,
    /// The number of processes; the thread that runs them sleeps on it.
    living: AtomicU32,
    books: Lock<Books>,
}

/// State kept under a lock.
#[derive(Default)]
struct Books {
    /// The templates loaded, each at its place for ever; `None` if it has been deleted.
    templates: Vec<Option<&'static str>>,
    loaded: Vec<Loaded>,
    failures: Vec<Failed>,
    /// The queues that have a name, and their capacities.
    named: BTreeMap<String, (Queue, usize)>,
}

impl System {
    pub(super) fn new(
        seed: u64,
        nodes: Vec<Affinity>,
        devices: Vec<Option<Devices>>,
        real_time: Option<u32>,
    ) -> System {
        System {
            exchange: Exchange::new(SIZES),
            sleepers: SleepQueue::new(),
            keys: Keys::new(seed),
            epoch: clock::now(),
            controllers: nodes.into_iter().map(Controller::new).collect(),
            devices,
            real_time,
            timers: AtomicU64::new(0),
            undelivered: AtomicU64::new(0),
            coalesced: AtomicU64::new(0),
            living: AtomicU32::new(0),
            books: Lock::new(Books::default()),
        }
    }

    /// The time since it began.
    #[inline]
    pub(super) fn now(&self) -> Instant {
        Instant::ZERO + clock::now().saturating_since(self.epoch)
    }

    /// An instant of the run on the machine's clock.
    pub(super) fn on_clock(&self, at: Instant) -> Instant {
        self.epoch.saturating_add(at.saturating_since(Instant::ZERO))
    }

    /// The object that a handle of this kind names.
    #[inline]
    pub(super) fn open(&self, handle: Handle, kind: Kind) -> Result<Name, ProcessError> {
        let Place { index, generation, .. } = self.keys.open(handle, kind)?;
        Ok(Name { index, generation })
    }

    /// The handle of an object.
    #[inline]
    pub(super) fn seal(&self, kind: Kind, node: Node, name: Name) -> Handle {
        let Name { index, generation } = name;
        self.keys.seal(kind, Place { node, index, generation })
    }

    pub(super) fn controller(&self, node: Node) -> Result<&Controller, ProcessError> {
        let nodes = self.controllers.len();
        self.controllers.get(usize::from(node.0)).ok_or(ProcessError::NoNode { node, nodes })
    }

    /// The devices of a node, among which this one is to be.
    pub(super) fn devices_of(&self, node: Node, device: Device) -> Result<&Devices, ProcessError> {
        let has = |devices: &Option<Devices>| {
            devices.as_ref().is_some_and(|devices| devices.find_name(device))
        };
        let found = self.devices.iter().position(has).ok_or(ProcessError::NoDevice { device })?;
        match &self.devices[found] {
            Some(devices) if found == usize::from(node.0) => Ok(devices),
            _ => {
                let node = Node(u8::try_from(found).expect("nodes are numbered by 8 bits"));
                Err(ProcessError::DeviceElsewhere { device, node })
            }
        }
    }

    /// Posts for somebody who does not wait for the answer.
    pub(super) fn post_unseen(&self, event: Event, datum: u64) {
        let name = self.open(event.handle(), Kind::Event);
        let posted = name.is_ok_and(|name| self.exchange.post(name, datum, &self.sleepers).is_ok());
        if !posted {
            self.undelivered.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Loads code. Its instructions are in memory already; so this takes no time.
    pub(super) fn make_template<C: Code>(&self, node: Node) -> Result<Handle, ProcessError> {
        self.controller(node)?;
        let mut books = self.books.lock();
        let index = u32::try_from(books.templates.len()).ok().filter(|index| *index < Place::MOST);
        let index = index.ok_or(ProcessError::NoRoom { kind: Kind::Template })?;
        books.templates.push(Some(C::NAME));
        books.loaded.push(Loaded::new(C::NAME, node, C::KIB, Span::ZERO));
        Ok(self.seal(Kind::Template, node, Name { index, generation: 0 }))
    }

    pub(super) fn check_template<C: Code>(&self, template: Handle) -> Result<(), ProcessError> {
        let name = self.open(template, Kind::Template)?;
        match self.books.lock().templates.get(name.index as usize) {
            Some(Some(name)) if *name == C::NAME => Ok(()),
            Some(Some(_)) => Err(ProcessError::WrongCode { template }),
            _ => Err(ProcessError::Stale { handle: template }),
        }
    }

    pub(super) fn delete_template(&self, handle: Handle) -> Result<(), ProcessError> {
        let name = self.open(handle, Kind::Template)?;
        let mut books = self.books.lock();
        let place = books.templates.get_mut(name.index as usize);
        place.and_then(Option::take).map(|_| ()).ok_or(ProcessError::Stale { handle })
    }

    pub(super) fn make_queue(&self, node: Node, capacity: usize) -> Result<Queue, ProcessError> {
        self.controller(node)?;
        let error = ProcessError::NoCapacity { capacity, most: MOST_DATA };
        let fits = (1..=MOST_DATA).contains(&capacity).then_some(capacity);
        let data = fits.and_then(|data| u32::try_from(data).ok()).ok_or(error)?;
        let made = self.exchange.make_queue(data);
        let name = made.map_err(|_| ProcessError::NoRoom { kind: Kind::Queue })?;
        Ok(Queue::from_handle(self.seal(Kind::Queue, node, name)))
    }

    /// The queue of a name; where there is none, one is made on this node.
    pub(super) fn named_queue(
        &self,
        node: Node,
        name: &str,
        wanted: usize,
    ) -> Result<Queue, ProcessError> {
        let mut books = self.books.lock();
        if let Some((queue, capacity)) = books.named.get(name).copied() {
            let same = (capacity == wanted).then_some(queue);
            return same.ok_or(ProcessError::OtherCapacity { queue, capacity, wanted });
        }
        let queue = self.make_queue(node, wanted)?;
        books.named.insert(name.to_owned(), (queue, wanted));
        Ok(queue)
    }

    pub(super) fn delete_queue(&self, name: Name, queue: Queue) -> Result<(), ProcessError> {
        let mut books = self.books.lock();
        let deleted = self.exchange.delete_queue(name).map_err(|no| match no {
            ExchangeError::HasWaiters => ProcessError::HasWaiters { queue },
            _ => ProcessError::Stale { handle: queue.handle() },
        });
        if deleted.is_ok() {
            books.named.retain(|_, (named, _)| *named != queue);
        }
        deleted
    }

    /// A process begins to live; how many live is what [`System::wait_for_end`] waits for.
    pub(super) fn has_begun(&self) {
        self.living.fetch_add(1, Ordering::Relaxed);
    }

    /// A process has failed.
    pub(super) fn has_failed(&self, failure: Failed) {
        self.books.lock().failures.push(failure);
    }

    pub(super) fn has_ended(&self) {
        if self.living.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.sleepers.wake_all(&self.living);
        }
    }

    /// Waits until no process is left, or an instant of the machine's clock; then ends those that are. How many were.
    pub(super) fn wait_for_end(&self, until: Option<Instant>) -> u32 {
        let until = Until { queue: &self.sleepers, at: until };
        let left = loop {
            let living = self.living.load(Ordering::Acquire);
            if living == 0 || !until.wait(&self.living, living) {
                break self.living.load(Ordering::Acquire);
            }
        };
        self.sleepers.close();
        // Whoever was about to sleep may have missed that; the next round wakes it.
        while self.living.load(Ordering::Acquire) > 0 {
            self.exchange.wake_everybody(&self.sleepers);
            self.sleepers.wake_all(&self.sleepers.clock);
            std::thread::sleep(Duration::from_millis(1));
        }
        left
    }

    /// The counters, and the processes that failed.
    pub(super) fn close_books(&self) -> (Counts, Vec<Failed>) {
        let mut books = self.books.lock();
        let mut counts = Counts::default();
        counts.undelivered = self.undelivered.load(Ordering::Relaxed);
        counts.coalesced = self.coalesced.load(Ordering::Relaxed);
        counts.loaded = std::mem::take(&mut books.loaded);
        (counts, std::mem::take(&mut books.failures))
    }

    /// Gives the place of a process back.
    pub(super) fn leave(&self, mine: Mine) {
        self.exchange.exit(mine);
    }
}

/// The error for an event.
pub(super) fn of_event(event: Event, error: ExchangeError) -> ProcessError {
    match error {
        ExchangeError::Posted => ProcessError::AlreadyPosted { event },
        ExchangeError::Standing => ProcessError::InQueue { event },
        ExchangeError::NotOwner => ProcessError::NotOwner { event },
        ExchangeError::NoRoom => ProcessError::NoRoom { kind: Kind::Event },
        _ => ProcessError::Stale { handle: event.handle() },
    }
}

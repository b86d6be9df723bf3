//! The programs of the Butterfly Satellite IMP that Chrysalis was measured with (report 5285, 4.2 and 4.3).
//!
//! Messages are numbers that go through dual queues; what is done to one is so much computing.

use crate::catalogue::{Chosen, Form, Kind, Setting, SettingError};
use crate::process::{Code, Device, Event, Process, ProcessError, Queue};
use crate::program::Program;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use windfall_time::{Instant, Span};

/// How many messages a process has dealt with, for the experiment that started it.
#[derive(Clone, Default)]
pub struct Tally(Arc<AtomicU64>);

impl Tally {
    fn one_more(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// None so far.
    pub fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// So many by now.
    pub fn read(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// So long a sender waits when a queue is full.
const FULL: Span = Span::from_millis(1);

/// Puts a message into a queue, when there is room.
async fn send(me: &mut impl Process, to: Queue, message: u64) -> Result<(), ProcessError> {
    loop {
        match me.enqueue(to, message).await {
            Err(ProcessError::QueueFull { .. }) => {
                let now = me.now().await;
                me.sleep_until(now + FULL).await;
            }
            answer => return answer,
        }
    }
}

/// Composes messages, and sends them to a queue; to none: it "would try to send to an illegal destination", and runs
/// constantly.
#[derive(Clone)]
#[non_exhaustive]
pub struct Generator {
    /// The queue that it sends to.
    pub to: Option<Queue>,
    /// How much a message takes, queues apart.
    pub work: Span,
    /// How many it sends; without end when absent.
    pub messages: Option<u64>,
    /// How many messages it has dealt with.
    pub tally: Tally,
    /// When it begins.
    pub begins: Instant,
}

impl Generator {
    /// A generator without end.
    #[must_use]
    pub const fn new(to: Option<Queue>, work: Span, tally: Tally, begins: Instant) -> Generator {
        Generator { to, work, messages: None, tally, begins }
    }
}

impl Code for Generator {
    const NAME: &'static str = "generator";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        me.sleep_until(self.begins).await;
        for message in 0..self.messages.unwrap_or(u64::MAX) {
            me.compute(self.work).await;
            if let Some(to) = self.to {
                send(&mut me, to, message).await?;
            }
            self.tally.one_more();
        }
        Ok(())
    }
}

/// Takes messages and discards them.
#[derive(Clone)]
#[non_exhaustive]
pub struct Sink {
    /// The queue that it takes from.
    pub from: Queue,
    /// How much a message takes, queues apart.
    pub work: Span,
    /// How many messages it has dealt with.
    pub tally: Tally,
    /// When it begins.
    pub begins: Instant,
}

impl Sink {
    /// A sink of a queue.
    #[must_use]
    pub const fn new(from: Queue, work: Span, tally: Tally, begins: Instant) -> Sink {
        Sink { from, work, tally, begins }
    }
}

impl Code for Sink {
    const NAME: &'static str = "sink";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        me.sleep_until(self.begins).await;
        loop {
            me.take(self.from, event).await?;
            me.compute(self.work).await;
            self.tally.one_more();
        }
    }
}

/// Empties a queue so often, without waiting at it.
#[derive(Clone)]
#[non_exhaustive]
pub struct Drain {
    /// The queue that it takes from.
    pub from: Queue,
    /// Time between two looks.
    pub every: Span,
    /// How many messages it has dealt with.
    pub tally: Tally,
    /// When it begins.
    pub begins: Instant,
}

impl Drain {
    /// Takes all that is there.
    async fn empty(&self, me: &mut impl Process, event: Event) -> Result<(), ProcessError> {
        while me.dequeue(self.from, event).await?.is_some() {
            self.tally.one_more();
        }
        // It does not stand in the queue any longer; a message that came meanwhile was handed to it.
        if me.reset(event).await?.is_some() {
            self.tally.one_more();
        }
        Ok(())
    }
}

impl Drain {
    /// A drain of a queue.
    #[must_use]
    pub const fn new(from: Queue, every: Span, tally: Tally, begins: Instant) -> Drain {
        Drain { from, every, tally, begins }
    }
}

impl Code for Drain {
    const NAME: &'static str = "drain";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        let mut next = self.begins;
        loop {
            me.sleep_until(next).await;
            self.empty(&mut me, event).await?;
            next = next + self.every;
        }
    }
}

/// Takes messages, and sends them on.
#[derive(Clone)]
#[non_exhaustive]
pub struct Delivery {
    /// The queue that it takes from.
    pub from: Queue,
    /// The queue that it sends to.
    pub to: Queue,
    /// How much a message takes, queues apart.
    pub work: Span,
    /// How many messages it has dealt with.
    pub tally: Tally,
    /// When it begins.
    pub begins: Instant,
}

impl Delivery {
    /// Delivers from one queue to another.
    #[must_use]
    pub const fn new(
        (from, to): (Queue, Queue),
        work: Span,
        tally: Tally,
        begins: Instant,
    ) -> Delivery {
        Delivery { from, to, work, tally, begins }
    }
}

impl Code for Delivery {
    const NAME: &'static str = "delivery";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        me.sleep_until(self.begins).await;
        loop {
            let message = me.take(self.from, event).await?;
            me.compute(self.work).await;
            send(&mut me, self.to, message).await?;
            self.tally.one_more();
        }
    }
}

/// Composes a message whenever something arrives at a device, and sends it to a queue.
#[derive(Clone)]
struct Input {
    device: Device,
    to: Queue,
    work: Span,
}

impl Code for Input {
    const NAME: &'static str = "input";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        me.attach(self.device, event).await?;
        loop {
            let arrival = me.mwait(&[event]).await?.datum;
            me.compute(self.work).await;
            send(&mut me, self.to, arrival).await?;
        }
    }
}

/// A program of this file whose queues have names: those who name the same queue meet there.
#[derive(Clone)]
struct ByName {
    part: Part,
    capacity: usize,
    work: Span,
}

#[derive(Clone)]
enum Part {
    Generator { to: Arc<str>, messages: Option<u64> },
    Input { device: Device, to: Arc<str> },
    Sink { from: Arc<str> },
    Delivery { from: Arc<str>, to: Arc<str> },
}

impl ByName {
    fn new(part: Part, settings: &Chosen<'_>) -> ByName {
        let capacity = usize::try_from(settings.integer(CAPACITY.name)).expect("as declared");
        ByName { part, capacity, work: settings.span("work") }
    }
}

impl Code for ByName {
    const NAME: &'static str = "bsat";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let ByName { part, capacity, work } = self;
        let (tally, begins) = (Tally::default(), Instant::ZERO);
        match part {
            Part::Generator { to, messages } => {
                let to = Some(me.named_queue(&to, capacity).await?);
                Generator { to, work, messages, tally, begins }.run(me).await
            }
            Part::Input { device, to } => {
                let to = me.named_queue(&to, capacity).await?;
                Input { device, to, work }.run(me).await
            }
            Part::Sink { from } => {
                let from = me.named_queue(&from, capacity).await?;
                Sink { from, work, tally, begins }.run(me).await
            }
            Part::Delivery { from, to } => {
                let from = me.named_queue(&from, capacity).await?;
                let to = me.named_queue(&to, capacity).await?;
                Delivery { from, to, work, tally, begins }.run(me).await
            }
        }
    }
}

const CAPACITY: Setting = Setting::integer(
    "capacity",
    1..=1 << 24,
    "64",
    "how many messages its queues hold; all who name a queue say the same",
);

const fn name(name: &'static str, default: &'static str, help: &'static str) -> Setting {
    Setting { name, form: Form::Name, default, help }
}

const fn work(default: &'static str) -> Setting {
    let help = "how much computing a message is; the default is table 2's";
    Setting { name: "work", form: Form::Span, default, help }
}

/// Takes messages, and sends them on.
pub(super) static DELIVERY: Kind = Kind::new(
    "bsat-delivery",
    "takes messages from one queue and puts them into another (Chrysalis 4.2)",
    |settings, node| {
        let (from, to) = (settings.name("from").into(), settings.name("to").into());
        Ok(Program::process(node, ByName::new(Part::Delivery { from, to }, settings)))
    },
)
.with_settings(&[
    CAPACITY,
    name("from", "messages", "the queue that it takes from"),
    name("to", "delivered", "the queue that it puts them into"),
    work("478us"),
]);

/// Composes messages, and sends them to a queue.
pub(super) static GENERATOR: Kind = Kind::new(
    "bsat-generator",
    "composes messages and puts them into a queue, and waits where that is full (Chrysalis 4.2)",
    |settings, node| {
        let messages = settings.optional_integer("messages");
        let messages = messages.map(|n| u64::try_from(n).expect("as declared"));
        let to = settings.name("to").into();
        Ok(Program::process(node, ByName::new(Part::Generator { to, messages }, settings)))
    },
)
.with_settings(&[
    CAPACITY,
    Setting::integer(
        "messages",
        1..=i64::MAX,
        "",
        "how many it sends before it ends; without end when absent",
    ),
    name("to", "messages", "the queue that it puts them into"),
    work("552us"),
]);

/// Composes a message whenever something arrives at a device.
pub(super) static INPUT: Kind = Kind::new(
    "bsat-input",
    "composes a message whenever something arrives at a device, and puts it into a queue (Chrysalis 2.3)",
    |settings, node| {
        let name = settings.name("device");
        let device = Device::new(name);
        let wrong = SettingError::value("device", name, "a name of at most 24 characters");
        let (device, to) = (device.map_err(|_| wrong)?, settings.name("to").into());
        Ok(Program::process(node, ByName::new(Part::Input { device, to }, settings)))
    },
)
.with_settings(&[
    CAPACITY,
    name("device", "line", "the device, of `[[interrupts]]`"),
    name("to", "messages", "the queue that it puts them into"),
    work("552us"),
]);

/// Takes messages and discards them.
pub(super) static SINK: Kind = Kind::new(
    "bsat-sink",
    "takes messages from a queue and discards them (Chrysalis 4.2)",
    |settings, node| {
        let from = settings.name("from").into();
        Ok(Program::process(node, ByName::new(Part::Sink { from }, settings)))
    },
)
.with_settings(&[
    CAPACITY,
    name("from", "messages", "the queue that it takes from"),
    work("152us"),
]);

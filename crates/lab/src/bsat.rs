//! The programs of the Butterfly Satellite IMP that Chrysalis was measured with (report 5285, 4.2 and 4.3), for any host.
//!
//! Messages are numbers that go through dual queues; what is done to one is so much computing. A first process, the
//! operator, makes the queues and the others, and ends.

use crate::memo::{Report, report};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use windfall_programs::{Code, Event, Node, Process, ProcessError, ProcessParams, Queue, Template};
use windfall_time::{Instant, Span};

/// How many messages a process has dealt with, for the experiment that started it.
#[derive(Clone, Default)]
pub(crate) struct Tally(Arc<AtomicU64>);

impl Tally {
    fn one_more(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// None so far.
    pub(crate) fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// So many by now.
    pub(crate) fn read(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a process does with messages; queues are numbered in the order of [`Operator::queues`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Composes messages, and sends them to a queue; to none: it "would try to send to an illegal destination", and
    /// runs constantly.
    Generator { to: Option<usize> },
    /// Takes messages and discards them.
    Sink { from: usize },
    /// Empties a queue so often, without waiting at it.
    Drain { from: usize, every: Span },
    /// Takes messages, and sends them on.
    Delivery { from: usize, to: usize },
}

/// A process to make.
#[derive(Clone)]
pub(crate) struct Part {
    pub(crate) role: Role,
    pub(crate) node: Node,
    pub(crate) terms: ProcessParams,
    /// What one message takes, queues apart.
    pub(crate) work: Span,
    pub(crate) tally: Tally,
}

/// The first process: makes queues, each on a node and for so many messages, and then the others, in order, which
/// begin together when all are there.
#[derive(Clone)]
pub(crate) struct Operator {
    pub(crate) queues: Vec<(Node, usize)>,
    pub(crate) parts: Vec<Part>,
    /// "The monitoring and display process was run in a separate processor."
    pub(crate) monitor: Option<(Node, Monitor)>,
}

impl Code for Operator {
    const NAME: &'static str = "operator";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let mut queues = Vec::with_capacity(self.queues.len());
        for (node, capacity) in &self.queues {
            queues.push(me.make_queue(*node, *capacity).await?);
        }
        let begins = me.now().await + GATHERING;
        let generators: Template<Generator> = me.make_template(me.node()).await?;
        let sinks: Template<Sink> = me.make_template(me.node()).await?;
        let drains: Template<Drain> = me.make_template(me.node()).await?;
        let deliveries: Template<Delivery> = me.make_template(me.node()).await?;
        if let Some((node, monitor)) = self.monitor {
            let monitors = me.make_template(node).await?;
            me.make_process(monitors, node, ProcessParams::default(), monitor).await?;
        }
        for Part { role, node, terms, work, tally } in self.parts {
            match role {
                Role::Generator { to } => {
                    let code = Generator { to: to.map(|to| queues[to]), work, tally, begins };
                    me.make_process(generators, node, terms, code).await?;
                }
                Role::Sink { from } => {
                    let code = Sink { from: queues[from], work, tally, begins };
                    me.make_process(sinks, node, terms, code).await?;
                }
                Role::Drain { from, every } => {
                    let code = Drain { from: queues[from], every, tally, begins };
                    me.make_process(drains, node, terms, code).await?;
                }
                Role::Delivery { from, to } => {
                    let code = Delivery { from: queues[from], to: queues[to], work, tally, begins };
                    me.make_process(deliveries, node, terms, code).await?;
                }
            }
        }
        Ok(())
    }
}

/// Looks so often at how many messages the others have dealt with.
#[derive(Clone)]
pub(crate) struct Monitor {
    pub(crate) every: Span,
    pub(crate) watched: Vec<Tally>,
    pub(crate) seen: Report<(Instant, Vec<u64>)>,
}

impl Code for Monitor {
    const NAME: &'static str = "monitor";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        loop {
            let now = me.now().await;
            report(&self.seen, [(now, self.watched.iter().map(Tally::read).collect())]);
            me.sleep_until(now + self.every).await;
        }
    }
}

/// So long all have to get there.
pub(crate) const GATHERING: Span = Span::from_millis(50);
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

#[derive(Clone)]
struct Generator {
    to: Option<Queue>,
    work: Span,
    tally: Tally,
    begins: Instant,
}

impl Code for Generator {
    const NAME: &'static str = "generator";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        me.sleep_until(self.begins).await;
        for message in 0.. {
            me.compute(self.work).await;
            if let Some(to) = self.to {
                send(&mut me, to, message).await?;
            }
            self.tally.one_more();
        }
        Ok(())
    }
}

#[derive(Clone)]
struct Sink {
    from: Queue,
    work: Span,
    tally: Tally,
    begins: Instant,
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

#[derive(Clone)]
struct Drain {
    from: Queue,
    every: Span,
    tally: Tally,
    begins: Instant,
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

#[derive(Clone)]
struct Delivery {
    from: Queue,
    to: Queue,
    work: Span,
    tally: Tally,
    begins: Instant,
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

//! A run of the programs that measured Chrysalis (report 5285, 4.2 and 4.3), for any host: a first process, the operator,
//! makes the queues and the programs (`windfall_programs::bsat`), and ends.

use windfall_programs::bsat::{Delivery, Drain, Generator, Sink, Tally};
use windfall_programs::memo::{Report, report};
use windfall_programs::{Code, Node, Process, ProcessError, ProcessParams, Template};
use windfall_time::{Instant, Span};

/// The task of a process; queues are numbered in the order of [`Operator::queues`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Composes messages, and sends them to a queue; to none: it "would try to send to an illegal destination", and
    /// runs constantly.
    Generator { to: Option<usize> },
    /// Takes messages and discards them.
    Sink { from: usize },
    /// Empties a queue at this interval, without waiting at it.
    Drain { from: usize, every: Span },
    /// Takes messages, and sends them on.
    Delivery { from: usize, to: usize },
}

/// A process to make.
#[derive(Clone)]
pub(crate) struct Part {
    pub(crate) role: Role,
    pub(crate) node: Node,
    pub(crate) params: ProcessParams,
    /// The work for one message, without the queues.
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
        for Part { role, node, params, work, tally } in self.parts {
            match role {
                Role::Generator { to } => {
                    let to = to.map(|to| queues[to]);
                    let code = Generator::new(to, work, tally, begins);
                    me.make_process(generators, node, params, code).await?;
                }
                Role::Sink { from } => {
                    let code = Sink::new(queues[from], work, tally, begins);
                    me.make_process(sinks, node, params, code).await?;
                }
                Role::Drain { from, every } => {
                    let code = Drain::new(queues[from], every, tally, begins);
                    me.make_process(drains, node, params, code).await?;
                }
                Role::Delivery { from, to } => {
                    let ends = (queues[from], queues[to]);
                    let code = Delivery::new(ends, work, tally, begins);
                    me.make_process(deliveries, node, params, code).await?;
                }
            }
        }
        Ok(())
    }
}

/// Reads at this interval how many messages the others have processed.
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

/// The time by which all must be ready to begin.
pub(crate) const GATHERING: Span = Span::from_millis(50);

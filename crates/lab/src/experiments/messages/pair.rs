//! Pairs of client and server in one cluster, as StarOS runs them (5.1).

use crate::carried_out::whole;
use crate::cmstar::{self, REFERENCE};
use crate::experiment::LabError;
use crate::units::{micros, us};
use windfall_programs::memo::{Report, report, reported};
use windfall_programs::{CallKind, Code, Event, Process, ProcessError, Queue, Random, Work};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

/// Visits of the Kmap by a message: 2.53 ms of 10.4 us.
pub(super) const MESSAGE: u64 = 244;
/// The time of one pair's message.
const LATENCY: Span = us(7_050);
/// The own time of a word, beside its reference.
const WORD: Span = Span::from_nanos(49_900 - 10_400);
/// The cluster, and its first processor.
const CLUSTER: u16 = 1;
const FIRST: u16 = 10;

/// The measurements of a process of a pair: when it began to send, and when it received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    Sends(Instant),
    Receives(Instant),
    /// A client has accessed all that was returned.
    Ends(Instant),
}

/// A client or a server.
#[derive(Clone)]
struct Partner {
    pair: u16,
    is_client: bool,
    /// The words that it accesses for each call.
    words: u64,
    repetitions: u64,
    seen: Report<(u16, Mark)>,
}

impl Code for Partner {
    const NAME: &'static str = "partner";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let seed = u64::from(self.pair) << 1 | u64::from(self.is_client);
        let mut random = Random::new(0x0016 ^ seed << 20);
        let event = me.make_event().await?;
        let asks = me.named_queue(&format!("asks-{}", self.pair), 1).await?;
        let answers = me.named_queue(&format!("answers-{}", self.pair), 1).await?;
        let (to, from) = if self.is_client { (asks, answers) } else { (answers, asks) };
        // The server is blocked before the client sends.
        let apart = Span::from_nanos(random.between(1_000_000, 15_000_000));
        let start = if self.is_client { apart } else { Span::ZERO };
        me.sleep_until(Instant::ZERO + start).await;
        for _ in 0..self.repetitions {
            if self.is_client {
                self.sends(&mut me, &mut random, event, to).await?;
                self.receives(&mut me, event, from).await?;
                let now = me.now().await;
                report(&self.seen, [(self.pair, Mark::Ends(now))]);
            } else {
                self.receives(&mut me, event, from).await?;
                self.sends(&mut me, &mut random, event, to).await?;
            }
        }
        Ok(())
    }
}

impl Partner {
    /// Sends a message: half of the own work, the Kmap's part, the other half.
    async fn sends(
        &self,
        me: &mut impl Process,
        random: &mut Random,
        event: Event,
        to: Queue,
    ) -> Result<(), ProcessError> {
        let begins = me.now().await;
        report(&self.seen, [(self.pair, Mark::Sends(begins))]);
        let own = LATENCY.saturating_sub(REFERENCE.saturating_mul(MESSAGE));
        let half = Span::from_nanos(own.as_nanos() / 2);
        let quarter = Span::from_nanos(half.as_nanos() / 2);
        let varying = Work::Uniform(quarter, half + quarter);
        me.compute(random.work(varying)).await;
        for _ in 0..MESSAGE {
            me.test(event).await?;
        }
        me.compute(random.work(varying)).await;
        me.enqueue(to, 0).await
    }

    /// Receives a message and accesses its words.
    async fn receives(
        &self,
        me: &mut impl Process,
        event: Event,
        from: Queue,
    ) -> Result<(), ProcessError> {
        me.take(from, event).await?;
        let now = me.now().await;
        report(&self.seen, [(self.pair, Mark::Receives(now))]);
        for _ in 0..self.words {
            me.compute(WORD).await;
            me.test(event).await?;
        }
        Ok(())
    }
}

/// The times of messages and calls, in us.
pub(super) struct Called {
    pub(super) latency: f64,
    /// The standard deviation of latencies.
    pub(super) deviation: f64,
    pub(super) call: f64,
}

/// So many pairs, each of which makes so many calls that access so many words.
pub(super) fn pairs(count: u16, words: u64, repetitions: u64) -> Result<Called, LabError> {
    let each = LATENCY.saturating_mul(5).as_nanos() / 1_000_000 + words / 10;
    let length = Span::from_nanos(1_000_000 * each * repetitions) + Span::from_secs(1);
    // Only a reference of these processes is a test of an event.
    let calls = |cluster| if cluster == CLUSTER { vec![CallKind::Reset] } else { Vec::new() };
    let mut plan = cmstar::plan(length, calls, false)?;
    let seen: Report<(u16, Mark)> = Report::default();
    for pair in 0..count {
        for is_client in [false, true] {
            let words = if is_client { words - words / 2 } else { words / 2 };
            let partner = Partner { pair, is_client, words, repetitions, seen: seen.clone() };
            cmstar::add(&mut plan, FIRST + 2 * pair + u16::from(is_client), partner);
        }
    }
    let outcome = Sim::of(plan, None)?.run(Instant::ZERO + length, |_| true);
    whole(outcome)?;
    summed(&reported(&seen), count, repetitions)
}

/// The means over all pairs while all of them make calls.
fn summed(marks: &[(u16, Mark)], count: u16, repetitions: u64) -> Result<Called, LabError> {
    let (mut latencies, mut calls) = (Vec::new(), Vec::new());
    let ends = (0..count).filter_map(|pair| {
        let of = marks.iter().filter(move |(whose, _)| *whose == pair);
        of.filter_map(|(_, mark)| if let Mark::Ends(at) = mark { Some(*at) } else { None }).max()
    });
    let first_end = ends.min().unwrap_or(Instant::ZERO);
    for pair in 0..count {
        let (mut sent, mut called) = (None, None);
        for (_, mark) in marks.iter().filter(|(whose, _)| *whose == pair) {
            match *mark {
                Mark::Sends(at) => {
                    sent = Some(at);
                    called = called.or(sent);
                }
                Mark::Receives(at) => {
                    let took = sent.take().filter(|_| at <= first_end);
                    latencies.extend(took.map(|sent| micros(at.saturating_since(sent))));
                }
                Mark::Ends(at) => {
                    let took = called.take().filter(|_| at <= first_end);
                    calls.extend(took.map(|called| micros(at.saturating_since(called))));
                }
            }
        }
    }
    if (calls.len() as u64) < repetitions {
        let why = format!("{} calls of {repetitions} were made", calls.len());
        return Err(LabError::Run(why));
    }
    let latency = crate::statistics::mean(&latencies).value;
    let squares: Vec<f64> = latencies.iter().map(|one| (one - latency).powi(2)).collect();
    let deviation = crate::statistics::mean(&squares).value.sqrt();
    Ok(Called { latency, deviation, call: crate::statistics::mean(&calls).value })
}

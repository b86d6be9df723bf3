//! A made-up machine for tests: periodic threads under earliest deadline first, one greedy thread.
//!
//! Invariant: a [`Sample`] always gives the same records. They keep the rules of the event model,
//! with overheads, budgets, misses (when overloaded) and, if asked for, a loss in the middle.

use windfall_schedulers::kinds;
use windfall_time::{Instant, Span};
use windfall_trace::{Cpu, Event, Header, NodeId, Note, OverheadKind, Record, Stop, ThreadId};

/// The machine to make up.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) cpus: u16,
    /// Name, cost and period of each periodic thread, in microseconds.
    pub(crate) threads: Vec<(&'static str, u64, u64)>,
    pub(crate) length_us: u64,
    pub(crate) loss: bool,
}

struct Thread {
    cost: u64,
    period: u64,
    release: u64,
    deadline: u64,
    left: u64,
    on: Option<u16>,
}

impl Sample {
    /// Three threads that almost fill two processors.
    pub(crate) fn small() -> Sample {
        Sample {
            cpus: 2,
            threads: vec![
                ("audio", 2_000, 10_000),
                ("video", 14_000, 33_000),
                ("control", 4_000, 5_000),
            ],
            length_us: 100_000,
            loss: false,
        }
    }

    pub(crate) fn header(&self) -> Header {
        Header::new("sample", "virtual", self.cpus)
    }

    /// The records, in order of time.
    pub(crate) fn records(&self) -> Vec<Record> {
        let mut all = Records { to: Vec::new(), now: 0 };
        self.declare(&mut all);
        let greedy = ThreadId(u32::try_from(self.threads.len()).unwrap());
        let mut threads: Vec<Thread> = self
            .threads
            .iter()
            .map(|&(_, cost, period)| Thread {
                cost,
                period,
                release: 0,
                deadline: 0,
                left: 0,
                on: None,
            })
            .collect();
        let mut running: Vec<Option<ThreadId>> = vec![None; usize::from(self.cpus)];
        let mut seed = 7_u64;
        let (mut loss, end) = (self.loss, self.length_us * 1_000);
        while all.now < end {
            self.release(&mut all, &mut threads, &mut seed);
            if loss && all.now > end / 2 {
                loss = false;
                all.put(Event::Lost { cpu: Some(Cpu(0)), count: Some(12) });
                all.now += 1_500_000;
            }
            Sample::choose(&mut all, &mut threads, &mut running, greedy);
            let next_release = threads.iter().map(|thread| thread.release).min().unwrap_or(end);
            let soonest =
                threads.iter().filter(|thread| thread.on.is_some()).map(|thread| thread.left);
            let step =
                soonest.min().unwrap_or(u64::MAX).min(next_release.saturating_sub(all.now)).max(1);
            Sample::overhead(&mut all, step, &mut seed);
            all.now += step.saturating_sub(3_000).max(1);
            for (id, thread) in (0..).zip(&mut threads) {
                if thread.on.is_some() {
                    thread.left = thread.left.saturating_sub(step);
                    if thread.left == 0 {
                        all.finish(ThreadId(id), thread);
                    }
                }
            }
        }
        all.to
    }

    fn declare(&self, all: &mut Records) {
        let nodes =
            [(None, "root", "top"), (Some(0), "rt", kinds::EDF.name), (Some(0), "rest", "ps")];
        for (id, (parent, name, kind)) in (0..).zip(nodes) {
            let (name, kind) = (name.to_owned(), kind.to_owned());
            all.put(Event::Node { node: NodeId(id), parent: parent.map(NodeId), name, kind });
        }
        for (id, &(name, cost, period)) in (0..).zip(&self.threads) {
            let (thread, node) = (ThreadId(id), Some(NodeId(1)));
            all.put(Event::Thread { thread, tid: 0, pid: 0, name: name.to_owned(), node });
            let guarantee = Some(format!("RESBH {cost}us {period}us"));
            all.put(Event::Promise { thread, guarantee });
        }
        let thread = ThreadId(u32::try_from(self.threads.len()).unwrap());
        let (name, node) = ("greedy".to_owned(), Some(NodeId(2)));
        all.put(Event::Thread { thread, tid: 0, pid: 0, name, node });
        all.put(Event::Wake { thread, by: None });
    }

    fn release(&self, all: &mut Records, threads: &mut [Thread], seed: &mut u64) {
        for (id, thread) in (0..).zip(threads) {
            if all.now >= thread.release && thread.left == 0 {
                *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                thread.left = (thread.cost * 1_000) * (80 + (*seed >> 33) % 41) / 100;
                thread.deadline = thread.release + thread.period * 1_000;
                let deadline = Some(Instant::from_nanos(thread.deadline));
                all.put(Event::Wake { thread: ThreadId(id), by: None });
                all.put(Event::Release { thread: ThreadId(id), deadline });
                let what = Note::Replenished(Span::from_nanos(thread.cost * 1_000));
                all.put(Event::Note { node: NodeId(1), thread: Some(ThreadId(id)), what });
                thread.release = thread.deadline;
            }
            while all.now >= thread.release {
                thread.release += 1_000_000;
            }
        }
    }

    fn choose(
        all: &mut Records,
        threads: &mut [Thread],
        running: &mut [Option<ThreadId>],
        greedy: ThreadId,
    ) {
        let mut wanted: Vec<(u64, u32)> = (0..)
            .zip(threads.iter())
            .filter(|(_, thread)| thread.left > 0)
            .map(|(id, thread)| (thread.deadline, id))
            .collect();
        wanted.sort_unstable();
        wanted.truncate(running.len());
        let chosen: Vec<ThreadId> = wanted.iter().map(|(_, id)| ThreadId(*id)).collect();
        let all_running = running.to_vec();
        let mut fresh = chosen.iter().filter(|id| !all_running.contains(&Some(**id)));
        let mut idle = None;
        for (cpu, slot) in (0..).zip(running.iter_mut()) {
            if slot.is_some_and(|id| chosen.contains(&id)) {
                continue;
            }
            let next = fresh.next().copied();
            if next.is_none() {
                idle = Some(cpu);
            }
            Sample::switch(all, threads, cpu, slot, next);
        }
        if let Some(cpu) = idle {
            Sample::switch(all, threads, cpu, &mut running[usize::from(cpu)], Some(greedy));
        }
    }

    fn switch(
        all: &mut Records,
        threads: &mut [Thread],
        cpu: u16,
        slot: &mut Option<ThreadId>,
        next: Option<ThreadId>,
    ) {
        if *slot == next {
            return;
        }
        let prev = slot.map(|id| match threads.get_mut(usize::try_from(id.0).unwrap()) {
            Some(thread) => {
                thread.on = None;
                (id, if thread.left == 0 { Stop::Blocked } else { Stop::Preempted })
            }
            None => (id, Stop::Preempted),
        });
        if let Some(thread) = next.and_then(|id| threads.get_mut(usize::try_from(id.0).unwrap())) {
            thread.on = Some(cpu);
        }
        *slot = next;
        all.put(Event::Switch { cpu: Cpu(cpu), prev, next });
    }

    fn overhead(all: &mut Records, step: u64, seed: &mut u64) {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        if (*seed >> 40).is_multiple_of(4) && step > 400_000 {
            all.put(Event::OverheadBegin { cpu: Cpu(0), kind: OverheadKind::Interrupt, number: 9 });
            all.now += 250_000;
            all.put(Event::OverheadEnd { cpu: Cpu(0) });
        }
        all.put(Event::OverheadBegin { cpu: Cpu(0), kind: OverheadKind::Scheduling, number: 0 });
        all.now += 3_000;
        all.put(Event::OverheadEnd { cpu: Cpu(0) });
    }
}

struct Records {
    to: Vec<Record>,
    now: u64,
}

impl Records {
    fn put(&mut self, event: Event) {
        self.to.push(Record { at: Instant::from_nanos(self.now), event });
    }

    fn finish(&mut self, id: ThreadId, thread: &Thread) {
        let released = thread.deadline - thread.period * 1_000;
        let response = Span::from_nanos(self.now.saturating_sub(released));
        let missed = self.now > thread.deadline;
        self.put(Event::Complete { thread: id, response, missed });
    }
}

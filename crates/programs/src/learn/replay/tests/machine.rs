//! A machine that follows random numbers, records what it does, and knows what truly happened.

use windfall_time::Instant;
use windfall_trace::{Cpu, Event, OverheadKind, Record, Stop, ThreadId};

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Running(usize),
    Ready,
    /// With a wake that came too early for its wait, if one did.
    Blocked(bool),
    Gone,
}

#[derive(Clone, Default)]
struct Processor {
    thread: Option<usize>,
    overheads: u8,
    /// Events are lost until the next recorded switch.
    lost: bool,
}

pub(crate) struct Machine {
    now: u64,
    states: Vec<State>,
    /// Whether a wake came while it ran, since its last switch.
    early: Vec<bool>,
    cpus: Vec<Processor>,
    lossy: bool,
    records: Vec<Record>,
    truth: Truth,
}

/// The true course of events.
#[derive(Clone)]
pub(crate) struct Truth {
    /// By thread.
    pub(crate) work: Vec<u64>,
    /// By processor.
    pub(crate) stolen: Vec<u64>,
    /// Number of recorded wakes.
    pub(crate) wakes: u64,
}

impl Machine {
    pub(crate) fn new(cpus: u16, threads: u32, lossy: bool) -> Machine {
        let threads_in_all = threads as usize;
        let mut states = vec![State::Blocked(false); threads_in_all];
        let mut processors = vec![Processor::default(); usize::from(cpus)];
        // One thread runs when the trace begins, one is ready.
        states[0] = State::Running(0);
        processors[0].thread = Some(0);
        if let Some(state) = states.get_mut(1) {
            *state = State::Ready;
        }
        let declare = |thread| {
            let name = format!("t{thread}");
            let event =
                Event::Thread { thread: ThreadId(thread), tid: thread, pid: 0, name, node: None };
            Record { at: Instant::from_nanos(500), event }
        };
        let (work, stolen) = (vec![0; threads_in_all], vec![0; processors.len()]);
        Machine {
            now: 500,
            states,
            early: vec![false; threads_in_all],
            cpus: processors,
            lossy,
            records: (0..threads).map(declare).collect(),
            truth: Truth { work, stolen, wakes: 0 },
        }
    }

    pub(crate) fn play(mut self, choices: &[[u8; 4]]) -> (Vec<Record>, Truth) {
        for [what, who, how, time] in choices.iter().copied() {
            self.pass(u64::from(time % 8));
            let cpu = usize::from(who) % self.cpus.len();
            match what % 16 {
                0..7 => self.switch(cpu, how, time),
                7..12 => self.wake(who, how),
                12..14 => self.begin_overhead(cpu),
                14 => self.end_overhead(cpu),
                _ if self.lossy => self.lose(cpu, how),
                _ => {}
            }
        }
        // A thread on a processor that never switches is not in the records at all.
        if self.cpus[0].thread == Some(0) {
            self.end_overhead(0);
            self.switch(0, 0, 0);
        }
        self.tell(Event::Control { text: "the end".to_owned() });
        (self.records, self.truth)
    }

    fn tell(&mut self, event: Event) {
        self.records.push(Record { at: Instant::from_nanos(self.now), event });
    }

    fn pass(&mut self, ns: u64) {
        self.now += ns;
        for (number, cpu) in self.cpus.iter().enumerate() {
            if cpu.overheads > 0 {
                self.truth.stolen[number] += ns;
            } else if let Some(thread) = cpu.thread {
                self.truth.work[thread] += ns;
            }
        }
    }

    fn switch(&mut self, cpu: usize, how: u8, pick: u8) {
        if self.cpus[cpu].overheads > 0 {
            return;
        }
        let prev = self.cpus[cpu].thread;
        let stop = match how % 8 {
            0..3 => Stop::Preempted,
            3..6 => Stop::Blocked,
            6 => Stop::Uninterruptible,
            _ if how > 230 => Stop::Exited,
            _ => Stop::Stopped,
        };
        let able = |(i, state): (usize, &State)| {
            matches!(state, State::Ready | State::Blocked(true)).then_some(i)
        };
        let ready: Vec<usize> = self.states.iter().enumerate().filter_map(able).collect();
        let next = match ready.len() {
            0 => None,
            many => ready.get(usize::from(pick / 8) % (many + 1)).copied(),
        };
        if prev.is_none() && next.is_none() {
            return;
        }
        if let Some(thread) = prev {
            let early = std::mem::take(&mut self.early[thread]);
            self.states[thread] = match stop {
                Stop::Preempted => State::Ready,
                Stop::Exited => State::Gone,
                _ => State::Blocked(early),
            };
        }
        if let Some(thread) = next {
            self.states[thread] = State::Running(cpu);
        }
        self.cpus[cpu].thread = next;
        // While events are lost, three switches of four are.
        if self.cpus[cpu].lost && !pick.is_multiple_of(4) {
            return;
        }
        self.cpus[cpu].lost = false;
        let name = |thread: usize| ThreadId(u32::try_from(thread).unwrap());
        self.tell(Event::Switch {
            cpu: Cpu(u16::try_from(cpu).unwrap()),
            prev: prev.map(|thread| (name(thread), stop)),
            next: next.map(name),
        });
    }

    fn wake(&mut self, who: u8, how: u8) {
        let target = usize::from(who) % self.states.len();
        // A thread that runs at the start and has not switched yet is not known to run.
        let switched = |i: usize| {
            self.records.iter().any(|record| match record.event {
                Event::Switch { prev, next, .. } => {
                    let id = Some(ThreadId(u32::try_from(i).unwrap()));
                    next == id || prev.map(|(thread, _)| thread) == id
                }
                _ => false,
            })
        };
        if target <= 1 && !switched(target) {
            return;
        }
        let cpu = usize::from(how) % self.cpus.len();
        let interrupt = self.cpus[cpu].overheads > 0 || how.is_multiple_of(5);
        let by = self.cpus[cpu].thread.filter(|_| !interrupt);
        if by == Some(target) {
            return;
        }
        match self.states[target] {
            State::Blocked(_) => self.states[target] = State::Ready,
            State::Running(_) => self.early[target] = true,
            State::Ready | State::Gone => {}
        }
        if self.cpus[cpu].lost {
            return;
        }
        self.truth.wakes += 1;
        let name = |thread: usize| ThreadId(u32::try_from(thread).unwrap());
        self.tell(Event::Wake { thread: name(target), by: by.map(name) });
    }

    fn begin_overhead(&mut self, cpu: usize) {
        if self.cpus[cpu].overheads >= 3 || self.cpus[cpu].lost {
            return;
        }
        self.cpus[cpu].overheads += 1;
        let cpu = Cpu(u16::try_from(cpu).unwrap());
        self.tell(Event::OverheadBegin { cpu, kind: OverheadKind::Interrupt, number: 3 });
    }

    fn end_overhead(&mut self, cpu: usize) {
        while self.cpus[cpu].overheads > 0 {
            self.cpus[cpu].overheads -= 1;
            self.tell(Event::OverheadEnd { cpu: Cpu(u16::try_from(cpu).unwrap()) });
        }
    }

    fn lose(&mut self, cpu: usize, how: u8) {
        let all = how.is_multiple_of(4);
        for (number, processor) in self.cpus.iter_mut().enumerate() {
            if all || number == cpu {
                (processor.lost, processor.overheads) = (true, 0);
            }
        }
        let cpu = (!all).then(|| Cpu(u16::try_from(cpu).unwrap()));
        self.tell(Event::Lost { cpu, count: None });
    }
}

/// Any record at all, declared or not, in or out of order.
pub(crate) fn nonsense([what, a, b, c, time]: [u8; 5]) -> Record {
    let thread = |n: u8| ThreadId(u32::from(n % 5));
    let maybe = |n: u8| (!n.is_multiple_of(3)).then(|| thread(n / 3));
    let cpu = Cpu(u16::from(c % 3));
    let stops =
        [Stop::Preempted, Stop::Blocked, Stop::Uninterruptible, Stop::Stopped, Stop::Exited];
    let stop = stops[usize::from(c) % stops.len()];
    let event = match what % 8 {
        0..3 => Event::Switch { cpu, prev: maybe(a).map(|t| (t, stop)), next: maybe(b) },
        3 | 4 => Event::Wake { thread: thread(a), by: maybe(b) },
        5 => Event::OverheadBegin { cpu, kind: OverheadKind::Steal, number: 0 },
        6 => Event::OverheadEnd { cpu },
        _ if a % 2 == 0 => Event::Lost { cpu: (b % 2 == 0).then_some(cpu), count: None },
        _ => Event::Exit { thread: thread(a) },
    };
    Record { at: Instant::from_nanos(1000 + u64::from(time)), event }
}

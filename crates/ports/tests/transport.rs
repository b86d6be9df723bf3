//! Several processors over a transport: executed at most once, every submission answered or timed out, whatever is lost, doubled, late or dead.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use windfall_ports::transport::{
    Faults, InProcess, Network, Record, Simulated, Transport, in_process,
};
use windfall_ports::{
    Answer, EarliestDeadline, Event, Member, Outcome, Processor, Request, Share, Submission, TaskId,
};
use windfall_time::{Instant, Span};

const MEMBERS: usize = 3;
const TICK: u64 = 10;

fn ns(n: u64) -> Span {
    Span::from_nanos(n)
}

struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// What a system did: for each submission (by its sender), its outcomes and analyses.
struct System<T> {
    members: Vec<Member<T>>,
    draw: Draw,
    outcomes: BTreeMap<(usize, Submission), Vec<Outcome>>,
    analysed: BTreeMap<(usize, Submission), Vec<Answer>>,
    asked: BTreeMap<(usize, Submission), Request>,
    /// By sender, receiver and number.
    numbers: BTreeMap<(usize, usize, u64), Submission>,
    tally: BTreeMap<&'static str, u64>,
    trace: u64,
}

impl<T: Transport> System<T> {
    fn new(seed: u64, ends: Vec<T>) -> System<T> {
        let member = |end| {
            let mut processor = Processor::new(Instant::ZERO, 64);
            let edf: EarliestDeadline =
                EarliestDeadline::new(Share::WHOLE, Instant::ZERO, 64).unwrap();
            processor.add(edf).unwrap();
            Member::new(processor, end, ns(150))
        };
        let members = ends.into_iter().map(member).collect();
        let (outcomes, analysed) = (BTreeMap::new(), BTreeMap::new());
        let (asked, tally, numbers) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        System { members, draw: Draw(seed), outcomes, analysed, asked, numbers, tally, trace: 0 }
    }

    fn count(&mut self, kind: &'static str) {
        *self.tally.entry(kind).or_default() += 1;
    }

    fn submit(&mut self, from: usize, to: usize, asked: Request) {
        let until = self.members[from].processor.now() + ns(800);
        match self.members[from].submit(to, 0, asked, until) {
            Some(submission) => {
                self.outcomes.insert((from, submission), Vec::new());
                self.asked.insert((from, submission), asked);
                self.numbers.insert((from, to, submission.number), submission);
            }
            None => self.count("full"),
        }
    }

    fn tick(&mut self, now: Instant, submits: bool) {
        for own in 0..MEMBERS {
            run_to(&mut self.members[own].processor, now);
            for event in self.members[own].turn() {
                self.trace = (self.trace ^ hash(&event)).wrapping_mul(0x0100_0000_01b3);
                self.take(own, event);
            }
            if submits && self.draw.below(4) == 0 {
                let to = (own + 1 + usize::try_from(self.draw.below(2)).unwrap()) % MEMBERS;
                let work = 1 + self.draw.below(120);
                let asked = Request::by(ns(work), now + ns(work + self.draw.below(900)));
                self.submit(own, to, asked);
            }
        }
    }

    fn take(&mut self, own: usize, event: Event) {
        match event {
            Event::Analysed { from, number, answer } => {
                let of = (from, self.numbers[&(from, own, number)]);
                self.analysed.entry(of).or_default().push(answer);
            }
            Event::Outcome(submission, outcome) => {
                self.outcomes.get_mut(&(own, submission)).unwrap().push(outcome);
                if let Outcome::Answered(Answer::NoRoom { idle, .. }) = outcome
                    && idle >= ns(2)
                {
                    // A smaller one follows.
                    let deadline = self.asked[&(own, submission)].deadline.unwrap();
                    self.submit(own, submission.to, Request::by(ns(idle.as_nanos() / 2), deadline));
                    self.count("smaller");
                }
            }
            _ => {}
        }
    }

    /// Judges what was done, when all timeouts have passed.
    fn judge(&mut self) {
        let outcomes = core::mem::take(&mut self.outcomes);
        for (of, outcomes) in outcomes {
            assert_eq!(outcomes.len(), 1, "{of:?}: {outcomes:?}");
            let analysed = self.analysed.get(&of).cloned().unwrap_or_default();
            assert!(analysed.len() <= 1, "{of:?} was executed twice: {analysed:?}");
            let kind = match (outcomes[0], analysed.first()) {
                (Outcome::Answered(answer), Some(analysed)) => {
                    assert_eq!(answer, *analysed);
                    if matches!(answer, Answer::Admitted(_)) { "admitted" } else { "refused" }
                }
                (Outcome::TimedOut, Some(Answer::Admitted(_))) => "timed out, and executed",
                (Outcome::TimedOut, _) => "timed out, and not executed",
                other => panic!("{of:?}: {other:?}"),
            };
            self.count(kind);
        }
        for member in &self.members {
            let counts = member.processor.counts();
            assert_eq!((counts.late, counts.exceeded), (0, 0));
        }
    }
}

/// A processor without other work runs its tasks to their bounds.
fn run_to(processor: &mut Processor, to: Instant) {
    while processor.now() < to {
        let left = to - processor.now();
        let Some(running) = processor.running() else {
            return processor.advance(to, Span::ZERO).unwrap();
        };
        let received = left.min(running.at_most);
        processor.advance(processor.now() + received, received).unwrap();
        if received == running.at_most {
            processor.done(running.task).unwrap();
        }
    }
}

fn hash(event: &Event) -> u64 {
    format!("{event:?}").bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn simulated(seed: u64, ticks: u64) -> (System<Simulated>, Network) {
    let mut draw = Draw(seed);
    let faults = Faults::none(ns(1 + draw.below(100)))
        .jitter(ns(draw.below(200)))
        .lost(draw.below(4) * 100)
        .doubled(draw.below(4) * 100)
        .late(draw.below(3) * 50, ns(2_000));
    let network = Network::new(seed, faults);
    let ends = (0..MEMBERS).map(|own| network.member(own)).collect();
    let mut system = System::new(seed, ends);
    for tick in 0..ticks + 1_000 {
        if tick < ticks && system.draw.below(200) == 0 {
            let member = usize::try_from(system.draw.below(3)).unwrap();
            network.set_dead(member, system.draw.below(2) == 0);
        }
        system.tick(Instant::from_nanos(tick * TICK), tick < ticks);
    }
    system.judge();
    (system, network)
}

#[test]
fn law_executed_at_most_once_and_every_submission_has_one_outcome() {
    let seeds = if cfg!(debug_assertions) { 20 } else { 300 };
    let mut tally: BTreeMap<&'static str, u64> = BTreeMap::new();
    for seed in 0..seeds {
        let (system, network) = simulated(seed, 1_000);
        for (kind, count) in system.tally {
            *tally.entry(kind).or_default() += count;
        }
        let carried = network.carried();
        let faults = [
            ("lost", carried.lost),
            ("doubled", carried.doubled),
            ("late", carried.late),
            ("dead", carried.dead),
        ];
        faults.into_iter().for_each(|(kind, count)| *tally.entry(kind).or_default() += count);
    }
    eprintln!("{seeds} seeds: {tally:?}");
    let kinds = [
        "admitted",
        "dead",
        "doubled",
        "late",
        "lost",
        "refused",
        "smaller",
        "timed out, and executed",
        "timed out, and not executed",
    ];
    for kind in kinds {
        assert!(tally.get(kind).is_some_and(|count| *count > 3 * seeds), "{kind}: {tally:?}");
    }
}

#[test]
fn law_the_same_seed_gives_the_same_trace() {
    for seed in 0..5 {
        let trace = |seed| simulated(seed, 300).0.trace;
        assert_eq!(trace(seed), trace(seed));
        assert_ne!(trace(seed), trace(seed + 50));
    }
}

/// In process nothing is lost; a ring of two records is often full, which is an answer, too.
#[test]
fn law_rings_answer_everything_and_are_full_sometimes() {
    let mut system: System<InProcess> = System::new(7, in_process(MEMBERS, 2));
    for tick in 0..20_000 {
        let (now, submits) = (Instant::from_nanos(tick * TICK), tick < 19_000);
        system.tick(now, submits);
        if submits && tick % 50 == 0 {
            let asked = |n: u64| Request::by(ns(1 + n), now + ns(5_000));
            (0..4_u64).for_each(|n| system.submit(0, 1, asked(n)));
        }
    }
    system.judge();
    for kind in ["admitted", "full", "refused", "smaller"] {
        assert!(system.tally.get(kind).is_some_and(|count| *count > 100), "{:?}", system.tally);
    }
    assert_eq!(system.tally.get("timed out, and not executed"), None);
}

/// Two owners on threads of their own, each submitting to the other as it analyses.
#[test]
fn law_owners_on_two_threads_answer_each_other() {
    // An owner that has all that it wants goes on until the other has, too: an answer of its own may still wait for a free place.
    let satisfied = &AtomicUsize::new(0);
    let answered = std::thread::scope(|scope| {
        let owners = in_process(2, 8).into_iter().enumerate().map(|(own, end)| {
            scope.spawn(move || {
                let mut processor = Processor::new(Instant::ZERO, 10_000);
                let edf: EarliestDeadline =
                    EarliestDeadline::new(Share::WHOLE, Instant::ZERO, 10_000).unwrap();
                processor.add(edf).unwrap();
                let mut member = Member::new(processor, end, ns(u64::MAX));
                let (mut sent, mut tasks, mut analysed) = (0_u64, Vec::<TaskId>::new(), 0);
                let mut is_satisfied = false;
                while satisfied.load(Ordering::SeqCst) < 2 {
                    if !is_satisfied && sent == 5_000 && tasks.len() == 5_000 && analysed == 5_000 {
                        is_satisfied = true;
                        satisfied.fetch_add(1, Ordering::SeqCst);
                    }
                    let asked = Request::by(ns(1), Instant::from_nanos(20_000 + sent));
                    if sent < 5_000 && member.submit(1 - own, 0, asked, Instant::MAX).is_some() {
                        sent += 1;
                    }
                    for event in member.turn() {
                        match event {
                            Event::Outcome(_, Outcome::Answered(Answer::Admitted(task))) => {
                                tasks.push(task)
                            }
                            Event::Analysed { .. } => analysed += 1,
                            other => panic!("{other:?}"),
                        }
                    }
                    std::thread::yield_now();
                }
                assert_eq!(member.processor.counts().admitted, 5_000);
                tasks
            })
        });
        let owners: Vec<_> = owners.collect();
        owners.into_iter().map(|owner| owner.join().unwrap()).collect::<Vec<_>>()
    });
    for mut tasks in answered {
        tasks.sort_unstable();
        tasks.dedup();
        assert_eq!(tasks.len(), 5_000);
    }
}

/// The end of a member to whom another submits for as long as it reads; nothing can be sent from it while it is full.
struct Flooded {
    end: InProcess,
    other: Member<InProcess>,
    is_full: Rc<Cell<bool>>,
}

impl Transport for Flooded {
    fn send(&mut self, now: Instant, to: usize, record: Record) -> bool {
        !self.is_full.get() && self.end.send(now, to, record)
    }

    fn receive(&mut self, now: Instant) -> Option<(usize, Record)> {
        let _ = self.other.submit(0, 0, Request::by(ns(1), Instant::MAX), Instant::MAX);
        let _ = self.other.turn();
        self.end.receive(now)
    }
}

#[test]
fn law_a_turn_ends_whatever_arrives_and_answers_go_before_submissions() {
    let [end, other]: [InProcess; 2] = in_process(2, 8).try_into().unwrap();
    let other = Member::new(Processor::new(Instant::ZERO, 1), other, ns(10));
    let is_full = Rc::new(Cell::new(true));
    let flooded = Flooded { end, other, is_full: is_full.clone() };
    let mut member = Member::new(Processor::new(Instant::ZERO, 1), flooded, ns(10));
    let asked = Request::by(ns(1), Instant::from_nanos(1));
    let mut submitted_after = None;
    for turn in 0..300 {
        // It has no scheduler, and answers all the same.
        assert!(member.turn().len() > 100);
        assert_eq!(member.wakes(), Some(Instant::ZERO));
        is_full.set(turn < 3);
        if member.submit(1, 0, asked, Instant::MAX).is_some() {
            submitted_after = submitted_after.or(Some(turn));
        }
    }
    // Hundreds of answers wait, and eight at a time find room.
    assert!(submitted_after.is_some_and(|turn| turn > 50), "{submitted_after:?}");
}

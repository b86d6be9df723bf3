//! What a submission costs its submitter while others submit, too: `cargo bench -p windfall-ports --bench submitters`; see `docs/benchmarks/admission.md`.
//!
//! Two or four threads submit to the two processors of a pool, by each of its ways, and as members by rings. Of each call, and of each answer since its call began, the median, the 99th
//! percentile and the longest. Half of the tasks fit, and end at once; the others ask for more than there is.

use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant as Clock};
use windfall_clocks::quantile;
use windfall_ports::pool::{Checkpoints, Handle, Pool, StoppedError, Target};
use windfall_ports::transport::{InProcess, in_process};
use windfall_ports::{
    Answer, EarliestDeadline, Event, Member, Processor, Request, Share, SubmitError,
};
use windfall_time::{Instant, Span};

const CPUS: usize = 2;
const SUBMITTERS: [usize; 2] = [2, 4];
/// Of each submitter.
const TIMES: usize = 3_000;

fn processor(now: Instant) -> Processor {
    let mut processor = Processor::new(now, 2_000);
    let edf: EarliestDeadline =
        EarliestDeadline::new(Share::WHOLE, now, 2_000).expect("time began before");
    processor.add(edf).expect("the only scheduler");
    processor
}

/// Every second task fits.
fn asked(number: usize, now: Instant) -> (Span, Instant) {
    let work = if number.is_multiple_of(2) { Span::from_nanos(50_000) } else { Span::from_secs(1) };
    (work, now + Span::from_millis(50))
}

/// Of a call and of its answer.
type Times = [Duration; 2];

fn shown(what: &str, submitters: usize, all: Vec<Times>) {
    let us = |part: usize| {
        let each: Vec<_> = all.iter().map(|times| times[part].as_nanos() as f64).collect();
        let [middle, p99, most] = [50, 99, 100].map(|of| quantile(each.clone(), of, 100) / 1_000.0);
        format!("{middle:.1}, {p99:.1}, {most:.0}")
    };
    println!("{submitters} submitters, {what}: call {} us; answer {} us", us(0), us(1));
}

/// So many threads, each of which submits one after the other.
fn together(what: &str, submitters: usize, one: impl Fn(usize, usize) -> Times + Sync) {
    let (begin, one) = (Barrier::new(submitters), &one);
    let all = std::thread::scope(|scope| {
        let submit = |thread| {
            let begin = &begin;
            scope.spawn(move || {
                begin.wait();
                (0..TIMES).map(|number| one(thread, number)).collect::<Vec<_>>()
            })
        };
        let threads: Vec<_> = (0..submitters).map(submit).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("it ends")).collect()
    });
    shown(what, submitters, all);
}

fn nothing(_: &Checkpoints) -> Result<(), StoppedError> {
    Ok(())
}

/// The task is over before the next is submitted.
fn over(answer: Result<Handle<()>, SubmitError>) {
    if let Ok(handle) = answer {
        let _ = black_box(handle.wait());
    }
}

fn pool() -> Pool {
    let cpus = (0..CPUS).map(|cpu| u16::try_from(cpu).expect("few"));
    Pool::new(cpus.map(|cpu| (cpu, processor(Pool::now())))).expect("two processors")
}

fn by_try_submit(pool: &Pool, _: usize, number: usize) -> Times {
    let (work, deadline) = asked(number, Pool::now());
    let start = Clock::now();
    let pending = pool.try_submit(work, deadline, nothing);
    let took = start.elapsed();
    let answer = pending.wait();
    let answered = start.elapsed();
    over(answer);
    [took, answered]
}

fn by_send(pool: &Pool, thread: usize, number: usize) -> Times {
    let (work, deadline) = asked(number, Pool::now());
    let target = Target { processor: thread % CPUS, scheduler: 0 };
    let start = Clock::now();
    let pending = pool.send(target, Request::by(work, deadline), nothing);
    let took = start.elapsed();
    let answer = pending.expect("there is room").wait();
    let answered = start.elapsed();
    over(answer);
    [took, answered]
}

/// The owner of a processor: it analyses what comes, and gives up what was admitted, so that there is room.
fn serve(mut member: Member<InProcess>, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        for event in member.turn() {
            if let Event::Analysed { answer: Answer::Admitted(task), .. } = event {
                member.processor.cancel(task).expect("it is there");
            }
        }
        std::thread::yield_now();
    }
}

fn by_rings(submitters: usize) {
    let repeat = Span::from_secs(1_000);
    let ends = in_process(CPUS + submitters, 64).into_iter();
    let mut members = ends.map(|end| Member::new(processor(Instant::ZERO), end, repeat));
    let owners: Vec<_> = members.by_ref().take(CPUS).collect();
    let members: Vec<_> = members.map(std::sync::Mutex::new).collect();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for owner in owners {
            scope.spawn(|| serve(owner, &stop));
        }
        together("by a ring", submitters, |thread, number| {
            // Nobody else takes this lock.
            let mut member = members[thread].lock().expect("its own");
            let (work, deadline) = asked(number, Instant::ZERO);
            let start = Clock::now();
            let sent = member.submit(thread % CPUS, 0, Request::by(work, deadline), Instant::MAX);
            let took = start.elapsed();
            assert!(sent.is_some());
            while black_box(member.turn()).is_empty() {
                std::thread::yield_now();
            }
            [took, start.elapsed()]
        });
        stop.store(true, Ordering::Relaxed);
    });
}

fn main() {
    for submitters in SUBMITTERS {
        let pool = pool();
        together("try_submit", submitters, |thread, number| by_try_submit(&pool, thread, number));
        together("send", submitters, |thread, number| by_send(&pool, thread, number));
        by_rings(submitters);
    }
}

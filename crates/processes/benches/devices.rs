//! How long it takes from a descriptor to the process that waits for it, beside a bare epoll loop, all in one run: rounds of the three
//! follow each other, and ratios are of their medians.
//!
//! A writer notes the time, writes a byte into a socket pair, and sleeps until it is answered; the reader notes the time when it goes on.

use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;
use windfall_clocks::Samples;
use windfall_os::events::Poll;
use windfall_os::sched::{Affinity, Attributes};
use windfall_os::{clock, futex};
use windfall_processes::{Arrivals, Settings, run};
use windfall_programs::{Code, Device, Node, Process, ProcessError};
use windfall_time::Span;

const ROUNDS: usize = 15;
/// Bytes in a round.
const TURNS: u32 = 2_000;

/// Real-time priorities: whoever reads goes before the writer, and whoever waits for descriptors before both.
const WRITER: u32 = 5;
const PROCESS: u32 = 6;
const LOOP: u32 = 10;

/// Where writer and reader meet.
#[derive(Clone)]
struct Course {
    end: Arc<UnixStream>,
    sent: Arc<AtomicU64>,
    seen: Arc<AtomicU64>,
}

impl Course {
    /// Takes a byte; when the other end is closed, there is none.
    fn take(&self) -> bool {
        let now = clock::now();
        let mut byte = [0];
        let got = matches!((&*self.end).read(&mut byte), Ok(1));
        if got {
            self.seen.store(now.as_nanos() - self.sent.load(Ordering::Acquire), Ordering::Release);
            let _ = (&*self.end).write(&byte);
        }
        got
    }
}

fn main() -> ExitCode {
    for (place, cpus) in [("one processor", [1, 1]), ("apart", [0, 1])] {
        let mut table: [Vec<Span>; 3] = Default::default();
        for _ in 0..ROUNDS {
            for (way, samples) in table.iter_mut().enumerate() {
                match round(way, cpus) {
                    Ok(median) => samples.push(median),
                    Err(why) => {
                        eprintln!("{why}");
                        return ExitCode::FAILURE;
                    }
                }
            }
        }
        println!(
            "ns from the descriptor to the process ({place}): median, least, most of {ROUNDS} rounds"
        );
        let names = ["bare epoll loop", "epoll loop and futex", "device of a process"];
        let table = table.map(Samples::of);
        for (name, samples) in names.into_iter().zip(&table) {
            let [middle, least, most, bare] =
                [samples.median(), samples.least(), samples.most(), table[0].median()]
                    .map(Span::as_nanos);
            let hundredths = middle * 100 / bare;
            println!(
                "  {name:<24} {middle:>8} {least:>8} {most:>8}   {}.{:02}",
                hundredths / 100,
                hundredths % 100
            );
        }
    }
    ExitCode::SUCCESS
}

/// The median of a round.
fn round(way: usize, cpus: [u16; 2]) -> Result<Span, String> {
    let (mine, theirs) = UnixStream::pair().map_err(|why| why.to_string())?;
    theirs.set_nonblocking(true).map_err(|why| why.to_string())?;
    let (sent, seen) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let course = Course { end: Arc::new(theirs), sent: sent.clone(), seen: seen.clone() };
    let reader = std::thread::spawn(move || reads(way, course, cpus[1]));
    let samples = writes(mine, cpus[0], &sent, &seen);
    reader.join().map_err(|_| "the reader panicked".to_owned())??;
    Ok(Samples::of(samples).median())
}

fn settle(cpu: u16, priority: u32) {
    let _ = Affinity::one(cpu).give(0);
    let _ = Attributes::fifo(priority).give(0); // without the right to, all are ordinary
}

fn writes(mut end: UnixStream, cpu: u16, sent: &AtomicU64, seen: &AtomicU64) -> Vec<Span> {
    let writer = std::thread::scope(|scope| {
        scope
            .spawn(|| {
                settle(cpu, WRITER);
                let mut samples = Vec::new();
                let mut byte = [0];
                std::thread::sleep(Duration::from_millis(20)); // until the reader waits
                for _ in 0..TURNS {
                    sent.store(clock::now().as_nanos(), Ordering::Release);
                    let turned = end.write_all(&byte).and_then(|()| end.read_exact(&mut byte));
                    if turned.is_err() {
                        break;
                    }
                    samples.push(Span::from_nanos(seen.load(Ordering::Acquire)));
                }
                samples
            })
            .join()
    });
    drop(end);
    writer.unwrap_or_default()
}

fn reads(way: usize, course: Course, cpu: u16) -> Result<(), String> {
    match way {
        0 => bare(&course, cpu, |course| course.take()),
        1 => {
            let word = Arc::new(AtomicU32::new(0));
            let (process, its) = (course.clone(), word.clone());
            let taker = std::thread::spawn(move || {
                settle(cpu, PROCESS);
                loop {
                    while its.load(Ordering::Acquire) == 0 {
                        futex::wait(&its, 0);
                    }
                    its.store(0, Ordering::Release);
                    if !process.take() {
                        return;
                    }
                }
            });
            let hands_over = |_: &Course| {
                word.store(1, Ordering::Release);
                futex::wake_one(&word);
                !taker.is_finished()
            };
            let waited = bare(&course, cpu, hands_over);
            word.store(1, Ordering::Release); // nothing more comes: the taker finds that out
            futex::wake_one(&word);
            waited?;
            taker.join().map_err(|_| "the taker panicked".to_owned())
        }
        _ => {
            let _ = Affinity::one(cpu).give(0);
            let line = Device::new("line").map_err(|why| why.to_string())?;
            let descriptor = Arrivals::Descriptor(course.end.as_raw_fd());
            let settings = Settings::default().node([cpu]).length(Span::from_secs(60));
            let settings = settings.real_time(PROCESS).device(Node(0), line, descriptor);
            let ended = run(&settings, Reader { line, course }).map_err(|why| why.to_string())?;
            if ended.failures.is_empty() { Ok(()) } else { Err(format!("{ended:?}")) }
        }
    }
}

/// Waits for a descriptor as any program does.
fn bare(course: &Course, cpu: u16, each: impl Fn(&Course) -> bool) -> Result<(), String> {
    settle(cpu, LOOP);
    let poll = Poll::new().map_err(|why| why.to_string())?;
    poll.add_edges(course.end.as_raw_fd(), 0).map_err(|why| why.to_string())?;
    let mut ready = Vec::new();
    loop {
        poll.wait(1_000, &mut ready);
        if !ready.is_empty() && !each(course) {
            return Ok(());
        }
        if ready.is_empty() {
            return Ok(());
        }
    }
}

#[derive(Clone)]
struct Reader {
    line: Device,
    course: Course,
}

impl Code for Reader {
    const NAME: &'static str = "reader";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        me.attach(self.line, event).await?;
        loop {
            me.mwait(&[event]).await?;
            if !self.course.take() {
                return Ok(());
            }
        }
    }
}

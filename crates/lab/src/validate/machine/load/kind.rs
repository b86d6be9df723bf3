//! The kinds of load, each of which delays a wake-up in its own way.

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use std::fs::File;
use std::hint::black_box;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

/// More than most caches of one processor hold.
const SWEPT: usize = 16 << 20;
/// Pages that are asked for, filled and given back.
const PAGES: usize = 4 << 20;
/// The capacity of a pipe.
const PIPE: usize = 64 << 10;
/// Timers of a processor, and how far they are apart.
const TIMERS: (u16, u16) = (32, 100);

/// The work that a thread repeats until it says that it cannot. No turn is long.
pub(super) type Repeated = Box<dyn FnMut() -> bool + Send>;

/// A kind of load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LoadKind {
    /// Only its time is taken.
    Compute,
    /// Memory beyond the caches is read and written.
    Memory,
    /// Pages are asked for, filled and given back: page faults, and other processors are told to forget them.
    Pages,
    /// System calls that copy: a pipe is filled and emptied.
    Calls,
    /// A thread of the next processor is woken.
    Wakes,
    /// Timers expire, whoever runs.
    Timers,
}

impl LoadKind {
    pub(crate) const ALL: [LoadKind; 6] = [
        LoadKind::Compute,
        LoadKind::Memory,
        LoadKind::Pages,
        LoadKind::Calls,
        LoadKind::Wakes,
        LoadKind::Timers,
    ];

    /// In names of metrics and threads.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            LoadKind::Compute => "compute",
            LoadKind::Memory => "memory",
            LoadKind::Pages => "pages",
            LoadKind::Calls => "calls",
            LoadKind::Wakes => "wakes",
            LoadKind::Timers => "timers",
        }
    }

    /// In sentences.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            LoadKind::Compute => "computing",
            LoadKind::Memory => "sweeping 16 MiB of memory",
            LoadKind::Pages => "taking, filling and giving back 4 MiB (page faults)",
            LoadKind::Calls => "filling and emptying a pipe of 64 KiB (system calls)",
            LoadKind::Wakes => "waking a thread on the next processor",
            LoadKind::Timers => "32 timers, 100 us from each other",
        }
    }

    /// The works of the threads of so many processors. None where the kernel refuses a resource.
    pub(super) fn bodies(self, processors: usize) -> Vec<Repeated> {
        match self {
            LoadKind::Compute => (0..processors).map(|_| computes()).collect(),
            LoadKind::Memory => (0..processors).map(|_| sweeps()).collect(),
            LoadKind::Pages => (0..processors).map(|_| takes_pages()).collect(),
            LoadKind::Calls => (0..processors).filter_map(|_| fills_a_pipe()).collect(),
            LoadKind::Wakes => {
                let (senders, mut receivers): (Vec<_>, Vec<_>) =
                    (0..processors).map(|_| sync_channel(16)).unzip();
                receivers.rotate_left(1);
                let each = senders.into_iter().zip(receivers);
                each.map(|(to, from)| wakes(to, from)).collect()
            }
            LoadKind::Timers => (0..processors).filter_map(|_| expires()).collect(),
        }
    }
}

fn computes() -> Repeated {
    Box::new(|| {
        for step in 0..10_000_u64 {
            black_box(step);
        }
        true
    })
}

fn sweeps() -> Repeated {
    let mut memory = vec![0_u64; SWEPT / 8];
    Box::new(move || {
        for word in &mut memory {
            *word = word.wrapping_add(1);
        }
        black_box(&mut memory);
        true
    })
}

fn takes_pages() -> Repeated {
    Box::new(|| {
        drop(black_box(vec![1_u8; PAGES]));
        true
    })
}

fn fills_a_pipe() -> Option<Repeated> {
    let (from, to) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).ok()?;
    let (mut from, mut to) = (File::from(from), File::from(to));
    // A pipe that holds less would keep its only thread for ever.
    let size = rustix::pipe::fcntl_getpipe_size(&to).ok()?;
    let mut block = vec![1_u8; size.min(PIPE)];
    Some(Box::new(move || to.write_all(&block).and_then(|()| from.read_exact(&mut block)).is_ok()))
}

/// Wakes the thread of another processor, and sleeps as it is woken or a timer expires.
fn wakes(to: SyncSender<u64>, from: Receiver<u64>) -> Repeated {
    Box::new(move || {
        let _ = to.try_send(1);
        let _ = from.recv_timeout(Duration::from_micros(50));
        true
    })
}

/// Timers that are set at once and expire one after the other: an interrupt comes to this processor whichever thread it runs.
fn expires() -> Option<Repeated> {
    let (count, apart) = TIMERS;
    let timer = |_| timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC).ok();
    let timers: Vec<OwnedFd> = (0..count).map(timer).collect::<Option<_>>()?;
    Some(Box::new(move || {
        let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
        let set = |(number, timer): (i64, &OwnedFd)| {
            let at = Timespec { tv_sec: 0, tv_nsec: number * i64::from(apart) * 1_000 };
            let once = Itimerspec { it_interval: zero, it_value: at };
            timerfd_settime(timer, TimerfdTimerFlags::empty(), &once).is_ok()
        };
        let are_set = (1..).zip(&timers).all(set);
        std::thread::sleep(Duration::from_micros(u64::from(count) * u64::from(apart)));
        are_set
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_each_kind_goes_on_and_has_a_name_of_its_own() {
        let mut names: Vec<&str> = LoadKind::ALL.iter().map(|kind| kind.name()).collect();
        names.dedup();
        assert_eq!(names.len(), LoadKind::ALL.len());
        for kind in LoadKind::ALL {
            let mut bodies = kind.bodies(2);
            assert_eq!(bodies.len(), 2, "{kind:?}");
            for _ in 0..3 {
                assert!(bodies.iter_mut().all(|body| body()), "{kind:?}");
            }
        }
    }
}

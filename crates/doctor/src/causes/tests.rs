//! Each row is provoked for real on a thread of its own, where this user has the right.

use super::*;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use windfall_os::sched::{self, Attributes};
use windfall_skips::{Needs, skip};

/// SCHED_DEADLINE with runtime, deadline and period in ns.
fn deadline(runtime: u64, deadline: u64, period: u64) -> Attributes {
    Attributes::from_words([6, 0, 0, 0, runtime, deadline, period, 0])
}

/// The error of `act`, called on a thread that ends afterwards.
fn alone<T: Send + 'static>(act: impl FnOnce() -> io::Result<T> + Send + 'static) -> Option<i32> {
    std::thread::spawn(act).join().unwrap().err().and_then(|e| e.raw_os_error())
}

/// The right to ask for bandwidth, which all who ask share: one test at a time has it.
fn right() -> Option<MutexGuard<'static, ()>> {
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    match requested() {
        None => return Some(one),
        Some(libc::EPERM) => skip(Needs::Real, "this user may not set SCHED_DEADLINE"),
        Some(errno) => {
            let why = io::Error::from_raw_os_error(errno);
            skip(Needs::Real, format_args!("SCHED_DEADLINE is refused: {why}"));
        }
    }
    None
}

/// The kernel's answer to a request for a fifth of a processor. A thread that ended keeps its bandwidth until the end of
/// its period, so a refusal for lack of bandwidth counts only if it persists.
fn requested() -> Option<i32> {
    for _ in 0..100 {
        let answer = alone(|| deadline(2_000_000, 10_000_000, 10_000_000).give(0));
        if answer != Some(libc::EBUSY) {
            return answer;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    Some(libc::EBUSY)
}

/// Without the real-time throttle the kernel admits any bandwidth, and pinned threads.
fn bandwidth_is_limited() -> bool {
    let throttle = std::fs::read_to_string("/proc/sys/kernel/sched_rt_runtime_us").unwrap();
    let limited = throttle.trim() != "-1";
    if !limited {
        skip(Needs::Other, "the real-time throttle is off");
    }
    limited
}

#[test]
fn law_every_row_is_found_by_its_own_sign() {
    for row in &CAUSES {
        assert_eq!(cause(row.call, row.errno, &[row.sign]), Some(row));
        assert!(!row.why.is_empty() && !row.remedy.is_empty());
    }
    assert_eq!(cause(Class, libc::EPERM, &[]), None);
    assert_eq!(cause(Class, libc::ESRCH, &[NoRight, Pinned]), None);
}

#[test]
fn law_a_missing_right_is_told_before_what_it_hides() {
    let all = [Pinned, NoGroupTime, NoRight];
    assert_eq!(cause(Class, libc::EPERM, &all).map(|row| row.sign), Some(NoRight));
}

#[test]
fn refuses_a_pinned_thread_a_deadline() {
    let several =
        sched::Affinity::of(0).is_ok_and(|own| (0..1024).filter(|n| own.has(*n)).count() > 1);
    let Some(_one) = right().filter(|_| several && bandwidth_is_limited()) else { return };
    let errno = alone(|| {
        let own = sched::Affinity::of(0)?;
        let first = (0..1024).find(|cpu| own.has(*cpu)).unwrap_or(0);
        sched::Affinity::one(first).give(0)?;
        deadline(2_000_000, 10_000_000, 10_000_000).give(0)
    });
    if bandwidth_is_limited() {
        assert_eq!(cause(Class, errno.unwrap(), &[Pinned]).unwrap().sign, Pinned);
    }
}

#[test]
fn refuses_deadlines_out_of_limits() {
    let Some(_one) = right() else { return };
    for (runtime, end, period) in [
        (500, 10_000_000, 10_000_000),
        (20_000_000, 10_000_000, 10_000_000),
        (2_000_000, 8_000_000_000, 8_000_000_000),
    ] {
        let errno = alone(move || deadline(runtime, end, period).give(0));
        assert_eq!(
            cause(Class, errno.unwrap(), &[OutOfLimits]).unwrap().sign,
            OutOfLimits,
            "{period}"
        );
    }
}

#[test]
fn refuses_a_deadline_thread_another_affinity_and_children() {
    let Some(_one) = right() else { return };
    let errno = alone(|| {
        let own = sched::Affinity::of(0)?;
        let first = (0..1024).find(|cpu| own.has(*cpu)).unwrap_or(0);
        deadline(2_000_000, 10_000_000, 10_000_000).give(0)?;
        sched::Affinity::one(first).give(0)
    });
    if let Some(errno) = errno {
        let row = cause(Affinity, errno, &[DeadlineThread]).unwrap();
        assert_eq!(row.sign, DeadlineThread);
    }
    let errno = alone(|| {
        deadline(2_000_000, 10_000_000, 10_000_000).give(0)?;
        let child = windfall_os::process::fork(|| ())?;
        windfall_os::process::reap(child);
        Ok(())
    });
    assert_eq!(cause(Fork, errno.unwrap(), &[DeadlineThread]).unwrap().call, Fork);
}

#[test]
fn refuses_more_bandwidth_than_there_is() {
    let Some(_one) = right().filter(|_| bandwidth_is_limited()) else { return };
    let own = sched::Affinity::of(0).unwrap();
    let count = (0..1024).filter(|cpu| own.has(*cpu)).count();
    let all_have_asked = std::sync::Arc::new(std::sync::Barrier::new(count + 1));
    let threads: Vec<_> = (0..=count)
        .map(|_| {
            let all_have_asked = all_have_asked.clone();
            std::thread::spawn(move || {
                let answer = deadline(9_500_000, 10_000_000, 10_000_000).give(0);
                all_have_asked.wait();
                answer.err().and_then(|e| e.raw_os_error())
            })
        })
        .collect();
    let refused: Vec<i32> = threads.into_iter().filter_map(|one| one.join().unwrap()).collect();
    if bandwidth_is_limited() {
        assert!(!refused.is_empty());
    }
    for errno in refused {
        assert_eq!(cause(Class, errno, &[Full]).unwrap().sign, Full);
    }
}

//! Handles many items so that none waits for one that blocks.
//!
//! A query about a thread that is in the middle of `exec` blocks until that is done. If a thread of higher priority keeps it from its
//! processor, that is never, unless that other thread is restored first.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, sleep};
use std::time::Duration;

/// Number of looks without progress after which another thread is started to go on with the rest.
const PATIENCE: u32 = 5;
const LOOK: Duration = Duration::from_millis(1);

/// Applies `act` to each item, in as many threads as that takes. `lives` is called now and then.
pub(super) fn each<T: Sync>(
    all: &[T],
    act: &(dyn Fn(&T, &mut Vec<String>) + Sync),
    trouble: &mut Vec<String>,
    lives: &dyn Fn(),
) {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let told = Mutex::new(Vec::new());
    let work = || {
        while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut mine = Vec::new();
            act(one, &mut mine);
            told.lock().unwrap_or_else(PoisonError::into_inner).append(&mut mine);
            done.fetch_add(1, Ordering::Release);
        }
    };
    std::thread::scope(|scope| {
        while next.load(Ordering::Relaxed) < all.len() {
            if Builder::new().spawn_scoped(scope, work).is_err() {
                work(); // no thread can be made: it is done here
            }
            let (mut before, mut still) = (done.load(Ordering::Acquire), 0);
            while still < PATIENCE && next.load(Ordering::Relaxed) < all.len() {
                sleep(LOOK);
                lives();
                let now = done.load(Ordering::Acquire);
                still = if now == before { still + 1 } else { 0 };
                before = now;
            }
        }
        while done.load(Ordering::Acquire) < all.len() {
            sleep(LOOK);
            lives();
        }
    });
    trouble.append(&mut told.into_inner().unwrap_or_else(PoisonError::into_inner));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn law_who_takes_for_ever_until_the_last_is_done_keeps_nobody_waiting() {
        let (done, last) = channel::<()>();
        let (done, last) = (Mutex::new(Some(done)), Mutex::new(last));
        let all: Vec<usize> = (0..50).collect();
        let act = |one: &usize, trouble: &mut Vec<String>| {
            match one {
                // The last one lets the first three go on.
                49 => drop(done.lock().expect("nobody panicked").take()),
                0..3 => drop(last.lock().expect("nobody panicked").recv()),
                _ => {}
            }
            trouble.push(one.to_string());
        };
        let mut trouble = Vec::new();
        each(&all, &act, &mut trouble, &|| {});
        assert_eq!(trouble.len(), 50);
        each(&[] as &[usize], &act, &mut trouble, &|| {});
    }
}

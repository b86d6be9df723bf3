//! Rights to make requests (decision 0024): the run's owner and root for all, a process for its own threads; and limits
//! on their number.

use super::wire::ControlError;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};
use windfall_os::peer::{self, Peer};

/// One process has a request carried out as often as this, and so many at once.
const EVERY: Duration = Duration::from_millis(2);
const BURST: u32 = 100;
/// Above so many processes, those are forgotten that have their whole burst back.
const MOST: usize = 1_024;

/// Whether it is the run's owner, or root.
pub(super) fn owns(peer: Peer) -> bool {
    peer.user == 0 || peer.user == peer::own_user()
}

/// Refuses a peer that is not the run's owner.
pub(super) fn owner(peer: Peer) -> Result<(), ControlError> {
    if owns(peer) {
        return Ok(());
    }
    let why = format!("user {} may not control a run of user {}", peer.user, peer::own_user());
    let help = "become that user, or root; a program asks for its own threads with `own`";
    Err(ControlError::new("a request", why, help))
}

/// Refuses a process that names a thread which is not its own.
pub(super) fn own(peer: Peer, tid: i32) -> Result<(), ControlError> {
    if owns(peer) {
        return Ok(());
    }
    // Its user is compared because the number of a process that ended may be another's by now.
    let thread = std::fs::metadata(format!("/proc/{}/task/{tid}", peer.pid));
    if thread.is_ok_and(|thread| thread.uid() == peer.user) {
        return Ok(());
    }
    let why = format!("thread {tid} is not one of process {}, which asks", peer.pid);
    let help = "name a thread of the process that connects, or have the run's owner ask";
    Err(ControlError::new("a request", why, help))
}

/// By process: when it will have its whole burst back.
#[derive(Default)]
pub(super) struct Rates(BTreeMap<i32, Instant>);

impl Rates {
    /// Counts a request of a process.
    ///
    /// # Errors
    /// When it makes too many.
    pub(super) fn count(&mut self, pid: i32, now: Instant) -> Result<(), ControlError> {
        let whole = self.0.get(&pid).copied().filter(|at| *at > now).unwrap_or(now);
        let early = whole.saturating_duration_since(now).saturating_sub(EVERY * (BURST - 1));
        if early.is_zero() {
            self.0.insert(pid, whole + EVERY);
            if self.0.len() > MOST {
                self.0.retain(|_, whole| *whole > now);
            }
            return Ok(());
        }
        let second = Duration::from_secs(1).as_millis() / EVERY.as_millis();
        let why = format!("process {pid} makes more than {second} requests a second");
        let help = format!("ask again in {} ms", early.as_micros().div_ceil(1_000));
        Err(ControlError::new("a request", why, help))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_one_process_has_so_many_requests_a_second_and_no_other_waits_for_it() {
        let (mut rates, begun) = (Rates::default(), Instant::now());
        let at = |turn: u32| begun + Duration::from_micros(100) * turn;
        let accepted = (0..10_000).filter(|turn| rates.count(7, at(*turn)).is_ok()).count();
        assert!((595..=601).contains(&accepted), "{accepted} of 10,000 in a second");
        let _ = rates.count(7, at(10_000));
        let refused = rates.count(7, at(10_000)).unwrap_err();
        assert!(refused.why.contains("process 7") && refused.help.contains("ms"), "{refused}");
        assert!(rates.count(8, at(10_000)).is_ok());
        for pid in 0..5_000 {
            let _ = rates.count(pid, at(20_000 + 50 * pid.cast_unsigned()));
        }
        assert!(rates.0.len() <= MOST + 1, "{}", rates.0.len());
    }

    #[test]
    fn refuses_a_thread_of_another_process() {
        let (pid, user) = (std::process::id().cast_signed(), peer::own_user());
        let other = Peer { pid, user: user + 1 };
        assert!(own(other, 1).unwrap_err().why.contains("thread 1 is not one of process"));
        assert!(own(other, pid).is_err(), "the process is now another user's");
        assert!(own(Peer { pid, user }, 1).is_ok(), "the run's owner asks for all");
        assert!(owner(other).is_err() && owner(Peer { pid, user }).is_ok());
    }
}

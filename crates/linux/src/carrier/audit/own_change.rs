//! A supervised thread that changed its own priority: `nice`, `sched_setscheduler`, `pthread_setschedparam` (HLS table 9.2; decision 0024).
//!
//! Its scheduler is notified, if it uses priorities or shares; the outcome records this, or why it was not done.

use crate::carrier::OwnChange;
use crate::supervise::supervisor::Supervisor;

/// Passes the priority that a thread has requested on to its scheduler.
pub(super) fn heard(supervisor: &mut Supervisor, number: u32, change: OwnChange) {
    let level = level(change);
    let answer = supervisor.host.own_priority(number, level);
    supervisor.host.machine.carrier.keep_nice(number, answer.is_ok());
    let name = &supervisor.host.threads.list[number as usize].outcome.name;
    let requested = match change {
        OwnChange::RealTime(priority) => format!("real-time priority {priority}"),
        OwnChange::Nice(nice) => format!("nice {nice}"),
    };
    let why = match answer {
        Ok(()) => {
            format!("`{name}` asked for {requested}, and its scheduler was told priority {level}")
        }
        Err(why) => format!("`{name}` asked for {requested}, which was undone: {why}"),
    };
    supervisor.say_once(why);
}

/// The priority of Windows' scale, on which the paper's schedulers work: 8 is an ordinary thread's, 1 the lowest, 16 to 31 are real-time. A
/// real-time priority of Linux lies above 16 by as much as it is.
fn level(change: OwnChange) -> i32 {
    match change {
        OwnChange::RealTime(priority) => 16 + i32::try_from(priority).unwrap_or(0),
        OwnChange::Nice(nice) if nice >= 0 => 8 - (nice * 7 + 9) / 19,
        OwnChange::Nice(nice) => 8 + -nice * 7 / 20,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paper_9_3_3_an_ordinary_thread_has_eight_times_the_share_of_an_idle_one() {
        let nice = |nice| level(OwnChange::Nice(nice));
        assert_eq!([nice(0), nice(19), nice(-20)], [8, 1, 15]);
        let all: Vec<i32> = (-20..=19).map(nice).collect();
        assert!(all.windows(2).all(|two| two[0] >= two[1]), "{all:?}");
        assert!(level(OwnChange::RealTime(1)) > 15);
    }
}

//! The lock around a supervisor, and the threads of ours that take it: the event loop and the fences. Own programs take it in their
//! calls; others have the event loop do what they need (`calls.rs`).

use crate::carrier::Caller;
use crate::restore::guardian::Guardian;
use crate::supervise::calls::Calls;
use crate::supervise::supervisor::Supervisor;
use crate::threads::body::InProcess;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use windfall_host::Host;
use windfall_observe::fifo_priorities;
use windfall_os::events::{EventFd, Poll};
use windfall_os::futex::Gate;
use windfall_os::lock::Lock;
use windfall_os::process;
use windfall_os::sched::{Affinity, Attributes, own_tid, set_fifo};
use windfall_time::Instant;

/// What everybody shares.
pub(crate) struct Locked {
    lock: Lock<Supervisor>,
    /// What threads that are apart have done under it.
    pub(crate) calls: Calls,
    /// Where threads of ours are that have nothing to do with deciding.
    apart: Affinity,
    /// Rung to have the event loop look.
    pub(crate) bell: EventFd,
    /// For threads that are made while the run lasts; and those.
    pub(crate) me: Weak<Locked>,
    made: Mutex<Vec<JoinHandle<()>>>,
}

/// How long the event loop sleeps at most, in ms: its heart beats as often.
const BEAT: i32 = 50;
/// So many looks of a fence in a row without anything to do mean that something was not seen.
const PUZZLED: u32 = 2_000;

impl Locked {
    pub(crate) fn new(
        supervisor: Supervisor,
        calls: Calls,
        bell: EventFd,
        apart: Affinity,
    ) -> Arc<Locked> {
        let (lock, made) = (Lock::new(supervisor), Mutex::default());
        Arc::new_cyclic(|me| Locked { lock, calls, apart, bell, me: me.clone(), made })
    }

    /// Keeps a thread that was made while the run lasts.
    pub(crate) fn keep(&self, thread: JoinHandle<()>) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.retain(|thread| !thread.is_finished()); // their stacks are given back
        made.push(thread);
    }

    /// The threads that were made while the run lasted.
    pub(crate) fn made(&self) -> Vec<JoinHandle<()>> {
        std::mem::take(&mut *self.made.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Does something under the lock. Whoever is to be told of an open gate is told before it is given up: the caller may be kept from its
    /// processor from then on, for as long as somebody else is granted it.
    pub(crate) fn enter<T>(&self, act: impl FnOnce(&mut Supervisor) -> T) -> T {
        let mut supervisor = self.lock.lock();
        let answer = act(&mut supervisor);
        supervisor.host.machine.step.wakes.tell();
        answer
    }

    /// Makes this thread an ordinary one on processors that are not supervised.
    pub(crate) fn step_apart(&self, name: &str) {
        process::name_thread(name);
        // First elsewhere: it was made on a supervised processor, where an ordinary thread waits for as long as threads are granted it.
        let _ = self.apart.give(0).and_then(|()| Attributes::ordinary().give(0));
        let tid = own_tid();
        self.call(move |s| s.host.machine.external.agents.push(tid));
    }

    /// The life of a processor's fence: it gets the processor when the granted thread cannot run.
    pub(crate) fn fence(&self, cpu: usize, gate: &Arc<Gate>) {
        process::name_thread(&format!("fence/{cpu}"));
        let tid = own_tid();
        self.enter(|s| {
            s.host.machine.external.agents.push(tid);
            let _ = Affinity::one(s.host.machine.cpus[cpu].number).give(0);
        });
        let _ = set_fifo(0, fifo_priorities::FENCE);
        let mut looks = 0;
        loop {
            let (rests, ending) = self.enter(|s| {
                let before = s.host.log.decisions;
                s.host.machine.step.caller = Caller::Fence(cpu);
                s.settle();
                s.host.machine.step.caller = Caller::EventLoop;
                looks = if s.host.log.decisions == before { looks + 1 } else { 0 };
                if looks > PUZZLED {
                    looks = 0;
                    s.resync(cpu);
                }
                let Host { machine, threads, .. } = &mut s.host;
                let rests =
                    machine.carry(&threads.list, |carrier, moment| carrier.rest(cpu, moment));
                (rests, s.is_over())
            });
            if ending {
                return;
            }
            if rests {
                looks = 0;
                gate.pass();
            }
        }
    }

    /// The life of the event loop: it hears of timers, wake-ups, calls and signals, until `end` or a signal.
    /// Whether a signal ended it.
    pub(crate) fn run_event_loop(
        &self,
        end: Instant,
        signals: &OwnedFd,
        guardian: &mut Guardian,
    ) -> std::io::Result<bool> {
        let stopped = self.hear(end, signals, guardian);
        self.hears_calls(false);
        stopped
    }

    fn hear(
        &self,
        end: Instant,
        signals: &OwnedFd,
        guardian: &mut Guardian,
    ) -> std::io::Result<bool> {
        const LOOK: u64 = 0;
        const ALARM: u64 = 1;
        const BELL: u64 = 2;
        const SIGNAL: u64 = 3;
        const GUARDIAN: u64 = 4;
        let poll = Poll::new()?;
        let tid = own_tid();
        self.enter(|s| {
            s.host.machine.external.agents.push(tid);
            s.host.machine.rings.join(&poll, LOOK)?;
            poll.add(s.host.machine.alarm.timer.as_raw_fd(), ALARM)
        })?;
        poll.add(self.bell.as_raw_fd(), BELL)?;
        poll.add(signals.as_raw_fd(), SIGNAL)?;
        poll.add(guardian.ended().as_raw_fd(), GUARDIAN)?;
        let mut ready = Vec::new();
        loop {
            if ready.contains(&BELL) {
                self.bell.clear(); // whoever rings from here on is heard in the next look
            }
            let left = self.enter(|s| {
                s.host.machine.restore_log.beat();
                if ready.contains(&ALARM) {
                    s.host.machine.alarm.has_gone_off();
                }
                s.hear_children();
                s.audit();
                s.carry_out();
                if s.is_over() || s.nothing_left() { None } else { end.since(s.time()) }
            });
            if ready.contains(&SIGNAL) {
                return Ok(true);
            }
            if ready.contains(&GUARDIAN) {
                // A copy of this descriptor stays open in the next guardian until that runs, and would tell of the former one.
                poll.remove(guardian.ended().as_raw_fd())?;
                if let Err(fault) = guardian.renew() {
                    self.enter(|s| s.is_unguarded(&fault));
                    return Ok(false);
                }
                poll.add(guardian.ended().as_raw_fd(), GUARDIAN)?;
                self.enter(|s| s.is_guarded_by(guardian.pid()));
            }
            let Some(left) = left.filter(|left| !left.is_zero()) else { return Ok(false) };
            let ms = i32::try_from(left.as_nanos() / 1_000_000 + 1).unwrap_or(BEAT);
            poll.wait(ms.min(BEAT), &mut ready);
        }
    }

    /// Lets every thread of ours see that it is over.
    pub(crate) fn end(&self) {
        let (agents, owns): (Vec<Arc<Gate>>, Vec<Arc<InProcess>>) = self.enter(|s| {
            s.ending = true;
            s.host.machine.external.work.close();
            let machine = &s.host.machine;
            let fences = (0..machine.cpus.len()).map(|cpu| machine.carrier.fence(cpu));
            (
                fences.chain([s.host.machine.external.work.gate.clone()]).collect(),
                s.owns().map(|(_, own)| own).collect(),
            )
        });
        agents.iter().for_each(|gate| gate.open_and_wake());
        for own in owns {
            own.give_up.store(true, Ordering::Relaxed);
            own.hold.store(false, Ordering::Relaxed);
            own.gate.open_and_wake();
        }
    }
}

//! A fence: our thread on a processor, which runs when the granted thread cannot.

use crate::carrier::{Caller, audit};
use crate::supervise::locked::Locked;
use crate::supervise::settle::settle;
use windfall_host::Host;
use windfall_observe::fifo_priorities;
use windfall_os::futex::Gate;
use windfall_os::process;
use windfall_os::sched::{Affinity, own_tid, set_fifo};

/// After this many looks in a row without a decision, an event must have been missed.
const LOOKS_WITHOUT_DECISION: u32 = 2_000;

/// Body of the fence of a processor.
pub(crate) fn live(locked: &Locked, cpu: usize, gate: &Gate) {
    process::name_thread(&format!("fence/{cpu}"));
    let tid = own_tid();
    locked.enter(|s| {
        s.host.machine.external.agents.push(tid);
        let _ = Affinity::one(s.host.machine.cpus[cpu].number).give(0);
    });
    let _ = set_fifo(0, fifo_priorities::FENCE);
    let mut looks = 0;
    loop {
        let (rests, ending) = locked.enter(|s| {
            let before = s.host.log.decisions;
            s.host.machine.step.caller = Caller::Fence(cpu);
            settle(s);
            s.host.machine.step.caller = Caller::EventLoop;
            looks = if s.host.log.decisions == before { looks + 1 } else { 0 };
            if looks > LOOKS_WITHOUT_DECISION {
                looks = 0;
                audit::resync(s, cpu);
            }
            let Host { machine, threads, .. } = &mut s.host;
            let rests = machine.carry(&threads.list, |carrier, moment| carrier.rest(cpu, moment));
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

//! Starts a run: makes its threads, which wait at their gates, then starts the clock.

use crate::carrier::fence;
use crate::restore::log::RestoreLog;
use crate::supervise::finish::Running;
use crate::supervise::linux::Linux;
use crate::supervise::locked::Locked;
use crate::supervise::own;
use crate::supervise::planned;
use crate::supervise::prepare::{Claimed, Prepared, trouble};
use crate::supervise::processors::apart;
use crate::supervise::procfs_worker;
use crate::supervise::records::Trace;
use crate::supervise::settings::Settings;
use crate::supervise::settle::settle;
use crate::supervise::supervisor::{Calls, Left, Supervisor};
use crate::threads::body::Body;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use windfall_os::LinuxError;
use windfall_os::events::EventFd;
use windfall_os::lock::Lock;
use windfall_scenario::Plan;
use windfall_scenario::outcome::promises;
use windfall_time::Instant;

/// Starts threads that serve a run until it ends.
struct Threads<'r> {
    host: &'r Arc<Locked>,
    restore_log: &'r RestoreLog,
    started: Vec<JoinHandle<()>>,
}

impl Threads<'_> {
    fn spawn(
        &self,
        name: String,
        life: impl FnOnce(&Locked) + Send + 'static,
    ) -> Result<JoinHandle<()>, LinuxError> {
        self.restore_log.beat();
        let host = self.host.clone();
        let thread = std::thread::Builder::new().name(name).stack_size(crate::STACK);
        thread.spawn(move || life(&host)).map_err(|e| trouble(&e))
    }

    fn start(
        &mut self,
        name: String,
        life: impl FnOnce(&Locked) + Send + 'static,
    ) -> Result<(), LinuxError> {
        self.started.push(self.spawn(name, life)?);
        Ok(())
    }

    /// Starts the threads of in-process programs, a fence for each processor, and the /proc worker, whose handle is returned.
    fn start_all(&mut self, processors: usize) -> Result<JoinHandle<()>, LinuxError> {
        for (number, own) in self.host.enter(|s| own::owns(s).collect::<Vec<_>>()) {
            self.start(format!("program/{number}"), move |host| own::live(host, number, &own))?;
        }
        for cpu in 0..processors {
            let gate = self.host.enter(|s| s.host.machine.carrier.fence(cpu));
            self.start(format!("fence/{cpu}"), move |host| fence::live(host, cpu, &gate))?;
        }
        let gate = self.host.enter(|s| s.host.machine.external.work.gate.clone());
        self.spawn("procfs".to_owned(), move |host| procfs_worker::serve_procfs(host, &gate))
    }

    fn wait_until_all_are_at_their_gates(&self) {
        let waits = |body: &Body| !body.is_external() && body.tid == 0;
        while self.host.enter(|s| s.host.machine.threads.bodies.iter().any(waits)) {
            self.restore_log.beat();
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl<'j> Claimed<'j> {
    /// Makes the supervisor and its threads, and starts the clock.
    pub(super) fn start(
        self,
        plan: Plan,
        settings: &Settings,
        guardian: i32,
    ) -> Result<Running<'j>, LinuxError> {
        let Claimed { prepared, found, keeper, expected } = self;
        let Prepared {
            restore_log,
            cpus,
            all,
            children,
            end,
            signals,
            server,
            rings,
            trace,
            silent,
        } = prepared;
        let calls = Calls::new(Lock::new(Left::default()));
        let mut machine = Linux::new(cpus, rings, restore_log.clone())?;
        machine.external.agents.push(guardian);
        machine.log.claimed = found;
        machine.external.programs.children = children.into_map();
        let (uncontrolled, no_starts) = silent;
        machine.external.programs.no_starts = no_starts;
        machine.threads.keeps = settings.stretches;
        let mut supervisor = planned::supervisor(machine, plan, calls.clone());
        let why = |error| (Instant::ZERO, format!("this run cannot be controlled: {error}"));
        supervisor.host.log.refused.extend(uncontrolled.map(why));

        let bell = EventFd::new().map_err(|e| trouble(&e))?;
        let host = Locked::new(supervisor, calls, bell, apart(&all, cpus));
        let mut threads = Threads { host: &host, restore_log, started: Vec::new() };
        let worker = threads.start_all(cpus.len())?;
        threads.wait_until_all_are_at_their_gates();
        host.hears_calls(true); // from here on only the event loop settles
        host.enter(|s| {
            begin(s, trace);
            if let Some(scenario) = &settings.scenario {
                s.host.judge_promises(&promises(scenario));
            }
        });
        let over = Arc::new(EventFd::new().map_err(|e| trouble(&e))?);
        if let Some(server) = server {
            let over = over.clone();
            threads.start("control".to_owned(), move |host| server.serve(host, &over))?;
        }
        let threads = threads.started;
        Ok(Running { restore_log, end, signals, keeper, expected, host, threads, worker, over })
    }
}

/// Starts the clock, and with it the scenario and its trace.
fn begin(supervisor: &mut Supervisor, trace: Trace) {
    supervisor.host.machine.start(trace);
    supervisor.host.begin();
    settle(supervisor);
}

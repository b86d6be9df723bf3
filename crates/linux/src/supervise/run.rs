//! A run from its first thread to its outcome.

use crate::control::{Server, usual_socket};
use crate::restore;
use crate::restore::claim::{self, Keeper};
use crate::restore::guardian::Guardian;
use crate::restore::log::RestoreLog;
use crate::restore::throttle;
use crate::supervise::calls::{Calls, Left};
use crate::supervise::host::Host;
use crate::supervise::rivals;
use crate::supervise::supervisor::{Supervisor, name_above};
use crate::supervise::trace::Trace;
use crate::supervise::trace_reader;
use crate::threads::begin;
use crate::threads::child::{self, Child};
use crate::threads::member::{Kind, Member};
use crate::threads::starts;
use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::thread::Scope;
use windfall_observe::fifo_priorities;
use windfall_observe::procfs;
use windfall_observe::rings::Rings;
use windfall_os::LinuxError;
use windfall_os::events::EventFd;
use windfall_os::freezer;
use windfall_os::lock::Lock;
use windfall_os::process::{self, StopSignals};
use windfall_os::sched::{Affinity, Attributes, own_tid};
use windfall_programs::{Costs, ProgramRuntime};
use windfall_scenario::outcome::{
    Claimed, Outcome, RunError, Supervision, ThreadOutcome, promises,
};
use windfall_scenario::{Live, Plan, Scenario};
use windfall_time::{Instant, Span};
use windfall_trace::Sink;

/// How a run is to be made.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What the plan was made of: its promises are judged, and requests understood by it. Without it,
    /// neither happens.
    pub scenario: Option<Scenario>,
    /// What the run is called.
    pub name: String,
    /// Where it can be controlled; `None`: in the usual place.
    pub socket: Option<PathBuf>,
    /// The machine's processors that the scenario's stand for, in order; empty: the last ones.
    pub cpus: Vec<u16>,
    /// Whether own programs keep the stretches in which they see themselves running.
    pub stretches: bool,
}

/// Carries out a plan on this machine's processors. What happens is recorded to `sink` by a thread of its own; what
/// came too fast for it stands there as [`Event::Lost`](windfall_trace::Event::Lost).
///
/// # Errors
/// When the machine lacks something, or a right is missing; nothing has been changed then, or all
/// has been changed back.
pub fn run(
    plan: Plan,
    settings: &Settings,
    sink: Option<&mut (dyn Sink + Send)>,
) -> Result<Outcome, LinuxError> {
    let cpus = settings.choose(&plan)?;
    begin::refuse_absent(&plan)?;
    let makers = starts::makers(&plan);
    let children = child::fork_all(&plan)?;
    let (alone, found) = restore::alone()?;
    rivals::refuse(&plan, &cpus)?;
    let journal = Arc::new(RestoreLog::create()?);
    let mut guardian =
        Guardian::post(&journal, alone.as_raw_fd()).inspect_err(|_| journal.close())?;
    let outcome = std::thread::scope(|scope| {
        let to = sink.map(|sink| (scope, sink));
        supervised(plan, &cpus, (&journal, &mut guardian), (children, makers), settings, to)
    });
    let late = journal.restore();
    guardian.dismiss();
    drop(alone);
    let (mut outcome, mut trouble) = outcome?;
    if let (Some(supervision), Some(found)) = (&mut outcome.supervision, found) {
        supervision.remarks.insert(0, (Instant::ZERO, found.to_string()));
    }
    trouble.extend(late);
    match trouble.first() {
        None => Ok(outcome),
        Some(first) => Err(LinuxError::new(
            "not everything could be given back",
            first.clone(),
            format!("{} in all; look at them with `ps -eLo tid,cls,rtprio,comm`", trouble.len()),
        )),
    }
}

impl Settings {
    pub(crate) fn choose(&self, plan: &Plan) -> Result<Vec<u16>, LinuxError> {
        let asked = if self.cpus.is_empty() { &plan.machine.cpus } else { &self.cpus };
        choose(asked, plan.hierarchy.processors())
    }
}

/// The processors to use: those asked for, or the last ones that we may run on, so that the first,
/// which serve most interrupts, are left to the rest of the system.
fn choose(asked: &[u16], wanted: u16) -> Result<Vec<u16>, LinuxError> {
    let online = online()?;
    let wanted = usize::from(wanted);
    let chosen: Vec<u16> = match asked {
        [] => online.iter().rev().take(wanted).rev().copied().collect(),
        some => some.to_vec(),
    };
    let distinct: BTreeSet<u16> = chosen.iter().copied().collect();
    if chosen.len() != wanted || distinct.len() != wanted {
        let what = format!("the scenario needs {wanted} processors");
        let why = match asked {
            [] => format!("this process may use {}", online.len()),
            some => format!("{some:?} are {}", distinct.len()),
        };
        return Err(LinuxError::new(what, why, "name as many as the scenario has, each once"));
    }
    match chosen.iter().find(|cpu| !online.contains(cpu)) {
        None => Ok(chosen),
        Some(cpu) => {
            let why = format!("this process may use {online:?}");
            Err(LinuxError::new(format!("cannot use processor {cpu}"), why, "choose among these"))
        }
    }
}

/// The processors that this process may use.
pub(crate) fn online() -> Result<Vec<u16>, LinuxError> {
    let own =
        Affinity::of(0).map_err(|e| LinuxError::of("cannot read the affinity", &e, "report it"))?;
    Ok((0..1024).filter(|cpu| own.has(*cpu)).collect())
}

/// Where a run can be controlled; what stood in the way when that is the usual place and cannot be had.
fn listen(
    settings: &Settings,
    end: Instant,
) -> Result<(Option<Server>, Option<LinuxError>), LinuxError> {
    let Some(scenario) = settings.scenario.clone() else { return Ok((None, None)) };
    let usual = usual_socket();
    let path = settings.socket.as_ref().unwrap_or(&usual);
    match Server::open(path, Live::new(scenario), &settings.name, end) {
        Ok(server) => Ok((Some(server), None)),
        Err(fault) if settings.socket.is_some() => Err(fault),
        Err(fault) => Ok((None, Some(fault))),
    }
}

/// The processors that are not supervised, or all when there are no others.
fn apart(all: &[u16], supervised: &[u16]) -> Affinity {
    let mut apart = Affinity::default();
    let others = all.iter().any(|cpu| !supervised.contains(cpu));
    let among = all.iter().filter(|cpu| !others || !supervised.contains(cpu));
    among.for_each(|cpu| apart.add(*cpu));
    apart
}

fn supervised<'scope, 'env>(
    plan: Plan,
    cpus: &[u16],
    (journal, guardian): (&Arc<RestoreLog>, &mut Guardian),
    (children, makers): (BTreeMap<usize, Child>, Option<BTreeSet<PathBuf>>),
    settings: &Settings,
    sink: Option<(&'scope Scope<'scope, 'env>, &'env mut (dyn Sink + Send))>,
) -> Result<(Outcome, Vec<String>), LinuxError> {
    let trouble =
        |e: &std::io::Error| LinuxError::of("cannot set up the supervision", e, "report it");
    let signals = StopSignals::hold().map_err(|e| trouble(&e))?;
    let end = Instant::ZERO + plan.length;
    let (server, deaf) = listen(settings, end)?;
    let all = online()?;
    let mut rings = Rings::open(cpus, &all)?;
    journal.beat();
    let deaf_to_starts = makers.and_then(|makers| rings.report_starts(&makers).err());
    let traced = sink.is_some() || server.is_some();
    let trace = if traced { Trace::kept(cpus.len()) } else { Trace::default() };
    // Without it, page faults delay decisions now and then. All that there is comes into memory now, files too: that may take
    // longer than the guardian waits for a beat.
    let _ = process::lock_memory();
    journal.beat();
    // The event loop is this thread; it is noted before it becomes real-time.
    let ear = own_tid();
    let own = procfs::stat(ear).ok_or_else(|| {
        LinuxError::new("cannot read /proc", "this thread is not there", "mount /proc")
    })?;
    journal.note(ear, std::process::id().cast_signed(), &own)?;
    let wanted = claim::choose(&plan.machine, cpus, &all);
    let remark = claim::shared(plan.machine.claim, cpus, &wanted);
    let claimed = Claimed { remark, ..claim::claim(journal.claim(), &wanted) };
    journal.beat();
    let keeper = Keeper::start(journal.clone()).map_err(|e| trouble(&e))?;
    journal.table().ear.store(cpus[0].into(), Ordering::Relaxed);
    let _expected = journal.expect_beats_while_it_lives();
    Attributes::fifo(fifo_priorities::EVENTS).give(0).map_err(|e| {
        LinuxError::of(
            "cannot become real-time",
            &e,
            "on kernels with RT_GROUP_SCHED, leave the cgroup",
        )
    })?;
    let (runtime, period) = throttle::of(&plan.machine.cap);
    journal.throttle(runtime, period)?;
    Affinity::one(cpus[0]).give(0).map_err(|e| trouble(&e))?;

    let claims: Vec<Vec<usize>> = (0..plan.threads.len()).map(|n| plan.claims(n)).collect();
    let calls = Calls::new(Lock::new(Left::default()));
    let mut supervisor =
        Supervisor::new(plan.hierarchy, cpus, rings, journal.clone(), calls.clone())?;
    supervisor.agents.push(guardian.pid());
    supervisor.claimed = claimed;
    supervisor.programs.children = children;
    supervisor.resolution = plan.machine.timer;
    // What calls cost here they take.
    supervisor.players =
        ProgramRuntime::with(plan.seed, plan.processes.nodes.len().max(1), Costs::default());
    supervisor.homes = plan.processes.nodes;
    for (barrier, parties) in plan.barriers {
        supervisor.players.barrier(barrier, parties);
    }
    let threads = plan.threads.into_iter().zip(claims);
    supervisor.keeps = settings.stretches;
    supervisor.add_threads(threads, &plan.watched, plan.seed);
    let owns: Vec<_> = supervisor.owns().collect();
    supervisor.programs.deaf = deaf_to_starts;
    supervisor.requests = plan.requests;
    supervisor.requests.reverse();
    let told = deaf.map(|fault| (Instant::ZERO, format!("this run cannot be controlled: {fault}")));
    supervisor.refused.extend(told);
    let bell = EventFd::new().map_err(|e| trouble(&e))?;
    let host = Host::new(supervisor, calls, bell, apart(&all, cpus));
    let spawn = |name: String, life: Box<dyn FnOnce(&Host) + Send>| {
        let host = host.clone();
        let thread = std::thread::Builder::new().name(name).stack_size(crate::STACK);
        thread.spawn(move || life(&host)).map_err(|e| trouble(&e))
    };
    let mut threads = Vec::new();
    for (number, own) in owns {
        journal.beat();
        let life = Box::new(move |host: &Host| crate::supervise::own::live(host, number, &own));
        threads.push(spawn(format!("own/{number}"), life)?);
    }
    for cpu in 0..cpus.len() {
        let gate = host.enter(|s| s.cpus[cpu].fence.clone());
        threads.push(spawn(format!("fence/{cpu}"), Box::new(move |host| host.fence(cpu, &gate)))?);
    }
    let desk = host.enter(|s| s.work.gate.clone());
    let clerk = spawn("clerk".to_owned(), Box::new(move |host| host.serve_procfs(&desk)))?;
    // Everybody is at its gate before the clock starts.
    let waits = |member: &Member| matches!(member.kind, Kind::InProcess(_)) && member.tid == 0;
    while host.enter(|s| s.members.iter().any(waits)) {
        journal.beat();
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    host.hears_calls(true); // from here on nobody else settles anything
    host.enter(|s| {
        s.start(trace);
        if let Some(scenario) = &settings.scenario {
            s.judge_promises(promises(scenario));
        }
    });
    let over = Arc::new(EventFd::new().map_err(|e| trouble(&e))?);
    if let Some(server) = server {
        let over = over.clone();
        threads.push(spawn("control".to_owned(), Box::new(move |host| server.serve(host, &over)))?);
    }
    // From here on nothing fails before the run is over, for which this thread waits.
    let (under_way, ended) = mpsc::channel();
    if let Some((scope, sink)) = sink {
        let host = host.clone();
        scope.spawn(move || trace_reader::take(&host, &ended, sink));
    }
    let stopped = host.run_event_loop(end, signals.fd(), guardian).map_err(|e| trouble(&e));
    // Whoever asks a second time does not want to wait: that ends this process, and the guardian gives everything back.
    signals.take();
    drop(signals);
    let mut outcome = host.enter(Supervisor::outcome);
    over.signal();
    drop(under_way);
    journal.expect_beats(false); // much is given back now
    host.end();
    let (offspring, children) =
        host.enter(|s| (s.offspring(), std::mem::take(&mut s.programs.children)));
    let _ = clerk.join(); // nobody is taken or frozen any more
    drop(keeper); // nobody is moved off any more
    // From here on nobody is in the way of the others. This thread keeps its priority until they have ended.
    let mut left = journal.restore_others();
    left.extend(freezer::thaw_all(journal.supervisor(), &|| journal.beat()));
    for thread in threads.into_iter().chain(host.made()) {
        journal.beat();
        let _ = thread.join();
    }
    host.enter(|s| s.add_stretches(&mut outcome));
    let now = Instant::ZERO + outcome.length;
    let ended = child::dismiss(children, offspring, &|| journal.beat());
    if let (Some(supervision), Some(ended)) = (&mut outcome.supervision, ended) {
        supervision.remarks.push((now, ended));
    }
    stopped.map(|_| (outcome, left))
}

impl Supervisor {
    /// What own programs, which have ended, saw of themselves until the run was over.
    fn add_stretches(&self, outcome: &mut Outcome) {
        let end = Instant::ZERO + outcome.length;
        for (number, own) in self.owns() {
            let name = &self.members[number as usize].outcome.name;
            let thread = outcome.threads.iter_mut().find(|thread| thread.name == *name);
            let (Some(thread), Ok(kept)) = (thread, own.kept.lock()) else { continue };
            let seen =
                kept.iter().map(|(from, to)| (self.since_epoch(*from), self.since_epoch(*to)));
            let seen = seen.take_while(|(from, _)| *from < end);
            thread.stretches = seen.map(|(from, to)| (from, to.min(end))).collect();
        }
    }

    /// What every thread got: those of a program next to each other, in the place of its entry.
    fn threads(&self) -> Vec<ThreadOutcome> {
        let late = self.specs.len()..self.members.len();
        let mut threads = Vec::with_capacity(self.members.len());
        for entry in 0..self.specs.len() {
            let its = late.clone().filter(|number| self.members[*number].belongs_to(entry));
            threads.extend(its.chain([entry]).filter_map(|number| self.outcome_of(number)));
        }
        let made = late.filter(|number| !self.members[*number].is_external());
        threads.extend(made.filter_map(|number| self.outcome_of(number)));
        threads
    }

    /// Closes the books.
    ///
    /// # Panics
    /// When time is not conserved, which would be a defect of this crate.
    fn outcome(&mut self) -> Outcome {
        self.hear_children();
        self.listen();
        self.ending = true;
        let now = self.time();
        for cpu in 0..self.cpus.len() {
            self.account(cpu, now);
        }
        self.trace.tracer.end(now);
        self.tell_who_got_nobody(now);
        self.tell_who_was_not_met(now);
        if self.hierarchy.journal_lost() > 0 {
            self.failure.get_or_insert(RunError::Journal(self.hierarchy.journal_lost()));
        }
        let given = self.cpus.iter().map(|cpu| cpu.outcome().received);
        let given = given.fold(Span::ZERO, |sum, part| sum + part);
        let got = self.members.iter().map(|member| member.outcome.received);
        assert_eq!(
            given,
            got.fold(Span::ZERO, |sum, part| sum + part),
            "threads got what was given"
        );
        for cpu in &self.cpus {
            let parts = cpu.outcome();
            let sum = parts.received + parts.idle + parts.scheduling + parts.stolen;
            assert_eq!(sum, now - Instant::ZERO, "time of processor {} is conserved", cpu.number);
        }
        for number in 0..self.members.len() {
            let overdue = self
                .players
                .overdue(u32::try_from(number).expect("threads are numbered by 32 bits"), now);
            let counted = self.counted(number);
            let member = &mut self.members[number];
            member.outcome.stats = counted;
            member.outcome.missed += overdue;
            if member.ready {
                member.outcome.runnable += now.saturating_since(member.awake);
                if let Some(since) = member.unserved {
                    member.outcome.gap = member.outcome.gap.max(now.saturating_since(since));
                }
            }
            if let Some(id) = member.id {
                member.outcome.parent = name_above(&self.hierarchy, id);
            }
        }
        let quarantined = self.hierarchy.quarantined().iter();
        let quarantined = quarantined.map(|(_, name, defect)| (name.clone(), defect.to_string()));
        Outcome {
            machine: "linux".to_owned(),
            length: now - Instant::ZERO,
            notifications: self.hierarchy.notifications(),
            decisions: self.decisions,
            records: self.trace.tracer.records(),
            quarantined: quarantined.collect(),
            nodes: self
                .ledger
                .read(now, &self.hierarchy)
                .into_iter()
                .map(|(_, node)| node)
                .collect(),
            cpus: self.cpus.iter().map(crate::account::cpu::Cpu::outcome).collect(),
            threads: self.threads(),
            refused: std::mem::take(&mut self.refused),
            not_admitted: std::mem::take(&mut self.not_admitted),
            waiting: Vec::new(),
            promises: self.judging.read().verdicts(now, self.resolution.resolution()),
            failure: self.failure.take(),
            processes: self.players.counts().clone(),
            supervision: Some(Supervision {
                events: self.rings.by.clone(),
                lost: self.lost,
                lag: self.lag,
                lag_without_steal: self.lag_without_steal,
                steal: self
                    .rings
                    .sees_steal()
                    .then(|| self.cpus.iter().fold(Span::ZERO, |sum, cpu| sum + cpu.steal())),
                leaked: self.cpus.iter().fold(Span::ZERO, |sum, cpu| sum + cpu.leaked),
                claimed: std::mem::take(&mut self.claimed),
                remarks: std::mem::take(&mut self.remarks),
                cut_short: self.cut_short.take(),
            }),
        }
    }
}

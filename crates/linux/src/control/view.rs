//! Copies the state of a run under the lock, and makes a listing of the copy afterwards.

use super::{Account, Listing, LiveStatus, Node, OwnVp, Processor, Promised, Thread};
use crate::supervise::linux::Linux;
use crate::supervise::settle::settle;
use crate::supervise::supervisor::Supervisor;
use windfall_guarantees::meaning::Verdict;
use windfall_guarantees::{Guarantee, Length};
use windfall_hierarchy::{NodeId, Parent, VpState};
use windfall_host::{Host, Judgement, Machine as _};
use windfall_scenario::model::Timer;
use windfall_scenario::outcome::{
    CpuOutcome, Figures, NodeOutcome, PromiseStatus, PromiseVerdict, ThreadOutcome, plain,
};
use windfall_time::{Instant, Ratio, Span};

/// Accounts up to an instant; schedulers in order of creation.
pub(super) struct Counts {
    pub(super) at: Instant,
    cpus: Vec<(CpuOutcome, Span)>,
    nodes: Vec<Span>,
    threads: Vec<Span>,
}

/// A thread, copied under the lock.
struct Member {
    outcome: ThreadOutcome,
    tid: i32,
    parent: Option<String>,
    state: &'static str,
}

/// A scheduler, copied under the lock.
struct Instance {
    account: NodeOutcome,
    owns: Vec<(Option<String>, &'static str)>,
    quarantined: bool,
}

/// The state of a run, copied under the lock.
pub(super) struct View {
    counts: Counts,
    cpus: Vec<(u16, Option<u32>)>,
    /// By account; `None` for a scheduler that was destroyed.
    nodes: Vec<Option<Instance>>,
    /// By number; `None` for entries of programs, which never run themselves.
    threads: Vec<Option<Member>>,
    judgement: Judgement,
    resolution: Timer,
    default: Option<String>,
    decisions: u64,
    /// How late timers were served at most, and the same without stolen time.
    lag: (Span, Span),
    lost: bool,
}

/// Reads the accounts at this moment.
pub(super) fn counts(supervisor: &mut Supervisor) -> Counts {
    let (counts, _) = count(supervisor);
    counts
}

fn count(supervisor: &mut Supervisor) -> (Counts, Vec<(NodeId, NodeOutcome)>) {
    settle(supervisor); // the kernel events that are there decide whose time it is
    supervisor.host.account_all();
    let nodes = supervisor.host.nodes();
    let threads = supervisor.host.threads.list.iter();
    let counts = Counts {
        at: supervisor.time(),
        cpus: supervisor.host.accounts.read().to_vec(),
        nodes: nodes.iter().map(|(_, account)| account.received).collect(),
        threads: threads.map(|thread| thread.outcome.received).collect(),
    };
    (counts, nodes)
}

/// Copies everything that a client may want to know.
pub(super) fn view(supervisor: &mut Supervisor) -> View {
    let (counts, accounts) = count(supervisor);
    let Host { machine, hierarchy, threads, promises, log, .. } = &supervisor.host;
    let name = |node: NodeId| hierarchy.name(node).map(str::to_owned);
    let nodes = accounts.into_iter().map(|(id, account)| {
        let view = hierarchy.node(id)?;
        let owns = view.owns.iter().map(|(parent, state)| match parent {
            Some(Parent::Node(parent)) => (name(*parent), state_name(*state)),
            Some(Parent::Top) => (None, state_name(*state)),
            None => (None, "no-parent"),
        });
        Some(Instance { account, owns: owns.collect(), quarantined: view.quarantined })
    });
    let numbers = 0..u32::try_from(threads.list.len()).expect("numbered by 32 bits");
    View {
        counts,
        cpus: machine.cpus.iter().map(|cpu| (cpu.number, cpu.desired)).collect(),
        nodes: nodes.collect(),
        threads: numbers.map(|number| thread_view(supervisor, number)).collect(),
        judgement: promises.read(Linux::PRECISION),
        resolution: supervisor.host.resolution(),
        default: hierarchy.default_node().and_then(name),
        decisions: log.decisions,
        lag: (machine.log.lag, machine.log.lag_without_steal),
        lost: machine.log.lost > 0,
    }
}

fn thread_view(supervisor: &Supervisor, number: u32) -> Option<Member> {
    let thread = &supervisor.host.threads.list[number as usize];
    let body = &supervisor.host.machine.threads.bodies[number as usize];
    let mut outcome = thread.outcome()?;
    outcome.runnable = thread.runnable_until(supervisor.time());
    let state = match thread.id().and_then(|id| supervisor.host.hierarchy.thread_state(id)) {
        None if supervisor.host.starts_later(number) => "not-started",
        None => "ended",
        Some(_) if supervisor.host.machine.heard(number).is_none() => "frozen",
        Some(state) => state_name(state),
    };
    if let Some(id) = thread.id() {
        outcome.counted(supervisor.host.counted(id));
    }
    Some(Member { outcome, tid: body.tid, parent: supervisor.host.parent(thread.id()), state })
}

const fn state_name(state: VpState) -> &'static str {
    match state {
        VpState::Waiting => "waiting",
        VpState::Ready => "ready",
        VpState::Running(_) => "running",
    }
}

impl View {
    /// Makes the listing for a client. `before` has the accounts of a while ago.
    pub(super) fn listing(self, name: &str, end: Instant, before: Option<&Counts>) -> Listing {
        let counts = &self.counts;
        let now = counts.at;
        let promises = self.judgement.current(now, self.resolution.resolution());
        let of = |owner: &str, own: bool| -> Vec<Promised> {
            let its = promises.iter().filter(|verdict| {
                let promise = &verdict.promise;
                promise.owner == owner && promise.own.is_some() == own
            });
            its.map(|verdict| promised(verdict, self.lost)).collect()
        };
        let cpus = self.cpus.iter().enumerate().map(|(at, (number, granted))| {
            let before = before.and_then(|before| before.cpus.get(at)).copied();
            let granted = granted.and_then(|number| self.threads.get(number as usize));
            let granted = granted.and_then(|thread| thread.as_ref());
            let granted = granted.map(|thread| thread.outcome.name.clone());
            processor(*number, granted, counts.cpus[at], before)
        });
        let nodes = self.nodes.iter().enumerate().filter_map(|(at, node)| {
            let node = node.as_ref()?;
            let before = before.and_then(|before| before.nodes.get(at)).copied();
            Some(node.listed(before, of(&node.account.name, true)))
        });
        let threads = self.threads.iter().enumerate().filter_map(|(at, thread)| {
            let thread = thread.as_ref()?;
            let before = before.and_then(|before| before.threads.get(at)).copied();
            let is_its = |(_, granted): &&(u16, Option<u32>)| {
                granted.is_some_and(|granted| granted as usize == at)
            };
            let cpu = self.cpus.iter().find(is_its).map(|(number, _)| *number);
            Some(thread.listed(cpu, before, of(&thread.outcome.name, false)))
        });
        Listing {
            pid: std::process::id(),
            name: name.to_owned(),
            now_ns: now.as_nanos(),
            end_ns: end.as_nanos(),
            last_ns: now.saturating_since(before.map_or(Instant::ZERO, |b| b.at)).as_nanos(),
            tick_ns: match self.resolution {
                Timer::Precise => None,
                Timer::Ticks(hertz) => Some(1_000_000_000 / hertz.max(1)),
            },
            default: self.default.clone(),
            decisions: self.decisions,
            lag_ns: self.lag.0.as_nanos(),
            lag_without_steal_ns: self.lag.1.as_nanos(),
            lost: self.lost,
            cpus: cpus.collect(),
            nodes: nodes.collect(),
            threads: threads.collect(),
        }
    }
}

/// An amount of time, and how much of it was added since `before`.
fn account(now: Span, before: Option<Span>) -> Account {
    Account {
        ns: now.as_nanos(),
        last_ns: now.saturating_sub(before.unwrap_or(Span::ZERO)).as_nanos(),
    }
}

fn processor(
    number: u16,
    granted: Option<String>,
    (now, leaked): (CpuOutcome, Span),
    before: Option<(CpuOutcome, Span)>,
) -> Processor {
    let part =
        |of: fn(&CpuOutcome) -> Span| account(of(&now), before.map(|(before, _)| of(&before)));
    Processor {
        number,
        granted,
        received: part(|cpu| cpu.received),
        scheduling: part(|cpu| cpu.scheduling),
        stolen: part(|cpu| cpu.stolen),
        rest: part(|cpu| cpu.idle),
        leaked: account(leaked, before.map(|(_, leaked)| leaked)),
    }
}

impl Instance {
    fn listed(&self, before: Option<Span>, promises: Vec<Promised>) -> Node {
        let owns = self
            .owns
            .iter()
            .map(|(parent, state)| OwnVp { parent: parent.clone(), state: (*state).to_owned() });
        Node {
            name: self.account.name.clone(),
            kind: self.account.kind.clone(),
            owns: owns.collect(),
            received: account(self.account.received, before),
            counted: counted(&self.account.stats),
            quarantined: self.quarantined,
            promises,
        }
    }
}

impl Member {
    fn listed(&self, cpu: Option<u16>, before: Option<Span>, promises: Vec<Promised>) -> Thread {
        let outcome = &self.outcome;
        Thread {
            name: outcome.name.clone(),
            tid: self.tid,
            parent: self.parent.clone(),
            state: self.state.to_owned(),
            cpu,
            received: account(outcome.received, before),
            runnable_ns: outcome.runnable.as_nanos(),
            completed: outcome.completed,
            missed: outcome.missed,
            gap_ns: outcome.gap.as_nanos(),
            counted: counted(&outcome.stats),
            promises,
        }
    }
}

fn counted(figures: &Figures) -> Vec<(String, u64)> {
    figures.iter().map(|(name, count)| plain(name, *count)).collect()
}

fn promised(verdict: &PromiseVerdict, lost: bool) -> Promised {
    let is_judged = !lost && verdict.until.is_none();
    let standing = if is_judged { verdict.status().into() } else { LiveStatus::Unknown };
    let Guaranteed { text, share_ppm } = Guaranteed::of(&verdict.promise.guarantee);
    Promised {
        guarantee: text,
        share_ppm,
        granted: verdict.promise.granted,
        standing,
        why: why(verdict),
    }
}

/// Describes what is wrong with a promise, if anything is.
fn why(verdict: &PromiseVerdict) -> Option<String> {
    if let Some(until) = verdict.until {
        return Some(format!("{} until {until}, when the tree changed", verdict.status().name()));
    }
    let (by, word) = match verdict.verdict? {
        Verdict::Broken { short, .. } => (short, "short"),
        Verdict::Exceeded { by, .. } => (by, "more"),
        _ => return None,
    };
    if verdict.status() == PromiseStatus::Kept {
        return None;
    }
    let worst = verdict.worst()?;
    let span = worst.to.checked_sub(worst.from).unwrap_or(Length::ZERO);
    let cause = match verdict.status() {
        PromiseStatus::Stolen => ", stolen",
        PromiseStatus::Overhead => ", overhead",
        _ => "",
    };
    Some(format!("{by} {word} in {span} from {}{cause}", worst.from))
}

/// A guarantee as a listing shows it.
struct Guaranteed {
    text: String,
    share_ppm: Option<u64>,
}

impl Guaranteed {
    fn of(guarantee: &Guarantee) -> Guaranteed {
        let million = |share: Ratio| {
            let ppm = share.checked_mul(Ratio::whole(1_000_000))?;
            u64::try_from(ppm.numerator().checked_div(ppm.denominator())?).ok()
        };
        Guaranteed { text: guarantee.to_string(), share_ppm: guarantee.share().and_then(million) }
    }
}

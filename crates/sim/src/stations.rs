//! Stations of the simulated machine: one server each, first come first served (decision 0044).
//!
//! A station serves every visit for the same time, and nobody leaves it before being served, so the end of a visit is known when it arrives. Visits of one instant
//! arrive in the order in which the machine handles its processors' events.
//!
//! Invariants: the services of a station do not overlap; a visit that arrives later is served later.

use crate::cpu::Overhead;
use windfall_programs::Station as Number;
use windfall_scenario::model::{Machine, Station, StationCall};
use windfall_scenario::outcome::StationOutcome;
use windfall_time::{Instant, Span};
use windfall_trace::OverheadKind;

/// A station, and when it has served all that have arrived.
struct Server {
    service: Span,
    free: Instant,
    /// Visits that have arrived, and their waits, whether or not they are over.
    seen: StationOutcome,
}

/// All stations of a machine.
pub(crate) struct Stations {
    servers: Vec<Server>,
    /// By call of the machine, in the order of [`StationCall::OF_MACHINE`]: the stations that it visits.
    calls: [Vec<u16>; 5],
    /// Whether any call does.
    charge: bool,
}

/// A visit, which is an overhead of its processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Visit {
    /// The thread that makes it; `None`: a call of the machine.
    pub(crate) thread: Option<u32>,
    pub(crate) stage: Stage,
}

/// How far a visit has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// It has not arrived. This many visits follow one another.
    Ahead(u64),
    /// It waits for its turn, and is served so long then; so many more follow.
    Waits(Span, u64),
    /// It is served; so many more follow.
    Served(u64),
    /// The thread's visit goes on from another processor, until then.
    Elsewhere(Instant),
}

impl Stations {
    pub(crate) fn new(machine: &Machine) -> Stations {
        let server = |station: &Station| Server {
            service: station.service,
            free: Instant::ZERO,
            seen: StationOutcome::new(&station.name),
        };
        let visited = |call: StationCall| {
            let all = (0_u16..).zip(&machine.stations);
            all.filter(|(_, one)| one.calls.contains(&call)).map(|(number, _)| number).collect()
        };
        let calls: [Vec<u16>; 5] = StationCall::OF_MACHINE.map(|(_, call)| visited(call));
        let charge = calls.iter().any(|visited| !visited.is_empty());
        Stations { servers: machine.stations.iter().map(server).collect(), calls, charge }
    }

    /// The number of a station, if there is one.
    pub(crate) fn find(&self, station: Number) -> Option<u16> {
        u16::try_from(station.0).ok().filter(|_| station.0 < self.servers.len())
    }

    /// Whether calls of the machine visit any.
    pub(crate) const fn charge(&self) -> bool {
        self.charge
    }

    /// The stations that a call of the machine visits.
    pub(crate) fn visited_by(&self, call: StationCall) -> &[u16] {
        let place = StationCall::OF_MACHINE.iter().position(|(_, known)| *known == call);
        place.map_or(&[], |place| &self.calls[place])
    }

    /// A visit arrives. Returns how long it waits, and how long it is served then.
    fn arrive(&mut self, number: u16, now: Instant) -> (Span, Span) {
        let server = &mut self.servers[usize::from(number)];
        let wait = server.free.saturating_since(now);
        server.free = server.free.max(now).saturating_add(server.service);
        server.seen.visits.count += 1;
        server.seen.visits.waited += wait;
        server.seen.visits.served += server.service;
        server.seen.longest_wait = server.seen.longest_wait.max(wait);
        (wait, server.service)
    }

    /// When a station has served all that have arrived.
    pub(crate) fn free_at(&self, number: u16) -> Instant {
        self.servers[usize::from(number)].free
    }

    /// The outcome of each station, counting visits that have arrived as completed.
    pub(crate) fn seen(&self) -> impl Iterator<Item = StationOutcome> + '_ {
        self.servers.iter().map(|server| server.seen.clone())
    }
}

impl Overhead {
    /// A visit that has not arrived.
    pub(crate) const fn visit(number: u16, thread: Option<u32>, times: u64) -> Overhead {
        let visit = Some(Visit { thread, stage: Stage::Ahead(times) });
        Overhead { kind: OverheadKind::StationWait, number, left: Span::ZERO, visit }
    }

    /// The rest of a visit that a thread makes from another processor.
    pub(crate) const fn visit_elsewhere(number: u16, thread: u32, until: Instant) -> Overhead {
        let visit = Some(Visit { thread: Some(thread), stage: Stage::Elsewhere(until) });
        Overhead { kind: OverheadKind::StationWait, number, left: Span::ZERO, visit }
    }

    /// Whether it stands still at a station, and cannot be put behind something else.
    pub(crate) fn is_at_station(&self) -> bool {
        self.visit.is_some_and(|visit| !matches!(visit.stage, Stage::Ahead(_)))
    }

    /// It comes to the front of its processor's queue. Returns whether it takes any time.
    pub(crate) fn begins(&mut self, now: Instant, stations: &mut Stations) -> bool {
        let Some(visit) = &mut self.visit else { return true };
        match visit.stage {
            Stage::Ahead(times) => {
                let (wait, service) = stations.arrive(self.number, now);
                let more = times.saturating_sub(1);
                (self.left, visit.stage) = (wait, Stage::Waits(service, more));
                if wait.is_zero() {
                    self.is_served(service, more);
                }
            }
            Stage::Elsewhere(until) => self.left = until.saturating_since(now),
            Stage::Waits(..) | Stage::Served(_) => {}
        }
        !self.left.is_zero()
    }

    /// Its time is over. Returns whether it goes on with another stage.
    pub(crate) fn goes_on(&mut self, now: Instant, stations: &mut Stations) -> bool {
        let Some(visit) = &mut self.visit else { return false };
        match visit.stage {
            Stage::Waits(service, more) => {
                self.is_served(service, more);
                true
            }
            Stage::Served(more) if more > 0 => {
                (self.kind, visit.stage) = (OverheadKind::StationWait, Stage::Ahead(more));
                self.begins(now, stations)
            }
            _ => false,
        }
    }

    fn is_served(&mut self, service: Span, more: u64) {
        (self.kind, self.left) = (OverheadKind::StationService, service);
        if let Some(visit) = &mut self.visit {
            visit.stage = Stage::Served(more);
        }
    }
}

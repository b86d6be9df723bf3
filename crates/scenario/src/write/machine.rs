//! The machine and its interrupts, as they are written.

use crate::file::{
    CacheFile, Cap, CostsFile, Frequency, InterruptsFile, Kib, Lax, MachineFile, Processors, Range,
    SpeedFile, StationFile,
};
use crate::model::{Claim, Costs, Interrupts, Machine, Pattern, Station, Timer};
use windfall_time::{Instant, Ratio, Span};
use windfall_trace::OverheadKind;

pub(super) fn machine(machine: &Machine) -> MachineFile {
    let Machine { speeds, timer, costs, cache, cpus, cap, claim, stations } = machine;
    let alike = speeds.iter().all(|speed| *speed == Ratio::ONE);
    let processors = match u16::try_from(speeds.len()) {
        Ok(count) if alike => Processors::Count(Lax(Ok(count))),
        _ => Processors::List(
            speeds.iter().map(|speed| SpeedFile { speed: Lax::good(*speed) }).collect(),
        ),
    };
    let above_zero = |span: Span| (!span.is_zero()).then_some(Lax(Ok(span)));
    MachineFile {
        processors: Some(processors),
        timer: (*timer != Timer::Precise).then_some(Lax(Ok(Frequency(*timer)))),
        costs: (*costs != Costs::default()).then(|| CostsFile {
            switch: above_zero(costs.switch),
            migration: above_zero(costs.migration),
            decision: above_zero(costs.decision),
            notification: above_zero(costs.notification),
            timer: above_zero(costs.timer),
        }),
        cache: cache.map(|cache| CacheFile {
            size: Lax::good(Kib(cache.size_kib)),
            refill: Lax::good(cache.refill),
        }),
        cpus: (!cpus.is_empty()).then(|| cpus.iter().map(|cpu| Lax(Ok(*cpu))).collect()),
        cap: (*cap != Machine::most_cap()).then_some(Lax(Ok(Cap(*cap)))),
        claim: (*claim != Claim::default()).then_some(Lax(Ok(*claim))),
        stations: (!stations.is_empty())
            .then(|| stations.iter().map(|one| (one.name.clone(), station(one))).collect()),
    }
}

fn station(station: &Station) -> StationFile {
    let calls: Vec<_> = station.calls.iter().map(|call| Lax(Ok(*call))).collect();
    StationFile { service: Lax::good(station.service), calls: (!calls.is_empty()).then_some(calls) }
}

pub(super) fn interrupts(source: &Interrupts) -> InterruptsFile {
    let processors: Vec<Lax<u16>> = source.processors.iter().map(|cpu| Lax(Ok(*cpu))).collect();
    let file = InterruptsFile {
        kind: (source.kind != OverheadKind::Interrupt).then_some(Lax(Ok(source.kind))),
        number: (source.number != 0).then_some(Lax(Ok(source.number))),
        processors: (!processors.is_empty()).then_some(processors),
        device: source.device.and_then(|device| Lax::good(device.name().to_owned())),
        datum: source.datum.and_then(Lax::good),
        ..InterruptsFile::default()
    };
    match &source.pattern {
        Pattern::Periodic { offset, period, cost } => InterruptsFile {
            every: Lax::good(*period),
            offset: (*offset != Instant::ZERO).then_some(Lax(Ok(*offset))),
            cost: Lax::good(Range(*cost, *cost)),
            ..file
        },
        Pattern::Random { gap, cost } => InterruptsFile {
            gap: Lax::good(Range(gap.0, gap.1)),
            cost: Lax::good(Range(cost.0, cost.1)),
            ..file
        },
        Pattern::Recorded(name) => InterruptsFile { recorded: Lax::good(name.clone()), ..file },
    }
}

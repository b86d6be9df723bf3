//! The machine and its interrupts.

use super::reader::Reader;
use crate::decode::decode;
use crate::diagnostic::Code;
use crate::file::{InterruptsFile, MachineFile, Processors, Range, StationFile};
use crate::model::{Cache, Costs, Interrupts, Machine, Pattern, Station, Timer};
use crate::source::Path;
use crate::tree::Node;
use std::collections::BTreeMap;
use windfall_programs::Device;
use windfall_time::{Instant, Ratio, Span};
use windfall_trace::OverheadKind;

pub(super) fn machine(node: Node<'_>, reader: &mut Reader<'_>) -> Machine {
    let path = Path::of(&["machine"]);
    let file: MachineFile = decode(node, &mut reader.mistakes).unwrap_or_default();
    let speeds = match file.processors {
        None => vec![Ratio::ONE],
        Some(Processors::Count(count)) => {
            let count = reader.get(count.into(), &path.key("processors"));
            vec![Ratio::ONE; usize::from(count.unwrap_or(1))]
        }
        Some(Processors::List(list)) => {
            let path = path.key("processors");
            let speeds = list.into_iter().enumerate().map(|(number, processor)| {
                let path = path.item(number).key("speed");
                reader.get(processor.speed, &path).unwrap_or(Ratio::ONE)
            });
            speeds.collect()
        }
    };
    let timer = reader.get(file.timer, &path.key("timer"));
    let costs = file.costs.unwrap_or_default();
    let cost = path.key("costs");
    let costs = Costs {
        switch: reader.get(costs.switch, &cost.key("switch")).unwrap_or_default(),
        migration: reader.get(costs.migration, &cost.key("migration")).unwrap_or_default(),
        decision: reader.get(costs.decision, &cost.key("decision")).unwrap_or_default(),
        notification: reader.get(costs.notification, &cost.key("notification")).unwrap_or_default(),
        timer: reader.get(costs.timer, &cost.key("timer")).unwrap_or_default(),
    };
    let cache = file.cache.and_then(|cache| {
        let path = path.key("cache");
        let size = reader.need(cache.size, &path.key("size"), "its size, as `size = \"512KB\"`");
        let refill = reader.need(
            cache.refill,
            &path.key("refill"),
            "the time for each KB, as `refill = \"5.57us\"`",
        );
        Some(Cache { size_kib: size?.0, refill: refill? })
    });
    let cpus = file.cpus.unwrap_or_default().into_iter().enumerate();
    let cpus = cpus.filter_map(|(at, cpu)| reader.get(Some(cpu), &path.key("cpus").item(at)));
    let cpus = cpus.collect();
    let cap = reader.get(file.cap, &path.key("cap"));
    let claim = reader.get(file.claim, &path.key("claim"));
    let stations = stations(file.stations.unwrap_or_default(), &path.key("stations"), reader);
    Machine {
        speeds,
        timer: timer.map_or(Timer::Precise, |timer| timer.0),
        costs,
        cache,
        cpus,
        cap: cap.map_or_else(Machine::most_cap, |cap| cap.0),
        claim: claim.unwrap_or_default(),
        stations,
    }
}

fn stations(
    files: BTreeMap<String, StationFile>,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Vec<Station> {
    let each = |(name, file): (String, StationFile)| {
        let path = path.key(&name);
        let what = "how long it serves each visit, as `service = \"10us\"`";
        let service = reader.need(file.service, &path.key("service"), what);
        let calls = file.calls.unwrap_or_default().into_iter().enumerate();
        let calls =
            calls.filter_map(|(at, call)| reader.get(Some(call), &path.key("calls").item(at)));
        let calls = calls.collect();
        // One whose time could not be read has been reported.
        Station { name, service: service.unwrap_or(Span::from_nanos(1)), calls }
    };
    files.into_iter().map(each).collect()
}

pub(super) fn interrupts(node: Option<Node<'_>>, reader: &mut Reader<'_>) -> Vec<Interrupts> {
    let list: Vec<InterruptsFile> = reader.list(node, "interrupts");
    list.into_iter()
        .enumerate()
        .map(|(number, file)| source(file, &Path::of(&["interrupts"]).item(number), reader))
        .collect()
}

/// Refuses interrupts whose times are missing, or given twice.
fn when_is_clear(file: &InterruptsFile, path: &Path, reader: &mut Reader<'_>) {
    let keys = [
        ("every", file.every.is_some()),
        ("gap", file.gap.is_some()),
        ("recorded", file.recorded.is_some()),
    ];
    let given: Vec<&str> = keys.iter().filter(|(_, given)| *given).map(|(key, _)| *key).collect();
    let (code, at) = match given.as_slice() {
        [_] => return,
        [] => (Code::MissingKey, path.clone()),
        [.., last] => (Code::ExclusiveKeys, path.key(last)),
    };
    let help = "write exactly one of `every`, `gap` and `recorded`";
    reader.wrong(code, &at, "it is not clear when these interrupts come", help);
}

fn source(file: InterruptsFile, path: &Path, reader: &mut Reader<'_>) -> Interrupts {
    when_is_clear(&file, path, reader);
    let kind = reader.get(file.kind, &path.key("kind"));
    let number = reader.get(file.number, &path.key("number"));
    let processors = file.processors.unwrap_or_default().into_iter().enumerate();
    let processors = processors
        .filter_map(|(at, cpu)| reader.get(Some(cpu), &path.key("processors").item(at)))
        .collect();
    let device = reader.get(file.device, &path.key("device"));
    let device = device.and_then(|name| named(&name, &path.key("device"), reader));
    let datum = reader.get(file.datum, &path.key("datum"));
    let has_every = file.every.is_some();
    let every = reader.get(file.every, &path.key("every"));
    let every = reader.above_zero(every, &path.key("every"));
    let gap = reader.get(file.gap, &path.key("gap"));
    let recorded = reader.get(file.recorded, &path.key("recorded"));
    let offset = reader.get(file.offset, &path.key("offset"));
    if offset.is_some() && !has_every {
        let message = "`offset` goes with `every`";
        reader.wrong(Code::MisplacedKey, &path.key("offset"), message, "leave it out");
    }
    let cost = if recorded.is_some() {
        if file.cost.is_some() {
            let message = "a recording has its own costs";
            reader.wrong(Code::MisplacedKey, &path.key("cost"), message, "leave `cost` out");
        }
        None
    } else {
        reader.need(file.cost, &path.key("cost"), "how long each takes, as `cost = \"20us\"`")
    };
    let cost = cost.unwrap_or(Range(Span::ZERO, Span::ZERO));
    let pattern = match (recorded, gap) {
        (Some(file), _) => Pattern::Recorded(file),
        (None, None) if cost.0 == cost.1 => Pattern::Periodic {
            offset: offset.unwrap_or(Instant::ZERO),
            period: every.unwrap_or(Span::MAX),
            cost: cost.0,
        },
        (None, gap) => {
            let every = every.unwrap_or(Span::MAX);
            let gap = gap.unwrap_or(Range(every, every));
            Pattern::Random { gap: (gap.0, gap.1), cost: (cost.0, cost.1) }
        }
    };
    Interrupts {
        kind: kind.unwrap_or(OverheadKind::Interrupt),
        number: number.unwrap_or(0),
        processors,
        pattern,
        device,
        datum,
    }
}

/// The device of a name.
fn named(name: &str, path: &Path, reader: &mut Reader<'_>) -> Option<Device> {
    let device = Device::new(name);
    if let Err(why) = device {
        let help = "write another name, as `device = \"line\"`";
        reader.wrong(Code::InvalidName, path, why.to_string(), help);
    }
    device.ok()
}

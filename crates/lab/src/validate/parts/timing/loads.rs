//! The effect of each kind of load by itself on wake-ups, so that readers can compare with loads of their own.

use super::super::{grouped, shown};
use super::record::{Quantile, Record};
use super::{Phase, phase};
use crate::experiment::LabError;
use crate::findings::Table;
use crate::validate::found::{Found, Level, Metric};
use crate::validate::machine::{LoadKind, Machine};
use crate::validate::options::Options;
use windfall_time::Span;

/// Each is measured for so small a part of the time that all are measured together.
const PART: u64 = 60;

/// A kind of load, alone.
pub(super) struct Alone {
    kind: LoadKind,
    phase: Phase,
}

/// All kinds in turn; none where the machine cannot be loaded.
///
/// # Errors
/// When a thread cannot be kept on its processor.
pub(super) fn measured(machine: &dyn Machine, options: &Options) -> Result<Vec<Alone>, LabError> {
    let mut all = Vec::new();
    for kind in LoadKind::ALL {
        let Some(load) = machine.load(&[kind]) else { break };
        (options.progress)(&format!("the same beside threads {}", kind.words()));
        let phase = phase(machine, options, Span::from_nanos(options.length.as_nanos() / PART))?;
        drop(load);
        all.push(Alone { kind, phase });
    }
    Ok(all)
}

/// How late the thread wakes on the processor where that is latest.
fn late(phase: &Phase) -> Option<(&Record, Span)> {
    let all = phase.records.iter().map(|record| (record, record.late.at(Quantile::P99)));
    all.max_by_key(|(_, late)| *late)
}

/// The table, a sentence, and a metric for each kind.
pub(super) fn find(found: &mut Found, idle: &Phase, alone: &[Alone]) {
    let latest = |one: &&Alone| late(&one.phase).map(|(_, late)| late);
    let worst = alone.iter().filter(|one| latest(one).is_some()).max_by_key(latest);
    let (Some(worst), Some((_, idle_late))) = (worst, late(idle)) else { return };
    let Some((record, most)) = late(&worst.phase) else { return };
    // Of fewer bursts the latest one would decide.
    if Quantile::of(record.late.count()) >= Some(Quantile::P99) {
        found.says(
            Level::Fact,
            format!(
                "The kind of load that delays wake-ups most by itself: {}. One in a hundred is {} late on processor {}; without load {} where that is latest.",
                worst.kind.words(),
                shown(most),
                record.processor,
                shown(idle_late)
            ),
        );
    }
    let title = "what each kind of load does by itself, on the processor where threads wake latest";
    let head =
        ["load", "processor", "bursts", "woke late p50", "p99", "most", "then away p99", "most"];
    let mut table = Table::new(title, 1, &head);
    let of_kinds = alone.iter().map(|one| (one.kind.words(), &one.phase));
    for (name, phase) in std::iter::once(("none", idle)).chain(of_kinds) {
        let Some((record, _)) = late(phase) else { continue };
        let Record { late, longest, .. } = record;
        table.rows.push(vec![
            name.to_owned(),
            record.processor.to_string(),
            grouped(late.count()),
            shown(late.at(Quantile::MEDIAN)),
            shown(late.at(Quantile::P99)),
            shown(late.most()),
            shown(longest.at(Quantile::P99)),
            shown(longest.most()),
        ]);
    }
    found.tables.push(table);
    for Alone { kind, phase } in alone {
        // Without a burst it would be the best that is possible.
        let Some((_, late)) = late(phase).filter(|(record, _)| record.late.count() > 0) else {
            continue;
        };
        let name = format!("timing.wake.{}.p99", kind.name());
        found.metrics.push(Metric::time(name, late).noise(100, 50_000));
    }
}

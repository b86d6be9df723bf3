//! Tables, picture and raw numbers of the records.

use super::super::{grouped, shown};
use super::Phase;
use super::record::{Lengths, Quantile};
use crate::experiments::{SERIES, solid};
use crate::findings::{Figure, Raw, Table, record};
use windfall_plot::chart::{Axis, Chart};

/// The rarest that is drawn.
const RAREST: u32 = 6;

fn phases<'a>(idle: &'a Phase, loaded: &'a Phase) -> [(&'static str, &'a Phase); 2] {
    [("idle", idle), ("loaded", loaded)]
}

/// The time that was left of each period.
pub(super) fn periods(idle: &Phase, loaded: &Phase) -> Table {
    let title = "work that was left of each period; at the highest quantile of those beyond which ten periods lie, and at the least";
    let head =
        ["machine", "processor", "period", "periods", "p50", "p99", "at", "quantile", "least"];
    let mut table = Table::new(title, 2, &head);
    for (name, phase) in phases(idle, loaded) {
        for record in &phase.records {
            for of in &record.periods {
                let count = of.lost.count();
                let left = |quantile| {
                    let left = shown(of.period.saturating_sub(of.lost.at(quantile)));
                    if count == 0 { "-".to_owned() } else { left }
                };
                let highest = Quantile::of(count);
                table.rows.push(vec![
                    name.to_owned(),
                    record.processor.to_string(),
                    shown(of.period),
                    grouped(count),
                    left(Quantile::MEDIAN),
                    left(Quantile::P99),
                    highest.map_or_else(|| "-".to_owned(), left),
                    highest.map_or_else(|| "-".to_owned(), Quantile::name),
                    of.worst.map_or_else(
                        || "-".to_owned(),
                        |worst| shown(of.period.saturating_sub(worst.lost)),
                    ),
                ]);
            }
        }
    }
    table
}

/// How late threads woke, and the longest that was taken from them in a burst.
pub(super) fn wakes(idle: &Phase, loaded: &Phase) -> Table {
    let title = "how late threads woke, and the longest time that was taken from each at a stretch after that";
    let head = ["machine", "processor", "", "bursts", "p50", "p99", "p99.9", "most"];
    let mut table = Table::new(title, 3, &head);
    let mut row = |machine: &str, processor: u16, what: &str, lengths: &Lengths| {
        let or_none = |length| if lengths.count() == 0 { "-".to_owned() } else { shown(length) };
        let of = |quantile| or_none(lengths.at(quantile));
        table.rows.push(vec![
            machine.to_owned(),
            processor.to_string(),
            what.to_owned(),
            grouped(lengths.count()),
            of(Quantile::MEDIAN),
            of(Quantile::P99),
            of(Quantile::P99_9),
            or_none(lengths.most()),
        ]);
    };
    for (name, phase) in phases(idle, loaded) {
        for record in &phase.records {
            row(name, record.processor, "woke late by", &record.late);
            row(name, record.processor, "then away for", &record.longest);
        }
    }
    table
}

/// How much of a period is lost by how rarely, on the processor that loses most: a line for each of at most four periods.
#[expect(clippy::cast_precision_loss, reason = "drawn")]
pub(super) fn figure(loaded: &Phase) -> Figure {
    let us = |ns: u64| (ns.max(1_000) as f64) / 1e3;
    let x = Axis::factors("one period in so many", 2.0, 10_f64.powf(f64::from(RAREST)));
    let y = Axis::factors("lost of it, us", 1.0, 100_000.0);
    let mut chart = Chart::new("what is lost of a period, loaded", "", x, y);
    let count = loaded.records.first().map_or(0, |record| record.periods.len());
    let drawn: Vec<_> = (0..count).step_by(count.div_ceil(SERIES.len()).max(1)).collect();
    for (colour, index) in SERIES.into_iter().zip(drawn) {
        let Some(worst) =
            loaded.records.iter().max_by_key(|record| record.periods[index].lost.at(Quantile::P99))
        else {
            continue;
        };
        let of = &worst.periods[index];
        let points: Vec<_> = Quantile::drawn(of.lost.count())
            .map(|quantile| (quantile.one_in(), us(of.lost.at(quantile).as_nanos())))
            .collect();
        chart.line(
            &points,
            solid(colour),
            &format!("{} on processor {}", shown(of.period), worst.processor),
        );
    }
    Figure {
        name: "validate-timing".to_owned(),
        caption: "What a real-time thread did not get of its period, from late wake-ups, interrupts and stolen time, by how rarely that much or more is lost. On the processor that loses most. A line ends where fewer than ten periods lie beyond.".to_owned(),
        picture: chart.finish(),
    }
}

/// All quantiles of what was lost.
pub(super) fn raw(idle: &Phase, loaded: &Phase) -> Raw {
    let mut rows = Vec::new();
    for (name, phase) in phases(idle, loaded) {
        for record in &phase.records {
            for of in &record.periods {
                for quantile in Quantile::drawn(of.lost.count()) {
                    rows.push(record![
                        name,
                        record.processor,
                        of.period.as_nanos(),
                        of.lost.count(),
                        format!("{:.1}", quantile.one_in()),
                        of.lost.at(quantile).as_nanos()
                    ]);
                }
            }
        }
    }
    Raw::csv("validate-timing", "machine,processor,period_ns,periods,one_in,lost_ns", rows)
}

//! Tables, picture and raw numbers of messages.

use super::super::shown as time;
use super::{Copied, LARGE_COPY, Measured, SIZES, Sized, typical};
use crate::experiments::{SERIES, solid};
use crate::findings::{Figure, Raw, Table, record};
use windfall_clocks::Samples;
use windfall_plot::Stroke;
use windfall_plot::chart::{Axis, Chart};

/// A size as people read it.
pub(super) fn size(bytes: usize) -> String {
    match bytes {
        bytes if bytes >= 1 << 20 => format!("{} MiB", bytes >> 20),
        bytes if bytes >= 1 << 10 => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} B"),
    }
}

/// A rate as people read it, with two or three digits: `1.2 GB/s`.
pub(super) fn rate(each_second: u64) -> String {
    let (unit, name) = match each_second {
        1_000_000_000.. => (1_000_000_000, "GB/s"),
        1_000_000.. => (1_000_000, "MB/s"),
        _ => (1_000, "kB/s"),
    };
    let (whole, tenth) = (each_second / unit, each_second % unit * 10 / unit);
    if whole < 10 { format!("{whole}.{tenth} {name}") } else { format!("{whole} {name}") }
}

const fn to(is_other: bool) -> &'static str {
    if is_other { "another" } else { "the same" }
}

/// A table with a column for each size.
fn by_size(
    title: &str,
    all: &[Measured],
    copied: &Copied,
    of: impl Fn(&Sized) -> Option<String>,
    of_copy: impl Fn(usize, &Samples) -> String,
) -> Table {
    let sizes = SIZES.map(size);
    let head: Vec<&str> =
        ["by", "to a processor"].into_iter().chain(sizes.iter().map(String::as_str)).collect();
    let mut table = Table::new(title, 2, &head);
    let cells = |cell: &dyn Fn(usize) -> Option<String>| -> Vec<String> {
        SIZES.iter().map(|bytes| cell(*bytes).unwrap_or_else(|| "-".to_owned())).collect()
    };
    for one in all {
        let row = cells(&|bytes| of(one.sizes.iter().find(|size| size.bytes == bytes)?));
        if row.iter().any(|cell| cell != "-") {
            let names = [one.mechanism.name(), to(one.is_other)].map(str::to_owned);
            table.rows.push(names.into_iter().chain(row).collect());
        }
    }
    let copy = |bytes| {
        let (bytes, samples) = copied.sizes.iter().find(|(size, _)| *size == bytes)?;
        Some(of_copy(*bytes, samples))
    };
    let names = ["a copy in memory", "-"].map(str::to_owned);
    table.rows.push(names.into_iter().chain(cells(&copy)).collect());
    table
}

/// The times of messages.
pub(super) fn times(all: &[Measured], copied: &Copied) -> Table {
    let title = "time of a message by its size (half of that there and back)";
    let of = |size: &Sized| Some(time(typical(&size.message)));
    by_size(title, all, copied, of, |_, samples| time(typical(samples)))
}

/// How much is carried.
pub(super) fn carried(all: &[Measured], copied: &Copied) -> Table {
    let title = format!(
        "what is carried by messages of a size, one after the other; a copy of {} makes {} alone and {} on all processors together",
        size(LARGE_COPY),
        rate(super::rate(LARGE_COPY, typical(&copied.alone))),
        rate(copied.together())
    );
    let of = |size: &Sized| Some(rate(super::rate(size.bytes, typical(size.stream.as_ref()?))));
    let of_copy = |bytes, samples: &Samples| rate(super::rate(bytes, typical(samples)));
    by_size(&title, all, copied, of, of_copy)
}

/// The time of a message by its size: a colour for a mechanism, dashes on the same processor.
#[expect(clippy::cast_precision_loss, reason = "drawn")]
pub(super) fn figure(all: &[Measured], copied: &Copied) -> Figure {
    let us = |samples: &Samples| typical(samples).as_nanos().max(1) as f64 / 1e3;
    let drawn: Vec<&Measured> = all.iter().filter(|one| one.sizes.len() > 1).collect();
    let times = drawn.iter().flat_map(|one| one.sizes.iter().map(|size| us(&size.message)));
    let copies = copied.sizes.iter().map(|(_, samples)| us(samples));
    let (least, most) = times
        .chain(copies)
        .fold((f64::INFINITY, 0.0_f64), |(least, most), us| (least.min(us), most.max(us)));
    let name = "bytes of the message".to_owned();
    let x = Axis { name, from: 1.0, to: 2_097_152.0, logarithmic: true };
    let y = Axis::factors("time of a message, us", least, most);
    let facts = "half of the time there and back; dashed: to a thread on the same processor";
    let mut chart = Chart::new("Time of a message by its size", facts, x, y);
    let mut names: Vec<&str> = Vec::new();
    for one in drawn {
        let name = one.mechanism.name();
        let place = names.iter().position(|named| *named == name);
        let place = place.unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        let colour = SERIES[place % SERIES.len()];
        let dash = if one.is_other { None } else { Some((8.0, 5.0)) };
        let points: Vec<_> =
            one.sizes.iter().map(|size| (size.bytes as f64, us(&size.message))).collect();
        let name = format!("{name}, {} processor", to(one.is_other));
        chart.line(&points, Stroke { dash, ..solid(colour) }, &name);
    }
    let points: Vec<_> =
        copied.sizes.iter().map(|(bytes, samples)| (*bytes as f64, us(samples))).collect();
    let grey = Stroke { colour: [0x77, 0x77, 0x77], wide: 1.8, dash: Some((2.5, 3.5)) };
    chart.line(&points, grey, "a copy in memory");
    Figure {
        name: "validate-communication".to_owned(),
        caption: "As figure 16 of the paper. On Cm* a message of StarOS took 7.05 ms with one pair of processes, 7.96 ms with two and 9.6 ms with three, whatever its size up to 200 words; a remote procedure call took 49.9 us more for each word (figure 17).".to_owned(),
        picture: chart.finish(),
    }
}

/// Quantiles of all.
pub(super) fn raw(all: &[Measured], copied: &Copied) -> Raw {
    let mut rows = Vec::new();
    let mut add = |mechanism: &str, place: &str, bytes: usize, what: &str, samples: &Samples| {
        let of = [samples.least(), typical(samples), samples.median(), samples.most()];
        let of = of.map(|span| span.as_nanos());
        rows.push(record![
            mechanism,
            place,
            bytes,
            what,
            samples.count(),
            of[0],
            of[1],
            of[2],
            of[3]
        ]);
    };
    for one in all {
        for size in &one.sizes {
            add(one.mechanism.name(), one.place(), size.bytes, "message", &size.message);
            if let Some(stream) = &size.stream {
                add(one.mechanism.name(), one.place(), size.bytes, "stream", stream);
            }
        }
    }
    for (bytes, samples) in &copied.sizes {
        add("copy", "same", *bytes, "alone", samples);
    }
    add("copy", "same", LARGE_COPY, "alone", &copied.alone);
    for samples in &copied.together {
        add("copy", "same", LARGE_COPY, "together", samples);
    }
    let head = "mechanism,processor,bytes,what,batches,least_ns,quarter_ns,median_ns,most_ns";
    Raw::csv("validate-communication", head, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_people_read_sizes_and_rates() {
        assert_eq!(
            [8, 1 << 10, 128 << 10, 32 << 20].map(size),
            ["8 B", "1 KiB", "128 KiB", "32 MiB"]
        );
        let rates = [12_345, 9_990_000, 150_000_000, 1_250_000_000].map(rate);
        assert_eq!(rates, ["12 kB/s", "9.9 MB/s", "150 MB/s", "1.2 GB/s"]);
    }
}

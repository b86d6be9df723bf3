//! Laws for every import and every trace file, made of any bytes.
//!
//! Used by the tests of this folder and by the fuzz targets.

use windfall_trace::codec::{ReadError, Reader};
use windfall_trace::import::{self, Format, ImportError, Report};
use windfall_trace::timeline::{Timeline, What};
use windfall_trace::{Event, Record, ThreadId};

/// An import's records, last words and report.
pub(crate) struct Imported {
    /// The records in order.
    pub(crate) records: Vec<Record>,
    /// The error that ended it, if one did.
    pub(crate) error: Option<ImportError>,
    /// Counts of the lines.
    pub(crate) report: Report,
    /// How many processors the source says it has.
    pub(crate) cpus: u16,
}

/// Imports a text.
pub(crate) fn import(text: &[u8], format: Option<&'static Format>) -> Imported {
    let mut importer = import::open(text, format);
    let (mut records, mut error) = (Vec::new(), None);
    for item in importer.by_ref() {
        assert!(error.is_none(), "records after an error");
        match item {
            Ok(record) => records.push(record),
            Err(last) => error = Some(last),
        }
    }
    assert!(importer.next().is_none());
    let (report, cpus) = (importer.report().clone(), importer.header().cpus);
    Imported { records, error, report, cpus }
}

/// The laws of an import: no panic, records in order of time, each line in one counter, threads
/// declared before they are used, no contradiction among the records, no gap in the timeline.
pub(crate) fn importer_laws(text: &[u8], format: Option<&'static Format>) {
    let Imported { records, error, report, .. } = import(text, format);
    let last_line_ends = text.last().is_none_or(|byte| *byte == b'\n');
    let plain = !text.starts_with(&[0x1f, 0x8b]);
    if plain {
        let feeds = text.iter().filter(|byte| **byte == b'\n').count();
        let lines = feeds + usize::from(!last_line_ends);
        assert_eq!(report.lines, lines as u64, "lines");
    }
    assert!(report.adds_up(), "{report:?}");
    assert!(records.is_sorted_by_key(|record| record.at), "order");
    assert!(error.is_some() || report.imported() + report.not_imported.len() as u64 > 0);
    declared_before_use(&records);
    let lost = records.iter().filter(|record| matches!(record.event, Event::Lost { .. })).count();
    assert!(lost as u64 >= report.mismatches.count, "a mismatch is a loss");
    let timeline = Timeline::build(records.into_iter());
    assert_eq!(timeline.conflicts, 0, "conflicts");
    for cpu in &timeline.cpus {
        let mut end = timeline.from;
        for slice in &cpu.slices {
            assert_eq!(slice.from, end, "gap");
            end = slice.to;
        }
        assert_eq!(end, timeline.to, "end");
        let known = cpu.slices.iter().any(|slice| slice.what != What::Unknown);
        assert!(known || cpu.slices.len() <= 1);
    }
}

/// Ids count up from 0, and none is used before.
fn declared_before_use(records: &[Record]) {
    let mut declared = 0;
    for record in records {
        let used: Vec<ThreadId> = match &record.event {
            Event::Wake { thread, by } => by.iter().copied().chain([*thread]).collect(),
            Event::Switch { prev, next, .. } => {
                prev.iter().map(|(thread, _)| *thread).chain(*next).collect()
            }
            Event::Exit { thread } => vec![*thread],
            Event::Mark { thread, .. } => thread.iter().copied().collect(),
            Event::Thread { thread, .. } => {
                assert!(thread.0 <= declared, "declared out of order");
                declared = declared.max(thread.0 + 1);
                continue;
            }
            _ => continue,
        };
        assert!(used.iter().all(|thread| thread.0 < declared), "{record:?}");
    }
}

/// The laws of a trace file: no panic, records in order of time, and an end that is not calm
/// unless the file is whole.
pub(crate) fn reader_laws(file: &[u8]) {
    let Ok(reader) = Reader::new(file) else { return };
    let (mut last, mut errors) = (None, 0);
    for item in reader {
        match item {
            Ok(record) => {
                assert!(last.is_none_or(|last| last <= record.at), "order");
                last = Some(record.at);
            }
            Err(ReadError::Damaged { .. } | ReadError::LaterKinds { .. }) => errors += 1,
            Err(_) => errors += 1_000_000,
        }
    }
    assert!(errors < 2_000_000, "more than one last word");
}

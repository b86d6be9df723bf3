//! A recording on the way into something else.

use super::{ExportError, Exported, Recorded};
use windfall_trace::{Event, Header, Record, Sink, Source, SourceError};

/// A recording of which the header has been read.
pub(super) struct Reading {
    name: String,
    source: Source,
    header: Header,
    first: Option<Result<Record, SourceError>>,
    records: u64,
    /// Whether it has any record that is more than the note of a loss.
    has_events: bool,
    /// Why it is not whole.
    cut: Option<String>,
}

impl Reading {
    pub(super) fn new(recording: Recorded) -> Reading {
        let Recorded { name, mut source, .. } = recording;
        // The header of a text is complete once a record has been given.
        let first = source.next();
        let header = source.header().clone();
        Reading { name, source, header, first, records: 0, has_events: false, cut: None }
    }

    pub(super) const fn header(&self) -> &Header {
        &self.header
    }

    /// Hands on all records.
    pub(super) fn pour(&mut self, sink: &mut dyn Sink) {
        for record in self.first.take().into_iter().chain(self.source.by_ref()) {
            match record {
                Ok(record) => {
                    sink.record(record.at, &record.event);
                    self.records += 1;
                    self.has_events |= !matches!(record.event, Event::Lost { .. });
                }
                Err(why) => self.cut = Some(why.to_string()),
            }
        }
    }

    /// Adds what was read, and refuses a text of which nothing was understood, and a trace of which nothing could be read.
    pub(super) fn finish(self, exported: &mut Exported) -> Result<(), ExportError> {
        let is_one = match self.source.report() {
            Some(report) => report.imported() > 0,
            None => self.has_events || self.cut.is_none(),
        };
        if !is_one {
            return Err(match self.cut {
                Some(why) => ExportError::Unreadable { name: self.name, why },
                None => ExportError::NoRecording { name: self.name },
            });
        }
        exported.records += self.records;
        exported.cut = exported.cut.take().or(self.cut);
        Ok(())
    }
}

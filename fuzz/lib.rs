//! The laws that the targets check; the same that `cargo test` checks with mutated lines.

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../crates/trace/tests/oracle/mod.rs"]
mod oracle;
#[path = "../crates/scenario/tests/rtapp_laws/mod.rs"]
mod rtapp_laws;

use windfall_trace::import::Format;

/// The laws of importing ftrace text.
pub fn ftrace(text: &[u8]) {
    oracle::importer_laws(text, Some(Format::FTRACE));
}

/// The laws of importing perf text.
pub fn perf(text: &[u8]) {
    oracle::importer_laws(text, Some(Format::PERF));
}

/// The laws of reading a trace file.
pub fn trace(file: &[u8]) {
    oracle::reader_laws(file);
}

/// The laws of reading rt-app's files.
pub fn rtapp(text: &[u8]) {
    rtapp_laws::rtapp_laws(text);
}

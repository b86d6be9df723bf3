//! No input panics, whatever was flipped, cut or spliced (`fuzz/mutate.rs`).

#[path = "../../../fuzz/mutate.rs"]
mod mutate;
mod oracle;

use mutate::fuzz;
use oracle::{import, importer_laws, reader_laws};
use windfall_trace::Sink;
use windfall_trace::codec::Writer;
use windfall_trace::import::Format;

const FTRACE: &str = include_str!("fixtures/ftrace.txt");
const PERF: &str = include_str!("fixtures/perf.txt");

#[test]
fn law_no_ftrace_text_panics() {
    fuzz("import_ftrace", &[FTRACE.as_bytes()], |text| importer_laws(text, Some(Format::FTRACE)));
}

#[test]
fn law_no_perf_text_panics() {
    fuzz("import_perf", &[PERF.as_bytes()], |text| importer_laws(text, Some(Format::PERF)));
}

#[test]
fn law_no_text_panics_while_its_format_is_guessed() {
    let both = format!("{PERF}{FTRACE}");
    fuzz("import_auto", &[both.as_bytes()], |text| importer_laws(text, None));
}

#[test]
fn law_no_packed_text_panics() {
    use ruzstd::encoding::{CompressionLevel::Fastest, compress_to_vec};
    use std::io::Write;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(PERF.as_bytes()).unwrap();
    let (gzip, zstd) = (gzip.finish().unwrap(), compress_to_vec(PERF.as_bytes(), Fastest));
    fuzz("import_packed", &[&gzip, &zstd], |file| {
        let imported = import(file, None);
        assert!(imported.report.adds_up() && imported.records.is_sorted_by_key(|record| record.at));
    });
}

#[test]
fn law_no_trace_file_panics() {
    let mut file = Vec::new();
    let imported = import(FTRACE.as_bytes(), Some(Format::FTRACE));
    let mut writer = Writer::new(&mut file, &windfall_trace::Header::default());
    for record in &imported.records {
        writer.record(record.at, &record.event);
    }
    writer.finish().unwrap();
    fuzz("read_trace", &[&file], reader_laws);
}

#[test]
fn accepts_the_fixtures_whole() {
    for text in [FTRACE, PERF] {
        let imported = import(text.as_bytes(), None);
        assert!(imported.error.is_none() && imported.cpus == 4);
        let report = imported.report;
        let bad = (report.unknown.count, report.malformed.count, report.mismatches.count);
        assert_eq!(bad, (0, 0, 0), "{report:?}");
        assert_eq!(report.not_imported.len(), 1);
    }
}

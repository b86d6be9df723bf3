//! No input panics, whatever was flipped, cut or spliced: the fuzz targets' stable twin.
//!
//! Each test runs for `WINDFALL_FUZZ_SECONDS` (2 unless set) from the seed `WINDFALL_FUZZ_SEED` (1
//! unless set). A failing input is printed by its seed and round, which make it again.

mod oracle;

use oracle::{import, importer_laws, reader_laws, rtapp_laws};
use std::time::{Duration, Instant};
use windfall_trace::Sink;
use windfall_trace::codec::Writer;
use windfall_trace::import::Format;

const FTRACE: &str = include_str!("fixtures/ftrace.txt");
const PERF: &str = include_str!("fixtures/perf.txt");
const RTAPP: &str = include_str!("fixtures/rtapp.json");

/// Bytes that mean something to a parser.
const TELLING: &[u8] = b"0-9[]():.= >\n\x00\xff/+|R";

/// A small generator whose numbers are the same everywhere.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Less than `end`, which may be 0.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).expect("less than end")
    }
}

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// Calls `check` with mutations of `good` until the time is up.
fn mutate(good: &[u8], check: fn(&[u8])) {
    let limit = Duration::from_secs(setting("WINDFALL_FUZZ_SECONDS", 2));
    let seed = setting("WINDFALL_FUZZ_SEED", 1);
    let (begin, mut round) = (Instant::now(), 0_u64);
    while begin.elapsed() < limit {
        round += 1;
        let mut dice = Dice(seed.wrapping_mul(0x1_0000_0001).wrapping_add(round));
        let input = mutation(good, &mut dice);
        let _told = Told { seed, round, input: &input };
        check(&input);
    }
    assert!(limit.is_zero() || round > 10, "{round} rounds only");
}

/// Prints how to make an input again when its check panics.
struct Told<'a> {
    seed: u64,
    round: u64,
    input: &'a [u8],
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let text = String::from_utf8_lossy(self.input);
            eprintln!("seed {}, round {}, input:\n{text}", self.seed, self.round);
        }
    }
}

fn mutation(good: &[u8], dice: &mut Dice) -> Vec<u8> {
    let lines: Vec<&[u8]> = good.split_inclusive(|byte| *byte == b'\n').collect();
    let mut out: Vec<u8> = match dice.below(3) {
        0 => good.to_vec(),
        1 => (0..dice.below(30)).flat_map(|_| lines[dice.below(lines.len())].to_vec()).collect(),
        _ => lines[dice.below(lines.len())].to_vec(),
    };
    for _ in 0..dice.below(6) {
        let (a, b) = (dice.below(out.len()), dice.below(out.len()));
        let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 40));
        match dice.below(7) {
            _ if out.is_empty() => {}
            0 => out[a] ^= 1 << dice.below(8),
            1 => out[a] = TELLING[dice.below(TELLING.len())],
            2 => out.truncate(a),
            3 => drop(out.drain(from..to)),
            4 => {
                let part = out[from..to].to_vec();
                let place = dice.below(out.len());
                drop(out.splice(place..place, part));
            }
            5 => {
                let line = lines[dice.below(lines.len())];
                let part = line[dice.below(line.len())..].to_vec();
                drop(out.splice(a..a, part));
            }
            _ => {
                let digits = b"99999999999999999999";
                drop(out.splice(a..a, digits[..dice.below(digits.len())].to_vec()));
            }
        }
    }
    out
}

#[test]
fn law_no_ftrace_text_panics() {
    mutate(FTRACE.as_bytes(), |text| importer_laws(text, Format::Ftrace));
}

#[test]
fn law_no_perf_text_panics() {
    mutate(PERF.as_bytes(), |text| importer_laws(text, Format::Perf));
}

#[test]
fn law_no_text_panics_while_its_format_is_guessed() {
    let both = format!("{PERF}{FTRACE}");
    mutate(both.as_bytes(), |text| importer_laws(text, Format::Auto));
}

#[test]
fn law_no_rtapp_file_panics() {
    mutate(RTAPP.as_bytes(), rtapp_laws);
}

#[test]
fn law_no_trace_file_panics() {
    let mut file = Vec::new();
    let imported = import(FTRACE.as_bytes(), Format::Ftrace);
    let mut writer = Writer::new(&mut file, &windfall_trace::Header::default());
    for record in &imported.records {
        writer.record(record.at, &record.event);
    }
    writer.finish().unwrap();
    mutate(&file, reader_laws);
}

#[test]
fn accepts_the_fixtures_whole() {
    for text in [FTRACE, PERF] {
        let imported = import(text.as_bytes(), Format::Auto);
        assert!(imported.error.is_none() && imported.cpus == 4);
        let report = imported.report;
        let bad = (report.unknown.count, report.malformed.count, report.mismatches.count);
        assert_eq!(bad, (0, 0, 0), "{report:?}");
        assert_eq!(report.not_imported.len(), 1);
    }
    let file = windfall_trace::import::rtapp::parse(RTAPP).unwrap();
    assert_eq!((file.tasks.len(), file.warnings.len()), (4, 4), "{:?}", file.warnings);
}

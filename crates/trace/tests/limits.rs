//! Damaged parts of a text are left out and reported with their lines; endless input does end.

use std::io::{BufReader, Read, Write};
use windfall_trace::import::{self, Format, Importer, Report, limits};
use windfall_trace::timeline::Timeline;

const IDLE: &str = "prev_comm=swapper/2 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=A next_pid=7 next_prio=120";
const ENTERS: &str = "swapper/2     0/0     [002]  1.000000000: sched:sched_switch: ";
const LEAVES: &str = "A     7/7     [002]  1.001000000: sched:sched_switch: prev_comm=A prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/2 next_pid=0 next_prio=120";

/// A sound recording with `line` between two of its lines.
fn with(line: &str) -> Report {
    let text = format!("{ENTERS}{IDLE}\n{line}\n{LEAVES}\n");
    let mut importer = import::open(text.as_bytes(), Some(Format::PERF));
    let records: Vec<_> = importer.by_ref().map(|record| record.expect("a sound text")).collect();
    let timeline = Timeline::build(records.into_iter());
    assert_eq!((timeline.cpus.len(), timeline.threads.len()), (1, 1), "{line}");
    importer.report().clone()
}

#[test]
fn r0013_a_line_that_is_damaged_is_left_out_and_reported_with_its_number() {
    let long = "x".repeat(limits::NAME + 1);
    let lines = [
        "swapper/2     0/0     [2001]  1.000500000: sched:sched_waking: comm=A pid=7 prio=120 target_cpu=002".to_owned(),
        "swapper/2     0/0     [1024]  1.000500000: sched:sched_waking: comm=A pid=7 prio=120 target_cpu=002".to_owned(),
        format!("A     7/7     [002]  1.000500000: sched:sched_waking: comm={long} pid=9 prio=120 target_cpu=002"),
        format!("{long}     7/7     [002]  1.000500000: sched:sched_waking: comm=A pid=7 prio=120 target_cpu=002"),
        "A     7/7     [002]  1.000500000: sched:sched_waking: comm=B pid=4194305 prio=120 target_cpu=002".to_owned(),
        "CPU:2001 [LOST 3 EVENTS]".to_owned(),
    ];
    for line in &lines {
        let report = with(line);
        let left_out: Vec<u64> =
            report.malformed.first.iter().chain(&report.unknown.first).map(|e| e.line).collect();
        assert_eq!(left_out, [2], "{line}");
        assert!(report.adds_up() && report.lost.is_empty(), "{report:?}");
    }
}

#[test]
fn limit_a_loss_is_of_a_processor_that_there_can_be() {
    for (cpu, told) in [(1023, 1), (1024, 0)] {
        let text = format!("A-7 [002] 1.0: print: x\nCPU:{cpu} [LOST 3 EVENTS]\n");
        let mut importer = import::open(text.as_bytes(), None);
        assert!(importer.by_ref().all(|record| record.is_ok()));
        let report = importer.report();
        assert_eq!((report.loss_lines, report.unknown.count), (told, 1 - told), "{cpu}");
    }
}

#[test]
fn accepts_the_highest_processor_thread_number_and_longest_name() {
    let long = "x".repeat(limits::NAME);
    let text = format!(
        "A     7/7     [1023]  1.000500000: sched:sched_waking: comm={long} pid=4194304 prio=120 target_cpu=002\n"
    );
    let mut importer = import::open(text.as_bytes(), Some(Format::PERF));
    assert!(importer.by_ref().all(|record| record.is_ok()));
    assert_eq!(importer.report().imported(), 1);
}

/// A text that never ends: the same bytes again and again.
struct Endless(&'static [u8], usize);

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        for byte in into.iter_mut() {
            *byte = self.0[self.1 % self.0.len()];
            self.1 += 1;
        }
        Ok(into.len())
    }
}

/// Why the import of `reader` ended, and after how many lines.
fn end(reader: impl Read) -> (String, u64) {
    let mut importer: Importer<_> = import::open(BufReader::new(reader), None);
    let last = importer.by_ref().filter_map(Result::err).last().expect("an error");
    assert!(importer.report().adds_up());
    (last.to_string(), importer.report().lines)
}

#[test]
fn r0013_a_text_without_end_does_end() {
    let (why, lines) = end(Endless(b"\n", 0));
    assert_eq!(lines, limits::LINES_WITHOUT_EVENT + 1);
    assert!(why.contains("no event in more than 100000 lines from line 1 on"), "{why}");
    let (why, lines) = end(Endless(&[0], 0));
    assert!(why.contains("line 1 has more than 1048576 bytes") && lines == 0, "{why}");
}

#[test]
fn r0013_a_little_gzip_that_unpacks_to_much_ends() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(&vec![b'\n'; 4_000_000]).expect("memory");
    let packed = packed.finish().expect("memory");
    assert!(packed.len() < 5_000, "{}", packed.len());
    let (why, lines) = end(&packed[..]);
    assert!(why.contains("no event") && lines < 200_000, "{why}");
}

#[test]
fn refuses_more_threads_than_a_scenario_holds() {
    use std::fmt::Write;
    let mut text = String::new();
    for tid in 1..=limits::THREADS + 2_000 {
        writeln!(text, "A 7/7 [000] 1.{tid:09}: sched:sched_waking: comm=B pid={tid} prio=120")
            .expect("memory");
    }
    let (why, _) = end(text.as_bytes());
    assert!(why.contains("more than 100000 threads"), "{why}");
}

/// zstd's frames by ruzstd's own compressor.
fn frame(text: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
}

#[test]
fn r0013_recordings_compressed_by_zstd_are_read_frame_by_frame() {
    let text = include_bytes!("fixtures/perf.txt");
    let plain: Vec<_> = import::open(&text[..], None).map(Result::unwrap).collect();
    let (first, second) = text.split_at(text.len() / 2);
    let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"xyz"].concat();
    let packed = [frame(first), skipped, frame(b""), frame(second)].concat();
    let read: Vec<_> = import::open(&packed[..], None).map(Result::unwrap).collect();
    assert!(!plain.is_empty() && read == plain);
    // Of one that is cut, or damaged, what came before is there, and an error.
    for (at, cut) in [(packed.len() - 20, true), (frame(first).len() / 2, false)] {
        let mut bad = packed.clone();
        if cut {
            bad.truncate(at)
        } else {
            bad[at] ^= 0x55
        }
        let (why, _) = end(&bad[..]);
        assert!(why.contains("not read completely: damaged zstd"), "{why}");
    }
}

#[test]
fn r0013_a_little_zstd_that_unpacks_to_much_ends() {
    let packed = frame(&vec![b'\n'; 40_000_000]);
    assert!(packed.len() < 100_000, "{}", packed.len());
    let (why, lines) = end(&packed[..]);
    assert!(why.contains("no event") && lines < 200_000, "{why}");
}

use super::*;
use windfall_programs::learn::LearnedThread;
use windfall_trace::ThreadId;

fn learned(threads: &[(&str, u32)]) -> Learned {
    let mut learned = learn(std::iter::empty());
    learned.threads = (0..)
        .zip(threads)
        .map(|(number, (name, tid))| LearnedThread::new(ThreadId(number), *name, *tid))
        .collect();
    learned
}

/// Why a scenario that has so many threads of each name cannot use a recording of these.
fn refused(threads: &[(&str, u32)], wanted: &[(&str, usize)]) -> RecordingError {
    let recording = Recording::of(learned(threads), None, None).unwrap();
    let numbers = wanted.iter().map(|(name, count)| ((*name).to_owned(), 0..*count)).collect();
    perform(&recording, &numbers).unwrap_err()
}

#[test]
fn refuses_recordings_that_a_scenario_cannot_hold() {
    let of = |learned: Learned, failed: Option<&str>| {
        Recording::of(learned, None, failed.map(str::to_owned)).map(|_| ()).unwrap_err()
    };
    assert!(matches!(of(learned(&[]), None), RecordingError::NoThreads));
    assert!(matches!(of(learned(&[]), Some("cut")), RecordingError::Cut(why) if why == "cut"));
    let mut wide = learned(&[("a", 1)]);
    wide.processors = limits::PROCESSORS + 1;
    assert!(matches!(of(wide, None), RecordingError::Processor(limits::PROCESSORS)));
    let all = usize::try_from(limits::THREADS).unwrap();
    let accepted = Recording::of(learned(&vec![("a", 1); all]), None, None);
    assert!(accepted.is_ok());
    let many = of(learned(&vec![("a", 1); all + 1]), None);
    assert!(matches!(many, RecordingError::TooManyThreads(count) if count == all + 1));
}

#[test]
fn refuses_threads_that_a_recording_does_not_have() {
    let threads = [("audio", 1), ("video", 2), ("video", 3)];
    let why = refused(&threads, &[("audo", 1)]);
    assert!(
        matches!(&why, RecordingError::NoSuchThread { nearest: Some(name), names: 2 } if name == "audio")
    );
    let why = refused(&threads, &[("network", 1)]);
    assert!(matches!(why, RecordingError::NoSuchThread { nearest: None, names: 2 }));
    let why = refused(&threads, &[("video", 3)]);
    assert!(matches!(why, RecordingError::TooFew { found: 2, wanted: 3 }));
    let why = refused(&threads, &[("video", 1)]);
    assert!(matches!(&why, RecordingError::Several(tids) if *tids == [2, 3]));
    assert!(why.to_string().ends_with("name one by its number (#2, #3, ...)"), "{why}");
    let why = refused(&threads, &[("audio", 1), ("#1", 1)]);
    assert!(matches!(&why, RecordingError::Shared(name) if name == "audio"), "{why}");
}

#[test]
fn refuses_a_file_that_is_not_there() {
    let mut files = TraceFiles::new(Path::new("/nowhere"));
    for _ in 0..2 {
        let why = files.interrupts("a.wft", 0).unwrap_err();
        assert!(matches!(why, RecordingError::Source(_)), "{why}");
    }
    let why = crate::NoRecordings.interrupts("a.wft", 0).unwrap_err();
    assert!(matches!(why, RecordingError::NotReadHere));
}

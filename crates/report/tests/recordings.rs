//! What one call makes of a recording, from outside.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::path::{Path, PathBuf};
use windfall_report::explain::{self, ExplainError, Reading};
use windfall_report::export::{ExportError, Form, Recorded, export};
use windfall_time::{Instant, Span};
use windfall_trace::codec::{Reader, Writer};
use windfall_trace::explain::{Keep, Kind, Question};
use windfall_trace::{Cpu, Event, Header, Sink, Source, Stop, ThreadId};

/// `audio` runs from 0 ms to 2 ms, and `video` from 3 ms to 9 ms, if they do.
fn trace(threads: &[(u32, &str)], runs: bool) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &Header::new("test", "run", 1));
    let mut record = |ms: u32, event| writer.record(Instant::ZERO + Span::from_millis(ms), &event);
    for (at, (tid, name)) in (0..).zip(threads) {
        let (thread, name) = (ThreadId(at), (*name).to_owned());
        record(0, Event::Thread { thread, tid: *tid, pid: 1, name, node: None });
    }
    let switch = |prev: Option<u32>, next: Option<u32>| Event::Switch {
        cpu: Cpu(0),
        prev: prev.map(|thread| (ThreadId(thread), Stop::Blocked)),
        next: next.map(ThreadId),
    };
    for (thread, from, to) in [(0, 0, 2), (1, 3, 9)].into_iter().filter(|_| runs) {
        record(from, Event::Wake { thread: ThreadId(thread), by: None });
        record(from, switch(None, Some(thread)));
        record(to, switch(Some(thread), None));
    }
    writer.finish().unwrap()
}

fn asked(thread: &str, keep: Keep) -> Result<Reading, ExplainError> {
    let limit = Span::from_millis(5);
    let question = Question::new(thread.into(), keep).longer_than(limit);
    Reading::of_run(question, &trace(&[(1, "audio"), (2, "video")], true))
}

#[test]
fn accepts_a_question_about_a_run_and_answers_as_text_and_json() {
    let miss = asked("video", Keep::Miss(1)).unwrap();
    assert_eq!(explain::json(&miss)["threads"][0]["misses"], 1);
    let text = explain::text(miss, None);
    assert!(text.contains("too long by 1.000ms"), "{text}");
    let all = asked("*", Keep::All).unwrap();
    assert_eq!(explain::worst(&all).as_deref(), Some("video"));
    assert!(explain::text(all, Some(80)).starts_with("THREAD"));
}

#[test]
fn refuses_a_question_that_a_run_does_not_answer() {
    let (thread, misses) = ("video".to_owned(), 1);
    let miss = asked("video", Keep::Miss(2)).unwrap_err();
    assert_eq!(miss, ExplainError::NoMiss { thread: thread.clone(), miss: 2, misses });
    let job = asked("video", Keep::Job(3)).unwrap_err();
    assert_eq!(job, ExplainError::NoJob { thread, kind: Kind::Burst, job: 3, jobs: 1 });
    let several = asked("*", Keep::Miss(1)).unwrap_err();
    assert_eq!(several, ExplainError::Several { thread: "*".to_owned(), threads: 2 });
    let said = asked("adio", Keep::All).unwrap_err().to_string();
    assert_eq!(said, "no thread is called `adio`; did you mean `audio`?");
    let said = asked("O", Keep::All).unwrap_err().to_string();
    assert_eq!(said, "no thread is called `O`; did you mean `audio` or `video`?");
    let said = asked("", Keep::All).unwrap_err().to_string();
    assert_eq!(said, "no thread is called ``; `--thread '*'` lists the 2 names that it has");
}

#[test]
fn refuses_what_has_no_thread() {
    let question = || Question::new("*".into(), Keep::All);
    let none = Reading::of_run(question(), &trace(&[], false)).unwrap_err();
    assert_eq!(none, ExplainError::NotStarted);
    let text = Reading::of_run(question(), b"no trace").unwrap_err();
    assert!(matches!(text, ExplainError::Unreadable(_)), "{text}");
    let text = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let source = Source::open(&text, None).unwrap();
    let text = Reading::of_recording(question(), source).unwrap_err();
    assert!(matches!(text, ExplainError::Unreadable(_)), "{text}");
}

/// A recording in a file of this name.
fn recorded(name: &str, bytes: &[u8]) -> Recorded {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    Recorded::new(name, "title", Source::open(&path, None).unwrap())
}

#[test]
fn accepts_a_recording_and_writes_it_in_each_form() {
    let trace = trace(&[(1, "audio"), (2, "video")], true);
    let records = Reader::new(&trace[..]).unwrap().count() as u64;
    let written = |form, beside: Option<Recorded>| {
        let mut out = Vec::new();
        let exported = export(form, recorded("whole.wft", &trace), beside, &mut out).unwrap();
        (out, exported)
    };
    let (compact, exported) = written(Form::Compact, None);
    assert_eq!((compact == trace, exported.records, exported.cut), (true, records, None));
    let (perfetto, exported) = written(Form::Perfetto, None);
    assert!(perfetto.windows(5).any(|part| part == b"audio") && exported.records == records);
    // What is cut is written as far as it goes, with a record of the loss, and said.
    let cut = recorded("cut.wft", &trace[..trace.len() - 4]);
    let (page, exported) = written(Form::Page, Some(cut));
    assert!(String::from_utf8(page).unwrap().contains("<h1>title and title</h1>"));
    assert_eq!((exported.records, exported.cut.is_some()), (2 * records + 1, true));
}

#[test]
fn refuses_to_export_what_is_no_recording_and_to_forms_that_are_none() {
    for (ending, beside, form) in [
        ("pftrace", false, Some(Form::Perfetto)),
        ("perfetto-trace", false, Some(Form::Perfetto)),
        ("wft", false, Some(Form::Compact)),
        ("html", true, Some(Form::Page)),
        ("htm", false, Some(Form::Page)),
        ("wft", true, None),
        ("txt", false, None),
        ("", false, None),
    ] {
        assert_eq!(Form::of_ending(ending, "out", beside).ok(), form, "{ending}");
    }
    let text = || recorded("text.txt", b"nothing\n");
    let whole = || recorded("first.wft", &trace(&[(1, "audio")], false));
    for form in [Form::Compact, Form::Perfetto, Form::Page] {
        let why = export(form, text(), None, std::io::sink()).unwrap_err();
        assert!(!why.is_of_the_output() && why.to_string().starts_with("text.txt: "), "{why}");
    }
    let why = export(Form::Page, whole(), Some(text()), std::io::sink()).unwrap_err();
    assert!(why.to_string().starts_with("text.txt: "), "{why}");
    let why = export(Form::Compact, whole(), Some(text()), std::io::sink()).unwrap_err();
    assert!(matches!(why, ExportError::Beside), "{why}");
    let mut full = [0; 9];
    let why = export(Form::Compact, whole(), None, &mut full[..]).unwrap_err();
    assert!(why.is_of_the_output(), "{why}");
}

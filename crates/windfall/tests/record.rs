//! Recordings of this machine: what is known to have happened is in them.
//!
//! They need root, or rights that let BPF load or tracepoints be read; without, each test says that it is skipped.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/compiled.rs"]
mod compiled;
#[path = "common/nobody.rs"]
mod nobody;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use windfall_skips::{Needs, skip};
use windfall_time::Span;
use windfall_trace::codec::Reader;
use windfall_trace::timeline::{State, What};
use windfall_trace::{COMMAND, Event, Record, Timeline};

/// Some virtual machines hide what their own agents do: where one leaves a processor, a switch is missing.
/// In any case these are few.
fn fits(timeline: &Timeline) {
    let switches: usize = timeline.cpus.iter().map(|line| line.slices.len()).sum();
    let conflicts = usize::try_from(timeline.conflicts).unwrap();
    assert!(conflicts <= 3 + switches / 50, "{conflicts} of {switches} switches do not fit");
}

/// Tells this program, started anew, to be what is recorded.
const PART: &str = "WINDFALL_TEST_PART";
const PERIODS: u32 = 25;

#[test]
fn part_that_is_recorded() {
    match std::env::var(PART).as_deref() {
        Ok("beat") => beat(),
        Ok("exec") => {
            let thread = std::thread::spawn(|| Command::new("sleep").arg("0.05").exec());
            let error = thread.join();
            panic!("not executed: {error:?}");
        }
        _ => {}
    }
}

/// 2 ms of work and 18 ms of sleep, again and again, in a thread of this name.
fn beat() {
    let work = || {
        for _ in 0..PERIODS {
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_millis(2) {
                std::hint::spin_loop();
            }
            std::thread::sleep(Duration::from_millis(18));
        }
    };
    std::thread::Builder::new().name("beat".to_owned()).spawn(work).unwrap().join().unwrap();
}

/// Whether this machine can be recorded, as a trial finds; says so if not. By BPF it can where no tracefs is mounted.
#[track_caller]
fn able() -> bool {
    static REFUSED: LazyLock<Option<String>> = LazyLock::new(|| {
        let path = scratch("trial.wft");
        let path = path.to_str().unwrap();
        let output = windfall(&["record", "--force", "--for", "1ms", "-o", path]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() {
            Some(0) => None,
            Some(2) if errors.contains("CAP_PERFMON") => Some(errors),
            _ => panic!("{output:?}"),
        }
    });
    if let Some(why) = &*REFUSED {
        skip(Needs::Real, why);
    }
    REFUSED.is_none()
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("record");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn windfall(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_windfall")).args(arguments).output().unwrap()
}

/// Records this program in one of its parts.
fn record(part: &str) -> PathBuf {
    let path = scratch(&format!("{part}.wft"));
    let own = std::env::current_exe().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
    command.args(["record", "--force", "-o"]).arg(&path).arg("--").arg(own);
    command.args(["--exact", "part_that_is_recorded"]).env(PART, part);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let errors = String::from_utf8_lossy(&output.stderr);
    let lost = ["events lost", "LOST: "].iter().any(|said| errors.contains(said));
    assert!(errors.contains("% of a processor at") && lost, "{errors}");
    path
}

fn records(path: &Path) -> Vec<Record> {
    let reader = Reader::new(BufReader::new(File::open(path).unwrap())).unwrap();
    reader.map(|record| record.unwrap()).collect()
}

#[test]
fn law_a_known_program_is_recorded_as_it_ran() {
    if !able() {
        return;
    }
    let records = records(&record("beat"));
    let timeline = Timeline::build(records.iter().cloned());
    fits(&timeline);
    let node = records.iter().find_map(|record| match &record.event {
        Event::Node { node, kind, .. } if kind == COMMAND => Some(*node),
        _ => None,
    });
    let line = timeline.threads.iter().find(|line| line.name == "beat").unwrap();
    assert!(line.node.is_some() && line.node == node);
    let ran = |state: &State| matches!(state, State::Running(_));
    let bursts = line.stretches.iter().filter(|stretch| ran(&stretch.state)).count();
    let work = line.stretches.iter().filter(|stretch| ran(&stretch.state));
    let work = work.fold(Span::ZERO, |sum, stretch| sum.saturating_add(stretch.span()));
    let wakes = records.iter().filter(|record| match record.event {
        Event::Wake { thread, .. } => thread == line.id,
        _ => false,
    });
    let wakes = wakes.count();
    // Each period has a wake-up, but the first may be its start; others may break a burst in two.
    let periods = usize::try_from(PERIODS).unwrap();
    assert!(
        wakes >= periods && bursts >= periods,
        "{bursts} bursts, {wakes} wake-ups of {PERIODS}"
    );
    assert!(work > Span::from_millis(30) && work < Span::from_millis(100), "{work}");

    // Others are there, too, and not taken for the command's.
    let others = timeline.threads.iter().filter(|line| line.node.is_none());
    assert!(others.count() > 10);
}

#[test]
fn law_each_processors_time_is_conserved() {
    if !able() {
        return;
    }
    let path = scratch("machine.wft");
    let output = windfall(&["record", "--force", "--for", "300ms", "-o", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let records = records(&path);
    let timeline = Timeline::build(records.iter().cloned());
    fits(&timeline);
    assert!(timeline.span() >= Span::from_millis(300), "{}", timeline.span());
    for line in &timeline.cpus {
        let sum =
            line.slices.iter().fold(Span::ZERO, |sum, slice| sum.saturating_add(slice.span()));
        assert_eq!(sum, timeline.span(), "processor {}", line.cpu.0);
        // Who runs at the start is known: idle is not unknown.
        let first = line.slices.first().filter(|slice| slice.what == What::Unknown);
        assert_eq!(first, None, "processor {}", line.cpu.0);
    }
    let online = std::thread::available_parallelism().unwrap().get();
    assert!(timeline.cpus.len() >= online);
    let declared: BTreeSet<u32> = records
        .iter()
        .filter_map(|record| match record.event {
            Event::Thread { thread, .. } => Some(thread.0),
            _ => None,
        })
        .collect();
    assert_eq!(declared.len(), timeline.threads.len());
}

#[test]
fn law_a_thread_that_executes_a_program_goes_on_under_its_process_number() {
    if !able() {
        return;
    }
    let timeline = Timeline::build(records(&record("exec")).into_iter());
    let own = |name: &str| {
        let of_command = timeline.threads.iter().filter(|line| line.node.is_some());
        of_command.filter(|line| line.name == name).collect::<Vec<_>>()
    };
    let slept = own("sleep");
    assert_eq!(slept.len(), 1, "{slept:?}");
    assert_eq!(slept[0].tid, slept[0].pid, "it has its process' number");
    fits(&timeline);
}

#[test]
fn accepts_its_own_recordings_for_import_simulation_and_export() {
    if !able() {
        return;
    }
    let path = scratch("round.wft");
    let trace = path.to_str().unwrap();
    let program = "i=0; while [ $i -lt 20 ]; do i=$((i+1)); sleep 0.01; done";
    let output = windfall(&["record", "--force", "-o", trace, "--", "sh", "-c", program]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let scenario = scratch("round.toml");
    let output = windfall(&["import", "--force", trace, "-o", scenario.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = std::fs::read_to_string(&scenario).unwrap();
    assert!(text.contains("sleep") && !text.contains("ksoftirqd"), "{text}");
    let output = windfall(&["simulate", scenario.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let again = scratch("again.wft");
    let output = windfall(&["export", "--force", trace, again.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(std::fs::read(&path).unwrap() == std::fs::read(&again).unwrap());
    let shown = scratch("round.pftrace");
    let output = windfall(&["export", "--force", trace, shown.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(shown.metadata().unwrap().len() > 1_000);
    let output = windfall(&["export", trace, "round.txt"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn status_is_that_of_the_command() {
    if !able() {
        return;
    }
    let path = scratch("status.wft");
    let status = |options: &[&str], command: &[&str]| {
        let all = [&["record", "--force", "-o", path.to_str().unwrap()], options, &["--"], command]
            .concat();
        windfall(&all).status.code()
    };
    assert_eq!(status(&[], &["sh", "-c", "exit 7"]), Some(7));
    assert_eq!(status(&[], &["sh", "-c", "kill -9 $$"]), Some(137));
    let before = std::fs::read(&path).unwrap();
    assert_eq!(status(&[], &["/nonexistent/program"]), Some(127));
    assert_eq!(status(&[], &["/etc/passwd"]), Some(126));
    assert!(std::fs::read(&path).unwrap() == before, "what cannot be started is not recorded");
    assert_eq!(status(&["--for", "50ms"], &["sleep", "600"]), Some(0));
}

/// Standard output is for the document, whichever it is; what the command prints goes to standard error.
#[test]
fn law_what_a_command_prints_is_no_part_of_a_document_on_standard_output() {
    if !able() {
        return;
    }
    let path = scratch("document.wft");
    let path = path.to_str().unwrap();
    let command = ["--", "echo", "a  b"];
    for options in [&["record", "--json", "--force", "-o", path][..], &["calibrate", "--json"]] {
        let output = windfall(&[options, &command].concat());
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["windfall"], 2, "{document:#}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.lines().any(|line| line == "a  b"), "{errors}");
    }
    let output = windfall(&[&["record", "-o", "-"][..], &command].concat());
    let mut records = Reader::new(&output.stdout[..]).unwrap();
    assert!(records.next().is_some() && records.all(|record| record.is_ok()), "{output:?}");
    let output = windfall(&[&["record", "--force", "-o", path][..], &command].concat());
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        printed.starts_with("a  b\nwrote "),
        "without a document it is the command's: {printed}"
    );
}

#[test]
fn refuses_without_rights_and_names_what_is_missing() {
    let path = std::env::temp_dir().join(format!("windfall-refused-{}.wft", std::process::id()));
    let arguments = ["record", "--for", "10ms", "-o", path.to_str().unwrap()];
    let Some(output) = nobody::run(&arguments) else { return };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    for word in ["CAP_PERFMON", "perf_event_paranoid", "windfall import"] {
        assert!(errors.contains(word), "{errors}");
    }
}

#[test]
fn law_calibration_finds_a_known_period_and_its_profile_holds_for_that_executable() {
    if !able() {
        return;
    }
    let folder = scratch("config");
    let own = std::env::current_exe().unwrap();
    let own = own.to_str().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
        command.args(arguments).env(PART, "beat").env("XDG_CONFIG_HOME", &folder).output().unwrap()
    };
    let words = ["calibrate", "--save", "beat", "--", own, "--exact", "part_that_is_recorded"];
    let calibrated = || {
        let _ = std::fs::remove_dir_all(&folder);
        let output = run(&words);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text.lines().find(|line| line.starts_with("beat")).unwrap_or_default();
        let period = line.split_whitespace().nth(3).and_then(|word| word.parse::<Span>().ok());
        let near = |period: Span| (Span::from_millis(19)..Span::from_millis(26)).contains(&period);
        // The rest of the machine may be so busy that the beat is lost; that is said, and is no period.
        (period.is_none_or(near), line.to_owned(), text, output)
    };
    // It may also delay every other beat, so that two beats are a period.
    let mut last = calibrated();
    for _ in 0..2 {
        last = if last.0 { last } else { calibrated() };
    }
    let (found, line, text, output) = last;
    assert!(found, "{text}");
    assert!(text.contains("distinguished by") && text.contains("x 1.20"), "{text}");

    let scenario = |program: &str| {
        let path = scratch("profile.toml");
        let text = format!(
            "schema = 2\nseed = 1\nlength = \"100ms\"\n[schedulers.res]\nscheduler = \"rez\"\nparent = \"top\"\n\
             [threads.a]\nparent = \"res\"\nexec = [\"{program}\"]\nprofile = \"beat\"\nmatch = {{ comm = \"beat\" }}\n"
        );
        std::fs::write(&path, text).unwrap();
        run(&["simulate", path.to_str().unwrap()])
    };
    let refused = scenario("/bin/sh");
    let errors = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        refused.status.code() == Some(2) && errors.contains("the program has changed"),
        "{errors}"
    );
    if output.status.code() == Some(0) && line.contains("periods") {
        let output = scenario(own);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("RESBH"), "{output:?}");
    }
}

#[test]
fn paper_threads_of_one_name_are_told_apart_by_their_start_routines() {
    let Some(program) = compiled::compile("twins", "twins").filter(|_| able()) else { return };
    let folder = scratch("twins-config");
    let _ = std::fs::remove_dir_all(&folder);
    let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
    command.args(["calibrate", "--save", "twins", "--"]).arg(&program);
    let output = command.env("XDG_CONFIG_HOME", &folder).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if text.contains("start routines are not known") {
        return skip(Needs::Bpf, text);
    }
    let profile = std::fs::read_to_string(folder.join("windfall/profiles/twins.toml")).unwrap();
    for (routine, known) in [("twins:fast", 10_000_000_u64), ("twins:slow", 25_000_000)] {
        let line = text.lines().find(|line| line.starts_with("twin ") && line.contains(routine));
        let line = line.unwrap_or_else(|| panic!("no {routine}: {text}"));
        // The rest of the machine may be so busy that a beat is lost; that is said, and is no period.
        let period = line.split_whitespace().nth(3).and_then(|word| word.parse::<Span>().ok());
        let near = |period: Span| period.as_nanos().abs_diff(known) * 100 <= known;
        assert!(period.is_none_or(near), "{text}");
        assert!(profile.contains(&format!("routine = \"{routine}\"")), "{profile}");
    }

    // A scenario says by its routine which of the two is meant, in a simulation as in a run.
    let scenario = scratch("twins.toml");
    let entry = |only: &str| {
        let program = program.display();
        let text = format!(
            "schema = 2\nseed = 1\nlength = \"100ms\"\n[schedulers.res]\nscheduler = \"rez\"\nparent = \"top\"\n\
             [threads.a]\nparent = \"res\"\nexec = [\"{program}\"]\nprofile = \"twins\"\nmatch = {{ {only} }}\n"
        );
        std::fs::write(&scenario, text).unwrap();
    };
    let answer = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
        command.args(arguments).arg(&scenario).env("XDG_CONFIG_HOME", &folder);
        let output = command.output().unwrap();
        let [out, errors] =
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        (output.status.code(), out + &errors)
    };
    if profile.matches("period = ").count() < 2 {
        return;
    }
    entry("comm = \"twin\"");
    let (status, both) = answer(&["simulate"]);
    assert!(status == Some(2) && both.contains("several kinds"), "{both}");
    entry("comm = \"twin\", routine = \"*:slow\"");
    let (status, slow) = answer(&["simulate"]);
    assert!(status == Some(0) && slow.contains("RESBH"), "{slow}");
    let (status, would) = answer(&["run", "--dry-run"]);
    assert!(
        status == Some(0) && would.contains("`a` would get threads that start at `*:slow`"),
        "{would}"
    );
}

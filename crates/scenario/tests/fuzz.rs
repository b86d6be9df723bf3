//! No input panics: mutated scenarios, profiles, rt-app files, and recordings that become scenarios (`fuzz/mutate.rs`).
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

#[path = "../../../fuzz/mutate.rs"]
mod mutate;
mod rtapp_laws;

use mutate::{fuzz, fuzz_with};
use rtapp_laws::rtapp_laws;
use windfall_programs::learn::learn;
use windfall_scenario::{Diagnostics, Profile, Recording, Reserving, Scenario, import};
use windfall_schedulers::kinds;
use windfall_trace::import::open;

/// Pieces that mean something somewhere.
const WORDS: [&str; 48] = [
    "=",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "\n",
    ".",
    ",",
    "-1",
    "0",
    "99999999999999999999",
    "\"0ms\"",
    "\"1ns\"",
    "\"584y\"",
    "\"18446744073709551615ns\"",
    "1.5",
    "true",
    "\"top\"",
    "\"\"",
    "\"join\"",
    "\"limit\"",
    "\"rez\"",
    "[schedulers.x]",
    "[threads.\"\"]",
    "[[at]]",
    "[[expect]]",
    "parent",
    "parents",
    "count = 4294967295",
    "processors = 65535",
    "\"RESBH 1ns 1ns\"",
    "\"PS 1/65537\"",
    "\"1ms..0ms\"",
    "\"*.received\"",
    "\u{1F600}",
    "\r\n",
    "\t",
    "inherits = \"x\"",
    "\"100/3%cpu\"",
    "reserve = \"1ms/2ms\"",
    "guarantee = \"RESBS 1ms 3ms\"",
    "RESCH",
    "PSBE 1/3 1ms",
    "share = 3",
    "scheduler = \"rez\"",
    "profile = \"p\"",
    "0000",
];

/// The scenarios of the repository, and one with every key.
fn scenarios() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut all: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .collect();
    all.push(include_str!("everything.toml").to_owned());
    all.sort();
    all
}

/// Calls `check` with mutated scenarios, read with the first of all as the one that they inherit from.
fn mutated(target: &str, mut check: impl FnMut(Result<Scenario, Diagnostics>)) {
    let all = scenarios();
    let sound: Vec<&[u8]> = all.iter().map(String::as_bytes).collect();
    let words: Vec<&[u8]> = WORDS.iter().map(|word| word.as_bytes()).collect();
    fuzz_with(target, &sound, &words, |text| {
        let text = String::from_utf8_lossy(text);
        check(Scenario::parse_with("f.toml", &text, |name| Ok((name.to_owned(), all[0].clone()))));
    });
}

/// A refusal has words in all forms.
fn refused(mistakes: &Diagnostics) {
    assert!(!mistakes.render(true).is_empty() && !mistakes.render(false).is_empty());
    assert!(!mistakes.to_json().is_empty());
}

#[test]
fn law_no_text_panics() {
    let (mut accepted, mut other) = (0, 0);
    mutated("scenario", |read| {
        let sound = match &read {
            Err(mistakes) => Err(mistakes.clone()),
            Ok(scenario) => {
                let again = Scenario::parse("g.toml", &scenario.write());
                let again = again.unwrap_or_else(|mistakes| panic!("{mistakes}"));
                assert_eq!(again, *scenario);
                scenario.build().map(drop)
            }
        };
        match sound {
            Ok(()) => accepted += 1,
            Err(mistakes) => {
                other += 1;
                refused(&mistakes);
            }
        }
    });
    // Against vacuity: both happen.
    assert!(accepted > 0 && other > 0, "{accepted} accepted, {other} refused");
}

#[test]
fn law_no_promise_panics_whether_it_is_granted_or_refused() {
    let (mut granted, mut other) = (0, 0);
    mutated("check", |read| {
        let Ok(scenario) = read else { return };
        if scenario.check().is_err() {
            return;
        }
        let promises = scenario.promises();
        let refused: Vec<usize> = promises.refused().collect();
        for vp in &refused {
            let _ = promises.refusal(*vp);
        }
        for scheduler in &scenario.schedulers {
            let _ = scenario.application(&scheduler.name);
        }
        *(if refused.is_empty() { &mut granted } else { &mut other }) += 1;
    });
    assert!(granted > 0 && other > 0, "{granted} granted, {other} refused");
}

const PROFILE: &[u8] = br#"version = 1
executable = "/usr/bin/x"
sha256 = "00"
kernel = "6.1"
watched = "10s"
chosen = "most"
lost = 0

[[threads]]
name = "audio"
routine = "x:decode"
count = 2
period = "10ms"
amount = "1ms"
confidence = "0.98"
periods = 100
need = ["1ms", "1ms", "1ms"]

[libraries]
"libc.so" = "00"
"#;

#[test]
fn law_no_profile_panics() {
    let mut sound = 0;
    fuzz("profile", &[PROFILE], |text| {
        let text = String::from_utf8_lossy(text);
        match Profile::parse(&text) {
            Ok(profile) => {
                sound += 1;
                assert_eq!(Profile::parse(&profile.write()).unwrap(), profile);
            }
            Err(why) => assert!(!why.to_string().is_empty()),
        }
    });
    assert!(sound > 0);
}

#[test]
fn law_whatever_a_recording_holds_the_scenario_made_of_it_is_accepted() {
    const TEXTS: [&[u8]; 2] = [
        include_bytes!("../../trace/tests/fixtures/ftrace.txt"),
        include_bytes!("../../trace/tests/fixtures/perf.txt"),
    ];
    let mut sound = 0;
    fuzz("imported", &TEXTS, |text| {
        let mut importer = open(text, None);
        let learned = learn(importer.by_ref().map_while(Result::ok));
        let Ok(recording) = Recording::of(learned, Some(importer.report().clone()), None) else {
            return;
        };
        for reserving in [Reserving::Nobody, Reserving::Periodic] {
            let scenario = import(&recording, "a.perf", reserving, kinds::TIME_SHARING).scenario;
            let again = Scenario::parse("again.toml", &scenario.write());
            let again = again.unwrap_or_else(|why| panic!("{}", why.render(false)));
            assert_eq!(again, scenario);
            again.check().unwrap_or_else(|why| panic!("{}", why.render(false)));
            assert_eq!(again.promises().refused().count(), 0);
            sound += 1;
        }
    });
    assert!(sound > 0);
}

const RTAPP: &str = include_str!("fixtures/rtapp.json");

#[test]
fn law_no_rtapp_file_panics() {
    fuzz("import_rtapp", &[RTAPP.as_bytes()], rtapp_laws);
}

#[test]
fn accepts_the_fixture_of_rtapp_whole() {
    let file = windfall_scenario::rtapp::parse(RTAPP).unwrap();
    assert_eq!((file.tasks.len(), file.warnings.len()), (4, 4), "{:?}", file.warnings);
}

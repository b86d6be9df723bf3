//! No input panics: mutated scenarios, for `WINDFALL_FUZZ_SECONDS` seconds (2 when unset).
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::time::{Duration, Instant};
use windfall_programs::Random;
use windfall_scenario::Scenario;

/// Pieces that mean something somewhere.
const WORDS: [&str; 40] = [
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
];

fn mutated(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    let cut = |text: &str, random: &mut Random| {
        let at = usize::try_from(random.between(0, text.len() as u64)).unwrap_or(0);
        (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
    };
    for _ in 0..random.between(1, 6) {
        let (a, b) = (cut(&text, random), cut(&text, random));
        let (a, b) = (a.min(b), a.max(b).min(a.min(b) + 40));
        let b = (a..=b).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(a);
        match random.between(0, 3) {
            0 => text.replace_range(a..b, ""),
            1 => {
                let word = WORDS[usize::try_from(random.between(0, 39)).unwrap_or(0)];
                text.replace_range(a..b, word);
            }
            2 => {
                let part = text[a..b].to_owned();
                let at = cut(&text, random);
                text.insert_str(at, &part);
            }
            _ => {
                let lines: Vec<&str> = text.lines().collect();
                let pick = random.between(0, lines.len().saturating_sub(1) as u64);
                let line = lines.get(usize::try_from(pick).unwrap_or(0)).copied().unwrap_or("");
                text = format!("{text}\n{line}\n");
            }
        }
    }
    text
}

#[test]
fn law_no_text_panics() {
    let seconds = std::env::var("WINDFALL_FUZZ_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse().ok()).unwrap_or(2);
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut corpus: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .collect();
    corpus.push(include_str!("everything.toml").to_owned());
    corpus.sort();
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut random = Random::new(42);
    let (mut accepted, mut refused) = (0, 0);
    while Instant::now() < end {
        let pick = random.between(0, corpus.len() as u64 - 1);
        let text = mutated(&corpus[usize::try_from(pick).unwrap()], &mut random);
        let base = corpus[0].clone();
        let told = |result: Result<(), windfall_scenario::Diagnostics>| match result {
            Ok(()) => true,
            Err(mistakes) => {
                assert!(!mistakes.render(true).is_empty() && !mistakes.render(false).is_empty());
                assert!(!mistakes.to_json().is_empty());
                false
            }
        };
        let read = Scenario::parse_with("f.toml", &text, |name| Ok((name.to_owned(), base)));
        let sound = match read {
            Err(mistakes) => told(Err(mistakes)),
            Ok(scenario) => {
                let again = Scenario::parse("g.toml", &scenario.write());
                let again = again.unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"));
                assert_eq!(again, scenario);
                told(scenario.build().map(drop))
            }
        };
        *(if sound { &mut accepted } else { &mut refused }) += 1;
    }
    // Against vacuity: both happen.
    assert!(accepted > 0 && refused > 0, "{accepted} accepted, {refused} refused");
}

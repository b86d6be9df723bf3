//! The suite on this machine, and on simulated ones with planted faults.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod common;

use common::stands;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use windfall_lab::validate::{
    Earlier, Level, Limit, Need, Options, page, part_names, results, validate,
};
use windfall_os::sched::Affinity;
use windfall_time::Span;

fn options(progress: impl Fn(&str) + Send + Sync + 'static) -> Options {
    Options {
        length: Span::from_millis(600),
        quick: true,
        parts: Vec::new(),
        needs: Vec::new(),
        limits: Vec::new(),
        incidents: None,
        progress: Arc::new(progress),
        stopped: Arc::default(),
    }
}

#[test]
fn law_each_planted_fault_is_found_and_named_and_a_sound_machine_has_none() {
    let findings = stands("validate-planted");
    assert!(!findings.tables[0].rows.is_empty());
}

#[test]
fn law_what_was_measured_here_can_be_read_again_and_is_no_worse_than_itself() {
    let parts = Arc::new(AtomicU32::new(0));
    let counted = parts.clone();
    let count = move |_: &str| _ = counted.fetch_add(1, Ordering::Relaxed);
    let need: Need = "1us/10ms".parse().unwrap();
    let mut found = validate(&Options { needs: vec![need], ..options(count) }).unwrap();
    assert!(parts.load(Ordering::Relaxed) as usize >= part_names().count());
    assert!(found.metrics().count() >= 10);
    let opening = found.sentences().first().map(|(_, sentence)| sentence.level);
    assert!(opening <= found.sentences().last().map(|(_, sentence)| sentence.level));
    let json = results::json(&found).to_string();
    let earlier = Earlier::read("this.json", &json).unwrap();
    found.compare(&earlier);
    let said = &found.compared.last().unwrap();
    assert!(said.level == Level::Fact && said.text.starts_with("None of "), "{said:?}");
    let text = results::text(&found, Some(80));
    assert!(text.contains("timing: ") && text.contains("1 us of work in every 10 ms"), "{text}");
    for part in ["communication", "calls", "skew"] {
        let of = |name: &str| name.split('.').next() == Some(part);
        let metrics = found.metrics().filter(|metric| of(&metric.name)).count();
        // On a loaded machine a search may come to nothing, and says so.
        let kept = |why: &str| part == "skew" && why.starts_with("others kept replicas");
        let unfound = found.undone().filter(|one| kept(&one.why)).count();
        assert!(metrics + unfound >= 5, "{part}");
    }
    let page = page(&found);
    assert!(page.contains("What this machine can be trusted with") && page.contains("<svg"));
}

#[test]
fn limit_one_processor_what_needs_two_is_named_and_the_rest_is_measured() {
    let found = std::thread::spawn(|| {
        let own = Affinity::of(0).unwrap();
        let first = (0..1024).find(|processor| own.has(*processor)).unwrap();
        Affinity::one(first).give(0).unwrap();
        let parts = ["communication", "calls"].map(str::to_owned).to_vec();
        validate(&Options { parts, ..options(|_| ()) }).unwrap()
    });
    let found = found.join().unwrap();
    let undone: Vec<_> = found.undone().map(|one| one.what.as_str()).collect();
    assert_eq!(undone.len(), 2, "{undone:?}");
    assert!(undone[0].contains("another processor") && undone[1].contains("at once"), "{undone:?}");
    let names: Vec<_> = found.metrics().map(|metric| metric.name.as_str()).collect();
    assert!(names.contains(&"communication.latency.pipe.same"), "{names:?}");
    assert!(names.contains(&"calls.gettid") && names.iter().all(|name| !name.contains("other")));
}

#[test]
fn refuses_parts_that_do_not_exist() {
    let silent = |_: &str| ();
    let unknown = Options { parts: vec!["sped".to_owned()], ..options(silent) };
    let said = validate(&unknown).unwrap_err().to_string();
    assert!(said.contains("no part is called `sped`") && said.contains("speed"), "{said}");
}

#[test]
fn law_a_limit_on_what_does_not_exist_is_a_fault_beside_what_was_measured() {
    let limit: Limit = "speed.tusk.cpu0=5".parse().unwrap();
    let parts = vec!["speed".to_owned()];
    let silent = |_: &str| ();
    let unknown = Options { parts, limits: vec![limit], ..options(silent) };
    let found = validate(&unknown).unwrap();
    assert!(!found.is_sound() && found.metrics().count() > 0);
    let said = &found.compared[0];
    assert!(said.text.contains("No metric `speed.tusk.cpu0`"), "{said:?}");
    assert!(said.remedies[0].contains("speed.task.cpu"), "{said:?}");
}

#[test]
fn accepts_the_limit_that_the_refusal_of_another_shows() {
    let why = "wake".parse::<Limit>().unwrap_err().to_string();
    let shown = why.split('`').find(|words| words.contains('=')).unwrap();
    let limit: Limit = shown.parse().unwrap();
    // The number of a processor may be another here.
    let parts = vec!["timing".to_owned()];
    let silent = |_: &str| ();
    let found = validate(&Options { parts, ..options(silent) }).unwrap();
    let (name, _) = limit.metric.split_once(".cpu").unwrap();
    assert!(found.metrics().any(|metric| metric.name.starts_with(name)), "{name}");
}

#[test]
fn law_a_limit_that_is_not_kept_is_a_fault() {
    let silent = |_: &str| ();
    let limit = |text: &str| text.parse::<Limit>().unwrap();
    let mut of = options(silent);
    of.parts = vec!["conditions".to_owned()];
    let name = {
        let found = validate(&of).unwrap();
        let metric = found.metrics().find(|metric| metric.name.contains("interrupt-max")).unwrap();
        metric.name.clone()
    };
    of.limits = vec![limit(&format!("{name}={}", u64::MAX))];
    let kept = validate(&of).unwrap();
    assert!(kept.compared.iter().all(|one| one.level == Level::Fact));
    of.limits = vec![limit(&format!("{name}=0"))];
    let missed = validate(&of).unwrap();
    assert!(!missed.is_sound() && missed.compared[0].text.contains("at most 0"));
}

#[test]
fn law_a_suite_that_is_ended_has_what_was_measured_until_then() {
    let stopped = Arc::new(AtomicBool::new(false));
    let (parts, ends) = (AtomicU32::new(0), stopped.clone());
    let first_ends = move |_: &str| {
        let is_first = parts.fetch_add(1, Ordering::Relaxed) == 0;
        ends.fetch_or(is_first, Ordering::Relaxed);
    };
    let hour = Span::from_secs(3_600);
    let long = Options {
        length: hour,
        parts: vec!["timing".to_owned(), "speed".to_owned()],
        stopped,
        ..options(first_ends)
    };
    let found = validate(&long).unwrap();
    assert!(found.is_stopped && found.parts.len() == 1, "{}", found.parts.len());
    assert!(found.sentences().iter().any(|(_, one)| one.text.contains("ended before")));
}

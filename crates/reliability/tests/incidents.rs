//! Files of incidents and what a machine says: what is read, and what is refused, with its place and what is allowed.

use windfall_reliability::sources::{Found, SourceError, edac, journal, machine_checks};
use windfall_reliability::{
    Confidence, Exponential, Incident, Incidents, IncidentsError, Kind, Mean, Place, Weibull,
    Window,
};
use windfall_time::{Instant, Span};

const FILE: &str = "\
# node a, first month
window 1000 2000

1100 failure power supply
1200.5 error EDAC mc0: 1 corrected
1970-01-01T00:25:00Z failure
1900 error
";

fn at(seconds: u64) -> Instant {
    Instant::from_nanos(seconds * 1_000_000_000)
}

fn window() -> Window {
    Window::new(at(1_000), at(2_000)).expect("it ends after it begins")
}

#[test]
fn accepts_a_file_and_reads_its_spans_the_last_of_which_is_cut_off() {
    let incidents = Incidents::read(FILE).unwrap();
    assert_eq!((incidents.list().len(), incidents.window()), (4, window()));
    assert_eq!(incidents.list()[0], Incident::new(at(1_100), Kind::Failure, "power supply"));
    let seconds = |spans: &[Span]| spans.iter().map(|span| span.as_secs_f64()).collect::<Vec<_>>();
    let failures = incidents.sample(Kind::Failure);
    assert_eq!(seconds(failures.ended()), [100.0, 400.0]);
    assert_eq!(seconds(failures.censored()), [500.0]);
    let errors = incidents.sample(Kind::Error);
    assert_eq!(seconds(errors.ended()), [200.5, 699.5]);
    let fit = Exponential::fit(&failures, Confidence::USUAL).unwrap();
    let Mean::Estimate(mttf) = fit.mean() else { panic!("{}", fit.mean()) };
    assert_eq!(mttf.value, 500.0);
}

#[test]
fn law_the_spans_of_a_kind_fill_the_window() {
    let incidents = Incidents::read(FILE).unwrap();
    for (kind, _) in Kind::ALL {
        let sample = incidents.sample(kind);
        let spans = sample.ended().iter().chain(sample.censored());
        let total = spans.fold(Span::ZERO, |total, span| total + *span);
        assert_eq!(total, incidents.window().length());
    }
}

#[test]
fn accepts_none_where_it_is_said_and_then_only_a_bound_is_known() {
    let incidents = Incidents::read("window 0 3000\nnone\n").unwrap();
    assert!(incidents.list().is_empty());
    let fit = Exponential::fit(&incidents.sample(Kind::Failure), Confidence::USUAL).unwrap();
    assert_eq!(fit.mean().to_string(), "at least 16.69 min");
}

#[test]
fn refuses_what_is_no_file_of_incidents_with_the_line_and_what_is_allowed() {
    for (text, words) in [
        ("", "no window of observation; the first line must be `window BEGIN END`"),
        ("1100 failure", "line 1: `1100 failure` before any window; allowed: `window BEGIN END`"),
        ("window 2000 1000", "a window from 2000 to 1000 ends before"),
        ("window 1000 1000", "its end must be after its begin"),
        ("window 1000 soon", "line 1: `soon` is no time; allowed: seconds since 1970"),
        ("# x\nwindow 2 1", "line 2: a window from 2 to 1 ends before"),
        ("window 1000 2000", "no incident; if none occurred in the window, write the line `none`"),
        ("window 1000 2000\nnone\n1100 error", "line 2: `none`, but there are 1 incidents"),
        (
            "window 1000 2000\n1200 error\n#\n1100 error",
            "line 4: 1100 s is before 1200 s above it; incidents must be in order of time",
        ),
        (
            "window 1000 2000\n2000.5 error",
            "line 2: 2000.500000000 s is after the window; allowed: up to its end at 2000 s",
        ),
        ("window 1000 2000\n999 error", "line 2: 999 s is before the window; allowed: from"),
        (
            "window 1000 2000\n1100 crash x",
            "line 2: `crash` is no kind of incident; allowed: failure, error",
        ),
        ("window 1000 2000\n1100", "line 2: `` is no kind of incident"),
        (
            "window 1000 2000\n11:00 error",
            "line 2: `11:00` is no time; allowed: seconds since 1970 as",
        ),
    ] {
        let error = Incidents::read(text).unwrap_err().to_string();
        assert!(error.contains(words), "{text:?}: {error}");
    }
}

#[test]
fn accepts_incidents_at_both_ends_and_at_one_time() {
    let text = "window 1000 2000\n1000 error\n1500 error\n1500 failure\n2000 error\n";
    let incidents = Incidents::read(text).unwrap();
    assert_eq!((incidents.count(Kind::Error), incidents.count(Kind::Failure)), (3, 1));
    // The first ends no span: it is where observation begins.
    assert_eq!(incidents.sample(Kind::Error).events(), 2);
    assert!(incidents.sample(Kind::Error).censored().is_empty());
}

#[test]
fn law_an_incident_without_a_span_before_it_spoils_no_fit() {
    let text = "window 0 100\n0 error\n10 error\n10 error\n30 error\n90 error\n90 failure\n";
    let incidents = Incidents::read(text).unwrap();
    let sample = incidents.sample(Kind::Error);
    assert_eq!(sample.ended(), [10, 20, 60].map(Span::from_secs));
    assert!(Weibull::fit(&sample, Confidence::USUAL).is_ok());
    assert_eq!(incidents.count(Kind::Error), 5);
}

#[test]
fn refuses_a_list_by_the_place_of_the_incident() {
    let list = |times: &[u64]| {
        let incidents = times.iter().map(|time| Incident::new(at(*time), Kind::Error, ""));
        Incidents::new(window(), incidents.collect())
    };
    assert!(list(&[1_100, 1_100]).is_ok() && list(&[]).is_ok());
    let place = Place::Incident(2);
    assert_eq!(
        list(&[1_200, 1_100]),
        Err(IncidentsError::Order { place, at: at(1_100), before: at(1_200) })
    );
    assert_eq!(
        list(&[1_200, 2_100]),
        Err(IncidentsError::Future { place, at: at(2_100), end: at(2_000) })
    );
}

#[test]
fn law_merging_keeps_the_first_of_each_burst_of_a_kind() {
    let text =
        "window 0 100\n1 error a\n2 failure b\n3 error c\n5 error d\n8 error e\n9 failure f\n";
    let merged = Incidents::read(text).unwrap().merged(Span::from_secs(2));
    let words: Vec<&str> = merged.list().iter().map(|incident| incident.text.as_str()).collect();
    assert_eq!(words, ["a", "b", "e", "f"]);
}

const JOURNAL: &str = "\
-- Boot 0f3a --
1700000000.000000 node kernel: Linux version 6.12.0
1700000100.250000 node kernel: mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 5: be00000000800400
1700000200.500000 node kernel: Out of memory: Killed process 812 (java) total-vm:9000kB
1700000210.000000 node kernel: EDAC MC0: Giving out device to module skx_edac
1700000220.000000 node kernel: EDAC MC0: 1 CE memory read error on CPU_SrcID#0
1700000230.000000 node kernel: INFO: task dd:99 blocked for more than 122 seconds.
1700000250.000000 node sshd[812]: Kernel panic - not syncing: only a talk about one
1700000300.000000 node kernel: Kernel panic - not syncing: Fatal exception
";

#[test]
fn accepts_a_journal_and_takes_messages_of_the_kernel_only() {
    let list = journal(JOURNAL).unwrap();
    let kinds: Vec<Kind> = list.iter().map(|incident| incident.kind).collect();
    assert_eq!(kinds, [Kind::Error, Kind::Error, Kind::Error, Kind::Error, Kind::Failure]);
    assert_eq!(list[0].at, Instant::from_nanos(1_700_000_100_250_000_000));
    assert!(list[4].text.ends_with("Fatal exception"));
    assert_eq!(journal("-- No entries --\n"), Ok(vec![]));
    let begin = at(1_700_000_000);
    let window = Window::new(begin, begin + Span::from_secs(1_000)).unwrap();
    let incidents = Incidents::new(window, list).unwrap();
    assert_eq!(incidents.sample(Kind::Failure).ended(), [Span::from_secs(300)]);
}

#[test]
fn refuses_a_journal_in_another_form_with_the_line() {
    let text = "x\nNov 14 22:13:20 node kernel: Kernel panic - not syncing: x";
    let error = journal(text).unwrap_err();
    assert_eq!(error, SourceError::Time { line: 2, found: "Nov".to_owned() });
    assert!(error.to_string().contains("journalctl -o short-unix"));
}

#[test]
fn accepts_machine_checks_once_each_and_says_none_here_below_a_hypervisor() {
    let real = "\
[    0.100000] mce: CPU0: Thermal monitoring enabled (TM1)
[   12.500000] mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 5: be00000000800400
[   12.500001] mce: [Hardware Error]: TSC 0 ADDR 1234 MISC 86
[   12.500002] mce: [Hardware Error]: PROCESSOR 0:306e4 TIME 1700000012 SOCKET 0 APIC 6
";
    let Ok(Found::Here(list)) = machine_checks(real, at(1_000)) else { panic!() };
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].at, Instant::from_nanos(1_012_500_000_000));
    let logged = "[   12.600000] mce: [Hardware Error]: Machine check events logged\n";
    let Ok(Found::Here(both)) = machine_checks(&format!("{real}{logged}"), at(1_000)) else {
        panic!()
    };
    assert_eq!(both.len(), 2);
    let merged = Incidents::new(window(), both).unwrap().merged(Span::from_secs(1));
    assert_eq!(merged.list().len(), 1);
    let quiet = machine_checks("[    0.100000] mce: CPU0: Thermal monitoring enabled\n", at(0));
    assert_eq!(quiet, Ok(Found::Here(vec![])));
    let virtual_machine = "[    0.000000] Hypervisor detected: KVM\n[    0.1] x\n";
    let none = machine_checks(virtual_machine, at(0)).unwrap();
    assert!(none.to_string().starts_with("none here: the hypervisor KVM"), "{none}");
    let error = machine_checks("mce: [Hardware Error]: Machine Check: 0", at(0)).unwrap_err();
    assert!(error.to_string().starts_with("line 1: `` is no time"), "{error}");
}

#[test]
fn accepts_counters_of_memory_controllers_and_says_none_here_without_one() {
    let files = [
        ("mc0/ce_count", "12\n"),
        ("mc0/mc_name", "Skylake\n"),
        ("mc0/ue_count", "0\n"),
        ("mc1/ue_count", "1\n"),
        ("mc1/ce_count", "3\n"),
        ("power", ""),
    ];
    let Ok(Found::Here(controllers)) = edac(files) else { panic!() };
    let counts: Vec<_> =
        controllers.iter().map(|one| (one.name.as_str(), one.corrected, one.uncorrected)).collect();
    assert_eq!(counts, [("mc0", 12, 0), ("mc1", 3, 1)]);
    let none = edac([("power", "")]).unwrap();
    assert!(none.to_string().starts_with("none here: no memory controller"), "{none}");
}

#[test]
fn refuses_counters_that_are_no_numbers_or_missing() {
    let error = edac([("mc0/ce_count", "many"), ("mc0/ue_count", "0")]).unwrap_err();
    assert!(error.to_string().contains("mc0/ce_count: `many` is no count; allowed: 0 to"));
    let error = edac([("mc0/ce_count", "1")]).unwrap_err();
    assert_eq!(error, SourceError::Missing { path: "mc0/ue_count".to_owned() });
}

#[test]
fn refuses_a_window_that_is_not_over() {
    let read = || Incidents::read("window 0 3000\n100 failure\n").unwrap();
    assert!(read().seen_by(at(3_000)).is_ok());
    let why = read().seen_by(at(2_999)).unwrap_err().to_string();
    assert!(why.contains("ends at 3000 s") && why.contains("it is 2999 s"), "{why}");
}

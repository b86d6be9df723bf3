//! `[locks.NAME]`: what is read, written and refused, and what the analysis says of threads that share locks.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use crate::common::tells;
use windfall_scenario::reserve::{Case, ReserveError};
use windfall_scenario::{BoundError, DiagnosticCode, Scenario};
use windfall_time::Span;

const STEPS: &str = "{ run = \"1ms\" }, { lock = \"m\" }, { run = \"2ms\" }, { unlock = \"m\" }";

/// Two threads below a scheduler of this kind that share the lock `m`, and one between them; `[requires]` from the first.
fn three(scheduler: &str, requires: [&str; 3], protocol: &str) -> String {
    let thread = |name: &str, requires: &str, steps: &str| {
        format!(
            "[threads.{name}]\nparent = \"s\"\n{requires}\nsteps = [{{ timer = \"100ms\" }}, {steps}]\n"
        )
    };
    let [high, middle, low] = requires;
    format!(
        "schema = 2\nlength = \"1s\"\n[schedulers.s]\nscheduler = {scheduler}\nparent = \"top\"\n{}{}{}\
         [locks.m]\nprotocol = \"{protocol}\"\n",
        thread("high", high, STEPS),
        thread("middle", middle, "{ run = \"40ms\" }"),
        thread("low", low, &STEPS.replace("2ms", "5ms")),
    )
}

const PRIORITIES: [&str; 3] = ["priority = 3", "priority = 2", "priority = 1"];

fn priorities(protocol: &str) -> String {
    three("\"fixed-priority\"", PRIORITIES, protocol)
}

fn bounds(text: &str) -> Vec<Result<Span, BoundError>> {
    let scenario = Scenario::parse("e.toml", text).map_err(|m| m.render(false)).unwrap();
    let deadlines = scenario.promises().deadlines(&scenario);
    deadlines.into_iter().map(|deadline| deadline.bound).collect()
}

fn ms(ms: u32) -> Result<Span, BoundError> {
    Ok(Span::from_millis(ms))
}

#[test]
fn law_what_is_written_of_a_lock_is_read_again() {
    for protocol in ["inherit", "ceiling", "none"] {
        let scenario = Scenario::parse("e.toml", &priorities(protocol)).unwrap();
        assert_eq!(scenario.locks.len(), 1);
        assert_eq!(Scenario::parse("written.toml", &scenario.write()).unwrap(), scenario);
    }
    assert!(priorities("inherit").contains("protocol"));
}

#[test]
fn law_bounds_have_the_sections_of_lower_ranks_and_none_without_a_protocol() {
    for protocol in ["inherit", "ceiling"] {
        assert_eq!(bounds(&priorities(protocol)), [ms(8), ms(48), ms(49)]);
        let rates = ["50ms", "60ms", "70ms"].map(|rate| format!("rate = \"1ms/{rate}\""));
        let rates = rates.each_ref().map(String::as_str);
        assert_eq!(bounds(&three("\"rate-monotonic\"", rates, protocol)), [ms(8), ms(48), ms(49)]);
        // All are due after 100 ms, so that nobody ranks below another.
        let rate = "rate = \"1ms/100ms\"";
        assert_eq!(bounds(&three("\"edf\"", [rate; 3], protocol)), [ms(49), ms(49), ms(49)]);
        let short = three("\"edf\"", ["rate = \"1ms/20ms\"", rate, rate], protocol);
        let short = short.replacen("timer = \"100ms\"", "timer = \"20ms\"", 1);
        assert_eq!(bounds(&short)[0], ms(8));
    }
    let none = bounds(&priorities("none"));
    let why = Err(BoundError::NoProtocol { lock: "m".to_owned() });
    assert_eq!(none, [why.clone(), why, ms(49)]);
}

#[test]
fn law_a_reservation_is_larger_by_what_blocks() {
    let least = |text: &str| {
        let scenario = Scenario::parse("e.toml", text).unwrap();
        let application = scenario.application("s").unwrap();
        let service = application.service.unwrap();
        let case = Case::new(application, service, Span::ZERO)?;
        Ok(case.blocking.iter().map(|blocking| blocking.as_nanos() / 1_000_000).collect::<Vec<_>>())
    };
    for protocol in ["inherit", "ceiling"] {
        assert_eq!(least(&priorities(protocol)), Ok(vec![5, 5, 0]));
    }
    let why = ReserveError::NoProtocol { lock: "m".to_owned() };
    assert_eq!(least(&priorities("none")), Err(why));
}

#[test]
fn refuses_what_cannot_be_inherited_and_accepts_no_protocol_anywhere() {
    let code = |text: &str| {
        let mistakes = Scenario::parse("e.toml", text).err();
        mistakes.map(|mistakes| mistakes.list()[0].code)
    };
    let not_inherited = Some(DiagnosticCode::LockNotInherited);
    let exclusive = "\"fixed-priority\"\nexclusive = true";
    assert_eq!(code(&three(exclusive, PRIORITIES, "inherit")), not_inherited);
    assert_eq!(code(&three("\"edf\"\nlate = \"abort\"", [""; 3], "ceiling")), not_inherited);
    assert_eq!(code(&three("\"round-robin\"", [""; 3], "inherit")), not_inherited);
    let without_rank = Some(DiagnosticCode::LockWithoutRank);
    assert_eq!(code(&three("\"fixed-priority\"", ["", "", ""], "inherit")), without_rank);
    assert_eq!(code(&three("\"rate-monotonic\"", [""; 3], "ceiling")), without_rank);
    // Below `edf`, deadlines follow from a rate when a thread wakes, and from its timer when it runs.
    let rated = |rate: &str| three("\"edf\"", [rate; 3], "inherit");
    assert_eq!(code(&rated("rate = \"1ms/100ms\"")), None);
    assert_eq!(code(&rated("rate = \"1ms/9ms\"")), without_rank);
    assert_eq!(code(&rated("")), without_rank);
    let never_due = rated("").replace("{ timer = \"100ms\" }, ", "");
    assert_eq!(code(&never_due), None);
    for kind in [exclusive, "\"round-robin\""] {
        let requires = if kind == exclusive { PRIORITIES } else { [""; 3] };
        assert_eq!(code(&three(kind, requires, "none")), None, "{kind}");
    }
}

#[test]
fn refuses_to_move_a_user_of_a_lock_and_accepts_others() {
    let other = "[schedulers.other]\nscheduler = \"fixed-priority\"\nparent = \"s\"\n";
    let moves = |thread: &str| {
        let at = format!(
            "[[at]]\ntime = \"1ms\"\ndo = \"move\"\nthread = \"{thread}\"\nto = \"other\"\n"
        );
        priorities("inherit") + other + &at
    };
    let line = moves("low").lines().count();
    tells(&moves("low"), &[(line, "`low` shares the lock `m`, which inherits", "leave it")]);
    assert!(Scenario::parse("e.toml", &moves("middle")).is_ok());
}

#[test]
fn refuses_an_entry_for_no_lock_and_names_the_nearest() {
    let text = priorities("inherit").replace("[locks.m]", "[locks.mm]");
    let line = text.lines().count() - 1;
    tells(&text, &[(line, "no step takes the lock `mm`", "did you mean `m`?")]);
}

#[test]
fn refuses_bounds_where_nobody_knows_how_long_a_lock_is_held() {
    let text = priorities("inherit")
        .replace("{ run = \"5ms\" }", "{ run = \"5ms\" }, { sleep = \"1ms\" }");
    let why = BoundError::EndlessSection { thread: "low".to_owned(), lock: "m".to_owned() };
    assert_eq!(bounds(&text)[0], Err(why));
}

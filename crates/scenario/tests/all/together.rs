//! Reservations that all threads of a program share.

use crate::common::{tells, with};
use windfall_scenario::model::{Change, Parent, Setting, Whom};
use windfall_scenario::outcome::promises;
use windfall_scenario::{Live, LiveNode, LiveThread, PlannedRequest, Scenario};
use windfall_schedulers::catalogue::{Catalogue, Kind, Settings};
use windfall_schedulers::kinds;
use windfall_schedulers::parameters::RESERVE;
use windfall_time::Span;

/// A program and what is asked for it.
fn player(lines: &str) -> String {
    with(&format!("\n[threads.player]\nparent = \"root\"\nexec = [\"sh\", \"player\"]\n{lines}\n"))
}

fn read(lines: &str) -> Scenario {
    Scenario::parse("e.toml", &player(lines)).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

#[test]
fn law_threads_of_a_program_share_what_its_entry_reserves() {
    for requires in ["guarantee = \"RESBH 3ms 10ms\"", "reserve = \"3ms/10ms\""] {
        let scenario = read(requires);
        let [_, shares] = scenario.schedulers.as_slice() else { panic!("{scenario:?}") };
        assert_eq!((shares.name.as_str(), shares.kind.as_str()), ("player-threads", "round-robin"));
        let quantum = ("quantum".to_owned(), Setting::Span(Span::from_nanos(300_000)));
        assert_eq!(shares.settings, [quantum]);
        assert_eq!(shares.owns[0].parent, Parent::Scheduler("root".to_owned()));
        let thread = &scenario.threads[1];
        assert_eq!(thread.parent.as_deref(), Some("player-threads"));
        assert_eq!(thread.requires, windfall_scenario::model::Requirements::default());
        assert!(scenario.build().is_ok());
        // As it is written, it is read again.
        let again = Scenario::parse("again.toml", &scenario.write()).unwrap();
        assert_eq!(again, scenario);
    }
    let promised = promises(&read("guarantee = \"RESBH 3ms 10ms\""));
    let of: Vec<_> =
        promised.iter().map(|one| (one.owner.as_str(), one.own, one.granted)).collect();
    assert_eq!(of, [("player-threads", Some(0), true), ("a", None, true)]);
}

#[test]
fn law_kinds_of_what_threads_share_are_those_of_the_scenario() {
    // A catalogue without a round robin gets it with the scheduler that they share.
    let catalogue = Catalogue::of(&[kinds::REZ]);
    let lines =
        "reserve = \"3ms/10ms\"\n[[at]]\ntime = \"1s\"\ndo = \"unreserve\"\nthread = \"player\"";
    let scenario = Scenario::parse_in(&catalogue, "e.toml", &player(lines));
    let scenario = scenario.unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert!(scenario.build().is_ok());
    // One of its own by that name, whose children reserve, keeps the request.
    static MINE: Kind = Kind::new("round-robin", "as REZ", |_| kinds::REZ.build(&Settings(&[])))
        .with_settings(kinds::ROUND_ROBIN.settings)
        .with_parameters(&[&RESERVE]);
    let mut catalogue = Catalogue::of(&[kinds::REZ]);
    catalogue.register(&MINE).unwrap_or_else(|taken| panic!("{taken}"));
    let scenario = Scenario::parse_in(&catalogue, "e.toml", &player(lines));
    let scenario = scenario.unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert_eq!(scenario.requests[0].change, Change::Unreserve(Whom::Thread("player".to_owned())));
}

#[test]
fn accepts_a_reservation_for_each_thread_of_a_program() {
    let scenario = read("guarantee = \"RESBH 3ms 10ms\"\neach = true");
    assert_eq!(scenario.schedulers.len(), 1);
    assert_eq!(promises(&scenario)[1].owner, "player");
    let again = Scenario::parse("again.toml", &scenario.write()).unwrap();
    assert_eq!(again, scenario);
    // What is no reservation is each thread's.
    assert_eq!(read("guarantee = \"NULL\"").schedulers.len(), 1);
}

#[test]
fn law_requests_about_what_threads_share_go_to_the_scheduler_that_has_it() {
    let shares = "guarantee = \"RESBH 3ms 10ms\"";
    let request = "\n[[at]]\ntime = \"500ms\"\ndo = \"unreserve\"\nthread = \"player\"";
    let scenario = read(&format!("{shares}{request}"));
    let scheduler = Whom::Scheduler("player-threads".to_owned(), 0);
    assert_eq!(scenario.requests[0].change, Change::Unreserve(scheduler));

    let live = Live::new(read(shares));
    let node = |name: &str, kind: &str, parent: Option<&str>| {
        LiveNode::new(
            name,
            kind,
            vec![parent.map_or(Parent::Top, |name| Parent::Scheduler(name.to_owned()))],
        )
    };
    let nodes = [node("root", "rez", None), node("player-threads", "round-robin", Some("root"))];
    let parent = Some("player-threads".to_owned());
    let threads = [LiveThread::new("player-1", parent)];
    let text =
        "[[at]]\ntime = \"0s\"\ndo = \"reserve\"\nthread = \"player\"\nreserve = \"2ms/10ms\"\n";
    let planned = live.plan(&nodes, &threads, text).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let [PlannedRequest::Scheduler(name, 0, _)] = planned.planned.as_slice() else {
        panic!("one request to a scheduler")
    };
    assert_eq!(name, "player-threads");
}

#[test]
fn refuses_a_name_that_what_threads_share_would_have() {
    let taken = "guarantee = \"RESBH 3ms 10ms\"\n[threads.player-threads]\nparent = \"root\"\nrun = \"spin\"";
    tells(&player(taken), &[(14, "share a scheduler `player-threads`", "each = true")]);
    let of =
        "[threads.q]\nparent = \"root\"\nof = \"player\"\nmatch = { comm = \"x\" }\neach = true";
    tells(&player(of), &[(21, "`each` goes with", "leave it out")]);
}

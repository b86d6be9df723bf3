//! Requests that nobody had planned, read in the words of the file.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use windfall_hierarchy::Message;
use windfall_scenario::model::Parent;
use windfall_scenario::{Live, LiveNode, LiveThread, PlannedRequest, Scenario};

const FILE: &str = concat!(
    include_str!("../controlled.toml"),
    r#"
[threads.a]
run = "spin"
guarantee = "PS 1/3"

[threads.b]
run = "spin"
"#
);

struct There {
    live: Live,
    nodes: Vec<LiveNode>,
    threads: Vec<LiveThread>,
}

fn there() -> There {
    let node = |name: &str, kind: &str, parent: Option<&str>| {
        LiveNode::new(
            name,
            kind,
            vec![parent.map_or(Parent::Top, |name| Parent::Scheduler(name.to_owned()))],
        )
    };
    let thread = |name: &str, parent: &str| LiveThread::new(name, Some(parent.to_owned()));
    There {
        live: Live::new(Scenario::parse("file", FILE).unwrap()),
        nodes: vec![
            node("root", "fixed-priority", None),
            node("res", "rez", Some("root")),
            node("ts", "proportional-share", Some("root")),
        ],
        threads: vec![thread("a", "ts"), thread("b", "ts"), thread("late-7", "ts")],
    }
}

impl There {
    fn plan(&self, request: &str) -> Result<Vec<PlannedRequest>, String> {
        let text = format!("[[at]]\ntime = \"0s\"\n{request}");
        let planned = self.live.plan(&self.nodes, &self.threads, &text);
        planned.map(|request| request.planned).map_err(|why| why.to_string())
    }

    fn does(&mut self, request: &str) {
        let text = format!("[[at]]\ntime = \"0s\"\n{request}");
        let request = self.live.plan(&self.nodes, &self.threads, &text).unwrap();
        self.live.carried_out(&self.nodes, &self.threads, request);
    }

    fn promised(&self) -> Vec<(String, String, bool)> {
        let promises = self.live.promises(&self.nodes, &self.threads).into_iter();
        promises.map(|p| (p.owner, p.guarantee.to_string(), p.granted)).collect()
    }
}

#[test]
fn accepts_threads_that_the_file_does_not_know() {
    let planned = there().plan("do = \"share\"\nthread = \"late-7\"\nshare = 2").unwrap();
    // Weights are thirds of thousandths, since the file asks for PS 1/3.
    assert!(matches!(planned.as_slice(), [PlannedRequest::Thread(2, Message::Share(6))]));
}

#[test]
fn accepts_a_guarantee_as_its_scheduler_understands_it() {
    let mut there = there();
    there.threads[1].parent = Some("res".to_owned());
    let ask = "do = \"guarantee\"\nthread = \"b\"\nguarantee = \"RESBH 3ms 10ms\"";
    let planned = there.plan(ask).unwrap();
    assert!(matches!(planned.as_slice(), [PlannedRequest::Thread(1, Message::Reserve { .. })]));
}

#[test]
fn refuses_what_is_not_there_and_says_what_is() {
    let why = |request: &str| there().plan(request).map(|_| ()).unwrap_err();
    assert!(why("do = \"destroy\"\nscheduler = \"rs\"").contains("did you mean `res`"));
    assert!(why("do = \"share\"\nthread = \"late-8\"\nshare = 1").contains("unknown thread"));
    assert!(
        why("do = \"create\"\nname = \"top\"\nwith = { scheduler = \"edf\", parent = \"ts\" }")
            .contains("means something else")
    );
    // A share that is finer than the weights that the file has.
    assert!(why("do = \"guarantee\"\nthread = \"b\"\nguarantee = \"PS 1/7\"").contains("too fine"));
    assert!(
        why("do = \"guarantee\"\nthread = \"b\"\nguarantee = \"RESBH 1ms 9ms\"")
            .contains("does not give")
    );
    assert!(why("do = \"shar\"").contains("unknown request"));
    assert!(why("do = \"destroy\"\nscheduler = \"res\"\n[threads.x]").contains("one request"));
}

#[test]
fn law_what_is_promised_follows_what_was_asked_last() {
    let mut there = there();
    let thirds = ("a".to_owned(), "PS 1/3".to_owned());
    assert!(
        there.promised().iter().any(|(owner, what, _)| (owner, what) == (&thirds.0, &thirds.1))
    );
    there.does("do = \"move\"\nthread = \"b\"\nto = \"res\"\nguarantee = \"RESBH 3ms 10ms\"");
    assert!(there.promised().iter().all(|(owner, ..)| owner != "b"), "it has not arrived yet");
    there.threads[1].parent = Some("res".to_owned());
    let b = ("b".to_owned(), "RESBH 3ms 10ms".to_owned(), true);
    assert!(there.promised().contains(&b), "{:?}", there.promised());
    there.does("do = \"priority\"\nscheduler = \"res\"\npriority = 0");
    let b = ("b".to_owned(), "RESBH 3ms 10ms".to_owned(), false);
    assert!(there.promised().contains(&b), "{:?}", there.promised());
    there.does("do = \"unreserve\"\nthread = \"b\"");
    assert!(there.promised().iter().all(|(owner, ..)| owner != "b"));
}

#[test]
fn law_what_a_request_would_break_is_known_before_it_is_done() {
    let there = there();
    let breaks = |request: &str| -> Vec<String> {
        let text = format!("[[at]]\ntime = \"0s\"\n{request}");
        let request = there.live.plan(&there.nodes, &there.threads, &text).unwrap();
        let broken = there.live.breaks(&there.nodes, &there.threads, &request);
        broken
            .into_iter()
            .map(|promise| format!("{} of {}", promise.guarantee, promise.owner))
            .collect()
    };
    let above = |priority: i32| {
        format!(
            "do = \"create\"\nname = \"x\"\nwith = {{ scheduler = \"round-robin\", parent = \"root\", priority = {priority} }}"
        )
    };
    assert_eq!(breaks(&above(99)), ["ALL of res"]);
    assert_eq!(breaks(&above(0)), [""; 0]);
    assert_eq!(breaks("do = \"guarantee\"\nthread = \"b\"\nguarantee = \"PS 2/3\""), [""; 0]);
    // What somebody asks for himself breaks nothing of others.
    assert_eq!(breaks("do = \"guarantee\"\nthread = \"a\"\nguarantee = \"PS 1/2\""), [""; 0]);
}

#[test]
fn law_a_slower_processor_that_no_longer_holds_what_is_reserved_below_is_named() {
    let broken = |amount: &str| {
        let text = format!(
            r#"
schema = 2
length = "2s"
[schedulers.s]
scheduler = "pshed"
parent = "top"
[schedulers.r]
scheduler = "rez"
parent = "s"
reserve = "3ms/10ms"
report-deadlines = true
[threads.a]
parent = "r"
run = "spin"
guarantee = "RESBH 1ms 10ms"
[threads.b]
parent = "r"
run = "spin"
reserve = "1ms/10ms"
[[at]]
time = "1s"
do = "reserve"
scheduler = "r"
reserve = "{amount}/10ms"
"#
        );
        let broken = Scenario::parse("file", &text).unwrap().broken_by_requests();
        let name = |(_, lost): &(_, windfall_scenario::outcome::Promise)| {
            format!("{} of {}", lost.guarantee, lost.owner)
        };
        broken.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(broken("2ms"), [""; 0]);
    // A scheduler has admitted it, and would serve it at the cost of those who were promised something.
    assert_eq!(broken("1ms"), ["RESBS 1ms 10ms of b"]);
}

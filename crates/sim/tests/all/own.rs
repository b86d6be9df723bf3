//! Requests of threads for themselves, and the notices that they are given (HLS 4.3.9, 4.3.12, 4.4; decision 0024).
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod processes;
mod random;

use crate::common::{run, thread};
use std::sync::{Arc, Mutex};
use windfall_programs::{
    Code, Node, OwnRequest, Process, ProcessError, ProcessParams, RequestErrorKind,
};
use windfall_scenario::outcome::{Outcome, PromiseStatus, PromiseVerdict};
use windfall_scenario::{Home, Plan, PlannedThread, Scenario};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

const TREE: &str = r#"
length = "1s"
default = "ts"
[schedulers.fp]
scheduler = "fixed-priority"
parent = "top"
[schedulers.res]
scheduler = "rez"
parent = "fp"
priority = 2
[schedulers.ts]
scheduler = "proportional-share"
parent = "fp"
priority = 1
quantum = "1ms"
[schedulers.low]
scheduler = "round-robin"
parent = "ts"
"#;

fn ms(count: u32) -> Span {
    Span::from_millis(count)
}

/// One process below `ts`, with what else a file says.
fn plan(more: &str, first: impl Code) -> Plan {
    plan_of(TREE, more, first)
}

fn plan_of(tree: &str, more: &str, first: impl Code) -> Plan {
    let text = format!("schema = 2\nseed = 1\n{tree}{more}");
    let scenario = Scenario::parse("test.toml", &text).map_err(|wrong| wrong.render(false));
    let mut plan = scenario.unwrap().build().unwrap();
    let (_, ts) = plan.nodes.iter().find(|(name, _)| name == "ts").unwrap();
    let home = Home::new(*ts, |_| Vec::new());
    plan.processes.nodes = vec![home];
    plan.threads.push(PlannedThread::process(Node(0), &home, &ProcessParams::default(), first));
    plan
}

fn finish(plan: Plan) -> Outcome {
    Sim::of(plan, None).unwrap().run(Instant::ZERO + ms(1_000), |_| true)
}

/// The example of 4.4: T2 leaves TS for RES by its own request, has 4 ms in every 10 ms there, and returns.
#[test]
fn paper_4_4_a_thread_reserves_for_itself() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/self-reserving.toml");
    let text = std::fs::read_to_string(file).unwrap();
    let text = text.strip_prefix("#:schema ../docs/scenario.schema.json\n").unwrap();
    let scenario = Scenario::parse("self-reserving.toml", text).unwrap();
    let outcome =
        Sim::of(scenario.build().unwrap(), None).unwrap().run(Instant::ZERO + ms(4_000), |_| true);
    let [(at, refused)] = &outcome.refused[..] else { panic!("{:?}", outcome.refused) };
    assert!(*at >= Instant::ZERO + ms(1_500), "{at}");
    assert!(refused.contains("`t3` for itself: reserve 9ms/10ms at `res`: refused: "), "{refused}");
    let t2 = thread(&outcome, "t2");
    assert_eq!(t2.received, ms(411));
    assert_eq!(t2.parent.as_deref(), Some("ts"), "it has returned");
    assert_eq!(thread(&outcome, "t3").parent.as_deref(), Some("ts"), "it never left");
    // 400 ms at 4 ms in every 10 ms.
    let res = outcome.nodes.iter().find(|node| node.name == "res").unwrap();
    assert_eq!(res.received, ms(400));
}

#[test]
fn accepts_each_request_of_a_step() {
    let outcome = run(&format!(
        "{TREE}
[threads.other]
run = \"spin\"
[threads.a]
loops = 1
steps = [{{ share = 3 }}, {{ run = \"300ms\" }}, {{ move = \"low\" }}, {{ run = \"10ms\" }}]
[threads.b]
start = \"500ms\"
loops = 1
steps = [{{ reserve = \"1ms/10ms\", to = \"res\" }}, {{ reserve = \"2ms/10ms\" }}, {{ run = \"20ms\" }}]
[threads.c]
parent = \"fp\"
priority = 2
start = \"900ms\"
loops = 1
steps = [{{ priority = 3 }}, {{ run = \"50ms\" }}]
"
    ));
    assert_eq!(outcome.refused, []);
    assert_eq!(thread(&outcome, "a").parent.as_deref(), Some("low"));
    assert_eq!(thread(&outcome, "b").parent.as_deref(), Some("res"));
    assert_eq!(thread(&outcome, "c").received, ms(50), "it goes before all others");
    // 300 ms at a share of 3 beside 1 take 400 ms.
    assert!(thread(&outcome, "a").received >= ms(309));
}

/// Processor time in proportion 8 : 1 beside a thread that says nothing, whoever says the priority: the file, a request of the run's owner, or the
/// thread itself in a step.
#[test]
fn paper_9_3_3_a_priority_is_a_proportion_on_every_way() {
    let tree = "length = \"1s\"\n[schedulers.ps]\nscheduler = \"proportional-share\"\n\
                parent = \"top\"\nquantum = \"1ms\"\n[threads.plain]\nrun = \"spin\"\n";
    let at = "[[at]]\ntime = \"1ms\"\nthread = \"idle\"\ndo = \"priority\"\npriority = 1\n";
    let ways = [
        "[threads.idle]\nrun = \"spin\"\npriority = 1\n".to_owned(),
        format!("[threads.idle]\nrun = \"spin\"\n{at}"),
        "[threads.idle]\nloops = 1\nsteps = [{ priority = 1 }, { run = \"9s\" }]\n".to_owned(),
    ];
    for way in ways {
        let outcome = run(&format!("{tree}{way}"));
        assert_eq!(outcome.refused, []);
        let idle = thread(&outcome, "idle").received;
        let ninth = Span::from_nanos(1_000_000_000 / 9);
        assert!(idle >= ninth - ms(2) && idle <= ninth + ms(2), "{way}: {idle}");
    }
}

/// A guarantee that a step requests is a promise: it is judged, others' are kept, and it ends with the reservation.
#[test]
fn accepts_a_guarantee_of_a_step_which_is_judged() {
    let outcome = run(&format!(
        "{TREE}
[threads.other]
run = \"spin\"
parent = \"res\"
guarantee = \"RESBH 4ms 10ms\"
[threads.a]
loops = 1
steps = [{{ run = \"5ms\" }}, {{ guarantee = \"RESBH 3ms 10ms\", to = \"res\" }}, {{ run = \"9s\" }}]
[threads.b]
start = \"100ms\"
loops = 1
steps = [{{ guarantee = \"RESBH 5ms 10ms\", to = \"res\" }}, {{ run = \"1ms\" }}]
"
    ).replace("parent = \"fp\"\npriority = 2", "parent = \"fp\"\npriority = 2\nguarantee = \"ALL\""));
    let [(_, refused)] = &outcome.refused[..] else { panic!("{:?}", outcome.refused) };
    assert!(
        refused.contains("`b` for itself: guarantee RESBH 5ms 10ms at `res`: refused"),
        "{refused}"
    );
    assert_eq!(thread(&outcome, "a").parent.as_deref(), Some("res"));
    assert_eq!(thread(&outcome, "b").parent.as_deref(), Some("ts"), "it never left");
    let kept = |owner: &str, text: &str| {
        let its = |verdict: &&PromiseVerdict| {
            verdict.owner() == owner && verdict.promise.guarantee.to_string() == text
        };
        let verdict = outcome.promises.iter().find(its).unwrap_or_else(|| panic!("{owner}"));
        assert_eq!((verdict.status(), verdict.until), (PromiseStatus::Kept, None), "{owner}");
    };
    kept("a", "RESBH 3ms 10ms");
    kept("other", "RESBH 4ms 10ms");
}

/// As a process asks for it: what the scheduler above does not give, and what would break a promise to others, is refused and changes nothing.
#[test]
fn refuses_guarantees_that_would_break_others() {
    #[derive(Clone)]
    struct Requester(Arc<Mutex<Vec<String>>>);
    impl Code for Requester {
        const NAME: &'static str = "asks";
        async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
            me.sleep_until(Instant::ZERO + ms(100)).await;
            for text in ["PS 1/2", "PS 1/10", "RESBH 1ms 10ms"] {
                let request = OwnRequest::guarantee(text.parse().unwrap());
                let answer = me.request_own(request).await;
                let why = answer
                    .err()
                    .map_or_else(|| "done".to_owned(), |refused| refused.why.to_string());
                self.0.lock().unwrap().push(why);
            }
            let refused = me.request_own(OwnRequest::Unreserve).await.unwrap_err();
            assert_eq!(refused.why, RequestErrorKind::NoReservation);
            Ok(())
        }
    }
    let said = Arc::new(Mutex::new(Vec::new()));
    let more = "[threads.other]\nrun = \"spin\"\nguarantee = \"PS 3/4\"\n\
                [threads.more]\nrun = \"spin\"\nguarantee = \"PS 1/10\"\n";
    let text = TREE.replace("\"fp\"\npriority = 1", "\"fp\"\npriority = 2\nguarantee = \"ALL\"");
    let text = text.replace("\"fp\"\npriority = 2\n[", "\"fp\"\npriority = 1\n[");
    let outcome = finish(plan_of(&text, more, Requester(said.clone())));
    let said = said.lock().unwrap();
    assert!(said[0].contains("it would break what is granted: PS 3/4 of `other`"), "{said:?}");
    assert_eq!(said[1], "done");
    assert!(said[2].contains("does not give"), "{said:?}");
    assert_eq!(outcome.refused, []);
    let judged = |owner: &str| outcome.promises.iter().any(|verdict| verdict.owner() == owner);
    assert!(judged("other") && judged("asks"), "{:?}", outcome.promises);
}

#[test]
fn refuses_requests_that_mean_nothing_there_and_changes_nothing() {
    let outcome = run(&format!(
        "{TREE}
[threads.a]
loops = 1
steps = [\"unreserve\", {{ reserve = \"1ms/10ms\" }}, {{ reserve = \"11ms/10ms\", to = \"res\" }}, {{ run = \"1ms\" }}]
"
    )
    .replace("11ms/10ms", "10ms/10ms")
    .replace("[threads.a]", "[threads.b]\nparent = \"res\"\nreserve = \"1ms/10ms\"\nrun = \"spin\"\n[threads.a]"));
    let said: Vec<&str> = outcome.refused.iter().map(|(_, why)| why.as_str()).collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[0].contains("unreserve: refused: it has no reservation"), "{said:?}");
    assert!(said[1].contains("reserve 1ms/10ms: refused"), "{said:?}");
    assert!(said[2].contains("reserve 10ms/10ms at `res`: refused"), "{said:?}");
    assert_eq!(thread(&outcome, "a").parent.as_deref(), Some("ts"));
    assert_eq!(thread(&outcome, "b").received, ms(100));
}

#[test]
fn refuses_a_move_out_of_its_subtree_before_anything_runs() {
    let text = |to: &str| {
        format!(
            "schema = 2\n{TREE}[threads.a]\nsteps = [{{ run = \"1ms\" }}, {{ move = \"{to}\" }}]\n"
        )
    };
    let wrong = Scenario::parse("test.toml", &text("res")).unwrap_err().render(false);
    assert!(wrong.contains("outside-subtree") && wrong.contains("does not lie below `ts`"));
    let wrong = Scenario::parse("test.toml", &text("nowhere")).unwrap_err().render(false);
    assert!(wrong.contains("unknown scheduler `nowhere`"), "{wrong}");
    assert!(Scenario::parse("test.toml", &text("low")).is_ok());
}

//! A monitor of several nodes on the simulated machine (Chrysalis 5; decision 0026).
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod random;

use crate::common::thread;
use windfall_hierarchy::Message;
use windfall_programs::memo::{Report, reported};
use windfall_programs::monitor::{Look, Monitor};
use windfall_programs::{
    Code, Destination, Node, Process, ProcessError, Program, ThreadChange, ThreadRequest,
};
use windfall_scenario::outcome::Outcome;
use windfall_scenario::{Plan, PlannedThread, Scenario};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

const EPOCH: Span = Span::from_millis(100);

fn ms(count: u32) -> Span {
    Span::from_millis(count)
}

/// So many nodes, node-0 and so on, and what else a file says; the run's length is 10 s.
fn plan(nodes: u16, more: &str) -> Plan {
    let mut text = "schema = 2\nseed = 1\nlength = \"10s\"\ndefault = \"node-0\"\n".to_owned();
    text.push_str(&format!("[machine]\nprocessors = {nodes}\n"));
    for node in 0..nodes {
        text.push_str(&format!(
            "[schedulers.node-{node}]\nscheduler = \"epoch\"\nparent = \"top\"\n"
        ));
    }
    text.push_str(more);
    let scenario = Scenario::parse("test.toml", &text);
    scenario.map_err(|wrong| wrong.render(false)).unwrap().build().unwrap()
}

/// Adds a process of that name below the last node, which may have threads of the nodes changed.
fn add(plan: &mut Plan, name: &str, code: impl Code, family: Option<&str>) {
    let (_, home) = plan.nodes.last().unwrap();
    let program = Program::process(Node(0), code);
    let program = family.map_or(program.clone(), |family| program.controlling(family));
    let mut thread = PlannedThread::new(name, *home, program);
    thread.messages = vec![Message::Priority(3)];
    plan.threads.push(thread);
}

/// Adds a monitor of the nodes.
fn watch(plan: &mut Plan, name: &str, change: impl FnOnce(&mut Monitor)) -> Report<Look> {
    let mut monitor = Monitor::new("node", EPOCH, Span::from_nanos(100_000));
    let looks = Report::default();
    monitor.looks = Some(looks.clone());
    change(&mut monitor);
    add(plan, name, monitor, Some("node"));
    looks
}

fn finish(plan: Plan) -> Outcome {
    Sim::of(plan, None).unwrap().run(Instant::ZERO + ms(10_000), |_| true)
}

fn spinners(count: u32, parent: &str) -> String {
    format!("[threads.s]\nparent = \"{parent}\"\ncount = {count}\nrun = \"spin\"\n")
}

/// The requests, with their answers.
fn requests(looks: &Report<Look>) -> Vec<(ThreadRequest, Option<String>)> {
    let answered = reported(looks).into_iter().flat_map(|look| look.requests);
    answered.map(|(request, why)| (request, why.map(|why| why.to_string()))).collect()
}

#[test]
fn law_a_monitor_that_does_not_act_changes_nothing_but_its_own_time() {
    let mut watched = plan(2, &spinners(4, "node-0"));
    let looks = watch(&mut watched, "monitor", |monitor| monitor.acts = false);
    let outcome = finish(watched);
    let alone = finish(plan(2, &spinners(4, "node-0")));
    let received = |outcome: &Outcome| {
        let names = ["s-1", "s-2", "s-3", "s-4"];
        names.map(|name| thread(outcome, name).received)
    };
    assert_eq!(received(&outcome), received(&alone));
    assert!(requests(&looks).is_empty());
    let looks = reported(&looks);
    assert!(looks.len() >= 98, "{}", looks.len());
    // What it reads of an epoch adds up to the epochs that have ended.
    for look in &looks {
        for node in &look.nodes {
            let sum = node.committed + node.uncommitted + node.windfall;
            assert_eq!(sum, node.epoch.saturating_mul(node.epochs), "{node:?}");
        }
    }
}

#[test]
fn paper_5_processes_move_from_the_loaded_node_to_the_others() {
    let mut watched = plan(4, &spinners(6, "node-0"));
    let looks = watch(&mut watched, "monitor", |_| {});
    let outcome = finish(watched);
    assert!(outcome.refused.is_empty(), "{:?}", outcome.refused);
    let mut of: Vec<usize> = (0..4)
        .map(|node| {
            let node = format!("node-{node}");
            let here = |thread: &&windfall_scenario::outcome::ThreadOutcome| {
                thread.name.starts_with("s-") && thread.parent.as_deref() == Some(&node)
            };
            outcome.threads.iter().filter(here).count()
        })
        .collect();
    of.sort_unstable();
    assert_eq!(of, [1, 1, 2, 2]);
    let moves = requests(&looks);
    let moves = moves.iter().filter(|(request, _)| request.destination().is_some());
    assert_eq!(moves.count(), 4, "each process that had to move did so once");
}

#[test]
fn refuses_to_move_to_a_node_that_has_disappeared_meanwhile() {
    // It computes for 50 ms between its reading and its request; node-1 ends in that time.
    let ends = "[[at]]\ntime = \"1020ms\"\ndo = \"destroy\"\nscheduler = \"node-1\"\n";
    let mut watched = plan(3, &format!("{}{ends}", spinners(2, "node-0")));
    let looks = watch(&mut watched, "monitor", |monitor| monitor.work = ms(50));
    let outcome = finish(watched);
    let requested = requests(&looks);
    let why =
        requested.iter().find_map(|(request, why)| Some((request.to_string(), why.as_ref()?)));
    let (request, why) = why.unwrap();
    assert_eq!((&*request, &**why), ("move `s-1` to `node-1`", "there is no scheduler `node-1`"));
    let [(_, refused)] = &outcome.refused[..] else { panic!("{:?}", outcome.refused) };
    assert!(refused.starts_with("`monitor`: move `s-1` to `node-1`: refused: "), "{refused}");
    // The other spinner moves to what is left.
    let parents = ["s-1", "s-2"].map(|name| thread(&outcome, name).parent.clone().unwrap());
    assert!(parents.contains(&"node-2".to_owned()), "{parents:?}");
}

#[test]
fn refuses_a_second_monitor_until_the_first_has_ended() {
    /// Ends after its first request that was carried out.
    #[derive(Clone)]
    struct Once(Instant, ThreadRequest, Report<Result<(), String>>);

    impl Code for Once {
        const NAME: &'static str = "once";

        async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
            me.sleep_until(self.0).await;
            let answer = me.request(self.1).await.map_err(|refused| refused.why.to_string());
            windfall_programs::memo::report(&self.2, [answer]);
            me.sleep_until(self.0 + ms(2_000)).await;
            Ok(())
        }
    }

    let mut two = plan(2, &spinners(4, "node-0"));
    let slice = ThreadRequest::new("s-1", ThreadChange::Slice(ms(20)));
    let answers = Report::default();
    let at = Instant::ZERO + ms(500);
    add(&mut two, "first", Once(at, slice, answers.clone()), Some("node"));
    let looks = watch(&mut two, "second", |_| {});
    let outcome = finish(two);
    assert_eq!(reported(&answers), [Ok(())]);
    let requested = requests(&looks);
    let (refused, done): (Vec<_>, Vec<_>) = requested.iter().partition(|(_, why)| why.is_some());
    assert!(!refused.is_empty() && !done.is_empty(), "{requested:?}");
    let why = "`first` controls `node-0` until it ends; let one process do so";
    assert!(refused.iter().all(|(_, refused)| refused.as_deref() == Some(why)), "{refused:?}");
    // The first one has ended 2 s after its request.
    for look in reported(&looks) {
        let refused = look.requests.iter().any(|(_, why)| why.is_some());
        assert!(!refused || look.at <= at + ms(2_000), "{look:?}");
    }
    assert!(outcome.refused.iter().all(|(_, text)| text.contains(why)), "{:?}", outcome.refused);
}

#[test]
fn refuses_requests_that_a_process_has_no_right_to() {
    /// Makes requests, and ends.
    #[derive(Clone)]
    struct Requester(Vec<ThreadRequest>, Report<Result<(), String>>);

    impl Code for Requester {
        const NAME: &'static str = "asks";

        async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
            me.sleep_until(Instant::ZERO + ms(500)).await;
            for request in self.0 {
                let answer = me.request(request).await.map_err(|refused| refused.why.to_string());
                windfall_programs::memo::report(&self.1, [answer]);
            }
            Ok(())
        }
    }

    let more = "[schedulers.other]\nscheduler = \"epoch\"\nparent = \"node-1\"\n\
                [threads.x]\nparent = \"other\"\nrun = \"spin\"\n\
                [threads.promised]\nparent = \"node-0\"\nguarantee = \"RESBS 30ms 100ms\"\nrun = \"spin\"\n";
    let text = format!("{}{more}", spinners(2, "node-0"));
    let to = |thread: &str, to: &str, need| {
        let place = Destination::new(to, 1, need, ms(10));
        ThreadRequest::new(thread, ThreadChange::Move(place))
    };
    let need = |thread: &str, amount| {
        ThreadRequest::new(thread, ThreadChange::Need { amount: ms(amount), period: EPOCH })
    };
    let requested = [
        (to("s-1", "node-1", None), None),
        (to("s-3", "node-1", None), Some("there is no thread `s-3`")),
        (to("s-1", "nowhere", None), Some("there is no scheduler `nowhere`")),
        (
            to("s-1", "other", None),
            Some("`other` is none of the schedulers `node` that the process controls"),
        ),
        (to("x", "node-0", None), Some("`other` is none of the schedulers `node`")),
        (
            need("promised", 10),
            Some("it is promised `RESBS 30ms 100ms`, which only the run's owner"),
        ),
        (need("s-2", 71), Some("asked for 71/100 of the processor, 7/10 is left")),
        (need("s-2", 70), None),
        (to("s-2", "node-1", Some((ms(101), EPOCH))), Some("at most the epoch")),
        (
            ThreadRequest::new("s-2", ThreadChange::Slice(Span::from_nanos(1))),
            Some("at least what is `useful`"),
        ),
    ];
    let answers = Report::default();
    let mut run = plan(2, &text);
    let requests: Vec<ThreadRequest> =
        requested.iter().map(|(request, _)| request.clone()).collect();
    add(&mut run, "asks", Requester(requests.clone(), answers.clone()), Some("node"));
    let outcome = finish(run);
    for ((request, expected), answer) in requested.iter().zip(reported(&answers)) {
        match (expected, &answer) {
            (None, Ok(())) => {}
            (Some(part), Err(why)) if why.contains(part) => {}
            _ => panic!("{request}: {answer:?}, expected {expected:?}"),
        }
    }
    let refused = requested.iter().filter(|(_, expected)| expected.is_some()).count();
    assert_eq!(outcome.refused.len(), refused, "{:?}", outcome.refused);
    assert_eq!(thread(&outcome, "s-2").parent.as_deref(), Some("node-0"), "nothing half done");
    let kept = outcome.promises.iter().all(|promise| promise.until.is_none());
    assert!(kept && !outcome.promises.is_empty(), "the promise goes on being judged");

    let answers = Report::default();
    let mut run = plan(2, &text);
    add(&mut run, "asks", Requester(requests, answers.clone()), None);
    finish(run);
    let none = Err("the process controls no schedulers".to_owned());
    assert!(reported(&answers).iter().all(|answer| *answer == none));
}

#[test]
fn refuses_to_go_on_without_any_node() {
    let ends = "[[at]]\ntime = \"2s\"\ndo = \"destroy\"\nscheduler = \"node-1\"\n";
    let text = format!("[schedulers.epochs]\nscheduler = \"epoch\"\nparent = \"top\"\n{ends}");
    let mut run = plan(2, &text.replace("parent = \"top\"", "parent = \"node-0\""));
    let mut monitor = Monitor::new("node-1", EPOCH, ms(1));
    monitor.looks = Some(Report::default());
    add(&mut run, "monitor", monitor, Some("node-1"));
    let failure = finish(run).failure.unwrap().to_string();
    assert!(failure.contains("none of its `nodes` is one"), "{failure}");
}

//! Threads that are bound to processors (decision 0021): what is sent to schedulers, and what is refused.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::common::tells;
use windfall_hierarchy::{Hierarchy, OwnVp, ProcessorSet};
use windfall_scenario::model::Parent;
use windfall_scenario::{Live, LiveNode, LiveThread, PlannedRequest, Scenario};
use windfall_schedulers::parameters::read_processors;

/// Four processors: `root` has 0, 2 and 3, `single` 1 and `mid` 3 of them by way of `root`.
const TREE: &str = r#"schema = 2
length = "1s"
machine.processors = 4
default = "root"
[schedulers.below]
scheduler = "round-robin"
parents = ["single", "root"]
[schedulers.root]
scheduler = "proportional-share"
parents = ["top", "top", "top"]
[schedulers.single]
scheduler = "edf"
parent = "top"
[schedulers.one]
scheduler = "time-sharing"
parent = "single"
"#;

fn with(more: &str) -> String {
    format!("{TREE}{more}")
}

fn thread(parent: &str, processors: &str) -> String {
    format!("[threads.a]\nrun = \"spin\"\nparent = \"{parent}\"\nprocessors = {processors}\n")
}

/// The own virtual processors that the thread's scheduler is sent; `None` if nothing.
fn sent(parent: &str, processors: &str) -> Option<Vec<u16>> {
    let scenario = Scenario::parse("test.toml", &with(&thread(parent, processors)));
    let scenario = scenario.unwrap_or_else(|why| panic!("{why}"));
    let again = Scenario::parse("test.toml", &scenario.write()).unwrap();
    assert_eq!(again, scenario);
    let plan = scenario.build().unwrap_or_else(|why| panic!("{why}"));
    let mut sets = plan.threads[0].messages.iter().filter_map(|message| read_processors(*message));
    sets.next().map(|set| set.iter().collect())
}

fn at_top(hierarchy: &Hierarchy, name: &str, own: u16) -> Option<usize> {
    let node = hierarchy.find_node(name).unwrap();
    hierarchy.own_processor(node, OwnVp(own)).map(|processor| processor.index())
}

#[test]
fn law_the_processors_that_check_counts_on_are_those_that_the_top_gives() {
    let plan =
        Scenario::parse("test.toml", &with(&thread("root", "[1]"))).unwrap().build().unwrap();
    let given = [("root", 0), ("root", 1), ("root", 2), ("single", 0), ("one", 0)];
    let given = given.map(|(name, own)| at_top(&plan.hierarchy, name, own));
    assert_eq!(given, [Some(0), Some(1), Some(2), Some(3), None]);
    for processor in 0..3 {
        assert_eq!(sent("root", &format!("[{processor}]")), Some(vec![processor]));
    }
}

#[test]
fn accepts_each_binding_that_own_virtual_processors_keep() {
    assert_eq!(sent("root", "[2, 0]"), Some(vec![0, 2]));
    assert_eq!(sent("root", "\"1-2\""), Some(vec![1, 2]));
    // Processors that the scheduler does not have are left out, as by the kernel.
    assert_eq!(sent("root", "[1, 3]"), Some(vec![1]));
    // Through a scheduler on one processor.
    assert_eq!(sent("below", "[3]"), Some(vec![0]));
    // All that it has: a kind that binds nobody need not be told.
    assert_eq!(sent("single", "[3]"), None);
    assert_eq!(sent("single", "[0, 3]"), None);
    assert_eq!(sent("one", "[3]"), Some(vec![0]));
    assert_eq!(sent("below", "[0, 1, 2, 3]"), Some(vec![0, 1]));
}

#[test]
fn refuses_each_binding_that_they_do_not_keep() {
    let line = TREE.lines().count() + 4;
    let refuse = |parent: &str, processors: &str, message: &str, help: &str| {
        tells(&with(&thread(parent, processors)), &[(line, message, help)]);
    };
    refuse("root", "[4]", "the machine has no processor 4", "write 0 to 3");
    refuse(
        "root",
        "[3]",
        "`root` has processors 0, 1, 2, none of those",
        "below a scheduler that has",
    );
    refuse("single", "[0]", "`single` has processors 3, none of those", "name some of these");
    let message =
        "virtual processor 1 of `below` has now one and now another of processors 0, 1, 2";
    refuse("below", "[0]", message, "give `below` parents that have one processor each");
    refuse("root", "[]", "no processor is named", "write processors, as `[0, 1]`");
    refuse("root", "[1, 1]", "processor 1 is named twice", "write processors");
    refuse("root", "[-1]", "`-1` is out of range", "write processors");
    refuse("root", "[192]", "`192` is out of range", "write processors");
    refuse("root", "[\"a\"]", "`a` is not the number of a processor", "write processors");
    refuse("root", "1", "`1` is not a list of processors", "write processors");
}

#[test]
fn refuses_a_binding_below_a_kind_that_keeps_none() {
    let text = with(&thread("root", "[1]")).replace("proportional-share", "edf");
    let line = TREE.lines().count() + 4;
    let message = "`root` is a `edf`, which keeps no child on some of its processors";
    let help = "or below one of: bvt, proportional-share, round-robin, time-sharing";
    tells(&text, &[(line, message, help)]);
}

#[test]
fn refuses_a_scheduler_that_is_bound() {
    let at = TREE.lines().count();
    let parents = with(
        "[schedulers.more]\nscheduler = \"edf\"\nparents = [{ parent = \"root\", processors = [0] }]\n",
    );
    tells(&parents, &[(at + 3, "processors", "")]);
    let request =
        "[[at]]\ntime = \"0s\"\ndo = \"processors\"\nscheduler = \"one\"\nprocessors = [3]\n";
    tells(
        &with(request),
        &[(at + 4, "threads are bound to processors, not schedulers", "name a thread")],
    );
    let request = "[[at]]\ntime = \"0s\"\ndo = \"move\"\nscheduler = \"one\"\nto = \"root\"\nprocessors = [3]\n";
    tells(
        &with(request),
        &[(at + 6, "threads are bound to processors, not schedulers", "leave it out")],
    );
}

#[test]
fn refuses_other_parents_above_a_bound_thread_and_accepts_them_above_one_that_is_not() {
    for (request, names) in [
        ("do = \"add-parent\"\nscheduler = \"single\"\nto = \"root\"", "single"),
        ("do = \"move\"\nscheduler = \"one\"\nto = \"root\"", "one"),
        ("do = \"remove-parent\"\nscheduler = \"single\"", "single"),
    ] {
        let request = format!("[[at]]\ntime = \"100ms\"\n{request}\n");
        let text = |processors: &str| with(&format!("{}{request}", thread("one", processors)));
        let message = format!("`a` is bound to processors that `{names}` has where it is");
        let all = Scenario::parse("test.toml", &text("[3]")).unwrap_err().to_string();
        assert!(all.contains(&message) && all.contains("binding-not-kept"), "{all}");
        let free = Scenario::parse("test.toml", &text("[0, 1, 2, 3]"));
        let free = free.err().map(|why| why.to_string()).unwrap_or_default();
        assert!(!free.contains("is bound to processors"), "{free}");
    }
}

#[test]
fn refuses_a_binding_of_a_thread_that_another_request_moves_and_accepts_it_with_the_move() {
    let at = TREE.lines().count();
    let moves = "[threads.a]\nrun = \"spin\"\n[[at]]\ntime = \"100ms\"\ndo = \"move\"\nthread = \"a\"\nto = \"below\"\n";
    let request =
        "[[at]]\ntime = \"200ms\"\ndo = \"processors\"\nthread = \"a\"\nprocessors = [3]\n";
    let message = "`a` may be below another scheduler by then";
    tells(
        &with(&format!("{moves}{request}")),
        &[(at + 12, message, "with the request that moves it")],
    );
    let scenario =
        Scenario::parse("test.toml", &with(&format!("{moves}processors = [3]\n"))).unwrap();
    let plan = scenario.build().unwrap();
    let moved = plan.requests.iter().find_map(|(_, request)| match request {
        PlannedRequest::Move { messages, .. } => messages.iter().find_map(|m| read_processors(*m)),
        _ => None,
    });
    assert_eq!(moved, ProcessorSet::of([0]).ok());
}

#[test]
fn refuses_to_promise_a_share_beside_a_bound_thread_and_promises_it_without() {
    let file = |bound: &str| {
        with(&format!(
            "{}[threads.b]\nrun = \"spin\"\nguarantee = \"PS 1/2\"\n",
            thread("root", bound)
        ))
    };
    let promises = |bound: &str| Scenario::parse("test.toml", &file(bound)).unwrap().promises();
    let (some, all) = (promises("[1]"), promises("[0, 1, 2]"));
    assert_eq!(all.refused().count(), 0);
    let refused: Vec<usize> = some.refused().collect();
    assert_eq!(refused.len(), 1);
    let why = format!("{:?}", some.findings.vps[refused[0]].refused);
    assert!(why.contains("bound to some of its processors"), "{why}");
}

/// In a run, the processors are those that it has.
#[test]
fn law_a_request_to_a_run_counts_on_the_processors_of_the_run() {
    let live = Live::new(Scenario::parse("test.toml", &with(&thread("root", "[1]"))).unwrap());
    let top = || vec![Parent::Top, Parent::Top];
    let node = |known: bool| {
        let node = LiveNode::new("made", "round-robin", top());
        vec![if known { node.at_top(vec![Some(3), Some(1)]) } else { node }]
    };
    let threads = [LiveThread::new("a", Some("made".to_owned()))];
    let plan = |known: bool, processors: &str| {
        let text = format!(
            "[[at]]\ntime = \"0s\"\ndo = \"processors\"\nthread = \"a\"\nprocessors = {processors}\n"
        );
        let planned = live.plan(&node(known), &threads, &text);
        planned.map(|request| request.planned).map_err(|why| why.to_string())
    };
    for (processors, own_vps) in
        [("[3]", vec![0]), ("[1, 2]", vec![1]), ("[0, 1, 2, 3]", vec![0, 1])]
    {
        let planned = plan(true, processors).unwrap();
        let [PlannedRequest::Thread(0, message)] = planned.as_slice() else {
            panic!("{processors}")
        };
        let set = read_processors(*message).map(|set| set.iter().collect());
        assert_eq!(set, Some(own_vps), "{processors}");
    }
    let refused = plan(true, "[0]").err().unwrap();
    assert!(refused.contains("`made` has processors 1, 3, none of those"), "{refused}");
    let refused = plan(false, "[1]").err().unwrap();
    assert!(refused.contains("which processors `made` will have is not known"), "{refused}");
}

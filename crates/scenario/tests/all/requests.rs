//! Control requests of a scenario, carried out on its hierarchy without any host.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use windfall_hierarchy::{Hierarchy, HierarchyError, Message, ThreadId};
use windfall_scenario::{Place, Plan, PlannedRequest, Scenario};
use windfall_time::Instant;

const TREE: &str = r#"
schema  = 2
seed    = 1
length  = "1s"
default = "rr"
[schedulers.fp]
scheduler = "fixed-priority"
parent    = "top"
[schedulers.rr]
scheduler = "round-robin"
parent    = "fp"
priority  = 1
[schedulers.edf]
scheduler = "edf"
parent    = "fp"
priority  = 2
[threads.a]
parent   = "edf"
periodic = "1ms/10ms"
"#;

/// The plan of the tree with these requests, and its thread as the hierarchy knows it.
fn plan(requests: &str) -> (Plan, ThreadId) {
    let scenario = Scenario::parse("test.toml", &format!("{TREE}{requests}"))
        .unwrap_or_else(|why| panic!("{}", why.render(false)));
    let mut plan = scenario.build().unwrap();
    let (parent, messages) = (plan.threads[0].parent, plan.threads[0].messages.clone());
    let id = plan.hierarchy.create_thread(Instant::ZERO, parent, &messages).unwrap();
    (plan, id)
}

/// Each request in words, and what came of it.
type Answers = Vec<(String, Result<(), HierarchyError>)>;

/// Carries out all of them, in order; what each says in words, and how it went.
fn carried_out(requests: &str) -> (Hierarchy, ThreadId, Answers) {
    let (plan, id) = plan(requests);
    let mut hierarchy = plan.hierarchy;
    let requests = plan.requests.into_iter();
    let asked = requests.filter(|(_, one)| !matches!(one, PlannedRequest::Promises(_)));
    let done = asked.map(|(at, request)| {
        let text = request.text(&|thread| plan.threads[thread].name.clone());
        (text, request.carry_out(&mut hierarchy, at, &|_| Some(id)))
    });
    let done = done.collect();
    (hierarchy, id, done)
}

fn parent(hierarchy: &Hierarchy, id: ThreadId) -> Option<&str> {
    hierarchy.name(hierarchy.parent_of(id).unwrap())
}

#[test]
fn accepts_requests_and_says_each_in_words() {
    let (hierarchy, id, done) = carried_out(
        r#"
[[at]]
time = "1ms"
do   = "create"
name = "late"
with = { scheduler = "edf", parent = "fp", priority = 3 }
[[at]]
time   = "2ms"
do     = "move"
thread = "a"
to     = "late"
[[at]]
time      = "3ms"
do        = "priority"
scheduler = "late"
priority  = 4
[[at]]
time      = "4ms"
do        = "quantum"
scheduler = "rr"
quantum   = "5ms"
[[at]]
time  = "5ms"
do    = "timer"
timer = "64Hz"
[[at]]
time      = "6ms"
do        = "destroy"
scheduler = "edf"
"#,
    );
    let said: Vec<&str> = done.iter().map(|(text, _)| text.as_str()).collect();
    let expected = [
        "create edf `late`",
        "move `a` to `late`",
        "priority for `late`",
        "quantum of `rr`",
        "timer at 64 Hz",
        "destroy `edf`",
    ];
    assert_eq!(said, expected);
    assert!(done.iter().all(|(_, how)| how.is_ok()), "{done:?}");
    assert_eq!(parent(&hierarchy, id), Some("late"));
    assert!(hierarchy.find_node("edf").is_none());
}

#[test]
fn accepts_schedulers_that_move_gain_and_lose_parents() {
    let (hierarchy, _, done) = carried_out(
        r#"
[[at]]
time      = "1ms"
do        = "move"
scheduler = "edf"
to        = "rr"
[[at]]
time      = "2ms"
do        = "add-parent"
scheduler = "edf"
to        = "fp"
priority  = 7
[[at]]
time      = "3ms"
do        = "remove-parent"
scheduler = "edf"
[[at]]
time      = "4ms"
do        = "remove-parent"
scheduler = "edf"
processor = 1
[[at]]
time      = "5ms"
do        = "move"
scheduler = "fp"
to        = "edf"
"#,
    );
    let said: Vec<&str> = done.iter().map(|(text, _)| text.as_str()).collect();
    let expected = [
        "move `edf` to `rr`",
        "add parent `fp` to `edf`",
        "remove parent 0 of `edf`",
        "remove parent 1 of `edf`",
        "move `fp` to `edf`",
    ];
    assert_eq!(said, expected);
    let how: Vec<_> = done.into_iter().map(|(_, how)| how).collect();
    let last = [Err(HierarchyError::NoParent), Err(HierarchyError::Cycle)];
    assert_eq!((&how[..3], &how[3..]), (&[Ok(()), Ok(()), Ok(())][..], &last[..]));
    let owns = hierarchy.node(hierarchy.find_node("edf").unwrap()).unwrap().owns;
    let parents: Vec<Option<windfall_hierarchy::Parent>> = owns.iter().map(|own| own.0).collect();
    let fp = windfall_hierarchy::Parent::Node(hierarchy.find_node("fp").unwrap());
    assert_eq!(parents, [None, Some(fp)]);
}

#[test]
fn law_a_transaction_happens_whole_or_not_at_all() {
    let transaction = |last: &str| {
        format!(
            r#"
[[at]]
time = "1ms"
do   = "transaction"
requests = [
    {{ do = "create", name = "late", with = {{ scheduler = "edf", parent = "fp", priority = 3 }} }},
    {{ do = "move", thread = "a", to = "late" }},
    {last}
]
"#
        )
    };
    let (hierarchy, id, done) =
        carried_out(&transaction(r#"{ do = "destroy", scheduler = "edf" }"#));
    assert_eq!(done[0].1, Ok(()));
    assert_eq!(done[0].0, "transaction (create edf `late`; move `a` to `late`; destroy `edf`)");
    assert_eq!(parent(&hierarchy, id), Some("late"));

    let (hierarchy, id, done) =
        carried_out(&transaction(r#"{ do = "move", scheduler = "fp", to = "late" }"#));
    assert_eq!(done[0].1, Err(HierarchyError::Cycle));
    assert_eq!(parent(&hierarchy, id), Some("edf"));
    assert!(hierarchy.find_node("late").is_none());
}

#[test]
fn refuses_transactions_that_cannot_be_read() {
    let refused = |requests: &str| {
        let text = format!("{TREE}[[at]]\ntime = \"1ms\"\ndo = \"transaction\"\n{requests}");
        Scenario::parse("test.toml", &text).unwrap_err().render(false)
    };
    for (requests, why) in [
        ("", "`requests` is missing"),
        ("requests = 3", "`requests` is a list of requests"),
        ("requests = []", "no requests"),
        (r#"requests = [{ do = "destroy", scheduler = "x" }]"#, "unknown scheduler `x`"),
        (
            r#"requests = [{ time = "2ms", do = "destroy", scheduler = "edf" }]"#,
            "a part of a transaction has no `time`",
        ),
        (
            r#"requests = [{ do = "transaction", requests = [{ do = "default", scheduler = "rr" }] }]"#,
            "a transaction within a transaction",
        ),
        (r#"requests = [{ do = "move", scheduler = "rr", to = "rr" }]"#, "lie below itself"),
        (
            r#"requests = [{ do = "remove-parent", scheduler = "rr" }]"#,
            "`rr` would have no parent left",
        ),
    ] {
        let told = refused(requests);
        assert!(told.contains(why), "no `{why}` in:\n{told}");
    }
}

#[test]
fn refuses_what_names_nothing_that_lives() {
    let (mut plan, id) = plan("");
    let hierarchy = &mut plan.hierarchy;
    let mut ask = |request: PlannedRequest, known: Option<ThreadId>| {
        request.carry_out(hierarchy, Instant::ZERO, &|_| known)
    };
    let gone = |what| Err(HierarchyError::Stale { what });
    assert_eq!(ask(PlannedRequest::Destroy("nobody".into()), None), gone("scheduler"));
    assert_eq!(ask(PlannedRequest::Default("nobody".into()), None), gone("scheduler"));
    let priority = Message::Priority(1);
    assert_eq!(ask(PlannedRequest::Thread(0, priority), None), gone("thread"));
    let to = |to: &str| PlannedRequest::Move { thread: 0, to: to.into(), messages: Vec::new() };
    assert_eq!(ask(to("rr"), None), gone("thread"));
    assert_eq!(ask(to("nobody"), Some(id)), gone("scheduler"));
    assert_eq!(parent(&plan.hierarchy, id), Some("edf"));
}

#[test]
fn law_a_request_says_whom_it_moves() {
    let to = PlannedRequest::Move { thread: 3, to: "rr".into(), messages: Vec::new() };
    assert_eq!((to.thread(), to.moves_many()), (Some(3), false));
    let destroy = PlannedRequest::Destroy("edf".into());
    assert_eq!((destroy.thread(), destroy.moves_many()), (None, true));
}

#[test]
fn law_a_thread_whose_scheduler_is_gone_or_refuses_it_begins_below_the_default() {
    let (mut plan, _) = plan("");
    let (edf, hierarchy) = (plan.threads[0].parent, &mut plan.hierarchy);
    let take = |hierarchy: &mut Hierarchy, messages: &[Message]| {
        Place::take(hierarchy, Instant::ZERO, "b", (edf, messages)).unwrap()
    };
    let planned = take(hierarchy, &plan.threads[0].messages);
    assert_eq!((planned.parent, planned.remark), (edf, None));
    for why in ["message `priority` means nothing here", "its scheduler is gone"] {
        let place = take(hierarchy, &[Message::Priority(1)]);
        assert_eq!(hierarchy.name(place.parent), Some("rr"));
        assert_eq!(parent(hierarchy, place.thread), Some("rr"));
        let remark = place.remark.unwrap();
        assert!(remark.starts_with("`b` begins below the default `rr`: "), "{remark}");
        assert!(remark.contains(why), "{remark}");
        let _ = hierarchy.destroy(Instant::ZERO, edf);
    }
}

#[test]
fn refuses_a_thread_that_no_scheduler_would_have() {
    let (plan, _) = plan("");
    let mut empty = Hierarchy::new(1);
    let wanted = (plan.threads[0].parent, &[][..]);
    let place = Place::take(&mut empty, Instant::ZERO, "b", wanted);
    assert_eq!(place, Err(HierarchyError::Stale { what: "scheduler" }));
}

/// A reservation below a priority, and requests.
fn requested(requests: &str) -> Scenario {
    let text = format!(
        r#"schema = 2
length = "10s"
[schedulers.fp]
scheduler = "fixed-priority"
parent = "top"
[schedulers.res]
scheduler = "rez"
parent = "fp"
priority = 5
[threads.a]
parent = "res"
guarantee = "RESBH 3ms 10ms"
run = "spin"
count = 2
[threads.b]
parent = "fp"
priority = 1
run = "spin"
{requests}"#
    );
    Scenario::parse("requested.toml", &text).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

#[test]
fn law_requests_of_a_file_that_break_what_is_granted_are_named() {
    let above = "[[at]]\ntime = \"2s\"\ndo = \"create\"\nname = \"above\"\nwith = { scheduler = \"round-robin\", parent = \"fp\", priority = 9 }\n";
    let broken = requested(above).broken_by_requests();
    let broken: Vec<_> =
        broken.iter().map(|(at, lost)| (at.to_string(), lost.owner.as_str())).collect();
    assert_eq!(broken, [("2s".to_owned(), "a-1"), ("2s".to_owned(), "a-2")]);
    let below = above.replace("priority = 9", "priority = 2");
    assert!(requested(&below).broken_by_requests().is_empty());
    // Who asks for something else itself is not broken by that.
    let other =
        "[[at]]\ntime = \"2s\"\ndo = \"reserve\"\nthread = \"a-1\"\nreserve = \"8ms/10ms\"\n";
    assert!(requested(other).broken_by_requests().is_empty());
    assert!(requested("").broken_by_requests().is_empty());
}

//! Shares in the long run: what the checker grants is received, also beside nappers, on parts of processors and
//! beside warps.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use windfall_guarantees::Guarantee;
use windfall_scenario::Scenario;
use windfall_scenario::outcome::{Outcome, PromiseStatus, all_promises, promises};
use windfall_sim::Sim;
use windfall_time::Instant;

fn parsed(text: &str) -> Scenario {
    let text = format!("schema = 2\nseed = 1\n{text}");
    match Scenario::parse("test.toml", &text) {
        Ok(scenario) => scenario,
        Err(mistakes) => panic!("{}", mistakes.render(false)),
    }
}

/// Runs it; all that the checker says holds is judged, and must be kept.
fn keeps(text: &str) -> Outcome {
    let scenario = parsed(text);
    let plan = scenario.build().map_err(|mistakes| mistakes.render(false)).unwrap();
    let mut sim = Sim::of(plan, None).unwrap();
    sim.judge_promises(&all_promises(&scenario));
    let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
    for verdict in &outcome.promises {
        let (owner, promise) = (verdict.owner(), verdict.promise.guarantee);
        assert!(!verdict.is_failure(), "{owner} was promised {promise}: {:?}", verdict.verdict);
    }
    outcome
}

/// Whether what a thread asks for is granted.
fn is_granted(text: &str, owner: &str) -> bool {
    let scenario = parsed(text);
    assert!(scenario.threads.iter().any(|thread| thread.name == owner), "{owner}");
    promises(&scenario).iter().any(|promise| promise.owner == owner)
}

/// How many threads were found to be kept.
fn kept(outcome: &Outcome) -> usize {
    outcome.promises.iter().filter(|verdict| verdict.status() == PromiseStatus::Kept).count()
}

fn percent(outcome: &Outcome, name: &str) -> u64 {
    let thread = outcome.threads.iter().find(|thread| thread.name == name).unwrap();
    thread.received.as_nanos() * 100 / outcome.length.as_nanos()
}

/// A spinner that asks for a share beside two that nap together, a turn long, on two processors.
fn beside_nappers(kind: &str, share: &str) -> String {
    format!(
        r#"
length = "20s"
machine = {{ processors = 2 }}
[schedulers.s]
scheduler  = "{kind}"
parent     = "top"
processors = 2
[threads.a]
run       = "spin"
guarantee = "{share}"
[threads.b]
periodic  = {{ work = "10ms", period = "20ms" }}
guarantee = "{share}"
[threads.c]
periodic  = {{ work = "10ms", period = "20ms" }}
guarantee = "{share}"
"#
    )
}

#[test]
fn refuses_a_share_that_nappers_take_on_two_processors() {
    for kind in ["proportional-share", "bvt", "sfs"] {
        assert!(!is_granted(&beside_nappers(kind, "PS 2/3"), "a"), "{kind}");
        assert!(is_granted(&beside_nappers(kind, "PS 1/2"), "a"), "{kind}");
        assert!(kept(&keeps(&beside_nappers(kind, "PS 1/2"))) > 0, "{kind}");
    }
}

/// One of weight 10 beside a spinner and four nappers of weight 1 each. (Erratum 14.)
fn heavy(kind: &str, share: &str) -> String {
    let naps: String = (0..4)
        .map(|nap| {
            format!(
                "[threads.nap{nap}]\nguarantee = \"PS 1/10\"\nphases = [{{ name = \"nap\", steps = \
                 [{{ run = \"10ms\" }}, {{ timer = \"130ms\" }}] }}]\n"
            )
        })
        .collect();
    format!(
        r#"
length = "20s"
machine = {{ processors = 2 }}
[schedulers.s]
scheduler  = "{kind}"
parent     = "top"
processors = 2
[threads.heavy]
guarantee = "{share}"
run       = "spin"
[threads.light]
guarantee = "PS 1/10"
run       = "spin"
{naps}"#
    )
}

#[test]
fn refuses_a_whole_processor_beside_nappers_as_the_surplus_fair_scheduler_promised_it() {
    assert!(!is_granted(&heavy("sfs", "PS 1"), "heavy"));
    let outcome = keeps(&heavy("sfs", "PS 1/2"));
    assert!(percent(&outcome, "heavy") >= 66, "{}", percent(&outcome, "heavy"));
    assert!(is_granted(&heavy("sfs", "PS 1/2"), "heavy"));
}

/// So many own virtual processors with half a processor each, and threads that ask for that.
fn halves(owns: usize, asks: &[&str]) -> String {
    let mut text = format!("length = \"10s\"\nmachine = {{ processors = {owns} }}\n");
    for own in 0..owns {
        text += &format!("[schedulers.r{own}]\nscheduler = \"rez\"\nparent = \"top\"\n");
    }
    let parents: Vec<String> = (0..owns)
        .map(|own| format!("{{ parent = \"r{own}\", guarantee = \"RESBH 5ms 10ms\" }}"))
        .collect();
    text += &format!(
        "[schedulers.s]\nscheduler = \"proportional-share\"\nparents = [{}]\n",
        parents.join(", ")
    );
    for (number, asks) in asks.iter().enumerate() {
        text += &format!(
            "[threads.t{number}]\nparent = \"s\"\nrun = \"spin\"\nguarantee = \"{asks}\"\n"
        );
    }
    text
}

#[test]
fn refuses_supply_that_fewer_children_than_processors_cannot_use() {
    assert!(!is_granted(&halves(2, &["PS 1"]), "t0"));
    assert!(is_granted(&halves(2, &["PS 1/2"]), "t0"));
    for thread in ["t0", "t1"] {
        assert!(!is_granted(&halves(3, &["PS 3/4", "PS 3/4"]), thread));
    }
    for owns in 1..4 {
        for threads in 1..4 {
            keeps(&halves(owns, &vec!["PS 1/8"; threads]));
        }
    }
}

#[test]
fn law_no_single_thread_is_said_to_have_two_processors() {
    for kind in ["proportional-share", "bvt", "sfs"] {
        let text = format!(
            "length = \"5s\"\nmachine = {{ processors = 2 }}\n[schedulers.s]\nscheduler = \"{kind}\"\n\
             parent = \"top\"\nprocessors = 2\n[threads.a]\nrun = \"spin\"\nguarantee = \"PS 1\"\n"
        );
        assert!(is_granted(&text, "a"), "{kind}");
        let most = all_promises(&parsed(&text)).into_iter().filter_map(|p| p.guarantee.share());
        assert_eq!(most.max().unwrap().to_string(), "1", "{kind}");
        keeps(&text);
    }
}

/// One child whose share is told as a guarantee, with a warp, beside another.
fn warped(kind: &str, asks: &str) -> String {
    format!(
        r#"
length = "20s"
[schedulers.s]
scheduler = "{kind}"
parent    = "top"
[threads.a]
run       = "spin"
{asks}
warp      = "100ms"
[threads.b]
run       = "spin"
guarantee = "PS 1/4"
[threads.c]
run       = "spin"
guarantee = "PS 1/4"
"#
    )
}

#[test]
fn law_a_warp_beside_guarantees_starves_nobody() {
    for kind in ["bvt", "proportional-share"] {
        for asks in ["guarantee = \"PS 1/4\"", "share = 250"] {
            let outcome = keeps(&warped(kind, asks));
            for name in ["b", "c"] {
                let got = percent(&outcome, name);
                assert!((32..35).contains(&got), "{kind} {asks}: {name} got {got} %");
            }
            assert!(kept(&outcome) >= 3, "{kind} {asks}");
        }
    }
}

#[test]
fn refuses_a_warp_that_is_too_short_beside_guarantees() {
    let text = warped("bvt", "guarantee = \"PS 1/4\"").replace("100ms", "100ns");
    let text = format!("schema = 2\nseed = 1\n{text}");
    let wrong = Scenario::parse("test.toml", &text).map(|_| ()).unwrap_err().render(false);
    assert!(wrong.contains("warp"), "{wrong}");
}

/// A thread that yields all the time beside a spinner, with a guarantee, below a scheduler of that kind.
fn yielder(kind: &str, guarantee: &str) -> String {
    format!(
        r#"
length = "2s"
[schedulers.s]
scheduler = "{kind}"
parent    = "top"
[threads.y]
guarantee = "{guarantee}"
steps     = [{{ run = "100us" }}, "yield"]
[threads.b]
run       = "spin"
guarantee = "{guarantee}"
"#
    )
}

#[test]
fn law_a_thread_that_yields_is_runnable_and_receives_what_it_was_promised() {
    for (kind, guarantee) in [
        ("eevdf", "PSBE 3/10 50ms"),
        ("proportional-share", "PSBE 3/10 50ms"),
        ("stride", "PS 1/2"),
        ("lottery", "PS 1/2"),
        ("rez", "RESBH 3ms 10ms"),
        ("cbs", "RESBS 3ms 10ms"),
        ("rez", "RESBH 750us 7ms"),
    ] {
        let text = yielder(kind, guarantee);
        assert!(is_granted(&text, "y"), "{kind}: {guarantee}");
        let outcome = keeps(&text);
        let of_it = outcome.promises.iter().filter(|verdict| verdict.owner() == "y");
        let requested = guarantee.parse().unwrap();
        let found = of_it.into_iter().find(|verdict| verdict.promise.guarantee == requested);
        if let Some(found) = found {
            assert_eq!(found.status(), PromiseStatus::Kept, "{kind}: {guarantee}");
        }
        assert!(kept(&outcome) >= 2, "{kind}: {guarantee}");
    }
}

#[test]
fn law_a_yield_is_no_nap_of_a_virtual_processor_above() {
    let outcome = keeps(
        r#"
length = "2s"
[schedulers.e]
scheduler = "eevdf"
parent    = "top"
[schedulers.rr]
scheduler = "round-robin"
parent    = "e"
guarantee = "PSBE 3/10 50ms"
[threads.b]
parent    = "e"
run       = "spin"
guarantee = "PSBE 3/10 50ms"
[threads.y]
parent    = "rr"
steps     = [{ run = "100us" }, "yield"]
"#,
    );
    assert!(percent(&outcome, "y") >= 49, "{}", percent(&outcome, "y"));
}

/// A scheduler by shares below a uniformly slower processor, which it tells the ends of its quanta, or does not.
fn slower(kind: &str, asks: &str, tells: bool) -> String {
    format!(
        r#"
length = "20s"
[schedulers.speeds]
scheduler = "pshed"
parent    = "top"
[schedulers.s]
scheduler = "{kind}"
parent    = "speeds"
guarantee = "RESU 1/2"
quantum   = "5ms"
report-deadlines = {tells}
[schedulers.rival]
scheduler = "edf"
parent    = "speeds"
guarantee = "RESU 1/2"
report-deadlines = true
[threads.a]
parent    = "s"
guarantee = "{asks}"
run       = "spin"
[threads.b]
parent    = "s"
share     = 300
run       = "spin"
[threads.other]
parent   = "rival"
periodic = "4ms/10ms"
"#
    )
}

#[test]
fn paper_hls_5_1_a_slower_processor_gives_a_bounded_error_by_the_ends_of_quanta() {
    for kind in ["proportional-share", "eevdf"] {
        let asks = "PSBE 1/8 20ms";
        assert!(is_granted(&slower(kind, asks, true), "a"), "{kind}");
        assert!(!is_granted(&slower(kind, asks, false), "a"), "{kind}: nothing is told");
        let outcome = keeps(&slower(kind, asks, true));
        let errors = |verdict: &&windfall_scenario::outcome::PromiseVerdict| {
            matches!(verdict.promise.guarantee, Guarantee::BoundedShare(..))
                && verdict.promise.owner == "a"
                && verdict.status() == PromiseStatus::Kept
        };
        assert!(outcome.promises.iter().any(|verdict| errors(&verdict)), "{kind}");
    }
}

/// HLS 7.1: the schedulers are to be "tuned for strong processor affinity to minimize the number of times threads migrate".
#[test]
fn limit_web_servers_migrate_below_5_percent_of_their_dispatches() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/web-servers.toml");
    let scenario = Scenario::load(path.as_ref()).unwrap();
    let sim = Sim::of(scenario.build().unwrap(), None).unwrap();
    let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
    let dispatches: u64 = outcome.threads.iter().map(|thread| thread.dispatches).sum();
    let migrations: u64 = outcome.threads.iter().map(|thread| thread.migrations).sum();
    assert!(outcome.quarantined.is_empty() && dispatches > 1_000, "{dispatches} dispatches");
    assert!(migrations * 20 < dispatches, "{migrations} of {dispatches}");
}

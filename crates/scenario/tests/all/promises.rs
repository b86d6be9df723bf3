//! The checker on scenarios: the dissertation's figures and numbers, and what it says when it refuses.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use windfall_guarantees::{Guarantee, rewrite};
use windfall_scenario::explain::Verdict;
use windfall_scenario::{Promises, Scenario};

fn promises(text: &str) -> Promises {
    let head = "schema = 2\nseed = 1\nlength = \"1 s\"\n";
    let scenario = Scenario::parse("test.toml", &format!("{head}{text}"))
        .unwrap_or_else(|why| panic!("{}", why.render(false)));
    scenario.check().unwrap();
    scenario.promises()
}

fn file(name: &str) -> Promises {
    let path = format!("{}/../../scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Scenario::load(path.as_ref()).unwrap().promises()
}

/// The guarantees that hold at the one virtual processor of that name.
fn has(promises: &Promises, name: &str) -> Vec<String> {
    let vps = promises.named(name);
    let options = vps.iter().flat_map(|vp| &promises.findings.vps[*vp].options);
    options.map(|link| promises.findings.links[*link].gives.to_string()).collect()
}

fn granted(promises: &Promises, name: &str, requested: &str) {
    let explained: Vec<_> =
        promises.named(name).into_iter().map(|vp| promises.explain(vp)).collect();
    let found = explained.iter().find(|why| why.requested.as_deref() == Some(requested));
    let found = found.unwrap_or_else(|| panic!("{name} does not ask for {requested}"));
    assert_eq!(found.verdict, Verdict::Granted, "{found}");
    assert_eq!(found.chain.last().unwrap().guarantee, requested);
}

/// 5.3.3.1, figure 5.4.
#[test]
fn paper_six_threads_of_fair_queuing() {
    let mut text = String::from(
        "[machine]\nprocessors = 1\n[schedulers.root]\nscheduler = \"time-line\"\nparent = \"top\"\n\
         [schedulers.sfq]\nscheduler = \"proportional-share\"\nparent = \"root\"\n\
         guarantee = \"RESCS 10ms 20ms\"\nquantum = \"10ms\"\n\
         [threads.t1]\nparent = \"sfq\"\nrun = \"spin\"\nshare = 5\nguarantee = \"PSBE 1/4 75ms\"\n",
    );
    for other in 2..=6 {
        text += &format!("[threads.t{other}]\nparent = \"sfq\"\nrun = \"spin\"\nshare = 1\n");
    }
    let promises = promises(&text);
    granted(&promises, "t1", "PSBE 1/4 75ms");
    assert_eq!(has(&promises, "t1"), ["PSBE 1/4 75ms"]);
    let first: Guarantee = "PSBE 1/4 75ms".parse().unwrap();
    assert!(rewrite(&first, &"RESCS 25ms 400ms".parse().unwrap()).is_ok());
}

/// 7.2, figure 7.2.
#[test]
fn paper_home_computer() {
    let promises = file("home-computer");
    assert_eq!(promises.refused().count(), 0);
    granted(&promises, "ts1", "PSBE 3/10 35ms");
    granted(&promises, "t7", "PSBE 1/10 15ms");
    granted(&promises, "sfq", "RESBS 10ms 20ms");
    granted(&promises, "rm", "RESBS 3ms 10ms");
    granted(&promises, "t1", "RESBH 1ms 10ms");
    let why = promises.explain(promises.named("ts1")[0]);
    let chain: Vec<&str> = why.chain.iter().map(|reason| reason.guarantee.as_str()).collect();
    assert_eq!(
        chain,
        ["ALL", "ALL", "RESBH 10ms 20ms", "RESBS 10ms 20ms", "PSBE 1/2 10ms", "PSBE 3/10 35ms"]
    );
    assert_eq!(why.chain[4].by, "theorem 5.5");
    assert_eq!(why.chain[5].by, "equation 5.2");
}

/// 7.1, figure 7.1.
#[test]
fn paper_web_servers() {
    let promises = file("web-servers");
    assert_eq!(promises.refused().count(), 0);
    for (name, requested) in [
        ("ps2", "PS 2/5"),
        ("ps3", "PS 1/5"),
        ("ps4", "PS 1/5"),
        ("ps5", "PS 1"),
        ("ps5", "PS 3/5"),
        ("ps6", "PS 1/5"),
        ("ps7", "PS 1"),
        ("ps7", "PS 2/5"),
    ] {
        granted(&promises, name, requested);
    }
}

/// 7.3, figure 7.3.
#[test]
fn paper_terminal_server() {
    let promises = file("terminal-server");
    assert_eq!(promises.refused().count(), 0);
    for (name, requested) in [("t3", "RESBH 4ms 10ms"), ("ts1", "PS 3/10"), ("ts2", "PS 3/10")] {
        granted(&promises, name, requested);
    }
}

const REZ: &str = "[schedulers.rez]\nscheduler = \"rez\"\nparent = \"top\"\n\
    [threads.a]\nparent = \"rez\"\nrun = \"spin\"\nguarantee = \"RESBH 5ms 10ms\"\n\
    [threads.b]\nparent = \"rez\"\nrun = \"spin\"\nguarantee = \"RESBH 6ms 20ms\"\n";

#[test]
fn refuses_with_what_fits_who_is_in_the_way_and_the_chain_above() {
    let more = "[threads.c]\nparent = \"rez\"\nrun = \"spin\"\nguarantee = \"RESBH 3ms 10ms\"\n";
    let promises = promises(&format!("{REZ}{more}"));
    assert_eq!(promises.refused().count(), 1);
    let why = promises.explain(promises.named("c")[0]);
    assert_eq!(why.verdict, Verdict::Refused);
    let remedies = why.refusal.unwrap();
    assert_eq!(remedies.largest.as_deref(), Some("RESBH 2ms 10ms"));
    assert_eq!(remedies.shortest.as_deref(), Some("RESBH 3ms 15ms"));
    // Without b, the smaller of the two, it would fit.
    assert_eq!(remedies.in_the_way, [("b".to_owned(), Some("RESBH 6ms 20ms".to_owned()))]);
    assert!(remedies.above.is_empty(), "nothing is more than ALL");
}

#[test]
fn accepts_what_fits_to_the_nanosecond() {
    let fits = |requested: &str| {
        let more =
            format!("[threads.c]\nparent = \"rez\"\nrun = \"spin\"\nguarantee = \"{requested}\"\n");
        promises(&format!("{REZ}{more}")).refused().count() == 0
    };
    assert!(fits("RESBH 2ms 10ms"));
    assert!(!fits("RESBH 2.000001ms 10ms"));
    assert!(fits("RESBH 3ms 15ms"));
    assert!(!fits("RESBH 3ms 14.999999ms"));
}

#[test]
fn refuses_with_the_least_change_above() {
    let promises = promises(
        "[schedulers.rez]\nscheduler = \"rez\"\nparent = \"top\"\n\
         [schedulers.sfq]\nscheduler = \"proportional-share\"\nparent = \"rez\"\nquantum = \"1ms\"\n\
         guarantee = \"RESBS 4ms 20ms\"\n\
         [threads.a]\nparent = \"sfq\"\nrun = \"spin\"\nshare = 1\nguarantee = \"PS 1/8\"\n\
         [threads.b]\nparent = \"sfq\"\nrun = \"spin\"\nshare = 1\n",
    );
    let why = promises.explain(promises.named("a")[0]);
    let remedies = why.refusal.unwrap();
    let change = &remedies.above[0];
    assert_eq!((change.name.as_str(), change.needs.as_str()), ("sfq", "RESBS 5ms 20ms"));
    assert!(change.possible);
    assert_eq!(change.parent, "rez");
}

#[test]
fn refuses_to_count_on_time_sharing() {
    let promises = promises(
        "[schedulers.ts]\nscheduler = \"time-sharing\"\nparent = \"top\"\n\
         [schedulers.rez]\nscheduler = \"rez\"\nparent = \"ts\"\n\
         [threads.a]\nparent = \"rez\"\nrun = \"spin\"\nguarantee = \"RESBH 1ms 10ms\"\n",
    );
    let why = promises.why(promises.named("a")[0]).unwrap();
    assert!(why.contains("needs ALL") && why.contains("has NULL"), "{why}");
}

/// Ten thousand schedulers and threads, ten deep; the time is measured in the benchmark `check`.
#[test]
fn accepts_ten_thousand_nodes() {
    let mut text = String::from(
        "[schedulers.s0]\nscheduler = \"proportional-share\"\nparent = \"top\"\nquantum = \"1ms\"\n",
    );
    for at in 1..2_000 {
        text += &format!(
            "[schedulers.s{at}]\nscheduler = \"proportional-share\"\nparent = \"s{}\"\nquantum = \"1ms\"\n",
            (at - 1) / 4
        );
    }
    text += "[threads.t]\nparent = \"s1999\"\nrun = \"spin\"\nshare = 1\nguarantee = \"PS 1/1000000\"\n";
    let promises = promises(&text);
    assert_eq!(promises.tree.nodes.len(), 2_000);
    assert_eq!(promises.refused().count(), 0);
}

/// Waldspurger and Weihl 1994: alice's 2 of 3 base tickets are shared by her own currency's tickets.
#[test]
fn accepts_currencies() {
    for kind in ["lottery", "stride"] {
        let promises = promises(&format!(
            "[schedulers.s]\nscheduler = \"{kind}\"\nparent = \"top\"\ncurrency-1 = 2\ncurrency-2 = 1\n\
             [threads.a]\nparent = \"s\"\nrun = \"spin\"\nshare = 3\ncurrency = 1\nguarantee = \"PS 1/2\"\n\
             [threads.b]\nparent = \"s\"\nrun = \"spin\"\nshare = 1\ncurrency = 1\nguarantee = \"PS 1/6\"\n\
             [threads.c]\nparent = \"s\"\nrun = \"spin\"\nshare = 9\ncurrency = 2\nguarantee = \"PS 1/3\"\n"
        ));
        for (name, requested) in [("a", "PS 1/2"), ("b", "PS 1/6"), ("c", "PS 1/3")] {
            granted(&promises, name, requested);
        }
    }
}

#[test]
fn accepts_a_warp_limit() {
    let promises = promises(
        "[schedulers.s]\nscheduler = \"bvt\"\nparent = \"top\"\n\
         [threads.a]\nparent = \"s\"\nrun = \"spin\"\nshare = 1\nwarp = \"20ms\"\n\
         warp-limit = \"5ms/50ms\"\nguarantee = \"PS 1/2\"\n\
         [threads.b]\nparent = \"s\"\nrun = \"spin\"\nshare = 1\nguarantee = \"PS 1/2\"\n",
    );
    granted(&promises, "a", "PS 1/2");
    granted(&promises, "b", "PS 1/2");
}

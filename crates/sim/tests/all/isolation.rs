//! HLS 10.5.1, table 10.4, whole: what is left for a user with one thread.

use crate::common::{run, span, thread};

/// Thousandths of the processor that principal 1's thread gets beside `others` of principal 2.
fn share(others: u32, isolated: bool) -> u64 {
    let users = "[schedulers.one]\nscheduler = \"proportional-share\"\nparent = \"ps\"\n\
                 [schedulers.two]\nscheduler = \"proportional-share\"\nparent = \"ps\"\n";
    let (first, second, users) = if isolated { ("one", "two", users) } else { ("ps", "ps", "") };
    let outcome = run(&format!(
        "length = \"10s\"\n[schedulers.ps]\nscheduler = \"proportional-share\"\nparent = \"top\"\n{users}\
         [threads.a]\nparent = \"{first}\"\nrun = \"spin\"\n\
         [threads.b]\nparent = \"{second}\"\ncount = {others}\nrun = \"spin\"\n"
    ));
    thread(&outcome, "a").received.as_nanos() * 1_000 / span("10s").as_nanos()
}

#[test]
fn paper_regehr2001_isolation_of_resource_principals() {
    // N2, and what was measured in 2001 in thousandths: without and with isolation.
    for (others, without, with) in
        [(1, 500, 500), (4, 199, 500), (16, 61, 501), (64, 16, 501), (256, 3, 502)]
    {
        let (shared, apart) = (share(others, false), share(others, true));
        assert!(shared.abs_diff(without) <= 3, "1 against {others}: {shared}, measured {without}");
        assert!(apart.abs_diff(with) <= 3, "1 apart from {others}: {apart}, measured {with}");
    }
}

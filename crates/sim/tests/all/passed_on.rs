//! Periods that a thread reports reach each scheduler that uses them, through schedulers that pass them on.

use crate::common::{run, span, thread};

fn below(between: &str) -> String {
    format!(
        r#"
length = "1s"
[schedulers.rm]
scheduler = "rate-monotonic"
parent    = "top"
{between}
[threads.other]
parent   = "rm"
periodic = {{ work = "15ms", period = "25ms" }}
[threads.short]
parent   = "between"
periodic = {{ work = "2ms", period = "10ms" }}
"#
    )
}

#[test]
fn law_a_period_reaches_a_scheduler_by_rates_through_those_that_pass_it_on() {
    let between = |kind: &str, parents: &str| {
        below(&format!("[schedulers.between]\nscheduler = \"{kind}\"\n{parents}\n"))
    };
    let spare = "[schedulers.spare]\nscheduler = \"fixed-priority\"\nparent = \"rm\"\n";
    let two = "parents = [\"rm\", \"spare\"]\n";
    for text in [
        between("limit", "parent = \"rm\""),
        between("join", &format!("{two}{spare}")),
        between(
            "limit",
            "parent = \"outer\"\n[schedulers.outer]\nscheduler = \"limit\"\nparent = \"rm\"",
        ),
    ] {
        let outcome = run(&text);
        assert_eq!(thread(&outcome, "short").missed, 0, "{text}");
        assert!(thread(&outcome, "short").response.most() <= Some(span("10ms")), "{text}");
        assert_eq!(thread(&outcome, "other").missed, 0, "{text}");
    }
}

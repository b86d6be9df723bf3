//! Jobs that a scheduler admits or refuses when they are released.

use super::{conserved, thread, twin};
use windfall_scenario::outcome::PromiseStatus;

/// Jobs of 3 ms every 4 ms do not fit into 6 ms of 10; what is refused has a job of 1 ms instead.
#[test]
fn twin_what_is_admitted_is_done_in_time_and_what_is_refused_has_a_secondary() {
    let text = r#"
schema = 2
seed   = 29
length = "2s"
[schedulers.rez]
scheduler = "rez"
parent = "top"
[schedulers.server]
scheduler = "ports"
parent = "rez"
guarantee = "RESBS 6ms 10ms"
[threads.large]
parent = "server"
sporadic = { work = "1ms..5ms", gap = "2ms..6ms", deadline = "40ms", admit = true, else = "small" }
[threads.small]
parent = "server"
instead = { work = "1ms", deadline = "60ms", admit = true }
[threads.other]
parent = "rez"
guarantee = "RESBS 2ms 10ms"
run = "spin"
"#;
    twin(text, |outcome, real| {
        conserved(outcome);
        let (large, small) = (thread(outcome, "large"), thread(outcome, "small"));
        let mut promises = outcome.promises.iter();
        let server = promises.find(|verdict| verdict.promise.owner == "server").unwrap();
        let kept = server.status() == PromiseStatus::Kept;
        assert!(kept || real);
        for one in [large, small] {
            let refused = one.refusals.all();
            assert_eq!(one.submitted, one.released + refused, "on real threads: {real}");
            assert_eq!(one.refusals.no_time, refused);
            // A real job takes longer than it said when the machine disturbs it; the next ones wait for it.
            let allowed = if real { one.released / 5 } else { 0 };
            assert!(
                !kept || one.missed <= allowed,
                "{}: {} of {} late",
                one.name,
                one.missed,
                one.released
            );
        }
        assert!(large.submitted > 300 && large.refusals.all() > 50 && large.released > 150);
        assert_eq!(small.submitted, large.refusals.all());
    });
}

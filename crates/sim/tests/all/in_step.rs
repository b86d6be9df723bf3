//! Reservations whose periods begin together: what a join adds up and a limit passes on (HLS 5.3.1.2, table 5.1), and nothing where
//! they begin apart.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use crate::common::Random;
use windfall_scenario::Scenario;
use windfall_scenario::outcome::{PromiseStatus, promises};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

/// Siblings that take from one scheduler of reservations what others leave: late, and at their own pace.
fn siblings(random: &mut Random, thousandths: u64) -> String {
    let mut text = String::new();
    let mut left = thousandths;
    for n in 0..2 {
        let period = random.within(3, 40);
        let share = random.within(1, left / 2);
        let amount = (period * share).max(1); // in us: thousandths of ms
        left -= share;
        let (start, nap) = (random.below(50), random.below(3) * random.within(1, 30));
        text += &format!(
            "[threads.sibling{n}]\nparent = \"rez\"\nguarantee = \"RESBH {amount}us {period}ms\"\nstart = \"{start}ms\"\n\
             steps = [{{ run = \"{}us\" }}, {{ sleep = \"{nap}ms\" }}]\n",
            random.within(100, 30_000)
        );
    }
    text
}

fn read(text: &str) -> Scenario {
    let text = format!("schema = 2\nseed = 1\n{text}");
    Scenario::parse("test.toml", &text).map_err(|mistakes| mistakes.render(false)).unwrap()
}

/// The status of the promise requested for `below`; `None` where it was refused.
fn fares(text: &str) -> Option<PromiseStatus> {
    let scenario = read(text);
    let plan = scenario.build().map_err(|mistakes| mistakes.render(false)).unwrap();
    let mut sim = Sim::of(plan, None).unwrap();
    sim.judge_promises(&promises(&scenario));
    let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
    let its = outcome.promises.iter().find(|its| its.promise.owner == "below");
    its.map(|its| its.status())
}

/// Counts a promise that was kept; it may not be broken.
fn judge(text: &str, kept: &mut u32) {
    match fares(text) {
        Some(PromiseStatus::Kept) => *kept += 1,
        // It never was ready for long enough.
        Some(PromiseStatus::NotTested) => {}
        other => panic!("{other:?}: {text}"),
    }
}

const SPIN: &str = "run = \"spin\"";

/// What the thread below does: it is always ready, or sleeps for a while again and again.
fn program(random: &mut Random) -> String {
    if random.below(3) == 0 {
        return SPIN.into();
    }
    let (most, longest) = (random.within(20, 9_000), random.within(1, 300));
    let nap = 10 * random.within(1, longest);
    format!("steps = [{{ run = \"10us..{most}us\" }}, {{ sleep = \"{nap}us\" }}]")
}

fn join(random: &mut Random, second: u64, requires: &str) -> String {
    format!(
        r#"
length = "2s"
[schedulers.rez]
scheduler = "rez"
parent    = "top"
[schedulers.sum]
scheduler = "join"
parents   = [{{ parent = "rez", guarantee = "RESBH 2ms 30ms" }}, {{ parent = "rez", guarantee = "RESBH {second}ms {}ms" }}]
[threads.below]
parent    = "sum"
guarantee = "{requires}"
{}
{}"#,
        if second == 3 { 30 } else { 10 },
        program(random),
        siblings(random, 500),
    )
}

#[test]
fn law_reservations_that_begin_together_add_up() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut kept = 0;
    for _ in 0..60 {
        // Of 1 ms in 10 ms, three periods lie in one of the first.
        for second in [3, 1] {
            judge(&join(&mut random, second, "RESBS 5ms 30ms"), &mut kept);
        }
    }
    assert!(kept > 40, "{kept}");
    assert_eq!(fares(&join(&mut random, 3, "RESBS 5001us 30ms")), None);
    assert_eq!(fares(&join(&mut random, 1, "RESBS 3ms 10ms")), None);
}

/// A limit below a reservation of 3 ms in 10 ms, its thread, and others beside it.
fn limit(requires: &str, start: u64, program: &str, others: &str) -> String {
    format!(
        r#"
length = "2s"
[schedulers.rez]
scheduler = "rez"
parent    = "top"
[schedulers.cap]
scheduler = "limit"
parent    = "rez"
guarantee = "RESBS 3ms 10ms"
[threads.below]
parent    = "cap"
guarantee = "{requires}"
{program}
start     = "{start}ms"
{others}"#
    )
}

#[test]
fn law_a_limit_whose_periods_begin_with_its_parents_passes_all_on() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut kept = 0;
    for _ in 0..60 {
        let others = siblings(&mut random, 650);
        let later = 10 * random.within(1, 20);
        for (requires, start) in
            [("RESBH 3ms 10ms", 0), ("RESBH 6ms 20ms", 0), ("RESBH 3ms 10ms", later)]
        {
            judge(&limit(requires, start, &program(&mut random), &others), &mut kept);
        }
    }
    assert!(kept > 80, "{kept}");
    // Apart by a millisecond; and not made of whole periods.
    assert_eq!(fares(&limit("RESBH 3ms 10ms", 1, SPIN, "")), None);
    assert_eq!(fares(&limit("RESBH 5ms 15ms", 0, SPIN, "")), None);
}

/// Erratum 4: the limit's period begins 1 ms after its parent's, and 2.1 ms of 51 are missing.
#[test]
fn limit_apart_by_a_millisecond_less_is_granted() {
    let other =
        "[threads.other]\nparent = \"rez\"\nguarantee = \"RESBH 15ms 22ms\"\nrun = \"spin\"\n";
    assert_eq!(fares(&limit("RESBH 3ms 10ms", 1, SPIN, other)), None);
    assert_eq!(fares(&limit("RESBH 3ms 17ms", 1, SPIN, other)), Some(PromiseStatus::Kept));
}

/// The longest response to jobs of 2 ms below a reservation of 4 ms in 10 ms; the first job comes after `offset`.
fn longest(offset: u64, others: &str) -> Option<Span> {
    let scenario = read(&format!(
        r#"
length = "2s"
[schedulers.rez]
scheduler = "rez"
parent    = "top"
{others}
[threads.below]
parent    = "rez"
guarantee = "RESBH 4ms 10ms"
periodic  = {{ work = "2ms", period = "10ms", offset = "{offset}ms" }}
"#
    ));
    let checked = scenario.promises().deadlines(&scenario).into_iter();
    let in_step = checked.filter_map(|deadline| deadline.in_step).next_back();
    assert_eq!(in_step, Some(Span::from_millis(8)));
    let plan = scenario.build().map_err(|mistakes| mistakes.render(false)).unwrap();
    let outcome = Sim::of(plan, None).unwrap().run(Instant::ZERO + scenario.length, |_| true);
    outcome.threads.iter().find(|thread| thread.name == "below").unwrap().response.most()
}

#[test]
fn law_jobs_that_begin_with_a_reservations_periods_are_done_before_its_rest_could_come() {
    let most = Some(Span::from_millis(8));
    let mut random = Random(0x1234_5678_9abc_def1);
    for _ in 0..60 {
        let others = siblings(&mut random, 600);
        let found = longest(10 * random.below(3), &others);
        assert!(found.is_some() && found <= most, "{found:?}: {others}");
    }
    let other =
        "[threads.other]\nparent = \"rez\"\nguarantee = \"RESBH 6ms 10ms\"\nrun = \"spin\"\n";
    assert_eq!(longest(0, other), most);
}

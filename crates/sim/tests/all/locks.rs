//! Threads that share locks: what the analysis says of their response times, against runs (HLS 4.3.8, 6.1.1, 13.2.1).
//!
//! Random sets of periodic threads, with nested sections, below each scheduler that lends ranks, on a processor of
//! their own or on a reservation.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use crate::common::Random;
use std::collections::BTreeMap;
use windfall_scenario::{BoundError, Scenario};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

const LOCKS: u64 = 3;

/// Steps of a job, in multiples of 100 us: work, and sections of which some have one of a later lock in them.
fn job(random: &mut Random, nested: &mut u32) -> String {
    let run =
        |random: &mut Random, most| format!(", {{ run = \"{}us\" }}", 100 * random.within(1, most));
    let mut steps = run(random, 5);
    for _ in 0..random.within(0, 2) {
        let outer = random.below(LOCKS);
        steps += &format!(", {{ lock = \"m{outer}\" }}");
        steps += &run(random, 15);
        if outer + 1 < LOCKS && random.below(2) == 0 {
            *nested += 1;
            let inner = random.within(outer + 1, LOCKS - 1);
            steps += &format!(", {{ lock = \"m{inner}\" }}");
            steps += &run(random, 10);
            steps += &format!(", {{ unlock = \"m{inner}\" }}");
            steps += &run(random, 3);
        }
        steps += &format!(", {{ unlock = \"m{outer}\" }}");
        steps += &run(random, 4);
    }
    steps
}

/// A set of threads below a scheduler of this kind, whose locks have this protocol.
fn set(random: &mut Random, (kind, protocol): (&str, &str), nested: &mut u32) -> String {
    let reserved = random.below(2) == 0;
    let mut text = "schema = 2\nseed = 1\nlength = \"3s\"\n".to_owned();
    let place = if reserved {
        text += "[schedulers.rez]\nscheduler = \"rez\"\nparent = \"top\"\n\
                 [threads.beside]\nparent = \"rez\"\nguarantee = \"RESBH 1ms 4ms\"\nrun = \"spin\"\n";
        "parent = \"rez\"\nguarantee = \"RESBS 14ms 20ms\""
    } else {
        "parent = \"top\""
    };
    text += &format!("[schedulers.s]\nscheduler = \"{kind}\"\n{place}\n");
    let mut threads = String::new();
    for number in 0..random.within(2, 5) {
        let period = random.within(10, 60);
        let rank = match kind {
            "fixed-priority" => format!("priority = {}", random.within(1, 6)),
            _ => format!("rate = \"1ms/{period}ms\""),
        };
        threads += &format!(
            "[threads.t{number}]\nparent = \"s\"\n{rank}\nstart = \"{}us\"\n\
             steps = [{{ timer = \"{period}ms\" }}{}]\n",
            100 * random.below(200),
            job(random, nested)
        );
    }
    text += &threads;
    for lock in 0..LOCKS {
        if threads.contains(&format!("lock = \"m{lock}\"")) {
            text += &format!("[locks.m{lock}]\nprotocol = \"{protocol}\"\n");
        }
    }
    text
}

fn read(text: &str) -> Scenario {
    Scenario::parse("test.toml", text).map_err(|m| format!("{}\n{text}", m.render(false))).unwrap()
}

/// The longest response time of each thread in a run.
fn simulated(scenario: &Scenario) -> BTreeMap<String, Span> {
    let plan = scenario.build().map_err(|mistakes| mistakes.render(false)).unwrap();
    let outcome = Sim::of(plan, None).unwrap().run(Instant::ZERO + scenario.length, |_| true);
    assert!(outcome.refused.is_empty(), "{:?}", outcome.refused);
    let threads = outcome.threads.iter();
    threads.filter_map(|its| Some((its.name.clone(), its.response.most()?))).collect()
}

/// Counts of judgements of one kind and protocol.
#[derive(Default, Debug)]
struct Judged {
    bounds: u32,
    tight: u32,
    /// Threads that took longer than without the sections of others: in the same run without locks.
    blocked: u32,
    nested: u32,
}

fn judge(random: &mut Random, how: (&str, &str), judged: &mut Judged) {
    let text = set(random, how, &mut judged.nested);
    let scenario = read(&text);
    let promises = scenario.promises();
    let longest = simulated(&scenario);
    // The same without locks.
    let parts = text.split_once("[locks.").map_or(text.as_str(), |(before, _)| before);
    let steps = parts.split(", ").filter(|step| !step.contains("lock = "));
    let steps: Vec<String> = steps.map(str::to_owned).collect();
    let free = steps.join(", ");
    let free = simulated(&read(&free));
    for deadline in promises.deadlines(&scenario) {
        let name = &promises.tree.vps[deadline.vp].name;
        let Ok(bound) = deadline.bound else {
            assert_eq!(deadline.bound, Err(BoundError::TooMuchTogether), "{name} of\n{text}");
            continue;
        };
        let Some(longest) = longest.get(name) else { continue };
        assert!(*longest <= bound, "{name} took {longest}, at most {bound}:\n{text}");
        judged.bounds += 1;
        judged.tight += u32::from(*longest == bound);
        judged.blocked += u32::from(free.get(name).is_some_and(|free| free < longest));
    }
}

#[test]
fn law_no_response_exceeds_its_bound_with_locks_that_inherit() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for kind in ["fixed-priority", "rate-monotonic", "edf"] {
        for protocol in ["inherit", "ceiling"] {
            let mut judged = Judged::default();
            for _ in 0..60 {
                judge(&mut random, (kind, protocol), &mut judged);
            }
            let enough = judged.bounds > 80 && judged.blocked > 20 && judged.nested > 20;
            assert!(enough && judged.tight > 0, "{kind} {protocol}: {judged:?}");
        }
    }
}

/// A thread in the middle that works 40 ms, between two that share a lock.
fn inversion(kind: &str, ranks: [&str; 3], protocol: &str) -> BTreeMap<String, Span> {
    let thread = |name: &str, rank: &str, start: &str, steps: &str| {
        format!(
            "[threads.{name}]\nparent = \"s\"\n{rank}\nstart = \"{start}\"\n\
             steps = [{{ timer = \"100ms\" }}, {steps}]\n"
        )
    };
    let section = |ms: u32| {
        format!(
            "{{ run = \"1ms\" }}, {{ lock = \"m\" }}, {{ run = \"{ms}ms\" }}, {{ unlock = \"m\" }}"
        )
    };
    let text = format!(
        "schema = 2\nseed = 1\nlength = \"1s\"\n[schedulers.s]\nscheduler = \"{kind}\"\nparent = \"top\"\n{}{}{}\
         [locks.m]\nprotocol = \"{protocol}\"\n",
        thread("high", ranks[0], "1100us", &section(2)),
        thread("middle", ranks[1], "2ms", "{ run = \"40ms\" }"),
        thread("low", ranks[2], "0ms", &section(4)),
    );
    simulated(&read(&text))
}

#[test]
fn law_an_inversion_is_as_long_as_a_section_and_without_a_protocol_as_whoever_is_between() {
    let ms = Span::from_millis;
    let priorities = ["priority = 3", "priority = 2", "priority = 1"];
    let rates = ["rate = \"1ms/50ms\"", "rate = \"1ms/60ms\"", "rate = \"1ms/70ms\""];
    for (kind, ranks) in [("fixed-priority", priorities), ("rate-monotonic", rates)] {
        assert!(inversion(kind, ranks, "none")["high"] > ms(40), "{kind}");
        for protocol in ["inherit", "ceiling"] {
            let high = inversion(kind, ranks, protocol)["high"];
            assert!(high > ms(3) && high <= ms(7), "{kind} {protocol}: {high}");
        }
    }
}

#[test]
fn law_a_request_that_changes_a_priority_leaves_what_is_inherited() {
    let text = |at: &str| {
        format!(
            "schema = 2\nseed = 1\nlength = \"60ms\"\n[schedulers.s]\nscheduler = \"fixed-priority\"\nparent = \"top\"\n\
             [threads.high]\nparent = \"s\"\npriority = 9\nstart = \"1ms\"\nloops = 1\n\
             steps = [{{ lock = \"m\" }}, {{ run = \"1ms\" }}, {{ unlock = \"m\" }}]\n\
             [threads.middle]\nparent = \"s\"\npriority = 5\nstart = \"1500us\"\nrun = \"spin\"\n\
             [threads.low]\nparent = \"s\"\npriority = 1\nloops = 1\n\
             steps = [{{ lock = \"m\" }}, {{ run = \"10ms\" }}, {{ unlock = \"m\" }}, {{ run = \"10ms\" }}]\n\
             [locks.m]\nprotocol = \"inherit\"\n{at}"
        )
    };
    let received = |at: &str| {
        let scenario = read(&text(at));
        let outcome = Sim::of(scenario.build().unwrap(), None).unwrap();
        let outcome = outcome.run(Instant::ZERO + scenario.length, |_| true);
        outcome.threads.iter().find(|thread| thread.name == "low").unwrap().received
    };
    let request = |priority: i32| {
        format!(
            "[[at]]\ntime = \"5ms\"\nthread = \"low\"\npriority = {priority}\ndo = \"priority\"\n"
        )
    };
    // Its section is all that it gets, whatever it is told meanwhile, but what it keeps afterwards.
    assert_eq!(received(""), Span::from_millis(10));
    assert_eq!(received(&request(2)), Span::from_millis(10));
    assert_eq!(received(&request(6)), Span::from_millis(20));
}

#[test]
fn refuses_requests_that_would_separate_threads_that_share_a_lock() {
    let text = |protocol: &str, request: &str| {
        format!(
            "schema = 2\nseed = 1\nlength = \"50ms\"\ndefault = \"s\"\n\
             [schedulers.other]\nscheduler = \"round-robin\"\nparent = \"top\"\n\
             [schedulers.s]\nscheduler = \"fixed-priority\"\nparent = \"top\"\n\
             [threads.a]\nparent = \"s\"\npriority = 2\n\
             steps = [{{ lock = \"m\" }}, {{ run = \"1ms\" }}, {{ unlock = \"m\" }}, {{ sleep = \"5ms\" }}]\n\
             [threads.b]\nparent = \"s\"\npriority = 1\n\
             steps = [{{ lock = \"m\" }}, {{ run = \"1ms\" }}, {{ unlock = \"m\" }}, {{ sleep = \"5ms\" }}]\n\
             [locks.m]\nprotocol = \"{protocol}\"\n[machine]\nprocessors = 2\n\
             [[at]]\ntime = \"10ms\"\ndo = \"{request}\"\nscheduler = \"other\"\n"
        )
    };
    let refused = |text: &str| {
        let scenario = read(text);
        let sim = Sim::of(scenario.build().unwrap(), None).unwrap();
        let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
        outcome.refused.into_iter().map(|(_, why)| why).collect::<Vec<_>>()
    };
    // Another default scheduler takes the threads of the former one.
    let why = refused(&text("inherit", "default"));
    assert!(why.len() == 1 && why[0].contains("`a` shares a lock that inherits"), "{why:?}");
    assert_eq!(refused(&text("none", "default")), [""; 0]);
    assert_eq!(refused(&text("inherit", "destroy")), [""; 0], "nobody is below it");
}

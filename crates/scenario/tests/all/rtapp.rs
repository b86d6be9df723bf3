//! Every rt-app file that is accepted becomes a scenario that is.

use proptest::prelude::*;
use proptest::sample::select;
use windfall_scenario::rtapp::{convert, parse};
use windfall_scenario::{Scenario, import_rtapp};

/// Event keys with their values. Numbers make keys differ.
fn event() -> impl Strategy<Value = String> {
    let name = || select(vec!["a", "b", "m"]);
    prop_oneof![
        4 => (0..30_000_u32).prop_map(|us| format!("\"run\":{us}")),
        1 => (0..30_000_u32).prop_map(|us| format!("\"runtime\":{us}")),
        2 => (0..30_000_u32).prop_map(|us| format!("\"sleep\":{us}")),
        2 => (1..30_000_u32, name(), any::<bool>()).prop_map(|(us, name, absolute)| {
            let mode = if absolute { "absolute" } else { "relative" };
            format!("\"timer\":{{\"ref\":\"{name}\",\"period\":{us},\"mode\":\"{mode}\"}}")
        }),
        3 => (name(), name(), any::<bool>()).prop_map(|(lock, queue, sync)| {
            let waits = if sync { "sync" } else { "wait" };
            format!(
                "\"lock\":\"{lock}\",\"{waits}\":{{\"ref\":\"{queue}\",\"mutex\":\"{lock}\"}},\
                 \"unlock\":\"{lock}\""
            )
        }),
        1 => (select(vec!["lock", "unlock"]), name()).prop_map(|(k, n)| format!("\"{k}\":\"{n}\"")),
        6 => (
            select(vec![
                "signal", "broad", "barrier", "suspend", "resume", "fork", "sem_post", "sem_wait",
                "yield",
            ]),
            name(),
        )
            .prop_map(|(key, name)| format!("\"{key}\":\"{name}\"")),
        1 => (0..9_u32).prop_map(|n| format!("\"mem\":{n},\"iorun\":{n}")),
    ]
}

/// Keys of scheduling, mostly such as rt-app takes.
fn scheduling() -> impl Strategy<Value = String> {
    let cpus = proptest::collection::vec(0..4_u32, 1..4);
    let policy = select(vec!["OTHER", "BATCH", "IDLE", "RR", "FIFO"]);
    let key = prop_oneof![
        3 => cpus.prop_map(|cpus| format!("\"cpus\":{cpus:?},")),
        2 => (policy, 1..19).prop_map(|(p, n)| format!("\"policy\":\"SCHED_{p}\",\"priority\":{n},")),
        1 => (1..5_000_u32, 0..5_000_u32, 0..5_000_u32).prop_map(|(runtime, more, rest)| {
            let (deadline, period) = (runtime + more, runtime + more + rest);
            format!(
                "\"policy\":\"SCHED_DEADLINE\",\"dl-runtime\":{runtime},\
                 \"dl-deadline\":{deadline},\"dl-period\":{period},"
            )
        }),
        1 => (1..5_000_u32).prop_map(|us| format!("\"dl-runtime\":{us},\"util_min\":5,")),
        1 => select(vec!["/", "/a", "/a/b", "/c//d/"]).prop_map(|g| format!("\"taskgroup\":\"{g}\",")),
    ];
    proptest::collection::vec(key, 0..3).prop_map(|keys| keys.concat())
}

fn body() -> impl Strategy<Value = String> {
    let events = || proptest::collection::vec(event(), 1..6).prop_map(|events| events.join(","));
    let phase = (-1..4_i32, scheduling(), events())
        .prop_map(|(loops, scheduling, events)| format!("\"loop\":{loops},{scheduling}{events}"));
    let phases = proptest::collection::vec(phase, 1..4).prop_map(|phases| {
        let list = phases.iter().enumerate().map(|(n, phase)| format!("\"p{n}\":{{{phase}}}"));
        format!("\"phases\":{{{}}}", list.collect::<Vec<_>>().join(","))
    });
    prop_oneof![events(), phases]
}

fn file() -> impl Strategy<Value = String> {
    let task =
        (0..4_u32, 0..50_000_u32, scheduling(), body()).prop_map(|(n, delay, keys, body)| {
            format!("{{\"instance\":{n},\"delay\":{delay},{keys}\n{body}}}")
        });
    proptest::collection::vec(task, 1..4).prop_map(|tasks| {
        let list =
            tasks.iter().zip(["a", "b", "top"]).map(|(task, name)| format!("\"{name}\":{task}"));
        let list = list.collect::<Vec<_>>().join(",\n");
        format!("{{\"global\":{{\"duration\":1,\"pi_enabled\":true}},\n\"tasks\":{{{list}}}}}")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn law_every_accepted_file_becomes_a_scenario_that_is_accepted(text in file(), cpus in 1..6_u16) {
        let Ok(app) = parse(&text) else { return Ok(()) };
        let converted = convert(&app);
        let Ok(imported) = import_rtapp(&converted, cpus) else {
            prop_assert!(cpus < 4 || converted.threads.is_empty());
            return Ok(());
        };
        let scenario = &imported.scenario;
        if let Err(mistakes) = scenario.check() {
            let mistakes = mistakes.render(false);
            prop_assert!(false, "{text}\n{mistakes}\n{}", scenario.write());
        }
        let again = Scenario::parse("t.toml", &scenario.write()).map_err(|m| m.render(false));
        prop_assert_eq!(again.as_ref(), Ok(scenario), "{}", text);
        if scenario.promises().refused().count() == 0 {
            let built = scenario.build().map(|_| ()).map_err(|mistakes| mistakes.render(false));
            prop_assert_eq!(built, Ok(()), "{}\n{}", text, scenario.write());
        }
        for loss in &imported.losses {
            prop_assert!(loss.line > 0, "{loss}");
        }
        // Every setting that a thread does not have in full is among the losses.
        let whole = imported.losses.len() + imported.waits.len();
        let threads: u32 = app.tasks.iter().map(|task| task.instance).sum();
        prop_assert!(scenario.threads.len() == threads as usize || whole > 0, "{}", text);
    }
}

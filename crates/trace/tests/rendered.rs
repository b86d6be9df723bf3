//! A schedule that is written as text, in every dialect, is imported as the same schedule.

#[expect(dead_code, reason = "the tests of one file use a part of the oracle")]
mod oracle;

use oracle::{import, importer_laws};
use proptest::prelude::*;
use std::collections::HashMap;
use windfall_trace::{Event, Stop, ThreadId};

/// A step on a processor; threads by number, 0 for idle.
#[derive(Clone, PartialEq, Debug)]
enum Step {
    Switch { us: u64, cpu: usize, prev: u32, stop: Stop, next: u32 },
    Wake { us: u64, cpu: usize, by: u32, thread: u32 },
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Dialect {
    Ftrace,
    TraceCmd,
    PerfLong,
    PerfShort,
}

const CPUS: usize = 3;

/// Plays dice: a sound schedule of threads 1 to `threads`.
fn play(threads: u32, dice: &[(u16, u8, u8)]) -> Vec<Step> {
    let mut running = [0_u32; CPUS];
    let mut ready: Vec<u32> = Vec::new();
    let mut waiting: Vec<u32> = (1..=threads).collect();
    let (mut us, mut steps) = (1_000_000, Vec::new());
    for (wait, first, second) in dice {
        us += u64::from(*wait);
        let (cpu, pick) = (usize::from(*first) % CPUS, usize::from(*second));
        if first % 2 == 0 && !waiting.is_empty() {
            let thread = waiting.swap_remove(pick % waiting.len());
            ready.push(thread);
            steps.push(Step::Wake { us, cpu, by: running[cpu], thread });
            continue;
        }
        let stops = [Stop::Preempted, Stop::Blocked, Stop::Uninterruptible, Stop::Stopped];
        let stop = stops[pick % stops.len()];
        let prev = running[cpu];
        let next = if ready.is_empty() { 0 } else { ready.remove(pick % ready.len()) };
        if prev == next {
            continue;
        }
        if prev != 0 {
            if stop == Stop::Preempted { ready.push(prev) } else { waiting.push(prev) }
        }
        running[cpu] = next;
        let stop = if prev == 0 { Stop::Preempted } else { stop };
        steps.push(Step::Switch { us, cpu, prev, stop, next });
    }
    steps
}

fn render(steps: &[Step], names: &[String], dialect: Dialect) -> String {
    let name = |tid: u32| match tid {
        0 => "swapper/0",
        tid => names[tid as usize - 1].as_str(),
    };
    let line = |us: u64, cpu: usize, tid: u32, event: &str, key: String, plugin: String| {
        let (s, us) = (us / 1_000_000, us % 1_000_000);
        let comm = if tid == 0 { "<idle>" } else { name(tid) };
        match dialect {
            Dialect::Ftrace => {
                format!("{comm:>16}-{tid:<7} [{cpu:03}] d..2. {s:5}.{us:06}: {event}: {key}\n")
            }
            Dialect::TraceCmd => {
                format!("{comm:>16}-{tid:<5} [{cpu:03}] {s:5}.{us:06}: {event}:  {plugin}\n")
            }
            Dialect::PerfLong => {
                let head = format!("{comm:>16}  7/{tid} [{cpu:03}] {s:5}.{us:06}000");
                format!("{head}: sched:{event}: {key}\n")
            }
            Dialect::PerfShort => {
                format!("{comm:>16} {tid:>5} [{cpu:03}] {s:5}.{us:06}: sched:{event}: {plugin}\n")
            }
        }
    };
    let text = steps.iter().map(|step| match *step {
        Step::Switch { us, cpu, prev, stop, next } => {
            let state = match stop {
                Stop::Preempted if prev == 0 => "R",
                Stop::Preempted => "R+",
                Stop::Blocked => "S",
                Stop::Uninterruptible => "D",
                Stop::Stopped => "T",
                Stop::Exited => "X",
            };
            let (from, to) = (name(prev), name(next));
            let key = format!(
                "prev_comm={from} prev_pid={prev} prev_prio=120 prev_state={state} ==> \
                 next_comm={to} next_pid={next} next_prio=-1"
            );
            let plugin = format!("{from}:{prev} [120] {state} ==> {to}:{next} [-1]");
            line(us, cpu, prev, "sched_switch", key, plugin)
        }
        Step::Wake { us, cpu, by, thread } => {
            let woken = name(thread);
            let key = format!("comm={woken} pid={thread} prio=120 target_cpu=001");
            let plugin = format!("{woken}:{thread} [120] CPU:001");
            line(us, cpu, by, "sched_waking", key, plugin)
        }
    });
    text.collect()
}

/// The steps that an import gives back, and the last name of each thread.
fn steps(text: &str) -> (Vec<Step>, HashMap<u32, String>) {
    let imported = import(text.as_bytes(), None);
    let (mut tids, mut names, mut steps) = (HashMap::new(), HashMap::new(), Vec::new());
    for record in imported.records {
        let us = record.at.as_nanos() / 1_000;
        let tid = |tids: &HashMap<ThreadId, u32>, thread: &ThreadId| tids[thread];
        match &record.event {
            Event::Thread { thread, tid, name, .. } => {
                tids.insert(*thread, *tid);
                names.insert(*tid, name.clone());
            }
            Event::Switch { cpu, prev, next } => steps.push(Step::Switch {
                us,
                cpu: usize::from(cpu.0),
                prev: prev.map_or(0, |(thread, _)| tid(&tids, &thread)),
                stop: prev.map_or(Stop::Preempted, |(_, stop)| stop),
                next: next.map_or(0, |thread| tid(&tids, &thread)),
            }),
            Event::Wake { thread, by } => {
                let by = by.map_or(0, |by| tid(&tids, &by));
                steps.push(Step::Wake { us, cpu: 0, by, thread: tid(&tids, thread) });
            }
            other => panic!("{other:?}"),
        }
    }
    (steps, names)
}

/// Records do not say on which processor a thread was woken.
fn comparable(steps: Vec<Step>) -> Vec<Step> {
    let forget = |step| match step {
        Step::Wake { us, by, thread, .. } => Step::Wake { us, cpu: 0, by, thread },
        other => other,
    };
    steps.into_iter().map(forget).collect()
}

fn names() -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![
        3 => "[a-z0-9/:.]{1,15}",
        3 => "[!-~][ -~]{0,13}[!-~]",
        1 => "[0-9a]{0,2} ?==> [0-9]?:[0-9]",
        1 => "[a-z]-[0-9] \\[[0-9]\\] [0-9]\\.[0-9]:",
        1 => "[!-~]{0,2} (prev|next)_pid=[0-9]",
    ];
    let sound = |name: &String| name != "<...>" && !name.starts_with(['#', ':']);
    prop::collection::vec(name.prop_filter("told apart", sound), 5)
}

proptest! {
    #[test]
    fn law_a_schedule_survives_every_dialect(
        names in names(),
        dice in prop::collection::vec((1_u16..5_000, any::<u8>(), any::<u8>()), 3..60),
    ) {
        let schedule = play(5, &dice);
        let dialects =
            [Dialect::Ftrace, Dialect::TraceCmd, Dialect::PerfLong, Dialect::PerfShort];
        for dialect in dialects {
            let text = render(&schedule, &names, dialect);
            if text.is_empty() {
                continue;
            }
            importer_laws(text.as_bytes(), None);
            let (back, learnt) = steps(&text);
            prop_assert_eq!(&back, &comparable(schedule.clone()), "{:?}\n{}", dialect, text);
            for (tid, name) in learnt {
                // Plugins write a name behind padding, so spaces before it are not told apart.
                let plain = matches!(dialect, Dialect::TraceCmd | Dialect::PerfShort);
                let known = &names[tid as usize - 1];
                let same = name == *known || plain && name.trim_start() == known.trim_start();
                prop_assert!(same, "{name:?} for {known:?}");
            }
        }
    }
}

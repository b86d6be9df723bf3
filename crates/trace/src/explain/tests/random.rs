//! Random records: the parts of each episode, compared with a slow definition.

use super::*;
use crate::Timeline;
use crate::timeline::{State, What};
use proptest::prelude::*;

/// The account of a burst as its definition says it: by what a [`Timeline`] has of the thread and
/// of the processor that it waits on.
fn slow(timeline: &Timeline, thread: ThreadId, episode: &Episode) -> Account {
    let mut account = Account::default();
    let line = timeline.thread(thread).unwrap();
    for (number, stretch) in line.stretches.iter().enumerate() {
        let (from, to) = (stretch.from.max(episode.from), stretch.to.min(episode.to));
        if from >= to {
            continue;
        }
        let on = |stretch: &&crate::timeline::Stretch| match stretch.state {
            State::Running(cpu) => Some(cpu),
            _ => None,
        };
        let next = line.stretches.get(number + 1);
        let next = next.filter(|next| next.from == stretch.to).and_then(|next| on(&next));
        let last = || line.stretches[..number].iter().rev().find_map(|stretch| on(&stretch));
        let cpu = match stretch.state {
            State::Running(cpu) => Some(cpu),
            State::Ready => next.or_else(last),
            _ => None,
        };
        let Some(cpu) = cpu else {
            let unknown = stretch.state == State::Unknown;
            assert!(unknown || stretch.state == State::Ready, "a burst has {stretch:?}");
            account.put(if unknown { Part::Unknown } else { Part::Unplaced }, to - from);
            continue;
        };
        for slice in &timeline.cpus[usize::from(cpu.0)].slices {
            let span = slice.to.min(to).saturating_since(slice.from.max(from));
            let runs = stretch.state != State::Ready;
            account.put(
                match slice.what {
                    What::Thread(who) if who == thread => Part::Ran,
                    What::Thread(who) => Part::Behind(who),
                    What::Overhead(kind) if runs => Part::Stolen(kind),
                    What::Overhead(kind) => Part::BehindOverhead(kind),
                    What::Idle => Part::Idle,
                    What::Unknown => Part::Unknown,
                },
                span,
            );
        }
    }
    account
}

/// Random events of four threads on three processors.
fn events(jobs: bool) -> impl Strategy<Value = Event> {
    let thread = (0_u32..4).prop_map(ThreadId);
    let cpu = (0_u16..3).prop_map(Cpu);
    let stops =
        vec![Stop::Preempted, Stop::Blocked, Stop::Uninterruptible, Stop::Stopped, Stop::Exited];
    let stop = prop::sample::select(stops);
    let prev = prop::option::of((thread.clone(), stop));
    let kind = prop::sample::select(vec![OverheadKind::Interrupt, OverheadKind::Steal]);
    let what = prop::sample::select(vec![Note::Exhausted, Note::Replenished(Span::ZERO)]);
    let deadline = prop::option::of((0_u64..300).prop_map(Instant::from_nanos));
    let seen = prop_oneof![
        12 => (cpu.clone(), prev, prop::option::of(thread.clone()))
            .prop_map(|(cpu, prev, next)| Event::Switch { cpu, prev, next }),
        6 => (thread.clone(), prop::option::of(thread.clone()))
            .prop_map(|(thread, by)| Event::Wake { thread, by }),
        2 => (cpu.clone(), kind).prop_map(|(cpu, kind)| Event::OverheadBegin { cpu, kind, number: 1 }),
        2 => cpu.clone().prop_map(|cpu| Event::OverheadEnd { cpu }),
        1 => prop::option::of(cpu).prop_map(|cpu| Event::Lost { cpu, count: None }),
        1 => thread.clone().prop_map(|thread| Event::Exit { thread }),
    ];
    let told = prop_oneof![
        4 => (thread.clone(), deadline)
            .prop_map(|(thread, deadline)| Event::Release { thread, deadline }),
        3 => (thread.clone(), any::<bool>()).prop_map(|(thread, missed)| {
            Event::Complete { thread, response: Span::ZERO, missed }
        }),
        1 => thread.clone().prop_map(|thread| Event::Abort { thread }),
        3 => (prop::option::weighted(0.7, thread.clone()), what)
            .prop_map(|(thread, what)| Event::Note { node: RES, thread, what }),
        1 => thread.prop_map(|thread| {
            Event::Promise { thread, guarantee: Some("RESBS 4ns 20ns".into()) }
        }),
    ];
    if jobs { prop_oneof![seen, told].boxed() } else { seen.boxed() }
}

/// Records that switch only what runs, so that a processor is seldom contradicted.
fn trace(steps: Vec<(u64, Event)>) -> Vec<Record> {
    let mut records: Vec<Record> = (0..4).map(|thread| declare(0, ThreadId(thread))).collect();
    for (node, parent) in [(RES, None), (NodeId(1), Some(RES))] {
        let (name, kind) = (format!("n{}", node.0), "rez".to_owned());
        records.push(at(0, Event::Node { node, parent, name, kind }));
    }
    for (thread, name) in [(A, "a"), (B, "b")] {
        let (name, node) = (name.to_owned(), Some(NodeId(1)));
        records.push(at(0, Event::Thread { thread, tid: 0, pid: 0, name, node }));
    }
    records.extend((0..3).map(|cpu| on(1, Cpu(cpu), None, None)));
    let mut runs: BTreeMap<Cpu, Option<ThreadId>> = BTreeMap::new();
    let mut now = 1;
    for (wait, mut event) in steps {
        now += wait;
        if let Event::Switch { cpu, prev, next } = &mut event {
            let elsewhere = next.is_some_and(|next| runs.values().any(|run| *run == Some(next)));
            let stop = prev.map_or(Stop::Blocked, |(_, stop)| stop);
            *prev = runs.get(cpu).copied().flatten().map(|thread| (thread, stop));
            if elsewhere {
                *next = None;
            }
            runs.insert(*cpu, *next);
        }
        records.push(at(now, event));
    }
    // What begins with the last record is empty otherwise.
    records.push(at(now + 1, Event::Mark { thread: None, text: String::new() }));
    records
}

proptest! {
    #[test]
    fn law_bursts_are_divided_as_the_timeline_says(
        steps in prop::collection::vec((1_u64..9, events(false)), 0..80)
    ) {
        let records = trace(steps);
        let timeline = Timeline::build(records.iter().cloned());
        // After a loss a thread may leave a processor that it was not known to have, and a wait
        // that the timeline joins has two places; what it received is the same.
        let whole = !records.iter().any(|record| matches!(record.event, Event::Lost { .. }));
        let found = explain(question("*", Some(Span::ZERO), Keep::All), &records);
        prop_assert_eq!(found.threads.len(), 4);
        for thread in &found.threads {
            prop_assert_eq!(thread.kept.len() as u64, thread.misses);
            for episode in &thread.kept {
                prop_assert_eq!(episode.account.total(), episode.span());
                let slow = slow(&timeline, thread.thread, episode);
                prop_assert_eq!(episode.account.received(), slow.received());
                prop_assert!(!whole || episode.account.parts == slow.parts, "{episode:?} {slow:?}");
            }
        }
    }

    #[test]
    fn law_the_parts_add_up_whatever_happens(
        steps in prop::collection::vec((0_u64..9, events(true)), 0..80)
    ) {
        let records = trace(steps);
        let found = explain(question("*", Some(Span::ZERO), Keep::All), &records);
        for thread in &found.threads {
            for episode in thread.kept.iter().chain(&thread.longest) {
                prop_assert_eq!(episode.account.total(), episode.span());
            }
            let kept = thread.kept.iter().map(Episode::span);
            let sum = kept.fold(Span::ZERO, Span::saturating_add);
            prop_assert_eq!(thread.missed.total(), sum);
            // Jobs that overlap do not run the same time twice.
            let last = records.last().map_or(Span::ZERO, |last| last.at.saturating_since(Instant::ZERO));
            prop_assert!(thread.all.received() <= last, "{thread:?}");
            prop_assert_eq!(thread.kept.len() as u64, thread.misses);
            let periods = thread.kept.iter().filter(|kept| kept.kind == Kind::Period).count();
            prop_assert_eq!(periods as u64, thread.short);
            prop_assert!(thread.missed_episodes() <= thread.episodes(), "{thread:?}");
        }
    }
}

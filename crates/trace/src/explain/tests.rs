mod asked;

use super::*;
use crate::timeline::{State, What};
use crate::{Cpu, Event, Figure, Note, OverheadKind, Record, Sink, Stop, Timeline};
use proptest::prelude::*;

const A: ThreadId = ThreadId(0);
const B: ThreadId = ThreadId(1);
const C: ThreadId = ThreadId(2);
const C0: Cpu = Cpu(0);
const C1: Cpu = Cpu(1);
const RES: NodeId = NodeId(0);

fn ns(ns: u64) -> Span {
    Span::from_nanos(ns)
}

fn at(ns: u64, event: Event) -> Record {
    Record { at: Instant::from_nanos(ns), event }
}

fn declare(ns: u64, thread: ThreadId) -> Record {
    let name = ["a", "b", "c", "d"][thread.0 as usize].to_owned();
    at(ns, Event::Thread { thread, tid: thread.0 + 1, pid: 1, name, node: None })
}

fn wake(ns: u64, thread: ThreadId, by: Option<ThreadId>) -> Record {
    at(ns, Event::Wake { thread, by })
}

fn on(ns: u64, cpu: Cpu, prev: Option<(ThreadId, Stop)>, next: Option<ThreadId>) -> Record {
    at(ns, Event::Switch { cpu, prev, next })
}

fn switch(ns: u64, prev: Option<(ThreadId, Stop)>, next: Option<ThreadId>) -> Record {
    on(ns, C0, prev, next)
}

fn release(ns: u64, thread: ThreadId, deadline: u64) -> Record {
    let deadline = Some(Instant::from_nanos(deadline));
    at(ns, Event::Release { thread, deadline })
}

fn complete(ns: u64, thread: ThreadId, response: u64, missed: bool) -> Record {
    at(ns, Event::Complete { thread, response: self::ns(response), missed })
}

fn note(ns: u64, what: Note) -> Record {
    at(ns, Event::Note { node: RES, thread: Some(A), what })
}

fn question(thread: &str, longer_than: Option<Span>, keep: Keep) -> Question {
    Question { thread: thread.into(), longer_than, keep }
}

fn explain(question: Question, records: &[Record]) -> Explanation {
    let mut explainer = Explainer::new(question);
    for record in records {
        explainer.record(record.at, &record.event);
    }
    explainer.finish()
}

/// All findings about `a`.
fn about_a(records: &[Record]) -> Explained {
    explain(question("a", None, Keep::All), records).threads.remove(0)
}

fn parts(account: &Account) -> Vec<(Part, u64)> {
    account.parts.iter().map(|(part, span)| (*part, span.as_nanos())).collect()
}

#[test]
fn law_a_late_job_tells_who_ran_instead_and_what_was_stolen() {
    let found = about_a(&[
        declare(0, A),
        declare(0, B),
        declare(0, C),
        switch(0, None, Some(B)),
        release(100, A, 150),
        wake(100, A, Some(C)),
        switch(110, Some((B, Stop::Preempted)), Some(C)),
        at(115, Event::OverheadBegin { cpu: C0, kind: OverheadKind::Interrupt, number: 3 }),
        at(118, Event::OverheadEnd { cpu: C0 }),
        switch(130, Some((C, Stop::Blocked)), Some(A)),
        at(140, Event::OverheadBegin { cpu: C0, kind: OverheadKind::Softirq, number: 9 }),
        at(144, Event::OverheadEnd { cpu: C0 }),
        complete(160, A, 60, true),
        switch(160, Some((A, Stop::Blocked)), None),
    ]);
    assert_eq!((found.kind, found.misses, found.late, found.episodes()), (Kind::Job, 1, 1, 1));
    let [job] = &found.kept[..] else { panic!("{found:?}") };
    assert_eq!(
        parts(&job.account),
        [
            (Part::Ran, 26),
            (Part::Stolen(OverheadKind::Softirq), 4),
            (Part::Behind(B), 10),
            (Part::Behind(C), 17),
            (Part::BehindOverhead(OverheadKind::Interrupt), 3),
        ]
    );
    assert_eq!((job.span(), job.by, job.ending), (ns(60), ns(10), Ending::Late));
    assert_eq!(job.wake, Some((Instant::from_nanos(100), Some(C))));
    assert_eq!(job.account.total(), job.span());
}

#[test]
fn law_a_thread_waits_where_it_runs_next_and_idle_processors_elsewhere_are_told() {
    let found = explain(
        question("a", Some(ns(30)), Keep::All),
        &[
            declare(0, A),
            declare(0, B),
            switch(0, None, Some(A)),
            on(0, C1, None, Some(B)),
            switch(10, Some((A, Stop::Blocked)), None),
            wake(20, A, None),
            on(60, C1, Some((B, Stop::Blocked)), Some(A)),
            on(70, C1, Some((A, Stop::Blocked)), None),
        ],
    )
    .threads
    .remove(0);
    let [burst] = &found.kept[..] else { panic!("{found:?}") };
    assert_eq!(parts(&burst.account), [(Part::Ran, 10), (Part::Behind(B), 40)]);
    assert_eq!(burst.account.idle_elsewhere, BTreeMap::from([(C0, ns(40))]));
    assert_eq!(burst.account.waited_on, BTreeMap::from([(C1, ns(40))]));
    assert_eq!((burst.account.dispatches, burst.account.migrations), (1, 1));
    assert_eq!((burst.number, burst.by, found.too_long), (1, ns(20), 1));
}

#[test]
fn law_a_used_up_reservation_holds_its_thread_and_not_whoever_runs() {
    let found = about_a(&[
        declare(0, A),
        declare(0, B),
        switch(0, None, None),
        release(0, A, 50),
        wake(0, A, None),
        switch(0, None, Some(A)),
        note(10, Note::Exhausted),
        switch(10, Some((A, Stop::Preempted)), Some(B)),
        note(40, Note::Replenished(ns(10))),
        switch(45, Some((B, Stop::Preempted)), Some(A)),
        complete(60, A, 60, true),
    ]);
    let job = &found.kept[0];
    assert_eq!(
        parts(&job.account),
        [(Part::Ran, 25), (Part::Behind(B), 5), (Part::Held(None), 30)]
    );
}

#[test]
fn law_a_used_up_reservation_above_holds_all_below_it_until_one_of_them_runs() {
    let player = NodeId(1);
    let node = |node, parent, name: &str| {
        at(0, Event::Node { node, parent, name: name.to_owned(), kind: "rez".to_owned() })
    };
    let under = |thread: ThreadId, node, name: &str| {
        let (name, node) = (name.to_owned(), Some(node));
        at(0, Event::Thread { thread, tid: 0, pid: 0, name, node })
    };
    let about = |ns, what| at(ns, Event::Note { node: RES, thread: None, what });
    let found = about_a(&[
        node(RES, None, "res"),
        node(player, Some(RES), "player"),
        under(A, player, "a"),
        under(B, player, "b"),
        under(C, RES, "c"),
        switch(0, None, Some(B)),
        release(0, A, 10),
        wake(0, A, None),
        about(10, Note::Exhausted),
        switch(10, Some((B, Stop::Preempted)), Some(C)),
        switch(20, Some((C, Stop::Blocked)), None),
        about(40, Note::Replenished(ns(10))),
        switch(40, None, Some(B)),
        about(50, Note::Exhausted),
        // The reservation is soft: B goes on, and A waits for B.
        switch(60, Some((B, Stop::Blocked)), Some(A)),
        complete(70, A, 70, true),
    ]);
    assert_eq!(
        parts(&found.kept[0].account),
        [(Part::Ran, 10), (Part::Behind(B), 30), (Part::Held(Some(player)), 30)]
    );
}

#[test]
fn law_of_a_figure_the_last_value_is_told() {
    let tells = |at: u64, name: &str, value: Figure| Record {
        at: Instant::from_nanos(at),
        event: Event::Figure { thread: A, name: name.to_owned(), value },
    };
    let found = about_a(&[
        declare(0, A),
        tells(1, "committed", Figure::Count(3)),
        tells(2, "saved", Figure::Time(ns(5))),
        release(2, A, 10),
        wake(2, A, None),
        switch(2, None, Some(A)),
        tells(3, "committed", Figure::Count(4)),
        complete(7, A, 5, false),
    ]);
    let told = [("committed", Figure::Count(4)), ("saved", Figure::Time(ns(5)))];
    assert_eq!(found.figures, told.map(|(name, value)| (name.to_owned(), value)));
}

#[test]
fn law_the_first_marks_are_kept_and_all_are_counted() {
    let marks = (0..20).map(|at| Record {
        at: Instant::from_nanos(at),
        event: Event::Mark { thread: Some(A), text: format!("mark {at}") },
    });
    let whole: Vec<Record> = [declare(0, A)].into_iter().chain(marks).collect();
    // Those before its first job count, too.
    let found = about_a(&[whole, vec![release(30, A, 10), complete(31, A, 1, false)]].concat());
    assert_eq!((found.marks.count, found.marks.left_out()), (20, 4));
    assert_eq!(found.marks.first[15], (Instant::from_nanos(15), "mark 15".to_owned()));
}

#[test]
fn law_what_was_submitted_is_counted_by_its_answer() {
    let found = about_a(&[
        declare(0, A),
        note(0, Note::Admitted(ns(5))),
        release(0, A, 10),
        wake(0, A, None),
        switch(0, None, Some(A)),
        note(1, Note::Refused(ns(3))),
        note(1, Note::Refused(ns(4))),
        note(2, Note::Admitted(ns(6))),
        note(7, Note::Absorbed(ns(2))),
        complete(7, A, 7, false),
        note(9, Note::Lost(ns(1))),
    ]);
    let tasks = found.tasks;
    assert_eq!((tasks.submitted(), tasks.admitted, tasks.refused, tasks.lost), (4, 2, 2, 1));
    assert_eq!((tasks.most_idle, tasks.absorbed), (ns(4), ns(2)));
    assert_eq!(found.misses, 0, "a refusal is no miss");
}

#[test]
fn law_of_jobs_that_overlap_each_has_all_time_since_its_release_and_one_what_was_run() {
    let found = about_a(&[
        declare(0, A),
        declare(0, B),
        wake(0, A, None),
        switch(0, None, Some(A)),
        release(0, A, 10),
        release(10, A, 20),
        switch(20, Some((A, Stop::Preempted)), Some(B)),
        release(25, A, 30),
        switch(30, Some((B, Stop::Blocked)), Some(A)),
        complete(40, A, 40, true),
        at(45, Event::Abort { thread: A }),
        switch(60, Some((A, Stop::Preempted)), Some(B)),
    ]);
    let told: Vec<_> = found.kept.iter().map(|job| (job.number, parts(&job.account))).collect();
    assert_eq!(
        told,
        [
            (1, vec![(Part::Ran, 30), (Part::Behind(B), 10)]),
            (2, vec![(Part::Ran, 5), (Part::Earlier, 20), (Part::Behind(B), 10)]),
            (3, vec![(Part::Ran, 15), (Part::Earlier, 15), (Part::Behind(B), 5)]),
        ]
    );
    assert_eq!(found.all.of(Part::Ran), ns(50), "as long as it had a processor");
    assert_eq!(found.longest_run, ns(30));
    assert_eq!((found.late, found.given_up, found.overdue), (1, 1, 1));
}

#[test]
fn law_lost_events_are_a_part_of_their_own() {
    let found = explain(
        question("a", Some(Span::ZERO), Keep::All),
        &[
            declare(0, A),
            declare(0, B),
            switch(0, None, Some(B)),
            wake(10, A, None),
            at(20, Event::Lost { cpu: Some(C0), count: Some(7) }),
            switch(50, Some((B, Stop::Preempted)), Some(A)),
            switch(60, Some((A, Stop::Blocked)), Some(B)),
            wake(70, A, None),
            at(80, Event::Lost { cpu: None, count: None }),
            wake(100, A, None),
            switch(105, Some((B, Stop::Preempted)), Some(A)),
        ],
    );
    assert_eq!((found.lost.gaps, found.lost.events, found.lost.uncounted), (2, 7, 1));
    let told: Vec<_> =
        found.threads[0].kept.iter().map(|b| (b.ending, parts(&b.account))).collect();
    assert_eq!(
        told,
        [
            (Ending::Done, vec![(Part::Ran, 10), (Part::Behind(B), 10), (Part::Unknown, 30)]),
            (Ending::Lost, vec![(Part::Behind(B), 10), (Part::Unknown, 20)]),
        ]
    );
    // The third is known for no moment, so it is not known to be too long.
    assert_eq!((found.threads[0].misses, found.threads[0].unsure), (2, 1));
}

#[test]
fn law_a_period_with_too_little_while_runnable_is_a_miss() {
    let promise = |text: &str| at(0, Event::Promise { thread: A, guarantee: Some(text.into()) });
    let told = [
        declare(0, A),
        declare(0, B),
        promise("RESBH 30ns 100ns"),
        switch(0, None, Some(B)),
        wake(0, A, None),
        note(0, Note::Replenished(ns(30))),
        switch(80, Some((B, Stop::Preempted)), Some(A)),
        note(100, Note::Replenished(ns(30))),
        switch(130, Some((A, Stop::Preempted)), Some(B)),
        note(200, Note::Replenished(ns(30))),
        switch(250, Some((B, Stop::Preempted)), Some(A)),
        // It waits, so nothing was promised in this period.
        switch(260, Some((A, Stop::Blocked)), Some(B)),
        note(300, Note::Replenished(ns(30))),
    ];
    let found = about_a(&told);
    assert_eq!((found.periods, found.short, found.misses), (2, 1, 1));
    let period = &found.kept[0];
    assert_eq!((period.ending, period.kind), (Ending::Short(ns(10)), Kind::Period));
    assert_eq!(parts(&period.account), [(Part::Ran, 20), (Part::Behind(B), 80)]);
    // Without the scheduler's word, a window that holds a whole period whatever its phase.
    let untold: Vec<Record> =
        told.iter().filter(|record| !matches!(record.event, Event::Note { .. })).cloned().collect();
    let found = about_a(&untold);
    assert_eq!((found.periods, found.short), (1, 0));
}

#[test]
fn law_what_is_stolen_does_not_break_a_promise_and_what_is_unknown_decides_nothing() {
    let promise = Event::Promise { thread: A, guarantee: Some("20ns/50ns".into()) };
    let records = [
        declare(0, A),
        declare(0, B),
        at(0, promise),
        switch(0, None, Some(B)),
        wake(0, A, None),
        switch(30, Some((B, Stop::Preempted)), Some(A)),
        at(30, Event::OverheadBegin { cpu: C0, kind: OverheadKind::Steal, number: 0 }),
        at(50, Event::OverheadEnd { cpu: C0 }),
        at(60, Event::Lost { cpu: None, count: None }),
        switch(95, Some((A, Stop::Preempted)), Some(B)),
        switch(150, Some((B, Stop::Preempted)), Some(A)),
    ];
    let found = about_a(&records);
    assert_eq!((found.periods, found.short, found.periods_unclear), (3, 1, 1));
    assert_eq!((found.unclear, found.missed_episodes()), (0, 0), "a period is no burst");
    assert_eq!(parts(&found.kept[0].account), [(Part::Behind(B), 50)]);
}

/// Five bursts of 10, 20, 30, 40 and 50 ns, each of which is as long as it waits.
fn bursts() -> Vec<Record> {
    let mut records = vec![declare(0, A), declare(0, B), switch(0, None, Some(B))];
    for n in 1..6 {
        let begin = n * 100;
        records.push(wake(begin, A, Some(B)));
        records.push(switch(begin + n * 10 - 1, Some((B, Stop::Preempted)), Some(A)));
        records.push(switch(begin + n * 10, Some((A, Stop::Blocked)), Some(B)));
    }
    records
}

#[test]
fn law_what_was_asked_for_is_kept_and_the_longest() {
    let kept = |keep| {
        let mut found = explain(question("a", Some(ns(15)), keep), &bursts()).threads;
        let numbers = |found: &Explained| found.kept.iter().map(|b| b.number).collect::<Vec<_>>();
        let found = found.remove(0);
        assert_eq!((found.done, found.misses), (5, 4));
        assert_eq!(found.longest.as_ref().map(|longest| longest.number), Some(5));
        assert_eq!((found.all.of(Part::Ran), found.missed.of(Part::Behind(B))), (ns(5), ns(136)));
        numbers(&found)
    };
    assert_eq!(kept(Keep::All), [2, 3, 4, 5]);
    assert_eq!(kept(Keep::Worst(2)), [4, 5]);
    assert_eq!(kept(Keep::Worst(0)), []);
    assert_eq!(kept(Keep::Miss(1)), [2]);
    assert_eq!(kept(Keep::Miss(9)), []);
    assert_eq!(kept(Keep::Job(1)), [1]);
}

#[test]
fn law_threads_are_chosen_by_name_glob_and_number_and_by_a_later_name() {
    let chosen = |text: &str| {
        let mut records = bursts();
        let (name, node) = ("renamed".to_owned(), None);
        records.push(at(700, Event::Thread { thread: B, tid: 2, pid: 1, name, node }));
        let found = explain(question(text, None, Keep::All), &records);
        found.threads.iter().map(|found| found.thread).collect::<Vec<_>>()
    };
    assert_eq!(chosen("a"), [A]);
    assert_eq!(chosen("*"), [A, B]);
    assert_eq!(chosen("2"), [B]);
    assert_eq!(chosen("ren*"), [B]);
    assert_eq!(chosen("nobody"), []);
}

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

#[test]
fn law_a_job_that_is_given_up_because_it_was_refused_is_no_miss() {
    let abort = |ns| at(ns, Event::Abort { thread: A });
    let (yes, no) = (Note::Admitted(ns(5)), Note::Refused(Span::ZERO));
    let found = about_a(&[
        declare(0, A),
        // A plan is made when a job begins.
        release(10, A, 20),
        note(10, no),
        abort(10),
        release(20, A, 30),
        note(20, yes),
        complete(26, A, 6, false),
        // Another scheduler answers before the release, and refuses one while that is open.
        note(30, yes),
        release(30, A, 40),
        note(35, no),
        abort(40),
    ]);
    let tasks = found.tasks;
    assert_eq!((tasks.submitted(), tasks.refused), (4, 2));
    assert_eq!((found.done, found.given_up, found.misses), (1, 1, 1));
}

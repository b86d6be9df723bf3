mod asked;
mod random;
mod reported;

use super::*;
use crate::{Cpu, Event, Note, OverheadKind, Record, Sink, Stop};

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

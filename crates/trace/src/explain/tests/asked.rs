//! Which threads an answer is about, and which of them is the worst.

use super::*;

/// A recording of text has the name that a program gave its thread at the end only: the thread is asked about all along.
#[test]
fn law_a_thread_is_asked_about_by_any_name_that_it_ever_has() {
    let named = |ns_at, name: &str| {
        at(ns_at, Event::Thread { thread: A, tid: 1, pid: 1, name: name.to_owned(), node: None })
    };
    let run = [
        named(0, "sh"),
        declare(0, B),
        wake(10, A, None),
        switch(30, None, Some(A)),
        switch(40, Some((A, Stop::Blocked)), None),
    ];
    let ran = |pattern: &str, last: &str| {
        let records = run.iter().cloned().chain([named(50, last)]).collect::<Vec<_>>();
        let threads = explain(question(pattern, None, Keep::All), &records).threads;
        let ran = |one: &Explained| (one.thread, one.all.of(Part::Ran).as_nanos(), one.done);
        threads.iter().map(ran).collect::<Vec<_>>()
    };
    for pattern in ["cc1", "cc*", "sh", "#1", "1", "*c1"] {
        assert_eq!(ran(pattern, "cc1"), [(A, 10, 1)], "{pattern}");
    }
    assert_eq!(ran("cc1", "as"), [], "it never had that name");
    assert_eq!(ran("#2", "cc1"), [(B, 0, 0)]);
}

/// `b` has more misses and waits longer in all, `a` has the worst miss and the longest wait.
#[test]
fn law_the_worst_thread_has_the_worst_miss_or_else_the_longest_wait() {
    let mut records = vec![declare(0, B), declare(0, A), declare(0, C), switch(0, None, Some(C))];
    let mut now = 0;
    for (thread, waits) in [(B, 30), (A, 50), (B, 40)] {
        records.extend([
            wake(now, thread, None),
            switch(now + waits, Some((C, Stop::Preempted)), Some(thread)),
            switch(now + waits + 10, Some((thread, Stop::Blocked)), Some(C)),
        ]);
        now += waits + 10;
    }
    for limit in [None, Some(ns(20))] {
        let mut explanation = explain(question("*", limit, Keep::Worst(1)), &records);
        explanation.keep_worst();
        let [found] = &explanation.threads[..] else { panic!("{explanation:?}") };
        let [kept] = &found.kept[..] else { panic!("{found:?}") };
        let by = limit.map_or(0, |limit| 60 - limit.as_nanos());
        assert_eq!(
            (found.thread, kept.account.waited(), kept.by),
            (A, ns(50), ns(by)),
            "{limit:?}"
        );
    }
    let mut nobody = explain(question("*", None, Keep::Worst(1)), &[declare(0, B), declare(0, A)]);
    nobody.keep_worst();
    assert_eq!(nobody.threads.iter().map(|one| one.thread).collect::<Vec<_>>(), [B]);
}

/// Of jobs: the longest and the last ran on their own, the one between waited longest.
#[test]
fn law_the_longest_wait_is_not_the_longest_job() {
    let mut explanation = explain(
        question("a", None, Keep::Worst(1)),
        &[
            declare(0, A),
            declare(0, B),
            release(0, A, 1_000),
            switch(0, None, Some(A)),
            complete(100, A, 100, false),
            switch(100, Some((A, Stop::Blocked)), Some(B)),
            release(110, A, 1_000),
            wake(110, A, None),
            switch(140, Some((B, Stop::Preempted)), Some(A)),
            complete(150, A, 40, false),
            switch(150, Some((A, Stop::Blocked)), None),
            release(200, A, 1_000),
            switch(200, None, Some(A)),
            complete(290, A, 90, false),
            switch(290, Some((A, Stop::Blocked)), None),
        ],
    );
    explanation.keep_worst();
    let found = &explanation.threads[0];
    assert_eq!(found.longest.as_ref().map(|one| one.number), Some(1));
    assert_eq!(found.kept.iter().map(|one| one.number).collect::<Vec<_>>(), [2]);
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

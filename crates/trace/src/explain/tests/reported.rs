//! Reports of a thread and its scheduler about themselves: figures, marks, and tasks that were submitted.

use super::*;
use crate::Figure;

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

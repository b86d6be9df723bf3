//! Jobs: their releases, those that are late, and those that follow another thread's.

use super::*;
use crate::program::{Jobs, OnLate};

#[test]
fn law_jobs_wait_their_turn_and_keep_their_release() {
    // 15 ms of work every 10 ms, three times; the host comes 1 ms late to the second.
    let jobs = Jobs { count: Some(3), ..Jobs::periodic(ms(15), ms(10)) };
    let mut mock = Mock::of(&[Program::Jobs(jobs)]).begin();
    mock.play(at(9));
    assert_eq!(mock.wakeups.remove(&(0, Wakeup::Release)), Some(at(10)));
    mock.play(at(11));
    ProgramRuntime::release_due(&mut mock, 0, at(10));
    assert_eq!(mock.wakeups.get(&(0, Wakeup::Release)), Some(&at(20)), "the grid stays");
    mock.play(at(40));
    assert_eq!(mock.threads.overdue(0, at(40)), 1, "the third, due at 30");
    mock.play(at(100));
    use Said::{Begins, Completed, Exited, Released, Woken};
    let expected = [
        Released(0),
        Begins(0),
        Woken(None),
        Released(10),
        Completed(0),
        Begins(10),
        Released(20),
        Completed(10),
        Begins(20),
        Completed(20),
        Exited,
    ];
    assert_eq!(mock.of_player(0), expected);
}

#[test]
fn law_a_late_job_is_given_up_and_those_behind_it_too() {
    // The third job does not wait for the first two, which take too long.
    let busy = steps(1, vec![run(25)]);
    let jobs = Jobs { late: OnLate::Abort, count: Some(4), ..Jobs::periodic(ms(2), ms(10)) };
    let mut mock = Mock::of(&[busy, Program::Jobs(jobs)]).begin();
    mock.play(at(100));
    let said = mock.of_player(1);
    let count = |what: Said| said.iter().filter(|said| **said == what).count();
    assert_eq!(count(Said::Aborted), 2, "{said:?}");
    assert_eq!(said.last(), Some(&Said::Exited), "{said:?}");
    let done = |said: &&Said| matches!(said, Said::Completed(_));
    let done: Vec<Said> = said.iter().filter(done).copied().collect();
    assert_eq!(done, [Said::Completed(20), Said::Completed(30)]);
    assert_eq!(mock.threads.overdue(1, at(100)), 0);
}

#[test]
fn law_a_job_that_is_given_up_ends_the_last_one_without_a_processor() {
    let jobs = Jobs { late: OnLate::Abort, count: Some(1), ..Jobs::periodic(ms(20), ms(10)) };
    let mut mock = Mock::of(&[Program::Jobs(jobs)]).begin();
    mock.play(at(100));
    assert_eq!(mock.now, at(10));
    assert_eq!(mock.threads.condition(0), Condition::Gone);
    assert!(!ProgramRuntime::abort(&mut mock, 0), "there is nothing to give up any more");
}

#[test]
fn law_a_program_of_phases_goes_on_without_a_deadline() {
    let timer = Step::Timer { timer: 0, period: ms(10), tick: crate::action::Tick::Absolute };
    let mut mock = Mock::of(&[steps(2, vec![timer, run(3)])]).begin();
    mock.play(at(11));
    let deadline = |mock: &Mock| mock.threads.job(0).map(|job| (job.release, job.deadline));
    assert_eq!(deadline(&mock), Some((at(10), Some(at(20)))));
    assert!(!ProgramRuntime::abort(&mut mock, 0) && !ProgramRuntime::abort(&mut mock, 0));
    assert_eq!(deadline(&mock), Some((at(10), None)));
    mock.play(at(100));
    let said = mock.of_player(0);
    let told = said.iter().filter(|said| matches!(said, Said::GoesOn(_)));
    let told: Vec<Said> = told.copied().collect();
    assert_eq!(told, [Said::GoesOn(true), Said::GoesOn(false)], "missed once");
    assert!(said.contains(&Said::Completed(10)) && said.contains(&Said::Completed(20)));
}

fn after(place: usize) -> Program {
    let activation = Activation::After(place);
    let work = Work::Fixed(ms(1));
    Program::Jobs(Jobs::new(activation, work))
}

impl Mock {
    /// The releases of a thread's jobs.
    fn released_to(&self, number: u32) -> Vec<u64> {
        let said = self.of_player(number).into_iter();
        let times = said.filter_map(|said| match said {
            Said::Released(at) => Some(at),
            _ => None,
        });
        times.collect()
    }
}

#[test]
fn law_a_completion_releases_those_who_follow() {
    let first = Program::Jobs(Jobs { count: Some(2), ..Jobs::periodic(ms(2), ms(10)) });
    // The second thread is added before the one that it follows.
    let mut mock = Mock::of(&[after(2), after(0), first]).begin();
    mock.play(at(100));
    assert_eq!(mock.released_to(2), [0, 10]);
    assert_eq!(mock.released_to(0), [2, 12]);
    assert_eq!(mock.released_to(1), [3, 13]);
}

#[test]
fn law_a_completion_is_nothing_to_a_follower_that_is_not_alive() {
    let first = Program::Jobs(Jobs { count: Some(4), ..Jobs::periodic(ms(2), ms(10)) });
    let mut mock = Mock::of(&[first, after(0), after(0)]);
    mock.threads.withdraw(2);
    ProgramRuntime::begin(&mut mock, 0);
    mock.play(at(15));
    ProgramRuntime::begin(&mut mock, 1);
    mock.play(at(100));
    assert_eq!(mock.released_to(0), [0, 10, 20, 30]);
    assert_eq!(mock.released_to(1), [22, 32]);
    assert_eq!(mock.released_to(2), []);
}

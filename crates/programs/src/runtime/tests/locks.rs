//! Where threads of a program meet: barriers, conditions, and locks with their protocols.

use super::*;
use crate::urgency::LockProtocol;

const CONDITION: Resource = Resource(1);
const BARRIER: Resource = Resource(2);

#[test]
fn law_a_barrier_opens_for_all_with_the_last() {
    let meets = |work| steps(2, vec![run(work), Step::Barrier(BARRIER)]);
    let mut mock = Mock::of(&[meets(1), meets(2), meets(5)]);
    mock.threads.barrier(BARRIER, 3);
    let mut mock = mock.begin();
    mock.play(at(7));
    let held = Condition::Held(None);
    assert_eq!([0, 1].map(|number| mock.threads.condition(number)), [held; 2]);
    mock.play(at(100));
    for number in 0..3 {
        assert_eq!(mock.threads.condition(number), Condition::Gone, "thread {number}");
    }
    // The last to arrive is not woken, because it has never waited.
    assert_eq!([0, 1, 2].map(|number| mock.wakes(number)).iter().sum::<usize>(), 3 + 2 * 2);
}

#[test]
fn law_a_condition_gives_the_lock_back_before_anybody_goes_on() {
    let waits = || {
        steps(
            1,
            vec![
                Step::Lock(LOCK),
                Step::Wait { condition: CONDITION, lock: LOCK },
                run(1),
                Step::Unlock(LOCK),
            ],
        )
    };
    let tells = steps(
        1,
        vec![
            Step::Sleep(ms(1)),
            Step::Lock(LOCK),
            Step::Broadcast(CONDITION),
            run(3),
            Step::Unlock(LOCK),
            run(1),
        ],
    );
    let mut mock = Mock::of(&[waits(), waits(), tells]).begin();
    mock.play(at(3));
    for number in [0, 1] {
        assert_eq!(mock.threads.condition(number), Condition::Held(None), "the lock is taken");
        assert_eq!(mock.of_player(number), [Said::Woken(None)], "it is made");
    }
    mock.play(at(100));
    assert_eq!(mock.of_player(0), [Said::Woken(None), Said::Woken(Some(2)), Said::Exited]);
    assert_eq!(mock.of_player(1), [Said::Woken(None), Said::Woken(Some(0)), Said::Exited]);
}

#[test]
fn law_a_signal_wakes_whoever_waited_longest_and_is_lost_without_one() {
    let waits = |sleep| {
        let wait = Step::Wait { condition: CONDITION, lock: LOCK };
        let rest = vec![Step::Sleep(ms(sleep)), Step::Lock(LOCK), wait, Step::Unlock(LOCK)];
        steps(1, rest)
    };
    let tells = |sleep| steps(1, vec![Step::Sleep(ms(sleep)), Step::Signal(CONDITION), run(1)]);
    let mut mock = Mock::of(&[waits(2), waits(1), tells(0), tells(5)]).begin();
    mock.play(at(100));
    assert_eq!(mock.threads.condition(0), Condition::Held(Some(LOCK)), "it came second");
    assert_eq!(mock.threads.condition(1), Condition::Gone);
}

/// A thread that takes and gives back locks in turn, and yields while it holds each.
fn holds(locks: &[Resource]) -> Program {
    let take = locks.iter().flat_map(|lock| [Step::Lock(*lock), run(1), Step::Yield]);
    let give = locks.iter().rev().flat_map(|lock| [Step::Unlock(*lock), run(1)]);
    steps(1, take.chain(give).collect())
}

#[test]
fn law_urgency_is_inherited_through_a_chain_of_locks_and_given_back() {
    let (outer, inner) = (Resource(3), Resource(4));
    let long =
        [Step::Lock(inner), run(1), Step::Yield, run(1), Step::Yield, Step::Unlock(inner), run(1)];
    let programs = [steps(1, long.to_vec()), holds(&[outer, inner]), holds(&[outer])];
    let mut mock = Mock::of(&programs);
    let users = [0, 1, 2].map(|number| (number, Rank::Priority(i32::try_from(number).unwrap())));
    for lock in [outer, inner] {
        mock.threads.lock_protocol(lock, LockProtocol::Inherit, &users);
    }
    let mut mock = mock.begin();
    mock.play(at(100));
    let inherited = |thread, priority| (thread, Urgency::Priority(priority));
    // The last waits for the second, which then waits for the first.
    let told = [inherited(1, 2), inherited(0, 2), inherited(0, 0), inherited(1, 1)];
    assert_eq!(mock.urgencies, told);
    for number in 0..3 {
        assert_eq!(mock.threads.condition(number), Condition::Gone);
    }
}

#[test]
fn law_a_ceiling_is_that_of_all_users_and_a_deadline_counts_from_then() {
    let lock = Resource(3);
    let mut mock = Mock::of(&[holds(&[lock]), holds(&[lock])]);
    let relative = |span| Rank::Deadline(Some(ms(span)));
    mock.threads.lock_protocol(
        lock,
        LockProtocol::Ceiling,
        &[(0, relative(50)), (1, relative(20))],
    );
    let mut mock = mock.begin();
    mock.play(at(100));
    let due = |thread, at| (thread, Urgency::Due(core::cmp::Reverse(at)));
    // The first takes it at 0, gives it back 1 ms later, and works on for 1 ms before the second runs.
    let never = |thread| due(thread, Instant::MAX);
    let told = [due(0, at(20)), never(1), never(0), due(1, at(22)), never(1)];
    assert_eq!(mock.urgencies, told);
}

#[test]
fn law_whoever_runs_first_takes_a_lock_that_was_given_back() {
    let lock = Resource(3);
    // The first holds it while both others come; the second of them is more urgent and gets it first.
    let comes = |after| {
        steps(1, vec![Step::Sleep(ms(after)), Step::Lock(lock), run(1), Step::Unlock(lock)])
    };
    let first = steps(
        1,
        vec![Step::Lock(lock), run(2), Step::Yield, run(2), Step::Yield, Step::Unlock(lock)],
    );
    let mut mock = Mock::of(&[first, comes(1), comes(2)]);
    let users = [(0, Rank::Priority(1)), (1, Rank::Priority(2)), (2, Rank::Priority(3))];
    mock.threads.lock_protocol(lock, LockProtocol::Inherit, &users);
    let mut mock = mock.begin();
    mock.play(at(100));
    let exits = mock.said.iter().filter(|(_, said)| *said == Said::Exited);
    assert_eq!(exits.map(|(thread, _)| *thread).collect::<Vec<_>>(), [0, 2, 1]);
}

#[test]
fn refuses_to_unlock_what_is_not_locked() {
    let mut mock = Mock::of(&[steps(1, vec![run(1), Step::Unlock(LOCK)])]).begin();
    mock.play(at(100));
    assert_eq!(mock.error, Some((0, ProgramError::NotOwner)));
}

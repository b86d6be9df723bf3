//! Calibration: what each kind of thread of an application needs, from one run of it (HLS 8.5.1).
//!
//! Threads of equal identity (start routine as far as it is known, name, and name of the thread that made them) are
//! assumed to have equal requirements: they are one [`Kind`]. The routine alone does not suffice, because many
//! languages start every thread with a routine of their own. A kind has the period of the member that was observed
//! for the most periods, if half of the members that worked agree with it within a tenth. Its need is the greatest
//! of any member's. The suggested amount is chosen by a stated [`Conservatism`] and rounded up to a microsecond.
//!
//! Not promised: that another run, another machine or another clock rate needs no more.

use super::period::{FEWEST, Habit, Need, Note, habit};
use super::proposal::{whole_micros, with_margin};
use super::replay::Learned;
use std::collections::{BTreeMap, HashMap};
use windfall_time::{Ratio, Span};
use windfall_trace::timeline::State;
use windfall_trace::{ThreadId, Timeline};

/// How the amount is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conservatism {
    /// The largest work of a period, times this factor.
    Max(Ratio),
    /// The work that 99 of 100 periods did not exceed.
    P99,
}

/// The origin of a thread, as far as it was seen.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Origin {
    /// The thread that made it.
    pub maker: Option<ThreadId>,
    /// Its start routine: a file's name and a symbol (`player:decode`), or the offset in the file
    /// (`libstdc++.so.6+0xe1a20`).
    pub routine: Option<String>,
}

impl Origin {
    /// The maker of the thread, and the routine that it started with.
    #[must_use]
    pub const fn new(maker: Option<ThreadId>, routine: Option<String>) -> Origin {
        Origin { maker, routine }
    }
}

/// Threads that are assumed to be alike.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Kind {
    /// Their start routine, as in [`Origin::routine`].
    pub routine: Option<String>,
    /// Their name.
    pub name: String,
    /// The name of the thread that made them; `None` if that was not seen.
    pub parent: Option<String>,
    /// Number of such threads.
    pub count: usize,
    /// The habit of the member that represents them.
    pub habit: Habit,
    /// The greatest need of any member.
    pub need: Need,
    /// The suggested amount for each period; `None` if they have no period.
    pub amount: Option<Span>,
    /// Whether need and conservatism exceed the period, so that `amount` is cut.
    pub cut: bool,
    /// Why there is no period, in words; empty when there is one.
    pub why_not: String,
}

/// The requirements of an application.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Calibration {
    /// The kinds: periodic ones first, then by need.
    pub kinds: Vec<Kind>,
    /// How amounts were chosen.
    pub conservatism: Conservatism,
    /// Number of lost events, and number of gaps for any reason.
    pub lost: (u64, u64),
}

/// Start routine, name, name of the maker.
type Identity = (Option<String>, String, Option<String>);

/// A thread that ran or was ready for this share of its life only computes.
const BOUND: (u64, u64) = (9, 10);
/// The least confidence for a suggestion: 3/4.
const SURE: (i128, i128) = (3, 4);

impl Calibration {
    /// Analyses the threads of `learned`. `timeline` is made of the same records; `origins` has the threads'
    /// origins.
    #[must_use]
    pub fn new(
        learned: &Learned,
        timeline: &Timeline,
        origins: &HashMap<ThreadId, Origin>,
        conservatism: Conservatism,
    ) -> Calibration {
        let names: HashMap<ThreadId, &str> =
            timeline.threads.iter().map(|line| (line.id, line.name.as_str())).collect();
        let mut alike: BTreeMap<Identity, Vec<usize>> = BTreeMap::new();
        for (place, thread) in learned.threads.iter().enumerate() {
            let Origin { maker, routine } =
                origins.get(&thread.trace_thread).cloned().unwrap_or_default();
            let parent = maker.and_then(|maker| names.get(&maker));
            let key = (routine, thread.name.clone(), parent.map(|name| (*name).to_owned()));
            alike.entry(key).or_default().push(place);
        }
        let mut kinds: Vec<Kind> = alike
            .into_iter()
            .filter_map(|((routine, name, parent), members)| {
                let mut kind = kind(learned, &members, conservatism)?;
                (kind.routine, kind.name, kind.parent) = (routine, name, parent);
                if kind.amount.is_none()
                    && members.iter().any(|at| is_bound(learned, timeline, *at))
                {
                    kind.why_not = "not periodic: CPU-bound".to_owned();
                }
                Some(kind)
            })
            .collect();
        kinds.sort_by_key(|kind| (kind.amount.is_none(), std::cmp::Reverse(kind.need.max)));
        let lost = (learned.lost.events, learned.lost.gaps);
        Calibration { kinds, conservatism, lost }
    }
}

/// The kind with these members; `None` if there is none.
fn kind(learned: &Learned, members: &[usize], conservatism: Conservatism) -> Option<Kind> {
    let habits: Vec<Habit> = members.iter().map(|at| habit(learned, *at)).collect();
    let sure = |habit: &&Habit| {
        let share =
            habit.confidence.numerator() * SURE.1 >= habit.confidence.denominator() * SURE.0;
        habit.period.is_some() && habit.periods >= FEWEST && share
    };
    let best = habits.iter().filter(sure).max_by_key(|habit| habit.periods);
    let agree = |habit: &&Habit| match (habit.period, best.and_then(|best| best.period)) {
        (Some(own), Some(period)) => {
            own.as_nanos().abs_diff(period.as_nanos()) * 10 <= period.as_nanos()
        }
        _ => false,
    };
    let (agreeing, worked) = (
        habits.iter().filter(agree).count(),
        habits.iter().filter(|habit| habit.periods >= FEWEST).count(),
    );
    let best = best.filter(|_| agreeing * 2 >= worked);
    let counted = habits.iter().filter(|habit| best.is_none() || agree(habit));
    let need = counted.fold(Need::default(), |most, habit| Need {
        p50: most.p50.max(habit.need.p50),
        p99: most.p99.max(habit.need.p99),
        max: most.max.max(habit.need.max),
    });
    let longest = || habits.iter().max_by_key(|habit| (habit.periods, habit.wakeups)).cloned();
    let shown = best.cloned().or_else(longest)?;
    let period = best.and_then(|best| best.period);
    let wished = period.map(|_| conservatism.of(need));
    let why_not = match (period, shown.note) {
        (Some(_), _) => "",
        (None, Note::TooFewPeriods) => "too few periods",
        (None, _) if shown.period.is_some() => "not surely periodic",
        (None, _) => "not periodic",
    };
    Some(Kind {
        routine: None,
        name: String::new(),
        parent: None,
        count: members.len(),
        habit: shown,
        need,
        amount: wished.zip(period).map(|(wished, period)| wished.min(whole_micros(period))),
        cut: wished.zip(period).is_some_and(|(wished, period)| wished > period),
        why_not: why_not.to_owned(),
    })
}

/// Whether a thread was ready or running for nearly all its life.
fn is_bound(learned: &Learned, timeline: &Timeline, at: usize) -> bool {
    let id = learned.threads[at].trace_thread;
    let stretches = timeline.thread(id).map_or(&[][..], |line| &line.stretches);
    let (mut able, mut known) = (0_u64, 0_u64);
    for stretch in stretches {
        let ns = stretch.span().as_nanos();
        match stretch.state {
            State::Unknown => {}
            State::Running(_) | State::Ready => (able, known) = (able + ns, known + ns),
            _ => known += ns,
        }
    }
    // Less than a tenth of a second proves nothing.
    able > 100_000_000 && able * BOUND.1 >= known * BOUND.0
}

impl Conservatism {
    /// The amount for a need.
    #[must_use]
    pub fn of(self, need: Need) -> Span {
        match self {
            Conservatism::Max(margin) => with_margin(need.max, margin),
            Conservatism::P99 => with_margin(need.p99, Ratio::ONE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::{Activation, Cause, LearnedThread};
    use crate::program::Recorded;
    use windfall_time::Instant;

    /// A thread named `worker` that uses 1 ms in every `period_ms`.
    fn worker(number: u32, period_ms: u64) -> LearnedThread {
        let activation = |n: u64| Activation {
            at: Instant::from_nanos(n * period_ms * 1_000_000),
            by: Cause::Other,
            work: Span::from_millis(1),
        };
        LearnedThread {
            trace_thread: ThreadId(number),
            name: "worker".to_owned(),
            tid: number,
            pid: 1,
            of_command: true,
            recorded: Recorded::default(),
            activations: (0..40).map(activation).collect(),
            jobs: Vec::new(),
            unknown: Span::ZERO,
        }
    }

    fn periods(origins: &HashMap<ThreadId, Origin>) -> Vec<(Option<String>, usize, Option<Span>)> {
        let threads = vec![worker(0, 10), worker(1, 10), worker(2, 25)];
        let learned = Learned { threads, ..Learned::default() };
        let timeline = Timeline::build(std::iter::empty());
        let found = Calibration::new(&learned, &timeline, origins, Conservatism::Max(Ratio::ONE));
        let mut kinds: Vec<_> = found.kinds.into_iter().collect();
        kinds.sort_by_key(|kind| kind.habit.period);
        let all = kinds.into_iter();
        all.map(|kind| (kind.routine, kind.count, kind.amount.and(kind.habit.period))).collect()
    }

    #[test]
    fn paper_threads_that_share_a_start_routine_are_alike() {
        let ms = |n| Some(Span::from_millis(n));
        let starts = |number: u32, at: &str| {
            (ThreadId(number), Origin { maker: None, routine: Some(at.to_owned()) })
        };
        let known = HashMap::from([starts(0, "a:fast"), starts(1, "a:fast"), starts(2, "a:slow")]);
        let fast = (Some("a:fast".to_owned()), 2, ms(10));
        assert_eq!(periods(&known), [fast, (Some("a:slow".to_owned()), 1, ms(25))]);
        // Without routines, one name is one kind, whose members do not agree on a period.
        assert_eq!(periods(&HashMap::new()), [(None, 3, None)]);
    }
}

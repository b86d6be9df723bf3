//! Replicas that were wrong or absent, a sentence each: how often, since when, and what was done about it, by the figures that voters, and the process that looks after them, report (`replica_2_wrong`).

use windfall_scenario::outcome::{Outcome, plain};

/// Figures of a thread, by the keys of results.
pub(crate) type Counted = [(String, u64)];

/// A replica of a computation, as its voters see it.
struct Accused<'t> {
    /// The name that the voters have in common.
    of: &'t str,
    replica: u64,
    /// Of its values, as the voter with the most votes says.
    said: Said,
    votes: u64,
    by: Vec<&'t str>,
}

/// The figures of a thread about a replica.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Said {
    wrong: u64,
    absent: u64,
    /// The iteration since which no value of it was right; 0 if the last was.
    since: u64,
    done: Done,
}

/// Remedies that were applied.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Done {
    /// How often it was begun anew, or in the place of another.
    begun: u64,
    /// The spare that took its place; 0 if none did.
    replaced_by: u64,
    /// Whether it takes part no longer.
    retired: u64,
    /// Whether the run ended because of it.
    ended: u64,
}

impl Said {
    /// Where a figure with this key belongs.
    fn field(&mut self, key: &str) -> Option<&mut u64> {
        Some(match key {
            "wrong" => &mut self.wrong,
            "absent" => &mut self.absent,
            "wrong_since" => &mut self.since,
            "begun" => &mut self.done.begun,
            "replaced_by" => &mut self.done.replaced_by,
            "retired" => &mut self.done.retired,
            "ended_the_run" => &mut self.done.ended,
            _ => return None,
        })
    }
}

/// The replica that a figure is about, and the rest of its key.
fn about(key: &str) -> Option<(u64, &str)> {
    let (number, what) = key.strip_prefix("replica_")?.split_once('_')?;
    Said::default().field(what)?;
    Some((number.parse().ok()?, what))
}

/// The figures that are about no replica.
pub(crate) fn others(counted: &Counted) -> Vec<(String, u64)> {
    counted.iter().filter(|(key, _)| about(key).is_none()).cloned().collect()
}

/// The name of a process without its number among those that one made: `replica` of `replica-2`.
fn family(name: &str) -> &str {
    let is_number = |end: &str| !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit());
    name.rsplit_once('-').filter(|(_, end)| is_number(end)).map_or(name, |(start, _)| start)
}

/// The number of votes of a voter.
fn votes(counted: &Counted) -> Option<u64> {
    counted.iter().find(|(key, _)| key == "votes").map(|(_, votes)| *votes)
}

/// The voter without a number, which made the others, if there is one only: then all threads are of its computation.
fn only<'t>(threads: &[(&'t str, &Counted)]) -> Option<&'t str> {
    let first = |(name, counted): &&(&str, &Counted)| {
        votes(counted).is_some() && family(name).len() == name.len()
    };
    let mut first = threads.iter().filter(first);
    let (name, _) = first.next()?;
    first.next().is_none().then_some(name)
}

/// The figures of a thread about each replica.
fn says(counted: &Counted) -> Vec<(u64, Said)> {
    let mut all: Vec<(u64, Said)> = Vec::new();
    for (key, count) in counted {
        let Some((replica, what)) = about(key) else { continue };
        let place = all.iter().position(|(number, _)| *number == replica).unwrap_or_else(|| {
            all.push((replica, Said::default()));
            all.len() - 1
        });
        if let Some(field) = all[place].1.field(what) {
            *field = *count;
        }
    }
    all
}

fn accused<'t>(threads: &[(&'t str, &Counted)]) -> Vec<Accused<'t>> {
    let mut all: Vec<Accused<'t>> = Vec::new();
    let only = only(threads);
    for (name, counted) in threads {
        let of = only.unwrap_or_else(|| family(name));
        for (replica, said) in says(counted) {
            let votes = votes(counted).unwrap_or(0);
            let known = all.iter_mut().find(|one| one.of == of && one.replica == replica);
            let Some(one) = known else {
                all.push(Accused { of, replica, said, votes, by: vec![name] });
                continue;
            };
            // The process that looks after them says what was done, and has no votes.
            let done = if said.done == Done::default() { one.said.done } else { said.done };
            if votes > one.votes {
                (one.said, one.votes) = (said, votes);
            }
            one.said.done = done;
            one.by.push(name);
        }
    }
    all.sort_by_key(|one| (one.of, one.replica));
    all
}

/// A sentence for each replica that was wrong, absent, or begun in the place of another, by the figures of all threads of a run, with their names.
pub(crate) fn sentences(threads: &[(&str, &Counted)]) -> Vec<String> {
    said(
        threads,
        |one| format!("replica {} of {}", one.replica, one.of),
        "nothing was done about it",
    )
}

/// The sentences of one thread alone, which may know neither what was done nor what others call the computation.
pub(crate) fn by_one(name: &str, counted: &Counted) -> Vec<String> {
    said(&[(name, counted)], |one| format!("replica {}", one.replica), "")
}

fn said(
    threads: &[(&str, &Counted)],
    whom: impl Fn(&Accused<'_>) -> String,
    nothing: &str,
) -> Vec<String> {
    let all = accused(threads);
    let sentence = |one: &Accused<'_>| {
        let Accused { of, replica, by, .. } = one;
        let replaces = |other: &&Accused<'_>| {
            other.of == *of && other.said.done.replaced_by == *replica && *replica != 0
        };
        let place = all.iter().find(replaces).map(|other| other.replica);
        let mut done = one.said.done;
        done.begun -= u64::from(place.is_some()).min(done.begun);
        let place = place.map(|other| format!("takes the place of replica {other}"));
        let values = values(one.said).into_iter().flatten();
        let found: Vec<String> = place.iter().cloned().chain(values).collect();
        // Nothing need be done about one that is only there for another.
        let is_well = place.is_some() && found.len() == 1;
        let nothing = if is_well { "" } else { nothing };
        let done = remedy(done).unwrap_or_else(|| nothing.to_owned());
        let both = [found.join(", "), done];
        let both: Vec<_> = both.into_iter().filter(|part| !part.is_empty()).collect();
        format!("{}: {} (says {})", whom(one), both.join("; "), by.join(", "))
    };
    all.iter().map(sentence).collect()
}

/// A sentence for each such replica in the outcome of a run.
pub(crate) fn of(outcome: &Outcome) -> Vec<String> {
    let keyed = |stats: &windfall_scenario::outcome::Figures| -> Vec<(String, u64)> {
        stats.iter().map(|(name, count)| plain(name, *count)).collect()
    };
    let counted: Vec<_> = outcome.threads.iter().map(|thread| keyed(&thread.stats)).collect();
    let names = outcome.threads.iter().map(|thread| thread.name.as_str());
    let threads: Vec<_> = names.zip(counted.iter().map(Vec::as_slice)).collect();
    sentences(&threads)
}

/// How often its values were wrong or absent, and since when.
fn values(said: Said) -> [Option<String>; 3] {
    let Said { wrong, absent, since, .. } = said;
    let counted = |count: u64, singular: &str, plural: &str| match count {
        0 => None,
        1 => Some(format!("1 {singular}")),
        count => Some(format!("{count} {plural}")),
    };
    let now = match since {
        0 => "its last value was right".to_owned(),
        since => format!("nothing right since iteration {since}"),
    };
    [
        counted(wrong, "value wrong", "values wrong"),
        counted(absent, "iteration without a value", "iterations without a value"),
        (wrong + absent + since > 0).then_some(now),
    ]
}

/// The remedies in words, if any was applied.
fn remedy(done: Done) -> Option<String> {
    let all = [
        (done.begun > 0).then(|| match done.begun {
            1 => "begun anew once".to_owned(),
            times => format!("begun anew {times} times"),
        }),
        (done.replaced_by > 0).then(|| format!("replaced by replica {}", done.replaced_by)),
        (done.retired > 0).then(|| "takes part no longer".to_owned()),
        (done.ended > 0).then(|| "the run ended because of it".to_owned()),
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(threads: &[(&str, &[(&str, u64)])]) -> Vec<String> {
        let owned = |counted: &[(&str, u64)]| -> Vec<(String, u64)> {
            counted.iter().map(|(key, count)| ((*key).to_owned(), *count)).collect()
        };
        let all: Vec<_> = threads.iter().map(|(name, counted)| (*name, owned(counted))).collect();
        let all: Vec<(&str, &Counted)> =
            all.iter().map(|(name, counted)| (*name, counted.as_slice())).collect();
        sentences(&all)
    }

    #[test]
    fn law_who_was_wrong_and_since_when_is_a_sentence_by_those_who_say_so() {
        let about = |votes, wrong, since| {
            [("votes", votes), ("replica_2_wrong", wrong), ("replica_2_wrong_since", since)]
        };
        let threads: [(&str, &[(&str, u64)]); 3] = [
            ("replica", &about(9, 5, 4)),
            ("replica-1", &about(11, 7, 4)),
            ("replica-2", &about(10, 6, 4)),
        ];
        let wanted = "replica 2 of replica: 7 values wrong, nothing right since iteration 4; nothing was done about it (says replica, replica-1, replica-2)";
        assert_eq!(said(&threads), [wanted]);
        let wanted = "replica 2 of replica: 1 value wrong, its last value was right; nothing was done about it (says replica)";
        assert_eq!(said(&[("replica", &about(90, 1, 0))]), [wanted]);
    }

    #[test]
    fn law_each_remedy_is_in_the_sentence() {
        let done = |figures: &[(&str, u64)]| {
            let wrong: &[(&str, u64)] = &[("votes", 9), ("replica_2_wrong", 1)];
            said(&[("replica", wrong), ("manager-1", figures)])
        };
        let begins = "replica 2 of replica: 1 value wrong, its last value was right";
        let says = "(says replica, manager-1)";
        for (figures, wanted) in [
            (&[("replica_2_begun", 1)][..], "begun anew once"),
            (&[("replica_2_begun", 3)], "begun anew 3 times"),
            (&[("replica_2_retired", 1)], "takes part no longer"),
            (&[("replica_2_ended_the_run", 1)], "the run ended because of it"),
            (
                &[("replica_2_begun", 2), ("replica_2_retired", 1)],
                "begun anew 2 times, takes part no longer",
            ),
        ] {
            assert_eq!(done(figures), [format!("{begins}; {wanted} {says}")]);
        }
        let spare = done(&[("replica_2_replaced_by", 3), ("replica_3_begun", 1)]);
        let wanted = [
            format!("{begins}; replaced by replica 3 {says}"),
            "replica 3 of replica: takes the place of replica 2 (says manager-1)".to_owned(),
        ];
        assert_eq!(spare, wanted);
        let both = done(&[
            ("replica_2_replaced_by", 3),
            ("replica_3_begun", 1),
            ("replica_3_replaced_by", 4),
            ("replica_4_begun", 1),
        ]);
        let wanted = "replica 3 of replica: takes the place of replica 2; replaced by replica 4 (says manager-1)";
        assert_eq!(both[1], wanted);
    }

    #[test]
    fn law_one_thread_alone_says_what_it_knows() {
        let counted = |key: &str| [("votes".to_owned(), 9), (key.to_owned(), 1)];
        for (key, wanted) in [
            ("replica_2_wrong", "replica 2: 1 value wrong, its last value was right (says a)"),
            ("replica_2_begun", "replica 2: begun anew once (says a)"),
        ] {
            assert_eq!(by_one("a", &counted(key)), [wanted]);
        }
    }

    #[test]
    fn law_replicas_of_two_computations_and_their_lives_are_told_apart() {
        let threads: [(&str, &[(&str, u64)]); 3] = [
            ("left", &[("votes", 9), ("replica_0_absent", 30), ("replica_0_wrong_since", 2)]),
            ("right", &[("votes", 9), ("replica_0_wrong", 2), ("replica_10_absent", 1)]),
            ("right-3", &[("faults", 2), ("replica_0_begun", 2)]),
        ];
        let wanted = [
            "replica 0 of left: 30 iterations without a value, nothing right since iteration 2; nothing was done about it (says left)",
            "replica 0 of right: 2 values wrong, its last value was right; begun anew 2 times (says right, right-3)",
            "replica 10 of right: 1 iteration without a value, its last value was right; nothing was done about it (says right)",
        ];
        assert_eq!(said(&threads), wanted);
    }

    /// Processes that another one made are called by what they are, whatever the thread of the scenario is called.
    #[test]
    fn law_the_only_computation_has_the_name_of_its_first_process() {
        let wrong: &[(&str, u64)] = &[("votes", 9), ("replica_2_wrong", 1)];
        let all = said(&[("sum", wrong), ("replica-1", wrong), ("a-1", &[("jobs", 2)])]);
        let wanted = "replica 2 of sum: 1 value wrong, its last value was right; nothing was done about it (says sum, replica-1)";
        assert_eq!(all, [wanted]);
    }

    #[test]
    fn accepts_figures_that_are_about_no_replica() {
        let counted = |key: &str| [(key.to_owned(), 1)];
        for key in ["votes", "replica_wrong", "replica_x_wrong", "replica_2_late", "replica_2"] {
            assert_eq!(others(&counted(key)), counted(key), "{key}");
            assert_eq!(said(&[("a", &[(key, 1)])]), [""; 0], "{key}");
        }
        assert_eq!(others(&counted("replica_2_absent")), []);
        assert_eq!(
            [family("a-12"), family("a-b"), family("a-"), family("a")],
            ["a", "a-b", "a-", "a"]
        );
    }
}

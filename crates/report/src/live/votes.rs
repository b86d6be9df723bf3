//! Replicas that were wrong or absent: how often, and since when, by the figures that voters report (`replica_2_wrong`).

use windfall_scenario::listing::{Listing, Thread};

/// A replica of a computation, as its voters see it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Accused<'l> {
    /// The name that the voters have in common.
    of: &'l str,
    replica: u32,
    /// As the voter with the most votes says.
    said: Said,
    votes: u64,
    by: Vec<&'l str>,
}

/// A voter's figures about a replica.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Said {
    wrong: u64,
    absent: u64,
    /// The iteration since which no value of it was right; 0 if the last was.
    since: u64,
    /// How often it was begun anew.
    begun: u64,
}

/// The replica that a figure is about, and what it says of it.
fn about(key: &str) -> Option<(u32, &str)> {
    let (number, what) = key.strip_prefix("replica_")?.split_once('_')?;
    let known = matches!(what, "wrong" | "absent" | "wrong_since" | "begun");
    known.then_some((number.parse().ok()?, what))
}

/// The figures that are about no replica.
pub(super) fn others(counted: &[(String, u64)]) -> Vec<(String, u64)> {
    counted.iter().filter(|(key, _)| about(key).is_none()).cloned().collect()
}

/// The name of a process without its number among those that one made: `replica` of `replica-2`.
fn family(name: &str) -> &str {
    let is_number = |end: &str| !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit());
    name.rsplit_once('-').filter(|(_, end)| is_number(end)).map_or(name, |(start, _)| start)
}

/// The figures of a thread about each replica.
fn says(thread: &Thread) -> Vec<(u32, Said)> {
    let mut all: Vec<(u32, Said)> = Vec::new();
    for (key, count) in &thread.counted {
        let Some((replica, what)) = about(key) else { continue };
        let place = all.iter().position(|(number, _)| *number == replica).unwrap_or_else(|| {
            all.push((replica, Said::default()));
            all.len() - 1
        });
        let said = &mut all[place].1;
        *match what {
            "wrong" => &mut said.wrong,
            "absent" => &mut said.absent,
            "begun" => &mut said.begun,
            _ => &mut said.since,
        } = *count;
    }
    all
}

fn accused(listing: &Listing) -> Vec<Accused<'_>> {
    let mut all: Vec<Accused<'_>> = Vec::new();
    for thread in &listing.threads {
        let of = family(&thread.name);
        let votes = thread.counted.iter().find(|(key, _)| key == "votes");
        let votes = votes.map_or(0, |(_, votes)| *votes);
        for (replica, said) in says(thread) {
            let known = all.iter_mut().find(|one| one.of == of && one.replica == replica);
            let Some(one) = known else {
                let by = vec![thread.name.as_str()];
                all.push(Accused { of, replica, said, votes, by });
                continue;
            };
            // Who looks after them says how often one was begun, and has no votes.
            let begun = one.said.begun.max(said.begun);
            if votes > one.votes {
                (one.said, one.votes) = (said, votes);
            }
            one.said.begun = begun;
            one.by.push(&thread.name);
        }
    }
    all.sort_by_key(|one| (one.of, one.replica));
    all
}

/// A sentence for each replica that was wrong or absent.
pub(super) fn sentences(listing: &Listing) -> Vec<String> {
    let sentence = |one: &Accused<'_>| {
        let Said { wrong, absent, since, begun } = one.said;
        let counted = |count: u64, singular: &str, plural: &str| match count {
            0 => None,
            1 => Some(format!("1 {singular}")),
            count => Some(format!("{count} {plural}")),
        };
        let now = match since {
            0 => "its last value was right".to_owned(),
            since => format!("nothing right since iteration {since}"),
        };
        let what = [
            counted(wrong, "value wrong", "values wrong"),
            counted(absent, "iteration without a value", "iterations without a value"),
            counted(begun, "time begun anew", "times begun anew"),
            Some(now),
        ];
        let what: Vec<String> = what.into_iter().flatten().collect();
        let by = one.by.join(", ");
        format!("replica {} of {}: {} (by {by})", one.replica, one.of, what.join(", "))
    };
    accused(listing).iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voter(name: &str, counted: &[(&str, u64)]) -> Thread {
        let counted = counted.iter().map(|(key, count)| ((*key).to_owned(), *count)).collect();
        Thread { name: name.to_owned(), counted, ..Thread::default() }
    }

    fn said(threads: Vec<Thread>) -> Vec<String> {
        sentences(&Listing { threads, ..Listing::default() })
    }

    #[test]
    fn law_who_was_wrong_and_since_when_is_a_sentence_by_those_who_say_so() {
        let about = |votes, wrong, since| {
            [("votes", votes), ("replica_2_wrong", wrong), ("replica_2_wrong_since", since)]
        };
        let threads = vec![
            voter("replica", &about(9, 5, 4)),
            voter("replica-1", &about(11, 7, 4)),
            voter("replica-2", &about(10, 6, 4)),
        ];
        let wanted = "replica 2 of replica: 7 values wrong, nothing right since iteration 4 (by replica, replica-1, replica-2)";
        assert_eq!(said(threads), [wanted]);
        let threads = vec![voter("replica", &about(90, 1, 0))];
        let wanted = "replica 2 of replica: 1 value wrong, its last value was right (by replica)";
        assert_eq!(said(threads), [wanted]);
    }

    #[test]
    fn law_replicas_of_two_computations_and_their_lives_are_told_apart() {
        let threads = vec![
            voter("left", &[("votes", 9), ("replica_0_absent", 30), ("replica_0_wrong_since", 2)]),
            voter("right-1", &[("votes", 9), ("replica_0_wrong", 2), ("replica_10_absent", 1)]),
            voter("right-3", &[("faults", 2), ("replica_0_begun", 2)]),
        ];
        let wanted = [
            "replica 0 of left: 30 iterations without a value, nothing right since iteration 2 (by left)",
            "replica 0 of right: 2 values wrong, 2 times begun anew, its last value was right (by right-1, right-3)",
            "replica 10 of right: 1 iteration without a value, its last value was right (by right-1)",
        ];
        assert_eq!(said(threads), wanted);
    }

    #[test]
    fn accepts_figures_that_are_about_no_replica() {
        let counted = |key: &str| [(key.to_owned(), 1)];
        for key in ["votes", "replica_wrong", "replica_x_wrong", "replica_2_late", "replica_2"] {
            assert_eq!(others(&counted(key)), counted(key), "{key}");
            assert_eq!(said(vec![voter("a", &[(key, 1)])]), [""; 0], "{key}");
        }
        assert_eq!(others(&counted("replica_2_absent")), []);
        assert_eq!(
            [family("a-12"), family("a-b"), family("a-"), family("a")],
            ["a", "a-b", "a-", "a"]
        );
    }
}

//! Words that are never right here, and what is: private metaphors that had a meaning only for their authors.

/// A word, and what to write instead.
const REPLACED: [(&str, &str); 47] = [
    ("birth", "start, making"),
    ("by and by", "later"),
    ("clerk", "procfs worker"),
    ("clerks", "procfs workers"),
    ("conceive", "spawn"),
    ("conceived", "spawned"),
    ("cue", "wake-up"),
    ("cues", "wake-ups"),
    ("desk", "queue of work"),
    ("desks", "queues of work"),
    ("doings", "progress, bodies"),
    ("ear", "event loop"),
    ("ears", "event sources"),
    ("enlist", "add"),
    ("enlisted", "added"),
    ("errand", "job"),
    ("errands", "jobs"),
    ("faring", "status"),
    ("foresight", "peek, prediction"),
    ("herald", "reporter"),
    ("heralds", "reporters"),
    ("knock", "deferred wake-up"),
    ("knocks", "deferred wake-ups"),
    ("misfit", "error"),
    ("misfits", "errors"),
    ("mishap", "error"),
    ("mishaps", "errors"),
    ("pledge", "rule, promise"),
    ("pledges", "rules, promises"),
    ("puzzled", "out of step; to resync"),
    ("refuge", "fallback scheduler"),
    ("rob", "take time from"),
    ("robbery", "overhead"),
    ("robs", "takes time from"),
    ("rung", "priority"),
    ("rungs", "priorities"),
    ("seat", "place"),
    ("seats", "places"),
    ("stranger", "thread or process of others"),
    ("strangers", "threads or processes of others"),
    ("theft", "stolen time"),
    ("thefts", "overheads, stolen time"),
    ("thief", "interrupt, hypervisor"),
    ("thieves", "interrupts, hypervisors"),
    ("unborn", "not admitted"),
    ("unlatch", "open"),
    ("unlatched", "opened"),
];

/// What was found in a text, line by line.
pub(crate) fn found(text: &str) -> Vec<String> {
    let lines = text.lines().zip(1..).map(|(line, number)| (line.to_lowercase(), number));
    let found = lines.flat_map(|(line, number)| {
        let words = REPLACED.iter().filter(move |(word, _)| has(&line, word));
        words.map(move |(word, better)| format!("{number}: `{word}`; write: {better}"))
    });
    found.collect()
}

/// What was found in a history, which names what was renamed: in backquotes, any word may stand.
pub(crate) fn found_in_history(text: &str) -> Vec<String> {
    let plain = |line: &str| line.split('`').step_by(2).collect::<Vec<_>>().join("``") + "\n";
    found(&text.lines().map(plain).collect::<String>())
}

/// Whether a line has a word that is no part of another.
fn has(line: &str, word: &str) -> bool {
    let apart = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    line.match_indices(word).any(|(at, _)| {
        apart(line[..at].chars().next_back()) && apart(line[at + word.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_a_word_and_accepts_a_part_of_one() {
        assert_eq!(found("a\nThe Thief of time"), ["2: `thief`; write: interrupt, hypervisor"]);
        assert_eq!(found("/* THEFTS, unlatched_at */").len(), 2);
        assert_eq!(found("a desktop\nknocked, unborne"), Vec::<String>::new());
    }

    #[test]
    fn accepts_former_names_in_a_history_and_nothing_else() {
        let text = "- `unborn` is `not_admitted`\n- an errand, `a` or `b`";
        assert_eq!(found_in_history(text), ["2: `errand`; write: job"]);
        assert_eq!(found(text).len(), 2);
    }
}

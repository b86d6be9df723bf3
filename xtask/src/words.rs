//! Words that are never right here, and what is: private metaphors that had a meaning only for their authors.

/// A word, and what to write instead.
const REPLACED: [(&str, &str); 17] = [
    ("birth", "start, making"),
    ("by and by", "later"),
    ("clerk", "procfs worker"),
    ("conceive", "spawn"),
    ("desk", "queue of work"),
    ("enlist", "add"),
    ("errand", "job"),
    ("faring", "status"),
    ("foresight", "peek, prediction"),
    ("herald", "reporter"),
    ("knock", "deferred wake-up"),
    ("misfit", "error"),
    ("robbery", "overhead"),
    ("theft", "stolen time"),
    ("thief", "interrupt, hypervisor"),
    ("unborn", "not admitted"),
    ("unlatch", "open"),
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
        assert_eq!(found("a desktop\nknocked, unborne"), Vec::<String>::new());
    }
}

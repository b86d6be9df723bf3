//! The changes that a run would make, for people: many threads that differ by their number alone in one line.

use crate::rows::{FEW, alike};
use std::collections::BTreeMap;

/// The thread that a line is about, between backticks at its beginning, and the rest.
fn parts(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix('`')?.split_once('`')
}

/// The lines, each once.
#[must_use]
pub fn text(lines: &[&str]) -> String {
    let key =
        |line: &&str| parts(line).map(|(name, rest)| (alike(name).to_owned(), rest.to_owned()));
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    lines.iter().filter_map(key).for_each(|key| *counts.entry(key).or_default() += 1);
    let mut text = String::new();
    for line in lines {
        let Some(key) = key(line) else {
            text.push_str(&format!("{line}\n"));
            continue;
        };
        match counts.get_mut(&key) {
            Some(count) if *count > FEW => {
                let (name, rest) = &key;
                text.push_str(&format!("`{name}` (each of {count} threads){rest}\n"));
                *count = 0; // the others are said
            }
            Some(0) => {}
            _ => text.push_str(&format!("{line}\n")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_nine_threads_that_are_alike_have_a_line_together() {
        let line = |number| format!("`web-{number}` would be a thread of this process, below `ts`");
        for (many, lines) in [(8, 9), (9, 2)] {
            let all: Vec<String> = (1..=many).map(line).collect();
            let mut all: Vec<&str> = all.iter().map(String::as_str).collect();
            all.insert(4, "processor 3 would be the scenario's processor 0");
            let text = text(&all);
            assert_eq!(text.lines().count(), lines, "{text}");
            assert!(text.contains("processor 3"), "{text}");
            let together =
                "`web` (each of 9 threads) would be a thread of this process, below `ts`\n";
            assert_eq!(text.contains(together), many > 8, "{text}");
        }
    }
}

//! How many tests ran, how many were skipped, and what was not tested here: the last lines of a chore.
//!
//! Tests say by `windfall_skips` that they cannot be done; their lines are gathered in one file below `target`.

use crate::run::target;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use windfall_skips::{Needs, Skip};

/// What the steps of a chore have tested.
pub(crate) struct Tally {
    file: PathBuf,
    steps: Vec<(&'static str, Counted)>,
    not_done: Vec<String>,
    skips: Vec<Skip>,
}

/// The tests of one step.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Counted {
    ran: usize,
    /// As a whole or in part.
    skipped: usize,
}

impl Tally {
    /// Nothing yet; a file of an earlier chore is emptied.
    pub(crate) fn begin() -> Result<Tally, String> {
        let file = target().join("skips.txt");
        let written = std::fs::create_dir_all(target()).and_then(|()| std::fs::write(&file, ""));
        written.map_err(|why| format!("{}: {why}", file.display()))?;
        Ok(Tally { file, steps: Vec::new(), not_done: Vec::new(), skips: Vec::new() })
    }

    /// Where tests note what they skip.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// That a step could not do something.
    pub(crate) fn not_done(&mut self, what: String) {
        self.not_done.push(what);
    }

    /// That a step is over in which so many tests passed.
    pub(crate) fn passed(&mut self, step: &'static str, passed: usize) -> Result<(), String> {
        let text = std::fs::read_to_string(&self.file)
            .map_err(|why| format!("{}: {why}", self.file.display()))?;
        let of_step = skips(&text, self.skips.len())?;
        self.steps.push((step, count(passed, &of_step)));
        self.skips.extend(of_step);
        Ok(())
    }

    /// The last lines; empty where no tests ran.
    pub(crate) fn last_lines(&self) -> String {
        let mut text = String::new();
        for (step, Counted { ran, skipped }) in &self.steps {
            let _ = writeln!(text, "{step}: {ran} ran, {skipped} skipped as a whole or in part");
        }
        if self.skips.is_empty() && self.not_done.is_empty() {
            if !self.steps.is_empty() {
                text.push_str("nothing was left untested\n");
            }
            return text;
        }
        text.push_str("not tested here:\n");
        for what in &self.not_done {
            let _ = writeln!(text, "  {what}");
        }
        // A reason, and how many tests of which programs met it; both steps count once.
        let mut reasons: BTreeMap<(Needs, &str), BTreeSet<&str>> = BTreeMap::new();
        for skip in &self.skips {
            reasons.entry((skip.needs, &skip.why)).or_default().insert(&skip.test);
        }
        for ((needs, why), tests) in reasons {
            let mut programs: BTreeMap<&str, usize> = BTreeMap::new();
            for test in tests {
                *programs.entry(test.split(' ').next().unwrap_or(test)).or_default() += 1;
            }
            let programs: Vec<String> =
                programs.iter().map(|(program, tests)| format!("{program} {tests}")).collect();
            let _ = writeln!(text, "  {} ({}): {why}", needs.name(), programs.join(", "));
        }
        if !self.skips.is_empty() {
            let _ = writeln!(text, "each by its name: {}", self.file.display());
        }
        text
    }
}

/// The skips of a file from this one on.
fn skips(text: &str, from: usize) -> Result<Vec<Skip>, String> {
    let read = |line: &str| Skip::read(line).ok_or_else(|| format!("not a skip: {line}"));
    text.lines().skip(from).map(read).collect()
}

/// A test that skips several things is one.
fn count(passed: usize, skips: &[Skip]) -> Counted {
    let skipped = skips.iter().map(|skip| &skip.test).collect::<BTreeSet<_>>().len();
    Counted { ran: passed.saturating_sub(skipped), skipped }
}

/// How many tests passed, in a line that a test program ends with.
pub(crate) fn passed(line: &str) -> Option<usize> {
    let (_, counts) = line.split_once("test result: ")?;
    let before = counts.split(" passed;").next()?;
    before.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_last_line_of_a_test_program() {
        let line = "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.1s";
        assert_eq!(passed(line), Some(12));
        let failed = "test result: \u{1b}[31mFAILED\u{1b}[m. 7 passed; 1 failed; 0 ignored";
        assert_eq!(passed(failed), Some(7));
        assert_eq!(passed("test result_is_kept ... ok"), None);
        assert_eq!(passed("running 12 tests"), None);
    }

    fn skip(needs: Needs, test: &str, why: &str) -> Skip {
        Skip { needs, test: test.to_owned(), why: why.to_owned() }
    }

    #[test]
    fn law_a_test_is_counted_once_however_much_it_skips() {
        let skips = [
            skip(Needs::Real, "readme all", "`windfall run`"),
            skip(Needs::Real, "readme all", "`windfall record`"),
            skip(Needs::Real, "twin a", "first"),
            skip(Needs::Real, "twin a", "second"),
            skip(Needs::Bpf, "twin b", "no BTF"),
        ];
        assert_eq!(count(10, &skips), Counted { ran: 7, skipped: 3 });
    }

    #[test]
    fn law_the_last_lines_name_each_reason_once_and_who_met_it() {
        let again = || skip(Needs::Bpf, "twin b", "no BTF");
        let tally = Tally {
            file: "skips".into(),
            steps: vec![("tests", Counted { ran: 8, skipped: 2 })],
            not_done: vec!["bytes".to_owned()],
            skips: vec![again(), again(), skip(Needs::Bpf, "rings c", "no BTF")],
        };
        let text = "tests: 8 ran, 2 skipped as a whole or in part\nnot tested here:\n  bytes\n  \
                    bpf (rings 1, twin 1): no BTF\neach by its name: skips\n";
        assert_eq!(tally.last_lines(), text);
        let whole = Tally { not_done: Vec::new(), skips: Vec::new(), ..tally };
        assert!(whole.last_lines().ends_with("nothing was left untested\n"));
        let no_tests = Tally { steps: Vec::new(), ..whole };
        assert_eq!(no_tests.last_lines(), "");
    }

    #[test]
    fn refuses_a_line_that_is_no_skip() {
        assert!(skips("what\n", 0).is_err());
        assert!(skips("what\n", 1).is_ok_and(|rest| rest.is_empty()));
    }
}

//! Names of threads, schedulers and locks for imported files.

use std::collections::{BTreeMap, BTreeSet};

/// Names that a scenario reserves.
const RESERVED: [&str; 2] = ["top", "machine"];
/// The longest name that is assigned, without the number that distinguishes it from others.
const LONGEST: usize = 40;

/// Assigns names that expectations can use: letters, digits, `-` and `_`, each once.
#[derive(Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
    /// Names that several threads share; each thread is called by the name and a number.
    shared: BTreeSet<String>,
    /// The number to try next, by name without one.
    next: BTreeMap<String, u32>,
}

impl Names {
    /// Excludes these names, and the reserved ones.
    pub(crate) fn except(taken: &[&str]) -> Names {
        let taken = taken.iter().chain(&RESERVED).map(|name| (*name).to_owned()).collect();
        Names { taken, ..Names::default() }
    }

    /// The nearest to `name` that is free.
    pub(crate) fn fresh(&mut self, name: &str) -> String {
        self.free(name, |names, fresh| !names.is_numbered(fresh))
    }

    /// The nearest to `name` that is free, for several threads: `name-1`, `name-2` and so on are theirs, too.
    pub(crate) fn fresh_for_several(&mut self, name: &str) -> String {
        let fresh = self.free(name, |names, fresh| {
            let from = format!("{fresh}-");
            let behind =
                names.taken.range(from.clone()..).take_while(|name| name.starts_with(&from));
            !names.is_numbered(fresh) && behind.into_iter().all(|name| number(name).is_none())
        });
        self.shared.insert(fresh.clone());
        fresh
    }

    fn free(&mut self, name: &str, fits: impl Fn(&Names, &str) -> bool) -> String {
        let plain: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' })
            .collect();
        let plain = plain.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
        let plain = plain.get(..LONGEST).unwrap_or(&plain);
        let plain = if plain.is_empty() { "thread" } else { plain };
        let mut fresh = plain.to_owned();
        while self.taken.contains(&fresh) || !fits(self, &fresh) {
            let next = self.next.entry(plain.to_owned()).or_insert(2);
            fresh = format!("{plain}_{next}");
            *next += 1;
        }
        self.taken.insert(fresh.clone());
        fresh
    }

    /// Whether it names one of several threads that share a name.
    fn is_numbered(&self, name: &str) -> bool {
        number(name).is_some_and(|front| self.shared.contains(front))
    }
}

/// The part before the number in `front-12`.
fn number(name: &str) -> Option<&str> {
    let (front, digits) = name.rsplit_once('-')?;
    (!digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())).then_some(front)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_names_that_differ_stay_different() {
        let mut names = Names::except(&["root"]);
        let given = ["a b", "a-b", "a_b", "root", "", "--", "\u{fc}"].map(|name| names.fresh(name));
        assert_eq!(given, ["a-b", "a-b_2", "a_b", "root_2", "thread", "thread_2", "thread_3"]);
    }

    #[test]
    fn r0013_no_name_is_refused_by_the_check_of_a_scenario() {
        let mut names = Names::except(&[]);
        assert_eq!(["top", "machine"].map(|name| names.fresh(name)), ["top_2", "machine_2"]);
        let long = "x".repeat(65);
        assert!(names.fresh(&long).len() <= 64 && names.fresh(&long).len() <= 64);
        // `a-1` is one of the threads `a`, whichever came first.
        assert_eq!(names.fresh_for_several("a"), "a");
        assert_eq!(names.fresh("a 1"), "a-1_2");
        assert_eq!(names.fresh("b-1"), "b-1");
        assert_eq!(names.fresh_for_several("b"), "b_2");
    }
}

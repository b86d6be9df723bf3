//! Names of threads, schedulers and locks for what comes from elsewhere.

use std::collections::BTreeSet;

/// Hands out names that may stand in expectations: letters, digits, `-` and `_`, each once.
#[derive(Default)]
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    /// None of these is handed out.
    pub(crate) fn except(taken: &[&str]) -> Names {
        Names(taken.iter().map(|name| (*name).to_owned()).collect())
    }

    /// The nearest to `name` that is free.
    pub(crate) fn fresh(&mut self, name: &str) -> String {
        let plain: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' })
            .collect();
        let plain = plain.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
        let plain = if plain.is_empty() { "thread".to_owned() } else { plain };
        let mut fresh = plain.clone();
        let mut number = 2;
        while !self.0.insert(fresh.clone()) {
            fresh = format!("{plain}_{number}");
            number += 1;
        }
        fresh
    }
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
}

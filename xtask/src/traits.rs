//! Public traits without an example: what one asks of who implements it is clear from a few lines that run.

use std::path::Path;

/// What excuses a trait: an example, a link to the crate's front page, which has a whole one, or that nobody else can name it.
const EXCUSES: [&str; 3] = ["/// ```", "](crate)", "/// Sealed: "];

/// What is wrong with the traits of a source file of a crate.
pub(crate) fn found(path: &Path, text: &str) -> Vec<String> {
    let of_crate = path.starts_with("crates") && path.iter().any(|part| part == "src");
    if !of_crate || crate::lines::is_test(path) {
        return Vec::new();
    }
    let mut wrong = Vec::new();
    let mut is_excused = false;
    for (at, line) in text.lines().enumerate() {
        if let Some(rest) = line.strip_prefix("pub trait ") {
            let name = rest.split([':', '<', ' ']).next().unwrap_or(rest);
            if !is_excused {
                wrong.push(format!(
                    "{}: no example of `{name}`; write one into its documentation that runs",
                    at + 1
                ));
            }
        }
        let heads = line.starts_with("///") || line.starts_with("#[");
        let excuses = line.starts_with("///") && EXCUSES.iter().any(|one| line.contains(one));
        is_excused = heads && (is_excused || excuses);
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        found(Path::new(path), text).len()
    }

    #[test]
    fn refuses_a_public_trait_without_an_example() {
        let own = "/// Counts.\n#[must_use]\npub trait Counts: Send {}\n";
        let others = "/// ```\n/// ```\npub struct A;\n\n/// Counts.\npub trait Counts<V> {}\n";
        for text in [own, others] {
            assert_eq!(count("crates/a/src/b.rs", text), 1, "{text}");
        }
        assert!(found(Path::new("crates/a/src/b.rs"), own)[0].contains("`Counts`"));
    }

    #[test]
    fn accepts_examples_links_to_one_sealed_traits_and_those_of_tests() {
        for text in [
            "/// Counts.\n///\n/// ```\n/// count();\n/// ```\n#[must_use]\npub trait Counts {}\n",
            "/// Counts, as on the [front page](crate).\npub trait Counts {}\n",
            "/// Counts.\n///\n/// Sealed: it has no name outside.\npub trait Counts {}\n",
            "/// Counts.\npub(crate) trait Counts {}\n",
        ] {
            assert_eq!(count("crates/a/src/b.rs", text), 0, "{text}");
        }
        assert_eq!(count("crates/a/tests/b.rs", "pub trait Counts {}\n"), 0);
    }
}

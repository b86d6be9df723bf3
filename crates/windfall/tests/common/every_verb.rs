//! All verbs of the command, by its own help, and a call of each that prints something.

/// The verbs that a help text lists.
pub(crate) fn verbs(help: &str) -> Vec<String> {
    let listed = help.split_once("Commands:").and_then(|(_, rest)| rest.split_once("Options:"));
    let (listed, _) = listed.expect("a list of commands");
    let verbs = listed.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    verbs.filter(|verb| !verb.is_empty() && *verb != "help").map(str::to_owned).collect()
}

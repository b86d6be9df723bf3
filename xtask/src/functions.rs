//! No function is longer than a screen, but for one that says why.
//!
//! Files are formatted, so a function ends at the first brace that stands as far in as it begins.

/// A longer function is cut where its meaning divides.
const LONGEST: usize = 60;

/// What a comment above a function begins with that is a table of data.
const REASON: &str = "// Length: ";

/// The functions of a source file that are too long: where each begins, its name, and its lines.
pub(crate) fn too_long(text: &str) -> Vec<(usize, &str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(line) = lines.get(at) {
        if is_test_module(&lines, at) {
            at += lines[at..].iter().position(|line| *line == "}").unwrap_or(0);
        } else if let Some(name) = name(line) {
            let length = length(&lines[at..]);
            if length > LONGEST && !says_why(&lines[..at]) {
                found.push((at + 1, name, length));
            }
        }
        at += 1;
    }
    found
}

fn is_test_module(lines: &[&str], at: usize) -> bool {
    lines[at] == "#[cfg(test)]" && lines.get(at + 1).is_some_and(|line| line.ends_with('{'))
}

/// The name of the function that begins in a line.
fn name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let is_qualifier = |word: &str| {
        ["const", "async", "unsafe", "extern", "\"C\""].contains(&word) || word.starts_with("pub")
    };
    let within_pub = before.replace("(in ", "(in:");
    let declares = within_pub.split_whitespace().all(is_qualifier);
    declares.then(|| after.split(['(', '<']).next().unwrap_or(after))
}

/// How many lines a function has that begins in the first of these.
fn length(lines: &[&str]) -> usize {
    let first = lines[0];
    let indent = &first[..first.len() - first.trim_start().len()];
    if first.ends_with('}') || first.ends_with(';') {
        return 1;
    }
    let ends = |line: &&str| {
        let inner = line.strip_prefix(indent).unwrap_or_default();
        inner == "}" || inner.starts_with(')') && inner.ends_with(';')
    };
    lines.iter().position(ends).map_or(lines.len(), |last| last + 1)
}

/// Whether the comments and attributes that end these lines have a reason.
fn says_why(before: &[&str]) -> bool {
    let head = before.iter().rev().map(|line| line.trim());
    let mut head = head.take_while(|line| line.starts_with("//") || line.starts_with('#'));
    head.any(|line| line.starts_with(REASON))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(head: &str, lines: usize) -> String {
        format!(
            "impl A {{\n{head}    pub(crate) fn f<T>(\n{}    ) {{\n    }}\n}}\n",
            "\n".repeat(lines - 3)
        )
    }

    #[test]
    fn limit_a_function_has_60_lines() {
        assert_eq!(too_long(&function("", 60)), []);
        assert_eq!(too_long(&function("", 61)), [(2, "f", 61)]);
    }

    #[test]
    fn accepts_a_long_table_that_says_so_and_a_long_test() {
        let reason = "    // Length: a table of verbs.\n    #[inline]\n";
        assert_eq!(too_long(&function(reason, 61)), []);
        let test =
            format!("#[cfg(test)]\nmod tests {{\n    fn f() {{\n{}    }}\n}}\n", "\n".repeat(60));
        assert_eq!(too_long(&test), []);
    }

    #[test]
    fn refuses_only_what_is_a_function() {
        let text = format!("// what the fn does\ntype A = fn (u8);\n{}", "\n".repeat(90));
        assert_eq!(too_long(&text), []);
        let declared =
            format!("trait A {{\n    fn f(\n        &self,\n    );\n{}}}\n", "\n".repeat(90));
        assert_eq!(too_long(&declared), []);
    }
}

//! Patterns, the same ones wherever a user may write one: `*` stands for any text.

/// Whether a name fits a pattern in which `*` stands for any text.
#[must_use]
pub fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        last = Some(part);
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    match last {
        None => rest.is_empty(),
        // The last part must end the name, which its first occurrence need not.
        Some(part) => name.ends_with(part),
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns_match_from_end_to_end() {
        for (pattern, name, expected) in [
            ("bg-*", "bg-12", true),
            ("bg-*", "xbg-12", false),
            ("*", "", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b", "a-b-c", false),
            ("*ab", "abab", true),
            ("a", "ab", false),
            ("a*a", "a", false),
            ("*a*e", "lame", true),
            ("*b*e", "lame", false),
            ("l?me", "lame", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}

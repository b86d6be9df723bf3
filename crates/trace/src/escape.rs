//! Escapes text from elsewhere before it is printed. Any process may name its threads as it likes, and any file may hold any line.
//!
//! Invariant: what comes out holds no control character (but line ends and tabs, where they are allowed) and none
//! that turns the direction of writing, so it neither steers a terminal nor looks like another line. Each is written
//! as in JSON (`\u001b`), so JSON stays the JSON that it was.

use std::borrow::Cow;

/// A name, or one line of a file: no control character is left.
#[must_use]
pub fn escaped(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// Text of several lines: line ends and tabs are left.
#[must_use]
pub fn escaped_lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| matches!(c, '\n' | '\t'))
}

/// Text of several lines in which every control character is replaced by one of as many bytes, so that positions stay.
#[must_use]
pub fn masked(text: &str) -> String {
    let mask = |c: char| match c {
        '\n' | '\t' => c,
        '\r' => ' ',
        _ if !steers(c) => c,
        _ => match c.len_utf8() {
            1 => '?',
            2 => '\u{bf}',
            _ => '\u{fffd}',
        },
    };
    text.chars().map(mask).collect()
}

/// Text of several lines that we have coloured ourselves: of control sequences, colours are left, too.
#[must_use]
pub fn escaped_but_colours(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        safe.push_str(&escaped_lines(before));
        let digits = |c: char| c.is_ascii_digit() || c == ';';
        let behind = after.trim_start_matches(digits);
        let numbers = &after[..after.len() - behind.len()];
        match behind.strip_prefix('m') {
            Some(behind) => {
                safe.push_str(&format!("\u{1b}[{numbers}m"));
                rest = behind;
            }
            None => {
                safe.push_str("\\u001b[");
                rest = after;
            }
        }
    }
    safe.push_str(&escaped_lines(rest));
    safe
}

fn escape(text: &str, allowed: impl Fn(char) -> bool) -> Cow<'_, str> {
    let bad = |c: char| steers(c) && !allowed(c);
    if !text.contains(bad) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if bad(c) {
            safe.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// Control characters of ASCII and Latin-1, line and paragraph separators, and marks of direction.
fn steers(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn accepts_text_as_it_is_and_writes_what_steers_a_terminal_in_words() {
        assert!(matches!(escaped("kworker/0:1-ä"), Cow::Borrowed(_)));
        assert_eq!(
            escaped("a\x1b]0;x\x07\nb\u{9b}\u{202e}"),
            "a\\u001b]0;x\\u0007\\u000ab\\u009b\\u202e"
        );
        assert_eq!(
            escaped_but_colours("\x1b[1;31ma\x1b[2J\x1b[0m\x1b]"),
            "\x1b[1;31ma\\u001b[2J\x1b[0m\\u001b]"
        );
        assert_eq!(escaped_lines("a\n\tb\r"), "a\n\tb\\u000d");
        assert_eq!(masked("a\x1b\u{9b}\u{202e}\nb"), "a?\u{bf}\u{fffd}\nb");
    }

    proptest! {
        #[test]
        fn law_nothing_that_steers_is_left_and_masks_keep_every_place(text in any::<String>()) {
            prop_assert!(!escaped(&text).contains(steers));
            let lines = escaped_lines(&text);
            prop_assert!(lines.chars().all(|c| matches!(c, '\n' | '\t') || !steers(c)));
            let masked = masked(&text);
            prop_assert_eq!(masked.len(), text.len());
            for (place, c) in text.char_indices().filter(|(_, c)| !steers(*c)) {
                prop_assert!(masked[place..].starts_with(c));
            }
        }

        #[test]
        fn law_json_stays_what_it_was(text in any::<String>()) {
            let mut json = String::from("\"");
            for c in text.chars() {
                match c {
                    '"' | '\\' => json.extend(['\\', c]),
                    c if c < ' ' => json.push_str(&format!("\\u{:04x}", u32::from(c))),
                    c => json.push(c),
                }
            }
            json.push('"');
            let escaped = escaped(&json);
            // The same escapes, read back.
            let mut read = String::new();
            let mut rest = escaped.as_ref().trim_matches('"');
            if escaped.len() < 2 || text.contains('"') || text.contains('\\') { return Ok(()); }
            while let Some((before, after)) = rest.split_once("\\u") {
                read.push_str(before);
                let code = u32::from_str_radix(&after[..4], 16).expect("four digits");
                read.push(char::from_u32(code).expect("a character"));
                rest = &after[4..];
            }
            read.push_str(rest);
            prop_assert_eq!(read, text);
        }
    }
}

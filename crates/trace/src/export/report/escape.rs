//! Text into HTML and JSON. Names of threads are hostile input: any process may choose its own.
//!
//! Invariant: whatever goes in, what comes out holds no `<`, and in HTML no bare `&` or quote, so it
//! neither opens a tag nor closes a script or an attribute.

/// For HTML text and quoted attributes. Control characters become visible.
pub(super) fn html(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(' '),
            _ => safe.push(visible(letter)),
        }
    }
    safe
}

/// A JSON string with its quotes, for a script element.
pub(super) fn json(text: &str) -> String {
    let mut safe = String::from("\"");
    for letter in text.chars() {
        match visible(letter) {
            '"' => safe.push_str("\\\""),
            '\\' => safe.push_str("\\\\"),
            '<' => safe.push_str("\\u003c"),
            '>' => safe.push_str("\\u003e"),
            '&' => safe.push_str("\\u0026"),
            letter => safe.push(letter),
        }
    }
    safe.push('"');
    safe
}

/// Control characters, line separators and marks that turn the direction of writing, as a box.
fn visible(letter: char) -> char {
    let turns = matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
    if letter.is_control() || turns { '\u{fffd}' } else { letter }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_lets_no_tag_or_quote_through() {
        let safe = html("</script><b onclick=\"x\">'&\u{202e}");
        assert_eq!(safe, "&lt;/script&gt;&lt;b onclick=&quot;x&quot;&gt;&#39;&amp;\u{fffd}");
    }

    #[test]
    fn json_closes_no_script() {
        assert_eq!(json("</script>\\\"\n"), "\"\\u003c/script\\u003e\\\\\\\"\u{fffd}\"");
    }
}

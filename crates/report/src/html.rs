//! A page of HTML, and how text gets into it: the template engine escapes everything that is not markup by
//! its type, so no name leaves its place.
//!
//! Invariant: a page holds everything that it shows; its own policy forbids a browser to fetch.

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};
use windfall_trace::escape::{escaped, escaped_lines};

/// Text of others: what turns the direction of writing or cannot be seen is written in words.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a>(pub &'a str);

impl Render for Shown<'_> {
    fn render_to(&self, buffer: &mut String) {
        escaped_lines(self.0).as_ref().render_to(buffer);
    }
}

/// The parts of a page.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its style sheet, which is ours.
    pub style: &'a str,
    /// Its script, which is ours; empty for none.
    pub script: &'a str,
    /// Its content.
    pub body: Markup,
}

impl Page<'_> {
    /// The page as a file.
    #[must_use]
    pub fn text(&self) -> String {
        let scripts = if self.script.is_empty() { "" } else { "; script-src 'unsafe-inline'" };
        let page = html! {
            (DOCTYPE) "\n"
            html lang="en" {
                "\n" head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta http-equiv="Content-Security-Policy"
                        content={ "default-src 'none'; style-src 'unsafe-inline'" (scripts) };
                    title { (Shown(self.title)) }
                    "\n" style { "\n" (PreEscaped(self.style)) }
                }
                "\n" body {
                    "\n" (self.body)
                    @if !self.script.is_empty() {
                        "\n" script { "\n" (PreEscaped(self.script)) }
                    }
                    "\n"
                }
            }
        };
        page.into_string() + "\n"
    }
}

/// Data for a script of the page, as JSON that closes no script element.
#[must_use]
pub fn data(id: &str, value: &serde_json::Value) -> Markup {
    // Within JSON these stand in strings only, where an escape means the same.
    let text = escaped(&value.to_string()).replace('<', "\\u003c").replace('>', "\\u003e");
    html! { script type="application/json" id=(id) { (PreEscaped(text.replace('&', "\\u0026"))) } "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "</script><b onclick=\"x\">&\u{202e}";

    #[test]
    fn law_no_text_opens_a_tag_or_leaves_an_attribute() {
        let text = html! { p title=(Shown(HOSTILE)) { (Shown(HOSTILE)) } }.into_string();
        let safe = "&lt;/script&gt;&lt;b onclick=&quot;x&quot;&gt;&amp;\\u202e";
        assert_eq!(text, format!("<p title=\"{safe}\">{safe}</p>"));
    }

    #[test]
    fn law_data_closes_no_script_and_stays_what_it_was() {
        let value = serde_json::json!({ "name": HOSTILE });
        let text = data("names", &value).into_string();
        assert_eq!(text.matches("</script>").count(), 1, "{text}");
        let json = text.split_once('>').and_then(|(_, rest)| rest.rsplit_once("</script>"));
        let read: serde_json::Value = serde_json::from_str(json.unwrap().0).unwrap();
        assert_eq!(read, value);
    }
}

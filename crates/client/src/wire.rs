//! The control protocol as far as a program speaks it: one JSON object a line, a request and its answer (decision 0009).

use crate::error::ClientError;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// The version of the protocol.
pub(crate) const VERSION: u32 = 2;
/// Longest line of an answer, in bytes.
pub(crate) const MOST: u64 = 64 * 1024;
/// Longest time that a run may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends a request, and returns the connection and the line of the answer.
pub(crate) fn exchange(socket: &Path, request: &str) -> Result<(UnixStream, String), ClientError> {
    let unreachable = |error| ClientError::Unreachable { socket: socket.to_owned(), error };
    let mut stream = UnixStream::connect(socket).map_err(unreachable)?;
    let line = talk(&mut stream, request).map_err(unreachable)?;
    Ok((stream, line))
}

fn talk(stream: &mut UnixStream, request: &str) -> io::Result<String> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(request.as_bytes())?;
    let (mut line, mut byte) = (Vec::new(), [0]);
    // Byte by byte: what follows the line belongs to the reader of notices.
    while byte != *b"\n" {
        if stream.read(&mut byte)? == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it did not answer"));
        }
        line.extend(byte);
        if line.len() as u64 > MOST {
            return Err(io::Error::other("its answer is too long"));
        }
    }
    stream.set_read_timeout(None)?;
    String::from_utf8(line).map_err(|_| io::Error::other("its answer is no text"))
}

/// Reads the line of an answer.
pub(crate) fn understand(line: &str) -> Result<(), ClientError> {
    if line.contains("\"ok\":true") {
        return Ok(());
    }
    // In a text of JSON a quotation mark has a backslash before it, so a key with its marks is found only where it is one.
    let part = |key: &str| {
        let (_, rest) = line.split_once(&format!("\"{key}\":\""))?;
        Some(unquoted(rest))
    };
    match (part("asked"), part("why"), part("help")) {
        (Some(requested), Some(why), help) => {
            Err(ClientError::Refused { requested, why, help: help.unwrap_or_default() })
        }
        _ => Err(ClientError::Answer(line.trim_end().to_owned())),
    }
}

/// The text up to its closing mark.
fn unquoted(rest: &str) -> String {
    let (mut text, mut chars) = (String::new(), rest.chars());
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('u') => {
                    let digits: String = chars.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&digits, 16).ok();
                    text.push(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                Some(other) => text.push(other),
                None => break,
            },
            c => text.push(c),
        }
    }
    text
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_text_comes_back_as_it_was() {
        for text in ["res", "a\"b\\c", "\n\t\u{1}", "\"why\":\"x", "ü"] {
            let quoted = quoted(text);
            assert_eq!(unquoted(&quoted[1..]), text);
            assert!(!quoted.contains('\n'));
        }
    }

    #[test]
    fn refuses_what_a_run_refuses_and_what_is_no_answer() {
        let line = r#"{"ok":false,"rejected":{"asked":"`share`","help":"","why":"the \"why\":\"x\" is 5"},"windfall":2}"#;
        let Err(ClientError::Refused { requested, why, help }) = understand(line) else { panic!() };
        assert_eq!((&*requested, &*why, &*help), ("`share`", "the \"why\":\"x\" is 5", ""));
        for line in ["", "{}", "5", "{\"ok\":false}", "\"ok\""] {
            assert!(matches!(understand(line), Err(ClientError::Answer(_))), "{line}");
        }
        assert!(understand(r#"{"answer":{"done":true},"ok":true,"windfall":2}"#).is_ok());
    }
}

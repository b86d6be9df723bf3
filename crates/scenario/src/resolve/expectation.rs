//! Expectations.

use super::reader::Reader;
use crate::diagnostic::Code;
use crate::file::ExpectFile;
use crate::model::{Bound, Expectation, Level, Quantity, Subject, Whole};
use crate::source::Path;
use crate::suggest;
use crate::tree::Node;
use windfall_time::Span;

pub(super) fn expectations(
    node: Option<Node<'_>>,
    reader: &mut Reader<'_>,
    schedulers: &[&str],
) -> Vec<Expectation> {
    let list: Vec<ExpectFile> = reader.list(node, "expect");
    list.into_iter()
        .enumerate()
        .map(|(number, file)| {
            let path = Path::of(&["expect"]).item(number);
            expectation(file, &path, reader, schedulers).unwrap_or_else(unreadable)
        })
        .collect()
}

/// A placeholder for one that could not be read and has been reported, so that the others keep their
/// numbers.
fn unreadable() -> Expectation {
    let at_least = Some(Level::Span(Span::ZERO));
    Expectation {
        subject: Subject::Machine,
        quantity: Quantity::Whole(Whole::Idle),
        bound: Bound { at_least, ..Bound::default() },
        because: "it could not be read".to_owned(),
    }
}

fn expectation(
    file: ExpectFile,
    path: &Path,
    reader: &mut Reader<'_>,
    schedulers: &[&str],
) -> Option<Expectation> {
    let what = "whose and what, as `what = \"a.response.max\"`";
    let what = reader.need(file.what, &path.key("what"), what);
    let what = what.and_then(|what| quantity(&what, path, reader, schedulers));
    let above = reader.get(file.above, &path.key("above"));
    let bound = Bound {
        at_most: reader.get(file.at_most, &path.key("at-most")),
        at_least: reader.get(file.at_least, &path.key("at-least")),
        equals: reader.get(file.equals, &path.key("equals")).map(|level| (level, None)),
    };
    let within = reader.get(file.within, &path.key("within"));
    if within.is_some() && bound.equals.is_none() && !reader.origin.has(&path.key("equals")) {
        reader.wrong_key(
            Code::MisplacedKey,
            &path.key("within"),
            "`within` goes with `equals`",
            "add `equals`, or leave it out",
        );
    }
    let because = "why the number is that number, as `because = \"gap 14 ms + 3 ms of work\"`";
    let because = reader.need(file.because, &path.key("because"), because);
    let (subject, quantity) = what?;
    let quantity = match (quantity, above) {
        (Quantity::IntervalsAbove(_), Some(limit)) => Quantity::IntervalsAbove(limit),
        (quantity @ Quantity::IntervalsAbove(_), None) => {
            reader
                .missing(&path.key("above"), "which intervals are counted, as `above = \"33ms\"`");
            quantity
        }
        (quantity, Some(_)) => {
            reader.wrong_key(
                Code::MisplacedKey,
                &path.key("above"),
                "`above` goes with `intervals`",
                "leave it out",
            );
            quantity
        }
        (quantity, None) => quantity,
    };
    Some(Expectation {
        subject,
        quantity,
        bound: Bound { equals: bound.equals.map(|(level, _)| (level, within)), ..bound },
        because: because.unwrap_or_default(),
    })
}

/// `a.response.max` or `a.figure.committed` as subject and quantity; names may hold dots, so the end decides.
fn quantity(
    what: &str,
    path: &Path,
    reader: &mut Reader<'_>,
    schedulers: &[&str],
) -> Option<(Subject, Quantity)> {
    let figure = what.rsplit_once(".figure.").filter(|(_, name)| !name.is_empty());
    let figure = figure.map(|(subject, name)| (subject, Quantity::Figure(name.to_owned())));
    let found = figure.or_else(|| {
        Quantity::ALL.into_iter().find_map(|(text, quantity)| {
            let subject = what.strip_suffix(text)?.strip_suffix('.')?;
            Some((subject, quantity))
        })
    });
    if what.trim_end_matches('.').ends_with(".figure") {
        let message = format!("`{what}` does not say which figure");
        let help = "write its name after that, as `a.figure.committed`";
        reader.wrong(Code::UnknownQuantity, &path.key("what"), message, help);
        return None;
    }
    let Some((subject, quantity)) = found.filter(|(subject, _)| !subject.is_empty()) else {
        let written = what.split_once('.').map_or(what, |(_, quantity)| quantity);
        let texts = Quantity::ALL.map(|(text, _)| text);
        let help = suggest::hint(written, texts);
        let message = format!("`{what}` does not end in a known quantity");
        reader.wrong(Code::UnknownQuantity, &path.key("what"), message, &help);
        return None;
    };
    let subject = if subject == "machine" {
        Subject::Machine
    } else if schedulers.contains(&subject) {
        Subject::Scheduler(subject.to_owned())
    } else {
        Subject::Threads(subject.to_owned())
    };
    Some((subject, quantity))
}

//! `[programs.NAME]`: a program that several threads run.
//!
//! Its keys are put into each thread that names it before anything else is read; those of a program of a kind become the thread's
//! `program`. So a thread has one program, wherever it is written, and every mistake in it has its place in the program.

use super::kind::{self, KIND};
use super::reader::Reader;
use super::thread;
use crate::decode::decode;
use crate::diagnostic::{Code, ScenarioError};
use crate::file::ProgramFile;
use crate::source::Path;
use crate::suggest;
use crate::tree::Node;
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use windfall_programs::catalogue::Catalogue;
use windfall_time::Instant;

/// How many values the programs of all threads may have in total; more would be a typing error.
const MOST_VALUES: usize = 500_000;

/// Puts the programs of a file into the threads that name them; gives the mistakes.
///
/// # Errors
/// They would have too many values to be read.
pub(super) fn put_into_threads(
    root: &mut Node<'_>,
    kinds: &Catalogue,
) -> Result<Vec<ScenarioError>, ScenarioError> {
    let DeValue::Table(root) = root.get_mut() else { return Ok(Vec::new()) };
    let programs = root.get("programs").and_then(|node| node.get_ref().as_table());
    let programs = programs.cloned().unwrap_or_default();
    let Some(DeValue::Table(threads)) = root.get_mut("threads").map(|node| node.get_mut()) else {
        return Ok(Vec::new());
    };
    let (mut mistakes, mut room) = (Vec::new(), MOST_VALUES);
    for (_, thread) in threads.iter_mut() {
        let DeValue::Table(thread) = thread.get_mut() else { continue };
        match program(&programs, kinds, thread) {
            Ok(Named::Declared(program)) => put(program, thread, &mut room)?,
            Ok(Named::OfKind(program)) => {
                thread.get_mut("program").into_iter().for_each(|place| *place = program.clone());
            }
            Ok(Named::Nothing) => {}
            Err(mistake) => mistakes.push(mistake),
        }
    }
    Ok(mistakes)
}

/// The program that a thread names.
enum Named<'p, 'i> {
    /// No program, or one that is read where the thread is.
    Nothing,
    /// A program with its own definition.
    Declared(&'p DeTable<'i>),
    /// A program of a kind: a table of `kind` and settings.
    OfKind(Node<'i>),
}

/// The program that a thread names, if it names one. The file's own names come before those of the catalogue, so that a new kind breaks
/// no file.
fn program<'p, 'i>(
    programs: &'p DeTable<'i>,
    kinds: &Catalogue,
    thread: &DeTable<'i>,
) -> Result<Named<'p, 'i>, ScenarioError> {
    let Some(named) = thread.get("program") else { return Ok(Named::Nothing) };
    // A table is read with the thread, and a value that is neither is reported there.
    let Some(name) = named.get_ref().as_str() else { return Ok(Named::Nothing) };
    let wrong = |code: Code, message: String, help: &str| {
        ScenarioError::new(code, message, Some(named.span())).help(help)
    };
    let is_own = |key: &str| key == "profile" || ProgramFile::has_key(key);
    if let Some(own) = thread.keys().map(|key| key.get_ref()).find(|key| is_own(key)) {
        let help = "a thread runs the program that it names, or one of its own";
        return Err(wrong(
            Code::ExclusiveKeys,
            format!("`program` and `{own}` exclude each other"),
            help,
        ));
    }
    let Some(program) = programs.get(name) else {
        if kinds.find(name).is_some() {
            let key = Spanned::new(named.span(), Cow::Borrowed(KIND));
            let table = DeTable::from_iter([(key, named.clone())]);
            return Ok(Named::OfKind(Spanned::new(named.span(), DeValue::Table(table))));
        }
        let own = programs.iter().map(|(name, _)| name.get_ref().as_ref());
        let names: Vec<&str> = own.chain(kinds.kinds().map(|kind| kind.name)).collect();
        let hint = suggest::hint(name, names.iter().copied());
        return Err(wrong(Code::UnknownProgram, format!("unknown program `{name}`"), &hint));
    };
    Ok(match program.get_ref().as_table() {
        Some(table) if table.contains_key(KIND) => Named::OfKind(program.clone()),
        Some(table) => Named::Declared(table),
        None => Named::Nothing,
    })
}

/// Puts a program into one thread, while there is room for its values.
fn put<'i>(
    program: &DeTable<'i>,
    thread: &mut DeTable<'i>,
    room: &mut usize,
) -> Result<(), ScenarioError> {
    for (key, value) in program.iter().filter(|(key, _)| ProgramFile::has_key(key.get_ref())) {
        let Some(left) = room.checked_sub(values(value)) else {
            let place = thread.get("program").map(Node::span);
            let message = format!("programs of more than {MOST_VALUES} values in all");
            let help = "write one entry with `count`, or shorter programs";
            return Err(ScenarioError::new(Code::TooMany, message, place).help(help));
        };
        *room = left;
        thread.insert(key.clone(), value.clone());
    }
    Ok(())
}

/// How many values a value holds, itself included.
fn values(node: &Node<'_>) -> usize {
    match node.get_ref() {
        DeValue::Table(table) => 1 + table.iter().map(|(_, value)| values(value)).sum::<usize>(),
        DeValue::Array(list) => 1 + list.iter().map(values).sum::<usize>(),
        _ => 1,
    }
}

/// Reads all programs for their mistakes; those that threads run have been put into the threads.
pub(super) fn programs(node: Option<Node<'_>>, reader: &mut Reader<'_>) {
    for (name, node) in reader.named(node, "programs") {
        let path = Path::of(&["programs", &name]);
        if node.get_ref().as_table().is_some_and(|table| table.contains_key(KIND)) {
            if let Some(file) = decode(node, &mut reader.mistakes) {
                let _ = kind::program(file, &path, reader);
            }
            continue;
        }
        let file: ProgramFile = decode(node, &mut reader.mistakes).unwrap_or_default();
        let keys = file.keys().into_iter().filter(|(key, _)| reader.origin.has(&path.key(key)));
        match keys.map(|(key, _)| key).collect::<Vec<_>>().as_slice() {
            [] => {
                let help = format!("write {}, or `kind`", thread::programs());
                reader.wrong_key(
                    Code::NoProgram,
                    &path,
                    format!("program `{name}` runs nothing"),
                    &help,
                );
            }
            [_] => {}
            [first, .., last] => thread::exclude(first, last, &path, reader),
        }
        thread::program(file, Instant::ZERO, &path, reader);
    }
}

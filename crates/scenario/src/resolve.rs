//! From text to a scenario: read, inherit, decode, resolve, check; every step reports all its mistakes.

mod change;
mod costs;
mod expectation;
mod external;
mod kind;
mod lock;
mod machine;
mod named;
mod program;
mod reader;
mod scheduler;
mod setting;
mod steps;
mod thread;
mod version;

use crate::catalogues::Catalogues;
use crate::decode::{decode, unknown_key};
use crate::diagnostic::{Code, Diagnostics, ScenarioError};
use crate::file::HeadFile;
use crate::model::{Change, Machine, Request, SEED, Scenario};
use crate::overrides::{self, Override};
use crate::source::{OVERRIDES, Origin, Path, SourceFile};
use crate::suggest::nearest_file;
use crate::text::{TextError, read_text};
use crate::tree::{self, Node};
use std::sync::Arc;
use toml::Spanned;
use toml::de::DeValue;
use windfall_programs::catalogue::Catalogue as Programs;
use windfall_schedulers::catalogue::Catalogue;
use windfall_time::{Instant, Span};

pub(crate) use reader::Reader;
pub(crate) use version::SCHEMA;

/// The keys of a scenario that hold tables.
const PARTS: [&str; 8] =
    ["machine", "interrupts", "schedulers", "programs", "threads", "at", "expect", "locks"];
/// Which of them holds requests.
const AT: usize = 5;
const HEAD: [&str; 8] =
    ["schema", "inherits", "question", "answer", "seed", "epoch", "length", "default"];

impl Scenario {
    /// Reads a file, or standard input where `path` is `-`, and the file that it inherits from.
    ///
    /// # Errors
    /// Every mistake in them, or that one cannot be read.
    pub fn load(path: &std::path::Path) -> Result<Scenario, Diagnostics> {
        Catalogues::default().load(path, &[])
    }

    /// Reads a file as [`load`](Scenario::load) does, with schedulers and programs of the kinds in these catalogues.
    ///
    /// # Errors
    /// Every mistake in the files, or that one cannot be read.
    pub fn load_in(
        catalogues: impl Into<Catalogues>,
        path: &std::path::Path,
    ) -> Result<Scenario, Diagnostics> {
        catalogues.into().load(path, &[])
    }

    /// Reads a file as [`load`](Scenario::load) does, with some values replaced.
    ///
    /// # Errors
    /// Every mistake in the files and in the overrides, or that one cannot be read.
    pub fn load_with(
        path: &std::path::Path,
        overrides: &[Override],
    ) -> Result<Scenario, Diagnostics> {
        Catalogues::default().load(path, overrides)
    }

    /// Reads a text that inherits nothing. `name` is its name in mistakes.
    ///
    /// # Errors
    /// Every mistake in it.
    pub fn parse(name: &str, text: &str) -> Result<Scenario, Diagnostics> {
        Scenario::parse_with(name, text, |_| Err(TextError::NoFolder))
    }

    /// Reads a text that inherits nothing, with schedulers and programs of the kinds in these catalogues.
    ///
    /// # Errors
    /// Every mistake in it.
    pub fn parse_in(
        catalogues: impl Into<Catalogues>,
        name: &str,
        text: &str,
    ) -> Result<Scenario, Diagnostics> {
        let nowhere = |_: &str| Err(TextError::NoFolder);
        catalogues.into().parse(name, text, nowhere, &[])
    }

    /// Reads a text; `base` returns the name and text of the file that it inherits from, or an error.
    ///
    /// # Errors
    /// Every mistake in them.
    pub fn parse_with(
        name: &str,
        text: &str,
        base: impl FnOnce(&str) -> Result<(String, String), TextError>,
    ) -> Result<Scenario, Diagnostics> {
        Catalogues::default().parse(name, text, base, &[])
    }
}

/// All other ways to read a scenario come down to these.
impl Catalogues {
    /// Reads a file, or standard input where `path` is `-`, and the file that it inherits from, with some values replaced.
    ///
    /// # Errors
    /// Every mistake in the files and in the overrides, or that one cannot be read.
    pub fn load(
        &self,
        path: &std::path::Path,
        overrides: &[Override],
    ) -> Result<Scenario, Diagnostics> {
        load(path, overrides, self)
    }

    /// Reads a text, with some values replaced; `base` returns the name and text of the file that it inherits from, or an error.
    ///
    /// # Errors
    /// Every mistake in them.
    pub fn parse(
        &self,
        name: &str,
        text: &str,
        base: impl FnOnce(&str) -> Result<(String, String), TextError>,
        overrides: &[Override],
    ) -> Result<Scenario, Diagnostics> {
        parse(name, text, base, overrides, self)
    }
}

/// Reads a file, the file that it inherits from, and the overrides.
fn load(
    path: &std::path::Path,
    overrides: &[Override],
    catalogues: &Catalogues,
) -> Result<Scenario, Diagnostics> {
    let standard = path == std::path::Path::new("-");
    let name = if standard { "standard input".to_owned() } else { path.display().to_string() };
    let text = read_text(path).map_err(|why| {
        let message = format!("{name}: cannot be read: {why}");
        let mut mistake = ScenarioError::new(Code::UnreadableFile, message, None);
        mistake.help = nearest_file(path).map(|near| format!("did you mean `{near}`?"));
        one(&Origin::default(), mistake)
    })?;
    let base = |base: &str| {
        let mut path = path.parent().unwrap_or(path).join(base);
        if path == std::path::Path::new("-") {
            path = "./-".into(); // a file is inherited from, and standard input is none
        }
        let text = read_text(&path)?;
        Ok((path.display().to_string(), text))
    };
    parse(&name, &text, base, overrides, catalogues)
}

/// Reads a text, the text that it inherits from, and the overrides.
fn parse(
    name: &str,
    text: &str,
    base: impl FnOnce(&str) -> Result<(String, String), TextError>,
    overrides: &[Override],
    catalogues: &Catalogues,
) -> Result<Scenario, Diagnostics> {
    let own = file(name, text, 0);
    let root = tree::parse(&own.text, 0);
    let root = root.map_err(|list| many(&origin(vec![own.clone()]), list))?;
    let Some((base_name, place)) = inherited(&root) else {
        return set(root, vec![own.clone()], overrides, catalogues);
    };
    let (base_name, base_text) = base(&base_name).map_err(|why| {
        let mistake = ScenarioError::new(
            Code::UnreadableFile,
            format!("`{base_name}` cannot be read: {why}"),
            Some(place.clone()),
        )
        .help("name a file relative to this one");
        one(&origin(vec![own.clone()]), mistake)
    })?;
    let base = file(&base_name, &base_text, own.text.len() + 1);
    let files = vec![own.clone(), base.clone()];
    let below = tree::parse(&base.text, base.start);
    let below = below.map_err(|list| many(&origin(files.clone()), list))?;
    if let Some((_, place)) = inherited(&below) {
        let mistake = ScenarioError::new(
            Code::NestedInheritance,
            "a file that is inherited from inherits nothing itself",
            Some(place),
        )
        .help("inherit from one file only, and put there what both share");
        return Err(one(&origin(files), mistake));
    }
    // The merged tree has one version only, which must not hide that of the other file.
    let all = Arc::new(files.clone());
    let mut mistakes = version::of_one(&below, &all, catalogues);
    if !mistakes.is_empty() {
        mistakes.extend(version::of_one(&root, &all, catalogues));
        return Err(many(&origin(files), mistakes));
    }
    set(tree::merge(root.clone(), below), files, overrides, catalogues)
}

/// Reads a tree in which some values are set from outside: each is a file of one line behind the others.
fn set(
    root: Node<'_>,
    mut files: Vec<SourceFile>,
    overrides: &[Override],
    catalogues: &Catalogues,
) -> Result<Scenario, Diagnostics> {
    let outside = files.last().map_or(0, |last| last.start + last.text.len() + 1);
    let mut lines: Vec<SourceFile> = Vec::new();
    for one_value in overrides {
        let line = one_value.line(&root).map_err(|mistake| one(&origin(files.clone()), mistake))?;
        let start = files.last().map_or(0, |last| last.start + last.text.len() + 1);
        let line = file(OVERRIDES, &line, start);
        files.push(line.clone());
        lines.push(line);
    }
    let mut root = root;
    // The answer of a file is about its own values.
    if let (DeValue::Table(table), false) = (root.get_mut(), lines.is_empty()) {
        table.remove("answer");
    }
    for line in &lines {
        let value = tree::parse(&line.text, line.start);
        let value = value.map_err(|list| many(&origin(files.clone()), list))?;
        let at = |mistake| one(&origin(files.clone()), mistake);
        overrides::is_in_time(&value).map_err(at)?;
        overrides::apply(&mut root, value, (&line.text, line.start), outside)
            .map_err(|places| at(twice(&lines, overrides, places)))?;
    }
    resolve(root, files, catalogues)
}

/// Two overrides of one value.
fn twice(
    lines: &[SourceFile],
    overrides: &[Override],
    places: [std::ops::Range<usize>; 2],
) -> ScenarioError {
    let of = |place: &std::ops::Range<usize>| {
        let at = lines.partition_point(|line| line.start <= place.start).saturating_sub(1);
        overrides.get(at).map(ToString::to_string).unwrap_or_default()
    };
    let [before, now] = [of(&places[0]), of(&places[1])];
    let message = format!("`{before}` and `{now}` set one value");
    ScenarioError::new(Code::Syntax, message, Some(places[1].clone())).help("leave one of them out")
}

/// Reads a text that holds requests only, as `[[at]]`. The names in them are not looked up.
pub(crate) fn requests(
    name: &str,
    text: &str,
    catalogue: &Catalogue,
) -> (Origin, Vec<Request>, Vec<ScenarioError>) {
    let own = file(name, text, 0);
    let root = match tree::parse(&own.text, 0) {
        Ok(root) => root,
        Err(list) => return (origin(vec![own.clone()]), Vec::new(), list),
    };
    let origin =
        Origin { files: Arc::new(vec![own.clone()]), places: Arc::new(tree::places(&root)) };
    let programs = Programs::default(); // requests start no programs
    let mut reader = Reader::new(&origin, catalogue, &programs);
    let (_, mut parts) = split(root, &mut reader);
    let at = parts[AT].take();
    if parts.iter().any(Option::is_some) {
        let mistake = ScenarioError::new(Code::NotARequest, "this holds more than requests", None);
        reader.mistakes.push(mistake.help("ask for one request with its own keys"));
    }
    let requests = change::requests(at, &mut reader);
    let mistakes = reader.mistakes;
    (origin, requests, mistakes)
}

pub(crate) fn file(name: &str, text: &str, start: usize) -> SourceFile {
    SourceFile { name: name.to_owned(), text: text.to_owned(), start }
}

pub(crate) fn origin(files: Vec<SourceFile>) -> Origin {
    Origin { files: Arc::new(files), places: Arc::default() }
}

pub(crate) fn many(origin: &Origin, list: Vec<ScenarioError>) -> Diagnostics {
    Diagnostics::of(origin, list)
        .unwrap_or_else(|| one(origin, ScenarioError::new(Code::Syntax, "unreadable", None)))
}

fn one(origin: &Origin, mistake: ScenarioError) -> Diagnostics {
    Diagnostics::single(origin, mistake)
}

fn inherited(root: &Node<'_>) -> Option<(String, std::ops::Range<usize>)> {
    let value = root.get_ref().get("inherits")?;
    Some((value.get_ref().as_str()?.to_owned(), value.span()))
}

fn resolve(
    mut root: Node<'_>,
    files: Vec<SourceFile>,
    catalogues: &Catalogues,
) -> Result<Scenario, Diagnostics> {
    if let Some(mistake) = crate::check::entries(&root) {
        return Err(one(&origin(files), mistake));
    }
    let mistakes = match named::put_into_threads(&mut root, &catalogues.programs) {
        Ok(mistakes) => mistakes,
        Err(too_much) => return Err(one(&origin(files), too_much)),
    };
    let origin = Origin { files: Arc::new(files), places: Arc::new(tree::places(&root)) };
    let mut reader = Reader::new(&origin, &catalogues.schedulers, &catalogues.programs);
    reader.mistakes = mistakes;
    let mut scenario = read(root, &mut reader);
    let mut mistakes = reader.mistakes;
    crate::check::check(&scenario, &mut mistakes);
    match Diagnostics::of(&origin, mistakes) {
        Some(diagnostics) => Err(diagnostics),
        None => {
            crate::together::share(&mut scenario);
            Ok(scenario)
        }
    }
}

/// The parts of the root table: its plain keys, then each of `PARTS`.
fn split<'i>(root: Node<'i>, reader: &mut Reader<'_>) -> (Node<'i>, Vec<Option<Node<'i>>>) {
    let span = root.span();
    let mut head = toml::de::DeTable::new();
    let mut parts: Vec<Option<Node<'i>>> = PARTS.iter().map(|_| None).collect();
    if let DeValue::Table(table) = root.into_inner() {
        for (key, value) in table {
            if let Some(at) = PARTS.iter().position(|part| part == key.get_ref()) {
                parts[at] = Some(value);
            } else if HEAD.iter().any(|known| known == key.get_ref()) {
                head.insert(key, value);
            } else {
                let allowed = HEAD.iter().chain(&PARTS).copied();
                let mistake = unknown_key(key.get_ref(), allowed, Some(key.span()));
                reader.mistakes.push(mistake);
            }
        }
    }
    (Spanned::new(span, DeValue::Table(head)), parts)
}

fn read(root: Node<'_>, reader: &mut Reader<'_>) -> Scenario {
    let (head, parts) = split(root, reader);
    let mut parts = parts.into_iter();
    let mut part = || parts.next().flatten();
    let head: HeadFile = decode(head, &mut reader.mistakes).unwrap_or_default();
    let at = |key: &str| Path::of(&[key]);
    version::needed(head.schema, reader);
    let _ = reader.get(head.inherits, &at("inherits"));
    let machine = part().map_or_else(|| Machine::ideal(1), |node| machine::machine(node, reader));
    let interrupts = machine::interrupts(part(), reader);
    let schedulers = scheduler::schedulers(part(), reader);
    named::programs(part(), reader);
    let threads = thread::threads(part(), reader);
    let requests = change::requests(part(), reader);
    let mut names: Vec<&str> = schedulers.iter().map(|scheduler| scheduler.name.as_str()).collect();
    let changes = requests.iter().flat_map(|request| request.change.parts());
    names.extend(changes.filter_map(|change| match change {
        Change::Create(scheduler) => Some(scheduler.name.as_str()),
        _ => None,
    }));
    let expectations = expectation::expectations(part(), reader, &names);
    let locks = lock::locks(part(), reader);
    Scenario {
        question: reader.get(head.question, &at("question")),
        answer: reader.get(head.answer, &at("answer")),
        seed: reader.get(head.seed, &at("seed")).unwrap_or(SEED),
        epoch: reader.get(head.epoch, &at("epoch")).unwrap_or(Instant::ZERO),
        length: reader
            .need(head.length, &at("length"), "how long the scenario lasts, as `length = \"10 s\"`")
            .unwrap_or(Span::from_secs(1)),
        default: reader.get(head.default, &at("default")),
        machine,
        interrupts,
        schedulers,
        threads,
        locks,
        requests,
        expectations,
        under_way: false,
        at_top: Default::default(),
        catalogue: reader.catalogue.clone(),
        programs: reader.programs.clone(),
        origin: reader.origin.clone(),
    }
}

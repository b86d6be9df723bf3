//! Recorded traces as a scenario names them: a file, a thread's name or `#TID` in it.
//!
//! Each file is read once. Threads of one name are numbered in order of their first appearance.

mod error;

pub use error::RecordingError;

use crate::build::{Numbers, Recordings};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use windfall_programs::learn::{Clock, Learned, learn};
use windfall_programs::{Program, RecordedStep};
use windfall_time::{Instant, Span};
use windfall_trace::import::{Format, Report, limits};
use windfall_trace::{Record, Source};

/// A recorded trace that has been read.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The behaviour of its threads.
    pub learned: Learned,
    /// In the recording of a command: the number of other threads on the machine. They woke the command's threads at
    /// the recorded times, and are not repeated.
    pub environment: usize,
    /// The import of the text, counted line by line; `None` for Windfall's own format.
    pub report: Option<Report>,
    /// The causes of wake-ups for which the source does not record whether an interrupt caused them; `None` if it records that.
    pub clock: Option<Clock>,
    /// Why it ends early, if it does; the part before is complete.
    pub cut: Option<String>,
    /// Its threads by name and by number, in order.
    by_name: HashMap<String, Vec<usize>>,
    by_number: HashMap<u32, Vec<usize>>,
}

impl Recording {
    /// Reads ftrace or `perf script` text, plain or compressed by gzip or zstd, or Windfall's own format.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn read(path: &Path, format: Option<&'static Format>) -> Result<Recording, RecordingError> {
        let mut source = Source::open(path, format)?;
        let mut failed = None;
        let mut learned = learn(until_error(&mut source, &mut failed));
        let report = source.report().cloned();
        let unsure = report.as_ref().is_some_and(|report| report.unsure_wakers > 0);
        let clock = unsure.then(|| learned.separate_clock());
        let recording = Recording::of(learned, report, failed)?;
        Ok(Recording { clock, ..recording })
    }

    /// A recording that was learned from records; `failed` is why they ended early, if they did.
    ///
    /// # Errors
    /// When it has no thread, or more threads than a scenario holds.
    pub fn of(
        learned: Learned,
        report: Option<Report>,
        failed: Option<String>,
    ) -> Result<Recording, RecordingError> {
        let mut learned = learned;
        let all = learned.threads.len();
        if learned.threads.iter().any(|thread| thread.of_command) {
            learned.retain(|thread| thread.of_command);
        }
        let environment = all - learned.threads.len();
        if learned.processors > limits::PROCESSORS {
            return Err(RecordingError::Processor(learned.processors - 1));
        }
        if learned.threads.len() as u64 > limits::THREADS {
            return Err(RecordingError::TooManyThreads(learned.threads.len()));
        }
        if !learned.threads.is_empty() {
            let (mut by_name, mut by_number) = (HashMap::new(), HashMap::new());
            for (at, thread) in learned.threads.iter().enumerate() {
                let alike: &mut Vec<usize> = by_name.entry(thread.name.clone()).or_default();
                alike.push(at);
                let alike: &mut Vec<usize> = by_number.entry(thread.tid).or_default();
                alike.push(at);
            }
            let (cut, clock) = (failed, None);
            return Ok(Recording { learned, environment, report, clock, cut, by_name, by_number });
        }
        Err(failed.map_or(RecordingError::NoThreads, RecordingError::Cut))
    }

    /// The threads that a name refers to, or `#TID`, or `#TID/N` for the N-th of several with one number, as indices in order.
    #[must_use]
    pub fn find(&self, name: &str) -> Vec<usize> {
        match Numbered::read(name) {
            None => self.by_name.get(name).cloned().unwrap_or_default(),
            Some(Numbered { tid, place }) => {
                let found = self.by_number.get(&tid).map_or(&[][..], Vec::as_slice);
                match place {
                    Some(place) => found.get(place).copied().into_iter().collect(),
                    None => found.to_vec(),
                }
            }
        }
    }

    /// A reference to one thread and no other: its name, `#TID` or `#TID/N`.
    #[must_use]
    pub fn reference(&self, index: usize) -> String {
        let thread = &self.learned.threads[index];
        if self.find(&thread.name) == [index] {
            return thread.name.clone();
        }
        let number = format!("#{}", thread.tid);
        let alike = self.find(&number);
        match alike.iter().position(|other| *other == index) {
            Some(place) if alike.len() > 1 => format!("{number}/{}", place + 1),
            _ => number,
        }
    }
}

/// A thread by its number.
struct Numbered {
    tid: u32,
    /// Which of those that had the number, from 0.
    place: Option<usize>,
}

impl Numbered {
    fn read(name: &str) -> Option<Numbered> {
        let (tid, place) = match name.strip_prefix('#')?.split_once('/') {
            Some((tid, place)) => (tid, Some(place.parse::<usize>().ok()?.checked_sub(1)?)),
            None => (name.strip_prefix('#')?, None),
        };
        Some(Numbered { tid: tid.parse().ok()?, place })
    }
}

/// Passes records on until the first error, which it keeps.
fn until_error<E: std::fmt::Display>(
    records: impl Iterator<Item = Result<Record, E>>,
    failed: &mut Option<String>,
) -> impl Iterator<Item = Record> {
    records.map_while(|record| match record {
        Ok(record) => Some(record),
        Err(error) => {
            *failed = Some(error.to_string());
            None
        }
    })
}

/// Programs by name in the recording and place among the threads of that name.
type Cast = BTreeMap<(String, usize), Program>;

/// Reads the traces that a scenario names, relative to a folder.
#[derive(Debug, Default)]
pub struct TraceFiles {
    folder: PathBuf,
    read: BTreeMap<String, Result<Recording, RecordingError>>,
    /// For each file, the interactions of its threads, for one choice of threads.
    cast: BTreeMap<String, (Numbers, Cast)>,
}

impl TraceFiles {
    /// Files are found from `folder`: the scenario's.
    #[must_use]
    pub fn new(folder: &Path) -> TraceFiles {
        TraceFiles { folder: folder.to_owned(), ..TraceFiles::default() }
    }

    /// The same, and `recording` where the scenario names `file`, which is not looked for.
    #[must_use]
    pub fn with(mut self, file: &str, recording: Recording) -> TraceFiles {
        self.read.insert(file.to_owned(), Ok(recording));
        self.cast.remove(file);
        self
    }

    /// The files read so far that end early, each with the reason.
    pub fn cut(&self) -> impl Iterator<Item = (&str, &str)> {
        let read = self.read.iter();
        read.filter_map(|(file, read)| Some((file.as_str(), read.as_ref().ok()?.cut.as_deref()?)))
    }

    fn recording(&mut self, file: &str) -> Result<&Recording, RecordingError> {
        let path = self.folder.join(file);
        let read = self.read.entry(file.to_owned());
        read.or_insert_with(|| Recording::read(&path, None)).as_ref().map_err(Clone::clone)
    }

    /// The programs of all threads that play a part, with the scenario's numbers for each other.
    fn cast(&mut self, file: &str, numbers: &Numbers) -> Result<&Cast, RecordingError> {
        let known = self.cast.get(file).is_some_and(|(known, _)| known == numbers);
        if !known {
            let programs = perform(self.recording(file)?, numbers)?;
            self.cast.insert(file.to_owned(), (numbers.clone(), programs));
        }
        Ok(&self.cast[file].1)
    }
}

fn perform(recording: &Recording, numbers: &Numbers) -> Result<Cast, RecordingError> {
    let mut learned = recording.learned.clone();
    // By index in the recording: the scenario's number, and the name and place there.
    let mut parts: BTreeMap<usize, (usize, (String, usize))> = BTreeMap::new();
    for (name, range) in numbers {
        let found = recording.find(name);
        if found.is_empty() {
            return Err(missing(recording, name));
        }
        if range.len() > found.len() {
            return Err(RecordingError::TooFew { found: found.len(), wanted: range.len() });
        }
        if range.len() == 1 && found.len() > 1 && !name.starts_with('#') {
            let tids = found.iter().map(|index| learned.threads[*index].tid);
            return Err(RecordingError::Several(tids.collect()));
        }
        for (place, (index, number)) in found.iter().zip(range.clone()).enumerate() {
            if parts.insert(*index, (number, (name.clone(), place))).is_some() {
                return Err(RecordingError::Shared(name.clone()));
            }
        }
    }
    let mut index = 0;
    learned.retain(|_| {
        index += 1;
        parts.contains_key(&(index - 1))
    });
    // The remaining ones are in the order of the recording, like `parts`.
    let parts: Vec<(usize, (String, usize))> = parts.into_values().collect();
    let mut programs = BTreeMap::new();
    for (thread, (_, key)) in learned.threads.into_iter().zip(&parts) {
        let mut recorded = thread.recorded;
        for step in &mut recorded.steps {
            if let RecordedStep::Wake(target) = step {
                *target = parts[*target].0;
            }
        }
        programs.insert(key.clone(), Program::Recorded(recorded));
    }
    Ok(programs)
}

fn missing(recording: &Recording, name: &str) -> RecordingError {
    let mut names: Vec<&str> =
        recording.learned.threads.iter().map(|thread| thread.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let nearest = crate::suggest::nearest(name, names.iter().copied());
    RecordingError::NoSuchThread { nearest: nearest.map(str::to_owned), names: names.len() }
}

impl Recordings for TraceFiles {
    fn program(
        &mut self,
        file: &str,
        thread: &str,
        at: usize,
        numbers: &Numbers,
    ) -> Result<Program, RecordingError> {
        let cast = self.cast(file, numbers)?;
        let program = cast.get(&(thread.to_owned(), at)).cloned();
        program.ok_or(RecordingError::NoSuchThread { nearest: None, names: cast.len() })
    }

    fn interrupts(
        &mut self,
        file: &str,
        processor: u16,
    ) -> Result<Vec<(Instant, Span)>, RecordingError> {
        let learned = &self.recording(file)?.learned;
        let stolen = learned.interrupts.get(usize::from(processor)).map_or(&[][..], Vec::as_slice);
        Ok(stolen.iter().map(|piece| (piece.at, piece.span)).collect())
    }
}

#[cfg(test)]
mod tests;

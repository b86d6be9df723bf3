//! The iterator: lines in, records out, in order of time.
//!
//! Invariant: `queue` holds at most `window` lines; what has been taken from it is at `released` or
//! before. Losses without a time stand where they can first have happened: after the last line of
//! their processor, or before everything.

use super::lines::{Line, Lines, too_much};
use super::queue::Queue;
use super::record::Waiting;
use super::report::count;
use super::translate::Translator;
use super::{Aside, Format, Head, Heading, ImportError, RawEvent, Reading, Report, Task, limits};
use crate::{Cpu, Header, Record};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead};
use windfall_time::Span;

/// How many lines are held back unless said otherwise.
const WINDOW: usize = 1024;

/// Reads `reader`, plain or compressed by gzip or zstd, as `format`; without one, in the format of its first event.
pub fn open<R: BufRead>(reader: R, format: Option<&'static Format>) -> Importer<R> {
    Importer {
        lines: Lines::new(reader),
        format,
        window: WINDOW,
        queue: Queue::default(),
        translator: Translator::default(),
        header: Header::default(),
        report: Report::default(),
        seq: 0,
        newest: None,
        released: None,
        last_on: HashMap::new(),
        last_event: 0,
        early: BTreeMap::new(),
        failed: None,
        ended: false,
        given: false,
    }
}

/// An iterator over the records of a text; see [`open`].
// Fields: the state of one pass over a text, between two lines.
pub struct Importer<R: BufRead> {
    lines: Lines<R>,
    format: Option<&'static Format>,
    window: usize,
    queue: Queue,
    translator: Translator,
    header: Header,
    report: Report,
    seq: u64,
    /// The latest time seen.
    newest: Option<u64>,
    released: Option<u64>,
    last_on: HashMap<u16, u64>,
    /// The last line that was an event.
    last_event: u64,
    /// Losses before the first event: by processor, how many events if known.
    early: BTreeMap<Option<u16>, Option<u64>>,
    failed: Option<io::Error>,
    ended: bool,
    /// Whether the last word, an error, has been given.
    given: bool,
}

impl<R: BufRead> Importer<R> {
    /// Holds back `lines` lines for sorting instead of 1024. More mends worse clocks; fewer give
    /// records of a live source sooner.
    #[must_use]
    pub fn window(mut self, lines: usize) -> Importer<R> {
        self.window = lines;
        self
    }

    /// The header read so far; complete once the first record has been given. Text does not name
    /// its clock, so `clock` stays empty unless perf's header names it.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Counts of the lines read so far; final when the iterator has ended.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The format, once it is known.
    pub fn format(&self) -> Option<&'static Format> {
        self.format
    }

    fn read(&mut self, line: &Line) {
        self.report.lines += 1;
        let text = line.text.as_str();
        if self.aside(text.trim()) {
            return;
        }
        let read = |format: &&'static Format| Some((*format, (format.head)(text)?));
        let Some((format, head)) = Format::tried(&self.format).iter().find_map(read) else {
            self.report.unknown.add(line.number, text);
            return;
        };
        self.format = Some(format);
        let sound = head.is_within_limits();
        match if sound { (format.event)(&head) } else { Reading::Malformed } {
            Reading::NotImported => {
                self.last_event = line.number;
                count(&mut self.report.not_imported, head.event);
            }
            // Of a line that was cut, only what stands at its beginning can be believed.
            Reading::Event(raw)
                if raw.is_within_limits() && (!line.cut || matches!(raw, RawEvent::Mark(_))) =>
            {
                self.last_event = line.number;
                count(&mut self.report.events, head.event);
                self.wait(line.number, &head, raw);
            }
            _ => self.report.malformed.add(line.number, text),
        }
    }

    /// Whether the line is no event: an empty one, or what a format says that is none.
    fn aside(&mut self, line: &str) -> bool {
        let mut other = line.is_empty();
        let format = self.format;
        for format in Format::tried(&format) {
            match (format.aside)(line) {
                Some(Aside::Heading(heading)) => {
                    self.heading(&heading);
                    other = true;
                }
                Some(Aside::Loss { cpu, count })
                    if cpu.is_none_or(|cpu| cpu < limits::PROCESSORS) =>
                {
                    self.report.loss_lines += 1;
                    self.lost(cpu, count);
                    return true;
                }
                Some(Aside::Loss { .. }) | None => {}
            }
        }
        self.report.other_lines += u64::from(other);
        other
    }

    fn heading(&mut self, heading: &Heading<'_>) {
        self.header.cpus = heading.processors.unwrap_or(self.header.cpus);
        if let Some(clock) = heading.clock {
            self.header.clock = clock.chars().take(40).collect();
        }
        if heading.lost.is_some() {
            self.lost(None, heading.lost);
        }
    }

    /// A loss whose time the source does not give.
    fn lost(&mut self, cpu: Option<u16>, lost: Option<u64>) {
        self.report.lose(cpu.map(Cpu), lost);
        let after = cpu.and_then(|cpu| self.last_on.get(&cpu).copied()).or(self.released);
        match after {
            Some(ns) => {
                self.seq += 1;
                let ns = ns.max(self.released.unwrap_or(0));
                self.queue.push(Waiting::loss(ns, self.seq, cpu, lost));
            }
            None => {
                let sum = self.early.entry(cpu).or_insert(Some(0));
                *sum = sum.zip(lost).map(|(sum, lost)| sum.saturating_add(lost));
            }
        }
    }

    fn wait(&mut self, line: u64, head: &Head<'_>, raw: RawEvent) {
        if let RawEvent::Lost { count } = raw {
            self.lost(Some(head.cpu), count);
            return;
        }
        let by = head.tid.map(|tid| Task { tid, name: head.comm.map(str::to_owned) });
        let (cpu, pid, interrupt) = (Some(head.cpu), head.pid, head.interrupt);
        self.seq += 1;
        let seq = self.seq;
        let Some(mut ns) = head.ns.or(self.newest) else {
            let found = Waiting { ns: 0, seq, line, cpu, by, pid, interrupt, raw };
            self.translator.take(found, &mut self.report);
            return;
        };
        if let Some(released) = self.released
            && ns < released
        {
            self.report.clamped += 1;
            let way = Span::from_nanos(released - ns);
            self.report.longest_clamp = self.report.longest_clamp.max(way);
            ns = released;
        } else if self.newest.is_some_and(|newest| ns < newest) {
            self.report.reordered += 1;
        }
        self.newest = self.newest.max(Some(ns));
        let last = self.last_on.entry(head.cpu).or_insert(ns);
        *last = ns.max(*last);
        self.queue.push(Waiting { ns, seq, line, cpu, by, pid, interrupt, raw });
    }

    fn release(&mut self) {
        let Some(waiting) = self.queue.pop() else { return };
        self.early_losses(waiting.ns);
        self.released = Some(waiting.ns);
        let cpu = waiting.cpu.filter(|_| waiting.claims().is_some());
        self.translator.take(waiting, &mut self.report);
        if let Some(cpu) = cpu
            && let Some(next) = self.queue.next_on(cpu)
            && let Some(tid) = next.claims()
        {
            self.translator.foresee(Cpu(cpu), tid, next.line, &mut self.report);
        }
    }

    fn early_losses(&mut self, ns: u64) {
        for (cpu, count) in std::mem::take(&mut self.early) {
            self.translator.take(Waiting::loss(ns, 0, cpu, count), &mut self.report);
        }
    }

    /// Reads a line, or releases what waits at the end.
    fn step(&mut self) {
        match self.lines.next() {
            Ok(Some(line)) => {
                self.read(&line);
                while self.queue.len() > self.window {
                    self.release();
                }
                if let Some(why) = self.too_much() {
                    self.end(Some(why));
                }
            }
            Ok(None) => self.end(None),
            Err(error) => self.end(Some(error)),
        }
    }

    /// Why nothing more is read, if a limit is passed.
    fn too_much(&self) -> Option<io::Error> {
        if self.report.threads > limits::THREADS {
            return Some(too_much(format!("more than {} threads", limits::THREADS)));
        }
        let without = self.report.lines - self.last_event;
        (without > limits::LINES_WITHOUT_EVENT).then(|| {
            let (count, line) = (limits::LINES_WITHOUT_EVENT, self.last_event + 1);
            too_much(format!("no event in more than {count} lines from line {line} on"))
        })
    }

    fn end(&mut self, failed: Option<io::Error>) {
        while !self.queue.is_empty() {
            self.release();
        }
        let last = self.released.unwrap_or(0);
        self.early_losses(last);
        if failed.is_some() {
            self.translator.take(Waiting::loss(last, 0, None, None), &mut self.report);
        }
        self.failed = failed;
        self.ended = true;
    }
}

impl<R: BufRead> Iterator for Importer<R> {
    type Item = Result<Record, ImportError>;

    fn next(&mut self) -> Option<Result<Record, ImportError>> {
        loop {
            if let Some(record) = self.translator.out.pop_front() {
                if let Some(format) = self.format
                    && self.header.source.is_empty()
                {
                    format.name.clone_into(&mut self.header.source);
                }
                return Some(Ok(record));
            }
            if !self.ended {
                self.step();
                continue;
            }
            if std::mem::replace(&mut self.given, true) {
                return None;
            }
            if let Some(error) = self.failed.take() {
                return Some(Err(ImportError::Io(error)));
            }
            let nothing = self.report.imported() == 0 && self.report.not_imported.is_empty();
            return nothing.then(|| {
                let mut examples =
                    self.report.unknown.first.iter().chain(&self.report.malformed.first);
                let (first, format) = (examples.next().cloned(), self.format);
                Err(ImportError::Unrecognised { first, format })
            });
        }
    }
}

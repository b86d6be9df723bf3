//! Programs that are jobs.

use super::reader::Reader;
use crate::diagnostic::Code;
use crate::file::{
    AfterFile, Cycle, Due, InsteadFile, Lax, PeriodicFile, Range, SporadicFile, TextOr,
};
use crate::model::{Activation, Jobs, Run};
use crate::source::Path;
use windfall_programs::OnLate;
use windfall_time::{Instant, Span};

const WORK: &str = "how much each job is, as `work = \"3ms\"`";

/// The keys that all kinds of jobs share.
struct Common {
    work: Option<Lax<Range>>,
    deadline: Option<Lax<Due>>,
    late: Option<Lax<OnLate>>,
    count: Option<Lax<u64>>,
    admit: Option<Lax<bool>>,
    or_else: Option<Lax<String>>,
}

/// Takes the shared keys out of the table of one kind.
macro_rules! common {
    ($file:ident) => {
        Common {
            work: $file.work,
            deadline: $file.deadline,
            late: $file.late,
            count: $file.count,
            admit: $file.admit,
            or_else: $file.or_else,
        }
    };
}

fn jobs(
    common: Common,
    usual: Option<Span>,
    activation: Option<Activation>,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Option<Run> {
    let work = reader.need(common.work, &path.key("work"), WORK);
    let due = reader.get(common.deadline, &path.key("deadline"));
    if due == Some(Due(Some(Span::ZERO))) {
        reader.wrong(
            Code::ZeroTime,
            &path.key("deadline"),
            "no time at all",
            "write a time above zero, or `none`",
        );
    }
    let late = reader.get(common.late, &path.key("late"));
    let count = reader.get(common.count, &path.key("count"));
    let admit = reader.get(common.admit, &path.key("admit"));
    let secondary = reader.get(common.or_else, &path.key("else"));
    let mut jobs = Jobs::new(activation?, work?.work()).late(late.unwrap_or_default());
    (jobs.deadline, jobs.count) = (due.map_or(usual, |due| due.0), count);
    (jobs.admit, jobs.secondary) = (admit.unwrap_or_default(), secondary);
    Some(Run::Jobs(jobs))
}

pub(super) fn periodic(
    file: TextOr<PeriodicFile>,
    start: Instant,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Option<Run> {
    let file = match file {
        TextOr::Table(file) => file,
        TextOr::Text(raw) => {
            let cycle: Cycle = reader.scalar(&raw, path)?;
            let activation = Activation::Periodic { offset: start, period: cycle.period };
            let jobs = Jobs::new(activation, cycle.work.work()).deadline(cycle.deadline);
            return Some(Run::Jobs(jobs));
        }
    };
    let what = "the time between releases, as `period = \"10ms\"`";
    let period = reader.need(file.period, &path.key("period"), what);
    let period = reader.above_zero(period, &path.key("period"));
    let offset = reader.get(file.offset, &path.key("offset"));
    let common = common!(file);
    let activation =
        period.map(|period| Activation::Periodic { offset: offset.unwrap_or(start), period });
    jobs(common, period, activation, path, reader)
}

pub(super) fn sporadic(
    file: SporadicFile,
    start: Instant,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Option<Run> {
    let what = "the time between releases, as `gap = \"50ms..200ms\"`";
    let gap = reader.need(file.gap, &path.key("gap"), what);
    let least = reader.above_zero(gap.map(|gap| gap.0), &path.key("gap"));
    let offset = reader.get(file.offset, &path.key("offset"));
    let common = common!(file);
    let activation = gap.map(|gap| Activation::Sporadic {
        offset: offset.unwrap_or(start),
        least: gap.0,
        most: gap.1,
    });
    jobs(common, least, activation, path, reader)
}

pub(super) fn after(file: AfterFile, path: &Path, reader: &mut Reader<'_>) -> Option<Run> {
    let what = "the thread whose jobs come before, as `thread = \"a\"`";
    let before = reader.need(file.thread, &path.key("thread"), what);
    let common = common!(file);
    jobs(common, None, before.map(Activation::After), path, reader)
}

pub(super) fn instead(file: InsteadFile, path: &Path, reader: &mut Reader<'_>) -> Option<Run> {
    jobs(common!(file), None, Some(Activation::Instead), path, reader)
}

//! Threads, as they are written.

use super::scheduler::raw;
use super::{external, requirements};
use crate::file::{
    AfterFile, Cycle, Due, InsteadFile, Kib, KindFile, Lax, PeriodicFile, PhaseFile, Range, Raw,
    RecordedFile, Scalar, SpinText, SporadicFile, StepFile, TextOr, ThreadFile, WithRequirements,
};
use crate::model::{Activation, Jobs, Phase, Run, Setting, Step, Thread};
use windfall_programs::OnLate;
use windfall_time::{Instant, Span};

pub(super) fn thread(thread: &Thread) -> WithRequirements<ThreadFile> {
    WithRequirements { own: own(thread), requirements: requirements(&thread.requires) }
}

fn own(thread: &Thread) -> ThreadFile {
    let file = ThreadFile {
        parent: thread.parent.clone().and_then(Lax::good),
        count: thread.count.and_then(Lax::good),
        start: (thread.start != Instant::ZERO).then_some(Lax(Ok(thread.start))),
        working_set: (thread.working_set_kib != 0).then_some(Lax(Ok(Kib(thread.working_set_kib)))),
        ..ThreadFile::default()
    };
    let file = match &thread.external {
        Some(program) => external::external(program, file),
        None => file,
    };
    match &thread.run {
        Run::Spin { from } => ThreadFile { run: Lax::good(SpinText(*from)), ..file },
        Run::Jobs(jobs) => self::jobs(jobs, thread.start, file),
        Run::Phases { loops, phases } => {
            let file = ThreadFile { loops: loops.and_then(Lax::good), ..file };
            match phases.as_slice() {
                [only] if only.name == "main" && only.loops == 1 => {
                    ThreadFile { steps: Some(steps(&only.steps)), ..file }
                }
                phases => ThreadFile { phases: Some(phases.iter().map(phase).collect()), ..file },
            }
        }
        Run::Recorded { file: name, thread } => {
            let recorded =
                RecordedFile { file: Lax::good(name.clone()), thread: Lax::good(thread.clone()) };
            ThreadFile { recorded: Some(recorded), ..file }
        }
        Run::OfKind { kind, settings } => {
            ThreadFile { program: Some(TextOr::Table(of_kind(kind, settings))), ..file }
        }
        Run::Profile(name) => ThreadFile { profile: Lax::good(name.clone()), ..file },
        Run::Unknown => file,
    }
}

fn of_kind(kind: &str, settings: &[(String, Setting)]) -> KindFile {
    let settings = settings.iter().map(|(name, setting)| (name.clone(), raw(setting)));
    KindFile(settings.chain([("kind".to_owned(), Raw::Text(kind.to_owned()))]).collect())
}

fn jobs(jobs: &Jobs, start: Instant, file: ThreadFile) -> ThreadFile {
    let work = Range::of(jobs.work);
    let late = (jobs.late != OnLate::Complete).then_some(Lax(Ok(jobs.late)));
    let count = jobs.count.and_then(Lax::good);
    let admit = jobs.admit.then_some(Lax(Ok(true)));
    let or_else = jobs.secondary.clone().and_then(Lax::good);
    let due = |usual: Option<Span>| (jobs.deadline != usual).then_some(Lax(Ok(Due(jobs.deadline))));
    let first = |offset: Instant| (offset != start).then_some(Lax(Ok(offset)));
    match &jobs.activation {
        Activation::Periodic { offset, period } => {
            let plain = *offset == start && is_plain(jobs);
            let periodic = match jobs.deadline.filter(|_| plain) {
                Some(deadline) => TextOr::Text(Cycle { work, period: *period, deadline }.write()),
                None => TextOr::Table(PeriodicFile {
                    work: Lax::good(work),
                    period: Lax::good(*period),
                    offset: first(*offset),
                    deadline: due(Some(*period)),
                    late,
                    count,
                    admit,
                    or_else,
                }),
            };
            ThreadFile { periodic: Some(periodic), ..file }
        }
        Activation::Sporadic { offset, least, most } => {
            let sporadic = SporadicFile {
                work: Lax::good(work),
                gap: Lax::good(Range(*least, *most)),
                offset: first(*offset),
                deadline: due(Some(*least)),
                late,
                count,
                admit,
                or_else,
            };
            ThreadFile { sporadic: Some(sporadic), ..file }
        }
        Activation::After(before) => {
            let after = AfterFile {
                thread: Lax::good(before.clone()),
                work: Lax::good(work),
                deadline: due(None),
                late,
                count,
                admit,
                or_else,
            };
            ThreadFile { after: Some(after), ..file }
        }
        Activation::Instead => {
            let work = Lax::good(work);
            let instead = InsteadFile { work, deadline: due(None), late, count, admit, or_else };
            ThreadFile { instead: Some(instead), ..file }
        }
    }
}

/// Whether a short text says all of its jobs but their times.
fn is_plain(jobs: &Jobs) -> bool {
    let Jobs { late, count, admit, secondary, .. } = jobs;
    *late == OnLate::Complete && count.is_none() && !admit && secondary.is_none()
}

fn phase(phase: &Phase) -> PhaseFile {
    PhaseFile {
        name: Lax::good(phase.name.clone()),
        loops: (phase.loops != 1).then_some(Lax(Ok(phase.loops))),
        steps: Some(steps(&phase.steps)),
    }
}

fn steps(steps: &[Step]) -> Vec<TextOr<StepFile>> {
    steps.iter().map(StepFile::of).collect()
}

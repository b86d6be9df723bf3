//! What a run would do to this machine, in words, without doing any of it.

use crate::restore::claim;
use crate::restore::throttle;
use crate::supervise::processors::{self, online};
use crate::supervise::settings::Settings;
use crate::threads::begin;
use crate::threads::processes::found;
use std::fmt::Write;
use windfall_observe::routines::MAKER;
use windfall_observe::{fifo_priorities, occupancy, procfs};
use windfall_os::LinuxError;
use windfall_scenario::model::{ExternalProgram, Machine};
use windfall_scenario::{Plan, PlannedProgram};

/// The entries that ask where threads start, and where.
fn routines(plan: &Plan) -> impl Iterator<Item = (&str, &str)> {
    plan.threads.iter().filter_map(|thread| match &thread.program {
        PlannedProgram::External { external, .. } => {
            Some((thread.name.as_str(), external.threads.routine.as_deref()?))
        }
        PlannedProgram::Declared(_) => None,
    })
}

/// What claiming the processors would move, and what would stay.
fn claim_in_words(machine: &Machine, supervised: &[u16]) -> Result<Vec<String>, LinuxError> {
    let cpus = claim::choose(machine, supervised, &online()?);
    let remark = claim::shared(machine.claim, supervised, &cpus);
    if cpus.is_empty() {
        return Ok(remark.into_iter().collect());
    }
    let survey = occupancy::survey(&cpus.iter().copied().collect());
    let numbers: Vec<String> = cpus.iter().map(ToString::to_string).collect();
    let numbers = numbers.join(", ");
    let moved = survey.settings_in_words();
    let claimed = format!(
        "processor {numbers} would be claimed: {} threads, {} of them the kernel's, would be moved to others; so would {}",
        survey.threads, survey.kernel, moved,
    );
    let stays = survey.stays.iter().map(|stay| format!("stays on processor {numbers}: {stay}"));
    Ok(std::iter::once(claimed).chain(stays).chain(remark).collect())
}

/// Says what [`run`](crate::run()) would do: processors, classes, what is started and what is taken.
///
/// # Errors
/// When the processors or programs that are asked for are not there.
pub fn dry_run(plan: &Plan, settings: &Settings) -> Result<String, LinuxError> {
    let cpus = processors::choose(&settings.cpus, plan)?;
    begin::refuse_absent(plan)?;
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| {
        let _ = writeln!(text, "{words}"); // writing to a string cannot fail
    };
    for (scenario, machine) in cpus.iter().enumerate() {
        line(format_args!("processor {machine} would be the scenario's processor {scenario}"));
    }
    line(format_args!(
        "supervised threads would be SCHED_FIFO {} while frozen, {} while held and {} while granted, pinned to one of these",
        fifo_priorities::FROZEN,
        fifo_priorities::HELD,
        fifo_priorities::GRANTED,
    ));
    let (runtime, period) = throttle::of(&plan.machine.cap);
    let words = match runtime {
        -1 => {
            "be lifted (-1): the kernel's fair server keeps 5 % for waiting ordinary threads".into()
        }
        us => format!("be {us} us in {period} us"),
    };
    line(format_args!("/proc/sys/kernel/sched_rt_runtime_us would {words}"));
    for words in claim_in_words(&plan.machine, &cpus)? {
        line(format_args!("{words}"));
    }
    for thread in &plan.threads {
        let name = &thread.name;
        let parent = plan.nodes.iter().find(|(_, node)| *node == thread.parent);
        let parent = parent.map_or("?", |(name, _)| name.as_str());
        match &thread.program {
            PlannedProgram::Declared(_) => {
                line(format_args!("`{name}` would be a thread of this process, below `{parent}`"));
            }
            PlannedProgram::External { external, .. } => match &external.program {
                ExternalProgram::Exec { command, .. } => {
                    let words = command.join(" ");
                    line(format_args!(
                        "`{name}` would start `{words}`, its threads below `{parent}`"
                    ));
                }
                ExternalProgram::Of(other) => {
                    line(format_args!(
                        "`{name}` would take threads of `{other}`, below `{parent}`"
                    ));
                }
                there => {
                    let pids = found(there);
                    if pids.is_empty() {
                        line(format_args!("`{name}` has no running process"));
                    }
                    for tid in pids.into_iter().flat_map(procfs::threads) {
                        let Some(stat) = procfs::stat(tid) else { continue };
                        let (comm, policy) = (stat.comm, stat.policy);
                        line(format_args!(
                            "`{name}` would take thread {tid} ({comm}, class {policy}), below `{parent}`"
                        ));
                    }
                }
            },
        }
    }
    for (name, routine) in routines(plan) {
        line(format_args!(
            "`{name}` would get threads that start at `{routine}`: {MAKER} would trap into the kernel on the whole machine"
        ));
    }
    line(format_args!(
        "all of it would be given back after {}, when interrupted, or by a guardian within a second",
        plan.length
    ));
    Ok(text)
}

//! Describes what a run would do to this machine, and changes nothing.

use crate::restore::claim;
use crate::restore::throttle;
use crate::supervise::processors::{self, online};
use crate::supervise::settings::Settings;
use crate::supervise::stations;
use crate::threads::begin;
use crate::threads::processes::found;
use windfall_observe::procfs::{self, Stat};
use windfall_observe::routines::MAKER;
use windfall_observe::{fifo_priorities, occupancy};
use windfall_os::LinuxError;
use windfall_scenario::model::{ExternalProgram, Machine};
use windfall_scenario::{Plan, PlannedProgram, PlannedThread};

/// The entries that select threads by start routine: name and routine.
fn routines(plan: &Plan) -> impl Iterator<Item = (&str, &str)> {
    plan.threads.iter().filter_map(|thread| match &thread.program {
        PlannedProgram::External { external, .. } => {
            Some((thread.name.as_str(), external.threads.routine.as_deref()?))
        }
        PlannedProgram::Declared(_) => None,
    })
}

/// Describes what claiming the processors would move, and what would stay.
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

/// Describes what a run would do with a thread of the plan, below scheduler `parent`.
fn thread_in_words(thread: &PlannedThread, parent: &str) -> Vec<String> {
    let name = &thread.name;
    let PlannedProgram::External { external, .. } = &thread.program else {
        return vec![format!("`{name}` would be a thread of this process, below `{parent}`")];
    };
    match &external.program {
        ExternalProgram::Exec { command, .. } => {
            let words = command.join(" ");
            vec![format!("`{name}` would start `{words}`, its threads below `{parent}`")]
        }
        ExternalProgram::Of(other) => {
            vec![format!("`{name}` would take threads of `{other}`, below `{parent}`")]
        }
        there => {
            let pids = found(there);
            if pids.is_empty() {
                return vec![format!("`{name}` has no running process")];
            }
            let threads = pids.into_iter().flat_map(procfs::threads);
            let stats = threads.filter_map(|tid| Some((tid, procfs::stat(tid)?)));
            let taken = stats.map(|(tid, Stat { comm, policy, .. })| {
                format!(
                    "`{name}` would take thread {tid} ({comm}, class {policy}), below `{parent}`"
                )
            });
            taken.collect()
        }
    }
}

/// Describes the class that supervised threads would have, and the limit for real-time threads.
fn classes_in_words(machine: &Machine) -> [String; 2] {
    let classes = format!(
        "supervised threads would be SCHED_FIFO {} while frozen, {} while held and {} while granted, pinned to one of these",
        fifo_priorities::FROZEN,
        fifo_priorities::HELD,
        fifo_priorities::GRANTED,
    );
    let (runtime, period) = throttle::of(&machine.cap);
    let throttle = match runtime {
        -1 => {
            "be lifted (-1): the kernel's fair server keeps 5 % for waiting ordinary threads".into()
        }
        us => format!("be {us} us in {period} us"),
    };
    [classes, format!("/proc/sys/kernel/sched_rt_runtime_us would {throttle}")]
}

/// Describes what [`run`](crate::run()) would do: processors, classes, programs that it would start, threads that it would take.
///
/// # Errors
/// When the processors or programs that the plan names do not exist here.
pub fn dry_run(plan: &Plan, settings: &Settings) -> Result<String, LinuxError> {
    stations::refuse(plan)?;
    let cpus = processors::choose(&settings.cpus, plan)?;
    begin::refuse_absent(plan)?;
    let processor = |(scenario, machine): (usize, &u16)| {
        format!("processor {machine} would be the scenario's processor {scenario}")
    };
    let mut lines: Vec<String> = cpus.iter().enumerate().map(processor).collect();
    lines.extend(classes_in_words(&plan.machine));
    lines.extend(claim_in_words(&plan.machine, &cpus)?);
    for thread in &plan.threads {
        let parent = plan.nodes.iter().find(|(_, node)| *node == thread.parent);
        lines.extend(thread_in_words(thread, parent.map_or("?", |(name, _)| name.as_str())));
    }
    lines.extend(routines(plan).map(|(name, routine)| {
        format!(
            "`{name}` would get threads that start at `{routine}`: {MAKER} would trap into the kernel on the whole machine"
        )
    }));
    Ok(lines.join("\n") + "\n")
}

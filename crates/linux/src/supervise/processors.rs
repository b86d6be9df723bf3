//! Chooses the processors that a run supervises.

use std::collections::BTreeSet;
use windfall_os::LinuxError;
use windfall_os::sched::Affinity;
use windfall_scenario::Plan;

/// Returns the processors in `requested`, or else those that the plan names, or else the last ones that this process may use: the first
/// ones serve most interrupts and are left to the rest of the system.
pub(crate) fn choose(requested: &[u16], plan: &Plan) -> Result<Vec<u16>, LinuxError> {
    let requested = if requested.is_empty() { plan.machine.cpus.as_slice() } else { requested };
    let online = online()?;
    let wanted = usize::from(plan.hierarchy.processors());
    let chosen: Vec<u16> = match requested {
        [] => online.iter().rev().take(wanted).rev().copied().collect(),
        some => some.to_vec(),
    };
    let distinct: BTreeSet<u16> = chosen.iter().copied().collect();
    if chosen.len() != wanted || distinct.len() != wanted {
        let plural = if wanted == 1 { "" } else { "s" };
        let what = format!("the scenario needs {wanted} processor{plural}");
        let why = match requested {
            [] => format!("this process may use {}", online.len()),
            some => format!("{some:?} names {} different ones", distinct.len()),
        };
        let help = match requested {
            [] => "run it where there are as many, simulate it, or give the scenario fewer",
            _ => "name as many as the scenario has, each once",
        };
        return Err(LinuxError::unavailable(what, why, help));
    }
    match chosen.iter().find(|cpu| !online.contains(cpu)) {
        None => Ok(chosen),
        Some(cpu) => {
            let why = format!("this process may use {online:?}");
            Err(LinuxError::unavailable(
                format!("cannot use processor {cpu}"),
                why,
                "choose among these",
            ))
        }
    }
}

/// The processors that this process may use.
pub(crate) fn online() -> Result<Vec<u16>, LinuxError> {
    let own =
        Affinity::of(0).map_err(|e| LinuxError::of("cannot read the affinity", &e, "report it"))?;
    Ok((0..1024).filter(|cpu| own.has(*cpu)).collect())
}

/// The processors that are not supervised, or all if there are no others.
pub(super) fn apart(all: &[u16], supervised: &[u16]) -> Affinity {
    let mut apart = Affinity::default();
    let others = all.iter().any(|cpu| !supervised.contains(cpu));
    let among = all.iter().filter(|cpu| !others || !supervised.contains(cpu));
    among.for_each(|cpu| apart.add(*cpu));
    apart
}

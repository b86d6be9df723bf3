//! Where a thread starts (HLS 8.5.1), as far as that is known.

use windfall_observe::routines::Routines;
use windfall_scenario::model;

/// The start of a thread, as kernel events have reported it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Heard {
    /// It starts at this address of its process.
    At(u64),
    /// Nothing is known, for this reason.
    Nothing(&'static str),
}

impl Heard {
    /// For a thread that existed before events were read.
    pub(crate) const BEFORE: Heard = Heard::Nothing("they started before the run");
    /// For a thread that was found after events had been lost.
    pub(crate) const LOST: Heard = Heard::Nothing("events were lost");
    /// For a thread that was made in another way.
    pub(crate) const OTHERWISE: Heard =
        Heard::Nothing("they were not made by `pthread_create` of a file that the run knows");
}

/// Where a thread starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    /// At this routine.
    At(String),
    /// It is the first thread of its process, which no routine starts.
    First,
    /// Unknown, for this reason.
    Unknown(&'static str),
}

impl Start {
    /// Resolves where thread `tid` of process `pid` starts.
    pub(crate) fn of(tid: i32, pid: i32, heard: Heard, routines: &mut Routines) -> Start {
        match heard {
            _ if tid == pid => Start::First,
            Heard::At(address) => routines
                .look_up(pid, address)
                .map_or(Start::Unknown("no file holds their routine"), Start::At),
            Heard::Nothing(why) => Start::Unknown(why),
        }
    }

    /// The same, as the scenario compares it.
    pub(crate) const fn known(&self) -> model::Start<'_> {
        match self {
            Start::At(routine) => model::Start::At(routine.as_str()),
            Start::First => model::Start::First,
            Start::Unknown(_) => model::Start::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_process_first_thread_starts_with_no_routine() {
        let (pid, mut routines) = (std::process::id().cast_signed(), Routines::default());
        let here = Heard::At(law_a_process_first_thread_starts_with_no_routine as *const () as u64);
        assert_eq!(Start::of(pid, pid, here, &mut routines), Start::First);
        assert_eq!(Start::of(pid, pid, Heard::OTHERWISE, &mut routines), Start::First);
        let found = Start::of(pid + 1, pid, here, &mut routines);
        assert!(
            matches!(&found, Start::At(name) if name.contains("starts_with_no_routine")),
            "{found:?}"
        );
        let nowhere = Start::of(pid + 1, pid, Heard::At(1), &mut routines);
        assert_eq!(nowhere, Start::Unknown("no file holds their routine"));
    }
}

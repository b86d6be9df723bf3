//! What a host offers to programs under way.

use super::{Job, ProgramRuntime};
use crate::process::{Node, ProcessError, ProcessParams};
use crate::program::Program;
use windfall_time::{Instant, Span};

/// What a stage is to call back for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wakeup {
    /// A sleep ends: [`ProgramRuntime::slept`].
    Wake,
    /// A job is released: [`ProgramRuntime::release_due`].
    Release,
    /// A job's time is over: [`ProgramRuntime::abort`].
    Deadline,
    /// Timers of processes are due: [`ProgramRuntime::timers_due`]. Whose it is given for says nothing.
    Timer,
    /// Posts arrive at another node: [`ProgramRuntime::posts_due`]. Whose it is given for says nothing.
    Post,
}

/// Why a program cannot go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgramError {
    /// It acts for ever without computing or waiting.
    Stuck,
    /// So many of its jobs wait for it.
    Backlog(usize),
    /// It unlocks what it has not locked.
    NotOwner,
    /// Its body ended with what it was refused.
    Refused(ProcessError),
    /// Its body awaits what no host carries out.
    Foreign,
    /// Its body panicked.
    Panicked,
}

/// A host, as programs see it. Programs are named by their numbers.
///
/// # The host promises
/// P1. [`now`](Self::now) never decreases.
/// P2. [`step`](ProgramRuntime::step) is called for a player that has a processor and has done its last work.
/// P3. Each cue comes back once, not before its time.
///
/// # Programs promise
/// P4. A player that was [`blocked`](Self::blocked) is [`woken`](Self::woken) once before it is blocked
/// again; so is one that has [begun](ProgramRuntime::begin) before it acts.
/// P5. Every job that [`begins`](Self::begins) was [`released`](Self::released), and is then
/// [`completed`](Self::completed) or [`aborted`](Self::aborted) unless the run ends first.
pub trait RuntimeHost {
    /// How long acting may take here, from one action to the next without computing or waiting, for
    /// them to count as done at one instant; zero where acting takes no time.
    const MOMENT: Span;

    /// The players themselves: they are part of their stage.
    fn programs(&mut self) -> &mut ProgramRuntime;
    /// The time.
    fn now(&self) -> Instant;
    /// Has a cue given at an instant, instead of an earlier one of the same kind.
    fn schedule_wakeup(&mut self, player: u32, cue: Wakeup, at: Instant);
    /// A player waits.
    fn blocked(&mut self, player: u32);
    /// A player that waited can run; `by` whom it was woken.
    fn woken(&mut self, player: u32, by: Option<u32>);
    /// A running player lets others go first.
    fn yielded(&mut self, player: u32);
    /// A player has ended.
    fn exited(&mut self, player: u32);
    /// A process is to come into being on a node; the number of its player, which is [added](ProgramRuntime::add) and has
    /// [begun](ProgramRuntime::begin).
    ///
    /// # Errors
    /// [`ProcessError::NotAdmitted`], or [`ProcessError::NotHere`]; there is then no such process.
    fn spawn(
        &mut self,
        node: Node,
        terms: ProcessParams,
        program: &Program,
    ) -> Result<u32, ProcessError>;
    /// A job was released.
    fn released(&mut self, player: u32, job: Job);
    /// A player works at a job from now on.
    fn begins(&mut self, player: u32, job: Job);
    /// A player's job is done.
    fn completed(&mut self, player: u32, job: Job);
    /// A player's job was given up: what it computes, if it does, is of no use any more.
    fn aborted(&mut self, player: u32);
    /// A player's job, of whose end only the program knows, was given up by its scheduler. It goes on
    /// without a deadline; `missed` if it had one.
    fn goes_on(&mut self, player: u32, job: Job, missed: bool);
    /// A program cannot go on.
    fn program_failed(&mut self, player: u32, mishap: ProgramError);
}

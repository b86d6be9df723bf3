//! How steps refer to other things.

use core::fmt::Debug;

/// How steps refer to locks, timers and threads.
///
/// ```
/// use windfall_programs::{Names, Phase, Step, Work};
/// use windfall_time::Span;
///
/// let run = Step::Run(Work::Fixed(Span::from_millis(1)));
/// let [lock, unlock] = [Step::Lock("disk".to_owned()), Step::Unlock("disk".to_owned())];
/// let phase: Phase<Names> = Phase::new("read", vec![lock, run, unlock]);
/// assert_eq!(phase.steps[0].shared().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["disk"]);
/// ```
pub trait Naming: Clone + PartialEq + Eq + Debug {
    /// A lock, a condition or a barrier.
    type Shared: Clone + PartialEq + Eq + Debug;
    /// A timer of the thread.
    type Timer: Clone + PartialEq + Eq + Debug;
    /// Another thread.
    type Thread: Clone + PartialEq + Eq + Debug;
    /// A station of the machine.
    type Station: Clone + PartialEq + Eq + Debug;
}

/// Everything has a name: files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Names {}

impl Naming for Names {
    type Shared = String;
    type Timer = String;
    type Thread = String;
    type Station = String;
}

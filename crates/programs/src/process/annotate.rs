//! Reports of a process to observers. No decision depends on them.

use windfall_time::{Instant, Span};

/// An entry of a process about itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Annotation {
    /// A figure of its results, from now on: a count.
    Count(&'static str, u64),
    /// A figure of its results, from now on: a time.
    Time(&'static str, Span),
    /// A line for the trace.
    Mark(String),
    /// It begins something, within what it has begun before; for the trace.
    Begins(String),
    /// Its latest activity ends.
    Ends,
}

/// Reports of a process about itself: its jobs, figures, marks and activities.
///
/// ```
/// use windfall_programs::{Annotation, Code, Process, ProcessError};
/// use windfall_time::{Instant, Span};
///
/// /// A job in each of ten periods; how many there were stands among the results.
/// #[derive(Clone)]
/// struct Frames;
///
/// impl Code for Frames {
///     const NAME: &'static str = "frames";
///
///     async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
///         let period = Span::from_millis(10);
///         let mut release = Instant::ZERO;
///         for frame in 1..=10 {
///             me.job_at(release, release + period).await;
///             me.annotate(Annotation::Begins(format!("frame {frame}"))).await;
///             me.compute(Span::from_millis(2)).await;
///             me.annotate(Annotation::Ends).await;
///             me.job_done().await;
///             me.annotate(Annotation::Count("frames", frame)).await;
///             release = release + period;
///         }
///         Ok(())
///     }
/// }
/// ```
pub trait Annotate: Send {
    /// Waits until `release`, as [`sleep_until`](super::Process::sleep_until) does, and begins a job that is due at `deadline`, of which its scheduler and its results know. A job before it is done by that. It ends with
    /// [`job_done`](Self::job_done), or when the process exits.
    fn job_at(&mut self, release: Instant, deadline: Instant) -> impl Future<Output = ()> + Send;

    /// Its job is done. Without a job, nothing happens.
    fn job_done(&mut self) -> impl Future<Output = ()> + Send;

    /// Reports something about itself: figures go into its results, the rest into the trace. On plain threads there are neither, and nothing is kept.
    fn annotate(&mut self, what: Annotation) -> impl Future<Output = ()> + Send;
}

//! The code of a process: an async function over [`Process`].

use super::{Process, ProcessError};

/// A kind of process (in Chrysalis, the content of a template): its code, and in its fields the parameters of an instance.
///
/// ```
/// use windfall_programs::{Code, Process, Queue, ProcessError};
///
/// #[derive(Clone)]
/// struct Sink {
///     queue: Queue,
/// }
///
/// impl Code for Sink {
///     const NAME: &'static str = "sink";
///
///     async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
///         let event = me.make_event().await?;
///         loop {
///             let _message = me.take(self.queue, event).await?;
///         }
///     }
/// }
/// ```
pub trait Code: Clone + Send + Sync + 'static {
    /// The name of its processes.
    const NAME: &'static str;
    /// Size of code and initialised data in KiB, which determines the cost of loading on a simulated machine.
    const KIB: u64 = 0;

    /// The life of one process. The process exits when this returns; the host reports an error as a failure of the
    /// process.
    fn run(self, me: impl Process) -> impl Future<Output = Result<(), ProcessError>> + Send;
}

//! The verb `ctl`: what may be asked of a run.

mod parameter;

pub(crate) use parameter::ParameterVerb;

use crate::candidates;
use clap::{Args, Subcommand};
use clap_complete::ArgValueCandidates as Candidates;
use std::path::PathBuf;
use windfall_time::Span;

/// Arguments of `ctl`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  windfall ctl list
  windfall ctl create late --scheduler round-robin --parent shared share=1
  windfall ctl reserve audio 'RESBH 3ms 10ms' --at res
  windfall ctl unreserve audio
  windfall ctl move editors fair share=3 --query
  windfall ctl submit video 2ms --by 10ms
  windfall ctl transaction requests.toml

Exit status: 0 done; 1 refused, and nothing has changed; 2 there is no run to control.")]
pub(crate) struct CtlArgs {
    /// The run's socket, if it was started with `--socket`.
    #[arg(long, value_name = "PATH", global = true)]
    pub(crate) socket: Option<PathBuf>,
    /// Print JSON instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Carry the request out even if it breaks a promise that was granted to others.
    #[arg(long, global = true)]
    pub(crate) force: bool,
    /// Print what the answer would be, and which promises to others would break; change nothing.
    #[arg(long, global = true)]
    pub(crate) query: bool,
    /// The verb.
    #[command(subcommand)]
    pub(crate) verb: CtlVerb,
}

/// A request to a run.
#[derive(Subcommand, Debug)]
pub(crate) enum CtlVerb {
    /// Print the tree: every scheduler and thread, what it was promised and what it received.
    List,
    /// Create a scheduler.
    Create {
        /// Its name.
        name: String,
        /// Its kind; `windfall catalogue` lists them.
        #[arg(long, value_name = "KIND", add = Candidates::new(candidates::schedulers))]
        scheduler: String,
        /// The scheduler above it, or `top`; several times for a join.
        #[arg(long, value_name = "NAME", required = true, add = Candidates::new(candidates::run_schedulers))]
        parent: Vec<String>,
        /// Keys as in a scenario: settings of its kind, and what it asks of its parent.
        #[arg(value_name = "KEY=VALUE")]
        settings: Vec<String>,
    },
    /// Destroy a scheduler; its children move to the default.
    Destroy {
        /// The scheduler.
        #[arg(add = Candidates::new(candidates::run_schedulers))]
        scheduler: String,
    },
    /// Ask a scheduler that admits jobs whether it could do so much by then; change nothing.
    Query {
        /// The scheduler.
        #[arg(add = Candidates::new(candidates::run_schedulers))]
        scheduler: String,
        /// How much processor time [units: ns, us, ms, s].
        work: Span,
        /// By when, from now.
        #[arg(long, value_name = "SPAN")]
        by: Span,
        /// Another task, as `3ms/20ms` for 3 ms by 20 ms from now; several times for more. The answer is about all of them together.
        #[arg(long, value_name = "WORK/BY")]
        and: Vec<String>,
    },
    /// Submit a task of a thread to its scheduler, which admits it, or says what it could do instead.
    Submit {
        /// The thread.
        #[arg(add = Candidates::new(candidates::run_threads))]
        thread: String,
        /// How much processor time, at most [units: ns, us, ms, s].
        work: Span,
        /// By when, from now.
        #[arg(long, value_name = "SPAN")]
        by: Span,
    },
    /// Withdraw a task of a thread; what is left of its time is free.
    Withdraw {
        /// The thread.
        #[arg(add = Candidates::new(candidates::run_threads))]
        thread: String,
        /// The task, by the number that `submit` printed.
        task: u32,
    },
    /// Begin or change a reservation.
    Reserve {
        /// A thread or a scheduler.
        #[arg(add = Candidates::new(candidates::run_nodes))]
        name: String,
        /// A guarantee, as `RESBH 3ms 10ms`, or an amount in a period, as `3ms/10ms`.
        guarantee: String,
        /// Move the thread to this scheduler first.
        #[arg(long, value_name = "SCHEDULER", add = Candidates::new(candidates::run_schedulers))]
        at: Option<String>,
    },
    /// End a thread's reservation and move it back to its former scheduler.
    Unreserve {
        /// The thread.
        #[arg(add = Candidates::new(candidates::run_threads))]
        thread: String,
    },
    /// Set a parameter of a thread or a scheduler.
    #[command(flatten)]
    Set(ParameterVerb),
    /// Move a thread, or a scheduler with everything below it, to another scheduler.
    Move {
        /// A thread or a scheduler.
        #[arg(add = Candidates::new(candidates::run_nodes))]
        name: String,
        /// The new parent; for a scheduler also `top`.
        #[arg(value_name = "PARENT", add = Candidates::new(candidates::run_schedulers))]
        to: String,
        /// Requirements at the new parent, as `share=3`; `processor=1` names another than a scheduler's first virtual
        /// processor.
        #[arg(value_name = "KEY=VALUE")]
        requirements: Vec<String>,
    },
    /// Give a scheduler one more parent.
    AddParent {
        /// The scheduler.
        #[arg(add = Candidates::new(candidates::run_schedulers))]
        scheduler: String,
        /// The parent, or `top`.
        #[arg(value_name = "PARENT", add = Candidates::new(candidates::run_schedulers))]
        to: String,
        /// Requirements at the parent, as `share=3`.
        #[arg(value_name = "KEY=VALUE")]
        requirements: Vec<String>,
    },
    /// Take one of several parents away from a scheduler.
    RemoveParent {
        /// The scheduler.
        #[arg(add = Candidates::new(candidates::run_schedulers))]
        scheduler: String,
        /// Which of its virtual processors loses its parent, from 0.
        #[arg(default_value_t = 0)]
        processor: u16,
    },
    /// Carry out several requests, all or none.
    Transaction {
        /// A file with requests as in a scenario, `[[at]]` without `time`; `-` is standard input.
        file: PathBuf,
    },
    /// Make a scheduler the default, and move the threads of the former default to it.
    Default {
        /// The scheduler.
        #[arg(add = Candidates::new(candidates::run_schedulers))]
        scheduler: String,
    },
    /// Set a scheduler's quantum.
    Quantum {
        /// The scheduler.
        #[arg(add = Candidates::new(candidates::run_schedulers))]
        scheduler: String,
        /// How long one child keeps the processor [units: ns, us, ms, s].
        quantum: Span,
    },
    /// Move idle time from a scheduler that admits jobs to another below it, which may then promise it.
    Transfer {
        /// From which scheduler.
        #[arg(add = Candidates::new(candidates::run_schedulers))]
        from: String,
        /// To which, below the former or below a join of it.
        #[arg(add = Candidates::new(candidates::run_schedulers))]
        to: String,
        /// How much processor time [units: ns, us, ms, s].
        work: Span,
    },
    /// Put a number into a queue that processes of the run know by a name, as an obstacle into a robot's `obstacles`.
    Enqueue {
        /// The name of the queue.
        queue: String,
        /// The number.
        datum: u64,
    },
    /// Set the resolution of timers.
    Timer {
        /// `1024Hz`, or `precise`.
        timer: String,
    },
    /// End the run.
    Stop,
}

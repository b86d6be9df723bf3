//! A pool whose workers are processes below a scheduler that admits tasks: the same code on a simulated machine and on supervised threads (PORTS 2.2; decision 0035).
//!
//! Any process of the host submits. The scheduler above the workers answers at once; it orders what it admitted by deadline, and interrupts at its bound what exceeds that. Several
//! workers let a task that is due earlier begin in the middle of another.
//!
//! It takes no [`Affinity`](crate::Affinity): its workers lie below one scheduler, which is served by one processor at a time, chosen by the hierarchy above. Where state lies is that one's
//! concern (`affinity` and `cache` of a machine, decision 0021). A process with two pools asks the nearer one first.
//!
//! ```
//! use windfall_ports::hosted::{Finished, Pool};
//! use windfall_programs::{Node, Process, ProcessError};
//! use windfall_time::Span;
//!
//! async fn serve(mut me: impl Process, workers: Node) -> Result<(), ProcessError> {
//!     let pool = Pool::start(&mut me, workers, 2).await?;
//!     let answered = me.make_event().await?;
//!     let deadline = me.now().await + Span::from_millis(20);
//!     let submitted = pool.try_submit(&mut me, Span::from_millis(3), deadline, |mut at| async move {
//!         for _ in 0..2 {
//!             at.compute(Span::from_millis(1)).await;
//!             at.checkpoint().await?;
//!         }
//!         Ok("answer")
//!     });
//!     match submitted.await {
//!         Ok(handle) => match handle.wait(&mut me, answered).await? {
//!             Finished::Done(answer, completion) => assert_eq!(answer.len(), 6, "{completion:?}"),
//!             Finished::Exceeded(_) | Finished::Cancelled | Finished::Panicked => {}
//!             _ => {}
//!         },
//!         Err(refused) => drop(refused), // says what is idle before that deadline, and the earliest deadline
//!     }
//!     Ok(())
//! }
//! ```

mod error;
mod task;
mod worker;
mod workers;

pub use crate::pool::{Finished, StoppedError};
pub use error::SubmitError;
pub use task::{Checkpoints, Completion, Handle};
pub use workers::Counts;

use std::sync::Arc;
use windfall_programs::{
    IdleTime, Node, Process, ProcessError, ProcessParams, TaskError, Template,
};
use windfall_time::{Instant, Span};
use worker::Worker;
use workers::Workers;

/// Worker processes, and what they are given. A clone is the same pool.
#[derive(Clone, Debug)]
pub struct Pool {
    workers: Arc<Workers>,
}

impl Pool {
    /// Starts so many workers on a node, whose new processes begin below a scheduler that admits tasks (`ports`), and waits until they are ready. They live as long as the run. A pool has
    /// at most as many tasks at a time as it has workers.
    ///
    /// # Errors
    /// [`ProcessError::NoWorkers`] for a pool of none; when the node does not admit them all, and on a host without schedulers. Then nothing is left of it: workers that had started have ended.
    pub async fn start(
        me: &mut impl Process,
        node: Node,
        workers: u32,
    ) -> Result<Pool, ProcessError> {
        if workers == 0 {
            return Err(ProcessError::NoWorkers);
        }
        let all = Arc::new(Workers::new(workers));
        let template = me.make_template::<Worker>(node).await?;
        let started = Pool::start_workers(me, template, node, &all).await;
        me.delete(template).await?;
        started.map(|()| Pool { workers: all })
    }

    /// Starts all workers, or none.
    async fn start_workers(
        me: &mut impl Process,
        template: Template<Worker>,
        node: Node,
        all: &Arc<Workers>,
    ) -> Result<(), ProcessError> {
        let worker = Worker { workers: all.clone(), ready: me.make_event().await? };
        let mut made = 0;
        let started = loop {
            if made == all.count() {
                break all.wait_until_ready(me, worker.ready).await;
            }
            let one = me.make_process(template, node, ProcessParams::default(), worker.clone());
            match one.await {
                Ok(_) => made += 1,
                Err(error) => break Err(error),
            }
        };
        if started.is_err() {
            all.end(me, made, worker.ready).await?;
        }
        me.delete(worker.ready).await?;
        started
    }

    /// Submits work to the scheduler above the workers, for one that is free. The answer comes at once; it waits for nothing but the costs of its calls.
    ///
    /// The closure computes by its [`Checkpoints`], and awaits nothing else: it would never be woken, and counts as one that panicked. A submission that is dropped before it has its answer
    /// may have been admitted: its closure does not run, and the scheduler has the time again when the worker finds that out.
    ///
    /// # Errors
    /// When no worker is free, or the scheduler cannot promise that. The closure has not run.
    pub async fn try_submit<T, F>(
        &self,
        me: &mut impl Process,
        work: Span,
        deadline: Instant,
        code: impl FnOnce(Checkpoints) -> F + Send + 'static,
    ) -> Result<Handle<T>, SubmitError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, StoppedError>> + Send + 'static,
    {
        let (job, ending) = task::new(code);
        let taken = self.workers.take((job, deadline))?;
        let (worker, event) = taken.worker;
        match me.submit_for(worker, (work, deadline), event).await {
            Ok(task) => {
                taken.admitted();
                Ok(Handle::new((worker, task), ending))
            }
            Err(error) => Err(taken.refused(error)),
        }
    }

    /// The most work that the scheduler above the workers would admit with this deadline, and the earliest deadline for this work; whether a worker is free is another question. Changes nothing.
    ///
    /// # Errors
    /// As for a query of a process of its own.
    pub async fn idle_time(
        &self,
        me: &mut impl Process,
        work: Span,
        deadline: Instant,
    ) -> Result<IdleTime, TaskError> {
        let worker = self.workers.one().ok_or(TaskError::NotHere)?;
        me.idle_time_for(worker, (work, deadline)).await
    }

    /// How often what happened.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.workers.counts()
    }
}

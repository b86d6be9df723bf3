//! Whether processors answer: a thread for each goes there and says so, all at once.
//!
//! One that does not get there in time is left behind, and its processor is named.

use crate::CheckError;
use crate::patience::Patience;
use crate::report::Absent;
use std::sync::mpsc::channel;
use std::thread::Builder;
use windfall_os::sched::Affinity;
use windfall_time::Span;

/// A thread on its way to its processor may take this, and a batch at least this.
pub(crate) const LEAST: Span = Span::from_secs(10);

/// A check that each of these processors answers.
pub(crate) struct AnswerCheck<'a> {
    pub(crate) processors: &'a [u16],
    /// Those of them whose threads get nowhere: a planted fault.
    pub(crate) silent: &'a [u16],
    /// Whether threads go to the processors of these numbers.
    pub(crate) is_kept: bool,
    /// So long an answer may take.
    pub(crate) within: Span,
}

impl AnswerCheck<'_> {
    /// Those that do not answer, in the order in which they are listed.
    ///
    /// # Errors
    /// When no thread can be started for one: that says nothing of the processor.
    pub(crate) fn absent(&self) -> Result<Vec<Absent>, CheckError> {
        let (sender, receiver) = channel();
        for (place, processor) in self.processors.iter().enumerate() {
            let (sender, processor, is_kept) = (sender.clone(), *processor, self.is_kept);
            let is_silent = self.silent.contains(&processor);
            let body = move || {
                if is_silent {
                    loop {
                        std::thread::park();
                    }
                }
                let kept = if is_kept { Affinity::one(processor).give(0) } else { Ok(()) };
                // Nobody waits for one that comes too late.
                let _ = sender.send((place, kept.map_err(|why| refused(&why))));
            };
            let spawned = Builder::new().spawn(body);
            spawned.map_err(|why| CheckError::NoThread { processor, why: why.to_string() })?;
        }
        let mut said: Vec<Option<Result<(), String>>> = vec![None; self.processors.len()];
        let mut patience = Patience::new(self.within);
        while said.contains(&None) {
            let Some((place, kept)) = patience.receive(&receiver) else { break };
            said[place] = Some(kept);
        }
        let late = || {
            Err(format!("it does not answer: a thread did not get there within {}", self.within))
        };
        let absent = |(processor, said): (&u16, Option<Result<(), String>>)| {
            let why = said.unwrap_or_else(late).err()?;
            Some(Absent { processor: *processor, why })
        };
        Ok(self.processors.iter().zip(said).filter_map(absent).collect())
    }
}

/// The reason, in words, why a thread cannot be kept on a processor.
pub(crate) fn refused(why: &std::io::Error) -> String {
    format!(
        "no thread can be kept on it ({why}): it is offline, or not among those that this process may use"
    )
}

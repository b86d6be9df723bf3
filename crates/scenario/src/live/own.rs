//! Requests of threads for themselves in the current state: guarantees, which are planned as requests of a file are, and
//! what all others change.

use super::{Live, LiveNode, LiveRequest, LiveThread, is_one_of};
use crate::diagnostic::Diagnostics;
use crate::model::{Requirements, Whom, parameter_of};
use windfall_guarantees::Guarantee;
use windfall_programs::OwnRequest;
use windfall_schedulers::parameters::RESERVE;
use windfall_time::Instant;

impl Live {
    /// Plans a guarantee that a thread requests for itself, at the scheduler `to`, or at the one above it.
    ///
    /// # Errors
    /// Every mistake in it.
    pub fn guarantee(
        &self,
        (nodes, threads): (&[LiveNode], &[LiveThread]),
        thread: &str,
        guarantee: Guarantee,
        to: Option<&str>,
    ) -> Result<LiveRequest, Diagnostics> {
        let mut entry = toml::Table::new();
        let mut set = |key: &str, value: &str| entry.insert(key.to_owned(), value.into());
        set("time", "0s");
        set("do", if to.is_some() { "move" } else { "guarantee" });
        set("thread", thread);
        set("guarantee", &guarantee.to_string());
        if let Some(to) = to {
            set("to", to);
        }
        self.plan(nodes, threads, &format!("[[at]]\n{entry}"))
    }

    /// Whether requests of the file are due that have not been recorded by [`passes`](Self::passes).
    #[must_use]
    pub fn is_behind(&self, now: Instant) -> bool {
        self.file.requests.get(self.passed).is_some_and(|request| request.time <= now)
    }

    /// Records a request that a thread has made for itself, and that has been carried out; `parent` is the scheduler above it
    /// now. Guarantees are recorded by [`carried_out`](Self::carried_out). `home`: it has returned to what the file says of it.
    pub fn record_own(&mut self, thread: &LiveThread, request: &OwnRequest, home: bool) {
        if home {
            return self.forget(&thread.name);
        }
        let entry = self.file.threads.iter().find(|entry| is_one_of(&thread.name, entry));
        let mut requires = self.requirements(thread, entry);
        match *request {
            OwnRequest::Unreserve => {
                requires.set(&RESERVE, None);
                requires.guarantee = None;
            }
            OwnRequest::Move(_) => requires = Requirements::default(),
            _ => {
                if let Some((parameter, value)) = parameter_of(request) {
                    requires.set(parameter, Some(value));
                }
            }
        }
        self.requested.insert(Whom::Thread(thread.name.clone()), (requires, thread.parent.clone()));
    }
}

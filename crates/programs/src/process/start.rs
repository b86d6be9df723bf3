//! A process that can begin: its code with its parameters, and where it runs.

use super::hosted::{HostedProcess, Life, NotAdmitted, Polled};
use super::{Code, Node, ProcessError, ProcessHandle};
use crate::action::Body;
use crate::program::Program;
use crate::redundancy::Redundancy;
use core::fmt;
use std::sync::Arc;

/// The code of a process with its parameters, and the node on which it runs.
#[derive(Clone)]
pub struct Start {
    name: &'static str,
    node: Node,
    life: Arc<dyn Fn(HostedProcess) -> Life + Send + Sync>,
    controls: Option<Arc<str>>,
    pub(crate) redundancy: Option<Redundancy>,
}

impl Program {
    /// A process on a node; its thread belongs below that node's scheduler.
    #[must_use]
    pub fn process<C: Code>(node: Node, code: C) -> Program {
        Program::Process(Start::new(node, code))
    }

    /// The same program; if it is a process, it may have threads changed that are directly below schedulers of a [family](crate::is_of_family). The owner of a run gives
    /// this right; processes that others make have none.
    #[must_use]
    pub fn controlling(self, family: &str) -> Program {
        match self {
            Program::Process(start) => {
                Program::Process(Start { controls: Some(family.into()), ..start })
            }
            other => other,
        }
    }
}

impl Start {
    pub(super) fn new<C: Code>(node: Node, code: C) -> Start {
        let life = Arc::new(move |process| -> Life { Box::pin(code.clone().run(process)) });
        Start { name: C::NAME, node, life, controls: None, redundancy: None }
    }

    /// The family of schedulers that it controls.
    #[must_use]
    pub const fn controls(&self) -> Option<&Arc<str>> {
        self.controls.as_ref()
    }

    /// The kind of process.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The node on which it runs.
    #[must_use]
    pub const fn node(&self) -> Node {
        self.node
    }

    /// The body of the process with this handle. On an error, a body that fails with it.
    pub(crate) fn body(&self, me: Result<ProcessHandle, ProcessError>) -> Box<dyn Body> {
        match me {
            Ok(me) => Box::new(Polled::new(me, &*self.life)),
            Err(refusal) => Box::new(NotAdmitted(refusal)),
        }
    }
}

/// Whether both are the same value; code is not compared.
impl PartialEq for Start {
    fn eq(&self, other: &Start) -> bool {
        Arc::ptr_eq(&self.life, &other.life)
            && (self.node, &self.controls) == (other.node, &other.controls)
            && self.redundancy == other.redundancy
    }
}

impl Eq for Start {}

impl fmt::Debug for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on {}", self.name, self.node)
    }
}

//! Jobs that are submitted before they begin, and what schedulers that admit them hold (PORTS 2.2, decision 0029).

use crate::host::Host;
use crate::machine::Machine;
use windfall_hierarchy::{
    AnswerError, HierarchyError, Message, Parent, TemporalAnswer, TemporalQuery,
};
use windfall_programs::Job;
use windfall_scenario::outcome::Promise;
use windfall_scenario::{Guarantee, supply};
use windfall_time::{Instant, Span};

/// What a scheduler that admits jobs answers about some work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Idle {
    /// The most work that would be admitted with the deadline.
    pub idle: Span,
    /// The earliest deadline with which the work would be admitted.
    pub earliest: Option<Instant>,
}

impl<M: Machine> Host<M> {
    /// The idle time that the scheduler of a name has before a deadline, and the earliest deadline for this work. Changes nothing. `None` if there is no such
    /// scheduler, or it admits no jobs.
    pub fn temporal_query(&mut self, name: &str, work: Span, deadline: Instant) -> Option<Idle> {
        let node = self.hierarchy.find_node(name)?;
        let now = self.machine.now();
        let mut ask = |query| self.hierarchy.temporal_query(now, node, query).ok().flatten();
        let idle = ask(TemporalQuery::IdleBefore(deadline))?;
        let earliest = ask(TemporalQuery::EarliestDeadline(work))?;
        match (idle, earliest) {
            (TemporalAnswer::Idle(idle), TemporalAnswer::Earliest(earliest)) => {
                Some(Idle { idle, earliest })
            }
            _ => None,
        }
    }

    /// Submits a job of a thread to its scheduler. Returns whether that admits it; if not, it is counted as refused.
    pub(crate) fn submit(&mut self, number: u32, job: Job) -> bool {
        let thread = &self.threads.list[number as usize];
        let work = self.programs.most_work(number);
        let (Some(id), Some(task), Some(work), Some(deadline)) =
            (thread.id, job.task, work, job.deadline)
        else {
            return false; // such a job is refused when the scenario is checked
        };
        self.hear_before(number);
        let message = Message::Submit { task, work, deadline };
        let answer = self.send(|hierarchy, now| Ok(hierarchy.send(now, id, message)));
        let outcome = &mut self.threads.list[number as usize].outcome;
        outcome.submitted += 1;
        match answer {
            Some(Ok(())) => return true,
            Some(Err(HierarchyError::Refused(AnswerError::NoTime { .. }))) => {
                outcome.refusals.no_time += 1;
            }
            Some(Err(HierarchyError::Refused(AnswerError::Full { .. }))) => {
                outcome.refusals.full += 1;
            }
            Some(Err(other)) => {
                outcome.refusals.other += 1;
                let why = format!("`{}` submits a job: refused: {other}", outcome.name);
                if !self.log.refused.iter().any(|(_, known)| *known == why) {
                    self.log.refused.push((self.machine.now(), why));
                }
            }
            None => outcome.refusals.other += 1,
        }
        false
    }

    /// Tells a thread's scheduler that a task has ended. One that was lost, or went beyond its bound, is not known any longer.
    pub(crate) fn end_task(&mut self, number: u32, task: u32) {
        let Some(id) = self.threads.list[number as usize].id else { return };
        self.hear_before(number);
        let _ = self.send(|hierarchy, now| Ok(hierarchy.send(now, id, Message::Finish(task))));
    }

    /// Tells each scheduler that admits tasks what it holds now.
    pub(crate) fn supplies_change(&mut self, promises: &[Promise]) {
        let now = self.machine.now();
        for id in self.hierarchy.nodes() {
            let query = TemporalQuery::IdleBefore(now);
            if !matches!(self.hierarchy.temporal_query(now, id, query), Ok(Some(_))) {
                continue;
            }
            let Some(node) = self.hierarchy.node(id) else { continue };
            let at_top = node.owns.first().is_some_and(|(parent, _)| *parent == Some(Parent::Top));
            let its = |promise: &&Promise| promise.granted && promise.owner == node.name;
            let held = promises.iter().find(its).map(|its| its.guarantee);
            let message =
                supply(&held.unwrap_or(if at_top { Guarantee::All } else { Guarantee::Null }));
            self.send(|hierarchy, now| hierarchy.configure(now, id, message));
        }
    }
}

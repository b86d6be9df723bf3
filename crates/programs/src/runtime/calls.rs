//! Calls of processes: their cost is spent first, then they are carried out, then whoever they wake is woken.
//!
//! Invariant: a process whose call waits asks the same call again, without its cost, when it is woken, unless it was
//! answered by that.

use super::{Condition, ProgramRuntime, RunningProgram, RuntimeHost, Wakeup};
use crate::action::Action;
use crate::process::{
    Answer, Call, CallOutcome, NewProcess, Node, ProcessError, ProcessHandle, Reply,
};
use crate::program::Program;
use windfall_time::{Instant, Span};

impl ProgramRuntime {
    /// What a call costs that has not been paid for; it is then to be asked again.
    pub(super) fn price(&mut self, number: u32, action: &Action) -> Span {
        let ProgramRuntime { list, system, .. } = self;
        let Some(RunningProgram { process: Some(me), paid, .. }) = list.get_mut(number as usize)
        else {
            return Span::ZERO;
        };
        match action {
            Action::Call(call) if !*paid => {
                *paid = true;
                system.cost(*me, call)
            }
            _ => Span::ZERO,
        }
    }

    /// Carries a call out.
    pub(super) fn call<S: RuntimeHost>(stage: &mut S, number: u32, call: Call) {
        let Some(me) = stage.programs().at(number).process else { return };
        let now = stage.now();
        match stage.programs().system.call(me, &call, now) {
            CallOutcome::Waits => {
                stage.programs().at(number).resumed = Some(Action::Call(call));
                ProgramRuntime::block(stage, number, Condition::InCall);
            }
            CallOutcome::Done(answer) => {
                let answer = match call {
                    Call::MakeProcess(new) => ProgramRuntime::make(stage, *new),
                    _ => answer,
                };
                let player = stage.programs().at(number);
                player.paid = false;
                player.body.answer(answer);
            }
        }
        ProgramRuntime::rouse(stage);
    }

    /// Makes a process, if its template, node and terms are such and the stage will have it.
    fn make<S: RuntimeHost>(stage: &mut S, new: NewProcess) -> Answer {
        let NewProcess { template, terms, start } = new;
        let node = start.node();
        stage.programs().system.check_process((template, start.name()), node, terms)?;
        let number = stage.spawn(node, terms, &Program::Process(start))?;
        let process = stage.programs().at(number).process;
        process.map(Reply::made).ok_or(ProcessError::NotAdmitted { node })
    }

    /// Wakes whoever calls and posts have woken, and has the stage call back for what is to come.
    fn rouse<S: RuntimeHost>(stage: &mut S) {
        while let Some(woken) = stage.programs().system.woken.pop_front() {
            let player = stage.programs().at(woken.player);
            if woken.done {
                (player.resumed, player.paid) = (None, false);
                player.body.answer(Ok(Reply::DONE));
            }
            ProgramRuntime::wake(stage, woken.player, woken.by);
        }
        let ProgramRuntime { system, scheduled: cued, .. } = stage.programs();
        let due = [system.agenda.next_timer(), system.agenda.next_post()];
        let before = std::mem::replace(cued, due);
        for ((cue, at), before) in [Wakeup::Timer, Wakeup::Post].into_iter().zip(due).zip(before) {
            if let Some(at) = at.filter(|_| at != before) {
                let now = stage.now();
                stage.schedule_wakeup(0, cue, at.max(now));
            }
        }
    }

    /// The nodes whose processes' timers are due.
    pub fn due_nodes(&self, now: Instant) -> impl Iterator<Item = Node> + '_ {
        self.system.agenda.due_nodes(now)
    }

    /// Timers of processes are due.
    pub fn timers_due<S: RuntimeHost>(stage: &mut S) {
        let now = stage.now();
        let players = stage.programs();
        players.scheduled[0] = None;
        players.system.timers_due(now);
        ProgramRuntime::rouse(stage);
    }

    /// Posts from one node have arrived at another.
    pub fn posts_due<S: RuntimeHost>(stage: &mut S) {
        let now = stage.now();
        let players = stage.programs();
        players.scheduled[1] = None;
        players.system.deliver_due(now);
        ProgramRuntime::rouse(stage);
    }

    /// The handle of a player that is a process.
    #[must_use]
    pub fn process(&self, number: u32) -> Option<ProcessHandle> {
        self.list.get(number as usize)?.process
    }
}

//! A place in the tree: a scheduler, and what the infrastructure keeps about that instance of it.

use crate::children::Children;
use crate::id::{ChildVp, NodeId, OwnVp};
use crate::index::{Table, VpIndex};
use crate::scheduler::Scheduler;
use crate::timers::TimerRange;
use alloc::boxed::Box;
use alloc::string::String;

/// A scheduler and its instance, side by side, so that both can be borrowed at once.
pub(crate) struct Node {
    pub(crate) scheduler: Box<dyn Scheduler>,
    pub(crate) instance: Instance,
}

/// One of an instance's own virtual processors.
#[derive(Clone, Copy)]
pub(crate) struct OwnSlot {
    pub(crate) vp: VpIndex,
    /// The child that holds its processor.
    pub(crate) held_by: Option<ChildVp>,
}

/// A scheduler instance, less its scheduler.
pub(crate) struct Instance {
    pub(crate) id: NodeId,
    pub(crate) alive: bool,
    pub(crate) quarantined: bool,
    /// Own VPs that run without a child, and ones that do not run while a child holds them.
    /// Zero whenever the scheduler returns: that is S1 and S3.
    pub(crate) debt: u32,
    /// Effects asked for in the present call.
    pub(crate) effects: u32,
    /// Calls since the host's present call began, and which that is.
    pub(crate) calls: u32,
    pub(crate) epoch: u64,
    pub(crate) owns: Table<OwnVp, OwnSlot>,
    pub(crate) children: Children,
    pub(crate) timers: TimerRange,
    /// Levels between here and the top; a root has 1.
    pub(crate) depth: usize,
    pub(crate) name: String,
    pub(crate) kind: &'static str,
}

/// No instance has a lower limit of effects.
const EFFECTS: u32 = 8;
/// No instance has a lower limit of calls.
const CALLS: u32 = 256;

impl Instance {
    /// How many effects one call may ask for: each own VP may lose a child, gain one, be
    /// requested and be released, twice, each timer set, and each child told something.
    pub(crate) fn effect_limit(&self) -> u32 {
        let told = self.children.count();
        self.own_count()
            .saturating_mul(8)
            .saturating_add(u32::from(self.timers.count()))
            .saturating_add(EFFECTS)
            .saturating_add(told)
    }

    /// How many calls one event at the host may lead to before the scheduler is thought to go
    /// round in circles.
    fn call_limit(&self) -> u32 {
        let vps = self.own_count().saturating_add(self.children.count());
        vps.saturating_mul(16).saturating_add(CALLS)
    }

    fn own_count(&self) -> u32 {
        u32::try_from(self.owns.len()).expect("own VPs are numbered by 16 bits")
    }

    /// Counts an effect; whether it is still within the limit.
    #[inline]
    pub(crate) fn count_effect(&mut self) -> bool {
        self.effects += 1;
        self.effects <= EFFECTS || self.is_within_effects()
    }

    /// Counts a call in an event of the host; whether it is still within the limit.
    #[inline]
    pub(crate) fn count_call(&mut self, epoch: u64) -> bool {
        self.effects = 0;
        if self.epoch != epoch {
            self.epoch = epoch;
            self.calls = 0;
        }
        self.calls += 1;
        self.calls <= CALLS || self.is_within_calls()
    }

    #[cold]
    fn is_within_effects(&self) -> bool {
        self.effects <= self.effect_limit()
    }

    #[cold]
    fn is_within_calls(&self) -> bool {
        self.calls <= self.call_limit()
    }

    /// Of an own VP, whether it runs or whether a child holds it has just changed: keeps the debt.
    #[inline]
    pub(crate) fn adjust_debt(&mut self, runs: bool, held: bool) {
        if runs == held {
            self.debt = self.debt.saturating_sub(1);
        } else {
            self.debt += 1;
        }
    }
}

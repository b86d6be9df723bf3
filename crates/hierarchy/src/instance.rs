//! The infrastructure's data about an instance of a scheduler.

use crate::children::Children;
use crate::id::{ChildVp, NodeId, OwnVp};
use crate::index::{Table, VpIndex};
use crate::registration::Registration;
use crate::timers::TimerRange;
use alloc::string::String;

/// One of an instance's own virtual processors.
#[derive(Clone, Copy)]
pub(crate) struct OwnSlot {
    pub(crate) vp: VpIndex,
    /// The child that holds its processor, if any.
    pub(crate) held_by: Option<ChildVp>,
}

/// A scheduler instance without its scheduler.
#[derive(Clone)]
// Fields: one row of the table of instances; each call of a scheduler finds all that it needs in one place of memory.
pub(crate) struct Instance {
    pub(crate) id: NodeId,
    pub(crate) alive: bool,
    pub(crate) quarantined: bool,
    /// Number of own VPs that run without a child or that a child holds without their running. Zero whenever the
    /// scheduler returns, by S1 and S3.
    pub(crate) debt: u32,
    /// Effects asked for in the current call of the scheduler.
    pub(crate) effects: u32,
    /// Calls of the scheduler since the host's current call began, and the number of that host's call.
    pub(crate) calls: u32,
    pub(crate) epoch: u64,
    pub(crate) owns: Table<OwnVp, OwnSlot>,
    /// By own VP: where it is registered, and with what.
    pub(crate) registrations: Table<OwnVp, Registration>,
    pub(crate) children: Children,
    pub(crate) timers: TimerRange,
    /// Number of levels from the top; a root has 1.
    pub(crate) depth: usize,
    pub(crate) name: String,
    pub(crate) kind: &'static str,
}

/// No instance has a lower limit of effects. Tested first, because it needs no computation.
const EFFECTS: u32 = 8;
/// No instance has a lower limit of calls; see [`EFFECTS`].
const CALLS: u32 = 256;

impl Instance {
    /// The most effects in one call: each own VP may lose a child, gain one, be requested and be released, twice;
    /// each timer may be set; each child may be notified.
    pub(crate) fn effect_limit(&self) -> u32 {
        let children = self.children.count();
        self.own_count()
            .saturating_mul(8)
            .saturating_add(u32::from(self.timers.count()))
            .saturating_add(EFFECTS)
            .saturating_add(children)
    }

    /// The most calls for one event of the host; beyond it the event is taken to be endless.
    fn call_limit(&self) -> u32 {
        let vps = self.own_count().saturating_add(self.children.count());
        vps.saturating_mul(16).saturating_add(CALLS)
    }

    /// Whether a quarter of these calls have come.
    pub(crate) fn goes_round(&self) -> bool {
        self.calls > self.call_limit() / 4
    }

    fn own_count(&self) -> u32 {
        u32::try_from(self.owns.len()).expect("own VPs are numbered by 16 bits")
    }

    /// Counts an effect. Returns whether it is within the limit.
    #[inline]
    pub(crate) fn count_effect(&mut self) -> bool {
        self.effects += 1;
        self.effects <= EFFECTS || self.is_within_effects()
    }

    /// Counts a call during an event of the host. Returns whether it is within the limit.
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

    /// Updates the debt after `runs` or `held` of one own VP has changed.
    #[inline]
    pub(crate) fn adjust_debt(&mut self, runs: bool, held: bool) {
        if runs == held {
            self.debt = self.debt.saturating_sub(1);
        } else {
            self.debt += 1;
        }
    }
}

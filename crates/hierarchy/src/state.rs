//! The tables of a hierarchy: virtual processors, threads, processors, and effects under way.
//!
//! Instances are kept apart, so that one of them can be borrowed together with these tables.

use crate::effect::{Down, Up};
use crate::error::SchedulerError;
use crate::id::{NodeId, OwnVp, Processor, ThreadId};
use crate::index::{LeafIndex, NodeIndex, Table, VpIndex};
use crate::instance::Instance;
use crate::journal::{Journal, JournalEntry, JournalEvent, Notification};
use crate::timers::Timers;
use crate::vp::Vp;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;
use windfall_time::{Instant, Span};

/// A thread: the bottom scheduler of HLS 4.3.5.
#[derive(Clone)]
pub(crate) struct Leaf {
    pub(crate) generation: u32,
    /// Its virtual processor; `None` after it has exited.
    pub(crate) vp: Option<VpIndex>,
}

/// A physical processor.
#[derive(Clone, Copy, Default)]
pub(crate) struct ProcessorSlot {
    /// The VP that is registered for it at the top, if any.
    pub(crate) root: Option<VpIndex>,
    /// The thread that it should run; `None` if idle.
    pub(crate) thread: Option<ThreadId>,
    /// Whether it is in the list of changed processors.
    pub(crate) changed: bool,
    /// Sum of the stolen time that the host has reported for it.
    pub(crate) stolen: Span,
    /// Sum of the time for deciding and switching that the host has reported for it.
    pub(crate) overhead: Span,
}

/// All tables but the instances.
#[derive(Clone)]
// Fields: one for each table or queue; they are borrowed one by one, so a group would be in the way.
pub(crate) struct State {
    pub(crate) now: Instant,
    /// Number of the host's current call; each part of a control request counts as a call.
    pub(crate) epoch: u64,
    pub(crate) vps: Table<VpIndex, Vp>,
    pub(crate) free_vps: Vec<VpIndex>,
    /// By virtual processor: the deadline that its child reported last, and how often a reported deadline was
    /// earlier than the previous one.
    pub(crate) reported: Table<VpIndex, Option<(Instant, u32)>>,
    /// The amount in each period that a parent has declared as the speed of the child's processor.
    pub(crate) speeds: BTreeMap<VpIndex, (Span, Span)>,
    pub(crate) leaves: Table<LeafIndex, Leaf>,
    pub(crate) free_leaves: Vec<LeafIndex>,
    pub(crate) processors: Table<Processor, ProcessorSlot>,
    pub(crate) changed: Vec<Processor>,
    /// Stack of effects that go down; the next one is last.
    pub(crate) down: Vec<Down>,
    /// Queue of effects that go up; the next one is first.
    pub(crate) up: VecDeque<Up>,
    pub(crate) timers: Timers,
    /// The first rule that the scheduler in the current call has broken.
    pub(crate) defect: Option<SchedulerError>,
    /// The errors of the schedulers to be quarantined, in the order of their entries in `down`.
    pub(crate) broken: Vec<SchedulerError>,
    /// Instances whose children are to be moved to the default scheduler.
    pub(crate) evacuate: Vec<NodeIndex>,
    pub(crate) default: Option<NodeIndex>,
    pub(crate) delivered: u64,
    pub(crate) journal: Journal,
    pub(crate) quarantined: Vec<(NodeId, String, SchedulerError)>,
}

impl State {
    pub(crate) fn new(processors: u16) -> State {
        State {
            now: Instant::ZERO,
            epoch: 0,
            vps: Table::new(),
            free_vps: Vec::new(),
            reported: Table::new(),
            speeds: BTreeMap::new(),
            leaves: Table::new(),
            free_leaves: Vec::new(),
            processors: (0..processors).map(|_| ProcessorSlot::default()).collect(),
            changed: Vec::with_capacity(usize::from(processors)),
            down: Vec::new(),
            up: VecDeque::new(),
            timers: Timers::new(),
            defect: None,
            broken: Vec::new(),
            evacuate: Vec::new(),
            default: None,
            delivered: 0,
            journal: Journal::default(),
            quarantined: Vec::new(),
        }
    }

    /// Records the deadline that a child reports to its parent.
    pub(crate) fn report_deadline(&mut self, vp: VpIndex, deadline: Instant) {
        let reported = &mut self.reported[vp];
        let (before, back) = reported.unwrap_or((Instant::ZERO, 0));
        *reported = Some((deadline, back.wrapping_add(u32::from(deadline < before))));
    }

    pub(crate) fn new_vp(&mut self, vp: Vp) -> VpIndex {
        if let Some(index) = self.free_vps.pop() {
            self.vps[index] = vp;
            self.reported[index] = None;
            self.speeds.remove(&index);
            return index;
        }
        self.reported.push(None);
        self.vps.push(vp)
    }

    pub(crate) fn thread_id(&self, index: LeafIndex) -> ThreadId {
        ThreadId { index, generation: self.leaves[index].generation }
    }

    #[inline]
    pub(crate) fn set_running(&mut self, processor: Processor, thread: Option<ThreadId>) {
        let slot = &mut self.processors[processor];
        slot.thread = thread;
        if !slot.changed {
            slot.changed = true;
            self.changed.push(processor);
        }
    }

    /// Marks that no child holds the processor of `own` any longer.
    #[inline]
    pub(crate) fn take_back(&self, instance: &mut Instance, own: OwnVp) {
        let slot = &mut instance.owns[own];
        slot.held_by = None;
        let runs = self.vps[slot.vp].below.is_running();
        instance.adjust_debt(runs, false);
    }

    /// Records a notification, if the journal includes them.
    #[inline]
    pub(crate) fn notified(
        &mut self,
        instance: &Instance,
        what: Notification,
        about: Option<VpIndex>,
    ) {
        if self.journal.notifications {
            let about = about.and_then(|vp| self.vps[vp].target());
            self.record(instance, JournalEvent::Notified { what, about });
        }
    }

    /// Records an event at an instance, if the journal is on.
    #[cold]
    pub(crate) fn record(&mut self, instance: &Instance, what: JournalEvent) {
        self.journal.push(JournalEntry { at: self.now, node: instance.id, what });
    }
}

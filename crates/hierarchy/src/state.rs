//! The tables of a hierarchy: instances, virtual processors, threads, processors, queues.
//!
//! Everything but the schedulers themselves, so that a scheduler and the tables can be borrowed
//! side by side. Indices here are plain numbers; ids with generations live at the edge (`host.rs`).

use crate::error::SchedulerError;
use crate::heap::Heap;
use crate::id::{NodeId, Processor, Target, ThreadId};
use crate::journal::{Journal, JournalEntry, JournalEvent, Note};
use crate::message::{Message, ParentNotice};
use crate::vp::{Below, Vp, VpState};
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use windfall_time::{Instant, Span};

pub(crate) const NONE: u32 = u32::MAX;

/// A notification on its way down, in the frame of the scheduler that asked for it.
#[derive(Clone, Copy)]
pub(crate) struct Down {
    pub(crate) vp: u32,
    pub(crate) what: Downward,
}

/// What goes down.
#[derive(Clone, Copy)]
pub(crate) enum Downward {
    Grant(Processor),
    Revoke,
    Notice(ParentNotice),
}

/// A notification on its way up; they are delivered in the order in which they were sent.
#[derive(Clone, Copy)]
pub(crate) enum Up {
    Request(u32),
    Release(u32),
    Message(u32, Message),
}

/// One of an instance's own virtual processors.
#[derive(Clone, Copy)]
pub(crate) struct OwnSlot {
    pub(crate) vp: u32,
    /// The child slot that holds its processor, or [`NONE`].
    pub(crate) held_by: u32,
}

/// A scheduler instance, less its scheduler.
pub(crate) struct Node {
    pub(crate) generation: u32,
    pub(crate) alive: bool,
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) owns: Vec<OwnSlot>,
    /// Child slot to VP, or [`NONE`].
    pub(crate) children: Vec<u32>,
    pub(crate) free_children: Vec<u32>,
    pub(crate) child_count: u32,
    /// Levels between here and the top; a root has 1.
    pub(crate) depth: usize,
    /// Own VPs that run without a child, and ones that do not run while a child holds them.
    /// Zero whenever the scheduler returns: that is S1 and S3.
    pub(crate) debt: u32,
    /// Effects asked for in the present call.
    pub(crate) effects: u32,
    /// Calls since the host's present call began, and which that is.
    pub(crate) calls: u32,
    pub(crate) epoch: u64,
    /// First timer slot, and how many.
    pub(crate) timers: u32,
    pub(crate) timer_count: u32,
    pub(crate) quarantined: bool,
}

impl Node {
    /// How many effects one call may ask for: each own VP may lose a child, gain one, be
    /// requested and be released, twice, each timer set, and each child told something.
    pub(crate) fn effect_limit(&self) -> u32 {
        let owns = u32::try_from(self.owns.len()).expect("own VPs are numbered by 16 bits");
        let told = self.child_count;
        owns.saturating_mul(8)
            .saturating_add(self.timer_count)
            .saturating_add(8)
            .saturating_add(told)
    }

    /// How many calls one event at the host may lead to before the scheduler is thought to go
    /// round in circles.
    pub(crate) fn call_limit(&self) -> u32 {
        let owns = u32::try_from(self.owns.len()).expect("own VPs are numbered by 16 bits");
        owns.saturating_add(self.child_count).saturating_mul(16).saturating_add(256)
    }
}

/// A thread: the bottom scheduler of HLS 4.3.5.
pub(crate) struct Leaf {
    pub(crate) generation: u32,
    pub(crate) alive: bool,
    pub(crate) vp: u32,
}

/// A physical processor.
#[derive(Clone, Copy)]
pub(crate) struct ProcessorSlot {
    /// The VP that is registered for it at the top, or [`NONE`].
    pub(crate) root: u32,
    /// The thread that runs, or [`NONE`] for idle.
    pub(crate) thread: u32,
    /// Whether it is in the list of changed processors.
    pub(crate) changed: bool,
    /// Time stolen from it so far, as far as the host has told.
    pub(crate) stolen: Span,
    /// Time that deciding and switching have taken of it so far, as far as the host has told.
    pub(crate) overhead: Span,
}

/// A timer that was set to a time that has come.
#[derive(Clone, Copy, Default)]
pub(crate) struct Expedited {
    pub(crate) queued: bool,
    pub(crate) wanted: bool,
}

/// All tables.
pub(crate) struct State {
    pub(crate) now: Instant,
    pub(crate) nodes: Vec<Node>,
    pub(crate) vps: Vec<Vp>,
    pub(crate) free_vps: Vec<u32>,
    /// By virtual processor: the deadline that its child told last, and how often one was told that is
    /// earlier than the one before.
    pub(crate) told: Vec<Option<(Instant, u32)>>,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) free_leaves: Vec<u32>,
    pub(crate) processors: Vec<ProcessorSlot>,
    pub(crate) changed: Vec<Processor>,
    pub(crate) down: Vec<Down>,
    pub(crate) up: VecDeque<Up>,
    pub(crate) timers: Heap<Instant>,
    /// Timer slot to (node, number there).
    pub(crate) timer_owner: Vec<(u32, u16)>,
    pub(crate) free_timers: Vec<(u32, u32)>,
    /// Timers set to a time that has come already: called back before the host is.
    pub(crate) immediate: VecDeque<u32>,
    /// By timer slot: whether it stands in `immediate`, and whether it still is to be called back.
    pub(crate) hurried: Vec<Expedited>,
    /// Instances whose children wait to be moved to the default scheduler.
    pub(crate) evacuate: Vec<u32>,
    pub(crate) default: Option<u32>,
    pub(crate) defect: Option<SchedulerError>,
    pub(crate) delivered: u64,
    pub(crate) epoch: u64,
    pub(crate) journal: Journal,
    pub(crate) quarantined: Vec<(NodeId, String, SchedulerError)>,
}

impl State {
    pub(crate) fn new(processors: u16) -> State {
        let (stolen, overhead) = (Span::ZERO, Span::ZERO);
        let slot = ProcessorSlot { root: NONE, thread: NONE, changed: false, stolen, overhead };
        State {
            now: Instant::ZERO,
            nodes: Vec::new(),
            vps: Vec::new(),
            free_vps: Vec::new(),
            told: Vec::new(),
            leaves: Vec::new(),
            free_leaves: Vec::new(),
            processors: alloc::vec![slot; usize::from(processors)],
            changed: Vec::with_capacity(usize::from(processors)),
            down: Vec::new(),
            up: VecDeque::new(),
            timers: Heap::new(),
            timer_owner: Vec::new(),
            free_timers: Vec::new(),
            immediate: VecDeque::new(),
            hurried: Vec::new(),
            evacuate: Vec::new(),
            default: None,
            defect: None,
            delivered: 0,
            epoch: 0,
            journal: Journal::default(),
            quarantined: Vec::new(),
        }
    }

    /// Makes room for everything that one event can put under way, so that handling it does not
    /// allocate. Called whenever something is created.
    pub(crate) fn make_room(&mut self) {
        let vps = self.vps.len();
        let effects: usize = self.nodes.iter().map(|n| n.effect_limit() as usize).sum();
        let room = effects + vps;
        self.down.reserve(room.saturating_sub(self.down.len()));
        self.up.reserve((room + vps).saturating_sub(self.up.len()));
        self.hurried.resize(self.timer_owner.len(), Expedited::default());
        self.immediate.reserve(self.timer_owner.len().saturating_sub(self.immediate.len()));
        self.evacuate.reserve(self.nodes.len().saturating_sub(self.evacuate.len()));
        self.quarantined.reserve(self.nodes.len());
        self.timers.reserve(self.timer_owner.len());
    }

    /// A child tells its parent a deadline.
    pub(crate) fn tell_deadline(&mut self, vp: u32, deadline: Instant) {
        let told = &mut self.told[vp as usize];
        let (before, back) = told.unwrap_or((Instant::ZERO, 0));
        *told = Some((deadline, back.wrapping_add(u32::from(deadline < before))));
    }

    pub(crate) fn new_vp(&mut self, vp: Vp) -> u32 {
        if let Some(index) = self.free_vps.pop() {
            self.vps[index as usize] = vp;
            self.told[index as usize] = None;
            return index;
        }
        self.told.push(None);
        self.vps.push(vp);
        index_of(self.vps.len() - 1)
    }

    pub(crate) fn node_id(&self, index: u32) -> NodeId {
        NodeId { index, generation: self.nodes[index as usize].generation }
    }

    pub(crate) fn thread_id(&self, index: u32) -> ThreadId {
        ThreadId { index, generation: self.leaves[index as usize].generation }
    }

    /// Who stands below `vp`.
    pub(crate) fn below(&self, vp: u32) -> Option<Target> {
        match self.vps[vp as usize].child {
            Below::Nobody => None,
            Below::Thread(thread) => Some(Target::Thread(self.thread_id(thread))),
            Below::Node(node, _) => Some(Target::Node(self.node_id(node))),
        }
    }

    /// The VP in a child slot.
    pub(crate) fn child_vp(&self, node: u32, slot: u32) -> Option<u32> {
        self.nodes[node as usize].children.get(slot as usize).copied().filter(|vp| *vp != NONE)
    }

    pub(crate) fn set_running(&mut self, processor: Processor, thread: u32) {
        let slot = &mut self.processors[processor.index()];
        slot.thread = thread;
        if !slot.changed {
            slot.changed = true;
            self.changed.push(processor);
        }
    }

    /// Whether the instance holds a processor that no child has, or a child one that was revoked.
    pub(crate) fn adjust_debt(&mut self, node: u32, own: u16) {
        let OwnSlot { vp, held_by } = self.nodes[node as usize].owns[usize::from(own)];
        let running = matches!(self.vps[vp as usize].below, VpState::Running(_));
        let debt = &mut self.nodes[node as usize].debt;
        // Called after exactly one of the two has changed, so the debt moves by one.
        if running == (held_by != NONE) {
            *debt = debt.saturating_sub(1);
        } else {
            *debt += 1;
        }
    }

    pub(crate) fn note(&mut self, node: u32, child: Option<u32>, note: Note) {
        if self.journal.is_open() {
            let about =
                child.and_then(|slot| self.child_vp(node, slot)).and_then(|vp| self.below(vp));
            let what = JournalEvent::Noted { note, about };
            let entry = JournalEntry { at: self.now, node: self.node_id(node), what };
            self.journal.push(entry);
        }
    }
}

/// A table index as the 32 bits that the tables store.
///
/// # Panics
/// Past 2^32 - 1 entries, which no machine's memory holds.
pub(crate) fn index_of(at: usize) -> u32 {
    u32::try_from(at).unwrap_or_else(|_| panic!("more than 2^32 entries in a table"))
}

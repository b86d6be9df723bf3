//! The tree as a host or a report sees it.

use crate::host::Hierarchy;
use crate::id::{NodeId, OwnVp, Target, ThreadId};
use crate::vp::{Above, VpState};
use alloc::vec::Vec;
use windfall_time::{Instant, Span};

/// A scheduler instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeView<'a> {
    /// Its id.
    pub id: NodeId,
    /// Its name.
    pub name: &'a str,
    /// Its kind.
    pub kind: &'static str,
    /// Its own virtual processors: the parent of each (`None` for the top) and its state.
    pub owns: Vec<(Option<NodeId>, VpState)>,
    /// Who stands below it, in order of slot; an instance with several VPs stands there as often.
    pub children: Vec<Target>,
    /// Whether a refuge has taken over from its scheduler.
    pub quarantined: bool,
}

/// A thread's place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadView {
    /// Its id.
    pub id: ThreadId,
    /// The instance above it.
    pub parent: NodeId,
    /// The state of its virtual processor.
    pub state: VpState,
}

/// A figure that a scheduler keeps for whoever watches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// How often.
    Times(u64),
    /// How long.
    Time(Span),
    /// When.
    At(Instant),
}

impl Hierarchy {
    /// The living instance of that name.
    #[must_use]
    pub fn find_node(&self, name: &str) -> Option<NodeId> {
        let at = self.state.nodes.iter().position(|node| node.alive && node.name == name)?;
        Some(self.state.node_id(crate::state::index_of(at)))
    }

    /// All living instances, in order of index.
    #[must_use]
    pub fn nodes(&self) -> Vec<NodeId> {
        let nodes = (0_u32..).zip(&self.state.nodes);
        nodes.filter(|(_, node)| node.alive).map(|(at, _)| self.state.node_id(at)).collect()
    }

    /// One instance; `None` when it is gone.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<NodeView<'_>> {
        let index = self.node_index(id).ok()?;
        let node = &self.state.nodes[index as usize];
        let owns = node.owns.iter().map(|own| {
            let vp = &self.state.vps[own.vp as usize];
            let parent = match vp.parent {
                Above::Top(_) => None,
                Above::Node(parent, _) => Some(self.state.node_id(parent)),
            };
            (parent, vp.below)
        });
        Some(NodeView {
            id,
            name: &node.name,
            kind: node.kind,
            owns: owns.collect(),
            children: self.child_vps(index).filter_map(|vp| self.state.below(vp)).collect(),
            quarantined: node.quarantined,
        })
    }

    /// An instance's name; `None` when it is gone.
    #[must_use]
    pub fn name(&self, id: NodeId) -> Option<&str> {
        let index = self.node_index(id).ok()?;
        Some(&self.state.nodes[index as usize].name)
    }

    /// The state of one of an instance's own VPs, and how often the instance has requested through it
    /// (modulo 2^32): whoever sees another number has missed that it waited. `None` when there is no
    /// such VP.
    #[must_use]
    pub fn own_state(&self, id: NodeId, own: OwnVp) -> Option<(VpState, u32)> {
        let index = self.node_index(id).ok()?;
        let slot = self.state.nodes[index as usize].owns.get(own.index())?;
        let joint = &self.state.vps[slot.vp as usize];
        Some((joint.below, joint.requests))
    }

    /// The deadline that an instance has told the parent of one of its own VPs last, if any, and how
    /// often (modulo 2^32) it has told one that is earlier than the one before.
    #[must_use]
    pub fn own_told(&self, id: NodeId, own: OwnVp) -> Option<(Instant, u32)> {
        let index = self.node_index(id).ok()?;
        let slot = self.state.nodes[index as usize].owns.get(own.index())?;
        self.state.told.get(slot.vp as usize).copied().flatten()
    }

    /// The parents of an instance's own VPs in order; none for VPs at the top, or when it is gone.
    pub fn parents(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let owns = self.node_index(id).ok().map(|n| self.state.nodes[n as usize].owns.as_slice());
        owns.unwrap_or_default().iter().filter_map(|own| {
            match self.state.vps[own.vp as usize].parent {
                Above::Top(_) => None,
                Above::Node(parent, _) => Some(self.state.node_id(parent)),
            }
        })
    }

    /// The instances through which a processor came to its thread, from the thread upwards; none
    /// when it idles.
    pub fn path(&self, processor: crate::Processor) -> impl Iterator<Item = NodeId> + '_ {
        let thread = self.state.processors.get(processor.index()).map(|slot| slot.thread);
        let leaf = thread.and_then(|thread| self.state.leaves.get(thread as usize));
        let mut vp = leaf.map(|leaf| leaf.vp);
        core::iter::from_fn(move || {
            let joint = &self.state.vps[vp? as usize];
            let Above::Node(node, _) = joint.parent else {
                vp = None;
                return None;
            };
            vp = Some(self.state.nodes[node as usize].owns[usize::from(joint.through)].vp);
            Some(self.state.node_id(node))
        })
    }

    /// Where a thread stands; `None` when it has exited.
    #[must_use]
    pub fn thread(&self, id: ThreadId) -> Option<ThreadView> {
        let vp = &self.state.vps[self.leaf_vp(id).ok()? as usize];
        let Above::Node(parent, _) = vp.parent else {
            return None;
        };
        Some(ThreadView { id, parent: self.state.node_id(parent), state: vp.below })
    }

    /// The figures that an instance keeps about itself, or that the one above a thread keeps about the
    /// thread, as they stand at a time that is not before that of the last call. None when it keeps none, or is gone.
    #[must_use]
    pub fn counted(&self, at: Instant, of: Target) -> Vec<(&'static str, Count)> {
        let place = match of {
            Target::Node(node) => self.node_index(node).ok().map(|node| (node, None)),
            Target::Thread(thread) => {
                self.leaf_vp(thread).ok().and_then(|vp| match self.state.vps[vp as usize].parent {
                    Above::Node(node, slot) => Some((node, Some(crate::ChildVp(slot)))),
                    Above::Top(_) => None,
                })
            }
        };
        let mut figures = Vec::new();
        if let Some((node, child)) = place {
            let at = at.max(self.state.now);
            let mut tell = |name, count| figures.push((name, count));
            self.schedulers[node as usize].stats(child, at, &mut tell);
        }
        figures
    }
}

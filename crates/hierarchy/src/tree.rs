//! The tree as a host or a report sees it.

use crate::host::Hierarchy;
use crate::id::{NodeId, OwnVp, Target, ThreadId};
use crate::node::Instance;
use crate::vp::{Above, Vp, VpState};
use alloc::vec::Vec;
use windfall_time::{Instant, Span};

/// A scheduler instance.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
#[non_exhaustive]
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
        self.living().find(|instance| instance.name == name).map(|instance| instance.id)
    }

    /// All living instances, in order of index.
    #[must_use]
    pub fn nodes(&self) -> Vec<NodeId> {
        self.living().map(|instance| instance.id).collect()
    }

    /// One instance; `None` when it is gone.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<NodeView<'_>> {
        let index = self.node_index(id).ok()?;
        let node = &self.nodes[index].instance;
        let owns = node.owns.values().map(|own| {
            let vp = &self.state.vps[own.vp];
            (self.node_above(vp), vp.below)
        });
        Some(NodeView {
            id,
            name: &node.name,
            kind: node.kind,
            owns: owns.collect(),
            children: self.child_vps(index).filter_map(|vp| self.state.vps[vp].target()).collect(),
            quarantined: node.quarantined,
        })
    }

    /// An instance's name; `None` when it is gone.
    #[must_use]
    pub fn name(&self, id: NodeId) -> Option<&str> {
        let index = self.node_index(id).ok()?;
        Some(&self.nodes[index].instance.name)
    }

    /// The state of one of an instance's own VPs, and how often the instance has requested through it
    /// (modulo 2^32): whoever sees another number has missed that it waited. `None` when there is no
    /// such VP.
    #[must_use]
    pub fn own_state(&self, id: NodeId, own: OwnVp) -> Option<(VpState, u32)> {
        let index = self.node_index(id).ok()?;
        let slot = self.nodes[index].instance.owns.get(own)?;
        let joint = &self.state.vps[slot.vp];
        Some((joint.below, joint.requests))
    }

    /// The deadline that an instance has told the parent of one of its own VPs last, if any, and how
    /// often (modulo 2^32) it has told one that is earlier than the one before.
    #[must_use]
    pub fn own_told(&self, id: NodeId, own: OwnVp) -> Option<(Instant, u32)> {
        let index = self.node_index(id).ok()?;
        let slot = self.nodes[index].instance.owns.get(own)?;
        self.state.told.get(slot.vp).copied().flatten()
    }

    /// The parents of an instance's own VPs in order; none for VPs at the top, or when it is gone.
    pub fn parents(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let owns = self.node_index(id).ok().map(|node| self.nodes[node].instance.owns.values());
        owns.into_iter().flatten().filter_map(|own| self.node_above(&self.state.vps[own.vp]))
    }

    /// The instances through which a processor came to its thread, from the thread upwards; none
    /// when it idles.
    pub fn path(&self, processor: crate::Processor) -> impl Iterator<Item = NodeId> + '_ {
        let thread = self.state.processors.get(processor).and_then(|slot| slot.thread);
        let mut vp = thread.and_then(|thread| self.state.leaves[thread.index].vp);
        core::iter::from_fn(move || {
            let joint = &self.state.vps[vp?];
            let Above::Node(node, _) = joint.parent else {
                vp = None;
                return None;
            };
            let instance = &self.nodes[node].instance;
            vp = Some(instance.owns[joint.through].vp);
            Some(instance.id)
        })
    }

    /// Where a thread stands; `None` when it has exited.
    #[must_use]
    pub fn thread(&self, id: ThreadId) -> Option<ThreadView> {
        let vp = &self.state.vps[self.leaf_vp(id).ok()?];
        Some(ThreadView { id, parent: self.node_above(vp)?, state: vp.below })
    }

    /// The figures that an instance keeps about itself, or that the one above a thread keeps about the
    /// thread, as they stand at a time that is not before that of the last call. None when it keeps none, or is gone.
    #[must_use]
    pub fn counted(&self, at: Instant, of: Target) -> Vec<(&'static str, Count)> {
        let place = match of {
            Target::Node(node) => self.node_index(node).ok().map(|node| (node, None)),
            Target::Thread(thread) => {
                self.leaf_vp(thread).ok().and_then(|vp| match self.state.vps[vp].parent {
                    Above::Node(node, child) => Some((node, Some(child))),
                    Above::Top(_) => None,
                })
            }
        };
        let mut figures = Vec::new();
        if let Some((node, child)) = place {
            let at = at.max(self.state.now);
            let mut tell = |name, count| figures.push((name, count));
            self.nodes[node].scheduler.stats(child, at, &mut tell);
        }
        figures
    }

    /// All living instances, in order of index.
    fn living(&self) -> impl Iterator<Item = &Instance> {
        self.nodes.values().map(|node| &node.instance).filter(|instance| instance.alive)
    }

    /// The instance above a VP; none at the top.
    fn node_above(&self, vp: &Vp) -> Option<NodeId> {
        match vp.parent {
            Above::Top(_) => None,
            Above::Node(parent, _) => Some(self.nodes[parent].instance.id),
        }
    }
}

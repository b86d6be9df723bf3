//! The tree, as hosts and reports see it.

use crate::count::Count;
use crate::host::Hierarchy;
use crate::id::{NodeId, OwnVp, Parent, Processor, Target, ThreadId};
use crate::instance::Instance;
use crate::vp::{Above, Vp, VpState};
use alloc::vec::Vec;
use windfall_time::Instant;

/// A scheduler instance.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NodeView<'a> {
    /// Its id.
    pub id: NodeId,
    /// Its name, unique among living instances.
    pub name: &'a str,
    /// The name of its scheduler's kind.
    pub kind: &'static str,
    /// Its own virtual processors: the parent of each (`None` if it has none at the moment) and its state.
    pub owns: Vec<(Option<Parent>, VpState)>,
    /// Its children, in order of slot. An instance with several VPs here appears once for each.
    pub children: Vec<Target>,
    /// Whether the fallback scheduler has replaced its scheduler.
    pub quarantined: bool,
}

/// A thread and its place in the tree.
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

impl Hierarchy {
    /// The living instance with this name.
    #[must_use]
    pub fn find_node(&self, name: &str) -> Option<NodeId> {
        self.living().find(|instance| instance.name == name).map(|instance| instance.id)
    }

    /// All living instances, in order of index.
    #[must_use]
    pub fn nodes(&self) -> Vec<NodeId> {
        self.living().map(|instance| instance.id).collect()
    }

    /// One instance; `None` if it has been destroyed.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<NodeView<'_>> {
        let index = self.node_index(id).ok()?;
        let node = &self.nodes[index].instance;
        let owns = node.owns.values().map(|own| {
            let vp = &self.state.vps[own.vp];
            let parent = match vp.parent {
                Above::Top(_) => Some(Parent::Top),
                Above::Node(parent, _) => Some(Parent::Node(self.nodes[parent].instance.id)),
                Above::Nowhere => None,
            };
            (parent, vp.below)
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

    /// An instance's name; `None` if it has been destroyed.
    #[must_use]
    pub fn name(&self, id: NodeId) -> Option<&str> {
        let index = self.node_index(id).ok()?;
        Some(&self.nodes[index].instance.name)
    }

    /// The processor that the top grants through an own VP; `None` if that does not lie at the top.
    #[must_use]
    pub fn own_processor(&self, id: NodeId, own: OwnVp) -> Option<Processor> {
        let index = self.node_index(id).ok()?;
        let slot = self.nodes[index].instance.owns.get(own)?;
        match self.state.vps[slot.vp].parent {
            Above::Top(processor) => Some(processor),
            Above::Node(..) | Above::Nowhere => None,
        }
    }

    /// The state of an instance's own VP, and how often the instance has requested through it (modulo 2^32). A
    /// reader that finds another number knows that the VP was waiting in between. `None` if there is no such VP.
    #[must_use]
    pub fn own_state(&self, id: NodeId, own: OwnVp) -> Option<(VpState, u32)> {
        let index = self.node_index(id).ok()?;
        let slot = self.nodes[index].instance.owns.get(own)?;
        let joint = &self.state.vps[slot.vp];
        Some((joint.below, joint.requests))
    }

    /// The deadline that an instance last reported to the parent of one of its own VPs, if any, and how often
    /// (modulo 2^32) it has reported one that was earlier than the previous one.
    #[must_use]
    pub fn own_reported_deadline(&self, id: NodeId, own: OwnVp) -> Option<(Instant, u32)> {
        let index = self.node_index(id).ok()?;
        let slot = self.nodes[index].instance.owns.get(own)?;
        self.state.reported.get(slot.vp).copied().flatten()
    }

    /// The parents of an instance's own VPs, in order. Skips VPs at the top; empty if the instance has been
    /// destroyed.
    pub fn parents(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let owns = self.node_index(id).ok().map(|node| self.nodes[node].instance.owns.values());
        owns.into_iter().flatten().filter_map(|own| self.node_above(&self.state.vps[own.vp]))
    }

    /// The instances through which a processor was granted to its thread, from the thread upwards. Empty if the
    /// processor idles.
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

    /// A thread's parent and state; `None` if it has exited.
    #[must_use]
    pub fn thread(&self, id: ThreadId) -> Option<ThreadView> {
        let vp = &self.state.vps[self.leaf_vp(id).ok()?];
        Some(ThreadView { id, parent: self.node_above(vp)?, state: vp.below })
    }

    /// The statistics that an instance keeps about itself, or that a thread's scheduler keeps about the thread, as
    /// of a time that is not before the last call. Empty if there are none or the target is gone.
    #[must_use]
    pub fn counted(&self, at: Instant, of: Target) -> Vec<(&'static str, Count)> {
        let place = match of {
            Target::Node(node) => self.node_index(node).ok().map(|node| (node, None)),
            Target::Thread(thread) => {
                self.leaf_vp(thread).ok().and_then(|vp| match self.state.vps[vp].parent {
                    Above::Node(node, child) => Some((node, Some(child))),
                    Above::Top(_) | Above::Nowhere => None,
                })
            }
        };
        let mut figures = Vec::new();
        if let Some((node, child)) = place {
            let at = at.max(self.state.now);
            let mut report = |name, count| figures.push((name, count));
            self.nodes[node].scheduler.stats(child, at, &mut report);
        }
        figures
    }

    /// All living instances, in order of index.
    fn living(&self) -> impl Iterator<Item = &Instance> {
        self.nodes.values().map(|node| &node.instance).filter(|instance| instance.alive)
    }

    /// The instance above a VP; `None` at the top and nowhere.
    fn node_above(&self, vp: &Vp) -> Option<NodeId> {
        match vp.parent {
            Above::Top(_) | Above::Nowhere => None,
            Above::Node(parent, _) => Some(self.nodes[parent].instance.id),
        }
    }
}

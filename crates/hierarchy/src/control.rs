//! Control requests (HLS 4.3.9): each one happens whole or changes nothing.
//!
//! They create and destroy instances anywhere in the tree, create and end threads, move a thread, change the default scheduler together
//! with all its threads, and set parameters.

use crate::answer::AnswerError;
use crate::children::Children;
use crate::error::HierarchyError;
use crate::host::Hierarchy;
use crate::id::{NodeId, OwnVp, Parent, Target, ThreadId};
use crate::index::{NodeIndex, Table, TableIndex, VpIndex};
use crate::instance::{Instance, OwnSlot};
use crate::message::Message;
use crate::node::Node;
use crate::node_spec::NodeSpec;
use crate::registration::Registration;
use crate::scheduler::Scheduler;
use crate::state::Leaf;
use crate::vp::{Above, Below};
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The largest number of levels of a tree.
pub const LEVELS: usize = 64;

impl Hierarchy {
    /// Creates an instance below the given parents. The first instance becomes the default scheduler until another is set.
    ///
    /// # Errors
    /// When the name is in use, a parent is gone or refuses, or the tree would be too deep.
    pub fn create(
        &mut self,
        now: windfall_time::Instant,
        spec: NodeSpec<'_>,
    ) -> Result<NodeId, HierarchyError> {
        self.whole(now, |tree| {
            let NodeSpec { name, kind, scheduler, owns } = spec;
            if tree.find_node(name).is_some() {
                return Err(HierarchyError::NameTaken { name: name.to_owned() });
            }
            if owns.is_empty() || owns.len() > usize::from(u16::MAX) {
                return Err(HierarchyError::NoParent);
            }
            let mut parents = Vec::with_capacity(owns.len());
            let mut registrations = Table::new();
            let mut depth = 1;
            for (place, messages) in owns {
                let parent = match place {
                    Parent::Top => None,
                    Parent::Node(node) => {
                        let node = tree.node_index(*node)?;
                        depth = depth.max(tree.nodes[node].instance.depth + 1);
                        Some(node)
                    }
                };
                parents.push((parent, *messages));
                registrations.push(Registration::new(*place, messages));
            }
            if depth > LEVELS {
                return Err(HierarchyError::TooDeep { levels: LEVELS });
            }

            let timers = u16::try_from(scheduler.timers(owns.len()).max(owns.len()));
            let Ok(timer_count) = timers else {
                return Err(AnswerError::Full { limit: "timers are numbered by 16 bits" }.into());
            };
            let index = tree.place_node(name, kind, scheduler, depth, timer_count);
            let id = tree.nodes[index].instance.id;
            for (number, (parent, messages)) in (0..=u16::MAX).zip(parents) {
                match tree.attach(parent, Below::Node(id, OwnVp(number)), messages) {
                    Ok(vp) => {
                        let slot = OwnSlot { vp, held_by: None };
                        tree.nodes[index].instance.owns.push(slot);
                    }
                    Err(refusal) => {
                        tree.forget_node(index);
                        return Err(refusal);
                    }
                }
            }
            tree.nodes[index].instance.registrations = registrations;
            tree.make_room();
            tree.call(index, |scheduler, context| scheduler.init(context));
            tree.settle();
            if tree.state.default.is_none() {
                tree.state.default = Some(index);
            }
            Ok(id)
        })
    }

    /// Begins a host's call, carries out a control request, and ends the call.
    pub(crate) fn whole<T>(
        &mut self,
        now: windfall_time::Instant,
        request: impl FnOnce(&mut Hierarchy) -> Result<T, HierarchyError>,
    ) -> Result<T, HierarchyError> {
        self.begin(now)?;
        let answer = request(self);
        self.finish();
        answer
    }

    fn place_node(
        &mut self,
        name: &str,
        kind: &'static str,
        scheduler: Box<dyn Scheduler>,
        depth: usize,
        timer_count: u16,
    ) -> NodeIndex {
        let dead = self.nodes.position(|node| !node.instance.alive);
        let index = dead.unwrap_or_else(|| NodeIndex::at(self.nodes.len()));
        let generation = dead.map_or(0, |at| self.nodes[at].instance.id.generation + 1);
        let instance = Instance {
            id: NodeId { index, generation },
            alive: true,
            quarantined: false,
            debt: 0,
            effects: 0,
            calls: 0,
            epoch: 0,
            owns: Table::new(),
            registrations: Table::new(),
            children: Children::new(),
            timers: self.state.timers.add(index, timer_count),
            depth,
            name: name.to_owned(),
            kind,
        };
        let node = Node { scheduler, instance };
        match dead {
            Some(at) => self.nodes[at] = node,
            None => {
                self.nodes.push(node);
            }
        }
        self.make_room();
        index
    }

    /// Reserves room for everything that one event can put under way, so that handling an event never allocates. Called whenever something
    /// is created.
    pub(crate) fn make_room(&mut self) {
        let vps = self.state.vps.len();
        let effects = self.nodes.values().map(|node| node.instance.effect_limit() as usize);
        let room = effects.sum::<usize>() + vps;
        self.state.down.reserve(room.saturating_sub(self.state.down.len()));
        self.state.up.reserve((room + vps).saturating_sub(self.state.up.len()));
        self.state.evacuate.reserve(self.nodes.len().saturating_sub(self.state.evacuate.len()));
        self.state.quarantined.reserve(self.nodes.len());
    }

    /// Removes an instance that has no children.
    pub(crate) fn remove_node(&mut self, node: NodeIndex) {
        if !self.nodes[node].instance.alive {
            return; // already removed: it was quarantined, and its last child has left
        }
        self.forget_node(node);
        let scheduler = &mut self.nodes[node].scheduler;
        crate::guard::guarded(|| scheduler.deinit());
    }

    /// Unregisters an instance's VPs, stops its timers and frees its index.
    fn forget_node(&mut self, node: NodeIndex) {
        self.nodes[node].instance.alive = false;
        while let Some(own) = self.nodes[node].instance.owns.pop() {
            self.cut(own.vp);
            self.settle();
            self.detach(own.vp);
        }
        self.state.timers.remove(self.nodes[node].instance.timers);
    }

    /// Destroys an instance. Its children move to the default scheduler.
    ///
    /// # Errors
    /// When the instance is gone, the default scheduler is the instance or lies below it, or the default scheduler refuses one of the
    /// children.
    pub fn destroy(
        &mut self,
        now: windfall_time::Instant,
        node: NodeId,
    ) -> Result<(), HierarchyError> {
        self.whole(now, |tree| {
            let node = tree.node_index(node)?;
            let default = tree.state.default.ok_or(HierarchyError::NoDefault)?;
            if tree.lies_below(default, node) {
                return Err(HierarchyError::HoldsDefault);
            }
            let children: Vec<VpIndex> = tree.child_vps(node).collect();
            tree.move_all(&children, default)?;
            tree.remove_node(node);
            Ok(())
        })
    }

    /// Moves the children of these VPs to another parent, all or none.
    fn move_all(&mut self, vps: &[VpIndex], to: NodeIndex) -> Result<(), HierarchyError> {
        let mut moves = Vec::with_capacity(vps.len());
        for old in vps {
            let child = self.state.vps[*old].child;
            let fits = match child {
                Below::Node(node, _) => self.fits_below(node.index, to),
                Below::Thread(_) | Below::Nobody => Ok(()),
            };
            match fits.and_then(|()| self.attach(Some(to), child, &[])) {
                Ok(new) => moves.push((*old, new)),
                Err(refusal) => {
                    for (_, new) in moves {
                        self.detach(new);
                    }
                    return Err(refusal);
                }
            }
        }
        for (old, new) in moves {
            self.switch(old, new);
            self.registered(new, to);
        }
        Ok(())
    }

    pub(crate) fn child_vps(&self, node: NodeIndex) -> impl Iterator<Item = VpIndex> + '_ {
        self.nodes[node].instance.children.iter().map(|(_, vp)| vp)
    }

    /// Makes an instance the default scheduler, and moves all threads of the former default scheduler to it.
    ///
    /// # Errors
    /// When the instance is gone or refuses one of the threads.
    pub fn set_default(
        &mut self,
        now: windfall_time::Instant,
        node: NodeId,
    ) -> Result<(), HierarchyError> {
        self.whole(now, |tree| {
            let node = tree.node_index(node)?;
            if let Some(former) = tree.state.default.filter(|former| *former != node) {
                let is_thread =
                    |vp: &VpIndex| matches!(tree.state.vps[*vp].child, Below::Thread(_));
                let threads: Vec<VpIndex> = tree.child_vps(former).filter(is_thread).collect();
                tree.move_all(&threads, node)?;
            }
            tree.state.default = Some(node);
            Ok(())
        })
    }

    /// The default scheduler; `None` before the first instance.
    #[must_use]
    pub fn default_node(&self) -> Option<NodeId> {
        self.state.default.map(|node| self.nodes[node].instance.id)
    }

    /// Creates a waiting thread below an instance, with the given parameters.
    ///
    /// # Errors
    /// When the instance is gone, or refuses the thread or a parameter.
    pub fn create_thread(
        &mut self,
        now: windfall_time::Instant,
        parent: NodeId,
        messages: &[Message],
    ) -> Result<ThreadId, HierarchyError> {
        self.whole(now, |tree| {
            let parent = tree.node_index(parent)?;
            let index = tree.state.free_leaves.last().copied();
            let index = index.unwrap_or_else(|| {
                let index = tree.state.leaves.push(Leaf { generation: 0, vp: None });
                tree.state.free_leaves.push(index);
                index
            });
            let thread = tree.state.thread_id(index);
            let vp = tree.attach(Some(parent), Below::Thread(thread), messages)?;
            tree.state.free_leaves.pop();
            tree.state.leaves[index].vp = Some(vp);
            tree.settle();
            Ok(thread)
        })
    }

    /// Ends a thread: releases its virtual processor if it is not waiting, and unregisters it.
    ///
    /// # Errors
    /// When the thread has exited already, or time went back.
    pub fn exited(
        &mut self,
        now: windfall_time::Instant,
        thread: ThreadId,
    ) -> Result<(), HierarchyError> {
        self.whole(now, |tree| {
            let vp = tree.leaf_vp(thread)?;
            if tree.state.vps[vp].below != crate::VpState::Waiting {
                tree.leaf_releases(vp, "exit")?;
            }
            tree.state.vps[vp].child = Below::Nobody;
            tree.settle();
            tree.detach(vp);
            let leaf = &mut tree.state.leaves[thread.index];
            leaf.generation += 1;
            leaf.vp = None;
            tree.state.free_leaves.push(thread.index);
            Ok(())
        })
    }

    /// Moves a thread to another instance, with the given parameters there.
    ///
    /// # Errors
    /// When either is gone, or the instance refuses the thread or a parameter. The thread then stays where it is.
    pub fn move_thread(
        &mut self,
        now: windfall_time::Instant,
        thread: ThreadId,
        to: NodeId,
        messages: &[Message],
    ) -> Result<(), HierarchyError> {
        self.whole(now, |tree| {
            let old = tree.leaf_vp(thread)?;
            let to = tree.node_index(to)?;
            let new = tree.attach(Some(to), Below::Thread(thread), messages)?;
            tree.switch(old, new);
            Ok(())
        })
    }

    /// Sends a message to the parent of a thread, or of an instance's VP number `own`, on its behalf: to begin a reservation, set a share
    /// or a priority.
    ///
    /// # Errors
    /// When the parent refuses or the target is gone.
    pub fn send_for(
        &mut self,
        now: windfall_time::Instant,
        target: Target,
        own: OwnVp,
        message: Message,
    ) -> Result<(), HierarchyError> {
        self.whole(now, |tree| {
            let vp = tree.target_vp(target, own)?;
            let answer = tree.deliver_message(vp, message);
            tree.settle();
            answer?;
            if let Target::Node(node) = target {
                tree.nodes[node.index].instance.registrations[own].keep(message);
            }
            Ok(())
        })
    }

    /// Sends a message to an instance about itself, for example its quantum.
    ///
    /// # Errors
    /// When the instance refuses or is gone.
    pub fn configure(
        &mut self,
        now: windfall_time::Instant,
        node: NodeId,
        message: Message,
    ) -> Result<(), HierarchyError> {
        self.whole(now, |tree| {
            let node = tree.node_index(node)?;
            let mut answer = Ok(());
            tree.call(node, |scheduler, context| {
                answer = scheduler.message(None, message, context)
            });
            tree.settle();
            Ok(answer?)
        })
    }

    /// The instance above a thread.
    ///
    /// # Errors
    /// When the thread has exited.
    pub fn parent_of(&self, thread: ThreadId) -> Result<NodeId, HierarchyError> {
        let vp = self.leaf_vp(thread)?;
        match self.state.vps[vp].parent {
            Above::Node(node, _) => Ok(self.nodes[node].instance.id),
            Above::Top(_) | Above::Nowhere => Err(HierarchyError::Stale { what: "scheduler" }),
        }
    }
}

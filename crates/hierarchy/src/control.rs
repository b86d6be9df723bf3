//! Control requests (HLS 4.3.9): each happens whole or changes nothing.
//!
//! Create and destroy instances anywhere, create and end threads, move a thread, change the default
//! scheduler with all its threads, set parameters.

use crate::error::HierarchyError;
use crate::host::Hierarchy;
use crate::id::{NodeId, OwnVp, Target, ThreadId};
use crate::message::Message;
use crate::scheduler::Scheduler;
use crate::state::{Leaf, NONE, Node, OwnSlot, index_of};
use crate::vp::{Above, Below};
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// How deep a tree may be.
pub const LEVELS: usize = 64;

/// Where a virtual processor is registered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parent {
    /// At the top: a processor of its own.
    Top,
    /// At a scheduler instance.
    Node(NodeId),
}

/// A scheduler instance to create.
pub struct NodeSpec<'a> {
    /// A name that no other living instance has.
    pub name: &'a str,
    /// The kind of scheduler, for reports.
    pub kind: &'static str,
    /// The scheduler.
    pub scheduler: Box<dyn Scheduler>,
    /// Its own virtual processors, in order: where each is registered and what is asked for it.
    pub owns: &'a [(Parent, &'a [Message])],
}

impl Hierarchy {
    /// Creates an instance below the given parents. The first one becomes the default scheduler
    /// until another is chosen.
    ///
    /// # Errors
    /// When the name is taken, a parent is gone or refuses, or the tree would be too deep.
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
            let mut depth = 1;
            for (parent, messages) in owns {
                let parent = match parent {
                    Parent::Top => None,
                    Parent::Node(node) => {
                        let node = tree.node_index(*node)?;
                        depth = depth.max(tree.state.nodes[node as usize].depth + 1);
                        Some(node)
                    }
                };
                parents.push((parent, *messages));
            }
            if depth > LEVELS {
                return Err(HierarchyError::TooDeep { levels: LEVELS });
            }

            let timer_count = scheduler.timers(owns.len()).max(owns.len());
            let index = tree.place_node(name, kind, scheduler, depth, timer_count);
            for (number, (parent, messages)) in (0_u16..).zip(parents) {
                match tree.attach(parent, Below::Node(index, number), messages) {
                    Ok(vp) => {
                        let slot = OwnSlot { vp, held_by: NONE };
                        tree.state.nodes[index as usize].owns.push(slot);
                    }
                    Err(refusal) => {
                        tree.forget_node(index);
                        return Err(refusal);
                    }
                }
            }
            tree.state.make_room();
            tree.call(index, |scheduler, context| scheduler.init(context));
            tree.settle();
            if tree.state.default.is_none() {
                tree.state.default = Some(index);
            }
            Ok(tree.state.node_id(index))
        })
    }

    /// Opens a call, carries a request out, and ends the call.
    fn whole<T>(
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
        timer_count: usize,
    ) -> u32 {
        let dead = self.state.nodes.iter().position(|node| !node.alive);
        let index = index_of(dead.unwrap_or(self.state.nodes.len()));
        let timer_count = index_of(timer_count);
        let reusable = self.state.free_timers.iter().position(|(_, n)| *n == timer_count);
        let timers = match reusable {
            Some(at) => self.state.free_timers.swap_remove(at).0,
            None => {
                let first = index_of(self.state.timer_owner.len());
                let room = self.state.timer_owner.len() + timer_count as usize;
                self.state.timer_owner.resize(room, (index, 0));
                first
            }
        };
        let slots = &mut self.state.timer_owner[timers as usize..];
        for (number, slot) in (0_u16..).zip(slots.iter_mut().take(timer_count as usize)) {
            *slot = (index, number);
        }
        let generation = dead.map_or(0, |at| self.state.nodes[at].generation + 1);
        let node = Node {
            generation,
            alive: true,
            name: name.to_owned(),
            kind,
            owns: Vec::new(),
            children: Vec::new(),
            free_children: Vec::new(),
            child_count: 0,
            depth,
            debt: 0,
            effects: 0,
            calls: 0,
            epoch: 0,
            timers,
            timer_count,
            quarantined: false,
        };
        if let Some(at) = dead {
            self.state.nodes[at] = node;
            self.schedulers[at] = scheduler;
        } else {
            self.state.nodes.push(node);
            self.schedulers.push(scheduler);
        }
        self.state.make_room();
        index
    }

    /// Ends the life of an instance that has no children.
    pub(crate) fn remove_node(&mut self, node: u32) {
        if !self.state.nodes[node as usize].alive {
            return; // already gone: it was quarantined, and removed with its last child
        }
        self.forget_node(node);
        let scheduler = &mut self.schedulers[node as usize];
        crate::guard::guarded(|| scheduler.deinit());
    }

    /// Unregisters an instance's VPs, stops its timers and frees its place.
    fn forget_node(&mut self, node: u32) {
        self.state.nodes[node as usize].alive = false;
        while let Some(own) = self.state.nodes[node as usize].owns.pop() {
            self.cut(own.vp);
            self.settle();
            self.detach(own.vp);
        }
        let entry = &self.state.nodes[node as usize];
        let (first, count) = (entry.timers, entry.timer_count);
        for slot in first..first + count {
            self.state.timers.remove(slot);
            self.state.hurried[slot as usize].wanted = false;
        }
        self.state.free_timers.push((first, count));
    }

    /// Destroys an instance; its children move to the default scheduler.
    ///
    /// # Errors
    /// When it is gone, when the default scheduler is it or lies below it, or when the default
    /// scheduler refuses one of the children.
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
            let children: Vec<u32> = tree.child_vps(node).collect();
            tree.move_all(&children, default)?;
            tree.remove_node(node);
            Ok(())
        })
    }

    /// Moves the children of some VPs to another parent, all or none.
    fn move_all(&mut self, vps: &[u32], to: u32) -> Result<(), HierarchyError> {
        let mut moves = Vec::with_capacity(vps.len());
        for old in vps {
            let child = self.state.vps[*old as usize].child;
            match self.attach(Some(to), child, &[]) {
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
        }
        Ok(())
    }

    pub(crate) fn child_vps(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let slots = &self.state.nodes[node as usize].children;
        slots.iter().copied().filter(|vp| *vp != NONE)
    }

    /// Makes an instance the default scheduler and moves all threads of the former one to it.
    ///
    /// # Errors
    /// When it is gone or refuses one of the threads.
    pub fn set_default(
        &mut self,
        now: windfall_time::Instant,
        node: NodeId,
    ) -> Result<(), HierarchyError> {
        self.whole(now, |tree| {
            let node = tree.node_index(node)?;
            if let Some(former) = tree.state.default.filter(|former| *former != node) {
                let is_thread =
                    |vp: &u32| matches!(tree.state.vps[*vp as usize].child, Below::Thread(_));
                let threads: Vec<u32> = tree.child_vps(former).filter(is_thread).collect();
                tree.move_all(&threads, node)?;
            }
            tree.state.default = Some(node);
            Ok(())
        })
    }

    /// The default scheduler.
    #[must_use]
    pub fn default_node(&self) -> Option<NodeId> {
        self.state.default.map(|node| self.state.node_id(node))
    }

    /// Creates a waiting thread below an instance, with the given parameters.
    ///
    /// # Errors
    /// When the instance is gone or refuses the thread or a parameter.
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
                tree.state.leaves.push(Leaf { generation: 0, alive: false, vp: NONE });
                tree.state.free_leaves.push(index_of(tree.state.leaves.len() - 1));
                index_of(tree.state.leaves.len() - 1)
            });
            let vp = tree.attach(Some(parent), Below::Thread(index), messages)?;
            tree.state.free_leaves.pop();
            let leaf = &mut tree.state.leaves[index as usize];
            leaf.alive = true;
            leaf.vp = vp;
            tree.settle();
            Ok(tree.state.thread_id(index))
        })
    }

    /// A thread has ended; its virtual processor is released if need be, and unregistered.
    ///
    /// # Errors
    /// When it has exited already, or time went back.
    pub fn exited(
        &mut self,
        now: windfall_time::Instant,
        thread: ThreadId,
    ) -> Result<(), HierarchyError> {
        self.whole(now, |tree| {
            let vp = tree.leaf_vp(thread)?;
            if tree.state.vps[vp as usize].below != crate::VpState::Waiting {
                tree.leaf_releases(vp, "exit")?;
            }
            tree.state.vps[vp as usize].child = Below::Nobody;
            tree.settle();
            tree.detach(vp);
            let leaf = &mut tree.state.leaves[thread.index()];
            leaf.alive = false;
            leaf.generation += 1;
            leaf.vp = NONE;
            tree.state.free_leaves.push(thread.index);
            Ok(())
        })
    }

    /// Moves a thread to another instance, with the given parameters there.
    ///
    /// # Errors
    /// When either is gone, or the instance refuses the thread or a parameter; the thread then
    /// stays where it is, undisturbed.
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
            let new = tree.attach(Some(to), Below::Thread(thread.index), messages)?;
            tree.switch(old, new);
            Ok(())
        })
    }

    /// Sends a message to the parent of a thread, or of an instance's VP number `own`, on its
    /// behalf: begin a reservation, set a share, a priority.
    ///
    /// # Errors
    /// What the parent answers, or the target is gone.
    pub fn send_for(
        &mut self,
        now: windfall_time::Instant,
        target: Target,
        own: OwnVp,
        message: Message,
    ) -> Result<(), HierarchyError> {
        self.whole(now, |tree| {
            let vp = tree.target_vp(target, own.index())?;
            let answer = tree.deliver_message(vp, message);
            tree.settle();
            answer
        })
    }

    /// Sends a message to an instance about itself: set its quantum.
    ///
    /// # Errors
    /// What the instance answers, or it is gone.
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
            answer
        })
    }

    /// The instance above a thread.
    ///
    /// # Errors
    /// When the thread has exited.
    pub fn parent_of(&self, thread: ThreadId) -> Result<NodeId, HierarchyError> {
        let vp = self.leaf_vp(thread)?;
        match self.state.vps[vp as usize].parent {
            Above::Node(node, _) => Ok(self.state.node_id(node)),
            Above::Top(_) => Err(HierarchyError::Stale { what: "scheduler" }),
        }
    }
}

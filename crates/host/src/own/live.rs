//! Guarantees that threads request for themselves. They are planned and judged in the scenario as it is now, as the run's owner's
//! requests are (decision 0024).

use crate::host::Host;
use crate::machine::Machine;
use windfall_hierarchy::{NodeId, OwnVp, Parent};
use windfall_programs::{OwnRequest, RequestErrorKind};
use windfall_scenario::{
    Diagnostics, Live, LiveNode, LiveRequest, LiveThread, PromiseChange, model,
};
use windfall_time::Instant;

impl<M: Machine> Host<M> {
    /// The schedulers and threads that requests may refer to.
    #[must_use]
    pub fn there(&self) -> (Vec<LiveNode>, Vec<LiveThread>) {
        let name = |node: NodeId| self.hierarchy.name(node).map(str::to_owned);
        let nodes = self.hierarchy.nodes().into_iter().filter_map(|id| self.hierarchy.node(id));
        let nodes = nodes.map(|view| {
            let parents = view.owns.iter().map(|(parent, _)| match parent {
                Some(Parent::Node(parent)) => {
                    model::Parent::Scheduler(name(*parent).unwrap_or_default())
                }
                Some(Parent::Top) => model::Parent::Top,
                None => model::Parent::Nowhere,
            });
            let owns = (0..u16::MAX).map(OwnVp).take(view.owns.len());
            let at_top = owns.map(|own| self.hierarchy.own_processor(view.id, own).map(|p| p.0));
            LiveNode::new(view.name, view.kind, parents.collect()).at_top(at_top.collect())
        });
        let threads = self.threads.list.iter().map(|thread| {
            let parent = match (thread.id(), thread.entry()) {
                (None, None) => name(thread.planned().parent),
                (id, _) => self.parent(id),
            };
            LiveThread::new(&thread.outcome.name, parent)
        });
        (nodes.collect(), threads.collect())
    }

    /// The scenario as it is now, in which requests are planned; `None` without a scenario.
    pub fn live(&mut self, now: Instant) -> Option<&mut Live> {
        if self.live.as_ref()?.is_behind(now) {
            let (nodes, threads) = self.there();
            self.live.as_mut()?.passes(&nodes, &threads, now);
        }
        self.live.as_mut()
    }

    /// Records a planned request that has been carried out.
    pub fn carried_out(&mut self, now: Instant, request: LiveRequest) {
        let (nodes, threads) = self.there();
        let Some(live) = self.live(now) else { return };
        live.carried_out(&nodes, &threads, request);
    }

    /// Carries out a guarantee that a thread requests for itself, unless it would break a promise to others.
    pub(super) fn own_guarantee(
        &mut self,
        number: u32,
        request: &OwnRequest,
    ) -> Result<(), RequestErrorKind> {
        let OwnRequest::Guarantee { guarantee, at } = request else { return Ok(()) };
        let now = self.machine.now();
        let thread = &self.threads.list[number as usize];
        let (name, id) = (thread.outcome.name.clone(), thread.id);
        let parent = self.parent(Some(id.ok_or(RequestErrorKind::NotRunning)?));
        let to = at.as_deref().filter(|at| parent.as_deref() != Some(*at));
        let (nodes, threads) = self.there();
        if threads.iter().filter(|other| other.name == name && other.parent.is_some()).count() > 1 {
            return Err(RequestErrorKind::SameName(name));
        }
        let live = self.live(now).ok_or(RequestErrorKind::NoScenario)?;
        let mut planned = live
            .guarantee((&nodes, &threads), &name, *guarantee, to)
            .map_err(|mistakes| RequestErrorKind::Unplanned(first(&mistakes)))?;
        if let Some(broken) = live.breaks(&nodes, &threads, &planned).first() {
            let (owner, guarantee) = (broken.owner.clone(), broken.guarantee.to_string());
            return Err(RequestErrorKind::WouldBreak { guarantee, owner });
        }
        let change = live.promise_change(&nodes, &threads, &planned);
        let mut requests = std::mem::take(&mut planned.planned);
        if requests.len() != 1 {
            return Err(RequestErrorKind::PlannedForMany);
        }
        self.own_judged(number, requests.remove(0), &change)?;
        let (nodes, threads) = self.there();
        let promises = self.live(now).map_or_else(Vec::new, |live| {
            live.carried_out(&nodes, &threads, planned);
            live.promises(&nodes, &threads)
        });
        self.record_promises(&promises);
        self.promises_change(&PromiseChange::untouched(promises));
        Ok(())
    }

    /// Records another request that a thread has made for itself, or a process for it, and that was carried out.
    pub(crate) fn record_own(&mut self, number: u32, request: &OwnRequest) {
        if self.live.is_none() {
            return;
        }
        let now = self.machine.now();
        let thread = &self.threads.list[number as usize];
        let thread = LiveThread::new(&thread.outcome.name, self.parent(thread.id));
        let leaves = matches!(request, OwnRequest::Unreserve | OwnRequest::Move(_));
        let returns = |parent: &str| self.home(number, parent).is_some();
        let home = leaves && thread.parent.as_deref().is_some_and(returns);
        if let Some(live) = self.live(now) {
            live.record_own(&thread, request, home);
        }
    }
}

/// The first mistake, with what would help.
fn first(mistakes: &Diagnostics) -> String {
    let first = mistakes.list().first();
    let Some(first) = first else { return "it is refused".to_owned() };
    let help = first.help.as_ref().map(|help| format!("; {help}"));
    format!("{}{}", first.message, help.unwrap_or_default())
}

//! The process that looks after replicas: it does what was asked about a fault, and takes no part in votes (`crate::remedies`).
//!
//! A new life of a replica is a new process, because one that hangs does not come back. The process of a life that does not count any longer ends when it next looks.

use super::body::{Other, posts, sleeps};
use super::figures::NAMES;
use super::shared::Shared;
use crate::control::Control;
use crate::participant::link;
use crate::redundant::{Fault, Outcome, Remedy};
use crate::remedies::{Remedies, Reported};
use crate::{ReplicaNumber, Replicas};
use std::sync::{Arc, PoisonError};
use windfall_programs::{Annotation, Code, Process, ProcessError, ProcessParams, Template};

#[derive(Clone)]
pub(super) struct Manager(pub(super) Arc<Shared>);

impl Code for Manager {
    const NAME: &'static str = "manager";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let voting = &self.0.voting;
        let node = me.node();
        let template = me.make_template::<Other>(node).await?;
        let mut remedies = Remedies::new(&voting.settings, voting.patience);
        remedies.active.iter().for_each(|replica| remedies.begins(replica, 1, false));
        let (mut faults, mut begun) = (0, vec![0; voting.settings.places()]);
        let events = [me.make_event().await?, me.make_event().await?];
        self.0.is_managed(events[0]);
        let mut leaves = None;
        while !remedies.is_over() {
            let now = me.now().await;
            for heard in self.0.takes_heard() {
                match remedies.hears(heard, now) {
                    Some(Reported::Joined(replica)) => {
                        self.send_all(&mut me, replica, || Control::Admitted(replica)).await;
                    }
                    Some(Reported::Fault(fault)) => {
                        faults += 1;
                        me.annotate(Annotation::Count("faults", faults)).await;
                        let begins = self.remedies(&mut me, &mut remedies, template, fault).await;
                        if let Some(replica) = begins.map(ReplicaNumber::index) {
                            begun[replica] += 1;
                            me.annotate(Annotation::Count(NAMES[replica].begun, begun[replica]))
                                .await;
                        }
                    }
                    None => {}
                }
            }
            if remedies.has_majority() || remedies.is_hopeless() {
                leaves.get_or_insert(now.saturating_add(voting.patience));
            }
            if remedies.is_over() || leaves.is_some_and(|end| now >= end) {
                break;
            }
            sleeps(&mut me, events, leaves).await?;
        }
        let is_whole = remedies.has_majority();
        let outcome = Outcome { replicas: remedies.summaries(), is_whole, processors: None };
        *voting.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        // Whoever is left is to end.
        for replica in self.0.begun().iter().filter(|replica| !self.0.has_ended(*replica)) {
            self.abandons(&mut me, replica).await;
        }
        me.annotate(Annotation::Count("faults", faults)).await;
        me.annotate(Annotation::Count("restarts", begun.iter().sum())).await;
        Ok(())
    }
}

impl Manager {
    /// A replica is faulty: applies the remedy. Returns the replica whose life begins.
    async fn remedies(
        &self,
        me: &mut impl Process,
        remedies: &mut Remedies,
        template: Template<Other>,
        fault: Fault,
    ) -> Option<ReplicaNumber> {
        let Fault { replica, kind, iteration, .. } = fault;
        let (remedy, follows) = remedies.decides(fault, self.0.voting.remedy);
        me.annotate(Annotation::Mark(format!("{replica} {kind} in {iteration}: {remedy}"))).await;
        if follows.retires {
            self.send_all(me, replica, || Control::Retired(replica)).await;
        }
        if follows.abandons {
            let life = self.abandons(me, replica).await;
            remedies.abandons(replica, life);
        }
        let is_begun = match follows.begins {
            Some(begins) => self.joins(me, remedies, template, begins).await,
            None => false,
        };
        if let Some(begins) = follows.begins.filter(|_| !is_begun) {
            // Without a process it takes no part.
            let life = self.abandons(me, begins).await;
            remedies.abandons(begins, life);
        }
        let begun = follows.begins.filter(|_| is_begun);
        let names = &NAMES[replica.index()];
        let figure = match (remedy, begun) {
            (Remedy::End, _) => Some((names.ended_the_run, 1)),
            (Remedy::Replace, Some(spare)) => Some((names.replaced_by, spare.0.into())),
            (_, None) if follows.retires => Some((names.retired, 1)),
            _ => None,
        };
        if let Some((name, count)) = figure {
            me.annotate(Annotation::Count(name, count)).await;
        }
        begun
    }

    /// A replica begins a life beside those that take part. Whether it does.
    async fn joins(
        &self,
        me: &mut impl Process,
        remedies: &mut Remedies,
        template: Template<Other>,
        replica: ReplicaNumber,
    ) -> bool {
        let life = self.abandons(me, replica).await;
        remedies.begins(replica, life, true);
        let mut links = Vec::new();
        let others = remedies.active.without(replica);
        for other in others.iter() {
            let (here, there) = link(life, remedies.life(other), &self.0.voting.settings);
            links.push((other, here));
            self.0.send(other, Control::Linked(replica, there));
        }
        self.0.links(replica, links);
        posts(me, &self.0, others).await;
        let other = Other {
            shared: self.0.clone(),
            number: replica,
            life,
            active: remedies.active.with(replica),
        };
        let node = me.node();
        me.make_process(template, node, ProcessParams::default(), other).await.is_ok()
    }

    /// The last life of a replica counts no longer, and is woken to see that. Which counts now.
    async fn abandons(&self, me: &mut impl Process, replica: ReplicaNumber) -> u32 {
        let (life, events) = self.0.begins(replica);
        for event in events.into_iter().flatten() {
            // Its process may be gone.
            _ = me.post(event, 0).await;
        }
        life
    }

    async fn send_all(
        &self,
        me: &mut impl Process,
        about: ReplicaNumber,
        control: impl Fn() -> Control,
    ) {
        let others: Replicas = self.0.begun().without(about);
        others.iter().for_each(|other| self.0.send(other, control()));
        posts(me, &self.0, others).await;
    }
}

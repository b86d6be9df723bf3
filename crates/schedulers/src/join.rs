//! Join: one child, served whenever any of several parents grants a processor.
//!
//! Takes    any guarantee from each of its parents, one own VP each, numbered from 0.
//! Gives    any one of them, in its soft form, to its only child.
//! Admits   one child.
//! Assumes  on one processor, nothing. On several: parents of a lower number may be granted and
//!          given back at once, so their guarantees are not added up.
//! Costs    O(parents) per event; no timer but immediate ones.
//! Ties     the parent of the highest number that grants is the one that serves.
//! Source   HLS 5.3.1.2, 9.3.4.
//! Checked  laws, `tests/join.rs`, `tests/random.rs`.
//!
//! Parents are asked from the highest number down, each when the one before did not grant at once.
//! So while the child is ready all are asked, and while it runs all above the one that serves. When
//! one of these grants, the child moves there, and the former parent has its processor back at once;
//! it is asked again when the one that serves takes its own back. Asking all at once would make a
//! parent that stands above several others move the child in circles.
//! Parameters are a matter between the join and each parent: whoever sets up the tree asks for them
//! (`ask` with the own VP's number); what the child tells of its jobs goes to all parents.

use crate::best_effort::BestEffort;
use crate::catalogue::Kind;
use alloc::boxed::Box;
use windfall_hierarchy::{Child, Message, Own, Port, Refusal, Scheduler, TimerId, View, VpState};

const TAKES: &str = "job and periodic, for its parents; ask its parents for anything else";

pub(crate) const KIND: Kind = Kind {
    name: "join",
    summary: "one child, served whenever any of several parents serves it",
    source: include_str!("join.rs"),
    settings: &[],
    build: |_| Ok(Box::new(Join::new())),
    conversion: |_| Ok(Box::new(BestEffort)),
};

/// The scheduler.
#[derive(Default)]
pub struct Join {
    child: Option<Child>,
}

impl Join {
    /// Without a child.
    #[must_use]
    pub fn new() -> Join {
        Join::default()
    }
}

/// The own VPs, the highest first, so that the first to be asked is the one preferred.
fn own_vps(owns: usize) -> impl Iterator<Item = Own> {
    (0..u16::try_from(owns).unwrap_or(u16::MAX)).rev().map(Own)
}

/// When the answer to a request is known.
const ANSWERED: TimerId = TimerId(0);

/// Asks the highest parent that is not asked and would serve the child better than whoever does,
/// and later the next, unless it grants.
fn ask(child: Child, port: &mut Port<'_>) {
    let serving = port.held_through(child);
    let mut waiting = own_vps(port.owns())
        .take_while(|own| Some(*own) > serving)
        .filter(|own| port.own(*own) == VpState::Waiting);
    let (first, more) = (waiting.next(), waiting.next().is_some());
    if let Some(own) = first {
        port.request(own);
    }
    if more {
        port.set_timer(ANSWERED, Some(port.now()));
    }
}

impl Scheduler for Join {
    fn timers(&self, _: usize) -> usize {
        1
    }

    fn init(&mut self, _: &mut Port<'_>) {}

    fn register(&mut self, child: Child, _: &mut Port<'_>) -> Result<(), Refusal> {
        if self.child.is_some() {
            return Err(Refusal::Full { limit: "a join has one child" });
        }
        self.child = Some(child);
        Ok(())
    }

    fn unregister(&mut self, _: Child, _: &mut Port<'_>) {
        self.child = None;
    }

    fn request(&mut self, child: Child, port: &mut Port<'_>) {
        ask(child, port);
    }

    fn release(&mut self, _: Child, _: Option<Own>, port: &mut Port<'_>) {
        for own in own_vps(port.owns()) {
            if port.own(own) != VpState::Waiting {
                port.release(own);
            }
        }
    }

    fn message(
        &mut self,
        child: Option<Child>,
        message: Message,
        port: &mut Port<'_>,
    ) -> Result<(), Refusal> {
        match (child, message) {
            (Some(_), Message::Job { .. } | Message::Periodic { .. }) => {
                for own in own_vps(port.owns()) {
                    port.message(own, message);
                }
                Ok(())
            }
            _ => Err(Refusal::NotUnderstood { message: message.name(), takes: TAKES }),
        }
    }

    fn grant(&mut self, own: Own, port: &mut Port<'_>) {
        let Some(child) = self.child else {
            return port.release(own);
        };
        match port.held_through(child) {
            Some(serving) if serving < own => {
                port.revoke(child);
                port.release(serving);
                port.grant(child, own);
            }
            None if port.child(child) == VpState::Ready => port.grant(child, own),
            _ => port.release(own),
        }
    }

    fn revoke(&mut self, _: Own, child: Child, port: &mut Port<'_>) {
        port.revoke(child);
        ask(child, port);
    }

    fn timer(&mut self, _: TimerId, port: &mut Port<'_>) {
        if let Some(child) = self.child.filter(|child| port.child(*child) != VpState::Waiting) {
            ask(child, port);
        }
    }

    fn next(&self, _: Own, view: &View<'_>) -> Option<Child> {
        self.child.filter(|child| view.child(*child) == VpState::Ready)
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        if !view.children().eq(self.child) {
            return Err("the child is not the one that was registered");
        }
        let serving = own_vps(view.owns()).find(|own| view.held_by(*own).is_some());
        let state = self.child.map_or(VpState::Waiting, |child| view.child(child));
        for own in own_vps(view.owns()) {
            let right = match state {
                VpState::Waiting => view.own(own) == VpState::Waiting,
                VpState::Ready => view.own(own) == VpState::Ready,
                VpState::Running(_) if Some(own) > serving => view.own(own) == VpState::Ready,
                VpState::Running(_) if Some(own) < serving => {
                    !matches!(view.own(own), VpState::Running(_))
                }
                VpState::Running(_) => true,
            };
            if !right {
                return Err("a parent is not asked, or asked for nobody");
            }
        }
        Ok(())
    }
}

//! The scheduler that takes over from a quarantined one: round robin, no parameters, no promises.
//!
//! It serves whoever is ready in the order of asking, 10 ms each while others wait, on as many
//! processors as the instance has. It refuses nobody. Its `init` finds the children where its
//! predecessor left them.

use crate::error::Refusal;
use crate::heap::Heap;
use crate::id::{Child, Own, TimerId};
use crate::message::Message;
use crate::port::{Port, View};
use crate::scheduler::Scheduler;
use crate::vp::VpState;
use alloc::vec::Vec;
use windfall_time::{Instant, Span};

const QUANTUM: Span = Span::from_millis(10);

#[derive(Default)]
pub(crate) struct Refuge {
    /// Ready children that no processor serves, by order of asking.
    queue: Heap<u64>,
    asked: u64,
    /// By own VP: the place in line of the child that runs there, and since when it runs.
    serving: Vec<(u64, Instant)>,
}

impl Refuge {
    fn enqueue(&mut self, child: Child) {
        self.asked += 1;
        self.queue.set(child.0, self.asked);
    }

    /// Gives the processor of `own`, which no child holds, to the next in line or back.
    fn serve(&mut self, own: Own, port: &mut Port<'_>) {
        if let Some((place, child)) = self.queue.pop() {
            self.serving[own.index()] = (place, port.now());
            port.grant(Child(child), own);
            port.set_timer(TimerId(own.0), Some(port.now().saturating_add(QUANTUM)));
        } else {
            port.release(own);
            port.set_timer(TimerId(own.0), None);
        }
    }

    /// Asks for one more processor if somebody waits who is not asked for yet.
    fn seek(&mut self, port: &mut Port<'_>) {
        let owns = own_numbers(port);
        let asked = owns.clone().filter(|own| port.own(*own) == VpState::Ready).count();
        if asked < self.queue.len()
            && let Some(own) = owns.clone().find(|own| port.own(*own) == VpState::Waiting)
        {
            port.request(own);
        }
    }
}

fn own_numbers(port: &Port<'_>) -> impl Iterator<Item = Own> + Clone + use<> {
    let owns = u16::try_from(port.owns()).expect("own VPs are numbered by 16 bits");
    (0..owns).map(Own)
}

impl Scheduler for Refuge {
    fn timers(&self, owns: usize) -> usize {
        owns
    }

    fn init(&mut self, port: &mut Port<'_>) {
        let slots = port.child_slots();
        self.queue.reserve(slots as usize);
        self.serving.resize(port.owns(), (0, Instant::ZERO));
        for child in (0..slots).map(Child) {
            if port.child(child) == VpState::Ready {
                self.enqueue(child);
            }
        }
        for own in own_numbers(port) {
            match port.own(own) {
                VpState::Running(_) => self.serve(own, port),
                VpState::Ready => {}
                VpState::Waiting => self.seek(port),
            }
        }
    }

    fn register(&mut self, child: Child, _: &mut Port<'_>) -> Result<(), Refusal> {
        self.queue.reserve(child.index() + 1);
        Ok(())
    }

    fn unregister(&mut self, _: Child, _: &mut Port<'_>) {}

    fn request(&mut self, child: Child, port: &mut Port<'_>) {
        self.enqueue(child);
        self.seek(port);
    }

    fn release(&mut self, child: Child, held: Option<Own>, port: &mut Port<'_>) {
        match held {
            Some(own) => self.serve(own, port),
            None => {
                self.queue.remove(child.0);
            }
        }
    }

    fn message(
        &mut self,
        _: Option<Child>,
        message: Message,
        _: &mut Port<'_>,
    ) -> Result<(), Refusal> {
        Err(Refusal::NotUnderstood { message: message.name(), takes: "no messages" })
    }

    fn grant(&mut self, own: Own, port: &mut Port<'_>) {
        self.serve(own, port);
    }

    fn revoke(&mut self, own: Own, child: Child, port: &mut Port<'_>) {
        port.revoke(child);
        port.set_timer(TimerId(own.0), None);
        // Who has not run yet keeps its place. Otherwise one that is always served at the very
        // moment when the processor is taken away would starve.
        match self.serving[own.index()] {
            (place, since) if since == port.now() => self.queue.set(child.0, place),
            _ => self.enqueue(child),
        }
    }

    fn timer(&mut self, timer: TimerId, port: &mut Port<'_>) {
        let own = Own(timer.0);
        let Some(child) = port.held_by(own) else {
            return;
        };
        if self.queue.is_empty() {
            port.set_timer(timer, Some(port.now().saturating_add(QUANTUM)));
            return;
        }
        port.revoke(child);
        self.enqueue(child);
        self.serve(own, port);
    }

    fn next(&self, _: Own, _: &View<'_>) -> Option<Child> {
        self.queue.peek().map(|(_, child)| Child(child))
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        let ready = view.children().filter(|c| view.child(*c) == VpState::Ready);
        let mut count = 0;
        for child in ready {
            count += 1;
            if !self.queue.contains(child.0) {
                return Err("a ready child is not in the queue");
            }
        }
        if count == self.queue.len() {
            Ok(())
        } else {
            Err("the queue holds a child that is not ready")
        }
    }
}

//! A scheduler that breaks each rule in turn, in every place: it is quarantined by name, rule and
//! state, and no thread is lost.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use windfall_hierarchy::{
    Child, Hierarchy, Message, NodeId, NodeSpec, Own, Parent, Port, Processor, Refusal, Rule,
    Scheduler, ThreadId, TimerId, View, VpState,
};
use windfall_schedulers::RoundRobin;
use windfall_time::{Instant, Span};

const QUANTUM: Span = Span::from_millis(10);

/// When the misdeed is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Moment {
    /// At the first event of its own.
    Event,
    /// While its parent revokes a processor, so that others wait for it to be done.
    Revoke,
}

/// Round robin, until it is told to break a rule.
struct Saboteur {
    inner: RoundRobin,
    rule: Rule,
    moment: Moment,
    armed: Arc<AtomicBool>,
}

impl Saboteur {
    fn acts(&self, moment: Moment) -> bool {
        self.armed.load(Ordering::Relaxed) && self.moment == moment
    }

    /// Breaks the rule, if there is a VP to break it with.
    fn act(&self, moment: Moment, port: &mut Port<'_>) {
        if !self.acts(moment) {
            return;
        }
        let owns = || (0..u16::try_from(port.owns()).unwrap()).map(Own);
        let own = |wanted: fn(VpState) -> bool| owns().find(|own| wanted(port.own(*own)));
        let held = owns().find(|own| port.held_by(*own).is_some());
        let children = || (0..port.child_slots()).map(Child);
        let ready = children().find(|child| port.child(*child) == VpState::Ready);
        let idle = children().find(|child| !matches!(port.child(*child), VpState::Running(_)));
        match self.rule {
            Rule::KeptProcessor => {
                held.and_then(|own| port.held_by(own)).map(|child| port.revoke(child));
            }
            Rule::GrantedWithoutRequest => {
                let other = children().find(|child| port.child(*child) != VpState::Ready);
                if let Some(child) = other {
                    port.grant(child, Own(0));
                }
            }
            Rule::GrantedWithoutProcessor => {
                if let Some(own) = held
                    && let Some(child) = port.held_by(own)
                {
                    port.revoke(child);
                    port.release(own);
                    port.grant(child, own);
                }
            }
            Rule::GrantedTwice => {
                if let (Some(child), Some(own)) = (ready, held) {
                    port.grant(child, own);
                }
            }
            Rule::RevokedIdle => {
                idle.map(|child| port.revoke(child));
            }
            Rule::RequestedTwice => {
                if let Some(own) = own(|state| state != VpState::Waiting) {
                    port.request(own);
                }
            }
            Rule::ReleasedWaiting => {
                if let Some(own) = held {
                    port.held_by(own).map(|child| port.revoke(child));
                    port.release(own);
                    port.release(own);
                }
            }
            Rule::ReleasedHeld => held.into_iter().for_each(|own| port.release(own)),
            Rule::UnknownName => port.grant(Child(1 << 20), Own(0)),
            Rule::TooManyEffects => {
                for _ in 0..1000 {
                    port.set_timer(TimerId(0), Some(port.now()));
                }
            }
            Rule::Endless => port.set_timer(TimerId(0), Some(port.now())),
            Rule::Panicked => panic!("the saboteur panics, as it should"),
            Rule::KeptRevoked | Rule::Inconsistent => {}
        }
    }
}

impl Scheduler for Saboteur {
    fn timers(&self, owns: usize) -> usize {
        self.inner.timers(owns)
    }

    fn init(&mut self, port: &mut Port<'_>) {
        self.inner.init(port);
    }

    fn register(&mut self, child: Child, port: &mut Port<'_>) -> Result<(), Refusal> {
        self.inner.register(child, port)
    }

    fn unregister(&mut self, child: Child, port: &mut Port<'_>) {
        self.inner.unregister(child, port);
    }

    fn request(&mut self, child: Child, port: &mut Port<'_>) {
        self.inner.request(child, port);
        self.act(Moment::Event, port);
    }

    fn release(&mut self, child: Child, held: Option<Own>, port: &mut Port<'_>) {
        self.inner.release(child, held, port);
        self.act(Moment::Event, port);
    }

    fn message(&mut self, _: Option<Child>, _: Message, _: &mut Port<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    fn grant(&mut self, own: Own, port: &mut Port<'_>) {
        self.inner.grant(own, port);
        self.act(Moment::Event, port);
    }

    fn revoke(&mut self, own: Own, child: Child, port: &mut Port<'_>) {
        if self.rule == Rule::KeptRevoked && self.armed.load(Ordering::Relaxed) {
            return;
        }
        self.inner.revoke(own, child, port);
        self.act(Moment::Revoke, port);
    }

    fn timer(&mut self, timer: TimerId, port: &mut Port<'_>) {
        self.inner.timer(timer, port);
        let endless = self.rule == Rule::Endless && self.armed.load(Ordering::Relaxed);
        if endless && timer == TimerId(0) {
            port.set_timer(TimerId(0), Some(port.now()));
        } else {
            self.act(Moment::Event, port);
        }
    }

    fn next(&self, own: Own, view: &View<'_>) -> Option<Child> {
        self.inner.next(own, view)
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        if self.rule == Rule::Inconsistent && self.armed.load(Ordering::Relaxed) {
            return Err("the saboteur says so");
        }
        self.inner.check(view)
    }
}

/// Where the saboteur stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// Below a root that is the default.
    Middle,
    /// In the middle, and the default itself.
    Default,
    /// Between the root and the default.
    AboveDefault,
    /// At the root, and the default.
    Root,
}

struct Case {
    tree: Hierarchy,
    now: Instant,
    threads: Vec<ThreadId>,
}

impl Case {
    fn create(&mut self, name: &str, scheduler: Box<dyn Scheduler>, parent: Parent) -> NodeId {
        let owns: [(Parent, &[Message]); 2] = [(parent, &[]); 2];
        let spec = NodeSpec { name, kind: "test", scheduler, owns: &owns };
        self.tree.create(self.now, spec).unwrap()
    }

    fn spawn(&mut self, parent: NodeId, count: usize) {
        for _ in 0..count {
            let thread = self.tree.create_thread(self.now, parent, &[]).unwrap();
            self.tree.ready(self.now, thread).unwrap();
            self.threads.push(thread);
        }
    }

    /// Lets time pass; who ran.
    fn pass(&mut self, span: Span) -> BTreeSet<ThreadId> {
        let end = self.now.saturating_add(span);
        let mut ran = BTreeSet::new();
        while let Some(due) = self.tree.next_timer().filter(|at| *at <= end) {
            self.now = due;
            self.tree.timer_due(due).unwrap();
            self.tree.check_tables().unwrap();
            ran.extend((0..2).filter_map(|number| self.tree.running(Processor(number))));
        }
        self.now = end;
        ran
    }

    /// Has every thread block and wake once.
    fn stir(&mut self) {
        for thread in self.threads.clone() {
            for _ in 0..2 {
                match self.tree.thread_state(thread) {
                    Some(VpState::Waiting) => self.tree.ready(self.now, thread).unwrap(),
                    _ => self.tree.blocked(self.now, thread).unwrap(),
                }
                self.tree.check_tables().unwrap();
            }
        }
    }
}

fn fair() -> Box<dyn Scheduler> {
    Box::new(RoundRobin::new(QUANTUM))
}

fn commit(rule: Rule, moment: Moment, place: Place) {
    let armed = Arc::new(AtomicBool::new(false));
    let inner = RoundRobin::new(QUANTUM);
    let saboteur = Box::new(Saboteur { inner, rule, moment, armed: armed.clone() });
    let tree = Hierarchy::new(2);
    let mut case = Case { tree, now: Instant::ZERO, threads: Vec::new() };
    let bad = if place == Place::Root {
        case.create("saboteur", saboteur, Parent::Top)
    } else {
        let root = case.create("root", fair(), Parent::Top);
        case.create("saboteur", saboteur, Parent::Node(root))
    };
    let below = case.create("below", fair(), Parent::Node(bad));
    case.spawn(bad, 3);
    case.spawn(below, 3);
    match place {
        Place::Default => case.tree.set_default(case.now, bad).unwrap(),
        Place::AboveDefault => case.tree.set_default(case.now, below).unwrap(),
        Place::Middle | Place::Root => {}
    }
    let root = case.tree.find_node("root").unwrap_or(bad);
    case.spawn(root, 3);
    assert_eq!(case.pass(Span::from_secs(1)).len(), case.threads.len());

    armed.store(true, Ordering::Relaxed);
    case.stir();
    case.pass(Span::from_secs(1));
    case.tree.check_schedulers();
    case.tree.check_tables().unwrap();

    let told = case.tree.quarantined();
    assert_eq!(told.len(), 1, "{told:?}");
    let (node, name, defect) = &told[0];
    assert_eq!((*node, name.as_str(), defect.rule), (bad, "saboteur", rule));
    let names_a_vp = !matches!(
        rule,
        Rule::UnknownName
            | Rule::TooManyEffects
            | Rule::Endless
            | Rule::Panicked
            | Rule::Inconsistent
    );
    assert_eq!(defect.state.is_some(), names_a_vp, "{defect}");
    let stays = place != Place::Middle;
    assert_eq!(case.tree.node(bad).is_some_and(|view| view.quarantined), stays);
    assert_eq!(case.tree.node(bad).is_some(), stays);

    // Life goes on, for all.
    assert_eq!(case.pass(Span::from_secs(1)).len(), case.threads.len(), "a thread is lost");
    case.stir();
    assert_eq!(case.pass(Span::from_secs(1)).len(), case.threads.len(), "a thread is lost");
    case.tree.check_schedulers();
    assert_eq!(case.tree.quarantined().len(), 1);
    for thread in case.threads {
        case.tree.exited(case.now, thread).unwrap();
        case.tree.check_tables().unwrap();
    }
    assert!((0..2).all(|number| case.tree.running(Processor(number)).is_none()));
}

fn every_rule(moment: Moment, place: Place) {
    for rule in Rule::ALL {
        println!("{rule:?}, {moment:?}, {place:?}");
        commit(rule, moment, place);
    }
}

#[test]
fn refuses_every_broken_rule_in_the_middle() {
    every_rule(Moment::Event, Place::Middle);
}

#[test]
fn refuses_every_broken_rule_in_the_default() {
    every_rule(Moment::Event, Place::Default);
}

#[test]
fn refuses_every_broken_rule_above_the_default() {
    every_rule(Moment::Event, Place::AboveDefault);
}

#[test]
fn refuses_every_broken_rule_at_the_root() {
    for rule in Rule::ALL {
        // The top never revokes.
        if rule != Rule::KeptRevoked {
            println!("{rule:?}");
            commit(rule, Moment::Event, Place::Root);
        }
    }
}

#[test]
fn refuses_every_broken_rule_during_a_nested_revoke() {
    for place in [Place::Middle, Place::Default, Place::AboveDefault] {
        every_rule(Moment::Revoke, place);
    }
}

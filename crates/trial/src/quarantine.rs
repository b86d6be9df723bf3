//! Quarantine: a scheduler that breaks each rule in turn, in every place, is quarantined by name, rule and state, and no thread
//! is lost.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use windfall_hierarchy::{
    Answer, ChildVp, Context, Hierarchy, Message, NodeId, NodeSpec, OwnVp, Parent, Processor, Rule,
    Scheduler, ThreadId, TimerId, View, VpState,
};
use windfall_schedulers::catalogue::{Kind, Settings};
use windfall_schedulers::kinds;
use windfall_time::{Instant, Span};

/// When the misdeed is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// At the first event of its own.
    Event,
    /// While its parent revokes a processor, so that others wait for it to be done.
    Revoke,
}

/// A scheduler, until it is told to break a rule.
#[derive(Clone)]
struct Saboteur {
    inner: Box<dyn Scheduler>,
    rule: Rule,
    moment: Moment,
    armed: Arc<AtomicBool>,
}

impl Saboteur {
    fn acts(&self, moment: Moment) -> bool {
        self.armed.load(Ordering::Relaxed) && self.moment == moment
    }

    /// Breaks the rule, if there is a VP to break it with.
    fn act(&self, moment: Moment, context: &mut Context<'_>) {
        if !self.acts(moment) {
            return;
        }
        let owns = || (0..u16::try_from(context.owns()).unwrap()).map(OwnVp);
        let held = owns().find(|own| context.held_by(*own).is_some());
        match self.rule {
            Rule::RequestedTwice => {
                if let Some(own) = owns().find(|own| context.own(*own) != VpState::Waiting) {
                    context.request(own);
                }
            }
            Rule::ReleasedWaiting => {
                if let Some(own) = held {
                    context.held_by(own).map(|child| context.revoke(child));
                    context.release(own);
                    context.release(own);
                }
            }
            Rule::ReleasedHeld => held.into_iter().for_each(|own| context.release(own)),
            Rule::RegisteredBusy => context.register(OwnVp(0)),
            Rule::TooManyEffects => {
                for _ in 0..1000 {
                    context.set_timer(TimerId(0), Some(context.now()));
                }
            }
            Rule::Endless => context.set_timer(TimerId(0), Some(context.now())),
            Rule::Panicked => panic!("the saboteur panics, as it should"),
            Rule::KeptRevoked | Rule::Inconsistent => {}
            _ => self.grant(held, context),
        }
    }

    /// Breaks a rule about which child has a processor.
    fn grant(&self, held: Option<OwnVp>, context: &mut Context<'_>) {
        let children = || (0..context.child_slots()).map(ChildVp);
        let ready = children().find(|child| context.child(*child) == VpState::Ready);
        let idle = children().find(|child| !matches!(context.child(*child), VpState::Running(_)));
        match self.rule {
            Rule::KeptProcessor => {
                held.and_then(|own| context.held_by(own)).map(|child| context.revoke(child));
            }
            Rule::GrantedWithoutRequest => {
                let other = children().find(|child| context.child(*child) != VpState::Ready);
                if let Some(child) = other {
                    context.grant(child, OwnVp(0));
                }
            }
            Rule::GrantedWithoutProcessor => {
                if let Some(own) = held
                    && let Some(child) = context.held_by(own)
                {
                    context.revoke(child);
                    context.release(own);
                    context.grant(child, own);
                }
            }
            Rule::GrantedTwice => {
                if let (Some(child), Some(own)) = (ready, held) {
                    context.grant(child, own);
                }
            }
            Rule::RevokedIdle => {
                idle.map(|child| context.revoke(child));
            }
            Rule::UnknownName => context.grant(ChildVp(1 << 20), OwnVp(0)),
            rule => unreachable!("{rule:?} is broken without a child"),
        }
    }
}

impl Scheduler for Saboteur {
    fn timers(&self, owns: usize) -> usize {
        self.inner.timers(owns)
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.inner.init(context);
    }

    fn register(&mut self, child: ChildVp, context: &mut Context<'_>) -> Answer {
        self.inner.register(child, context)
    }

    fn unregister(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.inner.unregister(child, context);
    }

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.inner.request(child, context);
        self.act(Moment::Event, context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.inner.release(child, held, context);
        self.act(Moment::Event, context);
    }

    fn message(&mut self, _: Option<ChildVp>, _: Message, _: &mut Context<'_>) -> Answer {
        Ok(())
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.inner.grant(own, context);
        self.act(Moment::Event, context);
    }

    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        if self.rule == Rule::KeptRevoked && self.armed.load(Ordering::Relaxed) {
            return;
        }
        self.inner.revoke(own, child, context);
        self.act(Moment::Revoke, context);
    }

    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>) {
        self.inner.timer(timer, context);
        let endless = self.rule == Rule::Endless && self.armed.load(Ordering::Relaxed);
        if endless && timer == TimerId(0) {
            context.set_timer(TimerId(0), Some(context.now()));
        } else {
            self.act(Moment::Event, context);
        }
    }

    fn next(&self, own: OwnVp, view: &View<'_>) -> Option<ChildVp> {
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
pub enum Place {
    /// Below a root that is the default.
    Middle,
    /// In the middle, and the default itself.
    Default,
    /// Between the root and the default.
    AboveDefault,
    /// At the root, and the default.
    Root,
}

#[derive(Clone)]
struct Case {
    tree: Hierarchy,
    now: Instant,
    threads: Vec<ThreadId>,
}

impl Case {
    fn create(&mut self, name: &str, scheduler: Box<dyn Scheduler>, parent: Parent) -> NodeId {
        let owns: [(Parent, &[Message]); 2] = [(parent, &[]); 2];
        let spec = NodeSpec::new(name, "test", scheduler, &owns);
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
    kinds::ROUND_ROBIN.build(&Settings::default()).unwrap()
}

/// Has an instance of a kind, which shares a processor among all its children, break a rule.
///
/// # Panics
/// When it is not quarantined by name, rule and state, or a thread is lost.
pub fn refuses(kind: &Kind, rule: Rule, moment: Moment, place: Place) {
    let armed = Arc::new(AtomicBool::new(false));
    let inner = kind.build(&Settings::default()).unwrap();
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

/// Every rule, at a moment and a place.
///
/// # Panics
/// As [`refuses`].
pub fn refuses_every_rule(kind: &Kind, moment: Moment, place: Place) {
    for rule in Rule::ALL {
        // The top never revokes.
        if (rule, place) != (Rule::KeptRevoked, Place::Root) {
            println!("{rule:?}, {moment:?}, {place:?}");
            refuses(kind, rule, moment, place);
        }
    }
}

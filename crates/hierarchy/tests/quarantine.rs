//! Schedulers that break each rule, at every place in a tree: each is quarantined, the report names its
//! rule and state, and no thread is lost (crate `windfall-trial`).

use windfall_hierarchy::{
    Answer, ChildVp, Context, Hierarchy, Message, NodeSpec, OwnVp, Parent, Scheduler, TimerId, View,
};
use windfall_schedulers::catalogue::Settings;
use windfall_schedulers::kinds::ROUND_ROBIN;
use windfall_time::Instant;
use windfall_trial::quarantine::{Moment, Place, refuses_every_rule};

#[test]
fn refuses_every_broken_rule_in_the_middle() {
    refuses_every_rule(ROUND_ROBIN, Moment::Event, Place::Middle);
}

#[test]
fn refuses_every_broken_rule_in_the_default() {
    refuses_every_rule(ROUND_ROBIN, Moment::Event, Place::Default);
}

#[test]
fn refuses_every_broken_rule_above_the_default() {
    refuses_every_rule(ROUND_ROBIN, Moment::Event, Place::AboveDefault);
}

#[test]
fn refuses_every_broken_rule_at_the_root() {
    refuses_every_rule(ROUND_ROBIN, Moment::Event, Place::Root);
}

#[test]
fn refuses_every_broken_rule_during_a_nested_revoke() {
    for place in [Place::Middle, Place::Default, Place::AboveDefault] {
        refuses_every_rule(ROUND_ROBIN, Moment::Revoke, place);
    }
}

/// A round robin that panics when a child is removed.
#[derive(Clone)]
struct Clinging(Box<dyn Scheduler>);

impl Scheduler for Clinging {
    fn timers(&self, owns: usize) -> usize {
        self.0.timers(owns)
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.0.init(context);
    }

    fn register(&mut self, child: ChildVp, context: &mut Context<'_>) -> Answer {
        self.0.register(child, context)
    }

    fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {
        panic!("it clings to its children, as it should here");
    }

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.0.request(child, context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.0.release(child, held, context);
    }

    fn message(&mut self, _: Option<ChildVp>, _: Message, _: &mut Context<'_>) -> Answer {
        Ok(())
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.0.grant(own, context);
    }

    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.0.revoke(own, child, context);
    }

    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>) {
        self.0.timer(timer, context);
    }

    fn next(&self, own: OwnVp, view: &View<'_>) -> Option<ChildVp> {
        self.0.next(own, view)
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.0.check(view)
    }
}

/// The children of a scheduler that is quarantined while it is being destroyed were moved twice.
#[test]
fn r0004_a_scheduler_quarantined_while_it_is_destroyed_lost_count_of_its_children() {
    let (mut tree, now) = (Hierarchy::new(1), Instant::ZERO);
    let build = || ROUND_ROBIN.build(&Settings::default()).unwrap();
    let top: &[(Parent, &[Message])] = &[(Parent::Top, &[])];
    let root = tree.create(now, NodeSpec::new("root", "round-robin", build(), top)).unwrap();
    let owns: &[(Parent, &[Message])] = &[(Parent::Node(root), &[])];
    let spec = NodeSpec::new("clinging", "test", Box::new(Clinging(build())), owns);
    let clinging = tree.create(now, spec).unwrap();
    let threads = [(); 4].map(|()| tree.create_thread(now, clinging, &[]).unwrap());
    threads.iter().for_each(|thread| tree.ready(now, *thread).unwrap());
    tree.destroy(now, clinging).unwrap();
    tree.check_tables().unwrap();
    assert_eq!(tree.quarantined().len(), 1);
    assert!(tree.node(clinging).is_none());
    for thread in threads {
        assert_eq!(tree.parent_of(thread), Ok(root));
        tree.exited(now, thread).unwrap();
    }
    tree.check_tables().unwrap();
}

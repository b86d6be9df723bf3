//! Defects that random testing has found and that a small script reproduces. Others are kept in `random.rs` as the
//! steps that led to them.

use crate::common::Host;
use windfall_hierarchy::{
    Answer, ChildVp, Context, Message, NodeSpec, OwnVp, Parent, Scheduler, TimerId, View,
};
use windfall_schedulers::catalogue::Settings;
use windfall_schedulers::kinds;

/// Two parents of one scheduler: one busy with something better, the other idle.
#[test]
fn r0002_a_ready_thread_waited_for_a_busy_parent_while_another_was_idle() {
    let mut host = Host::new(2);
    let [zero, one] = ["zero", "one"].map(|name| {
        let top: (Parent, &[Message]) = (Parent::Top, &[]);
        host.try_node(name, "fixed-priority", &[], &[top]).unwrap()
    });
    let busy = host.spin(zero, "busy", &[Message::Priority(9)]);
    let parents = [(Parent::Node(zero), &[][..]), (Parent::Node(one), &[][..])];
    let both = host.try_node("both", "edf", &[], &parents).unwrap();
    let thread = host.spin(both, "thread", &[]);
    assert_eq!((host.on(0), host.on(1)), (Some(busy), Some(thread)));
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
    let mut host = Host::new(1);
    let root = host.top(kinds::ROUND_ROBIN);
    let scheduler = Clinging(kinds::ROUND_ROBIN.build(&Settings::default()).unwrap());
    let owns: &[(Parent, &[Message])] = &[(Parent::Node(root), &[])];
    let spec = NodeSpec::new("clinging", "test", Box::new(scheduler), owns);
    let clinging = host.tree.create(crate::common::at(0), spec).unwrap();
    let threads: Vec<_> = (0..4).map(|n| host.spin(clinging, &format!("t{n}"), &[])).collect();
    host.tree.destroy(crate::common::at(0), clinging).unwrap();
    host.tree.check_tables().unwrap();
    assert_eq!(host.tree.quarantined().len(), 1);
    assert!(host.tree.node(clinging).is_none());
    for thread in threads {
        assert_eq!(host.tree.parent_of(host.threads[thread].id), Ok(root));
        host.tree.exited(crate::common::at(0), host.threads[thread].id).unwrap();
    }
    host.tree.check_tables().unwrap();
}

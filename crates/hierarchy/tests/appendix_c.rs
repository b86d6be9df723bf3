//! A scheduler that registers with its parent when its first child comes, and unregisters when the last one leaves, as the one of
//! HLS appendix C does.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Hierarchy, Message, NodeId, NodeSpec, OwnVp, Parent,
    Processor, Scheduler, Target, TimerId,
};
use windfall_schedulers::catalogue::Settings;
use windfall_schedulers::kinds;
use windfall_time::{Instant, Span};

const OWN: OwnVp = OwnVp(0);

/// Passes on what one of its children has at a time; the first come is served until it waits.
#[derive(Clone, Default)]
struct OnDemand {
    children: usize,
    ready: Vec<ChildVp>,
}

impl Scheduler for OnDemand {
    fn timers(&self, _: usize) -> usize {
        0
    }
    fn init(&mut self, context: &mut Context<'_>) {
        context.unregister(OWN);
    }
    fn register(&mut self, _: ChildVp, context: &mut Context<'_>) -> Answer {
        self.children += 1;
        if self.children == 1 {
            context.register(OWN);
        }
        Ok(())
    }
    fn unregister(&mut self, _: ChildVp, context: &mut Context<'_>) {
        self.children -= 1;
        if self.children == 0 {
            context.unregister(OWN);
        }
    }
    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.ready.push(child);
        if self.ready.len() == 1 && context.held_by(OWN).is_none() {
            context.request(OWN);
        }
    }
    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.ready.retain(|other| *other != child);
        match (held, self.ready.first()) {
            (Some(own), Some(next)) => context.grant(*next, own),
            (_, None) => context.release(OWN),
            (None, Some(_)) => {}
        }
    }
    fn message(&mut self, _: Option<ChildVp>, message: Message, _: &mut Context<'_>) -> Answer {
        Err(AnswerError::NotUnderstood { message: message.name(), takes: "nothing" })
    }
    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        context.grant(self.ready[0], own);
    }
    fn revoke(&mut self, _: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        context.revoke(child);
    }
    fn timer(&mut self, _: TimerId, _: &mut Context<'_>) {}
}

const AT: Instant = Instant::ZERO;

fn reserve(ms: u32) -> Message {
    Message::Reserve { amount: Span::from_millis(ms), period: Span::from_millis(10) }
}

/// A reservation scheduler, and below it one that has 6 ms in every 10 ms while it has children.
fn tree() -> (Hierarchy, NodeId, NodeId) {
    let mut tree = Hierarchy::new(1);
    let rez = kinds::REZ.build(&Settings(&[])).unwrap();
    let spec = NodeSpec::new("rez", "rez", rez, &[(Parent::Top, &[])]);
    let rez = tree.create(AT, spec).unwrap();
    let requested = [reserve(6)];
    let owns: [(Parent, &[Message]); 1] = [(Parent::Node(rez), &requested)];
    let spec = NodeSpec::new("ps", "on-demand", Box::new(OnDemand::default()), &owns);
    let ps = tree.create(AT, spec).unwrap();
    (tree, rez, ps)
}

fn is_registered(tree: &Hierarchy, rez: NodeId, ps: NodeId) -> bool {
    tree.check_tables().unwrap();
    assert_eq!(tree.quarantined(), []);
    let children = tree.node(rez).unwrap().children;
    children.contains(&Target::Node(ps))
}

#[test]
fn paper_appendix_c_a_scheduler_is_registered_while_it_has_children() {
    let (mut tree, rez, ps) = tree();
    assert!(!is_registered(&tree, rez, ps));
    let one = tree.create_thread(AT, ps, &[]).unwrap();
    assert!(is_registered(&tree, rez, ps));
    tree.ready(AT, one).unwrap();
    assert_eq!(tree.running(Processor(0)), Some(one));
    let two = tree.create_thread(AT, ps, &[]).unwrap();
    tree.exited(AT, one).unwrap();
    assert!(is_registered(&tree, rez, ps));
    tree.exited(AT, two).unwrap();
    assert!(!is_registered(&tree, rez, ps));
}

#[test]
fn law_what_an_own_vp_had_is_asked_for_again_and_may_be_refused() {
    let (mut tree, rez, ps) = tree();
    // Meanwhile another has what it would ask for.
    let other = tree.create_thread(AT, rez, &[reserve(5)]).unwrap();
    let one = tree.create_thread(AT, ps, &[]).unwrap();
    assert!(!is_registered(&tree, rez, ps));
    tree.ready(AT, one).unwrap();
    assert_eq!(tree.running(Processor(0)), None, "it is requested and never granted");
    tree.exited(AT, one).unwrap();
    tree.exited(AT, other).unwrap();
    let later = AT + Span::from_millis(20);
    let one = tree.create_thread(later, ps, &[]).unwrap();
    assert!(is_registered(&tree, rez, ps));
    tree.ready(later, one).unwrap();
    assert_eq!(tree.running(Processor(0)), Some(one));
}

//! The steps of a trial, and how they are drawn.
//!
//! A step is a plain value that prints as text, so that a failing case can be kept as one.

use super::message::message;
use proptest::prelude::*;
use windfall_hierarchy::Message;

/// The next step. Numbers choose among the objects that exist at the time, modulo their count.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "fields are numbers of what they are called, and messages")]
pub enum Step {
    /// A thread is created, and asks for something.
    Spawn { node: u8, message: Option<Message> },
    /// A thread can run.
    Ready(u8),
    /// A thread waits.
    Block(u8),
    /// A thread lets others go before.
    Yield(u8),
    /// A thread ends.
    Exit(u8),
    /// A thread goes to another scheduler.
    Move { thread: u8, to: u8, message: Option<Message> },
    /// A scheduler's own virtual processor goes to another parent: of 0 modulo 8 to the top.
    Shift { node: u8, own: u8, to: u8, message: Option<Message> },
    /// A scheduler gains a parent.
    Gain { node: u8, to: u8, message: Option<Message> },
    /// A scheduler loses a parent.
    Lose { node: u8, own: u8 },
    /// Several requests, all or none.
    Together(Vec<Step>),
    /// A thread's scheduler is sent a message about it.
    Send { thread: u8, what: Message },
    /// A job of so many nanoseconds is released, and due in so many.
    Job { thread: u8, due_in: u32, work: u32 },
    /// A thread has so much work to do by then.
    Constrain { thread: u8, due_in: u32, work: u32 },
    /// A scheduler's parent is sent a message about one of its own virtual processors.
    Request { node: u8, own: u8, what: Message },
    /// A scheduler is sent a message about itself.
    Configure { node: u8, what: Message },
    /// A scheduler is created: a parent of 0 modulo 8 is the top.
    Create { kind: u8, parents: Vec<u8>, message: Option<Message> },
    /// A scheduler is destroyed.
    Destroy(u8),
    /// A scheduler becomes the default.
    Default(u8),
    /// Time passes, and timers are served.
    Pass { ns: u32 },
}

/// Steps of all kinds, of which a test draws a few hundred.
pub fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        40 => plain(),
        1 => prop::collection::vec(plain(), 1..5).prop_map(Step::Together),
    ]
}

fn plain() -> impl Strategy<Value = Step> {
    let maybe = || prop::option::weighted(0.7, message());
    prop_oneof![
        6 => (any::<u8>(), maybe()).prop_map(|(node, message)| Step::Spawn { node, message }),
        16 => any::<u8>().prop_map(Step::Ready),
        8 => any::<u8>().prop_map(Step::Block),
        3 => any::<u8>().prop_map(Step::Yield),
        2 => any::<u8>().prop_map(Step::Exit),
        4 => (any::<u8>(), any::<u8>(), maybe())
            .prop_map(|(thread, to, message)| Step::Move { thread, to, message }),
        4 => (any::<u8>(), message()).prop_map(|(thread, what)| Step::Send { thread, what }),
        4 => (any::<u8>(), 0_u32..90_000_000, 0_u32..20_000_000)
            .prop_map(|(thread, due_in, work)| Step::Job { thread, due_in, work }),
        4 => (any::<u8>(), 0_u32..90_000_000, 0_u32..20_000_000)
            .prop_map(|(thread, due_in, work)| Step::Constrain { thread, due_in, work }),
        2 => (any::<u8>(), any::<u8>(), message())
            .prop_map(|(node, own, what)| Step::Request { node, own, what }),
        1 => (any::<u8>(), message()).prop_map(|(node, what)| Step::Configure { node, what }),
        5 => (any::<u8>(), prop::collection::vec(any::<u8>(), 1..5), maybe())
            .prop_map(|(kind, parents, message)| Step::Create { kind, parents, message }),
        4 => (any::<u8>(), any::<u8>(), any::<u8>(), maybe())
            .prop_map(|(node, own, to, message)| Step::Shift { node, own, to, message }),
        3 => (any::<u8>(), any::<u8>(), maybe())
            .prop_map(|(node, to, message)| Step::Gain { node, to, message }),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(node, own)| Step::Lose { node, own }),
        1 => any::<u8>().prop_map(Step::Destroy),
        1 => any::<u8>().prop_map(Step::Default),
        12 => prop_oneof![0_u32..30_000_000, 0_u32..2_000_000_000]
            .prop_map(|ns| Step::Pass { ns }),
    ]
}

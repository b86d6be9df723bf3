//! Random trees of all kinds (crate `windfall-trial`), and cases that once failed.

use proptest::prelude::*;
use windfall_hierarchy::Message;
use windfall_schedulers::catalogue::KINDS;
use windfall_trial::protocol::{Step, World, step};

fn world(processors: u16, root: u8) -> World {
    World::new(processors, root, KINDS.to_vec())
}

proptest! {
    #[test]
    fn law_no_step_breaks_an_invariant(
        processors in 1_u16..=17,
        root in any::<u8>(),
        steps in prop::collection::vec(step(), 1..200),
    ) {
        world(processors, root).run(&steps);
    }
}

/// Short forms of the steps of recorded cases.
mod kept {
    use super::*;

    fn spawn(node: u8) -> Step {
        Step::Spawn { node, message: None }
    }

    fn create(kind: u8, parents: &[u8]) -> Step {
        Step::Create { kind, parents: parents.to_vec(), message: None }
    }

    fn shift(thread: u8, to: u8) -> Step {
        Step::Move { thread, to, message: None }
    }

    fn pass(ns: u32) -> Step {
        Step::Pass { ns }
    }

    use Step::{Default, Destroy, Ready, Yield};

    /// A parent acted on a request that its child had withdrawn; the child requested again, and so on.
    #[test]
    fn r0001_a_withdrawn_request_led_two_schedulers_in_circles() {
        let asks = |node, what| Step::Spawn { node, message: Some(what) };
        let steps = [
            spawn(0),
            create(24, &[1, 1]),
            spawn(0),
            create(189, &[81, 105]),
            asks(39, Message::Share(3)),
            spawn(21),
            shift(89, 32),
            create(2, &[1]),
            spawn(152),
            spawn(29),
            Ready(2),
            create(0, &[0]),
            Ready(151),
            Ready(124),
            create(0, &[120]),
            spawn(32),
            Ready(6),
            shift(97, 18),
            spawn(0),
            Ready(3),
            spawn(0),
            pass(350_000_000),
        ];
        world(5, 62).run(&steps);
    }

    /// A join requested all its parents at once, and parents that met further up moved its child from one to the
    /// other without end.
    #[test]
    fn r0003_a_join_asked_all_its_parents_at_once_and_went_in_circles() {
        let steps = [
            create(152, &[1, 1, 9, 1]),
            create(0, &[48]),
            spawn(151),
            spawn(45),
            spawn(98),
            Ready(82),
            Step::Spawn { node: 0, message: Some(Message::Priority(0)) },
            Default(9),
            Ready(39),
            spawn(1),
            spawn(8),
            pass(3_557_363),
            spawn(9),
            spawn(234),
            Yield(0),
            pass(6_442_638),
            spawn(56),
            Ready(81),
            spawn(0),
            pass(53_557_362),
        ];
        world(3, 146).run(&steps);
    }

    /// Two ways to one processor, one of which outranks the other: a request was withdrawn as soon as the other way
    /// was granted, and made again when that was taken away.
    #[test]
    fn r0005_a_scheduler_withdrew_a_request_that_was_about_to_be_granted() {
        let steps = [
            Step::Create { kind: 74, parents: vec![145], message: Some(Message::Priority(0)) },
            create(94, &[72]),
            spawn(0),
            spawn(3),
            spawn(13),
            Ready(7),
            spawn(0),
            spawn(0),
            create(8, &[9, 57]),
            shift(15, 127),
            Ready(255),
            Ready(12),
            Destroy(117),
        ];
        world(5, 4).run(&steps);
    }
}

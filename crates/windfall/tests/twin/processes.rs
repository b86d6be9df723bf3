//! Event-driven processes: they make others, meet at queues, hear of devices, and are moved by a monitor.

use super::*;
use std::sync::{Arc, Mutex};
use windfall_programs::{Code, Node, Process, ProcessError, ProcessHandle, ProcessParams, Queue};

/// A round-robin scheduler, and nobody below it yet.
fn round_robin(length: &str) -> String {
    format!(
        "schema = 2\nseed = 3\nlength = \"{length}\"\n\
         [schedulers.rr]\nscheduler = \"round-robin\"\nparent = \"top\"\n"
    )
}

type Log = Arc<Mutex<Vec<u64>>>;

/// Makes another process on another node; the two wake each other in turn, pass data on, and wait for timers.
#[derive(Clone)]
struct First(Log);

#[derive(Clone)]
struct Second {
    first: ProcessHandle,
    queue: Queue,
    log: Log,
}

const TURNS: u64 = 200;

impl Code for First {
    const NAME: &'static str = "first";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let log = |number| self.0.lock().unwrap().push(number);
        let queue = me.make_queue(Node(1), 10).await?;
        let template = me.make_template(Node(1)).await?;
        let code = Second { first: me.me(), queue, log: self.0.clone() };
        let second = me.make_process(template, Node(1), ProcessParams::default(), code).await?;
        for turn in 0..TURNS {
            me.block().await;
            log(turn * 10);
            me.compute(Span::from_nanos(20_000)).await;
            me.enqueue(queue, turn).await?;
            me.wakeup(second).await?;
        }
        let (event, now) = (me.make_event().await?, me.now().await);
        me.post_at(event, 7, now + Span::from_millis(5)).await?;
        assert_eq!(me.wait().await?.datum, 7);
        assert!(me.now().await >= now + Span::from_millis(5));
        let code = Second { first: second, queue, log: self.0.clone() };
        let refused = me.make_process(template, Node(2), ProcessParams::default(), code).await;
        assert!(matches!(refused, Err(ProcessError::NoNode { .. })), "{refused:?}");
        Ok(())
    }
}

impl Code for Second {
    const NAME: &'static str = "second";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        for turn in 0..TURNS {
            me.wakeup(self.first).await?;
            assert_eq!(me.take(self.queue, event).await?, turn);
            me.block().await;
            self.log.lock().unwrap().push(turn * 10 + 1);
            me.compute(Span::from_nanos(20_000)).await;
        }
        Ok(())
    }
}

#[test]
fn twin_processes_make_others_and_wake_each_other_in_turn() {
    let log = Log::default();
    let text = &round_robin("400ms");
    let amend = |plan: &mut Plan| {
        log.lock().unwrap().clear();
        plan.begin_with(|_| Vec::new(), &ProcessParams::default(), First(log.clone()));
        // Two nodes on one processor: what goes from one to the other travels all the same.
        plan.processes.nodes.extend_from_within(..);
    };
    twin_with(text, amend, |outcome, _| {
        conserved(outcome);
        let turns = (0..TURNS).flat_map(|turn| [turn * 10, turn * 10 + 1]).collect::<Vec<_>>();
        assert_eq!(*log.lock().unwrap(), turns);
        let names = outcome.threads.iter().map(|thread| thread.name.as_str()).collect::<Vec<_>>();
        assert_eq!(names, ["first", "second-1"]);
        assert!(share(outcome, "second-1") >= 10, "{outcome:?}");
    });
}

/// Panics in its second breath.
#[derive(Clone)]
struct Broken;

impl Code for Broken {
    const NAME: &'static str = "broken";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        me.compute(Span::from_millis(1)).await;
        panic!("on purpose");
    }
}

#[test]
fn twin_a_body_that_panics_ends_the_run_and_is_named() {
    let text = &round_robin("5s");
    let amend = |plan: &mut Plan| {
        plan.begin_with(|_| Vec::new(), &ProcessParams::default(), Broken);
    };
    twin_with(text, amend, |outcome, _| {
        let why = outcome.failure.as_ref().map(ToString::to_string).unwrap_or_default();
        assert!(why.contains("`broken` panicked"), "{why}");
        assert!(outcome.length < Span::from_secs(4), "it goes on until {}", outcome.length);
    });
}

#[test]
fn twin_programs_of_a_kind_meet_at_the_queue_that_they_name() {
    let text = format!(
        "{TREE}
[programs.sender]
kind     = \"bsat-generator\"
work     = \"2ms\"
messages = 100
to       = \"line\"
[threads.a]
parent  = \"ps\"
program = \"sender\"
[threads.b]
parent  = \"ps\"
program = {{ kind = \"bsat-sink\", work = \"1ms\", from = \"line\" }}
[threads.script]
parent  = \"ps\"
program = {{ kind = \"memo-script\", loops = 10 }}
"
    );
    twin(&text, |outcome, real| {
        conserved(outcome);
        let received = |name| thread(outcome, name).received;
        let all = |each: u32| Span::from_millis(100 * each);
        if real {
            // What calls and deciding take comes on top.
            assert!(received("a") >= all(2) && received("a") < all(3), "{}", received("a"));
            assert!(received("b") >= all(1) && received("b") < all(2), "{}", received("b"));
        } else {
            assert_eq!((received("a"), received("b")), (all(2), all(1)));
        }
        assert!(outcome.threads.iter().any(|thread| thread.name == "script-b-1"));
    });
}

#[test]
fn twin_a_device_posts_an_event_of_its_process() {
    let text = format!(
        "{TREE}
[[interrupts]]
device = \"line\"
every  = \"10ms\"
offset = \"5ms\"
cost   = \"20us\"
[threads.input]
parent    = \"res\"
guarantee = \"RESBH 3ms 10ms\"
program   = {{ kind = \"bsat-input\", work = \"1ms\" }}
[threads.sink]
parent    = \"res\"
guarantee = \"RESBH 2ms 10ms\"
program   = {{ kind = \"bsat-sink\", work = \"500us\" }}
[threads.rest]
parent    = \"ps\"
guarantee = \"PS 1\"
run       = \"spin\"
"
    );
    twin(&text, |outcome, real| {
        conserved(outcome);
        let received = |name| thread(outcome, name).received;
        let (input, sink) = (received("input"), received("sink"));
        if real {
            // What calls and deciding take comes on top; arrivals that come together are one message.
            assert!(input > Span::from_millis(80) && input < Span::from_millis(150), "{input}");
            assert!(sink > Span::from_millis(40) && sink < Span::from_millis(100), "{sink}");
        } else {
            assert_eq!((input, sink), (Span::from_millis(100), Span::from_millis(50)));
        }
    });
}

/// Two nodes share a processor; a monitor finds three spinners and a need that is too large on one of them.
#[test]
fn twin_a_monitor_moves_processes_and_lowers_needs() {
    let text = r#"
schema = 2
seed   = 26
length = "3s"
[schedulers.ps]
scheduler = "proportional-share"
parent = "top"
[schedulers.node-0]
scheduler = "epoch"
parent = "ps"
[schedulers.node-1]
scheduler = "epoch"
parent = "ps"
[threads.s]
parent = "node-0"
count = 3
run = "spin"
[threads.idle]
parent = "node-1"
reserve = "40ms/100ms"
periodic = { work = "1ms", period = "100ms" }
[threads.monitor]
parent = "node-1"
priority = 3
program = { kind = "monitor", nodes = "node", window = 5, memory = 2 }
"#;
    twin(text, |outcome, real| {
        conserved(outcome);
        assert!(outcome.refused.is_empty(), "{:?}", outcome.refused);
        let spinners = outcome.threads.iter().filter(|thread| thread.name.starts_with("s-"));
        let moved = spinners.filter(|thread| thread.parent.as_deref() == Some("node-1")).count();
        assert_eq!(moved, 1, "on real threads: {real}");
        let need = thread(outcome, "idle").stats.iter().find(|(name, _)| *name == "need").unwrap();
        let windfall_hierarchy::Count::Time(need) = need.1 else { panic!("{need:?}") };
        assert!(need < Span::from_millis(20), "{need}, on real threads: {real}");
    });
}

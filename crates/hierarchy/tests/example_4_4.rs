//! The example of HLS 4.4, notification by notification.
//!
//! Fixed priority at the root (`FP`), reservations above time sharing (`RES`, `TS`), a shell (`T1`)
//! that launches a real-time application (`T2`). One deviation: a thread that moves is registered
//! at its new parent before it leaves the old one, so that a refused reservation changes nothing;
//! HLS moves it back instead.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use windfall_hierarchy::{
    Hierarchy, JournalEvent, Message, NodeId, NodeSpec, Parent, Processor, Target, ThreadId,
};
use windfall_schedulers::catalogue::{self, Settings};
use windfall_time::{Instant, Span};

struct Example {
    tree: Hierarchy,
    threads: Vec<(ThreadId, &'static str)>,
}

fn ms(n: u32) -> Instant {
    Instant::ZERO.saturating_add(Span::from_millis(n))
}

impl Example {
    fn create(&mut self, name: &str, kind: &str, parent: Parent, ask: &[Message]) -> NodeId {
        let kind = catalogue::find(kind).unwrap();
        let scheduler = kind.build(&Settings(&[])).unwrap();
        let owns = &[(parent, ask)];
        self.tree.create(ms(0), NodeSpec::new(name, kind.name, scheduler, owns)).unwrap()
    }

    /// The notifications since the last call, one a line, such as `RES: request T2`.
    fn told(&mut self) -> String {
        let entries: Vec<_> = self.tree.drain_journal().collect();
        let mut text = String::new();
        for entry in entries {
            let JournalEvent::Notified { what, about } = entry.what else { continue };
            let node = self.tree.node(entry.node).unwrap().name;
            let about = match about {
                None => String::new(),
                Some(Target::Node(node)) => format!(" {}", self.tree.node(node).unwrap().name),
                Some(Target::Thread(id)) => {
                    let named = self.threads.iter().find(|(thread, _)| *thread == id);
                    format!(" {}", named.map_or("T?", |(_, name)| *name))
                }
            };
            let what = format!("{what:?}").to_lowercase().replace(['(', ')', '"'], " ");
            text += &format!("{node}: {}{about}\n", what.split_whitespace().last().unwrap());
        }
        text
    }

    fn running(&self) -> &'static str {
        let id = self.tree.running(Processor(0));
        let named = self.threads.iter().find(|(thread, _)| Some(*thread) == id);
        named.map_or("idle", |(_, name)| *name)
    }
}

#[test]
fn paper_hls_4_4_a_shell_and_a_real_time_application() {
    let mut e = Example { tree: Hierarchy::new(1), threads: Vec::new() };
    let fp = e.create("FP", "fixed-priority", Parent::Top, &[]);
    let res = e.create("RES", "rez", Parent::Node(fp), &[Message::Priority(2)]);
    let ts = e.create("TS", "time-sharing", Parent::Node(fp), &[Message::Priority(1)]);
    let t1 = e.tree.create_thread(ms(0), ts, &[]).unwrap();
    e.threads.push((t1, "T1"));
    e.tree.open_journal(1000, true);
    assert_eq!(e.running(), "idle");

    // A key is pressed. The request goes up to the top, the grant comes down.
    e.tree.ready(ms(1), t1).unwrap();
    assert_eq!(e.told(), "TS: request T1\nFP: request TS\nFP: grant\nTS: grant\n");
    assert_eq!(e.running(), "T1");

    // The keystroke has been handled.
    e.tree.blocked(ms(2), t1).unwrap();
    assert_eq!(e.told(), "TS: release T1\nFP: release TS\n");
    assert_eq!(e.running(), "idle");

    // The last key of a command; T1 launches T2, which belongs to the default scheduler's kind.
    e.tree.ready(ms(3), t1).unwrap();
    e.told();
    let t2 = e.tree.create_thread(ms(4), ts, &[]).unwrap();
    e.threads.push((t2, "T2"));
    e.tree.ready(ms(4), t2).unwrap();
    assert_eq!(e.told(), "TS: register T2\nTS: request T2\n");
    assert_eq!(e.running(), "T1", "woken by a key, T1 is boosted above T2");
    e.tree.blocked(ms(5), t1).unwrap();
    assert_eq!(e.told(), "TS: release T1\n");
    assert_eq!(e.running(), "T2");

    // T2 requests real-time scheduling, first with more than is left. TS's notifications name nobody,
    // because its end of the VP outlives T2's.
    let reserve =
        |x, y| Message::Reserve { amount: Span::from_millis(x), period: Span::from_millis(y) };
    assert!(e.tree.move_thread(ms(6), t2, res, &[reserve(34, 33)]).is_err());
    assert_eq!(e.told(), "RES: register T2\nRES: reserve T2\nRES: unregister T2\n");
    assert_eq!(e.running(), "T2");
    e.tree.move_thread(ms(6), t2, res, &[reserve(10, 33)]).unwrap();
    let moved = "RES: register T2\nRES: reserve T2\n\
        TS: release\nRES: request T2\nFP: release TS\nFP: request RES\nFP: grant\nRES: grant\n\
        TS: unregister\n";
    assert_eq!(e.told(), moved);
    assert_eq!(e.running(), "T2");

    // When T2's budget ends, T1 continues in the time that is left; FP grants TS what RES released.
    e.tree.ready(ms(7), t1).unwrap();
    assert_eq!(e.told(), "TS: request T1\nFP: request TS\n");
    assert_eq!(e.tree.next_timer(), Some(ms(16)));
    e.tree.timer_due(ms(16)).unwrap();
    assert_eq!(e.told(), "RES: timer\nFP: release RES\nTS: grant\n");
    assert_eq!(e.running(), "T1");

    // T2's budget is replenished: FP always revokes the CPU from TS in response to RES.
    e.tree.timer_due(ms(38)).unwrap();
    e.told();
    e.tree.timer_due(ms(39)).unwrap();
    assert_eq!(e.told(), "RES: timer\nFP: request RES\nTS: revoke\nRES: grant\n");
    assert_eq!(e.running(), "T2");

    // To preempt T2 when its budget expires, RES revokes the CPU and releases its VP.
    e.tree.timer_due(ms(49)).unwrap();
    assert_eq!(e.told(), "RES: timer\nFP: release RES\nTS: grant\n");
    assert_eq!(e.running(), "T1");
    e.tree.check_tables().unwrap();
    e.tree.check_schedulers();
    assert_eq!(e.tree.quarantined(), []);
}

//! After set-up, no notification allocates, in any scheduler, at the root or below it.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use windfall_allocations::{Counting, allocations};
use windfall_hierarchy::{
    Hierarchy, Message, NodeId, NodeSpec, Parent, Processor, ThreadId, VpState,
};
use windfall_schedulers::catalogue::{self, KINDS, Settings};
use windfall_schedulers::parameters;
use windfall_time::{Instant, Span};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const NOTIFICATIONS: u64 = 100_000;

fn create(tree: &mut Hierarchy, name: &str, kind: &str, owns: &[(Parent, &[Message])]) -> NodeId {
    let kind = catalogue::find(kind).unwrap();
    let scheduler = kind.build(&Settings(&[])).unwrap();
    tree.create(Instant::ZERO, NodeSpec::new(name, kind.name, scheduler, owns)).unwrap()
}

/// The parameters of a child of this kind of scheduler, so that it has something to decide by.
fn ask(kind: &str, number: u32) -> Vec<Message> {
    let ms = |n: u32| Span::from_millis(n + 1);
    let (period, deadline, amount) = (ms(number + 9), ms(number + 9), Some(ms(1)));
    match kind {
        "swift" => {
            vec![parameters::progress((number * 40).into())]
        }
        "gang" => vec![Message::Priority((number / 2).cast_signed())],
        "fixed-priority" => vec![Message::Priority(number.cast_signed())],
        "time-sharing" | "windows-2000" | "linux-2.4" | "linux-eevdf" => {
            vec![Message::Priority((number % 12).cast_signed() + 1)]
        }
        "eevdf" | "lottery" | "sfs" | "stride" => vec![Message::Share(number + 1)],
        "bvt" => vec![
            Message::Share(number + 1),
            parameters::warp(ms(number % 3)),
            parameters::warp_limit(ms(2), ms(20)),
        ],
        "proportional-share" => vec![Message::Share(number + 1), parameters::warp(ms(number % 3))],
        "time-table" => {
            vec![Message::Reserve { amount: ms(0), period: Span::from_millis(40) }]
        }
        "cbs" | "pshed" | "resource-kernel" | "rez" | "rez-c" | "rez-fb" | "tbs" => {
            vec![Message::Reserve { amount: ms(0), period: ms(number + 40) }]
        }
        "epoch" => vec![Message::Reserve { amount: ms(0), period: Span::from_millis(100) }],
        "spring" | "time-line" => vec![Message::Reserve { amount: ms(0), period: ms(39) }],
        "limit" => vec![Message::Reserve { amount: ms(1), period: ms(9) }],
        "edf" | "fc-edf" | "llf" | "rate-monotonic" | "smart" => {
            vec![Message::Periodic { period, deadline, amount }]
        }
        _ => Vec::new(),
    }
}

/// A tree with `kind` at the root or below it, and its threads.
fn plant(kind: &'static str, at_root: bool) -> (Hierarchy, Vec<ThreadId>) {
    let mut tree = Hierarchy::new(2);
    let top: [(Parent, &[Message]); 2] = [(Parent::Top, &[]); 2];
    let (upper, lower) = if at_root { (kind, "round-robin") } else { ("fixed-priority", kind) };
    let root = create(&mut tree, "root", upper, &top);
    let parameters = ask(upper, 3);
    let own = (Parent::Node(root), &parameters[..]);
    let single = ["join", "limit", "overrun"].contains(&upper);
    let owns = if single { vec![own] } else { vec![own, own] };
    let node = create(&mut tree, "node", lower, &owns);
    let mut threads = Vec::new();
    for number in 0..20 {
        let (place, messages) = if number % 5 == 4 && !single {
            (root, ask(upper, number))
        } else {
            (node, ask(lower, number))
        };
        // A join or a limit takes the first and refuses the rest.
        threads.extend(tree.create_thread(Instant::ZERO, place, &messages));
    }
    (tree, threads)
}

fn exercise(tree: &mut Hierarchy, threads: &[ThreadId]) {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut now = Instant::ZERO;
    let before = tree.notifications();
    while tree.notifications() - before < NOTIFICATIONS {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let end = now.saturating_add(Span::from_nanos(random % 3_000_000));
        while let Some(due) = tree.next_timer().filter(|at| *at <= end) {
            now = now.max(due);
            tree.timer_due(now).unwrap();
        }
        now = end;
        let thread = threads[usize::try_from(random >> 40).unwrap() % threads.len()];
        match tree.thread_state(thread).unwrap() {
            VpState::Waiting => tree.ready(now, thread).unwrap(),
            VpState::Running(_) if random & 3 == 0 => tree.yielded(now, thread).unwrap(),
            _ => tree.blocked(now, thread).unwrap(),
        }
        let _ = tree.peek(Processor(0));
        while tree.next_changed().is_some() {}
    }
}

#[test]
fn law_no_notification_allocates() {
    for kind in KINDS {
        for at_root in [false, true] {
            let (mut tree, threads) = plant(kind.name, at_root);
            let count = allocations(|| exercise(&mut tree, &threads));
            let place = if at_root { "at the root" } else { "below it" };
            assert_eq!(count, 0, "{} {place}", kind.name);
            tree.check_tables().unwrap();
            tree.check_schedulers();
            assert_eq!(tree.quarantined(), [], "{} {place}", kind.name);
        }
    }
}

use super::*;
use crate::{Event, Stop};
use proptest::prelude::*;

const A: ThreadId = ThreadId(0);
const B: ThreadId = ThreadId(1);
const C0: Cpu = Cpu(0);

fn at(ns: u64, event: Event) -> Record {
    Record { at: Instant::from_nanos(ns), event }
}

fn declare(ns: u64, thread: ThreadId) -> Record {
    let name = format!("t{}", thread.0);
    at(ns, Event::Thread { thread, tid: thread.0 + 1, pid: 1, name, node: None })
}

fn switch(ns: u64, prev: Option<(ThreadId, Stop)>, next: Option<ThreadId>) -> Record {
    at(ns, Event::Switch { cpu: C0, prev, next })
}

fn states(line: &ThreadLine) -> Vec<(u64, u64, State)> {
    line.stretches.iter().map(|s| (s.from.as_nanos(), s.to.as_nanos(), s.state)).collect()
}

fn slices(line: &CpuLine) -> Vec<(u64, u64, What)> {
    line.slices.iter().map(|s| (s.from.as_nanos(), s.to.as_nanos(), s.what)).collect()
}

#[test]
fn law_states_follow_wakes_and_switches() {
    let records = [
        declare(0, A),
        declare(0, B),
        at(10, Event::Wake { thread: A, by: None }),
        switch(12, None, Some(A)),
        at(15, Event::Wake { thread: B, by: Some(A) }),
        switch(20, Some((A, Stop::Preempted)), Some(B)),
        switch(30, Some((B, Stop::Uninterruptible)), Some(A)),
        switch(40, Some((A, Stop::Blocked)), None),
        at(50, Event::Exit { thread: B }),
    ];
    let timeline = Timeline::build(records.into_iter());
    let (run, ready) = (State::Running(C0), State::Ready);
    assert_eq!(
        states(&timeline.threads[0]),
        [
            (0, 10, State::Blocked),
            (10, 12, ready),
            (12, 20, run),
            (20, 30, ready),
            (30, 40, run),
            (40, 50, State::Blocked)
        ]
    );
    assert_eq!(
        states(&timeline.threads[1]),
        [(0, 15, State::Blocked), (15, 20, ready), (20, 30, run), (30, 50, State::Uninterruptible)]
    );
    assert_eq!(
        slices(&timeline.cpus[0]),
        [
            (0, 12, What::Unknown),
            (12, 20, What::Thread(A)),
            (20, 30, What::Thread(B)),
            (30, 40, What::Thread(A)),
            (40, 50, What::Idle)
        ]
    );
    assert_eq!(timeline.conflicts, 0);
}

#[test]
fn law_a_loss_makes_processor_and_threads_unknown_until_seen_again() {
    let records = [
        declare(0, A),
        declare(0, B),
        switch(0, None, Some(A)),
        at(0, Event::Wake { thread: B, by: None }),
        at(10, Event::Lost { cpu: Some(C0), count: Some(3) }),
        switch(20, Some((B, Stop::Blocked)), Some(A)),
        at(30, Event::Lost { cpu: None, count: None }),
        declare(35, A),
    ];
    let timeline = Timeline::build(records.into_iter());
    let run = State::Running(C0);
    let unknown = State::Unknown;
    assert_eq!(
        states(&timeline.threads[0]),
        [(0, 10, run), (10, 20, unknown), (20, 30, run), (30, 35, unknown)]
    );
    assert_eq!(
        states(&timeline.threads[1]),
        [(0, 10, State::Ready), (10, 20, unknown), (20, 30, State::Blocked), (30, 35, unknown)]
    );
    assert_eq!(timeline.lost, LostCount { gaps: 2, events: 3, uncounted: 1 });
    assert_eq!(timeline.conflicts, 0);
}

#[test]
fn law_overheads_nest_on_the_processor_and_leave_the_thread_running() {
    let begin = |ns, kind| at(ns, Event::OverheadBegin { cpu: C0, kind, number: 0 });
    let records = [
        declare(0, A),
        switch(0, None, Some(A)),
        begin(10, OverheadKind::Softirq),
        begin(12, OverheadKind::Interrupt),
        at(14, Event::OverheadEnd { cpu: C0 }),
        at(16, Event::OverheadEnd { cpu: C0 }),
        switch(20, Some((A, Stop::Blocked)), None),
    ];
    let timeline = Timeline::build(records.into_iter());
    assert_eq!(states(&timeline.threads[0]), [(0, 20, State::Running(C0))]);
    assert_eq!(
        slices(&timeline.cpus[0]),
        [
            (0, 10, What::Thread(A)),
            (10, 12, What::Overhead(OverheadKind::Softirq)),
            (12, 14, What::Overhead(OverheadKind::Interrupt)),
            (14, 16, What::Overhead(OverheadKind::Softirq)),
            (16, 20, What::Thread(A))
        ]
    );
}

#[test]
fn law_a_wake_faster_than_the_switch_is_not_forgotten() {
    let records = [
        declare(0, A),
        switch(0, None, Some(A)),
        at(9, Event::Wake { thread: A, by: None }),
        switch(10, Some((A, Stop::Blocked)), None),
        switch(20, None, Some(A)),
    ];
    let timeline = Timeline::build(records.into_iter());
    assert_eq!(states(&timeline.threads[0]), [(0, 10, State::Running(C0)), (10, 20, State::Ready)]);
}

#[test]
fn law_contradictions_are_counted_and_become_unknown() {
    let records = [
        declare(0, A),
        declare(0, B),
        switch(0, None, Some(A)),
        switch(10, Some((B, Stop::Blocked)), None),
        switch(20, None, Some(ThreadId(9))),
    ];
    let timeline = Timeline::build(records.into_iter());
    assert_eq!(
        states(&timeline.threads[0]),
        [(0, 10, State::Running(C0)), (10, 20, State::Unknown)]
    );
    assert_eq!(timeline.conflicts, 2);
    assert_eq!(timeline.threads[2].name, "thread 9");
}

fn events() -> impl Strategy<Value = Event> {
    let thread = (0_u32..4).prop_map(ThreadId);
    let cpu = (0_u16..3).prop_map(Cpu);
    let stop = prop::sample::select(vec![
        Stop::Preempted,
        Stop::Blocked,
        Stop::Uninterruptible,
        Stop::Stopped,
        Stop::Exited,
    ]);
    prop_oneof![
        6 => (cpu.clone(), prop::option::of((thread.clone(), stop)), prop::option::of(thread.clone()))
            .prop_map(|(cpu, prev, next)| Event::Switch { cpu, prev, next }),
        3 => thread.clone().prop_map(|thread| Event::Wake { thread, by: None }),
        1 => thread.prop_map(|thread| Event::Exit { thread }),
        1 => cpu.clone()
            .prop_map(|cpu| Event::OverheadBegin { cpu, kind: OverheadKind::Interrupt, number: 1 }),
        1 => cpu.clone().prop_map(|cpu| Event::OverheadEnd { cpu }),
        1 => (prop::option::of(cpu), prop::option::of(0_u64..9))
            .prop_map(|(cpu, count)| Event::Lost { cpu, count }),
    ]
}

proptest! {
    #[test]
    fn law_lines_have_no_gap_no_overlap_and_agree(
        steps in prop::collection::vec((0_u64..5, events()), 0..60)
    ) {
        let mut now = 0;
        let records = steps.into_iter().map(|(wait, event)| {
            now += wait;
            at(now, event)
        });
        let timeline = Timeline::build(records);
        for cpu in &timeline.cpus {
            let mut end = timeline.from;
            for slice in &cpu.slices {
                prop_assert!(slice.from == end && slice.to > slice.from);
                end = slice.to;
                if let What::Thread(thread) = slice.what {
                    let line = timeline.thread(thread).unwrap();
                    let inside = line.stretches.iter().any(|s| {
                        s.from <= slice.from
                            && slice.to <= s.to
                            && s.state == State::Running(cpu.cpu)
                    });
                    prop_assert!(inside);
                }
            }
            prop_assert_eq!(end, timeline.to);
        }
        for line in &timeline.threads {
            for pair in line.stretches.windows(2) {
                prop_assert!(pair[0].to <= pair[1].from);
                prop_assert!(pair[0].to < pair[1].from || pair[0].state != pair[1].state);
            }
        }
    }
}

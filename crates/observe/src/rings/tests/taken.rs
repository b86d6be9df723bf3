//! Time that interrupts, the hypervisor and late alarms take from a processor.

use super::super::Taken;
use super::*;
use std::os::fd::AsRawFd;
use windfall_os::clock;
use windfall_os::events::{Poll, Timer};
use windfall_time::Span;

#[test]
fn twin_both_sources_count_the_time_of_interrupts() {
    let Some((mut sources, _alone)) = both() else { return };
    let begun = Instant::now();
    let before = sources.each_mut().map(|rings| (rings.take(), rings.taken(0)).1);
    let cpu = last_processor();
    let busy = std::thread::spawn(move || {
        Affinity::one(cpu).give(0).expect("may be pinned");
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(300) {}
    });
    busy.join().expect("it ends");
    let after = sources.each_mut().map(|rings| (rings.take(), rings.taken(0)).1);
    // That a processor stood still is told by BPF alone; perf events take it for a part of the interrupt in which it did.
    let interrupts = |taken: Taken| taken.all.saturating_sub(taken.steal);
    let taken = |n: usize| interrupts(after[n]).saturating_sub(interrupts(before[n])).as_nanos();
    let [bpf, perf] = [0, 1].map(taken);
    for [before, after] in [0, 1].map(|n: usize| [before[n], after[n]]) {
        // A busy processor's ticks are interrupts, and what they leave to be done are softirqs.
        let soft = after.soft.saturating_sub(before.soft);
        assert!(!soft.is_zero() && soft < after.all.saturating_sub(before.all), "{soft}");
    }
    let most = u64::try_from(begun.elapsed().as_nanos()).expect("no long time");
    println!("ns of interrupts in {most}: BPF {bpf}, perf {perf}");
    // Each counts what it costs itself, and some of what the other costs.
    assert!(bpf > 10_000 && perf > 10_000, "the timer of a busy processor ticks: {bpf} {perf}");
    assert!(bpf < most && perf < most, "{bpf} {perf} of {most}");
    let still = after[0].steal.saturating_sub(before[0].steal).as_nanos();
    assert!(bpf / 2 <= perf && perf / 2 <= bpf + still, "{bpf} {perf} {still}");
}

#[test]
fn law_a_processor_stands_still_only_while_nobody_there_sees_the_clock() {
    let Some(([mut bpf, _], _alone)) = both() else { return };
    drop(bpf.take());
    let busy = std::thread::spawn(move || {
        Affinity::one(last_processor()).give(0).expect("may be pinned");
        set_fifo(0, fifo_priorities::HELD).expect("may be real-time");
        let timer = Timer::new().expect("a timer can be made");
        let (mut gaps, mut last) = (Vec::new(), clock::now());
        let (begun, end) = (last, last + Span::from_secs(2));
        let mut set = begun;
        while last < end {
            let now = clock::now();
            if now - last > Span::from_nanos(50_000) {
                gaps.push((last, now));
            }
            last = now;
            // Not only to times to come, and to some of them twice: what is set too late goes off late, and tells of nothing.
            if set + Span::from_nanos(700_000) < now {
                let early = Span::from_nanos(now.as_nanos() % 900_000);
                let alarm = now + Span::from_nanos(300_000) - early;
                set = now;
                bpf.set_alarm(&timer, Some(alarm));
            }
        }
        (begun, gaps, last, bpf)
    });
    let (begun, gaps, ended, mut bpf) = busy.join().expect("it ends");
    let (mut told, mut long) = (Vec::new(), Vec::new());
    for event in bpf.take() {
        match event.seen {
            KernelEvent::Steal { since } => told.push((since, event.at, event.taken.steal)),
            KernelEvent::Interrupted { since } => long.push((since, event.at)),
            _ => {}
        }
    }
    assert!(bpf.sees_steal(), "the tick of a busy processor is heard");
    // Each counts what those before it have counted, and itself; the kernel's account of threads may have told of more.
    for [(.., before), (since, at, sum)] in told.array_windows() {
        assert!(*sum >= *before + (*at - *since));
    }
    let sum = told.iter().fold(Span::ZERO, |sum, (since, at, _)| sum + (*at - *since));
    println!(
        "stood still {} times, {sum} in all; {} long interrupts; {} gaps seen",
        told.len(),
        long.len(),
        gaps.len()
    );
    let all = told.into_iter().map(|(since, at, _)| (since, at)).chain(long);
    for (since, at) in all.filter(|(since, at)| begun <= *since && *at <= ended) {
        // A tick is served some us after it is due.
        let within = |(from, to): &(_, _)| *from <= since + Span::from_nanos(50_000) && at <= *to;
        assert!(gaps.iter().any(within), "{since} to {at}: {gaps:?}");
    }
}

#[test]
fn law_what_a_hypervisor_tells_the_kernel_is_counted() {
    let Some(([bpf, _], _alone)) = both() else { return };
    let cpu = last_processor();
    // As the kernel shows it: in hundredths of a second.
    let told = || {
        let text = std::fs::read_to_string("/proc/stat").expect("it is there");
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("cpu{cpu} ")));
        let steal = line.and_then(|line| line.split(' ').nth(7)?.parse::<u32>().ok());
        Span::from_millis(10 * steal.expect("it is counted"))
    };
    let busy = move |limit: Duration| {
        Affinity::one(cpu).give(0).expect("may be pinned");
        let begun = Instant::now();
        while begun.elapsed() < limit {}
    };
    let (counted_before, told_before) = (bpf.taken(0).steal, told());
    // In pieces: it is counted when a thread leaves its processor.
    for _ in 0..20 {
        std::thread::spawn(move || busy(Duration::from_millis(50))).join().expect("it ends");
    }
    let (counted, told) = (bpf.taken(0).steal - counted_before, told() - told_before);
    println!("stood still for {counted}, the kernel says {told}");
    // What an idle processor lacks is nobody's, and short pieces are not told apart from what a switch takes.
    assert!(counted + counted + Span::from_millis(100) >= told, "{counted} of {told}");
    assert!(counted < Span::from_millis(1_000), "{counted} in a second or two of work");
}

#[test]
fn law_an_alarm_that_goes_off_late_is_told() {
    const LATE: Span = Span::from_millis(1);
    let Some(([mut bpf, _], _alone)) = both() else { return };
    drop(bpf.take());
    let Source::Bpf(told) = &bpf.source else { panic!("by BPF") };
    let set = || {
        Affinity::one(last_processor()).give(0).expect("may be pinned");
        let timer = Timer::new().expect("a timer can be made");
        // Said to be set in time, and is not. Another interrupt in between shows that the processor did not stand still.
        let dues = (0..20).map(|number| {
            let begun = clock::now();
            // In no step with a tick.
            while clock::now() < begun + LATE + Span::from_nanos(53_000 * number) {}
            let due = clock::now() - LATE;
            told.expect(Some(due));
            timer.set(Some(due));
            due
        });
        dues.collect::<Vec<_>>()
    };
    let dues = std::thread::scope(|scope| scope.spawn(set).join().expect("it ends"));
    let told = bpf.take().into_iter().filter_map(|event| match event.seen {
        KernelEvent::Steal { since } => Some((since, event.at)),
        _ => None,
    });
    let told: Vec<_> = told.collect();
    let seen = dues.iter().filter(|due| {
        let end = **due + LATE;
        told.iter().any(|(since, at)| **due <= *since && *since < end && end <= *at)
    });
    assert!(seen.count() >= 5, "{dues:?}: {told:?}");
}

#[test]
fn law_a_long_interrupt_is_told() {
    const TIMERS: usize = 900;
    let Some(([mut bpf, _], _alone)) = both() else { return };
    drop(bpf.take());
    let set = || {
        Affinity::one(last_processor()).give(0).expect("may be pinned");
        let made = (0..TIMERS).map(|_| Timer::new().expect("timers can be made"));
        let timers: Vec<Timer> = made.collect();
        // They go off in one interrupt, which tells each of these of each of them.
        let polls: Vec<Poll> = (0..4).map(|_| Poll::new().expect("can be made")).collect();
        for (poll, timer) in polls.iter().flat_map(|poll| timers.iter().map(move |t| (poll, t))) {
            poll.add(timer.as_raw_fd(), 0).expect("can be waited for");
        }
        let due = clock::now() + Span::from_millis(20);
        timers.iter().for_each(|timer| timer.set(Some(due)));
        while clock::now() < due + Span::from_millis(20) {}
        due
    };
    let due = std::thread::spawn(set).join().expect("it ends");
    let told = bpf.take().into_iter().filter_map(|event| match event.seen {
        KernelEvent::Interrupted { since } => Some((since, event.at)),
        _ => None,
    });
    let told: Vec<_> = told.collect();
    assert!(told.iter().all(|(since, at)| *since < *at), "{told:?}");
    assert!(told.iter().any(|(_, at)| due < *at), "{due}: {told:?}");
}

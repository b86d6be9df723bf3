//! Both sources, side by side on this machine's kernel. Without the right to listen, these tests say so
//! and do nothing.

use super::bpf::BpfEvents;
use super::perf::PerfEvents;
use super::{Event, Rings, Source, Taken, Where};
use crate::ObserveError;
use crate::fifo_priorities;
use crate::kernel_event::KernelEvent;
use crate::routines::{Routines, language_of, makers};
use aya::programs::loaded_programs;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::os::fd::AsRawFd;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};
use windfall_os::clock;
use windfall_os::events::{Poll, Timer};
use windfall_os::process::name_thread;
use windfall_os::sched::{Affinity, own_tid, set_fifo};
use windfall_skips::{Needs, skip};
use windfall_time::Span;
use windfall_trace::Stop;

/// One test at a time: what one does is seen by all, and may not fit into another's rings.
static ALONE: Mutex<()> = Mutex::new(());

/// On all processors that we may use, the last one supervised; nothing, and why, if we may not listen.
fn both() -> Option<([Rings; 2], MutexGuard<'static, ()>)> {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let own = Affinity::of(0).ok()?;
    let online: Vec<u16> = (0..1024).filter(|cpu| own.has(*cpu)).collect();
    let supervised = [*online.last()?];
    let bpf = BpfEvents::load(&supervised).map(|told| Source::Bpf(Box::new(told)));
    let perf = PerfEvents::open(&supervised, &online).map(Source::Perf);
    match (bpf, perf) {
        (Ok(bpf), Ok(perf)) => {
            Some(([bpf, perf].map(|source| Rings::from(source, String::new())), alone))
        }
        (bpf, perf) => {
            let needs = if bpf.is_err() { Needs::Bpf } else { Needs::Real };
            let perf = perf.err().map(|why| why.to_string());
            skip(needs, bpf.err().map(|why| why.to_string()).or(perf).unwrap_or_default());
            None
        }
    }
}

fn last_processor() -> u16 {
    let own = Affinity::of(0).expect("our own affinity");
    (0..1024).rfind(|cpu| own.has(*cpu)).expect("a processor")
}

/// Two supervised threads on one processor hand a token back and forth; their numbers.
fn play() -> [i32; 2] {
    let cpu = last_processor();
    let (to_held, tokens) = channel::<()>();
    let (to_granted, answers) = channel::<()>();
    let take = move |priority| {
        Affinity::one(cpu).give(0).expect("may be pinned");
        set_fifo(0, priority).expect("may be real-time");
        own_tid()
    };
    let held = Builder::new().name("held".into()).spawn(move || {
        let tid = take(fifo_priorities::HELD);
        while tokens.recv().is_ok() && to_granted.send(()).is_ok() {}
        tid
    });
    let granted = Builder::new().name("granted".into()).spawn(move || {
        let tid = take(fifo_priorities::GRANTED);
        for _ in 0..200 {
            to_held.send(()).expect("the other lives");
            answers.recv().expect("the other lives");
        }
        tid
    });
    let [held, granted] = [held, granted].map(|thread| thread.expect("a thread").join());
    [held.expect("it ends"), granted.expect("it ends")]
}

fn about(seen: KernelEvent, tids: [i32; 2]) -> bool {
    match seen {
        KernelEvent::Switch { prev, next, .. } => tids.contains(&prev) || tids.contains(&next),
        KernelEvent::Wake { tid, .. } | KernelEvent::Named { tid, .. } => tids.contains(&tid),
        KernelEvent::Fork { child, .. } => tids.contains(&child),
        _ => false,
    }
}

/// Perf events leave out what an idle processor does by itself on some virtual machines.
fn by_idle(event: &Event) -> bool {
    match event.seen {
        KernelEvent::Switch { prev, .. } => prev == 0,
        KernelEvent::Wake { by, .. } => by == 0 && event.place != Where::Elsewhere,
        _ => false,
    }
}

fn same(bpf: &[KernelEvent], perf: &[KernelEvent]) {
    let differs = bpf.iter().zip(perf).position(|(bpf, perf)| bpf != perf);
    if let Some(place) =
        differs.or_else(|| (bpf.len() != perf.len()).then_some(bpf.len().min(perf.len())))
    {
        let around = |seen: &[KernelEvent]| {
            seen.iter().skip(place.saturating_sub(2)).take(5).copied().collect::<Vec<_>>()
        };
        panic!("event {place}: {:?} by BPF, {:?} by perf", around(bpf), around(perf));
    }
}

/// Events up to the last switch of these threads, which comes after threads that wait for their ends go on.
fn until_gone(rings: &mut Rings, tids: [i32; 2]) -> Vec<Event> {
    let begun = Instant::now();
    let mut events = rings.take();
    let gone = |seen: KernelEvent| matches!(seen, KernelEvent::Switch { prev, stop: Stop::Exited, .. } if tids.contains(&prev));
    while events.iter().filter(|event| gone(event.seen)).count() < tids.len() {
        assert!(begun.elapsed() < Duration::from_secs(10), "{tids:?} do not end");
        sleep(Duration::from_millis(1));
        events.append(&mut rings.take());
    }
    events
}

#[test]
fn twin_both_sources_tell_the_same_story() {
    let Some((mut sources, _alone)) = both() else { return };
    sources.iter_mut().for_each(|rings| rings.follow(own_tid()).expect("there is room"));
    let tids = play();
    let [bpf, perf] = sources.map(|mut rings| {
        let mut events = until_gone(&mut rings, tids);
        for event in &mut events {
            // Elsewhere perf does not hear who is interrupted, and so tells nobody who wakes.
            if let (KernelEvent::Wake { by, .. }, Where::Elsewhere) = (&mut event.seen, event.place)
            {
                *by = 0;
            }
        }
        assert_eq!(rings.lost, [], "nothing is lost in so short a time");
        assert!(events.is_sorted_by_key(|event| event.at));
        let told = |event: &Event| about(event.seen, tids) && !by_idle(event);
        events.into_iter().filter(told).collect::<Vec<Event>>()
    });
    let there = |events: &[Event], place| -> Vec<KernelEvent> {
        events.iter().filter(|event| event.place == place).map(|event| event.seen).collect()
    };
    same(&there(&bpf, Where::Here(0)), &there(&perf, Where::Here(0)));
    // Elsewhere is several processors: there is no order between them to the nanosecond.
    let [mut bpf_elsewhere, mut perf_elsewhere] =
        [&bpf, &perf].map(|events| there(events, Where::Elsewhere));
    bpf_elsewhere.sort_by_key(|seen| format!("{seen:?}"));
    perf_elsewhere.sort_by_key(|seen| format!("{seen:?}"));
    same(&bpf_elsewhere, &perf_elsewhere);
    let switches = |stop| {
        let is =
            |event: &&Event| matches!(event.seen, KernelEvent::Switch { stop: s, .. } if s == stop);
        bpf.iter().filter(is).count()
    };
    assert!(switches(Stop::Blocked) >= 200, "{}", switches(Stop::Blocked));
    assert!(switches(Stop::Preempted) >= 100, "the granted thread preempts the one that wakes it");
    assert!(switches(Stop::Exited) == 2, "both ends are seen");
    let pairs = bpf.iter().zip(&perf).filter(|(_, perf)| perf.place == Where::Here(0));
    for (bpf, perf) in pairs.filter(|(bpf, perf)| bpf.seen == perf.seen) {
        let apart = bpf.at.saturating_since(perf.at) + perf.at.saturating_since(bpf.at);
        assert!(apart.as_nanos() < 10_000_000, "{bpf:?} {perf:?}");
    }
}

#[test]
fn law_where_a_thread_starts_is_reported_before_its_fork_and_by_bpf_alone() {
    let Some(([mut bpf, mut perf], _alone)) = both() else { return };
    let by_perf = perf.report_starts(&makers(&[], &[]));
    assert!(matches!(by_perf, Err(ObserveError::NeedsBpf)), "{by_perf:?}");
    let by_nobody = bpf.report_starts(&BTreeSet::new());
    assert!(matches!(by_nobody, Err(ObserveError::NoMaker)), "{by_nobody:?}");
    bpf.follow(own_tid()).expect("there is room");
    let child = || std::thread::spawn(own_tid).join().expect("it ends");
    let unheard = child();
    if let Err(why) = bpf.report_starts(&makers(&[], &[])) {
        return skip(Needs::Bpf, why.to_string());
    }
    let again = bpf.report_starts(&makers(&[], &[]));
    assert!(matches!(again, Err(ObserveError::Bpf(_))), "the program is loaded: {again:?}");
    let heard = child();
    let own = own_tid();
    let starts =
        |event: &Event| matches!(event.seen, KernelEvent::Starts { tid, .. } if tid == own);
    let forked = |child| {
        move |event: &Event| event.seen == KernelEvent::Fork { parent: own, child, kind: None }
    };
    let events = bpf.take();
    let of = |child| events.iter().position(forked(child)).expect("its fork is reported");
    let told: Vec<usize> = (0..events.len()).filter(|at| starts(&events[*at])).collect();
    assert_eq!(told.len(), 1, "the first was not asked for: {told:?}");
    assert!(of(unheard) < told[0] && told[0] < of(heard), "{told:?}");
    let KernelEvent::Starts { pid, routine, .. } = events[told[0]].seen else { return };
    let name = Routines::default().name(pid, routine).expect("its file is there");
    assert_eq!(language_of(&name), Some("Rust"), "{name}");
}

#[test]
fn law_forks_are_reported_of_followed_threads_and_their_offspring_alone() {
    let Some(([mut bpf, _], _alone)) = both() else { return };
    // Its last word is by another program, executed by another thread than the first.
    let family = || {
        let script = "import os, threading\n\
                      other = lambda: os.execv('/bin/sh', ['sh', '-c', '(:); (:); (:)'])\n\
                      threading.Thread(target=other).start()\n";
        let python = Command::new("python3").args(["-c", script]).status();
        if !python.is_ok_and(|status| status.success()) {
            skip(Needs::Other, "no python3");
        }
        let shell = Command::new("sh").args(["-c", "((:); (:)); (:)"]).status();
        assert!(shell.expect("there is a shell").success());
    };
    let forks = |events: Vec<Event>| -> Vec<(i32, i32)> {
        let forks = events.into_iter().filter_map(|event| match event.seen {
            KernelEvent::Fork { parent, child, .. } => Some((parent, child)),
            _ => None,
        });
        forks.collect()
    };
    family();
    assert_eq!(forks(bpf.take()), [], "nobody is followed");
    let own = own_tid();
    bpf.follow(own).expect("there is room");
    family();
    let told = forks(bpf.take());
    let mut known = BTreeSet::from([own]);
    for (parent, child) in &told {
        assert!(known.contains(parent), "{parent} is nobody's child: {told:?}");
        known.insert(*child);
    }
    // Of Python's other thread, which has the number of the process when it executes the shell.
    assert!(told.len() >= 2 + 3 + 2, "{told:?}");
}

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

#[test]
fn law_what_does_not_fit_is_told_as_lost() {
    const NAMES: u64 = 150_000;
    let Some((mut sources, _alone)) = both() else { return };
    sources.iter_mut().for_each(|rings| rings.follow(own_tid()).expect("there is room"));
    let busy = std::thread::spawn(move || {
        Affinity::one(last_processor()).give(0).expect("may be pinned");
        for _ in 0..NAMES {
            name_thread("full");
        }
        own_tid()
    });
    let own = busy.join().expect("it ends");
    let said = sources.each_mut().map(|rings| rings.take());
    let after = std::thread::spawn(move || {
        Affinity::one(last_processor()).give(0).expect("may be pinned");
        name_thread("room again");
    });
    after.join().expect("it ends");
    for (mut rings, said) in sources.into_iter().zip(said) {
        drop(rings.take());
        let named = |seen| matches!(seen, KernelEvent::Named { tid, .. } if tid == own);
        let seen = said.iter().filter(|event| named(event.seen)).count() as u64;
        let lost: u64 = rings.lost.iter().map(|(_, count)| count).sum();
        assert!(seen < NAMES, "this test fills the ring: {seen}");
        assert!(seen + lost >= NAMES, "{seen} seen, {lost} lost");
        assert!(rings.lost.iter().any(|(place, _)| *place == Where::Here(0)), "{:?}", rings.lost);
    }
}

#[test]
fn law_nothing_stays_in_the_kernel_when_the_process_is_killed() {
    if std::env::var_os("WINDFALL_HOLDS_PROGRAMS").is_some() {
        let mut programs = BpfEvents::load(&[last_processor()]).expect("the parent could");
        if let Err(why) = programs.programs.report_starts(&makers(&[], &[])) {
            println!("without start routines: {why}");
        }
        for number in programs.programs.numbers() {
            println!("program {number}");
        }
        println!("all");
        sleep(Duration::from_secs(60));
        return;
    }
    if both().is_none() {
        return;
    }
    let this = std::env::current_exe().expect("this program");
    let name = "rings::tests::law_nothing_stays_in_the_kernel_when_the_process_is_killed";
    let child = Command::new(this)
        .args(["--exact", name, "--nocapture"])
        .env("WINDFALL_HOLDS_PROGRAMS", "1")
        .stdout(Stdio::piped())
        .spawn();
    let mut child = child.expect("a child");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let lines = lines.map_while(Result::ok).take_while(|line| line != "all");
    let ids: Vec<u32> =
        lines.filter_map(|line| line.strip_prefix("program ")?.parse().ok()).collect();
    let left = || loaded_programs().flatten().filter(|one| ids.contains(&one.id())).count();
    let held = left();
    child.kill().expect("it lives");
    child.wait().expect("it is our child");
    assert!(held >= 6 && held == ids.len(), "{held} of {ids:?} were loaded");
    let begun = Instant::now();
    while left() > 0 {
        assert!(begun.elapsed() < Duration::from_secs(10), "{} are left", left());
        sleep(Duration::from_millis(20));
    }
}

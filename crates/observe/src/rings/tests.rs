//! Both sources, side by side on this machine's kernel. Without the right to listen, these tests say so
//! and do nothing.

mod taken;

use super::bpf::BpfEvents;
use super::perf::PerfEvents;
use super::{Event, Rings, Source, Where};
use crate::ObserveError;
use crate::fifo_priorities;
use crate::kernel_event::KernelEvent;
use crate::routines::{Routines, language_of, makers};
use aya::programs::loaded_programs;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};
use windfall_os::process::name_thread;
use windfall_os::sched::{Affinity, own_tid, set_fifo};
use windfall_skips::{Needs, skip};
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

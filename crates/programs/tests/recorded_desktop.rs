//! Learning from the recorded desktop: an encoder, a player and an editor beside two builds.
#![allow(clippy::unwrap_used, reason = "helpers of tests; a failure is a failed test")]

use std::fs::File;
use std::io::BufReader;
use windfall_programs::RecordedStep;
use windfall_programs::learn::{
    Cause, Learned, Note, Options, Parent, Proposal, Row, habit, learn,
};
use windfall_time::{Ratio, Span};
use windfall_trace::import::open;
use windfall_trace::timeline::{State, Timeline};
use windfall_trace::{Cpu, Record};

fn records(name: &str) -> Vec<Record> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/recorded/");
    let file = File::open(format!("{folder}{name}")).unwrap();
    open(BufReader::new(file), None).collect::<Result<_, _>>().unwrap()
}

fn by_tid(learned: &Learned, tid: u32) -> usize {
    learned.threads.iter().position(|thread| thread.tid == tid).unwrap()
}

fn near(found: Option<Span>, micros: u64) -> bool {
    found.is_some_and(|span| span.as_nanos().abs_diff(micros * 1_000) <= 10_000)
}

#[test]
fn law_the_recordings_periods_are_found_in_both_formats() {
    for (name, least) in [("desktop.ftrace.gz", 140), ("desktop.perf.gz", 28)] {
        let learned = learn(records(name));
        let three_quarters = Ratio::new(3, 4).unwrap();
        for (tid, micros) in [
            (18831, 33_333), // the encoder makes a frame
            (18851, 33_333), // its threads code it
            (18852, 33_333),
            (18854, 33_333),
            (18832, 21_333), // 1024 samples of sound
            (18833, 21_333), // which lame codes
        ] {
            let found = habit(&learned, by_tid(&learned, tid));
            assert!(near(found.period, micros), "{name}: {tid}: {found:?}");
            assert!(found.confidence >= three_quarters, "{name}: {tid}: {found:?}");
            assert!(found.periods >= least, "{name}: {tid}: {found:?}");
        }
        let of = |tid| habit(&learned, by_tid(&learned, tid)).note;
        assert_eq!(of(18833), Note::ReleasedBy(by_tid(&learned, 18832)), "{name}");
        assert_eq!(of(18852), Note::ReleasedBy(by_tid(&learned, 18831)), "{name}");
        assert_eq!((of(18831), of(18832)), (Note::Periodic, Note::Periodic), "{name}");
    }
}

#[test]
fn law_builds_shells_and_editors_are_not_periodic() {
    for name in ["desktop.ftrace.gz", "desktop.perf.gz"] {
        let learned = learn(records(name));
        let mut seen = 0;
        for (i, thread) in learned.threads.iter().enumerate() {
            let people_and_builds =
                ["make", "gcc", "cc1", "as", "ld", "collect2", "rm", "bash", "sleep", "vim"];
            if people_and_builds.contains(&thread.name.as_str()) || thread.name.starts_with("tmux")
            {
                seen += 1;
                assert_eq!(habit(&learned, i).period, None, "{name}: {}", thread.name);
            }
        }
        assert!(seen > 100, "{name}: {seen}");
    }
}

#[test]
fn law_the_proposal_reserves_for_sound_and_pictures() {
    let learned = learn(records("desktop.ftrace.gz"));
    let proposal = Proposal::new(&learned, Options::default());
    let reserved: Vec<_> = proposal
        .rows
        .iter()
        .filter(|row| matches!(row.parent, Parent::Reservation { soft: true, .. }))
        .map(|row| row.name.as_str())
        .collect();
    for name in ["video-enc", "audio-src", "lame"] {
        assert!(reserved.contains(&name), "{reserved:?}");
    }
    assert!(proposal.share < Ratio::ONE, "{}", proposal.share);
    let released = |row: &Row| row.released_by.as_deref() == Some("audio-src");
    assert!(proposal.rows.iter().any(released), "{:?}", proposal.rows);
}

#[test]
fn law_work_is_the_timelines_running_time_less_what_was_stolen() {
    let records = records("desktop.ftrace.gz");
    let learned = learn(records.iter().cloned());
    let timeline = Timeline::build(records.into_iter());
    assert_eq!(learned.conflicts, 0);
    let mut different = 0;
    for line in &timeline.threads {
        let running: u64 = line
            .stretches
            .iter()
            .filter_map(|stretch| match stretch.state {
                State::Running(cpu) => {
                    let stolen = stolen(&learned, &timeline, cpu, stretch.from, stretch.to);
                    Some(stretch.span().as_nanos() - stolen)
                }
                _ => None,
            })
            .sum();
        let thread = learned.threads.iter().find(|thread| thread.trace_thread == line.id);
        let work = thread.map_or(0, |thread| thread.work().as_nanos());
        if work != running {
            // The timeline does not say which thread ran before a processor's first switch.
            assert!(work > running, "{}: {work} < {running}", line.name);
            different += 1;
        }
    }
    assert!(different <= timeline.cpus.len(), "{different}");
}

/// The time stolen from a processor in an interval.
fn stolen(
    learned: &Learned,
    timeline: &Timeline,
    cpu: Cpu,
    from: windfall_time::Instant,
    to: windfall_time::Instant,
) -> u64 {
    let (from, to) = (
        from.saturating_since(timeline.from).as_nanos(),
        to.saturating_since(timeline.from).as_nanos(),
    );
    learned.interrupts[usize::from(cpu.0)]
        .iter()
        .map(|piece| {
            let begins = piece.at.as_nanos();
            let ends = begins + piece.span.as_nanos();
            ends.min(to).saturating_sub(begins.max(from))
        })
        .sum()
}

#[test]
fn law_every_wait_of_the_recording_is_ended_by_its_wake() {
    let learned = learn(records("desktop.ftrace.gz"));
    let mut balance = vec![0_i64; learned.threads.len()];
    let (mut woken, mut timed) = (0, 0);
    for (i, thread) in learned.threads.iter().enumerate() {
        for step in &thread.recorded.steps {
            match step {
                RecordedStep::Wake(target) => balance[*target] += 1,
                RecordedStep::Woken => {
                    balance[i] -= 1;
                    woken += 1;
                }
                RecordedStep::Until(_) => timed += 1,
                RecordedStep::Run(_) => {}
            }
        }
    }
    assert!(balance.iter().all(|sum| *sum == 0));
    assert!(woken > 2_000 && timed > 500, "{woken} woken, {timed} timed");
    let lame = &learned.threads[by_tid(&learned, 18833)];
    let source = by_tid(&learned, 18832);
    let by_source = lame.activations.iter().filter(|a| a.by == Cause::Thread(source)).count();
    assert!(by_source >= 230, "{by_source}");
}

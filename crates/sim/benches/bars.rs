//! Throughput (jobs and job events a second) and memory in cases that other simulators are measured by, too.
//!
//! `cargo bench -p windfall-sim --bench bars [-- CASE...]`; one line a case, fields separated by
//! commas: tool, case, processor seconds, jobs, jobs/s, peak KiB, job events/s, and bytes of trace a
//! record where one is kept.

mod cases;

use cases::{Case, case, run};
use std::io::Write;
use windfall_scenario::outcome::Outcome;
use windfall_time::Span;
use windfall_trace::Header;
use windfall_trace::codec::Writer;

/// Processor time of this process so far.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let ns = text.split(' ').next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
    Span::from_nanos(ns).as_secs_f64()
}

fn peak_kib() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}

/// Counts the bytes that a trace would take on disk.
#[derive(Default)]
struct Bytes(u64);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Runs a case, keeping a trace if asked to. Returns the trace's bytes and records.
fn run_once(case: &Case, traced: bool) -> (Outcome, u64) {
    if !traced {
        return (run(case, None), 0);
    }
    let header = Header::new("bars", "virtual", case.cpus);
    let mut writer = Writer::new(Bytes::default(), &header);
    let outcome = run(case, Some(&mut writer));
    let Ok(bytes) = writer.finish() else { panic!("nothing can fail to be counted") };
    (outcome, bytes.0)
}

#[expect(clippy::cast_precision_loss, reason = "rates are shown, not compared")]
fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    println!("tool,case,cpu_s,jobs,jobs_per_s,peak_kib,job_events_per_s,bytes_per_record");
    for name in ["A", "B", "uni1000", "m64n320"] {
        if !(wanted.is_empty() || wanted.iter().any(|w| w == name)) {
            continue;
        }
        let Some(case) = case(name) else { continue };
        for traced in [false, true] {
            let (mut jobs, mut events, mut runs, mut bytes) = (0, 0, 0_u32, 0.0);
            let before = cpu_seconds();
            // The kernel updates its account at ticks, so a single run is too short to measure.
            while cpu_seconds() - before < 1.0 {
                let (outcome, written) = run_once(&case, traced);
                bytes = written
                    .checked_div(outcome.records)
                    .map_or(0.0, |_| written as f64 / outcome.records as f64);
                jobs = outcome.threads.iter().map(|t| t.completed).sum();
                events = cases::events(&outcome);
                runs += 1;
            }
            let mean = (cpu_seconds() - before) / f64::from(runs);
            let tool = if traced { "windfall-traced" } else { "windfall" };
            let (jobs_rate, events_rate) = (jobs as f64 / mean, events as f64 / mean);
            let peak = peak_kib();
            println!(
                "{tool},{name},{mean:.4},{jobs},{jobs_rate:.0},{peak},{events_rate:.0},{bytes:.1}"
            );
        }
    }
}

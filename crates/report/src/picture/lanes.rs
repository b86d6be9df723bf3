//! One row's bars: what is wider than a pixel as it is, the rest drawn together.
//!
//! Invariant: bars of a row come in order and there are at most three for each of its pixels.

use super::window::Window;
use std::collections::BTreeMap;
use windfall_time::Instant;
use windfall_trace::timeline::{Slice, State, Stretch, ThreadLine, What};
use windfall_trace::{OverheadKind, ThreadId};

/// The appearance of a bar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Look {
    /// In the colour of a thread.
    Run(ThreadId),
    /// Ready, waiting for a processor.
    Wait,
    /// Waits for a device, or stopped.
    Device,
    /// Interrupts and the hypervisor.
    Stolen,
    /// Scheduling and switching.
    Own,
    Unknown,
}

/// How full a bar of merged pieces can be; a bar of one piece is full.
pub(super) const FULL: u8 = 4;

/// A bar to draw.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bar {
    pub(super) x: f32,
    pub(super) wide: f32,
    pub(super) look: Look,
    /// 1 to [`FULL`].
    pub(super) level: u8,
}

/// The bars of a thread; of several that have a row together, only when one of them ran, in the colour of the first.
pub(super) fn of_threads(window: &Window, threads: &[&ThreadLine]) -> Vec<Bar> {
    let Some(first) = threads.first() else { return Vec::new() };
    let mut stretches: Vec<&Stretch> = threads.iter().flat_map(|line| &line.stretches).collect();
    if threads.len() > 1 {
        stretches.retain(|one| matches!(one.state, State::Running(_) | State::Unknown));
        stretches.sort_by_key(|one| one.from);
    }
    let pieces = stretches.into_iter().filter_map(|stretch| {
        let look = match stretch.state {
            State::Running(_) => Look::Run(first.id),
            State::Ready => Look::Wait,
            State::Uninterruptible | State::Stopped => Look::Device,
            State::Unknown => Look::Unknown,
            State::Blocked => return None,
        };
        Some((stretch.from, stretch.to, look))
    });
    merge(window, pieces)
}

/// The bars of a processor.
pub(super) fn of_cpu(window: &Window, slices: &[Slice]) -> Vec<Bar> {
    let pieces = slices.iter().filter_map(|slice| {
        let look = match slice.what {
            What::Thread(thread) => Look::Run(thread),
            What::Overhead(
                OverheadKind::Scheduling
                | OverheadKind::Switching
                | OverheadKind::StationWait
                | OverheadKind::StationService,
            ) => Look::Own,
            What::Overhead(_) => Look::Stolen,
            What::Unknown => Look::Unknown,
            What::Idle => return None,
        };
        Some((slice.from, slice.to, look))
    });
    merge(window, pieces)
}

/// Pieces narrower than a pixel, all in one pixel.
#[derive(Default)]
struct Column {
    x: f32,
    shares: BTreeMap<Look, f32>,
}

fn merge(window: &Window, pieces: impl Iterator<Item = (Instant, Instant, Look)>) -> Vec<Bar> {
    let mut bars = Vec::new();
    let mut column = Column::default();
    for (from, to, look) in pieces {
        if to <= window.from {
            continue;
        }
        if from >= window.to {
            break;
        }
        let (x0, x1) = (window.x(from), window.x(to));
        let wide = x1 - x0;
        if wide >= 1.0 {
            column.flush(&mut bars);
            bars.push(Bar { x: x0, wide, look, level: FULL });
            continue;
        }
        if x0.floor() > column.x {
            column.flush(&mut bars);
            column.x = x0.floor();
        }
        *column.shares.entry(look).or_default() += wide;
    }
    column.flush(&mut bars);
    bars
}

impl Column {
    /// A bar for who ran most, one for waiting, one for the rest; loss before all.
    fn flush(&mut self, bars: &mut Vec<Bar>) {
        let shares = std::mem::take(&mut self.shares);
        let group = |look: Look| match look {
            Look::Run(_) => 0,
            Look::Wait | Look::Device => 1,
            Look::Stolen | Look::Own | Look::Unknown => 2,
        };
        for wanted in 0..3 {
            let members = shares.iter().filter(|(look, _)| group(**look) == wanted);
            let sum: f32 = members.clone().map(|(_, share)| *share).sum();
            let most = members.max_by(|a, b| {
                let lost = |look: &Look| *look == Look::Unknown;
                lost(a.0).cmp(&lost(b.0)).then(a.1.total_cmp(b.1))
            });
            let Some((look, _)) = most else { continue };
            let level = match (*look, sum) {
                (Look::Unknown, _) | (_, 0.75..) => FULL,
                (_, 0.5..) => 3,
                (_, 0.25..) => 2,
                _ => 1,
            };
            let (x, look) = (self.x, *look);
            // A neighbour that looks the same grows; it stands among the last three.
            let tail = bars.len().saturating_sub(3);
            let same = bars[tail..].iter_mut().find(|bar| {
                bar.look == look && bar.level == level && (bar.x + bar.wide - x).abs() < 0.01
            });
            match same {
                Some(bar) if bar.x.fract() == 0.0 => bar.wide += 1.0,
                _ => bars.push(Bar { x, wide: 1.0, look, level }),
            }
        }
    }
}

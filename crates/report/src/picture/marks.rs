//! Marks of jobs on a thread's row: release, deadline, late, missed.
//!
//! Invariant: a miss is marked however dense the jobs are; arrows are left out where they would
//! stand closer than [`DENSE`] pixels.

use super::layout::{BAR_HIGH, BAR_TOP, DARK, ROW};
use super::window::Window;
use crate::{Job, Outcome};
use windfall_plot::{Colour, Paint, Scene};

const RED: Colour = [0xb3, 0x20, 0x2c];
/// Red stripes.
pub(super) const LATE: Paint = Paint::Stripes([[0xfb, 0xdf, 0xe0], RED]);
/// Arrows closer than this are left out.
const DENSE: f32 = 7.0;

/// The kinds of marks drawn, for the legend.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Drawn {
    pub(super) arrows: bool,
    pub(super) late: bool,
    pub(super) dense: bool,
}

pub(super) fn draw(scene: &mut Scene, window: &Window, y: f32, jobs: &[&Job]) -> Drawn {
    let mut drawn = Drawn::default();
    let seen = jobs.iter().filter(|job| window.holds(job.release)).count();
    // What 16 bits cannot count is dense on every picture.
    let dense = u16::try_from(seen).map_or(true, |seen| f32::from(seen) * DENSE > window.wide);
    let mut last = f32::MIN;
    for job in jobs {
        if !dense {
            if window.holds(job.release) {
                arrow(scene, window.x(job.release), y, true);
                drawn.arrows = true;
            }
            if let Some(deadline) = job.deadline.filter(|deadline| window.holds(*deadline)) {
                arrow(scene, window.x(deadline), y, false);
                drawn.arrows = true;
            }
        }
        drawn.dense |= dense && window.holds(job.release);
        let bad = matches!(job.outcome, Outcome::Missed | Outcome::GivenUp);
        if !bad {
            continue;
        }
        let end = job.end.unwrap_or(window.end);
        if end < window.from || job.deadline.is_some_and(|deadline| deadline > window.to) {
            continue;
        }
        let x = window.x(end);
        if let Some(deadline) = job.deadline {
            let from = window.x(deadline);
            let wide = x - from;
            if wide >= 1.0 {
                scene.rect(from, y + BAR_TOP + BAR_HIGH, wide, 4.0, LATE);
            }
        }
        if x - last >= 6.0 && job.end.is_some_and(|end| window.holds(end)) {
            cross(scene, x, y + 5.0);
            last = x;
        }
        drawn.late = true;
    }
    drawn
}

/// An arrow through the row's height: up for a release, down for a deadline.
pub(super) fn arrow(scene: &mut Scene, x: f32, y: f32, up: bool) {
    let (top, bottom) = (y + 2.0, y + ROW - 2.0);
    scene.rect(x - 0.6, top + 1.0, 1.2, bottom - top - 2.0, Paint::Plain(DARK));
    let (tip, back) = if up { (top, top + 6.0) } else { (bottom, bottom - 6.0) };
    scene.polygon(&[(x, tip), (x + 3.2, back), (x - 3.2, back)], Paint::Plain(DARK));
}

/// A red cross.
pub(super) fn cross(scene: &mut Scene, x: f32, y: f32) {
    let (far, near) = (4.0, 1.5);
    for flip in [1.0, -1.0] {
        let point = |dx: f32, dy: f32| (x + dx * flip, y + dy);
        let corners = [
            point(-far, -far + near),
            point(-far + near, -far),
            point(far, far - near),
            point(far - near, far),
        ];
        scene.polygon(&corners, Paint::Plain(RED));
    }
}

//! Response times as small histograms in SVG, one for each thread that had jobs.
//!
//! The time axis is logarithmic when the longest response is more than ten times the shortest; the
//! longest response and the number of jobs are always written out, since a bar of one job in a
//! million is not seen. Bars are as high as the root of their count, for the same reason.

use super::{Bucket, Report, Response};
use crate::figures::{grouped, short};
use crate::html::Shown;
use maud::{Markup, html};
use windfall_time::Span;

const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 90.0;

pub(super) fn section(report: &Report) -> Markup {
    let shown = report.threads.iter().filter_map(|row| Some((row, row.response.as_ref()?)));
    let shown: Vec<_> = shown.collect();
    html! {
        @if !shown.is_empty() {
            section aria-labelledby="responses" {
                h2 #responses {
                    "Response times "
                    small { "from release to completion; height is the square root of the count" }
                }
                div.grid {
                    @for (row, response) in shown {
                        @let count = response.buckets.iter().map(|bucket| bucket.count).sum();
                        figure {
                            figcaption { b { (Shown(&row.name)) } " " span { (grouped(count)) " jobs" } }
                            (picture(response))
                            p {
                                "p50 " (short(response.p50)) " · p99 " (short(response.p99)) " · "
                                b { "max " (short(response.max)) }
                            }
                        }
                        "\n"
                    }
                }
            }
        }
    }
}

/// Where times lie on the axis, 0 to 1.
struct Axis {
    from: f64,
    to: f64,
    log: bool,
}

#[expect(clippy::cast_precision_loss, reason = "shown, never compared")]
impl Axis {
    fn of(response: &Response) -> Axis {
        let first = response.buckets.first().map_or(0, |bucket| bucket.from.as_nanos());
        let last = response.buckets.last().map_or(1, |bucket| bucket.to.as_nanos());
        let log = first > 0 && last / 10 > first;
        if response.buckets.len() == 1 {
            // One value is a line, with room on both sides, and no block.
            return Axis { from: 0.0, to: last.max(1) as f64 * 4.0 / 3.0, log: false };
        }
        let (from, to) = (first as f64, last.max(first + 1) as f64);
        Axis { from, to, log }
    }

    fn x(&self, time: Span) -> f64 {
        let time = time.as_nanos() as f64;
        let at = if self.log {
            // `ln` may differ in its last bit between machines; a tenth of a pixel hides that.
            (time.max(self.from) / self.from).ln() / (self.to / self.from).ln()
        } else {
            (time - self.from) / (self.to - self.from)
        };
        at.clamp(0.0, 1.0) * WIDTH
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "shown; above zero")]
fn nanos(time: f64) -> Span {
    Span::from_nanos(time.round() as u64)
}

/// A tenth of a pixel is all that is seen.
fn place(pixels: f64) -> String {
    format!("{pixels:.1}")
}

fn picture(response: &Response) -> Markup {
    let axis = Axis::of(response);
    let most = response.buckets.iter().map(|bucket| bucket.count).max().unwrap_or(1).max(1);
    let [from, to] = [axis.from, axis.to].map(nanos);
    html! {
        svg viewBox="-6 -4 312 112" role="img"
            aria-label={ (short(response.min)) " to " (short(response.max)) } {
            path.axis d={ "M0 " (HEIGHT) "H" (WIDTH) } {}
            @for bucket in response.buckets.iter().filter(|bucket| bucket.count > 0) {
                (bar(&axis, bucket, most))
            }
            path.max d={ "M" (place(axis.x(response.max))) " 0V" (HEIGHT) } {}
            text x="0" y="104" { (short(from)) }
            text.dim x="150" y="104" text-anchor="middle" { (if axis.log { "log" } else { "linear" }) }
            text x=(WIDTH) y="104" text-anchor="end" { (short(to)) }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown, never compared")]
fn bar(axis: &Axis, bucket: &Bucket, most: u64) -> Markup {
    let (left, right) = (axis.x(bucket.from), axis.x(bucket.to));
    let high = ((bucket.count as f64 / most as f64).sqrt() * HEIGHT).max(2.0);
    let (top, wide) = (HEIGHT - high, (right - left - 0.6).max(1.0));
    html! {
        rect x=(place(left)) y=(place(top)) width=(place(wide)) height=(place(high)) {
            title { (short(bucket.from)) " to " (short(bucket.to)) ": " (grouped(bucket.count)) }
        }
    }
}

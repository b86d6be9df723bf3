//! Response times as small histograms in SVG, one for each thread that had jobs.
//!
//! The time axis is logarithmic when the longest response is more than ten times the shortest; the
//! longest response and the number of jobs are always written out, since a bar of one job in a
//! million is not seen. Bars are as high as the root of their count, for the same reason.

use super::escape::html;
use super::{Report, Response};
use crate::export::text::{grouped, short};
use std::io::{self, Write};
use windfall_time::Span;

const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 90.0;

pub(super) fn section(out: &mut impl Write, report: &Report) -> io::Result<()> {
    let shown = report.threads.iter().filter_map(|row| Some((row, row.response.as_ref()?)));
    let mut shown = shown.peekable();
    if shown.peek().is_none() {
        return Ok(());
    }
    out.write_all(
        b"<section aria-labelledby=\"responses\"><h2 id=\"responses\">Response times <small>from \
          release to completion; height is the square root of the count</small></h2>\n\
          <div class=\"grid\">\n",
    )?;
    for (row, response) in shown {
        let count: u64 = response.buckets.iter().map(|bucket| bucket.count).sum();
        let (name, jobs) = (html(&row.name), grouped(count));
        writeln!(out, "<figure><figcaption><b>{name}</b> <span>{jobs} jobs</span></figcaption>")?;
        picture(out, response)?;
        write!(out, "<p>p50 {} · p99 {} · ", short(response.p50), short(response.p99))?;
        writeln!(out, "<b>max {}</b></p></figure>", short(response.max))?;
    }
    out.write_all(b"</div></section>\n")
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

#[expect(clippy::cast_precision_loss, reason = "shown, never compared")]
fn picture(out: &mut impl Write, response: &Response) -> io::Result<()> {
    let axis = Axis::of(response);
    let most = response.buckets.iter().map(|bucket| bucket.count).max().unwrap_or(1).max(1);
    let label = format!("{} to {}", short(response.min), short(response.max));
    write!(
        out,
        "<svg viewBox=\"-6 -4 312 112\" role=\"img\" aria-label=\"{label}\"><path class=\"axis\" \
         d=\"M0 {HEIGHT}H{WIDTH}\"/>"
    )?;
    for bucket in response.buckets.iter().filter(|bucket| bucket.count > 0) {
        let (left, right) = (axis.x(bucket.from), axis.x(bucket.to));
        let high = ((bucket.count as f64 / most as f64).sqrt() * HEIGHT).max(2.0);
        let (top, wide) = (HEIGHT - high, (right - left - 0.6).max(1.0));
        let title =
            format!("{} to {}: {}", short(bucket.from), short(bucket.to), grouped(bucket.count));
        write!(
            out,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\">\
             <title>{title}</title></rect>"
        )?;
    }
    let max = axis.x(response.max);
    write!(out, "<path class=\"max\" d=\"M{max:.1} 0V{HEIGHT}\"/>")?;
    let (first, last) = (response.buckets.first(), response.buckets.last());
    let (from, to) = (first.map_or(response.min, |b| b.from), last.map_or(response.max, |b| b.to));
    let scale = if axis.log { "log" } else { "linear" };
    writeln!(
        out,
        "<text x=\"0\" y=\"104\">{}</text><text x=\"150\" y=\"104\" text-anchor=\"middle\" \
         class=\"dim\">{scale}</text><text x=\"{WIDTH}\" y=\"104\" text-anchor=\"end\">{}</text></svg>",
        short(from),
        short(to)
    )
}

//! Figure 6.2 for any application: which reservations are enough, by period and amount.
//!
//! The boundary is what the search found; the two lines are what no reservation can go below: the
//! threads' utilisation, and the longest gap after which every thread still meets its deadline.

use super::percent;
use windfall_analysis::search::{Boundary, Kind, Point};
use windfall_guarantees::{Guarantee, Type};
use windfall_plot::chart::{Axis, Chart, Mark};
use windfall_plot::{Anchor, Colour, Paint, Scene, Stroke};
use windfall_scenario::reserve::{Case, Found, Present};
use windfall_time::Span;

const SHADE: Paint = Paint::Plain([0xc9, 0xce, 0xd6]);
const NONE: Paint = Paint::Stripes([[0xff; 3], [0xdf, 0xe3, 0xe8]]);
const UNKNOWN: Paint = Paint::Stripes([[0xf3, 0xf4, 0xf6], [0x9a, 0xa3, 0xae]]);
const EDGE: Colour = [0x1b, 0x21, 0x29];
const SHARE: Colour = [0xb5, 0x4a, 0x00];
const GAP: Colour = [0x1f, 0x5f, 0xa8];

/// Draws it; the boundary is that of many periods.
#[must_use]
pub fn scene(case: &Case, found: &Found, boundary: &Boundary) -> Scene {
    let last = boundary.points.iter().map(|point| point.period).max().unwrap_or(Span::ZERO);
    let (unit, name) = unit(last);
    #[expect(clippy::cast_precision_loss, reason = "places on a picture")]
    let of = |span: Span| span.as_nanos() as f64 / unit;
    let most = boundary.points.iter().filter_map(|point| point.amount).max();
    let x = Axis::until(&format!("period ({name})"), of(last));
    let y = Axis::covering(&format!("amount ({name})"), of(most.unwrap_or(last)) * 1.04);
    let (right, top) = (x.to, y.to);
    let mut chart = Chart::new(&title(case, found), &facts(case, found), x, y);

    let least = |point: &Point| {
        // Without an amount, nothing up to a whole processor is enough.
        (of(point.period), of(point.amount.unwrap_or(point.period)))
    };
    let edge: Vec<(f64, f64)> = boundary.points.iter().map(least).collect();
    let ends = [edge.last(), edge.first()].map(|end| (end.map_or(0.0, |end| end.0), 0.0));
    let shade: Vec<(f64, f64)> = edge.iter().copied().chain(ends).collect();
    chart.area(&shade, SHADE, "not enough: a deadline may be missed");
    let far = right.max(top);
    let beyond = [(0.0, 0.0), (far, far), (0.0, far)];
    chart.area(&beyond, NONE, "no reservation: amount above period");
    let first = edge.first().map_or(0.0, |point| point.0);
    if first > right * 0.02 {
        let shorter = [(0.0, 0.0), (first, 0.0), (first, first)];
        chart.area(&shorter, UNKNOWN, "not looked at: shorter periods");
    }
    chart.line(
        &edge,
        Stroke { colour: EDGE, wide: 2.4, dash: None },
        "least amount that is enough",
    );

    let (share, gap) = (case.utilisation(), case.longest_gap());
    let dashed = |colour, on, off| Stroke { colour, wide: 1.8, dash: Some((on, off)) };
    chart.line(
        &[(0.0, 0.0), (right, right * share)],
        dashed(SHARE, 13.0, 5.0),
        &format!("utilisation of the threads: {}", percent(share)),
    );
    let survived = match found.kind {
        Kind::Basic => of(gap) / 2.0,
        Kind::Continuous => of(gap),
    };
    chart.line(
        &[(survived, 0.0), (survived + top, top)],
        dashed(GAP, 3.5, 3.0),
        &format!("a gap of {gap}: the longest that all threads survive"),
    );
    words(&mut chart, &edge, share, (right, top));
    marks(&mut chart, found, &of);
    chart.finish()
}

/// Which side of the boundary is which, where there is room.
fn words(chart: &mut Chart, edge: &[(f64, f64)], share: f64, (right, top): (f64, f64)) {
    let boundary =
        |x: f64| edge.iter().find(|(period, _)| *period >= x).map_or(0.0, |point| point.1);
    let x = right * 0.8;
    let below = [x * share * 0.35, boundary(x) * 0.5].into_iter().find(|y| *y > top * 0.04);
    if let Some(y) = below {
        chart.words((x, y), Anchor::Middle, "not enough");
    }
    let x = right * 0.55;
    let (low, high) = (boundary(x), x.min(top));
    if high - low > top * 0.15 {
        chart.words((x, (low + high) / 2.0), Anchor::Middle, "enough");
    }
}

fn marks(chart: &mut Chart, found: &Found, of: &dyn Fn(Span) -> f64) {
    if let Some(Present { guarantee, .. }) = &found.present
        && let Some((amount, period)) = spans(guarantee, found.kind)
    {
        chart.mark((of(period), of(amount)), Mark::Square, &format!("the file's: {guarantee}"));
    }
    if let Some(knee) = &found.knee
        && let Some(amount) = knee.amount
    {
        let name = format!("knee: {}", found.guarantee(amount, knee.period));
        chart.mark((of(knee.period), of(amount)), Mark::Ring, &name);
    }
    if let Some(choice) = &found.choice {
        let at = (of(choice.period), of(choice.amount));
        chart.plumb(at);
        let name = format!("choice: {}", found.guarantee(choice.amount, choice.period));
        chart.mark(at, Mark::Diamond, &name);
    }
}

fn title(case: &Case, found: &Found) -> String {
    let kind = match found.kind {
        Kind::Basic => "Basic",
        Kind::Continuous => "Continuous",
    };
    match &case.scheduler {
        Some(name) => format!("{kind} reservations for the threads of {name}"),
        None => format!("{kind} reservations for the threads"),
    }
}

fn facts(case: &Case, found: &Found) -> String {
    let count = case.members.len();
    let threads = if count == 1 { "thread" } else { "threads" };
    let kind = match found.kind {
        Kind::Basic => "RESBS",
        Kind::Continuous => "RESCS",
    };
    format!("{count} {threads}, {}; is {kind} amount period enough?", case.service.name())
}

/// Nanoseconds to the unit in which the longest period has few digits.
fn unit(longest: Span) -> (f64, &'static str) {
    match longest.as_nanos() {
        0..1_000 => (1.0, "ns"),
        1_000..1_000_000 => (1e3, "us"),
        1_000_000..1_000_000_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    }
}

/// Amount and period of a reservation that has its place in the figure.
fn spans(guarantee: &Guarantee, kind: Kind) -> Option<(Span, Span)> {
    let own = match guarantee.kind() {
        Type::Resbh | Type::Resbs | Type::Resps => Kind::Basic,
        _ => Kind::Continuous,
    };
    let (amount, period) = guarantee.reservation().filter(|_| own == kind)?;
    Some((amount.to_span()?, period.to_span()?))
}

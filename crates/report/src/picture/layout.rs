//! Where everything of a picture stands: title, processors, the tree with its threads, time, legend.

use super::Picture;
use super::lanes::{self, Bar, FULL, Look};
use super::marks::{self, Drawn};
use super::window::Window;
use crate::figures::short;
use crate::rows::{self, Line};
use crate::{Job, Node, Story};
use std::collections::{BTreeMap, BTreeSet};
use windfall_plot::{Anchor, Colour, Font, Letters, Paint, Scene};
use windfall_time::{Instant, Span};
use windfall_trace::ThreadId;
use windfall_trace::timeline::ThreadLine;

/// Height of a row, and of the bars in it.
pub(super) const ROW: f32 = 30.0;
pub(super) const BAR_TOP: f32 = 8.0;
pub(super) const BAR_HIGH: f32 = 16.0;
/// Rows that are drawn at most; the title says how many are left out.
const ROWS: usize = 200;
const TOP: f32 = 58.0;

pub(super) const DARK: Colour = [0x1b, 0x21, 0x29];
const DIM: Colour = [0x5b, 0x65, 0x73];
const LINE: Colour = [0xd9, 0xdd, 0xe3];
const FAINT: Colour = [0xf3, 0xf5, 0xf7];
pub(super) const WAIT: Colour = [0xe2, 0xa3, 0x3b];
const DEVICE: Colour = [0x8a, 0x94, 0xa3];
const STOLEN: Colour = [0x3a, 0x2f, 0x45];
const OWN: Colour = [0xa5, 0x8b, 0xc0];
/// Grey stripes.
const UNKNOWN: Paint = Paint::Stripes([[0xe1, 0xe4, 0xe8], [0xa4, 0xab, 0xb5]]);
/// None is near the colour of waiting or of a miss. `page/draw.js` has the same, and a test compares them.
pub(super) const THREADS: [Colour; 8] = [
    [0x44, 0x77, 0xaa],
    [0x22, 0x88, 0x33],
    [0xaa, 0x33, 0x77],
    [0x66, 0xcc, 0xee],
    [0x7f, 0x7f, 0xd5],
    [0x5f, 0xa0, 0x5f],
    [0xc7, 0x7d, 0xbb],
    [0x3d, 0x8f, 0x8f],
];

/// A row's label, and what stands in it.
enum Lane<'a> {
    Cpu(String, Vec<Bar>),
    Node(usize, &'a str, &'a str),
    /// A thread, or several that have a row together.
    Thread(usize, String, Vec<ThreadId>, Vec<Bar>),
}

/// A row of the tree.
enum Row<'a> {
    Node(&'a Node),
    /// Places in the timeline.
    Threads(String, Vec<usize>),
}

/// The rows of the tree, each with its depth; many threads that are alike have one together.
fn rows(story: &Story) -> Vec<(usize, Row<'_>)> {
    let (mut rows, mut to_come) = (Vec::new(), 0);
    for (depth, line) in rows::lines(story) {
        let name = |place: usize| story.timeline.threads[place].name.clone();
        let hides = line.hides();
        match (line, rows.last_mut()) {
            (Line::Node(node), _) => rows.push((depth, Row::Node(node))),
            (Line::Thread(place), _) => {
                rows.push((depth, Row::Threads(name(place), vec![place])));
            }
            (Line::Group { name, .. }, _) if hides > 0 => {
                to_come = hides;
                rows.push((depth, Row::Threads(name, Vec::new())));
            }
            (Line::Group { .. }, _) => {}
            (Line::Member(place), Some((_, Row::Threads(_, places)))) if to_come > 0 => {
                to_come -= 1;
                places.push(place);
            }
            (Line::Member(place), _) => {
                rows.push((depth - 1, Row::Threads(name(place), vec![place])));
            }
        }
    }
    rows
}

/// The scene of `picture`.
pub(super) fn scene(picture: &Picture, story: &Story, font: &Font) -> Scene {
    let wide = picture.width.clamp(400, 8_000);
    let left = label_width(story, font, f32::from(wide) * 0.25);
    let window = Window::of(picture, story, left, f32::from(wide) - left - 24.0);
    let (lines, left_out) = lines(story, &window);
    let mut scene = Scene::new(&picture.title, wide, 0);
    head(&mut scene, font, picture, story, (&window, left_out));
    let rows = u16::try_from(lines.len()).expect("no more lines than rows are drawn");
    let bottom = TOP + f32::from(rows) * ROW;
    axis(&mut scene, font, &window, bottom, story.timeline.from);
    let mut colours = BTreeMap::new();
    for (place, line) in story.timeline.threads.iter().enumerate() {
        colours.insert(line.id, THREADS[place % THREADS.len()]);
    }
    let mut jobs: BTreeMap<ThreadId, Vec<&Job>> = BTreeMap::new();
    for job in &story.jobs {
        jobs.entry(job.thread).or_default().push(job);
    }
    let (mut looks, mut drawn, mut y) = (BTreeSet::new(), Drawn::default(), TOP);
    for line in &lines {
        let base = y + BAR_TOP + BAR_HIGH;
        label(&mut scene, font, line, y, left, &colours);
        if let Lane::Cpu(_, bars) | Lane::Thread(_, _, _, bars) = line {
            scene.rect(left, base, window.wide, 0.8, Paint::Plain(DIM));
            for bar in bars {
                looks.insert(if let Look::Run(_) = bar.look { None } else { Some(bar.look) });
                draw_bar(&mut scene, bar, y, &colours);
            }
        }
        if let Lane::Thread(_, _, threads, _) = line {
            let all = threads.iter().filter_map(|thread| jobs.get(thread)).flatten();
            let mut all: Vec<&Job> = all.copied().collect();
            all.sort_by_key(|job| job.release);
            let more = marks::draw(&mut scene, &window, y, &all);
            drawn.arrows |= more.arrows;
            drawn.late |= more.late;
            drawn.dense |= more.dense;
        }
        y += ROW;
    }
    let end = legend(&mut scene, font, bottom + 52.0, (&looks, drawn));
    scene.high = 100;
    while f32::from(scene.high) < end && scene.high < u16::MAX {
        scene.high += 1;
    }
    scene
}

/// Room for the longest label, `most` at most.
fn label_width(story: &Story, font: &Font, most: f32) -> f32 {
    let mut widest = font.width("cpu 000", 12.0);
    for (depth, row) in rows(story) {
        let name = match row {
            Row::Node(node) => font.width(&node.name, 12.0) + 8.0 + font.width(&node.kind, 11.0),
            Row::Threads(name, _) => font.width(&name, 12.0) + 14.0,
        };
        widest = widest.max(name + indent(depth));
    }
    (widest + 26.0).min(most).round()
}

/// Deeper than 255 levels nothing moves further to the right: that is off every picture.
fn indent(depth: usize) -> f32 {
    f32::from(u8::try_from(depth.min(255)).expect("at most 255")) * 14.0
}

fn lines<'a>(story: &'a Story, window: &Window) -> (Vec<Lane<'a>>, usize) {
    let timeline = &story.timeline;
    let mut lines: Vec<Lane<'_>> = timeline
        .cpus
        .iter()
        .take(ROWS)
        .map(|line| Lane::Cpu(format!("cpu {}", line.cpu.0), lanes::of_cpu(window, &line.slices)))
        .collect();
    let rows = rows(story);
    let all = timeline.cpus.len() + rows.len();
    let room = ROWS - lines.len();
    for (depth, row) in rows.into_iter().take(room) {
        lines.push(match row {
            Row::Node(node) => Lane::Node(depth, &node.name, &node.kind),
            Row::Threads(name, places) => {
                let threads: Vec<&ThreadLine> =
                    places.iter().map(|place| &timeline.threads[*place]).collect();
                let ids = threads.iter().map(|line| line.id).collect();
                Lane::Thread(depth, name, ids, lanes::of_threads(window, &threads))
            }
        });
    }
    (lines, all.saturating_sub(ROWS))
}

fn head(
    scene: &mut Scene,
    font: &Font,
    picture: &Picture,
    story: &Story,
    (window, left_out): (&Window, usize),
) {
    let room = f32::from(scene.wide) - 32.0;
    let title = font.fit(&picture.title, 16.0, room);
    scene.text(16.0, 24.0, Letters::new(16.0, DARK), &title);
    let mut facts = vec![match window.why.as_str() {
        "" => short(window.span()),
        why => format!("{} {why}", short(window.span())),
    }];
    let lost = story.timeline.lost;
    if lost.gaps > 0 {
        let count = if lost.uncounted > 0 {
            "events".to_owned()
        } else {
            format!("{} events", lost.events)
        };
        facts.push(format!("{count} LOST"));
    }
    if left_out > 0 {
        facts.push(format!("{left_out} rows left out"));
    }
    let facts = font.fit(&facts.join(" · "), 12.0, room);
    scene.text(16.0, 44.0, Letters::new(12.0, DIM), &facts);
}

fn label(
    scene: &mut Scene,
    font: &Font,
    line: &Lane<'_>,
    y: f32,
    left: f32,
    colours: &BTreeMap<ThreadId, Colour>,
) {
    let base = y + 20.0;
    let (depth, name) = match line {
        Lane::Cpu(name, _) => (0, name.as_str()),
        Lane::Node(depth, name, _) => {
            let wide = f32::from(scene.wide);
            scene.rect(0.0, y + 4.0, wide, ROW - 6.0, Paint::Plain(FAINT));
            (*depth, *name)
        }
        Lane::Thread(depth, name, threads, _) => {
            let colour =
                threads.first().and_then(|thread| colours.get(thread)).copied().unwrap_or(DIM);
            scene.rect(16.0 + indent(*depth), y + 11.5, 9.0, 9.0, Paint::Plain(colour));
            (*depth, name.as_str())
        }
    };
    if depth > 0 {
        let x = 16.0 + indent(depth) - 9.0;
        scene.rect(x, y, 1.0, 16.0, Paint::Plain(LINE));
        scene.rect(x, y + 15.5, 6.0, 1.0, Paint::Plain(LINE));
    }
    let swatch = if matches!(line, Lane::Thread(..)) { 14.0 } else { 0.0 };
    let x = 16.0 + indent(depth) + swatch;
    let shown = font.fit(name, 12.0, left - x - 8.0);
    scene.text(x, base, Letters::new(12.0, DARK), &shown);
    if let Lane::Node(_, _, kind) = line {
        let x = x + font.width(&shown, 12.0) + 8.0;
        let kind = font.fit(kind, 11.0, left - x - 2.0);
        scene.text(x, base, Letters::new(11.0, DIM), &kind);
    }
}

/// `colour` lighter, for a smaller level.
fn tint(colour: Colour, level: u8) -> Colour {
    colour.map(|part| {
        let missing = u16::from(255 - part) * u16::from(FULL - level) * 4 / (u16::from(FULL) * 5);
        part + u8::try_from(missing).expect("at most four fifths of what is missing to white")
    })
}

fn draw_bar(scene: &mut Scene, bar: &Bar, y: f32, colours: &BTreeMap<ThreadId, Colour>) {
    let base = y + BAR_TOP + BAR_HIGH;
    let (colour, high) = match bar.look {
        Look::Run(thread) => (colours.get(&thread).copied().unwrap_or(DIM), BAR_HIGH),
        Look::Wait => (WAIT, 4.0),
        Look::Device => (DEVICE, 2.0),
        // Thin ones of these lie on the bar of a thread: lower, not lighter.
        Look::Stolen => (STOLEN, BAR_HIGH * part(bar.level)),
        Look::Own => (OWN, 10.0 * part(bar.level)),
        Look::Unknown => {
            let (x, wide) = (bar.x - if bar.wide < 3.0 { 1.0 } else { 0.0 }, bar.wide.max(3.0));
            return scene.rect(x, base - BAR_HIGH, wide, BAR_HIGH, UNKNOWN);
        }
    };
    let level = if matches!(bar.look, Look::Stolen | Look::Own) { FULL } else { bar.level };
    scene.rect(bar.x, base - high, bar.wide, high, Paint::Plain(tint(colour, level)));
}

/// How high a bar of a level is.
fn part(level: u8) -> f32 {
    match level {
        FULL => 1.0,
        3 => 0.6,
        2 => 0.35,
        _ => 0.12,
    }
}

/// The time axis below `bottom`, with lines through all rows.
#[expect(clippy::cast_precision_loss, reason = "labels of the axis have few digits")]
fn axis(scene: &mut Scene, font: &Font, window: &Window, bottom: f32, origin: Instant) {
    let span = window.span().as_nanos();
    let mut step = 1_u64;
    // 1, 2, 5, 10, ... so that labels stand 70 pixels apart.
    for factor in [2, 5].iter().cycle().map(|f| if *f == 2 { 2.0 } else { 2.5 }) {
        let apart = step as f64 / span as f64 * f64::from(window.wide);
        if apart >= 70.0 {
            break;
        }
        step = match (factor, step.to_string().as_bytes()[0]) {
            (_, b'2') => step / 2 * 5,
            _ => step * 2,
        };
    }
    let (size, unit) = match step {
        0..1_000 => (1, "ns"),
        1_000..1_000_000 => (1_000, "us"),
        1_000_000..1_000_000_000 => (1_000_000, "ms"),
        _ => (1_000_000_000, "s"),
    };
    let offset = window.from.saturating_since(origin).as_nanos();
    let mut tick = offset.div_ceil(step) * step;
    let dim = |size: f32| Letters::new(size, DIM).at(Anchor::Middle);
    while tick <= offset + span {
        let x = window.x(origin.saturating_add(Span::from_nanos(tick)));
        scene.rect(x - 0.5, TOP, 1.0, bottom - TOP + 5.0, Paint::Plain(LINE));
        scene.text(x, bottom + 18.0, dim(11.0), &(tick / size).to_string());
        tick += step;
    }
    scene.rect(window.left, bottom, window.wide, 1.0, Paint::Plain(DIM));
    let name = format!("time since the trace began ({unit})");
    let x = window.left + window.wide / 2.0;
    let name = font.fit(&name, 12.0, window.wide);
    scene.text(x, bottom + 36.0, dim(12.0), &name);
}

/// Draws the legend of the signs that occur; returns where it ends.
fn legend(
    scene: &mut Scene,
    font: &Font,
    top: f32,
    (looks, drawn): (&BTreeSet<Option<Look>>, Drawn),
) -> f32 {
    let (mut x, mut y) = (16.0, top);
    let end = f32::from(scene.wide) - 16.0;
    let mut item = |scene: &mut Scene, text: &str, sign: &dyn Fn(&mut Scene, f32, f32)| {
        let wide = 30.0 + font.width(text, 11.0) + 18.0;
        if x + wide > end && x > 16.0 {
            (x, y) = (16.0, y + 20.0);
        }
        sign(scene, x, y);
        scene.text(x + 28.0, y + 10.0, Letters::new(11.0, DIM), text);
        x += wide;
    };
    if looks.contains(&None) {
        item(scene, "running", &|scene, x, y| {
            for (place, colour) in [0.0, 8.0, 16.0].into_iter().zip(THREADS) {
                scene.rect(x + place, y, 8.0, 12.0, Paint::Plain(colour));
            }
        });
    }
    let plain = [
        (Look::Wait, WAIT, 4.0, "ready, waiting for a processor"),
        (Look::Device, DEVICE, 2.0, "waits for a device, or stopped"),
        (Look::Stolen, STOLEN, 12.0, "stolen by an interrupt or the hypervisor"),
        (Look::Own, OWN, 8.0, "scheduling, switching"),
    ];
    for (look, colour, high, text) in plain {
        if looks.contains(&Some(look)) {
            item(scene, text, &|scene, x, y| {
                scene.rect(x, y + 12.0 - high, 22.0, high, Paint::Plain(colour));
            });
        }
    }
    if looks.contains(&Some(Look::Unknown)) {
        item(scene, "unknown: events lost", &|scene, x, y| {
            scene.rect(x, y, 22.0, 12.0, UNKNOWN);
        });
    }
    if drawn.arrows {
        item(scene, "release", &|scene, x, y| marks::arrow(scene, x + 16.0, y - 9.0, true));
        item(scene, "deadline", &|scene, x, y| marks::arrow(scene, x + 16.0, y - 9.0, false));
    }
    if drawn.late {
        item(scene, "late", &|scene, x, y| scene.rect(x, y + 4.0, 22.0, 5.0, marks::LATE));
        item(scene, "deadline missed", &|scene, x, y| marks::cross(scene, x + 16.0, y + 6.0));
    }
    if drawn.dense {
        item(scene, "arrows are left out where jobs are dense", &|_, _, _| {});
    }
    y + 28.0
}

//! A chart: two axes, areas, lines, points and marks between them, and a legend.
//!
//! Places are in the units of the axes. Shapes are cut off at the axes; a mark or point there is left
//! out, and its line of the legend stays. Later shapes cover earlier ones.

mod axis;
mod clip;
mod legend;

pub use axis::Axis;
pub use legend::{Dot, Mark};

use crate::{Anchor, Colour, Font, Letters, Paint, Scene, Stroke};
use axis::ticks;
use legend::Sign;

pub(crate) const DARK: Colour = [0x1b, 0x21, 0x29];
pub(crate) const DIM: Colour = [0x4a, 0x53, 0x5f];
const GRID: Colour = [0xe6, 0xe9, 0xed];

const WIDE: u16 = 800;
const LEFT: f32 = 76.0;
const TOP: f32 = 66.0;
/// Pixels of the axes.
const ACROSS: f32 = 696.0;
const UP: f32 = 440.0;

/// A chart that is being drawn.
pub struct Chart {
    scene: Scene,
    font: Font,
    x: Axis,
    y: Axis,
    legend: Vec<(Sign, String)>,
}

impl Chart {
    /// Empty axes below a title and a line of facts.
    #[must_use]
    pub fn new(title: &str, facts: &str, x: Axis, y: Axis) -> Chart {
        let font = Font::new();
        let mut scene = Scene::new(title, WIDE, 0);
        let room = f32::from(WIDE) - 32.0;
        scene.text(16.0, 26.0, Letters::new(16.0, DARK), &font.fit(title, 16.0, room));
        scene.text(16.0, 47.0, Letters::new(12.0, DIM), &font.fit(facts, 12.0, room));
        let mut chart = Chart { scene, font, x, y, legend: Vec::new() };
        chart.grid();
        chart
    }

    /// Adds the area that these corners enclose; named in the legend unless the name is empty.
    pub fn area(&mut self, corners: &[(f64, f64)], paint: Paint, name: &str) {
        let corners: Vec<_> = corners.iter().map(|corner| self.pixel(*corner)).collect();
        let inside = clip::polygon(&corners, FRAME);
        if inside.len() > 2 {
            self.scene.polygon(&inside, paint);
        }
        self.name(Sign::Area(paint), name);
    }

    /// Adds a line through these points; named in the legend unless the name is empty.
    pub fn line(&mut self, points: &[(f64, f64)], stroke: Stroke, name: &str) {
        let points: Vec<_> = points.iter().map(|point| self.pixel(*point)).collect();
        for piece in clip::line(&points, FRAME) {
            self.scene.line(&piece, stroke);
        }
        self.name(Sign::Line(stroke), name);
    }

    /// Adds a mark; named in the legend.
    pub fn mark(&mut self, at: (f64, f64), mark: Mark, name: &str) {
        let (x, y) = self.pixel(at);
        if clip::holds(FRAME, (x, y)) {
            mark.draw(&mut self.scene, x, y);
        }
        self.name(Sign::Mark(mark), name);
    }

    /// Adds measured points; named in the legend unless the name is empty.
    pub fn dots(&mut self, points: &[(f64, f64)], dot: Dot, name: &str) {
        for point in points {
            let (x, y) = self.pixel(*point);
            if clip::holds(FRAME, (x, y)) {
                dot.draw(&mut self.scene, x, y);
            }
        }
        self.name(Sign::Dot(dot), name);
    }

    /// Adds error bars: x, y, and the uncertainty of y, up and down.
    pub fn spread(&mut self, points: &[(f64, f64, f64)], colour: Colour) {
        let stroke = Stroke { colour, wide: 1.2, dash: None };
        for (x, y, far) in points {
            let ends = [(*x, y - far), (*x, y + far)];
            let pixels = ends.map(|end| self.pixel(end));
            for piece in clip::line(&pixels, FRAME) {
                self.scene.line(&piece, stroke);
            }
            for end in pixels.into_iter().filter(|end| clip::holds(FRAME, *end)) {
                self.scene.line(&[(end.0 - 3.0, end.1), (end.0 + 3.0, end.1)], stroke);
            }
        }
    }

    /// Adds lines of dots from a point to both axes.
    pub fn plumb(&mut self, (x, y): (f64, f64)) {
        let dots = Stroke { colour: DIM, wide: 1.0, dash: Some((1.5, 3.0)) };
        let (left, bottom) = (self.x.from, self.y.from);
        self.line(&[(x, bottom), (x, y), (left, y)], dots, "");
    }

    /// Adds words that begin, end or have their middle at a point.
    pub fn words(&mut self, at: (f64, f64), anchor: Anchor, text: &str) {
        let (x, y) = self.pixel(at);
        self.scene.text(x, y, Letters::new(12.0, DARK).at(anchor), text);
    }

    fn name(&mut self, sign: Sign, name: &str) {
        if !name.is_empty() {
            self.legend.push((sign, name.to_owned()));
        }
    }

    /// The picture: the axes over what was added, the legend below.
    #[must_use]
    pub fn finish(mut self) -> Scene {
        self.axes();
        let end = legend::draw(&mut self.scene, &self.font, &self.legend, TOP + UP + 58.0);
        self.scene.high = end;
        self.scene
    }

    fn grid(&mut self) {
        let (left, right, top, bottom) = (LEFT, LEFT + ACROSS, TOP, TOP + UP);
        let thin = Stroke { colour: GRID, wide: 1.0, dash: None };
        for (at, _) in ticks(&self.x) {
            let (x, _) = self.pixel((at, self.y.from));
            self.scene.line(&[(x, top), (x, bottom)], thin);
        }
        for (at, _) in ticks(&self.y) {
            let (_, y) = self.pixel((self.x.from, at));
            self.scene.line(&[(left, y), (right, y)], thin);
        }
    }

    fn axes(&mut self) {
        let (left, right, top, bottom) = (LEFT, LEFT + ACROSS, TOP, TOP + UP);
        let frame = Stroke { colour: DARK, wide: 1.2, dash: None };
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        self.scene.line(&corners, frame);
        let number = Letters::new(12.0, DARK);
        for (at, text) in ticks(&self.x) {
            let (x, _) = self.pixel((at, self.y.from));
            self.scene.line(&[(x, bottom), (x, bottom + 5.0)], frame);
            self.scene.text(x, bottom + 19.0, number.at(Anchor::Middle), &text);
        }
        for (at, text) in ticks(&self.y) {
            let (_, y) = self.pixel((self.x.from, at));
            self.scene.line(&[(left - 5.0, y), (left, y)], frame);
            self.scene.text(left - 9.0, y + 4.0, number.at(Anchor::End), &text);
        }
        let name = Letters::new(13.0, DARK).at(Anchor::Middle);
        self.scene.text(left + ACROSS / 2.0, bottom + 40.0, name, &self.x.name);
        self.scene.text(26.0, top + UP / 2.0, name.turned(), &self.y.name);
    }

    #[expect(clippy::cast_possible_truncation, reason = "pixels; a share of one does not matter")]
    fn pixel(&self, (x, y): (f64, f64)) -> (f32, f32) {
        let (x, y) = (self.x.share(x) as f32, self.y.share(y) as f32);
        (LEFT + x * ACROSS, TOP + UP - y * UP)
    }
}

/// The axes, in pixels.
const FRAME: clip::Frame =
    clip::Frame { left: LEFT, right: LEFT + ACROSS, top: TOP, bottom: TOP + UP };

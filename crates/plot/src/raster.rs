//! A scene as pixels.
//!
//! Invariant: only sums, products, quotients, roots and roundings of IEEE numbers, one after another, so
//! that every machine gives the same pixels. Coverage of a pixel is exact for
//! straight edges (the signed area to the right of each edge, summed from left to right).

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "pixels: all values are clamped to a picture of less than 2^16 on a side"
)]

use crate::font::{Edge, Font};
use crate::scene::{Anchor, Colour, Letters, Paint, STRIPE, Scene, Shape};
use crate::stroke::{closed, outline};

/// Rows of red, green and blue.
pub(crate) struct Pixels {
    pub(crate) wide: usize,
    pub(crate) high: usize,
    pub(crate) data: Vec<u8>,
    scale: f32,
}

/// Draws `scene` with `scale` pixels for each of its own.
pub(crate) fn raster(scene: &Scene, font: &Font, scale: u8) -> Pixels {
    let wide = usize::from(scene.wide) * usize::from(scale);
    let high = usize::from(scene.high) * usize::from(scale);
    let data = vec![255; wide * high * 3];
    let mut pixels = Pixels { wide, high, data, scale: f32::from(scale) };
    for shape in &scene.shapes {
        match shape {
            Shape::Rect { x, y, wide, high, paint } => pixels.rect(*x, *y, *wide, *high, *paint),
            Shape::Polygon { points, paint } => pixels.area(&closed(points), *paint),
            Shape::Line { points, stroke } => {
                let edges = outline(points, stroke.wide, stroke.dash);
                pixels.area(&edges, Paint::Plain(stroke.colour));
            }
            Shape::Text { x, y, letters, text } => {
                let edges = written(font, text, *letters, (*x, *y));
                pixels.area(&edges, Paint::Plain(letters.colour));
            }
        }
    }
    pixels
}

/// A text as outlines, at its place.
fn written(font: &Font, text: &str, letters: Letters, (x, y): (f32, f32)) -> Vec<Edge> {
    let width = font.width(text, letters.size);
    let back = match letters.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => width / 2.0,
        Anchor::End => width,
    };
    if !letters.turned {
        return font.outline(text, letters.size, x - back, y);
    }
    let level = font.outline(text, letters.size, -back, 0.0);
    level.into_iter().map(|edge| edge.map(|(along, down)| (x + down, y - along))).collect()
}

impl Pixels {
    fn blend(&mut self, x: usize, y: usize, colour: Colour, cover: f32) {
        let place = (y * self.wide + x) * 3;
        for (old, new) in self.data[place..place + 3].iter_mut().zip(colour) {
            let mixed = f32::from(*old) + (f32::from(new) - f32::from(*old)) * cover;
            *old = (mixed + 0.5) as u8;
        }
    }

    fn rect(&mut self, x: f32, y: f32, wide: f32, high: f32, paint: Paint) {
        let s = self.scale;
        let (x0, x1) = (clamp(x * s, self.wide), clamp((x + wide) * s, self.wide));
        let (y0, y1) = (clamp(y * s, self.high), clamp((y + high) * s, self.high));
        for row in y0 as usize..y1.ceil() as usize {
            let down = y1.min(row as f32 + 1.0) - y0.max(row as f32);
            for column in x0 as usize..x1.ceil() as usize {
                let across = x1.min(column as f32 + 1.0) - x0.max(column as f32);
                let colour = self.colour(paint, column, row);
                self.blend(column, row, colour, across * down);
            }
        }
    }

    fn colour(&self, paint: Paint, column: usize, row: usize) -> Colour {
        let [ground, stripe] = match paint {
            Paint::Plain(colour) => return colour,
            Paint::Stripes(colours) => colours,
        };
        let every = (STRIPE * self.scale) as usize;
        if (column + row) % every < every * 2 / 5 { stripe } else { ground }
    }

    /// Fills what closed outlines enclose.
    fn area(&mut self, edges: &[Edge], paint: Paint) {
        let s = self.scale;
        let points = || edges.iter().flatten();
        let low = |axis: fn(&(f32, f32)) -> f32| points().map(axis).fold(f32::MAX, f32::min) * s;
        let top = |axis: fn(&(f32, f32)) -> f32| points().map(axis).fold(f32::MIN, f32::max) * s;
        if edges.is_empty() {
            return;
        }
        let (x0, x1) = (clamp(low(|p| p.0), self.wide) as usize, clamp(top(|p| p.0), self.wide));
        let (y0, y1) = (clamp(low(|p| p.1), self.high) as usize, clamp(top(|p| p.1), self.high));
        let (wide, high) = (x1.ceil() as usize - x0 + 2, y1.ceil() as usize - y0 + 1);
        let mut mask = Mask { wide, high, sums: vec![0.0; wide * high + 1] };
        for [a, b] in edges {
            let shift = |p: &(f32, f32)| (p.0 * s - x0 as f32, p.1 * s - y0 as f32);
            mask.edge(shift(a), shift(b));
        }
        for row in 0..high {
            let mut sum = 0.0;
            for column in 0..wide {
                sum += mask.sums[row * wide + column];
                let cover = sum.abs().min(1.0);
                let (x, y) = (x0 + column, y0 + row);
                if cover > 0.002 && x < self.wide && y < self.high {
                    self.blend(x, y, self.colour(paint, x, y), cover);
                }
            }
        }
    }
}

fn clamp(value: f32, end: usize) -> f32 {
    value.clamp(0.0, end as f32)
}

/// Changes of coverage from each pixel to the next one on the right.
struct Mask {
    wide: usize,
    high: usize,
    sums: Vec<f32>,
}

impl Mask {
    fn edge(&mut self, from: (f32, f32), to: (f32, f32)) {
        if from.1 == to.1 {
            return;
        }
        let (sign, from, to) = if from.1 < to.1 { (1.0, from, to) } else { (-1.0, to, from) };
        let slope = (to.0 - from.0) / (to.1 - from.1);
        let end = to.1.min(self.high as f32);
        let mut y = from.1.max(0.0);
        while y < end {
            let row = y as usize;
            let next = end.min(row as f32 + 1.0);
            let left = from.0 + slope * (y - from.1);
            let right = from.0 + slope * (next - from.1);
            self.piece(row, left.min(right), left.max(right), sign * (next - y));
            y = next;
        }
    }

    /// An edge within one row, from `left` to `right`, that goes down by `down`.
    fn piece(&mut self, row: usize, left: f32, right: f32, down: f32) {
        let last = (self.wide - 2) as f32;
        let (left, right) = (left.clamp(0.0, last), right.clamp(0.0, last));
        let (first, end) = (left as usize, right as usize);
        for column in first..=end {
            let (x0, x1) = (left.max(column as f32), right.min(column as f32 + 1.0));
            let part = if right > left { (x1 - x0) / (right - left) } else { 1.0 };
            let middle = (x0 + x1) / 2.0 - column as f32;
            let place = row * self.wide + column;
            self.sums[place] += down * part * (1.0 - middle);
            self.sums[place + 1] += down * part * middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blank() -> Pixels {
        Pixels { wide: 10, high: 10, data: vec![255; 300], scale: 1.0 }
    }

    #[test]
    fn half_covered_pixels_are_half_dark() {
        let mut pixels = blank();
        pixels.rect(1.5, 2.0, 2.0, 1.0, Paint::Plain([0, 0, 0]));
        let row: Vec<u8> = (0..5).map(|x| pixels.data[(2 * 10 + x) * 3]).collect();
        assert_eq!(row, [255, 128, 0, 128, 255]);
    }

    #[test]
    fn law_polygon_equals_rectangle() {
        let (mut one, mut other) = (blank(), blank());
        one.rect(1.25, 2.5, 4.0, 3.0, Paint::Plain([10, 20, 30]));
        let corners = [(1.25, 2.5), (5.25, 2.5), (5.25, 5.5), (1.25, 5.5)];
        other.area(&closed(&corners), Paint::Plain([10, 20, 30]));
        assert_eq!(one.data, other.data);
    }

    #[test]
    fn what_lies_outside_is_left_out() {
        let mut pixels = blank();
        pixels.rect(-5.0, -5.0, 100.0, 100.0, Paint::Stripes([[0; 3], [9; 3]]));
        pixels.area(
            &[
                [(-5.0, -5.0), (30.0, 4.0)],
                [(30.0, 4.0), (-5.0, 30.0)],
                [(-5.0, 30.0), (-5.0, -5.0)],
            ],
            Paint::Plain([0; 3]),
        );
    }
}

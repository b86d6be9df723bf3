//! The legend of a chart: one line for each sign, in two columns.

use super::{DARK, DIM};
use crate::{Colour, Font, Letters, Paint, Scene, Stroke};

/// A sign at a point. Signs differ in shape, so that they need no colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// A ring.
    Ring,
    /// A full diamond.
    Diamond,
    /// A full square.
    Square,
}

/// A measured point of a series. Series differ in shape and colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dot {
    /// Its shape.
    pub mark: Mark,
    /// Its colour.
    pub colour: Colour,
}

/// Eight corners around a place.
fn around((x, y): (f32, f32), far: f32, near: f32) -> [(f32, f32); 8] {
    let signs: [(f32, f32); 8] = [
        (-near, -far),
        (near, -far),
        (far, -near),
        (far, near),
        (near, far),
        (-near, far),
        (-far, near),
        (-far, -near),
    ];
    signs.map(|(dx, dy)| (x + dx, y + dy))
}

impl Dot {
    pub(super) fn draw(self, scene: &mut Scene, x: f32, y: f32) {
        let (colour, at) = (self.colour, (x, y));
        match self.mark {
            Mark::Ring => {
                let ring = around(at, 3.6, 1.5);
                scene.polygon(&ring, Paint::Plain([0xff; 3]));
                let mut line = ring.to_vec();
                line.push(ring[0]);
                line.push(ring[1]);
                scene.line(&line, Stroke { colour, wide: 1.6, dash: None });
            }
            Mark::Diamond => scene.polygon(&around(at, 4.6, 0.0), Paint::Plain(colour)),
            Mark::Square => scene.polygon(&around(at, 3.3, 3.3), Paint::Plain(colour)),
        }
    }
}

impl Mark {
    pub(super) fn draw(self, scene: &mut Scene, x: f32, y: f32) {
        let corners = |far, near| around((x, y), far, near);
        let white = Paint::Plain([0xff; 3]);
        let dark = Paint::Plain(DARK);
        match self {
            Mark::Ring => {
                let mut ring = corners(7.0, 2.9).to_vec();
                ring.push(ring[0]);
                ring.push(ring[1]);
                scene.line(&ring, Stroke { colour: [0xff; 3], wide: 4.0, dash: None });
                scene.line(&ring, Stroke { colour: DARK, wide: 2.0, dash: None });
            }
            Mark::Diamond => {
                scene.polygon(&corners(7.5, 0.0), white);
                scene.polygon(&corners(6.0, 0.0), dark);
            }
            Mark::Square => {
                scene.polygon(&corners(5.8, 5.8), white);
                scene.polygon(&corners(4.5, 4.5), dark);
            }
        }
    }
}

pub(super) enum Sign {
    Area(Paint),
    Line(Stroke),
    Mark(Mark),
    Dot(Dot),
}

/// Pixels of a row.
const ROW: f32 = 22.0;
const SIDES: [f32; 2] = [16.0, 408.0];

/// Draws it below `top`; gives the height of the whole picture.
pub(super) fn draw(scene: &mut Scene, font: &Font, legend: &[(Sign, String)], top: f32) -> u16 {
    let (mut y, mut high) = (top, 0_u16);
    for pair in legend.chunks(SIDES.len()) {
        for ((sign, name), x) in pair.iter().zip(SIDES) {
            let middle = y + 7.0;
            match sign {
                Sign::Area(paint) => {
                    scene.rect(x, y, 32.0, 14.0, Paint::Plain(DIM));
                    scene.rect(x + 1.0, y + 1.0, 30.0, 12.0, *paint);
                }
                Sign::Line(stroke) => scene.line(&[(x, middle), (x + 32.0, middle)], *stroke),
                Sign::Mark(mark) => mark.draw(scene, x + 16.0, middle),
                Sign::Dot(dot) => dot.draw(scene, x + 16.0, middle),
            }
            let name = font.fit(name, 12.0, 392.0 - 56.0);
            scene.text(x + 42.0, y + 11.5, Letters::new(12.0, DARK), &name);
        }
        y += ROW;
    }
    while f32::from(high) < y + 6.0 && high < u16::MAX {
        high += 1;
    }
    high
}

#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Invariant: the same scene gives the same bytes on every machine. The font is in this crate, and
//! the pixels are drawn here.
//! Absent on purpose: the meaning of a picture. Read next: `scene.rs`, then `chart.rs`.
#![forbid(unsafe_code)]

pub mod chart;
mod font;
mod png;
mod raster;
mod scene;
mod stroke;
mod svg;

pub use font::Font;
pub use scene::{Anchor, Colour, Letters, Paint, Scene, Stroke};

/// Pixels of a PNG for each of the scene's.
const PNG_SCALE: u8 = 2;

impl Scene {
    /// The picture as SVG text.
    #[must_use]
    pub fn svg(&self) -> String {
        svg::svg(self)
    }

    /// The picture as a PNG file.
    #[must_use]
    pub fn png(&self) -> Vec<u8> {
        png::png(&raster::raster(self, &Font::new(), PNG_SCALE))
    }
}

//! Pictures as SVG and PNG from one layout, and charts.
//!
//! Invariant: the same scene gives the same bytes on every machine. The font is in this crate, and
//! the pixels are drawn here.
//! Absent on purpose: what a picture is about. Read next: `scene.rs`, then `chart.rs`.
//!
//! ```
//! use windfall_plot::{Letters, Paint, Scene};
//!
//! let mut scene = Scene::new("3 ms of every 10 ms", 220, 40);
//! for period in 0..2_u8 {
//!     scene.rect(10.0 + 100.0 * f32::from(period), 10.0, 30.0, 20.0, Paint::Plain([31, 119, 180]));
//! }
//! scene.text(45.0, 25.0, Letters::new(12.0, [0, 0, 0]), "RESBH 3ms 10ms");
//! assert!(scene.svg().starts_with("<svg") && scene.png().starts_with(b"\x89PNG"));
//! ```
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

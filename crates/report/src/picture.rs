//! A picture of a stretch of a trace, as in textbooks: SVG and PNG from one layout.
//!
//! Invariants: the same story gives the same bytes everywhere (crate `plot`); the number of shapes is bounded by the picture's pixels, not by the trace's
//! length: what is narrower than a pixel is drawn together, in a lighter tint for a smaller share.
//! A miss and a loss are seen however short.
//!
//! Absent on purpose: a way to look closer. That is what the report is for. Read next:
//! `picture/layout.rs`.

mod lanes;
mod layout;
mod marks;
mod wanted;
mod window;

pub use wanted::Picture;

use crate::Story;
use windfall_plot::{Font, Scene};

impl Picture {
    /// The picture, to be drawn beside others.
    #[must_use]
    pub fn scene(&self, story: &Story) -> Scene {
        layout::scene(self, story, &Font::new())
    }

    /// The picture as SVG text.
    #[must_use]
    pub fn svg(&self, story: &Story) -> String {
        self.scene(story).svg()
    }

    /// The picture as a PNG file.
    #[must_use]
    pub fn png(&self, story: &Story) -> Vec<u8> {
        self.scene(story).png()
    }
}

#[cfg(test)]
mod tests;

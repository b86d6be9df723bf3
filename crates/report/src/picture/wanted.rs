//! The part of a story to draw, and the size.

use windfall_time::Instant;

/// The part of a story to draw, and the size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// Stands above.
    pub title: String,
    /// From when to when; `None` chooses [`Picture::periods`] of the thread that is slowest to do so many jobs, or
    /// without jobs the first three hundred slices.
    pub window: Option<(Instant, Instant)>,
    /// How many periods to show when no window is given.
    pub periods: u32,
    /// How wide, in pixels of the SVG; at least 400 and at most 8000. A PNG has twice as many.
    pub width: u16,
}

impl Default for Picture {
    fn default() -> Picture {
        Picture { title: String::new(), window: None, periods: 3, width: 1200 }
    }
}

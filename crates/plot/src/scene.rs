//! The elements of a picture, before it is SVG or PNG.
//!
//! Invariant: places are in pixels from the upper left corner. Later shapes cover earlier ones.

/// Red, green, blue.
pub type Colour = [u8; 3];

/// How an area is filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paint {
    /// One colour.
    Plain(Colour),
    /// Slanted stripes: the ground, and two fifths of it in the other colour.
    Stripes([Colour; 2]),
}

/// Pixels from one stripe to the next, along each axis.
pub(crate) const STRIPE: f32 = 5.0;

/// How a line is drawn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stroke {
    /// Its colour.
    pub colour: Colour,
    /// How thick, in pixels.
    pub wide: f32,
    /// Pixels of line and of gap, in turn; both above zero. `None`: no gaps.
    pub dash: Option<(f32, f32)>,
}

/// The position of a text relative to its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// How a text is written.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Letters {
    /// Pixels to a line.
    pub size: f32,
    /// Its colour.
    pub colour: Colour,
    /// Its position relative to its place.
    pub anchor: Anchor,
    /// Whether it is turned by a quarter to the left and read from below.
    pub turned: bool,
}

impl Letters {
    /// Horizontal text that begins at its place.
    #[must_use]
    pub const fn new(size: f32, colour: Colour) -> Letters {
        Letters { size, colour, anchor: Anchor::Start, turned: false }
    }

    /// The same with another position.
    #[must_use]
    pub const fn at(self, anchor: Anchor) -> Letters {
        Letters { anchor, ..self }
    }

    /// The same, read from below.
    #[must_use]
    pub const fn turned(self) -> Letters {
        Letters { turned: true, ..self }
    }
}

/// A shape or text to draw.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Shape {
    Rect { x: f32, y: f32, wide: f32, high: f32, paint: Paint },
    Polygon { points: Vec<(f32, f32)>, paint: Paint },
    Line { points: Vec<(f32, f32)>, stroke: Stroke },
    Text { x: f32, y: f32, letters: Letters, text: String },
}

/// A whole picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Scene {
    /// Pixels from left to right.
    pub wide: u16,
    /// Pixels from top to bottom.
    pub high: u16,
    /// A sentence that describes the picture, for readers who cannot see it.
    pub title: String,
    pub(crate) shapes: Vec<Shape>,
}

impl Scene {
    /// A white sheet.
    #[must_use]
    pub fn new(title: &str, wide: u16, high: u16) -> Scene {
        Scene { wide, high, title: title.to_owned(), shapes: Vec::new() }
    }

    /// Adds a rectangle: its upper left corner, its width and height.
    pub fn rect(&mut self, x: f32, y: f32, wide: f32, high: f32, paint: Paint) {
        self.shapes.push(Shape::Rect { x, y, wide, high, paint });
    }

    /// Adds a text whose base line is at `y`.
    pub fn text(&mut self, x: f32, y: f32, letters: Letters, text: &str) {
        self.shapes.push(Shape::Text { x, y, letters, text: text.to_owned() });
    }

    /// Adds the area that these corners enclose.
    pub fn polygon(&mut self, points: &[(f32, f32)], paint: Paint) {
        self.shapes.push(Shape::Polygon { points: points.to_vec(), paint });
    }

    /// Adds a line through these points.
    pub fn line(&mut self, points: &[(f32, f32)], stroke: Stroke) {
        self.shapes.push(Shape::Line { points: points.to_vec(), stroke });
    }
}

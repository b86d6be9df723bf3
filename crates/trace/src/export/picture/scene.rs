//! What a picture is made of, before it is SVG or PNG.
//!
//! Invariant: places are in pixels, from the upper left; what comes later covers what came before.

/// Red, green, blue.
pub(super) type Colour = [u8; 3];

/// How an area is filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Paint {
    Plain(Colour),
    /// Grey stripes: unknown.
    Unknown,
    /// Red stripes: late.
    Late,
}

/// Stripes of [`Paint::Unknown`]: ground and stripe.
pub(super) const UNKNOWN: [Colour; 2] = [[0xe1, 0xe4, 0xe8], [0xa4, 0xab, 0xb5]];
/// Stripes of [`Paint::Late`].
pub(super) const LATE: [Colour; 2] = [[0xfb, 0xdf, 0xe0], [0xb3, 0x20, 0x2c]];
/// Pixels from one stripe to the next, along each axis; a stripe is two fifths of it.
pub(super) const STRIPE: f32 = 5.0;

/// Where a text stands to its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
}

/// A thing to draw.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Shape {
    Rect { x: f32, y: f32, wide: f32, high: f32, paint: Paint },
    Polygon { points: Vec<(f32, f32)>, colour: Colour },
    Text { x: f32, y: f32, size: f32, anchor: Anchor, colour: Colour, text: String },
}

/// A whole picture.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Scene {
    pub(super) wide: u16,
    pub(super) high: u16,
    /// What the picture shows, in a sentence, for who does not see it.
    pub(super) title: String,
    pub(super) shapes: Vec<Shape>,
}

impl Scene {
    pub(super) fn rect(&mut self, x: f32, y: f32, wide: f32, high: f32, paint: Paint) {
        self.shapes.push(Shape::Rect { x, y, wide, high, paint });
    }

    pub(super) fn text(
        &mut self,
        x: f32,
        y: f32,
        anchor: Anchor,
        style: (f32, Colour),
        text: &str,
    ) {
        let ((size, colour), text) = (style, text.to_owned());
        self.shapes.push(Shape::Text { x, y, size, anchor, colour, text });
    }

    pub(super) fn polygon(&mut self, points: &[(f32, f32)], colour: Colour) {
        self.shapes.push(Shape::Polygon { points: points.to_vec(), colour });
    }
}

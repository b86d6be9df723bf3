//! Letters: their widths and outlines, from the one font in this crate.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

const FILE: &[u8] = include_bytes!("font/sans.ttf");

/// The font, ready to measure and to draw.
pub struct Font {
    face: Face<'static>,
}

/// A straight line of an outline, in pixels.
pub(crate) type Edge = [(f32, f32); 2];

impl Default for Font {
    fn default() -> Font {
        Font::new()
    }
}

impl Font {
    /// The font of this crate.
    #[must_use]
    pub fn new() -> Font {
        match Face::parse(FILE, 0) {
            Ok(face) => Font { face },
            Err(error) => unreachable!("the font in this crate does not parse: {error}"),
        }
    }

    fn glyph(&self, letter: char) -> GlyphId {
        let found = self.face.glyph_index(letter);
        found.or_else(|| self.face.glyph_index('\u{fffd}')).unwrap_or_default()
    }

    fn scale(&self, size: f32) -> f32 {
        size / f32::from(self.face.units_per_em())
    }

    /// How wide `text` is at `size` pixels.
    #[must_use]
    pub fn width(&self, text: &str, size: f32) -> f32 {
        let advance = |letter| self.face.glyph_hor_advance(self.glyph(letter)).unwrap_or(0);
        text.chars().map(|letter| f32::from(advance(letter))).sum::<f32>() * self.scale(size)
    }

    /// `text`, cut with `…` where it is wider than `room`.
    #[must_use]
    pub fn fit(&self, text: &str, size: f32, room: f32) -> String {
        let mut text: String = text
            .chars()
            .map(|letter| if letter.is_control() { '\u{fffd}' } else { letter })
            .collect();
        if self.width(&text, size) <= room {
            return text;
        }
        while !text.is_empty() && self.width(&text, size) + self.width("…", size) > room {
            text.pop();
        }
        text.push('…');
        text
    }

    /// The outlines of `text` with its base line from (`x`, `y`) to the right.
    pub(crate) fn outline(&self, text: &str, size: f32, x: f32, y: f32) -> Vec<Edge> {
        let scale = self.scale(size);
        let mut pen = Pen { strokes: Vec::new(), x, y, scale, at: (x, y), start: (x, y) };
        for letter in text.chars() {
            let glyph = self.glyph(letter);
            self.face.outline_glyph(glyph, &mut pen);
            pen.x += f32::from(self.face.glyph_hor_advance(glyph).unwrap_or(0)) * scale;
        }
        pen.strokes
    }
}

/// Turns curves into straight lines.
struct Pen {
    strokes: Vec<Edge>,
    x: f32,
    y: f32,
    scale: f32,
    at: (f32, f32),
    start: (f32, f32),
}

impl Pen {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }

    fn go(&mut self, to: (f32, f32)) {
        self.strokes.push([self.at, to]);
        self.at = to;
    }
}

/// Lines for each curve; letters are small.
const PIECES: u8 = 6;

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.at = self.place(x, y);
        self.start = self.at;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.go(self.place(x, y));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (a, b, c) = (self.at, self.place(x1, y1), self.place(x, y));
        for piece in 1..=PIECES {
            let t = f32::from(piece) / f32::from(PIECES);
            let (u, v, w) = ((1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t);
            self.go((u * a.0 + v * b.0 + w * c.0, u * a.1 + v * b.1 + w * c.1));
        }
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (a, b, c, d) = (self.at, self.place(x1, y1), self.place(x2, y2), self.place(x, y));
        for piece in 1..=PIECES {
            let t = f32::from(piece) / f32::from(PIECES);
            let s = 1.0 - t;
            let (k, l, m, n) = (s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t);
            let x = k * a.0 + l * b.0 + m * c.0 + n * d.0;
            self.go((x, k * a.1 + l * b.1 + m * c.1 + n * d.1));
        }
    }

    fn close(&mut self) {
        self.go(self.start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fit_keeps_what_fits_and_cuts_the_rest() {
        let font = Font::new();
        let room = font.width("audio", 12.0);
        assert_eq!(font.fit("audio", 12.0, room), "audio");
        let cut = font.fit("audio-server", 12.0, room);
        assert!(cut.ends_with('…') && font.width(&cut, 12.0) <= room);
        assert_eq!(font.fit("a\nb", 12.0, 100.0), "a\u{fffd}b");
    }

    #[test]
    fn letters_have_outlines() {
        assert!(Font::new().outline("Ω→8", 12.0, 0.0, 0.0).len() > 20);
    }
}

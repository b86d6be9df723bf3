//! The part of a line or an area within a frame.
//!
//! Sources: Liang and Barsky 1984 for segments; Sutherland and Hodgman 1974 for areas.

type Point = (f32, f32);

/// A rectangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) left: f32,
    pub(super) right: f32,
    pub(super) top: f32,
    pub(super) bottom: f32,
}

impl Frame {
    /// For each side: how far inside a point is; below zero outside.
    fn depths(self, (x, y): Point) -> [f32; 4] {
        [x - self.left, self.right - x, y - self.top, self.bottom - y]
    }
}

/// Half a pixel outside is still inside.
pub(super) fn holds(frame: Frame, point: Point) -> bool {
    frame.depths(point).into_iter().all(|depth| depth >= -0.5)
}

fn between(a: Point, b: Point, part: f32) -> Point {
    if part >= 1.0 {
        return b; // exactly, so that pieces meet
    }
    (a.0 + (b.0 - a.0) * part, a.1 + (b.1 - a.1) * part)
}

/// The pieces of a line within the frame.
pub(super) fn line(points: &[Point], frame: Frame) -> Vec<Vec<Point>> {
    let mut pieces: Vec<Vec<Point>> = Vec::new();
    for pair in points.windows(2) {
        let (from, to) = (frame.depths(pair[0]), frame.depths(pair[1]));
        let (mut enters, mut leaves) = (0.0_f32, 1.0_f32);
        for (d0, d1) in from.into_iter().zip(to) {
            match (d0 < 0.0, d1 < 0.0) {
                (true, true) => leaves = -1.0,
                (true, false) => enters = enters.max(d0 / (d0 - d1)),
                (false, true) => leaves = leaves.min(d0 / (d0 - d1)),
                (false, false) => {}
            }
        }
        if enters > leaves {
            continue;
        }
        let (a, b) = (between(pair[0], pair[1], enters), between(pair[0], pair[1], leaves));
        match pieces.last_mut() {
            Some(piece) if enters <= 0.0 && piece.last() == Some(&a) => piece.push(b),
            _ => pieces.push(vec![a, b]),
        }
    }
    pieces
}

/// The part of an area within the frame.
pub(super) fn polygon(corners: &[Point], frame: Frame) -> Vec<Point> {
    let mut corners = corners.to_vec();
    for side in 0..4 {
        let depth = |point: Point| frame.depths(point)[side];
        let mut inside = Vec::new();
        for (at, corner) in corners.iter().enumerate() {
            let next = corners[(at + 1) % corners.len()];
            let (d0, d1) = (depth(*corner), depth(next));
            if d0 >= 0.0 {
                inside.push(*corner);
            }
            if (d0 < 0.0) != (d1 < 0.0) {
                inside.push(between(*corner, next, d0 / (d0 - d1)));
            }
        }
        corners = inside;
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Frame = Frame { left: 0.0, right: 10.0, top: 0.0, bottom: 10.0 };

    #[test]
    fn a_line_is_cut_where_it_leaves_and_enters() {
        let found = line(&[(5.0, 5.0), (15.0, 5.0), (15.0, 8.0), (5.0, 8.0)], FRAME);
        assert_eq!(found, [vec![(5.0, 5.0), (10.0, 5.0)], vec![(10.0, 8.0), (5.0, 8.0)]]);
        let inside = [(1.0, 1.0), (2.0, 9.0), (3.0, 1.0)];
        assert_eq!(line(&inside, FRAME), [inside.to_vec()]);
        assert!(line(&[(11.0, -5.0), (20.0, 20.0)], FRAME).is_empty());
    }

    #[test]
    fn an_area_is_cut_at_the_frame() {
        let found = polygon(&[(5.0, 5.0), (15.0, 5.0), (15.0, 8.0), (5.0, 8.0)], FRAME);
        assert_eq!(found, [(5.0, 5.0), (10.0, 5.0), (10.0, 8.0), (5.0, 8.0)]);
        assert!(polygon(&[(11.0, 0.0), (12.0, 0.0), (12.0, 5.0)], FRAME).is_empty());
    }
}

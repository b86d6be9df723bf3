//! A line as outlines: pieces between gaps, each with its thickness and round joints.
//!
//! Invariant: all outlines of a line turn the same way round, so that what two of them enclose is
//! enclosed once and the sum of their windings never cancels.

use crate::font::Edge;

type Point = (f32, f32);

/// The outlines of a line `wide` pixels thick through `points`.
pub(crate) fn outline(points: &[Point], wide: f32, dash: Option<(f32, f32)>) -> Vec<Edge> {
    let mut edges = Vec::new();
    for piece in dash.map_or_else(|| vec![points.to_vec()], |dash| pieces(points, dash)) {
        for pair in piece.windows(2) {
            edges.extend(bar(pair[0], pair[1], wide / 2.0));
        }
        let inner = piece.get(1..piece.len().saturating_sub(1)).unwrap_or_default();
        for joint in inner {
            edges.extend(closed(&octagon(*joint, wide / 2.0)));
        }
    }
    edges
}

/// The edges of a closed outline.
pub(crate) fn closed(corners: &[Point]) -> Vec<Edge> {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| [*a, *b]).collect()
}

fn length((x0, y0): Point, (x1, y1): Point) -> f32 {
    ((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0)).sqrt()
}

fn bar(a: Point, b: Point, half: f32) -> Vec<Edge> {
    let long = length(a, b);
    if long <= 0.0 {
        return Vec::new();
    }
    let (dx, dy) = ((b.0 - a.0) / long * half, (b.1 - a.1) / long * half);
    closed(&[
        (a.0 + dy, a.1 - dx),
        (b.0 + dy, b.1 - dx),
        (b.0 - dy, b.1 + dx),
        (a.0 - dy, a.1 + dx),
    ])
}

/// Turns as [`bar`] does.
fn octagon((x, y): Point, half: f32) -> [Point; 8] {
    let (near, far) = (half * 0.414, half);
    [
        (x - near, y - far),
        (x + near, y - far),
        (x + far, y - near),
        (x + far, y + near),
        (x + near, y + far),
        (x - near, y + far),
        (x - far, y + near),
        (x - far, y - near),
    ]
}

/// The drawn pieces of a line, in which `on` pixels of line and `off` pixels of gap alternate.
fn pieces(points: &[Point], (on, off): (f32, f32)) -> Vec<Vec<Point>> {
    // Shorter ones would be many, and not to be seen.
    let (on, off) = (on.max(0.25), off.max(0.25));
    let mut piece: Vec<Point> = points.first().copied().into_iter().collect();
    let mut pieces = Vec::new();
    let (mut drawn, mut left) = (true, on);
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        let mut rest = length(from, to);
        while rest > left {
            let part = left / rest;
            from = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            rest -= left;
            if drawn {
                piece.push(from);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![from];
            }
            drawn = !drawn;
            left = if drawn { on } else { off };
        }
        left -= rest;
        if drawn {
            piece.push(to);
        }
    }
    pieces.push(piece);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_all_outlines_turn_the_same_way() {
        let area = |edges: &[Edge]| -> f32 {
            edges.iter().map(|[a, b]| a.0 * b.1 - b.0 * a.1).sum::<f32>() / 2.0
        };
        for to in [(9.0, 0.0), (0.0, 9.0), (-9.0, 0.0), (0.0, -9.0), (3.0, -4.0), (-3.0, 4.0)] {
            let found = area(&bar((0.0, 0.0), to, 1.0));
            let long = length((0.0, 0.0), to);
            assert!((found - 2.0 * long).abs() < 0.001, "{to:?}: {found}");
        }
        assert!(area(&closed(&octagon((3.0, 3.0), 1.0))) > 0.0);
    }

    #[test]
    fn dashes_go_round_corners() {
        let found = pieces(&[(0.0, 0.0), (5.0, 0.0), (5.0, 5.0)], (4.0, 2.0));
        let wanted = [vec![(0.0, 0.0), (4.0, 0.0)], vec![(5.0, 1.0), (5.0, 5.0)]];
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_line_without_length_is_nothing() {
        assert!(outline(&[(1.0, 1.0), (1.0, 1.0)], 2.0, None).is_empty());
        assert!(outline(&[], 2.0, Some((1.0, 1.0))).is_empty());
    }
}

//! A scene as SVG text.
//!
//! Invariant: names cannot leave their place; numbers have at most two decimals.

use crate::scene::{Anchor, Colour, Paint, STRIPE, Scene, Shape};
use std::fmt::Write;

/// The picture in SVG 1.1, with its title for screen readers.
pub(crate) fn svg(scene: &Scene) -> String {
    let mut to = String::new();
    let (wide, high) = (scene.wide, scene.high);
    let title = escaped(&scene.title);
    line(
        &mut to,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" \
             viewBox=\"0 0 {wide} {high}\" role=\"img\" font-family=\"DejaVu Sans, Verdana, \
             sans-serif\">\n<title>{title}</title>\n<defs>"
        ),
    );
    let stripes = stripes(scene);
    for (at, [ground, stripe]) in stripes.iter().enumerate() {
        let (ground, stripe, thick) = (hex(*ground), hex(*stripe), STRIPE * 0.4);
        // Turned by 45 degrees, a stripe comes every 1/sqrt 2 of its distance along an axis.
        line(
            &mut to,
            format_args!(
                "<pattern id=\"stripes-{at}\" width=\"{STRIPE}\" height=\"{STRIPE}\" \
                 patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45) scale(0.707)\">\
                 <rect width=\"{STRIPE}\" height=\"{STRIPE}\" fill=\"{ground}\"/>\
                 <rect width=\"{thick}\" height=\"{STRIPE}\" fill=\"{stripe}\"/></pattern>"
            ),
        );
    }
    line(
        &mut to,
        format_args!("</defs>\n<rect width=\"{wide}\" height=\"{high}\" fill=\"#fff\"/>"),
    );
    for shape in &scene.shapes {
        write_shape(&mut to, shape, &stripes);
    }
    to.push_str("</svg>\n");
    to
}

fn line(to: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = to.write_fmt(text);
    to.push('\n');
}

/// The kinds of stripes that a scene has, in the order in which they come.
fn stripes(scene: &Scene) -> Vec<[Colour; 2]> {
    let mut stripes = Vec::new();
    for shape in &scene.shapes {
        if let Shape::Rect { paint: Paint::Stripes(colours), .. }
        | Shape::Polygon { paint: Paint::Stripes(colours), .. } = shape
            && !stripes.contains(colours)
        {
            stripes.push(*colours);
        }
    }
    stripes
}

fn fill(paint: Paint, stripes: &[[Colour; 2]]) -> String {
    match paint {
        Paint::Plain(colour) => hex(colour),
        Paint::Stripes(colours) => {
            let at = stripes.iter().position(|other| *other == colours).unwrap_or(0);
            format!("url(#stripes-{at})")
        }
    }
}

fn places(points: &[(f32, f32)]) -> String {
    let points: Vec<String> =
        points.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect();
    points.join(" ")
}

fn write_shape(to: &mut String, shape: &Shape, stripes: &[[Colour; 2]]) {
    match shape {
        Shape::Rect { x, y, wide, high, paint } => {
            let fill = fill(*paint, stripes);
            let [x, y, wide, high] = [*x, *y, *wide, *high].map(number);
            line(
                to,
                format_args!(
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\" fill=\"{fill}\"/>"
                ),
            );
        }
        Shape::Polygon { points, paint } => {
            let (points, fill) = (places(points), fill(*paint, stripes));
            line(to, format_args!("<polygon points=\"{points}\" fill=\"{fill}\"/>"));
        }
        Shape::Line { points, stroke } => {
            let (points, colour, wide) = (places(points), hex(stroke.colour), number(stroke.wide));
            let dash = stroke.dash.map_or_else(String::new, |(on, off)| {
                format!(" stroke-dasharray=\"{} {}\"", number(on), number(off))
            });
            line(
                to,
                format_args!(
                    "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" \
                     stroke-width=\"{wide}\" stroke-linejoin=\"round\"{dash}/>"
                ),
            );
        }
        Shape::Text { x, y, letters, text } => {
            let anchor = match letters.anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let (size, fill, text) = (letters.size, hex(letters.colour), escaped(text));
            let (x, y) = (number(*x), number(*y));
            let turn = if letters.turned {
                format!(" transform=\"rotate(-90 {x} {y})\"")
            } else {
                String::new()
            };
            line(
                to,
                format_args!(
                    "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
                     fill=\"{fill}\"{turn}>{text}</text>"
                ),
            );
        }
    }
}

/// At most two decimals, no zeros at the end.
fn number(value: f32) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // XML knows no control characters and no half pairs.
            _ if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                safe.push('\u{fffd}');
            }
            _ => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_is_short() {
        assert_eq!([1.0, 0.5, 1.234, -0.001, 100.0].map(number), ["1", "0.5", "1.23", "0", "100"]);
    }

    #[test]
    fn names_stay_text() {
        assert_eq!(escaped("</svg>\u{1}&"), "&lt;/svg&gt;\u{fffd}&amp;");
    }
}

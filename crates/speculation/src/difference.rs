//! Where two values differ, by the name of a field.

use core::fmt::{self, Debug};

/// The first place at which two values differ, as their `Debug` shows them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Difference {
    /// The field, with those that it lies in: `arm.joints[2].angle`.
    pub field: String,
    /// The value of the first.
    pub first: String,
    /// The value of the second.
    pub second: String,
}

impl Difference {
    /// Of two values that are not equal.
    pub(crate) fn of(first: &impl Debug, second: &impl Debug) -> Difference {
        let [first, second] = [format!("{first:#?}"), format!("{second:#?}")];
        let mut path = Path::default();
        let mut others = second.lines();
        for line in first.lines() {
            let other = others.next().unwrap_or("nothing");
            path.enter(line);
            if line != other {
                let [first, second] = [line, other].map(|line| value(line).to_owned());
                return Difference { field: path.name(), first, second };
            }
        }
        let second = others.next().map_or("equal, as its `Debug` shows it", value).to_owned();
        Difference { field: path.name(), first: "nothing".to_owned(), second }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { field, first, second } = self;
        match field.as_str() {
            "" => write!(f, "{first} instead of {second}"),
            field => write!(f, "`{field}` is {first} instead of {second}"),
        }
    }
}

/// The value behind the name of a field.
fn value(line: &str) -> &str {
    let text = line.trim().trim_end_matches(',');
    text.split_once(": ").map_or(text, |(_, value)| value)
}

/// The fields that a line lies in, by how far the lines are indented.
#[derive(Default)]
struct Path {
    /// How far, the name, and which element it is where it has none.
    parts: Vec<(usize, Option<String>, usize)>,
}

impl Path {
    fn enter(&mut self, line: &str) {
        let indent = line.len() - line.trim_start().len();
        while self.parts.last().is_some_and(|(other, ..)| *other > indent) {
            self.parts.pop();
        }
        let text = line.trim();
        if text.starts_with(['}', ']', ')']) {
            return;
        }
        let name = text.split_once(": ").map(|(name, _)| name.to_owned());
        let before = self.parts.pop_if(|(other, ..)| *other == indent);
        let element = before.map_or(0, |(.., element)| element + 1);
        self.parts.push((indent, name, element));
    }

    fn name(&self) -> String {
        let mut all = String::new();
        for (indent, name, element) in &self.parts {
            match name {
                Some(name) if all.is_empty() => all.push_str(name),
                Some(name) => all.extend([".", name]),
                None if *indent == 0 => {}
                None => all.push_str(&format!("[{element}]")),
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug)]
    struct Arm {
        length: u32,
        joints: Vec<Joint>,
    }

    #[derive(Clone, Debug)]
    struct Joint {
        angle: i32,
        name: &'static str,
    }

    #[test]
    fn law_the_first_field_that_differs_is_named_with_those_it_lies_in() {
        let joint = |angle| Joint { angle, name: "elbow" };
        let arm = Arm { length: 3, joints: vec![joint(1), joint(2)] };
        let mut other = arm.clone();
        other.joints[1].angle = -7;
        let found = Difference::of(&other, &arm);
        assert_eq!(found.to_string(), "`joints[1].angle` is -7 instead of 2");
        other.length = 4;
        assert_eq!(Difference::of(&other, &arm).to_string(), "`length` is 4 instead of 3");
        let mut longer = arm.clone();
        longer.joints.push(joint(3));
        assert_eq!(Difference::of(&longer, &arm).field, "joints[2]");
        assert_eq!(Difference::of(&arm, &longer).second, "Joint {");
        other = arm.clone();
        other.joints[0].name = "wrist";
        assert_eq!(Difference::of(&arm, &other).field, "joints[0].name");
        assert_eq!(Difference::of(&1, &2).to_string(), "1 instead of 2");
        assert_eq!(Difference::of(&"a", &"a").second, "equal, as its `Debug` shows it");
    }
}

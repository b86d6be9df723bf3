//! The name that may have been meant by one that nothing has.

use windfall_scenario::near;

/// A question for the nearest of these names, with a space behind it; nothing if none is near.
pub(crate) fn meant<'a>(name: &str, all: impl IntoIterator<Item = &'a str>) -> String {
    let near = near(name, all).into_iter().next();
    near.map_or(String::new(), |near| format!("did you mean `{near}`? "))
}

//! The project's README has the example of this crate's, which is run as a doctest.

#[test]
fn accepts_the_example_of_the_readme() {
    let own = include_str!("../README.md");
    let example = own.split("```").find(|block| block.contains("Redundant::run"));
    // Without the project around it, the crate has no README but its own.
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    if let Ok(readme) = std::fs::read_to_string(readme) {
        assert!(readme.contains(example.expect("an example with threads")));
    }
}

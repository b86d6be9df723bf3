//! Reading.
fn main() {}

//! The guide as a book, where mdBook is installed. What its pages say is tested in `crates/windfall/tests/guide.rs`.

use crate::run::{Done, root};
use std::process::Command;

/// Builds it below `target/guide`.
pub(crate) fn check() -> Done {
    let built = Command::new("mdbook").arg("build").current_dir(root().join("docs/guide")).output();
    match built {
        Err(_) => Ok(Some("the guide is not rendered: mdbook is not installed".to_owned())),
        Ok(output) if output.status.success() => Ok(None),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

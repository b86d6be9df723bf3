//! The guide as a book, where mdBook is installed. What its pages say is tested in `crates/windfall/tests/guide.rs`.

use crate::run::{Done, root};
use std::path::Path;
use std::process::Command;

/// Builds it below `target/guide`, and follows the links within it.
pub(crate) fn check() -> Done {
    let built = Command::new("mdbook").arg("build").current_dir(root().join("docs/guide")).output();
    match built {
        Err(_) => Ok(Some("the guide is not rendered: mdbook is not installed".to_owned())),
        Ok(output) if output.status.success() => links(&root().join("target/guide")),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// Whether the links of all pages of a folder lead to files in it.
fn links(folder: &Path) -> Done {
    let listing = std::fs::read_dir(folder).map_err(|why| why.to_string())?;
    let pages = listing.filter_map(Result::ok).map(|entry| entry.path());
    let mut astray = Vec::new();
    for page in pages.filter(|path| path.extension().is_some_and(|e| e == "html")) {
        let text = std::fs::read_to_string(&page).map_err(|why| why.to_string())?;
        let links = text.split("href=\"").skip(1).filter_map(|rest| rest.split(['"', '#']).next());
        for link in links.filter(|link| !link.is_empty() && !link.contains(':')) {
            if !link.starts_with('/') && !folder.join(link).exists() {
                astray.push(format!("{}: no page for `{link}`", page.display()));
            }
        }
    }
    if astray.is_empty() { Ok(None) } else { Err(astray.join("\n")) }
}

//! Makes the documentation of each kind's type from the head of its file (decision 0027).

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The entries of a head. Each begins a line; a line that continues one is indented.
const ENTRIES: [&str; 8] =
    ["Takes", "Gives", "Admits", "Assumes", "Costs", "Ties", "Source", "Checked"];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    pages(Path::new("src"), &PathBuf::from(out))
}

/// Writes a page for each kind in a folder.
fn pages(folder: &Path, out: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            pages(&path, out)?;
            continue;
        }
        let text = fs::read_to_string(&path)?;
        if let (Some(name), true) = (path.file_name(), text.contains("\nsettings! {")) {
            let name = format!("{}.md", name.display());
            fs::write(out.join(name), page(&text))?;
        }
    }
    Ok(())
}

/// The head of a file as Markdown: its entries are a list.
fn page(text: &str) -> String {
    let mut page = String::new();
    for line in text.lines().map_while(|line| line.strip_prefix("//!")) {
        let line = line.strip_prefix(' ').unwrap_or(line);
        let entry = ENTRIES.iter().find_map(|entry| Some((entry, line.strip_prefix(entry)?)));
        match entry {
            Some((entry, rest)) => page += &format!("- *{entry}* {}", rest.trim_start()),
            None if line.starts_with(' ') => page += &format!("  {}", line.trim_start()),
            None => page += line,
        }
        page.push('\n');
    }
    page
}

//! The programs for the kernel: compiled from `bpf/`, and committed, so that a build needs no C compiler.

use crate::run::{Done, root, target};
use std::path::{Path, PathBuf};
use std::process::Command;

/// For supervised threads, and for recordings.
const NAMES: [&str; 2] = ["events.bpf", "record.bpf"];

/// What compiles them, and the package that has it.
const TOOLS: [(&str, &str); 2] = [("clang-19", "clang-19"), ("llvm-strip-19", "llvm-19")];

fn committed(name: &str) -> PathBuf {
    Path::new("crates/observe/bpf").join(name).with_added_extension("o")
}

/// Compiles them anew.
pub(crate) fn remake() -> Result<(), String> {
    if let Some((tool, package)) = missing(is_installed) {
        return Err(format!("{tool} is not installed; install {package}"));
    }
    NAMES.iter().try_for_each(|name| compile(name, &committed(name)))
}

/// Whether what is committed is what the sources say, where the compiler is installed.
pub(crate) fn check() -> Done {
    if let Some((tool, _)) = missing(is_installed) {
        let names = NAMES.join(", ");
        return Ok(Some(format!("{names}: not compared with their source: no {tool}")));
    }
    let read = |path: &Path| {
        std::fs::read(root().join(path)).map_err(|why| format!("{}: {why}", path.display()))
    };
    for name in NAMES {
        let (object, again) = (committed(name), target().join(name));
        compile(name, &again)?;
        if read(&again)? != read(&object)? {
            let object = object.display();
            return Err(format!(
                "{object} is not what its source says; `cargo xtask bpf` makes it anew"
            ));
        }
    }
    Ok(None)
}

/// The first tool that is not there, and its package.
fn missing(is_installed: impl Fn(&str) -> bool) -> Option<(&'static str, &'static str)> {
    TOOLS.into_iter().find(|(tool, _)| !is_installed(tool))
}

fn is_installed(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok()
}

/// Paths and everything that debuggers want are left out: the same bytes everywhere.
fn compile(name: &str, object: &Path) -> Result<(), String> {
    let flags = "-O2 -g -mcpu=v3 -target bpf -fdebug-compilation-dir=. -Wall -Wextra -Werror";
    let clang = Command::new("clang-19")
        .args(flags.split(' '))
        .args(["-Wno-unused-parameter", "-c"])
        .arg(Path::new("bpf").join(name).with_added_extension("c"))
        .arg("-o")
        .arg(object)
        .current_dir(root())
        .status();
    let done = |status: std::io::Result<std::process::ExitStatus>, tool: &str| match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{tool}: {status}")),
        Err(why) => Err(format!("{tool}: {why}")),
    };
    done(clang, "clang-19")?;
    let strip = Command::new("llvm-strip-19").arg("-g").arg(object).current_dir(root()).status();
    done(strip, "llvm-strip-19")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_either_tool_alone_is_no_compiler() {
        let without = |lacking: &'static str| missing(move |tool| tool != lacking);
        assert_eq!(without("clang-19"), Some(("clang-19", "clang-19")));
        assert_eq!(without("llvm-strip-19"), Some(("llvm-strip-19", "llvm-19")));
        assert_eq!(missing(|_| false), Some(("clang-19", "clang-19")));
        assert_eq!(missing(|_| true), None);
    }
}

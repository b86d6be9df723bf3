//! The programs for the kernel: compiled from `bpf/`, and committed, so that a build needs no C compiler.

use crate::run::root;
use std::path::Path;
use std::process::Command;

const OBJECT: &str = "crates/linux/bpf/events.bpf.o";

/// Compiles them anew.
pub(crate) fn remake() -> Result<(), String> {
    compile(Path::new(OBJECT))
}

/// Whether what is committed is what the sources say, where the compiler is installed.
pub(crate) fn check() -> Result<(), String> {
    if Command::new("clang-19").arg("--version").output().is_err() {
        eprintln!("    not compared with their source: no clang-19");
        return Ok(());
    }
    let again = Path::new("target/events.bpf.o");
    compile(again)?;
    let read = |path: &Path| {
        std::fs::read(root().join(path)).map_err(|why| format!("{}: {why}", path.display()))
    };
    if read(again)? == read(Path::new(OBJECT))? {
        Ok(())
    } else {
        Err(format!("{OBJECT} is not what its source says; `cargo xtask bpf` makes it anew"))
    }
}

/// Paths and everything that debuggers want are left out: the same bytes everywhere.
fn compile(object: &Path) -> Result<(), String> {
    let flags = "-O2 -g -mcpu=v3 -target bpf -fdebug-compilation-dir=. -Wall -Wextra -Werror";
    let clang = Command::new("clang-19")
        .args(flags.split(' '))
        .args(["-Wno-unused-parameter", "-c", "bpf/events.bpf.c", "-o"])
        .arg(object)
        .current_dir(root())
        .status();
    let done = |status: std::io::Result<std::process::ExitStatus>, name: &str| match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: {status}")),
        Err(why) => Err(format!("{name}: {why}; install clang-19 and llvm-19")),
    };
    done(clang, "clang-19")?;
    let strip = Command::new("llvm-strip-19").arg("-g").arg(object).current_dir(root()).status();
    done(strip, "llvm-strip-19")
}

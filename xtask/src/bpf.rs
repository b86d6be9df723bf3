//! The programs for the kernel: compiled from `bpf/`, and committed, so that a build needs no C compiler.

use crate::run::root;
use std::path::{Path, PathBuf};
use std::process::Command;

/// For supervised threads, and for recordings.
const NAMES: [&str; 2] = ["events.bpf", "record.bpf"];

fn committed(name: &str) -> PathBuf {
    Path::new("crates/linux/bpf").join(name).with_added_extension("o")
}

/// Compiles them anew.
pub(crate) fn remake() -> Result<(), String> {
    NAMES.iter().try_for_each(|name| compile(name, &committed(name)))
}

/// Whether what is committed is what the sources say, where the compiler is installed.
pub(crate) fn check() -> Result<(), String> {
    if Command::new("clang-19").arg("--version").output().is_err() {
        eprintln!("    not compared with their source: no clang-19");
        return Ok(());
    }
    let read = |path: &Path| {
        std::fs::read(root().join(path)).map_err(|why| format!("{}: {why}", path.display()))
    };
    for name in NAMES {
        let (object, again) = (committed(name), Path::new("target").join(name));
        compile(name, &again)?;
        if read(&again)? != read(&object)? {
            let object = object.display();
            return Err(format!(
                "{object} is not what its source says; `cargo xtask bpf` makes it anew"
            ));
        }
    }
    Ok(())
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
    let done = |status: std::io::Result<std::process::ExitStatus>, name: &str| match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: {status}")),
        Err(why) => Err(format!("{name}: {why}; install clang-19 and llvm-19")),
    };
    done(clang, "clang-19")?;
    let strip = Command::new("llvm-strip-19").arg("-g").arg(object).current_dir(root()).status();
    done(strip, "llvm-strip-19")
}

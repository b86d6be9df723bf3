//! Programs in C that tests need (`programs/`).

use std::path::{Path, PathBuf};
use std::process::Command;
use windfall_skips::{Needs, skip};

/// Compiles one of them to a file of this name; nothing, and why, where there is no compiler.
#[track_caller]
pub(crate) fn compile(program: &str, name: &str) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/programs/{program}.c"));
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut compiler = Command::new("cc");
    match compiler.args(["-O1", "-pthread", "-o"]).arg(&file).arg(source).output() {
        Ok(output) => {
            assert!(output.status.success(), "{output:?}");
            Some(file)
        }
        Err(why) => {
            skip(Needs::Other, format!("a C compiler, cc: {why}"));
            None
        }
    }
}

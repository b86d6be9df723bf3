//! A program with two threads of one name that start with different routines (`programs/twins.c`).

use std::path::Path;
use std::process::Command;

/// Compiles it to this file; whether there is a compiler, and why not.
pub(crate) fn compile(program: &Path) -> bool {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/twins.c");
    let mut compiler = Command::new("cc");
    match compiler.args(["-O1", "-pthread", "-o"]).arg(program).arg(source).output() {
        Ok(output) => assert!(output.status.success(), "{output:?}"),
        Err(why) => {
            println!("skipped: this test needs a C compiler: cc: {why}");
            return false;
        }
    }
    true
}

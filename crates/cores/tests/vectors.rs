//! Vector work is made by the compiler; so it is disassembled, and its instructions are looked for.
#![cfg(target_arch = "x86_64")]

use std::process::Command;
use windfall_cores::{Check, Kind, Until, Verdict, Width};
use windfall_skips::{Needs, skip};

/// This program in assembly: its functions with their instructions.
fn functions() -> Option<Vec<(String, Vec<String>)>> {
    let own = std::env::current_exe().expect("a test knows its own program");
    let objdump = ["objdump", "llvm-objdump"].into_iter().find_map(|program| {
        let mut command = Command::new(program);
        command.args(["--disassemble", "--demangle", "--no-show-raw-insn"]).arg(&own);
        command.output().ok().filter(|output| output.status.success())
    })?;
    let text = String::from_utf8_lossy(&objdump.stdout);
    let mut functions: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        if let Some((_, name)) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) {
            functions.push((name.to_owned(), Vec::new()));
        } else if let (Some((_, code)), Some((_, own))) =
            (line.split_once(":\t"), functions.last_mut())
        {
            own.push(code.trim().to_owned());
        }
    }
    Some(functions)
}

/// Whether any of these functions has such an instruction on such registers.
fn has(functions: &[&Vec<String>], mnemonic: &str, registers: &str) -> bool {
    let is_it = |code: &String| code.starts_with(mnemonic) && code.contains(registers);
    functions.iter().any(|code| code.iter().any(is_it))
}

#[test]
fn law_each_width_works_in_its_own_registers() {
    // What is not called may not be in the program.
    let kinds = Width::ALL.map(Kind::Vector);
    let report = Check::on(&[0]).kinds(&kinds).anywhere().run(Until::Rounds(1)).expect("it runs");
    assert_eq!(report.verdict(), Verdict::Sound);
    let Some(functions) = functions() else {
        skip(Needs::Other, "objdump, which disassembles this program");
        return;
    };
    // Operations on whole vectors: products, sums, the lesser of two, lanes that move; and on floating point.
    let integers = ["vpmulld", "vpadd", "vpminud"];
    let floats = ["vmulpd", "vdivpd", "vsqrtpd", "vfmsub"];
    let both = || integers.into_iter().chain(floats);
    let avx2 = (["by_avx2", "by_avx2"], "%ymm", both().chain(["vpermd"]).collect());
    let avx512 = (["by_avx512", "by_avx512"], "%zmm", both().chain(["valign", "vprold"]).collect());
    let least = (["Width::run", "vector::digest"], "%xmm", vec!["mulpd", "divpd", "sqrtpd"]);
    for (names, registers, mnemonics) in [least, avx2, avx512] as [(_, _, Vec<&str>); 3] {
        let is_of = |name: &str| names.iter().any(|part| name.ends_with(part));
        let of = functions.iter().filter(|(name, _)| is_of(name));
        let own: Vec<&Vec<String>> = of.map(|(_, code)| code).collect();
        assert!(!own.is_empty(), "no function {names:?}");
        let missing: Vec<_> =
            mnemonics.into_iter().filter(|mnemonic| !has(&own, mnemonic, registers)).collect();
        assert!(missing.is_empty(), "{names:?} has no {missing:?} on {registers}");
    }
}

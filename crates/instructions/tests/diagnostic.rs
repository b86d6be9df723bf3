//! The generated diagnostic against the paper's numbers, and the population that it is judged by.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use windfall_instructions::{
    Count, Diagnostic, End, Fault, Fields, GenerateError, Goal, Kind, PC, Reason, Table, Wrong,
    generate, judge, witness,
};

/// Instructions of rv32ui and rv32um of riscv-tests at commit 34e6b6d (2026-06-03), bodies only, assembled for riscv32:
/// 10 933 with `fence_i`, `ma_data` and `simple`, which test what this table lacks; 10 528 without.
const HAND_WRITTEN: usize = 10_528;

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::rv32im().expect("RV32IM is a table"));
static FAULTS: LazyLock<Vec<Fault>> = LazyLock::new(|| Fault::all(&TABLE));
const GOAL: Goal = Goal { per_mille: 985, instructions: HAND_WRITTEN / 20 };
static DIAGNOSTIC: LazyLock<Diagnostic> =
    LazyLock::new(|| generate(&TABLE, &FAULTS, GOAL, 4).expect("goal is within reach"));

#[test]
fn paper_airlab_covers_985_in_1000_with_a_twentieth_of_the_instructions() {
    let Diagnostic { program, coverage, .. } = &*DIAGNOSTIC;
    assert_eq!(coverage.whole.end, End::Call);
    assert!(program.len() * 20 <= HAND_WRITTEN, "{} instructions", program.len());
    assert!(coverage.steps * 20 <= HAND_WRITTEN as u64, "{} run", coverage.steps);
    assert_eq!(coverage.counts.len(), 3);
    for (kind, count) in &coverage.counts {
        assert!(count.covered * 1000 >= count.visible * 985, "{kind:?}: {count:?}");
    }
    println!("{} instructions, {} run", program.len(), coverage.steps);
    print!("{}", coverage.list(&TABLE));
}

#[test]
fn law_each_fault_is_covered_uncovered_or_invisible() {
    let coverage = &DIAGNOSTIC.coverage;
    let Count { visible, covered, .. } = coverage.total();
    assert_eq!(visible + coverage.invisible.len(), FAULTS.len());
    assert_eq!(covered + coverage.uncovered.len(), visible);
    for fault in &coverage.uncovered {
        assert!(witness(&TABLE, *fault).is_some(), "{} is listed", fault.describe(&TABLE));
    }
}

#[test]
fn law_faults_without_a_reason_have_a_witness_and_others_none() {
    let mut reasons: BTreeMap<Reason, usize> = BTreeMap::new();
    for &fault in &*FAULTS {
        let (found, reason) = (witness(&TABLE, fault).is_some(), Reason::of(&TABLE, fault));
        assert_eq!(found, reason.is_none(), "{}: {reason:?}", fault.describe(&TABLE));
        if let Some(reason) = reason {
            *reasons.entry(reason).or_default() += 1;
        }
    }
    let expected = BTreeMap::from([
        (Reason::ZeroRegister, 32),
        (Reason::AlignedPc, 6),
        (Reason::ShiftAmount, 81),
        (Reason::ComparisonResult, 31),
        (Reason::UpperImmediate, 12),
        (Reason::ClearedTarget, 1),
        (Reason::UnusedField, 22),
    ]);
    assert_eq!(reasons, expected);
}

#[test]
fn law_population_holds_each_fault_once() {
    let mut once = FAULTS.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), FAULTS.len());
    let of = |kind: Kind| FAULTS.iter().filter(|fault| fault.kind() == kind).count();
    assert_eq!((of(Kind::Register), of(Kind::Unit), of(Kind::Decode)), (2112, 2979, 1097));
    let pc = Fault::Register { register: PC, bit: 31, wrong: Wrong::High };
    assert!(FAULTS.contains(&pc));
}

#[test]
fn accepts_faults_of_bits_that_do_not_exist_as_no_fault() {
    let (register, bit, wrong) = (5, 32, Wrong::High);
    for fault in [Fault::Register { register, bit, wrong }, Fault::Decode { instruction: 0, bit }] {
        let coverage = judge(&TABLE, &DIAGNOSTIC.program, &[fault], 1000);
        assert_eq!(coverage.uncovered, [fault]);
        assert_eq!(witness(&TABLE, fault), None);
    }
}

#[test]
fn law_equal_seeds_give_equal_programs() {
    let faults: Vec<Fault> = FAULTS.iter().copied().step_by(16).collect();
    let program = |seed| generate(&TABLE, &faults, GOAL, seed).unwrap().program;
    assert_eq!(program(7), program(7));
    assert_ne!(program(7), program(8));
}

#[test]
fn limit_program_that_does_nothing_covers_few() {
    let program = [TABLE.encode("ecall", Fields::default()).unwrap()];
    let coverage = judge(&TABLE, &program, &FAULTS, 10);
    let count = coverage.total();
    // Stuck bits of the signature and of the program counter, and what decodes as another instruction than `ecall`.
    assert!(count.covered > 60 && count.covered < 90, "{count:?}");
}

#[test]
fn refuses_a_goal_out_of_reach() {
    let faults: Vec<Fault> = FAULTS.iter().copied().step_by(16).collect();
    let goal = Goal { per_mille: 985, instructions: 100 };
    let error = generate(&TABLE, &faults, goal, 1).unwrap_err();
    assert!(matches!(error, GenerateError::Goal { .. }));
    let text = error.to_string();
    assert!(text.starts_with("100 instructions cover "), "{text}");
    assert!(text.ends_with("allow more instructions or a lower share"), "{text}");
}

#[test]
fn refuses_a_table_without_what_a_diagnostic_needs() {
    let rows = TABLE.instructions().iter().filter(|one| one.name != "xori").copied().collect();
    let table = Table::new(rows).unwrap();
    let error = generate(&table, &Fault::all(&table), GOAL, 1).unwrap_err();
    let text = "table does not allow a diagnostic: no instruction `xori` in the table";
    assert_eq!(error.to_string(), text);
}

#[test]
fn law_the_list_names_each_uncovered_fault_and_each_reason() {
    let coverage = &DIAGNOSTIC.coverage;
    let text = coverage.list(&TABLE).to_string();
    let lines = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(lines("uncovered "), coverage.uncovered.len());
    assert_eq!(lines("invisible "), 7 + coverage.invisible.len());
    for (fault, reason) in &coverage.invisible {
        let line = format!("invisible {}: {}\n", fault.describe(&TABLE), reason.describe());
        assert!(text.contains(&line), "{line}");
    }
    for fault in &coverage.uncovered {
        assert!(text.contains(&format!("uncovered {}\n", fault.describe(&TABLE))));
    }
    assert!(text.contains("invisible   81 faults: a shift uses 5 bits of its second operand"));
}

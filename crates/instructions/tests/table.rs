//! The table: its encodings, its refusals, and its arithmetic at the corners that the manual fixes.

use proptest::prelude::*;
use windfall_instructions::{
    Arithmetic, EncodeError, End, Fields, Format, Instruction, Machine, Operation, RV32IM, Table,
    TableError, Unit,
};

fn table() -> Table {
    Table::rv32im().expect("RV32IM is a table")
}

/// A name, and `rd`, `rs1`, `rs2` and the immediate.
type Line = (&'static str, (u8, u8, u8, i32));

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn law_decoder_inverts_encoder(
        rd in 0_u8..32, rs1 in 0_u8..32, rs2 in 0_u8..32, drawn in any::<u32>()
    ) {
        let table = table();
        for (index, one) in table.instructions().iter().enumerate() {
            let has = one.format.registers();
            let only = |present: bool, register: u8| if present { register } else { 0 };
            let immediate = one.format.immediates().map_or(0, |(least, most, step)| {
                let places = (i64::from(most) - i64::from(least)) / i64::from(step) + 1;
                let place = i64::from(drawn) % places * i64::from(step);
                i32::try_from(i64::from(least) + place).expect("fields are in range")
            });
            let fields = Fields {
                rd: only(has[0], rd),
                rs1: only(has[1], rs1),
                rs2: only(has[2], rs2),
                immediate,
            };
            let word = table.encode(one.name, fields).expect("fields are in range");
            let decoded = table.decode(word, 0).expect("an instruction");
            prop_assert_eq!((decoded.index, decoded.fields), (index, fields), "{}", one.name);
        }
    }

    #[test]
    fn law_encoder_inverts_decoder(drawn in any::<u32>()) {
        let table = table();
        for one in table.instructions() {
            let word = drawn & !one.mask | one.pattern;
            let decoded = table.decode(word, 0).expect("an instruction");
            prop_assert_eq!(table.encode(one.name, decoded.fields).expect("fields are in range"), word);
        }
    }
}

#[test]
fn law_every_word_matches_at_most_one_instruction() {
    // Fields cannot tell instructions apart: all values of the bits that some instruction fixes.
    let table = table();
    let mut known = 0;
    for low in 0..128_u32 {
        for high in 0..1024_u32 {
            let word = low | (high & 7) << 12 | high >> 3 << 25;
            let fits = table.instructions().iter().filter(|one| one.matches(word)).count();
            assert!(fits <= 1, "{word:#010x}");
            assert_eq!(table.find(word).is_some(), fits == 1, "{word:#010x}");
            known += fits;
        }
    }
    assert!(known > 1000, "{known}");
}

#[test]
fn twin_words_of_another_assembler() {
    // Assembled by LLVM 14's llvm-mc for riscv32.
    let words: [(u32, Line); 12] = [
        (0x0073_02b3, ("add", (5, 6, 7, 0))),
        (0x4073_02b3, ("sub", (5, 6, 7, 0))),
        (0xfff3_0293, ("addi", (5, 6, 0, -1))),
        (0x41f3_5293, ("srai", (5, 6, 0, 31))),
        (0xfe73_2e23, ("sw", (0, 6, 7, -4))),
        (0x7ff3_0283, ("lb", (5, 6, 0, 2047))),
        (0xfe73_0ce3, ("beq", (0, 6, 7, -8))),
        (0x0010_00ef, ("jal", (1, 0, 0, 2048))),
        (0xffdf_f0ef, ("jal", (1, 0, 0, -4))),
        (0x1234_52b7, ("lui", (5, 0, 0, 0x1234_5000))),
        (0x0273_42b3, ("div", (5, 6, 7, 0))),
        (0x0000_8067, ("jalr", (0, 1, 0, 0))),
    ];
    let table = table();
    for (word, (name, (rd, rs1, rs2, immediate))) in words {
        let fields = Fields { rd, rs1, rs2, immediate };
        assert_eq!(table.encode(name, fields), Ok(word), "{name}");
    }
}

#[test]
fn refuses_overlapping_encodings() {
    let place = RV32IM.iter().position(|one| one.name == "addi").unwrap();
    let mut rows = RV32IM.to_vec();
    rows.push(Instruction { name: "inc", ..rows[place] });
    let error = Table::new(rows).unwrap_err();
    let second = (RV32IM.len(), "inc");
    assert_eq!(error, TableError::Overlap { first: (place, "addi"), second, word: 0x13 });
    let text = "instructions 18 (addi) and 48 (inc) overlap: both claim 0x00000013; fix a bit in \
                which they differ";
    assert_eq!(error.to_string(), text);
}

#[test]
fn refuses_impossible_encodings_and_double_names() {
    let one = RV32IM[18];
    let flawed = [
        Instruction { pattern: 0x12, ..one },
        Instruction { mask: 0x7f, pattern: 0x1013, ..one },
        Instruction { mask: 0xf07f, ..one },
        Instruction { operation: Operation::Load { bytes: 0, signed: true }, ..one },
    ];
    for flawed in flawed {
        let error = Table::new(vec![RV32IM[0], flawed]).unwrap_err();
        assert!(matches!(error, TableError::Encoding { place: 1, name: "addi", .. }), "{error}");
    }
    let double = Table::new(vec![one, Instruction { name: "addi", ..RV32IM[0] }]).unwrap_err();
    assert_eq!(double, TableError::Name { name: "addi", places: (0, 1) });
}

#[test]
fn refuses_unknown_words_with_place_and_what_is_allowed() {
    let unknown = table().decode(0x0000_2063, 0x40).unwrap_err();
    let text = "0x40: 0x00002063 is no instruction; opcode 0x63 allows: beq, bne, blt, bge, bltu, \
                bgeu";
    assert_eq!(unknown.to_string(), text);
    let unknown = table().decode(0, 4).unwrap_err();
    assert_eq!(unknown.to_string(), "0x4: 0x00000000 is no instruction; opcode 0x00 is unknown");
}

#[test]
fn refuses_fields_that_do_not_fit() {
    let table = table();
    let fields = |rd, rs2, immediate| Fields { rd, rs1: 0, rs2, immediate };
    let refused = [
        ("addi", fields(32, 0, 0), "register 32 in field rd; allowed: 0 to 31"),
        ("addi", fields(1, 2, 0), "format I has no field rs2; set it to 0"),
        ("add", fields(1, 2, 4), "format R has no field immediate; set it to 0"),
        (
            "addi",
            fields(1, 0, 2048),
            "immediate 2048 does not fit; allowed: -2048 to 2047, multiples of 1",
        ),
        (
            "beq",
            fields(0, 0, 3),
            "immediate 3 does not fit; allowed: -4096 to 4094, multiples of 2",
        ),
        ("nop", fields(0, 0, 0), "no instruction `nop` in the table"),
    ];
    for (name, fields, text) in refused {
        let error: EncodeError = table.encode(name, fields).unwrap_err();
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn accepts_fields_at_the_limits() {
    let table = table();
    for one in table.instructions() {
        let Some((least, most, step)) = one.format.immediates() else { continue };
        for (immediate, fits) in [(least, true), (most, true), (most.wrapping_add(step), false)] {
            let word = table.encode(one.name, Fields { immediate, ..Fields::default() });
            let wrapped = one.format == Format::U && !fits;
            assert_eq!(word.is_ok(), fits || wrapped, "{} {immediate}", one.name);
        }
    }
}

#[test]
fn paper_riscv_manual_arithmetic_at_the_corners() {
    use Arithmetic::*;
    let least = 1_u32 << 31;
    let corners = [
        (Add, u32::MAX, 1, 0),
        (Sub, 0, 1, u32::MAX),
        (Sll, 1, 33, 2),
        (Srl, least, 31, 1),
        (Sra, least, 31, u32::MAX),
        (Slt, least, 0, 1),
        (Sltu, least, 0, 0),
        (Mul, least, u32::MAX, least),
        (Mulh, least, least, 1 << 30),
        (Mulh, u32::MAX, u32::MAX, 0),
        (Mulhu, u32::MAX, u32::MAX, u32::MAX - 1),
        (Mulhsu, u32::MAX, u32::MAX, u32::MAX),
        (Mulhsu, least, u32::MAX, least),
        (Div, 7, 0, u32::MAX),
        (Divu, 7, 0, u32::MAX),
        (Rem, 7, 0, 7),
        (Remu, 7, 0, 7),
        (Div, least, u32::MAX, least),
        (Rem, least, u32::MAX, 0),
        (Div, 7_u32.wrapping_neg(), 2, 3_u32.wrapping_neg()),
        (Rem, 7_u32.wrapping_neg(), 2, u32::MAX),
    ];
    for (arithmetic, a, b, result) in corners {
        assert_eq!(arithmetic.of(a, b), result, "{arithmetic:?} {a:#x} {b:#x}");
    }
}

/// Runs these instructions, then `ecall`.
fn run(lines: &[Line]) -> (End, Machine) {
    let table = table();
    let line = |&(name, (rd, rs1, rs2, immediate)): &Line| {
        table.encode(name, Fields { rd, rs1, rs2, immediate }).expect("fields are in range")
    };
    let mut program: Vec<u32> = lines.iter().map(line).collect();
    program.push(table.encode("ecall", Fields::default()).expect("fields are in range"));
    let mut machine = Machine::new(None);
    let (end, _) = machine.run(&table, &program, 100);
    (end, machine)
}

#[test]
fn accepts_bytes_and_half_words_of_either_sign() {
    let (end, machine) = run(&[
        ("addi", (1, 0, 0, -128)),
        ("sw", (0, 0, 1, 256)),
        ("sb", (0, 0, 1, 257)),
        ("lb", (2, 0, 0, 257)),
        ("lbu", (3, 0, 0, 257)),
        ("lh", (4, 0, 0, 256)),
        ("lhu", (5, 0, 0, 256)),
        ("lw", (6, 0, 0, 256)),
        ("addi", (0, 0, 0, 5)),
    ]);
    assert_eq!(end, End::Call);
    let low = 0x8080_u32;
    let expected = [(-128_i32).cast_unsigned(), 0x80, 0xffff_0000 | low, low, 0xffff_0000 | low];
    assert_eq!(machine.registers[2..7], expected);
    assert_eq!(machine.registers[0], 0);
}

#[test]
fn refuses_what_is_not_aligned_or_no_instruction() {
    assert_eq!(run(&[("lw", (1, 0, 0, 2))]).0, End::Misaligned);
    assert_eq!(run(&[("sh", (0, 0, 1, 1))]).0, End::Misaligned);
    assert_eq!(run(&[("jal", (0, 0, 0, 6))]).0, End::Misaligned);
    assert_eq!(run(&[("jalr", (0, 0, 0, 5))]).0, End::Call, "bit 0 is cleared: jumps to 4");
    assert_eq!(run(&[("jal", (0, 0, 0, 64))]).0, End::Illegal);
    assert_eq!(run(&[("jal", (0, 0, 0, 0))]).0, End::Unfinished);
    assert_eq!(run(&[("ebreak", (0, 0, 0, 0))]).0, End::Break);
}

#[test]
fn law_each_unit_has_an_instruction() {
    for unit in Unit::ALL {
        let own = RV32IM.iter().any(|one| one.unit == unit);
        let memory = |one: &Instruction| matches!(one.operation, Operation::Load { .. });
        assert!(own || unit == Unit::Address && RV32IM.iter().any(memory), "{unit:?}");
    }
}

#[test]
fn law_a_shift_uses_five_bits_of_its_amount() {
    // All amounts with all bits above them, one at a time and all together.
    for arithmetic in [Arithmetic::Sll, Arithmetic::Srl, Arithmetic::Sra] {
        for amount in 0..32 {
            for above in (5..32).map(|bit| 1 << bit).chain([!31]) {
                for bit in 0..32 {
                    for value in [1 << bit, !(1_u32 << bit)] {
                        let plain = arithmetic.of(value, amount);
                        assert_eq!(arithmetic.of(value, amount | above), plain, "{arithmetic:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn law_the_program_counter_stays_a_multiple_of_four() {
    let table = table();
    let mut drawn = 1_u32;
    let mut draw = || {
        drawn = drawn.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
        drawn.rotate_left(16)
    };
    let (mut moved, mut refused) = (0, 0);
    for _ in 0..2_000 {
        for one in table.instructions() {
            let mut machine = Machine::new(None);
            machine.registers[1..].fill_with(&mut draw);
            machine.pc = draw() & !3;
            machine.written.insert(machine.pc, draw() & !one.mask | one.pattern);
            let before = machine.pc;
            match machine.step(&table, &[]) {
                Ok(()) if machine.pc != before.wrapping_add(4) => moved += 1,
                Ok(()) => {}
                Err(_) => refused += 1,
            }
            assert_eq!(machine.pc % 4, 0, "{}", one.name);
        }
    }
    assert!(moved > 2_000 && refused > 2_000, "{moved} jumps, {refused} ends");
}

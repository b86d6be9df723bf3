//! Short pieces of program, each made to show faults of one instruction.
//!
//! Every piece falls through to its end and folds its result into the signature: `signature = result - signature`,
//! which loses no single difference. The signature is no operand of anything else, or a fold could cancel it. Addresses and jump distances are computed from the registers of a whole machine.

use crate::coverage::SIGNATURE;
use crate::encoding::{EncodeError, Fields};
use crate::machine::Machine;
use crate::operation::Operation;
use crate::random::Random;
use crate::table::{Instruction, Table};
use crate::unit::Unit;

/// The register for addresses inside a piece.
const POINTER: u8 = 30;

/// The register for results, mostly; the others keep various values as operands.
const RESULT: u8 = 29;

/// Data lies at or above this address; programs lie below.
const DATA: u32 = 1 << 16;

/// Words of a piece under construction.
struct Piece<'a> {
    table: &'a Table,
    words: Vec<u32>,
}

impl Piece<'_> {
    fn put(
        &mut self,
        name: &str,
        rd: u8,
        rs1: u8,
        rs2: u8,
        immediate: i32,
    ) -> Result<(), EncodeError> {
        self.words.push(self.table.encode(name, Fields { rd, rs1, rs2, immediate })?);
        Ok(())
    }

    /// Takes the value of a register into the signature.
    fn fold(&mut self, register: u8) -> Result<(), EncodeError> {
        self.put("sub", SIGNATURE, register, SIGNATURE, 0)
    }

    /// Sets a register to a value.
    fn load(&mut self, register: u8, value: u32) -> Result<(), EncodeError> {
        let value = value.cast_signed();
        let low = value << 20 >> 20;
        self.put("lui", register, 0, 0, value.wrapping_sub(low))?;
        self.put("addi", register, register, 0, low)
    }
}

/// Leads a value and then its complement through all registers, inverted from each to the next, so that every bit of
/// every register is 0 once and 1 once. A stuck bit changes what arrives. Leaves a different value in each register.
pub(crate) fn march(table: &Table, random: &mut Random) -> Result<Vec<u32>, EncodeError> {
    let mut piece = Piece { table, words: Vec::new() };
    // Negative immediates invert the upper bits and vary the lower ones.
    let flips: Vec<i32> = (0..SIGNATURE).map(|_| random.between(-2048, -1)).collect();
    let start = random.word();
    piece.load(1, start)?;
    for register in 2..=SIGNATURE {
        let flip = flips[usize::from(register) - 1];
        piece.put("xori", register, register - 1, 0, flip)?;
    }
    piece.load(1, !start)?;
    for register in 2..SIGNATURE {
        let flip = flips[usize::from(register) - 1];
        piece.put("xori", register, register - 1, 0, flip)?;
    }
    piece.fold(SIGNATURE - 1)?;
    Ok(piece.words)
}

/// Writes two instructions at the highest addresses and calls them: all upper bits of addresses, targets and the
/// program counter are 1 once. They take the program counter and return.
pub(crate) fn call_far(table: &Table) -> Result<Vec<u32>, EncodeError> {
    let mut piece = Piece { table, words: Vec::new() };
    let link = 1;
    let here = table.encode("auipc", Fields { rd: RESULT, ..Fields::default() })?;
    let back = table.encode("jalr", Fields { rs1: link, ..Fields::default() })?;
    piece.put("addi", POINTER, 0, 0, -4)?;
    piece.load(RESULT, here)?;
    piece.put("sw", 0, POINTER, RESULT, -4)?;
    piece.load(RESULT, back)?;
    piece.put("sw", 0, POINTER, RESULT, 0)?;
    piece.put("jalr", link, POINTER, 0, -4)?;
    piece.fold(link)?;
    piece.fold(RESULT)?;
    Ok(piece.words)
}

/// A piece for an instruction of the table, drawn; empty if the draw gives no sensible one.
pub(crate) fn draw(
    table: &Table,
    whole: &Machine,
    random: &mut Random,
) -> Result<Vec<u32>, EncodeError> {
    let instructions = table.instructions();
    let one = &instructions[random.place(instructions.len())];
    let mut piece = Piece { table, words: Vec::new() };
    match one.operation {
        Operation::Compute(_) | Operation::Upper { .. } => compute(&mut piece, one, random)?,
        Operation::Load { bytes, .. } => {
            if random.place(2) == 0 {
                read_program(&mut piece, one, whole, bytes, random)?;
            } else {
                store_and_load(&mut piece, ("sw", one.name), whole, 4, random)?;
            }
        }
        Operation::Store { bytes } => {
            let load = if bytes == 4 { "lw" } else { "lhu" };
            let load = if bytes == 1 { "lbu" } else { load };
            store_and_load(&mut piece, (one.name, load), whole, bytes, random)?;
        }
        Operation::Branch(_) => branch(&mut piece, one, random)?,
        Operation::Jump => jump(&mut piece, one, random)?,
        Operation::JumpRegister => jump_register(&mut piece, one, random)?,
        Operation::Fence => piece.put(one.name, 0, 0, 0, 0)?,
        Operation::Call | Operation::Break => {}
    }
    Ok(piece.words)
}

/// A destination: mostly the same, so that operands keep their variety.
fn destination(random: &mut Random) -> u8 {
    if random.place(4) == 0 { random.register(1, RESULT) } else { RESULT }
}

/// Two sources, which are one register now and then.
fn sources(random: &mut Random) -> (u8, u8) {
    let first = random.register(0, POINTER);
    if random.place(4) == 0 { (first, first) } else { (first, random.register(0, POINTER)) }
}

/// The instruction on drawn operands, and its result.
fn compute(
    piece: &mut Piece<'_>,
    one: &Instruction,
    random: &mut Random,
) -> Result<(), EncodeError> {
    let rd = destination(random);
    let (mut first, second) = sources(random);
    let [_, rs1, rs2] = one.format.registers();
    let immediate = match one.format.immediates() {
        None => 0,
        Some((least, most, step)) => random.between(least / step, most / step) * step,
    };
    // Comparisons depend on their lowest bits only if the operands are near each other.
    if matches!(one.unit, Unit::Comparator) && random.place(2) == 0 {
        let near = immediate + random.between(-1, 1);
        if (-2048..2048).contains(&near) {
            piece.put("addi", POINTER, if rs2 { second } else { 0 }, 0, near)?;
            first = POINTER;
        }
    }
    let only = |present: bool, register: u8| if present { register } else { 0 };
    piece.put(one.name, rd, only(rs1, first), only(rs2, second), immediate)?;
    piece.fold(rd)
}

/// Loads from the program itself, whose words do not come by way of a store.
fn read_program(
    piece: &mut Piece<'_>,
    one: &Instruction,
    whole: &Machine,
    bytes: u8,
    random: &mut Random,
) -> Result<(), EncodeError> {
    let (rd, size) = (destination(random), i32::from(bytes));
    let Ok(end) = i32::try_from(whole.pc) else { return Ok(()) };
    let address = random.between(0, (end - 4) / size) * size;
    let immediate = random.between(-2048, 2047);
    let base = address - immediate;
    if !(-2048..2048).contains(&base) {
        return Ok(());
    }
    piece.put("addi", POINTER, 0, 0, base)?;
    piece.put(one.name, rd, POINTER, 0, immediate)?;
    piece.fold(rd)
}

/// Stores a register and loads it by another base and immediate with the same sum.
fn store_and_load(
    piece: &mut Piece<'_>,
    (store, load): (&str, &str),
    whole: &Machine,
    bytes: u8,
    random: &mut Random,
) -> Result<(), EncodeError> {
    let (base, value) = (random.register(1, RESULT), random.register(0, POINTER));
    let drawn = random.between(-2048, 2047);
    let stray = whole.read(base).wrapping_add_signed(drawn) % u32::from(bytes);
    let Some(immediate) = drawn.checked_sub_unsigned(stray).filter(|&least| least >= -2048) else {
        return Ok(());
    };
    if whole.read(base).wrapping_add_signed(immediate) < DATA {
        return Ok(());
    }
    let rd = destination(random);
    piece.put("addi", POINTER, base, 0, immediate)?;
    piece.put(store, 0, base, value, immediate)?;
    piece.put(load, rd, POINTER, 0, 0)?;
    piece.fold(rd)
}

/// Takes a register into the signature unless the branch is taken.
fn branch(
    piece: &mut Piece<'_>,
    one: &Instruction,
    random: &mut Random,
) -> Result<(), EncodeError> {
    let (first, second) = sources(random);
    piece.put(one.name, 0, first, second, 8)?;
    piece.fold(random.register(1, RESULT))
}

/// Jumps ahead, or ahead, back and ahead again; then takes the link.
fn jump(piece: &mut Piece<'_>, one: &Instruction, random: &mut Random) -> Result<(), EncodeError> {
    let rd = destination(random);
    if random.place(2) == 0 {
        piece.put(one.name, rd, 0, 0, 8)?;
        piece.fold(random.register(1, RESULT))?;
    } else {
        piece.put(one.name, 0, 0, 0, 8)?;
        piece.put(one.name, 0, 0, 0, 8)?;
        piece.put(one.name, rd, 0, 0, -4)?;
    }
    piece.fold(rd)
}

/// Jumps ahead by a register and an immediate with the right sum; then takes the link.
fn jump_register(
    piece: &mut Piece<'_>,
    one: &Instruction,
    random: &mut Random,
) -> Result<(), EncodeError> {
    let rd = destination(random);
    let immediate = random.between(-2000, 2000);
    piece.put("auipc", POINTER, 0, 0, 0)?;
    piece.put("addi", POINTER, POINTER, 0, 16 - immediate)?;
    piece.put(one.name, rd, POINTER, 0, immediate)?;
    piece.fold(random.register(1, RESULT))?;
    piece.fold(rd)
}

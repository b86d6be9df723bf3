//! RV32IM: the base instructions of 32 bits, and multiplication and division.
//!
//! Source: The RISC-V Instruction Set Manual, volume I, table of RV32/64G instructions. `fence.tso` and `pause` are
//! words of `fence`. Lacks: control registers and `fence.i`, which are extensions of their own.

use crate::encoding::Format::{self, B, I, J, R, S, Shift, U, Whole};
use crate::operation::{Arithmetic, Condition, Operation};
use crate::table::{Instruction, Table, TableError};
use crate::unit::Unit;

use Operation::{Branch, Compute, Load, Store, Upper};

/// An instruction by name, format, opcode, `funct3` and `funct7`, the last two where the format has them.
const fn row(
    name: &'static str,
    format: Format,
    (opcode, funct3, funct7): (u32, u32, u32),
    unit: Unit,
    operation: Operation,
) -> Instruction {
    let mask = match format {
        U | J => 0x7f,
        I | S | B => 0x707f,
        R | Shift => 0xfe00_707f,
        Whole => u32::MAX,
    };
    Instruction {
        name,
        format,
        mask,
        pattern: opcode | funct3 << 12 | funct7 << 25,
        unit,
        operation,
    }
}

const IMMEDIATE: u32 = 0x13;
const REGISTER: u32 = 0x33;

/// The instructions of RV32IM, in the order of the manual.
pub const RV32IM: &[Instruction] = &[
    row("lui", U, (0x37, 0, 0), Unit::Upper, Upper { from_pc: false }),
    row("auipc", U, (0x17, 0, 0), Unit::Upper, Upper { from_pc: true }),
    row("jal", J, (0x6f, 0, 0), Unit::Target, Operation::Jump),
    row("jalr", I, (0x67, 0, 0), Unit::Target, Operation::JumpRegister),
    row("beq", B, (0x63, 0, 0), Unit::Branch, Branch(Condition::Eq)),
    row("bne", B, (0x63, 1, 0), Unit::Branch, Branch(Condition::Ne)),
    row("blt", B, (0x63, 4, 0), Unit::Branch, Branch(Condition::Lt)),
    row("bge", B, (0x63, 5, 0), Unit::Branch, Branch(Condition::Ge)),
    row("bltu", B, (0x63, 6, 0), Unit::Branch, Branch(Condition::Ltu)),
    row("bgeu", B, (0x63, 7, 0), Unit::Branch, Branch(Condition::Geu)),
    row("lb", I, (3, 0, 0), Unit::Load, Load { bytes: 1, signed: true }),
    row("lh", I, (3, 1, 0), Unit::Load, Load { bytes: 2, signed: true }),
    row("lw", I, (3, 2, 0), Unit::Load, Load { bytes: 4, signed: true }),
    row("lbu", I, (3, 4, 0), Unit::Load, Load { bytes: 1, signed: false }),
    row("lhu", I, (3, 5, 0), Unit::Load, Load { bytes: 2, signed: false }),
    row("sb", S, (0x23, 0, 0), Unit::Store, Store { bytes: 1 }),
    row("sh", S, (0x23, 1, 0), Unit::Store, Store { bytes: 2 }),
    row("sw", S, (0x23, 2, 0), Unit::Store, Store { bytes: 4 }),
    row("addi", I, (IMMEDIATE, 0, 0), Unit::Adder, Compute(Arithmetic::Add)),
    row("slti", I, (IMMEDIATE, 2, 0), Unit::Comparator, Compute(Arithmetic::Slt)),
    row("sltiu", I, (IMMEDIATE, 3, 0), Unit::Comparator, Compute(Arithmetic::Sltu)),
    row("xori", I, (IMMEDIATE, 4, 0), Unit::Logic, Compute(Arithmetic::Xor)),
    row("ori", I, (IMMEDIATE, 6, 0), Unit::Logic, Compute(Arithmetic::Or)),
    row("andi", I, (IMMEDIATE, 7, 0), Unit::Logic, Compute(Arithmetic::And)),
    row("slli", Shift, (IMMEDIATE, 1, 0), Unit::Shifter, Compute(Arithmetic::Sll)),
    row("srli", Shift, (IMMEDIATE, 5, 0), Unit::Shifter, Compute(Arithmetic::Srl)),
    row("srai", Shift, (IMMEDIATE, 5, 32), Unit::Shifter, Compute(Arithmetic::Sra)),
    row("add", R, (REGISTER, 0, 0), Unit::Adder, Compute(Arithmetic::Add)),
    row("sub", R, (REGISTER, 0, 32), Unit::Adder, Compute(Arithmetic::Sub)),
    row("sll", R, (REGISTER, 1, 0), Unit::Shifter, Compute(Arithmetic::Sll)),
    row("slt", R, (REGISTER, 2, 0), Unit::Comparator, Compute(Arithmetic::Slt)),
    row("sltu", R, (REGISTER, 3, 0), Unit::Comparator, Compute(Arithmetic::Sltu)),
    row("xor", R, (REGISTER, 4, 0), Unit::Logic, Compute(Arithmetic::Xor)),
    row("srl", R, (REGISTER, 5, 0), Unit::Shifter, Compute(Arithmetic::Srl)),
    row("sra", R, (REGISTER, 5, 32), Unit::Shifter, Compute(Arithmetic::Sra)),
    row("or", R, (REGISTER, 6, 0), Unit::Logic, Compute(Arithmetic::Or)),
    row("and", R, (REGISTER, 7, 0), Unit::Logic, Compute(Arithmetic::And)),
    row("fence", I, (0x0f, 0, 0), Unit::None, Operation::Fence),
    row("ecall", Whole, (0x73, 0, 0), Unit::None, Operation::Call),
    row("ebreak", Whole, (0x0010_0073, 0, 0), Unit::None, Operation::Break),
    row("mul", R, (REGISTER, 0, 1), Unit::Multiplier, Compute(Arithmetic::Mul)),
    row("mulh", R, (REGISTER, 1, 1), Unit::Multiplier, Compute(Arithmetic::Mulh)),
    row("mulhsu", R, (REGISTER, 2, 1), Unit::Multiplier, Compute(Arithmetic::Mulhsu)),
    row("mulhu", R, (REGISTER, 3, 1), Unit::Multiplier, Compute(Arithmetic::Mulhu)),
    row("div", R, (REGISTER, 4, 1), Unit::Divider, Compute(Arithmetic::Div)),
    row("divu", R, (REGISTER, 5, 1), Unit::Divider, Compute(Arithmetic::Divu)),
    row("rem", R, (REGISTER, 6, 1), Unit::Divider, Compute(Arithmetic::Rem)),
    row("remu", R, (REGISTER, 7, 1), Unit::Divider, Compute(Arithmetic::Remu)),
];

impl Table {
    /// The table of RV32IM.
    ///
    /// # Errors
    /// Never for this table; the same check as for any other.
    pub fn rv32im() -> Result<Self, TableError> {
        Self::new(RV32IM.to_vec())
    }
}

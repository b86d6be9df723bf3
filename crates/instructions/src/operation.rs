//! The effect of an instruction on its operands, wherever they come from.
//!
//! All arithmetic wraps at 32 bits; division by zero and the one overflow of division have the results of the manual,
//! and never trap (The RISC-V Instruction Set Manual, volume I, 2.4 and the M extension).

/// A result that depends on two operands only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub enum Arithmetic {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Sll,
    Srl,
    Sra,
    Slt,
    Sltu,
    Mul,
    Mulh,
    Mulhsu,
    Mulhu,
    Div,
    Divu,
    Rem,
    Remu,
}

/// The condition of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub enum Condition {
    Eq,
    Ne,
    Lt,
    Ge,
    Ltu,
    Geu,
}

/// The effect of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Writes the result of `rs1` and `rs2`, or of `rs1` and the immediate, as the format has it.
    Compute(Arithmetic),
    /// Writes the immediate, added to the program counter or to 0.
    Upper {
        /// Whether the program counter is added.
        from_pc: bool,
    },
    /// Reads memory at `rs1` plus the immediate.
    Load {
        /// 1, 2 or 4 bytes.
        bytes: u8,
        /// Whether the value is extended by its sign.
        signed: bool,
    },
    /// Writes the lowest bytes of `rs2` to memory at `rs1` plus the immediate.
    Store {
        /// 1, 2 or 4 bytes.
        bytes: u8,
    },
    /// Jumps by the immediate if the condition holds between `rs1` and `rs2`.
    Branch(Condition),
    /// Jumps by the immediate and writes the address of the next instruction.
    Jump,
    /// Jumps to `rs1` plus the immediate, bit 0 cleared, and writes the address of the next instruction.
    JumpRegister,
    /// Orders memory: nothing to do on a machine of one processor.
    Fence,
    /// Ends the program (`ecall`).
    Call,
    /// Ends the program (`ebreak`).
    Break,
}

impl Arithmetic {
    /// The result of two operands.
    #[allow(clippy::cast_possible_truncation, reason = "a product's half is what is asked for")]
    pub const fn of(self, a: u32, b: u32) -> u32 {
        let (signed_a, signed_b) = (a.cast_signed(), b.cast_signed());
        match self {
            Self::Add => a.wrapping_add(b),
            Self::Sub => a.wrapping_sub(b),
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
            Self::Sll => a << (b & 31),
            Self::Srl => a >> (b & 31),
            Self::Sra => (signed_a >> (b & 31)).cast_unsigned(),
            Self::Slt => (signed_a < signed_b) as u32,
            Self::Sltu => (a < b) as u32,
            Self::Mul => a.wrapping_mul(b),
            Self::Mulh => ((signed_a as i64 * signed_b as i64) >> 32) as u32,
            Self::Mulhsu => ((signed_a as i64 * b as i64) >> 32) as u32,
            Self::Mulhu => ((a as u64 * b as u64) >> 32) as u32,
            Self::Div if b == 0 => u32::MAX,
            Self::Div => signed_a.wrapping_div(signed_b).cast_unsigned(),
            Self::Divu if b == 0 => u32::MAX,
            Self::Divu => a / b,
            Self::Rem | Self::Remu if b == 0 => a,
            Self::Rem => signed_a.wrapping_rem(signed_b).cast_unsigned(),
            Self::Remu => a % b,
        }
    }
}

impl Condition {
    /// Whether the condition holds.
    pub const fn holds(self, a: u32, b: u32) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Lt => a.cast_signed() < b.cast_signed(),
            Self::Ge => a.cast_signed() >= b.cast_signed(),
            Self::Ltu => a < b,
            Self::Geu => a >= b,
        }
    }
}

//! The population of faults: one bit wrong, always, at one place of the processor.
//!
//! A register's bit is stuck at 0 or 1; a bit of a unit's operand or result is stuck or inverted; a field of one
//! instruction is decoded as a neighbour, a value that differs from it in one bit. A neighbour that is no instruction
//! is left out: it traps wherever the instruction runs, and would only raise the share of covered faults.
//! Lacks: faults of memory, faults that come and go, two faults at once.

use std::fmt;

use crate::table::Table;
use crate::unit::{Port, Unit};

/// The number by which faults name the program counter; 0 to 31 are the registers.
pub const PC: u8 = 32;

/// The defect of a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Wrong {
    /// It is always 0.
    Low,
    /// It is always 1.
    High,
    /// It is the opposite of what it should be.
    Inverted,
}

/// One fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Fault {
    /// A bit of a register, or of the program counter ([`PC`]), reads wrong. `x0` is read as 0 with this bit wrong.
    Register {
        /// 0 to 31, or [`PC`].
        register: u8,
        /// 0 to 31.
        bit: u8,
        /// Stuck at 0 or at 1.
        wrong: Wrong,
    },
    /// A bit of an operand or result of a unit is wrong.
    Unit {
        /// The unit.
        unit: Unit,
        /// The place on it.
        port: Port,
        /// 0 to 31.
        bit: u8,
        /// How.
        wrong: Wrong,
    },
    /// A bit of the word of an instruction is inverted before it is decoded.
    Decode {
        /// The place of the instruction in the table.
        instruction: usize,
        /// 0 to 31.
        bit: u8,
    },
}

/// The three sorts of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// [`Fault::Register`].
    Register,
    /// [`Fault::Unit`].
    Unit,
    /// [`Fault::Decode`].
    Decode,
}

impl Wrong {
    /// `value` with bit `bit` wrong. There is no bit above 31, so nothing is wrong with it.
    pub const fn spoil(self, value: u32, bit: u8) -> u32 {
        let Some(mask) = 1_u32.checked_shl(bit as u32) else {
            return value;
        };
        match self {
            Self::Low => value & !mask,
            Self::High => value | mask,
            Self::Inverted => value ^ mask,
        }
    }
}

impl Fault {
    /// Its sort.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Register { .. } => Kind::Register,
            Self::Unit { .. } => Kind::Unit,
            Self::Decode { .. } => Kind::Decode,
        }
    }

    /// All faults of a processor with these instructions, in a fixed order.
    pub fn all(table: &Table) -> Vec<Self> {
        let mut faults = Vec::new();
        for register in 0..=PC {
            for bit in 0..32 {
                faults.extend([Wrong::Low, Wrong::High].map(|wrong| Self::Register {
                    register,
                    bit,
                    wrong,
                }));
            }
        }
        for unit in Unit::ALL {
            for &(port, bits) in unit.ports() {
                for bit in 0..bits {
                    faults.extend(
                        [Wrong::Low, Wrong::High, Wrong::Inverted].map(|wrong| Self::Unit {
                            unit,
                            port,
                            bit,
                            wrong,
                        }),
                    );
                }
            }
        }
        for (instruction, one) in table.instructions().iter().enumerate() {
            let known = (0..32).filter(|&bit| table.find(one.pattern ^ 1 << bit).is_some());
            faults.extend(known.map(|bit| Self::Decode { instruction, bit }));
        }
        faults
    }

    /// The fault in words, with the names of the table.
    pub fn describe(self, table: &Table) -> String {
        match self {
            Self::Decode { instruction, bit } => match table.instructions().get(instruction) {
                Some(one) => {
                    let field = one.format.field(bit);
                    format!("{}: {field} decoded with bit {bit} of the word inverted", one.name)
                }
                None => format!("{self}: no such instruction in the table"),
            },
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Low => "stuck at 0",
            Self::High => "stuck at 1",
            Self::Inverted => "inverted",
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register { register: PC, bit, wrong } => write!(out, "pc: bit {bit} {wrong}"),
            Self::Register { register, bit, wrong } => {
                write!(out, "x{register}: bit {bit} {wrong}")
            }
            Self::Unit { unit, port, bit, wrong } => {
                write!(out, "{unit:?}: bit {bit} of {port:?} {wrong}")
            }
            Self::Decode { instruction, bit } => {
                write!(out, "instruction {instruction}: bit {bit} of the word inverted")
            }
        }
    }
}

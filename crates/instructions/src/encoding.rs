//! Where the fields of an instruction lie in its word: the formats R, I, S, B, U and J.
//!
//! `extract` and `insert` are inverse on the fields that a format has; a field that it lacks is 0.
//! Source: The RISC-V Instruction Set Manual, volume I, 2.2 and 2.3.

use std::fmt;

/// How the fields of an instruction lie in its 32-bit word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Two sources and a destination.
    R,
    /// A source, a destination and an immediate of 12 bits, signed.
    I,
    /// A source, a destination and a shift amount of 5 bits; `funct7` as in R.
    Shift,
    /// Two sources and an immediate of 12 bits, signed.
    S,
    /// Two sources and a distance of 13 bits, signed and even.
    B,
    /// A destination and the upper 20 bits of an immediate.
    U,
    /// A destination and a distance of 21 bits, signed and even.
    J,
    /// No field: the whole word is fixed.
    Whole,
}

/// The fields of one instruction. A field that its format lacks is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fields {
    /// Number of the destination register, 0 to 31.
    pub rd: u8,
    /// Number of the first source register, 0 to 31.
    pub rs1: u8,
    /// Number of the second source register, 0 to 31.
    pub rs2: u8,
    /// The immediate as the instruction uses it, extended to 32 bits. In format U the lower 12 bits are 0.
    pub immediate: i32,
}

/// Fields that do not fit into the word of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// No instruction of the table has this name.
    Name(String),
    /// A register number above 31.
    Register {
        /// The field: `rd`, `rs1` or `rs2`.
        field: &'static str,
        /// The number that was asked for.
        number: u8,
    },
    /// A field is not 0 although the format has none such.
    Absent {
        /// The field: `rd`, `rs1`, `rs2` or `immediate`.
        field: &'static str,
        /// The format that lacks it.
        format: Format,
    },
    /// An immediate outside its range, or not a multiple of its step.
    Immediate {
        /// The value given.
        value: i32,
        /// The least and the greatest value that the format holds.
        allowed: (i32, i32),
        /// The value must be a multiple of this.
        step: i32,
    },
}

impl fmt::Display for EncodeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(out, "no instruction `{name}` in the table"),
            Self::Register { field, number } => {
                write!(out, "register {number} in field {field}; allowed: 0 to 31")
            }
            Self::Absent { field, format } => {
                write!(out, "format {format:?} has no field {field}; set it to 0")
            }
            Self::Immediate { value, allowed: (least, most), step } => write!(
                out,
                "immediate {value} does not fit; allowed: {least} to {most}, multiples of {step}"
            ),
        }
    }
}

impl std::error::Error for EncodeError {}

impl Format {
    /// Whether the format has the fields `rd`, `rs1`, `rs2`, in this order.
    pub const fn registers(self) -> [bool; 3] {
        match self {
            Self::R => [true, true, true],
            Self::I | Self::Shift => [true, true, false],
            Self::S | Self::B => [false, true, true],
            Self::U | Self::J => [true, false, false],
            Self::Whole => [false; 3],
        }
    }

    /// The least and the greatest immediate, and the step between two; `None` without an immediate.
    pub const fn immediates(self) -> Option<(i32, i32, i32)> {
        match self {
            Self::R | Self::Whole => None,
            Self::I | Self::S => Some((-2048, 2047, 1)),
            Self::Shift => Some((0, 31, 1)),
            Self::B => Some((-4096, 4094, 2)),
            Self::U => Some((i32::MIN, i32::MAX - 4095, 4096)),
            Self::J => Some((-(1 << 20), (1 << 20) - 2, 2)),
        }
    }

    /// The name of the field that bit `bit` of the word belongs to.
    pub const fn field(self, bit: u8) -> &'static str {
        match (self, bit) {
            (Self::Whole, 7..) => "word",
            (_, 0..7) => "opcode",
            (Self::U, 12..) | (Self::J, 12..) => "immediate",
            (Self::S | Self::B, 7..12) => "immediate",
            (_, 7..12) => "rd",
            (_, 12..15) => "funct3",
            (_, 15..20) => "rs1",
            (Self::R | Self::S | Self::B, 20..25) => "rs2",
            (Self::R | Self::Shift, 25..) => "funct7",
            _ => "immediate",
        }
    }

    /// The fields that lie in `word`.
    pub fn extract(self, word: u32) -> Fields {
        let [rd, rs1, rs2] = self.registers();
        let register =
            |present: bool, at: u32| if present { (word >> at & 31).to_le_bytes()[0] } else { 0 };
        let signed = word.cast_signed();
        let immediate = match self {
            Self::R | Self::Whole => 0,
            Self::I => signed >> 20,
            Self::Shift => signed >> 20 & 31,
            Self::S => signed >> 25 << 5 | signed >> 7 & 31,
            Self::B => {
                (signed >> 31 << 12)
                    | (signed >> 7 & 1) << 11
                    | (signed >> 25 & 63) << 5
                    | (signed >> 8 & 15) << 1
            }
            Self::U => signed & !0xfff,
            Self::J => {
                (signed >> 31 << 20)
                    | (signed & 0xf_f000)
                    | (signed >> 20 & 1) << 11
                    | (signed >> 21 & 0x3ff) << 1
            }
        };
        Fields { rd: register(rd, 7), rs1: register(rs1, 15), rs2: register(rs2, 20), immediate }
    }

    /// The bits of a word that hold `fields`; all others are 0.
    ///
    /// # Errors
    /// A field that does not fit, or that the format lacks.
    pub fn insert(self, fields: Fields) -> Result<u32, EncodeError> {
        let Fields { rd, rs1, rs2, immediate } = fields;
        let mut word = 0;
        let names = [("rd", rd, 7), ("rs1", rs1, 15), ("rs2", rs2, 20)];
        for ((field, number, at), present) in names.into_iter().zip(self.registers()) {
            match (number, present) {
                (32.., _) => return Err(EncodeError::Register { field, number }),
                (1.., false) => return Err(EncodeError::Absent { field, format: self }),
                _ => word |= u32::from(number) << at,
            }
        }
        let Some((least, most, step)) = self.immediates() else {
            return match immediate {
                0 => Ok(word),
                _ => Err(EncodeError::Absent { field: "immediate", format: self }),
            };
        };
        if !(least..=most).contains(&immediate) || immediate % step != 0 {
            let allowed = (least, most);
            return Err(EncodeError::Immediate { value: immediate, allowed, step });
        }
        Ok(word | self.scatter(immediate.cast_unsigned()))
    }

    /// The bits of an immediate in range, at their places in the word.
    const fn scatter(self, value: u32) -> u32 {
        match self {
            Self::R | Self::Whole => 0,
            Self::I | Self::Shift => value << 20,
            Self::S => value >> 5 << 25 | (value & 31) << 7,
            Self::B => {
                (value >> 12 & 1) << 31
                    | (value >> 5 & 63) << 25
                    | (value >> 1 & 15) << 8
                    | (value >> 11 & 1) << 7
            }
            Self::U => value,
            Self::J => {
                (value >> 20 & 1) << 31
                    | (value >> 1 & 0x3ff) << 21
                    | (value >> 11 & 1) << 20
                    | (value & 0xf_f000)
            }
        }
    }
}

//! An instruction set as a table, from which decoder and encoder follow.
//!
//! Invariant: no word belongs to two instructions; [`Table::new`] refuses a table in which one would.
//! Lacks: compressed instructions, control registers, a text format of its own.

use std::fmt;

use crate::encoding::{EncodeError, Fields, Format};
use crate::operation::Operation;
use crate::unit::Unit;

/// One instruction of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Its name in assembly language.
    pub name: &'static str,
    /// Where its fields lie.
    pub format: Format,
    /// The bits of the word that are fixed.
    pub mask: u32,
    /// The values of these bits; 0 outside `mask`.
    pub pattern: u32,
    /// The unit that makes its result.
    pub unit: Unit,
    /// Its effect.
    pub operation: Operation,
}

/// Instructions of which no two share a word.
#[derive(Clone, Debug)]
pub struct Table {
    instructions: Vec<Instruction>,
    /// Places in `instructions`, by bits 2 to 6 of the word.
    by_opcode: [Vec<usize>; 32],
}

/// The meaning of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decoded {
    /// The place of the instruction in the table.
    pub index: usize,
    /// Its fields.
    pub fields: Fields,
}

/// Why instructions do not form a table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError {
    /// A word belongs to two instructions.
    Overlap {
        /// Place and name of the first.
        first: (usize, &'static str),
        /// Place and name of the second.
        second: (usize, &'static str),
        /// A word that both claim.
        word: u32,
    },
    /// Two instructions have one name.
    Name {
        /// The name.
        name: &'static str,
        /// The places of both.
        places: (usize, usize),
    },
    /// An encoding that this kind of table cannot hold.
    Encoding {
        /// The place of the instruction.
        place: usize,
        /// Its name.
        name: &'static str,
        /// The error, and the allowed form.
        why: &'static str,
    },
}

/// A word that is no instruction of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownWordError {
    /// The word.
    pub word: u32,
    /// The address or line where it stands, as the caller counts.
    pub place: u32,
    /// The instructions that have its opcode; empty if none has.
    pub allowed: Vec<&'static str>,
}

impl fmt::Display for TableError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overlap { first: (one, a), second: (two, b), word } => write!(
                out,
                "instructions {one} ({a}) and {two} ({b}) overlap: both claim {word:#010x}; \
                 fix a bit in which they differ"
            ),
            Self::Name { name, places: (one, two) } => {
                write!(out, "instructions {one} and {two} are both named `{name}`")
            }
            Self::Encoding { place, name, why } => {
                write!(out, "instruction {place} ({name}): {why}")
            }
        }
    }
}

impl std::error::Error for TableError {}

impl fmt::Display for UnknownWordError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { word, place, allowed } = self;
        write!(out, "{place:#x}: {word:#010x} is no instruction; opcode {:#04x} ", word & 127)?;
        match allowed.as_slice() {
            [] => write!(out, "is unknown"),
            names => write!(out, "allows: {}", names.join(", ")),
        }
    }
}

impl std::error::Error for UnknownWordError {}

impl Instruction {
    /// Whether `word` is this instruction.
    pub const fn matches(&self, word: u32) -> bool {
        word & self.mask == self.pattern
    }

    /// Why this instruction cannot stand in a table.
    fn flaw(&self) -> Option<&'static str> {
        let fields = (0..32).filter(|&bit| {
            !matches!(self.format.field(bit), "opcode" | "funct3" | "funct7" | "word")
        });
        let fields = fields.fold(0, |bits, bit| bits | 1_u32 << bit);
        let bytes = match self.operation {
            Operation::Load { bytes, .. } | Operation::Store { bytes } => bytes,
            _ => 1,
        };
        if !matches!(bytes, 1 | 2 | 4) {
            Some("loads or stores a number of bytes that is no width; allowed: 1, 2 or 4")
        } else if self.mask & 127 != 127 || self.pattern & 3 != 3 {
            Some("opcode is not fixed or does not end in 11; allowed: 7 bits that do")
        } else if self.pattern & !self.mask != 0 {
            Some("pattern has bits outside mask; allowed: bits of mask")
        } else if self.mask & fields != 0 {
            Some("mask fixes bits of a field; allowed: opcode, funct3 and funct7 of its format")
        } else {
            None
        }
    }
}

impl Table {
    /// A table of `instructions`, in this order.
    ///
    /// # Errors
    /// Two that overlap or share a name, or one whose encoding is impossible.
    pub fn new(instructions: Vec<Instruction>) -> Result<Self, TableError> {
        let mut by_opcode: [Vec<usize>; 32] = Default::default();
        for (place, one) in instructions.iter().enumerate() {
            if let Some(why) = one.flaw() {
                return Err(TableError::Encoding { place, name: one.name, why });
            }
            for (earlier, other) in instructions[..place].iter().enumerate() {
                if one.name == other.name {
                    return Err(TableError::Name { name: one.name, places: (earlier, place) });
                }
                if (one.pattern ^ other.pattern) & one.mask & other.mask == 0 {
                    return Err(TableError::Overlap {
                        first: (earlier, other.name),
                        second: (place, one.name),
                        word: one.pattern | other.pattern,
                    });
                }
            }
            by_opcode[opcode(one.pattern)].push(place);
        }
        Ok(Self { instructions, by_opcode })
    }

    /// All instructions, in order.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The place and the instruction of this name.
    pub fn named(&self, name: &str) -> Option<(usize, &Instruction)> {
        self.instructions.iter().enumerate().find(|(_, one)| one.name == name)
    }

    /// The place of the instruction that `word` is, if it is one.
    pub fn find(&self, word: u32) -> Option<usize> {
        if word & 3 != 3 {
            return None;
        }
        let places = &self.by_opcode[opcode(word)];
        places.iter().copied().find(|&place| self.instructions[place].matches(word))
    }

    /// Decodes `word`; `place` is repeated in the error.
    ///
    /// # Errors
    /// The word is no instruction of the table.
    pub fn decode(&self, word: u32, place: u32) -> Result<Decoded, UnknownWordError> {
        match self.find(word) {
            Some(index) => {
                Ok(Decoded { index, fields: self.instructions[index].format.extract(word) })
            }
            None => {
                let same = self.instructions.iter().filter(|one| (one.pattern ^ word) & 127 == 0);
                Err(UnknownWordError { word, place, allowed: same.map(|one| one.name).collect() })
            }
        }
    }

    /// The word of the instruction `name` with `fields`.
    ///
    /// # Errors
    /// An unknown name, or a field that does not fit.
    pub fn encode(&self, name: &str, fields: Fields) -> Result<u32, EncodeError> {
        let Some((_, one)) = self.named(name) else {
            return Err(EncodeError::Name(name.to_owned()));
        };
        Ok(one.pattern | one.format.insert(fields)?)
    }
}

/// Bits 2 to 6 of a word; the two below are 11 in all instructions of 32 bits.
const fn opcode(word: u32) -> usize {
    (word >> 2 & 31) as usize
}

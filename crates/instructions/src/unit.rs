//! The units of a processor, and the places on them where a bit can be wrong.

/// A part of the processor that makes results of several instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Sums and differences of registers and immediates.
    Adder,
    /// And, or, exclusive or.
    Logic,
    /// Shifts.
    Shifter,
    /// Comparisons whose result is written to a register.
    Comparator,
    /// Products.
    Multiplier,
    /// Quotients and remainders.
    Divider,
    /// `lui` and `auipc`: the immediate added to 0 or to the program counter.
    Upper,
    /// Conditions of branches; the result is one bit.
    Branch,
    /// Where jumps and taken branches go: the sum of the program counter or a register, and the immediate.
    Target,
    /// Addresses of loads and stores: the sum of a register and the immediate.
    Address,
    /// The value that a load writes to its register.
    Load,
    /// The value that a store writes to memory.
    Store,
    /// No unit: instructions without a result.
    None,
}

/// A place on a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Port {
    /// The first operand.
    First,
    /// The second operand.
    Second,
    /// The result.
    Result,
}

impl Unit {
    /// All units that have ports.
    pub const ALL: [Self; 12] = [
        Self::Adder,
        Self::Logic,
        Self::Shifter,
        Self::Comparator,
        Self::Multiplier,
        Self::Divider,
        Self::Upper,
        Self::Branch,
        Self::Target,
        Self::Address,
        Self::Load,
        Self::Store,
    ];

    /// The ports of the unit, each with its number of bits.
    pub const fn ports(self) -> &'static [(Port, u8)] {
        match self {
            Self::Branch => &[(Port::First, 32), (Port::Second, 32), (Port::Result, 1)],
            Self::Load => &[(Port::Result, 32)],
            Self::Store => &[(Port::First, 32)],
            Self::None => &[],
            _ => &[(Port::First, 32), (Port::Second, 32), (Port::Result, 32)],
        }
    }
}

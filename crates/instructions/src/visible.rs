//! Which faults a program can see at all, and why it cannot see the others.
//!
//! A program sees a fault if some instruction, in some state that a program can reach, leads to another state or end
//! than on a whole processor: then [`witness`] finds instruction and state. If no single instruction in any state
//! does, then by induction on the steps no program does. The search tries operands that differ in the faulty bit, and
//! for units and decoding each bit alone and each bit missing; [`Reason::of`] says independently, from the table, what hides a fault. The two must agree on all faults.

use crate::encoding::{Fields, Format};
use crate::fault::{Fault, PC, Wrong};
use crate::machine::{End, Machine};
use crate::operation::Operation;
use crate::table::{Instruction, Table};
use crate::unit::{Port, Unit};

/// Why no program can see a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// `x0` is 0 anyway.
    ZeroRegister,
    /// Instructions lie at multiples of 4: the two lowest bits of the program counter are 0 anyway.
    AlignedPc,
    /// A shift uses the lowest 5 bits of its second operand only.
    ShiftAmount,
    /// A comparison yields 0 or 1: the other bits are 0 anyway.
    ComparisonResult,
    /// An upper immediate has 12 bits of 0 below.
    UpperImmediate,
    /// Bit 0 of a target is 0 anyway, or cleared by `jalr`.
    ClearedTarget,
    /// The instruction does not use the field.
    UnusedField,
}

/// A state and an instruction that show a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Witness {
    /// The word of the instruction.
    pub word: u32,
    /// The machine before it, without the fault.
    pub before: Machine,
}

impl Reason {
    /// Why `fault` hides from every program; `None` if one can see it.
    pub fn of(table: &Table, fault: Fault) -> Option<Self> {
        match fault {
            Fault::Register { register: 0, wrong: Wrong::Low, .. } => Some(Self::ZeroRegister),
            Fault::Register { register: PC, bit: 0 | 1, wrong: Wrong::Low } => {
                Some(Self::AlignedPc)
            }
            Fault::Unit { unit: Unit::Shifter, port: Port::Second, bit: 5.., .. } => {
                Some(Self::ShiftAmount)
            }
            Fault::Unit {
                unit: Unit::Comparator,
                port: Port::Result,
                bit: 1..,
                wrong: Wrong::Low,
            } => Some(Self::ComparisonResult),
            Fault::Unit { unit: Unit::Upper, port: Port::Second, bit: ..12, wrong: Wrong::Low } => {
                Some(Self::UpperImmediate)
            }
            // Program counter and 0 are multiples of 4, and so is the sum with an upper immediate.
            Fault::Unit {
                unit: Unit::Upper,
                port: Port::First | Port::Result,
                bit: 0 | 1,
                wrong: Wrong::Low,
            } => Some(Self::AlignedPc),
            Fault::Unit { unit: Unit::Target, port: Port::Result, bit: 0, wrong: Wrong::Low } => {
                Some(Self::ClearedTarget)
            }
            Fault::Decode { instruction, bit } => {
                let one = table.instructions().get(instruction)?;
                let opcode = matches!(one.format.field(bit), "opcode" | "funct3" | "funct7");
                (one.operation == Operation::Fence && !opcode).then_some(Self::UnusedField)
            }
            _ => None,
        }
    }

    /// The reason in words.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::ZeroRegister => "x0 is 0 anyway",
            Self::AlignedPc => "the program counter is a multiple of 4 anyway",
            Self::ShiftAmount => "a shift uses 5 bits of its second operand",
            Self::ComparisonResult => "a comparison yields 0 or 1 anyway",
            Self::UpperImmediate => "an upper immediate has 12 bits of 0 below",
            Self::ClearedTarget => "bit 0 of a target is 0 anyway, or cleared",
            Self::UnusedField => "the instruction does not use the field",
        }
    }
}

/// An instruction and a state that show `fault`, if the search finds them.
///
/// Costs up to some 100 000 steps of the machine for a fault that cannot be seen, and few for others.
pub fn witness(table: &Table, fault: Fault) -> Option<Witness> {
    let suspects: Vec<&Instruction> = match fault {
        Fault::Register { .. } => table.instructions().iter().collect(),
        Fault::Unit { unit, .. } => table
            .instructions()
            .iter()
            .filter(|one| one.unit == unit || uses(one.operation, unit))
            .collect(),
        Fault::Decode { instruction, .. } => {
            table.instructions().get(instruction).into_iter().collect()
        }
    };
    suspects.into_iter().find_map(|one| shown_by(table, fault, one))
}

/// Whether an operation passes through a unit besides its own.
const fn uses(operation: Operation, unit: Unit) -> bool {
    match operation {
        Operation::Branch(_) => matches!(unit, Unit::Target),
        Operation::Load { .. } | Operation::Store { .. } => matches!(unit, Unit::Address),
        _ => false,
    }
}

/// Values that differ in bit `bit` from 0, from all ones and from values without order.
fn near(bit: u8) -> [u32; 9] {
    let mask = Wrong::High.spoil(0, bit);
    let mixed = 0x1357_9bdf;
    [0, u32::MAX, mixed, mixed ^ mask, 0x8642_eca1, 1 << 31, 3, mask, !mask]
}

/// Values with each bit alone and with each bit missing.
fn each() -> impl Iterator<Item = u32> {
    (0..32).map(|bit| 1_u32 << bit).flat_map(|one| [one, !one])
}

/// A state in which the instruction `one` shows the fault.
fn shown_by(table: &Table, fault: Fault, one: &Instruction) -> Option<Witness> {
    let (Fault::Register { bit, .. } | Fault::Unit { bit, .. } | Fault::Decode { bit, .. }) = fault;
    let [rd, rs1, rs2] = one.format.registers();
    let source = match fault {
        // The faulty register is read; the program counter and x0 are handled as any other.
        Fault::Register { register, .. } if register < PC => register,
        _ => 6,
    };
    let fields = Fields {
        rd: if rd { 5 } else { 0 },
        rs1: if rs1 { source } else { 0 },
        rs2: if rs2 { 9 } else { 0 },
        immediate: 0,
    };
    let immediates: &[i32] = match one.format.immediates() {
        None => &[0],
        Some((_, _, 1)) if one.format == Format::Shift => &[0, 1, 31, 13],
        Some((_, _, 1)) => &[0, 1, 2, 4, -1, -2, -1366, 1365, 64],
        Some((_, _, 2)) => &[8, 4, -4, -1368, 1364, 2],
        Some(_) => &[0, 4096, -4096, 0x5a5a_5000],
    };
    for &immediate in immediates {
        let word = one.pattern | one.format.insert(Fields { immediate, ..fields }).ok()?;
        // A register's fault is in the value that is read; other operands matter little.
        let (firsts, seconds): (Vec<u32>, usize) = match fault {
            Fault::Register { .. } => (near(bit).to_vec(), 3),
            _ => (near(bit).into_iter().chain(each()).collect(), 9),
        };
        for first in firsts {
            for &second in &near(bit)[..seconds] {
                let before = state(word, &fields, first, second, one, immediate);
                if differs(table, fault, &before) {
                    return Some(Witness { word, before });
                }
            }
        }
    }
    None
}

/// A state in which the next instruction is `word` and its operands are given.
fn state(
    word: u32,
    fields: &Fields,
    first: u32,
    second: u32,
    one: &Instruction,
    immediate: i32,
) -> Machine {
    let mut machine = Machine::new(None);
    for (register, value) in (0_u32..).zip(&mut machine.registers).skip(1) {
        *value = register.wrapping_mul(0x9e37_79b9);
    }
    for (register, value) in [(fields.rs2, second), (fields.rs1, first)] {
        if register != 0 {
            machine.registers[usize::from(register)] = value;
        }
    }
    // Without a first source, the first pattern is where the instruction lies.
    machine.pc = if one.format.registers()[1] { second & !3 } else { first & !3 };
    if matches!(one.operation, Operation::Load { .. } | Operation::Store { .. }) {
        let address = first.wrapping_add_signed(immediate) & !3;
        machine.written.insert(address, second);
    }
    machine.written.insert(machine.pc, word);
    machine
}

/// Whether the fault leads to another state or end than `before` leads to without it.
fn differs(table: &Table, fault: Fault, before: &Machine) -> bool {
    let after = |fault: Option<Fault>| -> (Result<(), End>, Machine) {
        let mut machine = Machine { fault, ..before.clone() };
        let end = machine.step(table, &[]);
        (end, Machine { fault: None, ..machine })
    };
    after(None) != after(Some(fault))
}

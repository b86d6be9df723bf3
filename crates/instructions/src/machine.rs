//! An emulator of a table's instructions, whole or with one fault.
//!
//! Equal programs and equal faults give equal outcomes. Memory is all 4 GiB; what was never written reads as 0, which
//! is no instruction. A word, half word or jump target that is not aligned traps, and a trap ends the program.
//! Lacks: interrupts, control registers, protection, devices.

use std::collections::BTreeMap;

use crate::encoding::Format;
use crate::fault::{Fault, PC, Wrong};
use crate::operation::Operation;
use crate::table::{Decoded, Table};
use crate::unit::{Port, Unit};

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// By `ecall`.
    Call,
    /// By `ebreak`.
    Break,
    /// At a word that is no instruction.
    Illegal,
    /// At a load, store or jump to an address that is not aligned.
    Misaligned,
    /// Not within the bound on steps.
    Unfinished,
}

/// The state of a processor and what was written to its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Machine {
    /// `x0` to `x31`. The element 0 is never written, and reads as 0.
    pub registers: [u32; 32],
    /// The address of the next instruction.
    pub pc: u32,
    /// Words written, by address; the address is a multiple of 4.
    pub written: BTreeMap<u32, u32>,
    /// The fault of the processor.
    pub fault: Option<Fault>,
}

impl Machine {
    /// A machine before its first instruction: all registers and the program counter are 0.
    pub const fn new(fault: Option<Fault>) -> Self {
        Self { registers: [0; 32], pc: 0, written: BTreeMap::new(), fault }
    }

    /// Runs `program`, which lies at address 0, for at most `bound` instructions. Returns how it ended, and the number
    /// of instructions that ran.
    pub fn run(&mut self, table: &Table, program: &[u32], bound: u64) -> (End, u64) {
        for steps in 0..bound {
            if let Err(end) = self.step(table, program) {
                return (end, steps + 1);
            }
        }
        (End::Unfinished, bound)
    }

    /// Runs one instruction.
    ///
    /// # Errors
    /// The instruction ended the program.
    pub fn step(&mut self, table: &Table, program: &[u32]) -> Result<(), End> {
        let pc = self.spoil_register(PC, self.pc);
        if !pc.is_multiple_of(4) {
            return Err(End::Misaligned);
        }
        let (decoded, format, unit, operation) = self.fetch(table, program, pc)?;
        let fields = decoded.fields;
        let (rs1, rs2) = (self.read(fields.rs1), self.read(fields.rs2));
        let immediate = fields.immediate.cast_unsigned();
        let mut next = pc.wrapping_add(4);
        let mut result = None;
        match operation {
            Operation::Compute(arithmetic) => {
                let second = if format == Format::R { rs2 } else { immediate };
                result = Some(self.through(unit, rs1, second, |a, b| arithmetic.of(a, b)));
            }
            Operation::Upper { from_pc } => {
                let first = if from_pc { pc } else { 0 };
                result = Some(self.through(unit, first, immediate, u32::wrapping_add));
            }
            Operation::Load { bytes, signed } => {
                let address = self.address(rs1, immediate, bytes)?;
                let value = extend(self.word(program, address) >> (address % 4 * 8), bytes, signed);
                result = Some(self.port(Unit::Load, Port::Result, value));
            }
            Operation::Store { bytes } => {
                let address = self.address(rs1, immediate, bytes)?;
                let value = self.port(Unit::Store, Port::First, rs2);
                self.store(program, address, bytes, value);
            }
            Operation::Branch(condition) => {
                let taken = self.through(unit, rs1, rs2, |a, b| u32::from(condition.holds(a, b)));
                if taken != 0 {
                    next = self.target(pc, immediate, !0)?;
                }
            }
            Operation::Jump => {
                result = Some(next);
                next = self.target(pc, immediate, !0)?;
            }
            Operation::JumpRegister => {
                result = Some(next);
                next = self.target(rs1, immediate, !1)?;
            }
            Operation::Fence => {}
            Operation::Call => return Err(End::Call),
            Operation::Break => return Err(End::Break),
        }
        if let Some(value) = result
            && fields.rd != 0
        {
            self.registers[usize::from(fields.rd)] = value;
        }
        self.pc = next;
        Ok(())
    }

    /// The instruction at `pc`, as this machine decodes it.
    fn fetch(
        &self,
        table: &Table,
        program: &[u32],
        pc: u32,
    ) -> Result<(Decoded, Format, Unit, Operation), End> {
        let mut word = self.word(program, pc);
        let mut index = table.find(word).ok_or(End::Illegal)?;
        if let Some(Fault::Decode { instruction, bit }) = self.fault
            && instruction == index
        {
            word = Wrong::Inverted.spoil(word, bit);
            index = table.find(word).ok_or(End::Illegal)?;
        }
        let one = &table.instructions()[index];
        let decoded = Decoded { index, fields: one.format.extract(word) };
        Ok((decoded, one.format, one.unit, one.operation))
    }

    /// The value of a register, as this machine reads it.
    pub(crate) fn read(&self, register: u8) -> u32 {
        self.spoil_register(register, self.registers[usize::from(register)])
    }

    fn spoil_register(&self, number: u8, value: u32) -> u32 {
        match self.fault {
            Some(Fault::Register { register, bit, wrong }) if register == number => {
                wrong.spoil(value, bit)
            }
            _ => value,
        }
    }

    fn port(&self, here: Unit, place: Port, value: u32) -> u32 {
        match self.fault {
            Some(Fault::Unit { unit, port, bit, wrong }) if unit == here && port == place => {
                wrong.spoil(value, bit)
            }
            _ => value,
        }
    }

    /// The result of `unit` for two operands.
    fn through(&self, unit: Unit, a: u32, b: u32, make: impl Fn(u32, u32) -> u32) -> u32 {
        let first = self.port(unit, Port::First, a);
        let second = self.port(unit, Port::Second, b);
        self.port(unit, Port::Result, make(first, second))
    }

    fn address(&self, base: u32, immediate: u32, bytes: u8) -> Result<u32, End> {
        let address = self.through(Unit::Address, base, immediate, u32::wrapping_add);
        if address.is_multiple_of(u32::from(bytes)) { Ok(address) } else { Err(End::Misaligned) }
    }

    fn target(&self, base: u32, immediate: u32, mask: u32) -> Result<u32, End> {
        let target = self.through(Unit::Target, base, immediate, u32::wrapping_add) & mask;
        if target.is_multiple_of(4) { Ok(target) } else { Err(End::Misaligned) }
    }

    /// The word of memory that `address` lies in.
    fn word(&self, program: &[u32], address: u32) -> u32 {
        let place = (address >> 2) as usize;
        match self.written.get(&(address & !3)) {
            Some(&word) => word,
            None => program.get(place).copied().unwrap_or(0),
        }
    }

    fn store(&mut self, program: &[u32], address: u32, bytes: u8, value: u32) {
        let shift = address % 4 * 8;
        let mask = (u32::MAX >> (32 - 8 * u32::from(bytes))) << shift;
        let word = self.word(program, address) & !mask | value << shift & mask;
        self.written.insert(address & !3, word);
    }
}

/// The lowest `bytes` bytes of a word, extended to 32 bits.
const fn extend(word: u32, bytes: u8, signed: bool) -> u32 {
    let unused = 32 - 8 * bytes as u32;
    let top = word << unused;
    if signed { (top.cast_signed() >> unused).cast_unsigned() } else { top >> unused }
}

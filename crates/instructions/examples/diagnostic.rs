//! Generates the diagnostic of RV32IM for a seed, and prints its words and what it covers.
//!
//! `cargo run --release -p windfall-instructions --example diagnostic -- 4`

use std::error::Error;

use windfall_instructions::{Fault, Goal, Table, generate};

/// A twentieth of rv32ui and rv32um (docs/decisions/0042-instructions.md).
const INSTRUCTIONS: usize = 526;

fn main() -> Result<(), Box<dyn Error>> {
    let seed = match std::env::args().nth(1) {
        Some(text) => text.parse().map_err(|_| format!("seed `{text}`: give a whole number"))?,
        None => 4,
    };
    let table = Table::rv32im()?;
    let goal = Goal { per_mille: 985, instructions: INSTRUCTIONS };
    let diagnostic = generate(&table, &Fault::all(&table), goal, seed)?;
    for (address, &word) in (0_u32..).step_by(4).zip(&diagnostic.program) {
        let decoded = table.decode(word, address)?;
        let name = table.instructions()[decoded.index].name;
        println!("{address:#05x} {word:08x} {name}");
    }
    let (length, coverage) = (diagnostic.program.len(), &diagnostic.coverage);
    println!("{length} instructions, {} run, {:x?}", coverage.steps, coverage.whole);
    print!("{}", coverage.list(&table));
    Ok(())
}

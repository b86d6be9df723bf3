//! Whether a generated diagnostic finds the faults of an instruction set (AIRLAB, 3), on an emulated RV32IM processor with each fault in turn.
//!
//! That is a property of the diagnostic, not of this machine, whose own processors the part `cores` checks.

use super::grouped;
use crate::experiment::LabError;
use crate::findings::Table;
use crate::validate::found::{Better, Found, Level, Metric, Unit};
use crate::validate::machine::Machine;
use crate::validate::options::Options;
use crate::validate::part::Part;
use std::collections::BTreeMap;
use windfall_instructions::{
    Count, Diagnostic, Fault, Goal, Reason, Table as Instructions, generate,
};

pub(crate) const PART: Part = Part {
    name: "instructions",
    title: "what a generated diagnostic of an instruction set finds",
    question: "of all faults that a program can see in an emulated RV32IM processor, how many does a generated program find, and is it short enough to be run again and again?",
    run: found,
};

/// A twentieth of rv32ui and rv32um (decision 0042).
const INSTRUCTIONS: usize = 526;
/// Any seed is as good; this one makes the program that decision 0042 describes.
const SEED: u64 = 4;

fn found(_: &dyn Machine, _: &Options) -> Result<Found, LabError> {
    let wrong = |why: String| LabError::Run(format!("the diagnostic: {why}"));
    let table = Instructions::rv32im().map_err(|why| wrong(why.to_string()))?;
    let faults = Fault::all(&table);
    let goal = Goal { per_mille: 985, instructions: INSTRUCTIONS };
    let diagnostic = generate(&table, &faults, goal, SEED).map_err(|why| wrong(why.to_string()))?;
    let Diagnostic { program, coverage, .. } = &diagnostic;
    let total = coverage.total();
    let mut found = Found::default();
    found.circumstances.push(format!(
        "{} faults of an emulated RV32IM processor: bits of registers stuck, bits of operands and results wrong, fields decoded as a neighbour; seed {SEED}",
        grouped(faults.len() as u64)
    ));
    found.says(
        Level::Fact,
        format!(
            "A generated diagnostic of {} instructions finds {total} of an emulated RV32IM processor (the paper: 98.5 %); {} faults are visible to no program.",
            program.len(),
            coverage.invisible.len()
        ),
    );
    found.tables.push(sorts(
        &coverage
            .counts
            .iter()
            .map(|(kind, count)| (format!("{kind:?}"), *count))
            .collect::<Vec<_>>(),
        total,
    ));
    let mut uncovered = Table::new("visible faults that it does not find", 1, &["fault"]);
    uncovered.rows = coverage.uncovered.iter().map(|fault| vec![fault.describe(&table)]).collect();
    let mut reasons: BTreeMap<Reason, u64> = BTreeMap::new();
    for (_, reason) in &coverage.invisible {
        *reasons.entry(*reason).or_default() += 1;
    }
    let head = ["reason", "faults"];
    let mut invisible = Table::new("faults that no program can see, by reason", 1, &head);
    invisible.rows = reasons
        .iter()
        .map(|(reason, count)| vec![reason.describe().to_owned(), grouped(*count)])
        .collect();
    let mut each = Table::new("faults that no program can see, each", 2, &["fault", "reason"]);
    let why = |(fault, reason): &(Fault, Reason)| {
        vec![fault.describe(&table), reason.describe().to_owned()]
    };
    each.rows = coverage.invisible.iter().map(why).collect();
    found.tables.extend([uncovered, invisible, each]);
    let missed = total.visible - total.covered;
    found.metrics.push(
        Metric::new("instructions.missed", missed as u64, Unit::Count, Better::Lower).noise(0, 0),
    );
    Ok(found)
}

fn sorts(counts: &[(String, Count)], total: Count) -> Table {
    let head = ["sort of fault", "visible", "found", "%"];
    let mut table = Table::new("faults that the diagnostic finds", 1, &head);
    let all = [("all".to_owned(), total)];
    for (name, count) in counts.iter().chain(&all) {
        let share = (count.covered * 10_000).checked_div(count.visible).unwrap_or(0);
        let share = format!("{}.{:02}", share / 100, share % 100);
        let [visible, covered] = [count.visible, count.covered].map(|count| grouped(count as u64));
        table.rows.push(vec![name.clone(), visible, covered, share]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::machine::Simulated;
    use windfall_time::Span;

    #[test]
    fn law_each_fault_that_no_program_sees_is_listed_with_its_reason() {
        let options = Options::quick(Span::from_secs(1));
        let found = found(&Simulated::new(Vec::new()), &options).unwrap();
        let table = |title: &str| {
            let mut tables = found.tables.iter();
            tables.find(|table| table.title == title).unwrap()
        };
        let counts = &table("faults that no program can see, by reason").rows;
        let count: usize = counts.iter().map(|row| row[1].parse::<usize>().unwrap()).sum();
        let each = &table("faults that no program can see, each").rows;
        assert_eq!(each.len(), count);
        assert!(found.sentences[0].text.contains(&format!("{count} faults are visible to no")));
        assert!(each.iter().all(|row| counts.iter().any(|reason| reason[0] == row[1])));
    }
}

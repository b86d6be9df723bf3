//! `windfall measure`: what this machine costs, printed and kept as a file that scenarios inherit from.

use crate::cli::MeasureArgs;
use crate::output::Destinations;
use crate::{Answer, VerbError};
use std::io::Write;
use windfall_doctor::measure::{Measuring, measure, today};
use windfall_report::measure as report;

pub(crate) fn run(args: &MeasureArgs) -> Result<Answer, VerbError> {
    let mut outputs = Destinations::new(args.force.force, [])?;
    if args.json {
        outputs.claim_standard("`--json`")?;
    }
    let output = args.output.as_deref().map(|path| outputs.claim("--output", path)).transpose()?;
    let costs = measure(Measuring { cpu: args.cpu, quick: args.quick })?;
    if let Some(output) = output {
        let quick = if args.quick { " --quick" } else { "" };
        let text = costs.toml(&format!("windfall measure{quick}"), &today());
        output.write(|out| out.write_all(text.as_bytes()))?;
    }
    outputs.show(args.json, || report::json(&costs), |width| report::text(&costs, width))?;
    Ok(Answer::Yes)
}

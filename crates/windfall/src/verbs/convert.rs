//! `windfall convert FROM TO`: whether one guarantee follows from another, and by which theorem.

use crate::cli::ConvertArgs;
use crate::output::print;
use crate::{Answer, Trouble};
use windfall_guarantees::{Guarantee, Step, rewrite};

pub(crate) fn run(args: &ConvertArgs) -> Result<Answer, Trouble> {
    let (from, to) = (parse(&args.from)?, parse(&args.to)?);
    match rewrite(&from, &to) {
        Ok(steps) => {
            let mut text = format!("{from}\n");
            for Step { rule, gives } in &steps {
                text.push_str(&format!("  gives {gives}  ({})\n", rule.name()));
            }
            if steps.is_empty() {
                text.push_str("  is the same\n");
            }
            print(&text)?;
            Ok(Answer::Yes)
        }
        Err(unfit) => {
            print(&format!("{from}\n  does not give {to}: {unfit}\n"))?;
            Ok(Answer::No)
        }
    }
}

fn parse(text: &str) -> Result<Guarantee, Trouble> {
    text.parse().map_err(|why| Trouble(format!("windfall: `{text}`: {why}")))
}

//! `--for`: how long something is simulated, run or recorded.

use windfall_time::Span;

/// A length of time in which something can happen.
pub(super) fn length(text: &str) -> Result<Span, String> {
    let span: Span = text.parse().map_err(|why| format!("{why}"))?;
    match span.is_zero() {
        true => Err("it is too short; write a time above zero".to_owned()),
        false => Ok(span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    #[test]
    fn limit_a_length_is_above_zero_wherever_one_is_taken() {
        assert_eq!(length("1ns"), Ok(Span::from_nanos(1)));
        assert!(length("0s").is_err() && length("10").is_err());
        let mut found = 0;
        for verb in Cli::command().get_subcommands() {
            let takes_one = verb.get_arguments().any(|one| one.get_long() == Some("for"));
            if takes_one {
                let words = ["windfall", verb.get_name(), "--for", "0s"];
                let refused = Cli::command().try_get_matches_from(words);
                let told = refused.map(drop).expect_err(verb.get_name()).to_string();
                assert!(told.contains("too short"), "{}: {told}", verb.get_name());
                found += 1;
            }
        }
        assert_eq!(found, if cfg!(feature = "machine") { 5 } else { 1 });
    }
}

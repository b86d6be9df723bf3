//! A command line without a file: its scenario, in which all threads of the command together have one promise.

use crate::Scenario;
use crate::model::{
    Claim, External, ExternalProgram, Machine, Requirements, Run, Scheduler, Thread,
};
use core::fmt;
use std::collections::BTreeMap;
use windfall_guarantees::Guarantee;
use windfall_schedulers::kinds;
use windfall_time::Span;

/// The name of the command's threads in the scenario.
const COMMAND: &str = "command";

/// The shortest period that a command may have. Each period costs two decisions, and each takes 5 us on real threads as a
/// rule, 40 us on a slow machine or in a build without optimisation (`docs/benchmarks/decisions-on-linux.md`). With
/// periods below the cost of their decisions a run does nothing but decide, and its guardian ends it.
const SHORTEST_PERIOD: Span = Span::from_nanos(250_000);
/// The least budget: what decides in a period is paid for by it.
const LEAST_BUDGET: Span = Span::from_nanos(25_000);

/// The promise to a command without a scenario, which is a limit as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CommandPromise {
    /// Processor time in each period, on a processor that is claimed for it.
    Budget {
        /// How much.
        amount: Span,
        /// In which time.
        period: Span,
    },
    /// Its parts to one of all other threads on its processor, each part 10 ms. They have the rest of the processor, so none is
    /// claimed.
    Share(u32),
}

impl CommandPromise {
    /// How long a command may run that has no length given: a year.
    pub const AT_MOST: Span = Span::from_secs(8_760 * 60 * 60);

    /// The scenario of a command with this promise: a program and its arguments.
    ///
    /// # Errors
    /// When the promise cannot be, or deciding would take all of it.
    pub fn scenario(self, command: Vec<String>) -> Result<Scenario, CommandPromiseError> {
        let (amount, period, claim) = self.reservation();
        if amount.is_zero() {
            return Err(CommandPromiseError::NoBudget(self));
        }
        if amount > period {
            return Err(CommandPromiseError::AbovePeriod(self));
        }
        if period < SHORTEST_PERIOD {
            return Err(CommandPromiseError::ShortPeriod(period));
        }
        if amount < LEAST_BUDGET {
            return Err(CommandPromiseError::SmallBudget(amount));
        }
        let guarantee = Guarantee::BasicHard(amount.into(), period.into());
        let exec = ExternalProgram::Exec { command, env: BTreeMap::new() };
        let thread = Thread::new(COMMAND, "root", Requirements::guarantee(guarantee), Run::Unknown);
        let scenario = Scenario::new(CommandPromise::AT_MOST)
            .machine(Machine::ideal(1).claim(claim))
            .scheduler(Scheduler::root("root", kinds::REZ))
            .thread(thread.external(External::new(exec)))
            .reserved_together();
        scenario.build().map_err(|mistakes| {
            let first = mistakes.list().first();
            let help = first.and_then(|first| first.help.as_deref());
            let help = help.map_or(String::new(), |help| format!("; {help}"));
            let why = first.map_or("it cannot be run", |first| first.message.as_str());
            CommandPromiseError::Refused { promise: self, why: format!("{why}{help}") }
        })?;
        Ok(scenario)
    }

    /// The reservation, and whether a processor is claimed for it.
    fn reservation(self) -> (Span, Span, Claim) {
        let part = Span::from_millis(10);
        match self {
            CommandPromise::Budget { amount, period } => (amount, period, Claim::Processors),
            CommandPromise::Share(parts) => {
                let amount = part.saturating_mul(u64::from(parts));
                (amount, amount.saturating_add(part), Claim::None)
            }
        }
    }
}

impl fmt::Display for CommandPromise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandPromise::Budget { amount, period } => {
                write!(f, "`--budget {amount} --period {period}`")
            }
            CommandPromise::Share(parts) => write!(f, "`--share {parts}`"),
        }
    }
}

/// Why a command cannot be promised something.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CommandPromiseError {
    /// The budget is zero.
    NoBudget(CommandPromise),
    /// The budget is above its period.
    AbovePeriod(CommandPromise),
    /// Deciding would take all of such a period.
    ShortPeriod(Span),
    /// Deciding would take all of such a budget.
    SmallBudget(Span),
    /// The scenario of the command is refused.
    Refused {
        /// The promise.
        promise: CommandPromise,
        /// Why.
        why: String,
    },
}

impl fmt::Display for CommandPromiseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let too_short = |f: &mut fmt::Formatter<'_>, option: &str, asked: &Span, least: Span| {
            write!(
                f,
                "`{option} {asked}` is too short: deciding on real threads takes up to 40us, and twice in each \
                 period; the least that works is `{option} {least}`"
            )
        };
        match self {
            CommandPromiseError::NoBudget(promise) => {
                write!(f, "{promise}: the budget is zero; write a time above zero")
            }
            CommandPromiseError::AbovePeriod(promise) => {
                write!(f, "{promise}: the budget is above its period; write at most the period")
            }
            CommandPromiseError::ShortPeriod(asked) => {
                too_short(f, "--period", asked, SHORTEST_PERIOD)
            }
            CommandPromiseError::SmallBudget(asked) => {
                too_short(f, "--budget", asked, LEAST_BUDGET)
            }
            CommandPromiseError::Refused { promise, why } => write!(f, "{promise}: {why}"),
        }
    }
}

impl std::error::Error for CommandPromiseError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(promise: CommandPromise, words: &[&str]) -> Scenario {
        let words = words.iter().copied().map(str::to_owned).collect();
        promise.scenario(words).unwrap_or_else(|why| panic!("{why}"))
    }

    fn promised(scenario: &Scenario) -> Option<String> {
        let promised = scenario.schedulers.iter().find_map(|s| s.owns[0].requires.guarantee);
        promised.map(|it| it.to_string())
    }

    fn budget(amount: &str, period: &str) -> CommandPromise {
        let span = |text: &str| text.parse().unwrap();
        CommandPromise::Budget { amount: span(amount), period: span(period) }
    }

    #[test]
    fn accepts_a_budget_as_a_hard_reservation_of_all_threads_together() {
        let found = command(budget("3ms", "10ms"), &["make", "-j4", "a b\"c"]);
        assert_eq!(promised(&found).as_deref(), Some("RESBH 3ms 10ms"));
        let external = found.threads[0].external.as_ref().map(|external| &external.program);
        let Some(ExternalProgram::Exec { command, .. }) = external else { panic!("a command") };
        assert_eq!(command[..], ["make", "-j4", "a b\"c"]);
        assert!(found.promises().refused().next().is_none());
        assert_eq!(found.machine.claim, Claim::Processors);
    }

    #[test]
    fn accepts_a_share_as_parts_to_one_of_everybody_else() {
        let found = command(CommandPromise::Share(2), &["make"]);
        assert_eq!(promised(&found).as_deref(), Some("RESBH 20ms 30ms"));
        assert_eq!(found.machine.claim, Claim::None);
        let most = command(CommandPromise::Share(19), &["make"]);
        assert!(most.build().is_ok() && most.promises().refused().next().is_none());
    }

    #[test]
    fn limit_a_period_and_a_budget_are_longer_than_what_deciding_takes() {
        for (amount, period, refused) in [
            ("1us", "10us", Some("`--period 10us` is too short")),
            ("10us", "249us", Some("the least that works is `--period 250us`")),
            ("24us", "250us", Some("the least that works is `--budget 25us`")),
            ("25us", "250us", None),
            ("1ms", "1ms", None),
            ("100us", "1ms", None),
        ] {
            let found = budget(amount, period).scenario(vec!["true".to_owned()]);
            let why = found.err().map(|why| why.to_string());
            match refused {
                Some(part) => assert!(why.is_some_and(|why| why.contains(part)), "{part}"),
                None => assert_eq!(why, None),
            }
        }
    }

    #[test]
    fn refuses_a_budget_that_cannot_be_in_the_words_of_the_options() {
        for (amount, period, why) in [
            ("11ms", "10ms", "`--budget 11ms --period 10ms`: the budget is above its period"),
            ("0s", "10ms", "`--budget 0s --period 10ms`: the budget is zero"),
            ("0s", "0s", "`--budget 0s --period 0s`: the budget is zero"),
        ] {
            let told = budget(amount, period).scenario(vec!["make".to_owned()]);
            let told = told.err().map(|why| why.to_string()).unwrap_or_default();
            assert!(told.starts_with(why), "{told}");
        }
        let none = CommandPromise::Share(0).scenario(vec!["make".to_owned()]);
        assert_eq!(none.err(), Some(CommandPromiseError::NoBudget(CommandPromise::Share(0))));
    }

    #[test]
    fn refuses_a_command_without_a_program_in_the_words_of_the_options() {
        let told = CommandPromise::Share(2).scenario(Vec::new()).err();
        let Some(CommandPromiseError::Refused { why, .. }) = told else { panic!("{told:?}") };
        assert!(!why.is_empty());
    }

    #[test]
    fn accepts_a_command_of_any_characters() {
        for word in ["\u{7f}", "\u{202e}", "a\nb", "\"", "\\", "ä"] {
            let found = command(CommandPromise::Share(2), &["printf", word]);
            let external = found.threads[0].external.as_ref().map(|external| &external.program);
            let Some(ExternalProgram::Exec { command, .. }) = external else { panic!("a command") };
            assert_eq!(command[..], ["printf", word]);
        }
    }

    #[test]
    fn law_the_scenario_of_a_command_is_what_a_file_would_say() {
        let text = "schema = 2\nlength = \"8760h\"\n[machine]\nclaim = \"none\"\n[schedulers.root]\nscheduler = \"rez\"\n\
                    parent = \"top\"\n[threads.command]\nparent = \"root\"\nguarantee = \"RESBH 20ms 30ms\"\nexec = [\"make\"]\n";
        let file =
            Scenario::parse("file.toml", text).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        assert_eq!(command(CommandPromise::Share(2), &["make"]), file);
    }
}

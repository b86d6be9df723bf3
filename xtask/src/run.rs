//! Steps of a chore: one after the other, stopping at the first that fails.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

/// One step.
pub(crate) struct Step {
    name: &'static str,
    what: What,
}

enum What {
    Cargo(Vec<String>, Vec<(&'static str, &'static str)>),
    Call(fn() -> Result<(), String>),
}

impl Step {
    /// A cargo command in the project's root.
    pub(crate) fn cargo(name: &'static str, args: &[&str]) -> Step {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        Step { name, what: What::Cargo(args, Vec::new()) }
    }

    /// A function.
    pub(crate) const fn call(name: &'static str, call: fn() -> Result<(), String>) -> Step {
        Step { name, what: What::Call(call) }
    }

    /// With a variable in its environment; with several, when asked again.
    pub(crate) fn with(mut self, name: &'static str, value: &'static str) -> Step {
        if let What::Cargo(_, variables) = &mut self.what {
            variables.push((name, value));
        }
        self
    }
}

/// Runs all steps.
pub(crate) fn all(steps: &[Step]) -> Result<(), String> {
    for step in steps {
        eprintln!("--- {}", step.name);
        let begun = Instant::now();
        match &step.what {
            What::Call(call) => call().map_err(|why| format!("{}: {why}", step.name))?,
            What::Cargo(args, variables) => {
                let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
                let mut command = Command::new(cargo);
                command.args(args).envs(variables.iter().copied()).current_dir(root());
                let status = command.status().map_err(|why| format!("{}: {why}", step.name))?;
                if !status.success() {
                    return Err(format!("{} failed", step.name));
                }
            }
        }
        eprintln!("    {:.1} s", begun.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Runs a shell script of the project.
pub(crate) fn script(path: &str) -> Result<(), String> {
    let status = Command::new("bash").arg(root().join(path)).current_dir(root()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{path} ended with {status}")),
        Err(why) => Err(format!("{path}: {why}")),
    }
}

/// The project's root.
pub(crate) fn root() -> PathBuf {
    let mut root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root
}

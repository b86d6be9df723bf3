//! Steps of a chore: one after the other, stopping at the first that fails; then what was tested, and what not.

use crate::patience::Patience;
use crate::tally::{Tally, passed};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Instant;

/// What a function could not do on this machine, if anything; an error is what is wrong.
pub(crate) type Done = Result<Option<String>, String>;

/// One step.
pub(crate) struct Step {
    name: &'static str,
    what: What,
}

struct Cargo {
    args: Vec<String>,
    variables: Vec<(&'static str, &'static str)>,
    tests: bool,
    /// What is built while its tests run.
    meanwhile: Vec<String>,
}

enum What {
    Cargo(Cargo),
    Call(fn() -> Done),
}

impl Step {
    /// A cargo command in the project's root.
    pub(crate) fn cargo(name: &'static str, args: &[impl AsRef<str>]) -> Step {
        let args = args.iter().map(|arg| arg.as_ref().to_owned()).collect();
        let (variables, meanwhile) = (Vec::new(), Vec::new());
        Step { name, what: What::Cargo(Cargo { args, variables, tests: false, meanwhile }) }
    }

    /// A cargo command that runs tests, which are counted.
    pub(crate) fn tests(name: &'static str, args: &[impl AsRef<str>]) -> Step {
        let mut step = Step::cargo(name, args);
        if let What::Cargo(cargo) = &mut step.what {
            cargo.tests = true;
        }
        step
    }

    /// A function.
    pub(crate) const fn call(name: &'static str, call: fn() -> Done) -> Step {
        Step { name, what: What::Call(call) }
    }

    /// With a variable in its environment; with several, when asked again.
    pub(crate) fn with(mut self, name: &'static str, value: &'static str) -> Step {
        if let What::Cargo(cargo) = &mut self.what {
            cargo.variables.push((name, value));
        }
        self
    }

    /// While its tests run, most of which wait for times to pass, builds the tests of another command with what is left of the processors.
    pub(crate) fn meanwhile(mut self, built: &[String]) -> Step {
        if let What::Cargo(cargo) = &mut self.what {
            cargo.meanwhile = without_running(built);
        }
        self
    }

    fn run(&self, tally: &mut Tally) -> Result<(), String> {
        let amiss = |why: &dyn std::fmt::Display| format!("{}: {why}", self.name);
        let Cargo { args, variables, tests, meanwhile } = match &self.what {
            What::Call(call) => {
                if let Some(not_done) = call().map_err(|why| amiss(&why))? {
                    eprintln!("    {not_done}");
                    tally.not_done(not_done);
                }
                return Ok(());
            }
            What::Cargo(cargo) => cargo,
        };
        let cargo = |args: &[String]| {
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let mut command = Command::new(cargo);
            command.args(args).envs(variables.iter().copied()).current_dir(root());
            command
        };
        let failed = |status: ExitStatus| {
            if status.success() { Ok(()) } else { Err(format!("{} failed", self.name)) }
        };
        if !*tests {
            return failed(cargo(args).status().map_err(|why| amiss(&why))?);
        }
        // A compiler may be silent for longer than a test may: patience begins when all is built.
        let built = Instant::now();
        failed(cargo(&without_running(args)).status().map_err(|why| amiss(&why))?)?;
        eprintln!("    built in {:.1} s", built.elapsed().as_secs_f64());
        let building = if meanwhile.is_empty() { None } else { Building::begin(meanwhile) };
        let (status, ran) = counted(cargo(args).env(windfall_skips::FILE, tally.file()))
            .map_err(|why| amiss(&why))?;
        tally.passed(self.name, ran)?;
        failed(status)?;
        building.map_or(Ok(()), Building::wait).map_err(|why| amiss(&why))
    }
}

/// A cargo command that builds when nothing else runs (`SCHED_IDLE`), so that whoever wakes has a processor at once. What it did not build, a later step builds; so it says nothing itself.
struct Building(Child);

impl Building {
    /// Nothing where there is no `chrt` (util-linux).
    fn begin(args: &[String]) -> Option<Building> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new("chrt");
        command.args(["--idle", "0"]).arg(cargo).args(args).arg("--quiet").current_dir(root());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok().map(Building)
    }

    fn wait(mut self) -> std::io::Result<()> {
        self.0.wait().map(drop)
    }
}

impl Drop for Building {
    /// Tests have failed, or all of it is built.
    fn drop(&mut self) {
        // A child that has ended cannot be killed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The cargo command that builds what this one tests. Examples of documentation are built when they are run, so of these only the libraries are built.
fn without_running(args: &[String]) -> Vec<String> {
    let own = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let library = |arg: &String| if arg == "--doc" { "--lib".into() } else { arg.clone() };
    let mut built: Vec<String> = args[..own].iter().map(library).collect();
    built.push("--no-run".into());
    built
}

/// Runs all steps, and ends with what was tested and what could not be.
pub(crate) fn all(steps: &[Step]) -> Result<(), String> {
    let mut tally = Tally::begin()?;
    let done = steps.iter().try_for_each(|step| {
        eprintln!("--- {}", step.name);
        let (begun, taken) = (Instant::now(), processor_time());
        let done = step.run(&mut tally);
        let passed = begun.elapsed().as_secs_f64();
        match taken.zip(processor_time()) {
            Some((before, now)) => {
                eprintln!("    {passed:.1} s, {:.1} s of processor time", now - before)
            }
            None => eprintln!("    {passed:.1} s"),
        }
        done
    });
    eprint!("{}", tally.last_lines());
    if let Some(taken) = processor_time() {
        eprintln!("{:.1} min of processor time so far", taken / 60.0);
    }
    done
}

/// Seconds that ended children of this process took, and their ended children.
fn processor_time() -> Option<f64> {
    let statistics = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name, which may contain spaces: `cutime` and `cstime` are fields 16 and 17 of all (proc_pid_stat(5)), in hundredths of a second on every Linux.
    let (_, after) = statistics.rsplit_once(") ")?;
    let mut fields = after.split(' ').skip(13);
    let mut hundredths = || fields.next()?.parse::<u32>().ok();
    Some(f64::from(hundredths()? + hundredths()?) / 100.0)
}

/// Runs it, passes on what it prints as long as it prints, and counts the tests that passed.
fn counted(command: &mut Command) -> std::io::Result<(ExitStatus, usize)> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let patience = Patience::with(child.id());
    let ran = child.stdout.take().map_or(Ok(0), |output| pass_on(output, &patience))?;
    Ok((child.wait()?, ran))
}

fn pass_on(output: ChildStdout, patience: &Patience) -> std::io::Result<usize> {
    let (mut output, mut line, mut ran) = (BufReader::new(output), Vec::new(), 0);
    while output.read_until(b'\n', &mut line)? > 0 {
        patience.line();
        std::io::stdout().write_all(&line)?;
        ran += passed(&String::from_utf8_lossy(&line)).unwrap_or(0);
        line.clear();
    }
    Ok(ran)
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

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_what_is_built_is_what_is_tested() {
        let built = |args: &str| {
            let args: Vec<String> = args.split(' ').map(str::to_owned).collect();
            without_running(&args).join(" ")
        };
        assert_eq!(built("test -p a --lib -- --nocapture b"), "test -p a --lib --no-run");
        assert_eq!(built("test --doc -p a"), "test --lib -p a --no-run");
    }
}

//! The machine that is measured: its last processor, claimed by a run, and programs that are kept there.

use super::stretches::{Stretch, read};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The program of this build.
pub(crate) const WINDFALL: &str = env!("CARGO_BIN_EXE_windfall");

/// Where everything happens.
pub(crate) struct Machine {
    folder: PathBuf,
    /// The program `periodic`.
    pub(crate) periodic: PathBuf,
    /// The processor that is claimed.
    pub(crate) cpu: u16,
}

/// What a command prints; its words are the error where it fails.
pub(crate) fn done(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?}: {}", why.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A process that is ended, and waited for, when this is dropped.
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn start(command: &mut Command) -> Result<Process, String> {
        let child = command.stdout(Stdio::null()).spawn();
        child.map(Process).map_err(|e| format!("{command:?}: {e}"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.0.try_wait().is_ok_and(|ended| ended.is_none()) {
            let _ = Command::new("kill").arg(self.0.id().to_string()).status();
            let _ = self.0.wait();
        }
    }
}

impl Machine {
    /// Compiles the program.
    pub(crate) fn prepare(folder: &Path) -> Result<Machine, String> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/claimed/periodic.c");
        let (folder, periodic) = (folder.to_owned(), folder.join("periodic"));
        done(Command::new("cc").args(["-O2", "-Wall", "-o"]).arg(&periodic).arg(source))?;
        let cpus = std::thread::available_parallelism().map_err(|e| e.to_string())?.get();
        let last = u16::try_from(cpus).unwrap_or(0).saturating_sub(1);
        if last == 0 {
            return Err("this needs two processors".to_owned());
        }
        Ok(Machine { folder, periodic, cpu: last })
    }

    /// A file that the measurement may use.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// `windfall run` of a scenario that is written into a file of that name.
    pub(crate) fn run(&self, name: &str, scenario: &str) -> Result<Command, String> {
        let file = self.file(name);
        fs::write(&file, scenario).map_err(|e| e.to_string())?;
        let mut command = Command::new(WINDFALL);
        command.arg("run").arg(file);
        Ok(command)
    }

    /// Begins to watch a processor in a mode of `periodic`: what is written is read when it has ended.
    pub(crate) fn watch(&self, mode: &str, cpu: u16, seconds: u64) -> Result<Watcher, String> {
        let file = self.file(&format!("{mode}-{cpu}"));
        let mut command = on(cpu);
        command.arg(&self.periodic).arg(mode).arg(&file).arg(seconds.to_string());
        Ok(Watcher(Process::start(&mut command)?, file))
    }
}

/// A command that is kept to a processor.
pub(crate) fn on(cpu: u16) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", &cpu.to_string()]);
    command
}

/// A program that watches a processor.
pub(crate) struct Watcher(Process, PathBuf);

impl Watcher {
    /// Waits for its end; what it saw.
    pub(crate) fn stretches(mut self) -> Result<Vec<Stretch>, String> {
        let _ = self.0.0.wait();
        let text = fs::read_to_string(self.1).map_err(|e| e.to_string())?;
        Ok(read(&text)?.0)
    }
}

/// The processor is claimed by a run without threads.
pub(crate) struct Claimed {
    _run: Process,
}

impl Claimed {
    pub(crate) fn by_an_idle_run(machine: &Machine, seconds: u64) -> Result<Claimed, String> {
        let text = format!(
            "schema = 2\nseed = 1\nlength = \"{} s\"\n[machine]\ncpus = [{}]\n[schedulers.root]\n\
             scheduler = \"round-robin\"\nparent = \"top\"\n[threads.none]\nparent = \"root\"\n\
             start = \"{} s\"\nrun = \"spin\"\n",
            seconds + 10,
            machine.cpu,
            seconds + 9,
        );
        let before = fs::read_to_string("/sys/devices/virtual/workqueue/cpumask");
        let run = Process::start(machine.run("idle.toml", &text)?.stderr(Stdio::null()))?;
        let begun = Instant::now();
        while fs::read_to_string("/sys/devices/virtual/workqueue/cpumask").ok()
            == before.as_ref().ok().cloned()
        {
            if begun.elapsed() > Duration::from_secs(10) {
                return Err("the processor was not claimed".to_owned());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(Claimed { _run: run })
    }
}

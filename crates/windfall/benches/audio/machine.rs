//! The machine that is measured: its last processor, the programs there, and how each round is set up.

use super::tally::{Stretch, read, shared};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const WINDFALL: &str = env!("CARGO_BIN_EXE_windfall");
const LOAD: [&str; 7] = ["stress-ng", "--cpu", "8", "--fork", "2", "--switch", "2"];
/// Version 1 of the controller that makes root domains.
const CPUSET: &str = "/sys/fs/cgroup/cpuset";

/// The trace of the last supervised round.
const TRACE: &str = "audio.wft";

/// Where everything happens.
pub(crate) struct Machine {
    folder: PathBuf,
    periodic: PathBuf,
    /// The processor that is claimed, and one that is not.
    cpu: u16,
    other: u16,
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let domain = if Path::new(CPUSET).is_dir() { "a root domain" } else { "no root domain" };
        write!(f, "processor {} is claimed; SCHED_DEADLINE has {domain} of its own", self.cpu)
    }
}

fn done(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?}: {}", why.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A process that is ended, and waited for, when this is dropped.
struct Process(Child);

impl Process {
    fn start(command: &mut Command) -> Result<Process, String> {
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
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/audio/periodic.c");
        let (folder, periodic) = (folder.to_owned(), folder.join("periodic"));
        done(Command::new("cc").args(["-O2", "-Wall", "-o"]).arg(&periodic).arg(source))?;
        done(Command::new("stress-ng").arg("--version"))?;
        let cpus = std::thread::available_parallelism().map_err(|e| e.to_string())?.get();
        let last = u16::try_from(cpus).unwrap_or(0).saturating_sub(1);
        if last == 0 {
            return Err("this needs two processors".to_owned());
        }
        Ok(Machine { folder, periodic, cpu: last, other: last - 1 })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn on(&self, cpu: u16) -> Command {
        let mut command = Command::new("taskset");
        command.args(["-c", &cpu.to_string()]);
        command
    }

    /// Begins to watch both processors for standstills.
    pub(crate) fn watch(&self, seconds: u64) -> Result<Watchers, String> {
        let start = |cpu: u16| {
            let file = self.file(&format!("watch-{cpu}"));
            let mut command = self.on(cpu);
            command.arg(&self.periodic).arg("watch").arg(&file).arg((seconds + 6).to_string());
            Ok::<_, String>((Process::start(&mut command)?, file))
        };
        Ok(Watchers([start(self.cpu)?, start(self.other)?]))
    }

    /// The audio program in a class of the kernel's, beside the load; what it wrote.
    pub(crate) fn bare(&self, class: &str, seconds: u64) -> Result<String, String> {
        let mut load = self.on(self.cpu);
        load.args(LOAD).args(["-q", "--timeout", &(seconds + 4).to_string()]);
        let _load = Process::start(&mut load)?;
        std::thread::sleep(Duration::from_secs(1));
        let out = self.file("jobs");
        let mut command = self.on(self.cpu);
        command.arg(&self.periodic).arg("job").arg(&out).args([&seconds.to_string(), class]);
        done(&mut command)?;
        fs::read_to_string(out).map_err(|e| e.to_string())
    }

    /// The same below a hierarchy; what the program wrote. Constant bandwidth servers are SCHED_DEADLINE's algorithm.
    pub(crate) fn supervised(&self, seconds: u64) -> Result<String, String> {
        let (out, trace) = (self.file("jobs"), self.file(TRACE));
        let load: Vec<String> = LOAD.iter().map(|word| format!("{word:?}")).collect();
        let text = format!(
            r#"
schema = 1
seed   = 1
length = "{length} s"
[machine]
cpus = [{cpu}]
[schedulers.root]
scheduler = "fixed-priority"
parent    = "top"
[schedulers.res]
scheduler = "cbs"
charges   = "received"
parent    = "root"
priority  = 2
[schedulers.shared]
scheduler = "proportional-share"
parent    = "root"
priority  = 1
quantum   = "5ms"
[threads.audio]
parent    = "res"
guarantee = "RESBH 1ms 2.667ms"
start     = "1s"
exec      = [{periodic:?}, "job", {out:?}, "{seconds}", "none"]
[threads.load]
parent = "shared"
exec   = [{load}, "-q", "--timeout", "{timeout}"]
"#,
            cpu = self.cpu,
            length = seconds + 3,
            timeout = seconds + 2,
            periodic = self.periodic,
            load = load.join(", "),
        );
        let file = self.file("audio.toml");
        fs::write(&file, text).map_err(|e| e.to_string())?;
        let mut command = Command::new(WINDFALL);
        command.arg("run").arg(&file).arg("--trace").arg(&trace).arg("--force");
        let output = command.output().map_err(|e| e.to_string())?;
        if output.status.code() == Some(2) {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        self.note_culprits(&trace)?;
        fs::read_to_string(out).map_err(|e| e.to_string())
    }

    /// Keeps the trace of this round; where it is.
    pub(crate) fn keep_trace(&self, round: u64) -> Result<PathBuf, String> {
        let kept = self.file(&format!("audio-{round}.wft"));
        fs::rename(self.file(TRACE), &kept).map_err(|e| e.to_string())?;
        Ok(kept)
    }

    /// Adds to the list what ran instead of the audio program in jobs that took longer than their period.
    fn note_culprits(&self, trace: &Path) -> Result<(), String> {
        let mut command = Command::new(WINDFALL);
        command.args([
            "explain",
            "--json",
            "--all",
            "--thread",
            "audio*",
            "--longer-than",
            "2667us",
        ]);
        command.arg(trace);
        let output = command.output().map_err(|e| e.to_string())?; // its status says that there are misses
        let found: Value = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
        let list = self.file("culprits");
        let mut culprits = self.read_culprits();
        let mut add = |part: &Value| {
            let name = match part["thread"]["scheduler"].is_null() {
                true => part["thread"]["name"].as_str(),
                false => Some("threads of the run"),
            };
            let name = if part["part"] == "behind-thread" { name } else { part["part"].as_str() };
            *culprits.entry(name.unwrap_or("?").to_owned()).or_default() +=
                part["span_ns"].as_u64().unwrap_or(0);
        };
        visit(&found, &mut add);
        let lines = culprits.iter().map(|(name, span)| format!("{span} {name}\n"));
        fs::write(list, lines.collect::<String>()).map_err(|e| e.to_string())
    }

    fn read_culprits(&self) -> BTreeMap<String, u64> {
        let text = fs::read_to_string(self.file("culprits")).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        lines.filter_map(|(span, name)| Some((name.to_owned(), span.parse().ok()?))).collect()
    }

    /// Where the time went in jobs of the audio program that took longer than their period, over all rounds.
    pub(crate) fn culprits(&self) -> Result<String, String> {
        let mut parts: Vec<(String, u64)> = self.read_culprits().into_iter().collect();
        parts.sort_by_key(|(_, span)| std::cmp::Reverse(*span));
        let parts = parts.iter().map(|(name, span)| format!("\n  {:>9} us  {name}", span / 1000));
        fs::remove_file(self.file("culprits"))
            .map_err(|e| format!("nothing was explained: {e}"))?;
        Ok(format!("in jobs that took longer than their period:{}", parts.collect::<String>()))
    }
}

/// Calls for each part of each episode's account.
fn visit(value: &Value, add: &mut impl FnMut(&Value)) {
    for thread in value["threads"].as_array().into_iter().flatten() {
        for episode in thread["explained"].as_array().into_iter().flatten() {
            episode["account"]["parts"].as_array().into_iter().flatten().for_each(&mut *add);
        }
    }
}

/// The highest real-time thread of each processor.
pub(crate) struct Watchers([(Process, PathBuf); 2]);

impl Watchers {
    /// Waits for their end; when both processors stood still.
    pub(crate) fn standstills(self) -> Result<Vec<Stretch>, String> {
        let mut seen = Vec::new();
        for (mut process, file) in self.0 {
            let _ = process.0.wait();
            let text = fs::read_to_string(file).map_err(|e| e.to_string())?;
            seen.push(read(&text)?.0);
        }
        Ok(shared(&seen[0], &seen[1]))
    }
}

/// The processor is claimed by a run without threads.
pub(crate) struct Claimed {
    _run: Process,
}

impl Claimed {
    pub(crate) fn by_an_idle_run(machine: &Machine, seconds: u64) -> Result<Claimed, String> {
        let file = machine.file("idle.toml");
        let text = format!(
            "schema = 1\nseed = 1\nlength = \"{} s\"\n[machine]\ncpus = [{}]\n[schedulers.root]\n\
             scheduler = \"round-robin\"\nparent = \"top\"\n[threads.none]\nparent = \"root\"\n\
             start = \"{} s\"\nrun = \"spin\"\n",
            seconds + 10,
            machine.cpu,
            seconds + 9,
        );
        fs::write(&file, text).map_err(|e| e.to_string())?;
        let mut command = Command::new(WINDFALL);
        let run = Process::start(command.arg("run").arg(&file).stderr(Stdio::null()))?;
        let before = fs::read_to_string("/sys/devices/virtual/workqueue/cpumask");
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

/// A root domain of the claimed processor, where version 1 of control groups has cpusets.
pub(crate) struct RootDomain {
    group: Option<PathBuf>,
}

impl RootDomain {
    pub(crate) fn of(machine: &Machine) -> Result<RootDomain, String> {
        let root = Path::new(CPUSET);
        if !root.is_dir() {
            return Ok(RootDomain { group: None });
        }
        let group = root.join("windfall-audio");
        let write = |path: PathBuf, text: &str| {
            fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
        };
        fs::create_dir_all(&group).map_err(|e| e.to_string())?;
        let domain = RootDomain { group: Some(group.clone()) };
        write(group.join("cpuset.cpus"), &machine.cpu.to_string())?;
        write(group.join("cpuset.mems"), "0")?;
        write(group.join("cpuset.cpu_exclusive"), "1")?;
        write(root.join("cpuset.sched_load_balance"), "0")?;
        Ok(domain)
    }
}

impl Drop for RootDomain {
    fn drop(&mut self) {
        if let Some(group) = &self.group {
            let _ = fs::write(Path::new(CPUSET).join("cpuset.sched_load_balance"), "1");
            let _ = fs::remove_dir(group);
        }
    }
}

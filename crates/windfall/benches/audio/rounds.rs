//! The rounds: the audio program in a class of the kernel's, and below a hierarchy.

use crate::claimed::machine::{Machine, Process, done, on};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

const LOAD: [&str; 7] = ["stress-ng", "--cpu", "8", "--fork", "2", "--switch", "2"];

impl Machine {
    /// The audio program in a class of the kernel's, beside the load; what it wrote.
    pub(crate) fn bare(&self, class: &str, seconds: u64) -> Result<String, String> {
        let mut load = on(self.cpu);
        load.args(LOAD).args(["-q", "--timeout", &(seconds + 4).to_string()]);
        let _load = Process::start(&mut load)?;
        std::thread::sleep(Duration::from_secs(1));
        let out = self.file("jobs");
        let mut command = on(self.cpu);
        command.arg(&self.periodic).arg("job").arg(&out).args([&seconds.to_string(), class]);
        done(&mut command)?;
        fs::read_to_string(out).map_err(|e| e.to_string())
    }

    /// The same below a hierarchy; what the program wrote. Constant bandwidth servers are SCHED_DEADLINE's algorithm.
    pub(crate) fn supervised(&self, seconds: u64) -> Result<String, String> {
        let out = self.file("jobs");
        let load: Vec<String> = LOAD.iter().map(|word| format!("{word:?}")).collect();
        let text = format!(
            r#"
schema = 2
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
        let mut command = self.run("audio.toml", &text)?;
        command.arg("--trace").arg(self.trace()).arg("--force");
        let output = command.output().map_err(|e| e.to_string())?;
        if output.status.code() == Some(2) {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        fs::read_to_string(out).map_err(|e| e.to_string())
    }

    /// The trace of the last supervised round.
    pub(crate) fn trace(&self) -> PathBuf {
        self.file("audio.wft")
    }

    /// Keeps the trace of this round; where it is.
    pub(crate) fn keep_trace(&self, round: u64) -> Result<PathBuf, String> {
        let kept = self.file(&format!("audio-{round}.wft"));
        fs::rename(self.trace(), &kept).map_err(|e| e.to_string())?;
        Ok(kept)
    }
}

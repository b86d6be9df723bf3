//! A folder of its own for a test: a scenario, its trace, an application, a recording; and the command, started there.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub(crate) const WINDFALL: &str = env!("CARGO_BIN_EXE_windfall");

pub(crate) const SCENARIO: &str = "\
schema = 2
length = \"100ms\"

[schedulers.edf]
scheduler = \"edf\"
parent    = \"top\"

[threads.a]
parent   = \"edf\"
periodic = \"3ms/10ms\"

[threads.b]
parent   = \"edf\"
sporadic = { gap = \"10ms..90ms\", work = \"1ms..2ms\" }
";

const APPLICATION: &str = "\
schema = 2
length = \"100ms\"

[schedulers.app]
scheduler = \"rate-monotonic\"
parent    = \"top\"

[threads.a]
parent   = \"app\"
periodic = \"3ms/10ms\"
";

pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// An empty folder, then `a.toml`, `a.wft`, `b.toml` and `a.ftrace.gz`.
    pub(crate) fn new(name: &str) -> Scratch {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scratch-{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let folder = Scratch(folder.canonicalize().expect("it is there"));
        folder.write("a.toml", SCENARIO);
        folder.write("b.toml", APPLICATION);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let recording = root.join("scenarios/recorded/desktop.ftrace.gz");
        std::fs::copy(recording, folder.path("a.ftrace.gz")).expect("the recording");
        let output = folder.run(&["simulate", "a.toml", "--trace", "a.wft"]);
        assert!(output.status.success(), "{output:?}");
        folder
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.0.join(file)
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        std::fs::write(self.path(file), text).expect("it can be written");
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        // Tests that a shell starts in the background ignore SIGINT, below `nohup` also SIGHUP, and hand that on.
        let mut command = Command::new("env");
        command.args(["--default-signal=INT,HUP,QUIT", WINDFALL]);
        command.args(arguments).current_dir(&self.0).env_remove("NO_COLOR");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).stdout(Stdio::piped()).output().expect("it starts")
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

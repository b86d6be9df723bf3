//! Three processes vote, over each transport that is built: one lies, one is killed in the middle, started again, and comes back with what the others vote. Nothing of them is left.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

const LAST: u64 = 10_000;
const LIAR: usize = 2;
/// Not one iteration alone: a replica that waits for a processor for long may miss that.
const LIES: (u64, u64) = (1_000, 1_100);
const KILLED: usize = 1;
const KILLED_AT: u64 = 3_000;
/// All of it takes a few seconds; a busy machine is slower.
const LONGEST: Duration = Duration::from_secs(240);

/// The sum of all iterations so far.
const fn right(iteration: u64) -> u64 {
    iteration * (iteration + 1) / 2
}

/// What a process prints, and when its output ends.
type Said = (usize, u32, Option<String>);

/// Processes that end when they are forgotten.
struct Processes {
    children: BTreeMap<usize, Child>,
    pids: Vec<u32>,
    said: (Sender<Said>, Receiver<Said>),
    begun: Instant,
}

impl Processes {
    fn new() -> Processes {
        let (children, pids) = (BTreeMap::new(), Vec::new());
        Processes { children, pids, said: channel(), begun: Instant::now() }
    }

    fn start(&mut self, number: usize, life: u32, args: &[String]) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_replica"));
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the replica starts");
        let (out, sender) = (child.stdout.take().expect("a pipe"), self.said.0.clone());
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                _ = sender.send((number, life, Some(line)));
            }
            _ = sender.send((number, life, None));
        });
        self.pids.push(child.id());
        self.children.insert(number, child);
    }

    /// By SIGKILL; it is waited for.
    fn kill(&mut self, number: usize) {
        let mut child = self.children.remove(&number).expect("it runs");
        child.kill().expect("it runs");
        let status = child.wait().expect("a child");
        assert_eq!(status.code(), None, "ended by a signal");
    }

    fn hears(&self) -> Said {
        let left = LONGEST.saturating_sub(self.begun.elapsed());
        match self.said.1.recv_timeout(left) {
            Ok(said) => said,
            Err(RecvTimeoutError::Timeout) => panic!("not over after {LONGEST:?}"),
            Err(error) => panic!("{error}"),
        }
    }

    /// The exit status of a process whose output has ended.
    fn status(&mut self, number: usize) -> Option<i32> {
        self.children.remove(&number).expect("it ran").wait().expect("a child").code()
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for child in self.children.values_mut() {
            _ = child.kill();
            _ = child.wait();
        }
    }
}

/// What the replicas voted and found, by number and life.
#[derive(Default)]
struct Heard {
    votes: BTreeMap<(usize, u32), Vec<u64>>,
    faults: BTreeMap<(usize, u32), Vec<String>>,
    statuses: BTreeMap<usize, Option<i32>>,
}

impl Heard {
    fn hears(&mut self, number: usize, life: u32, line: &str) -> Option<u64> {
        let words: Vec<&str> = line.split(' ').collect();
        if let ["vote", iteration, value] = words[..] {
            let [iteration, value] = [iteration, value].map(|word| word.parse().expect("a number"));
            assert_eq!(value, right(iteration), "replica {number} in iteration {iteration}");
            let votes = self.votes.entry((number, life)).or_default();
            assert!(votes.last() < Some(&iteration), "votes in order");
            votes.push(iteration);
            return Some(iteration);
        }
        assert_eq!(words[0], "fault", "{line}");
        self.faults.entry((number, life)).or_default().push(words[1..].join(" "));
        None
    }
}

/// Three processes from first to last; `args` of each but its life.
fn run(args: [Vec<String>; 3]) -> (Heard, Vec<u32>) {
    let (mut processes, mut heard, mut life_of_killed) = (Processes::new(), Heard::default(), 1);
    for (number, args) in args.iter().enumerate() {
        processes.start(number, 1, args);
    }
    while heard.statuses.len() < 3 {
        let (number, life, line) = processes.hears();
        let Some(line) = line else {
            if number != KILLED || life == life_of_killed {
                heard.statuses.insert(number, processes.status(number));
            }
            continue;
        };
        let voted = heard.hears(number, life, &line);
        if number == KILLED && life == 1 && life_of_killed == 1 && voted >= Some(KILLED_AT) {
            processes.kill(KILLED);
            life_of_killed = 2;
            processes.start(KILLED, 2, &args[KILLED]);
        }
    }
    let pids = processes.pids.clone();
    (heard, pids)
}

/// The test of all transports: `places` is what replicas are told of each other.
fn law_a_lie_and_a_kill_are_tolerated(transport: &str, places: &str) {
    let run_number = u64::from(std::process::id());
    let args = [0, 1, 2].map(|number: usize| {
        let mut args = vec![transport.to_owned(), number.to_string(), places.to_owned()];
        args.extend(["--run".to_owned(), run_number.to_string()]);
        args.extend(["--iterations".to_owned(), LAST.to_string()]);
        args.extend(["--patience".to_owned(), "20000".to_owned()]);
        if number == LIAR {
            args.extend(["--lie".to_owned(), format!("{}..{}", LIES.0, LIES.1)]);
        }
        args
    });
    let (heard, pids) = run(args);
    for (number, life) in [(0, 1), (KILLED, 2), (LIAR, 1)] {
        let votes = &heard.votes[&(number, life)];
        assert_eq!(votes.last(), Some(&LAST), "replica {number} has all, to the last");
    }
    // It knew nothing, and the others had gone on.
    assert!(heard.votes[&(KILLED, 2)][0] >= KILLED_AT, "it came back by the voted state");
    let named: Vec<_> = heard.faults.values().flatten().collect();
    assert!(named.iter().all(|fault| fault.starts_with("2 ")), "only the liar is named: {named:?}");
    for witness in [(0, 1), (KILLED, 1)] {
        let faults = heard.faults.get(&witness).cloned().unwrap_or_default();
        let lie = |fault: &String| {
            let mut words = fault.split(' ').skip(1);
            let iteration: u64 = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
            (LIES.0..=LIES.1).contains(&iteration) && fault.ends_with("was outvoted")
        };
        assert!(faults.iter().any(lie), "replica {witness:?} names the liar: {faults:?}");
    }
    // The one that came back had noticed nothing in its second life.
    let statuses: Vec<_> = heard.statuses.values().copied().collect();
    assert_eq!(statuses, [Some(1), Some(0), Some(1)]);
    for pid in pids {
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "process {pid} is left");
    }
}

/// Addresses that nobody had a moment ago.
fn addresses() -> Vec<std::net::SocketAddr> {
    let sockets = [(); 3].map(|()| UdpSocket::bind("127.0.0.1:0").expect("a free port"));
    sockets.iter().map(|socket| socket.local_addr().expect("it is bound")).collect()
}

fn list(addresses: &[std::net::SocketAddr]) -> String {
    addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

#[test]
fn law_udp_tolerates_a_lie_and_a_kill() {
    let addresses = addresses();
    law_a_lie_and_a_kill_are_tolerated("udp", &list(&addresses));
    for address in addresses {
        UdpSocket::bind(address).expect("no socket is left");
    }
}

/// Runs one replica, which must fail. What it says.
fn refused(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_replica")).args(args).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn limit_nobody_waits_for_the_dead_for_ever() {
    let begun = Instant::now();
    let said = refused(&["udp", "0", &list(&addresses()), "--patience", "300"]);
    assert!(said.contains("nothing was heard of replicas 1, 2"), "{said}");
    let waited = begun.elapsed();
    assert!(waited >= Duration::from_millis(300), "{waited:?}");
    assert!(waited < Duration::from_secs(30), "{waited:?}");
}

#[test]
fn refuses_places_that_cannot_be() {
    let taken = UdpSocket::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("it is bound");
    let other = addresses()[0];
    for (places, said) in [
        (format!("{address},{other}"), "is in use"),
        (format!("{other}"), "1 replicas cannot vote"),
        (format!("{other},{other}"), "replicas 0 and 1 both have address"),
        (format!("{other},[::1]:7"), "cannot reach each other"),
        (format!("{other},0.0.0.0:7"), "to which nobody can send"),
        (format!("{other},127.0.0.1:0"), "to which nobody can send"),
        ("here,there".to_owned(), "`here` is no address"),
        // Of documentation (RFC 5737): no machine has it.
        (format!("192.0.2.1:7001,{other}"), "an address of this machine is needed"),
    ] {
        let stderr = refused(&["udp", "0", &places]);
        assert!(stderr.contains(said), "{places}: {stderr}");
    }
    assert!(refused(&["udp", "3", &list(&addresses())]).contains("replica 3 is none of the 3"));
    assert!(refused(&["pigeon", "0", "x"]).contains("unknown transport `pigeon`"));
    assert!(refused(&["udp", "0"]).contains("places is missing"));
    let places = list(&addresses());
    assert!(refused(&["udp", "0", &places, "--patience", "0"]).contains("allowed: 64"));
    assert!(refused(&["udp", "0", &places, "--lie", "7"]).contains("FIRST..LAST"));
}

/// Shared memory of replicas.
#[cfg(feature = "iceoryx2")]
mod shared_memory {
    use super::*;
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, PoisonError};
    use windfall_remote::shared_memory::PREFIX;

    /// One test at a time, since each looks for what is left of all.
    static ONE: Mutex<()> = Mutex::new(());

    fn find(folder: &Path, files: &mut Vec<PathBuf>) {
        for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = file.path();
            if path.is_dir() {
                find(&path, files);
            } else if file.file_name().to_string_lossy().starts_with(PREFIX) {
                files.push(path);
            }
        }
    }

    /// Files of replicas in shared memory, and beside it.
    fn left() -> Vec<PathBuf> {
        let mut files = Vec::new();
        for folder in ["/dev/shm", "/tmp/iceoryx2"] {
            find(Path::new(folder), &mut files);
        }
        files
    }

    fn clean() -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_replica"));
        let output = command.arg("clean").output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    #[test]
    fn law_iceoryx2_tolerates_a_lie_and_a_kill() {
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        clean();
        law_a_lie_and_a_kill_are_tolerated("iceoryx2", "3");
        let files = left();
        // The counter of nodes, and nothing of the one that was killed.
        let is_counter = |file: &PathBuf| file.to_string_lossy().ends_with(".global_mgmt");
        assert!(files.len() == 1 && files.iter().all(is_counter), "{files:?}");
        assert!(clean().contains("what 0 killed replicas"));
        assert_eq!(left(), [] as [PathBuf; 0]);
    }

    #[test]
    fn law_what_killed_replicas_left_is_removed() {
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        clean();
        let mut processes = Processes::new();
        let run = std::process::id().to_string();
        for number in 0..2 {
            let own = number.to_string();
            let args = ["iceoryx2", &own, "2", "--run", &run, "--iterations", "1000000000"];
            processes.start(number, 1, &args.map(str::to_owned));
        }
        // Both are in the middle of it once one has voted.
        while processes.hears().2.is_none() {}
        processes.kill(0);
        processes.kill(1);
        let before = left();
        assert!(before.len() > 10, "killed replicas leave files: {before:?}");
        assert!(clean().contains("what 2 killed replicas"));
        assert_eq!(left(), [] as [PathBuf; 0]);
    }

    #[test]
    fn refuses_replicas_that_cannot_be() {
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(refused(&["iceoryx2", "3", "3"]).contains("replica 3 is none of the 3"));
        assert!(refused(&["iceoryx2", "0", "1"]).contains("1 replicas cannot vote"));
        assert!(refused(&["iceoryx2", "0", "many"]).contains("`many` is no number"));
    }
}

//! Three processes vote: one lies, one is killed in the middle, started again, and comes back with what the others vote. The body of the tests over each transport.

#![allow(dead_code, reason = "each test uses its part")]

pub(crate) mod machines;
pub(crate) mod over_machines;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// What happens in a run, and when.
pub(crate) struct Plan {
    /// The last iteration.
    pub(crate) last: u64,
    /// Not a few iterations alone: a replica that waits for a processor may miss hundreds, and nobody asks for a value that no vote needs.
    pub(crate) lies: (u64, u64),
    pub(crate) killed_at: u64,
    /// How long a vote is waited for, in milliseconds.
    pub(crate) patience: u64,
    /// What is voted.
    pub(crate) value: &'static str,
}

/// On one machine.
pub(crate) const LOCAL: Plan =
    Plan { last: 10_000, lies: (1_000, 2_900), killed_at: 3_000, patience: 20_000, value: "word" };

const LIAR: usize = 2;
const KILLED: usize = 1;
/// All of it takes a few seconds; a busy machine is slower.
const LONGEST: Duration = Duration::from_secs(240);

/// The sum of all iterations so far.
const fn right(iteration: u64) -> u64 {
    iteration * (iteration + 1) / 2
}

/// What a process prints, and when its output ends.
pub(crate) type Said = (usize, u32, Option<String>);

/// Processes that end when they are forgotten.
pub(crate) struct Processes {
    children: BTreeMap<usize, Child>,
    pids: Vec<u32>,
    /// Not more than a pipe's room (64 KiB, less than 4,000 votes) is said that is not heard: so none is at the end when another is killed 5,000 iterations before it.
    said: (SyncSender<Said>, Receiver<Said>),
    begun: Instant,
}

impl Processes {
    pub(crate) fn new() -> Processes {
        let (children, pids) = (BTreeMap::new(), Vec::new());
        Processes { children, pids, said: sync_channel(64), begun: Instant::now() }
    }

    pub(crate) fn start(&mut self, number: usize, life: u32, mut command: Command) {
        command.stdin(Stdio::null()).stdout(Stdio::piped());
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
    pub(crate) fn kill(&mut self, number: usize) {
        let mut child = self.children.remove(&number).expect("it runs");
        child.kill().expect("it runs");
        let status = child.wait().expect("a child");
        assert_eq!(status.code(), None, "ended by a signal");
    }

    pub(crate) fn pid(&self, number: usize) -> u32 {
        self.children[&number].id()
    }

    pub(crate) fn hears(&self) -> Said {
        let left = LONGEST.saturating_sub(self.begun.elapsed());
        match self.said.1.recv_timeout(left) {
            Ok(said) => said,
            Err(RecvTimeoutError::Timeout) => panic!("not over after {LONGEST:?}"),
            Err(error) => panic!("{error}"),
        }
    }

    /// The exit status of a process whose output has ended.
    pub(crate) fn status(&mut self, number: usize) -> Option<i32> {
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
pub(crate) struct Heard {
    pub(crate) votes: BTreeMap<(usize, u32), Vec<u64>>,
    pub(crate) faults: BTreeMap<(usize, u32), Vec<String>>,
    /// What there was no vote in, and why.
    pub(crate) none: BTreeMap<(usize, u32), Vec<String>>,
    pub(crate) statuses: BTreeMap<usize, Option<i32>>,
}

impl Heard {
    pub(crate) fn hears(&mut self, number: usize, life: u32, line: &str) -> Option<u64> {
        let words: Vec<&str> = line.split(' ').collect();
        if let ["vote", iteration, value] = words[..] {
            let [iteration, value] = [iteration, value].map(|word| word.parse().expect("a number"));
            assert_eq!(value, right(iteration), "replica {number} in iteration {iteration}");
            let votes = self.votes.entry((number, life)).or_default();
            assert!(votes.last() < Some(&iteration), "votes in order");
            votes.push(iteration);
            return Some(iteration);
        }
        let map = match words[0] {
            "fault" => &mut self.faults,
            "none" => &mut self.none,
            _ => panic!("{line}"),
        };
        map.entry((number, life)).or_default().push(words[1..].join(" "));
        None
    }
}

/// Three processes from first to last.
fn run(plan: &Plan, command: impl Fn(usize) -> Command) -> (Heard, Vec<u32>) {
    let (mut processes, mut heard, mut life_of_killed) = (Processes::new(), Heard::default(), 1);
    for number in 0..3 {
        processes.start(number, 1, command(number));
    }
    while heard.statuses.len() < 3 {
        let (number, life, line) = processes.hears();
        let Some(line) = line else {
            if number != KILLED || life == life_of_killed {
                heard.statuses.insert(number, processes.status(number));
            }
            continue;
        };
        heard.hears(number, life, &line);
        // All three: what two have voted of which one is killed, and one has never heard, is lost.
        let has_reached = |number| heard.votes.get(&(number, 1)).and_then(|votes| votes.last());
        let all_have = (0..3).all(|number| has_reached(number) >= Some(&plan.killed_at));
        if life_of_killed == 1 && all_have {
            processes.kill(KILLED);
            life_of_killed = 2;
            processes.start(KILLED, 2, command(KILLED));
        }
    }
    let pids = processes.pids.clone();
    (heard, pids)
}

/// What a replica is told.
pub(crate) fn arguments(plan: &Plan, number: usize, transport: &str, places: &str) -> Vec<String> {
    let run_number = u64::from(std::process::id());
    let mut args = vec![transport.to_owned(), number.to_string(), places.to_owned()];
    for (option, value) in
        [("--run", run_number), ("--iterations", plan.last), ("--patience", plan.patience)]
    {
        args.extend([option.to_owned(), value.to_string()]);
    }
    args.extend(["--value".to_owned(), plan.value.to_owned()]);
    args
}

/// The test of all transports: `command` is what runs the program of a replica on its machine, and `places` what replicas are told of each other.
pub(crate) fn law_a_lie_and_a_kill_are_tolerated(
    plan: &Plan,
    command: impl Fn(usize) -> Command,
    transport: &str,
    places: &str,
) {
    let command = |number: usize| {
        let mut command = command(number);
        command.args(arguments(plan, number, transport, places));
        if number == LIAR {
            command.args(["--lie".to_owned(), format!("{}..{}", plan.lies.0, plan.lies.1)]);
        }
        command
    };
    let (heard, pids) = run(plan, command);
    for (number, life) in [(0, 1), (KILLED, 2), (LIAR, 1)] {
        let votes = &heard.votes[&(number, life)];
        assert_eq!(votes.last(), Some(&plan.last), "replica {number} has all, to the last");
    }
    // It knew nothing, and the others had gone on.
    assert!(heard.votes[&(KILLED, 2)][0] >= plan.killed_at, "it came back by the voted state");
    let named = heard.faults.values().flatten().filter(|fault| !fault.starts_with("2 "));
    assert_eq!(named.collect::<Vec<_>>(), [] as [&String; 0], "only the liar is named");
    for witness in [(0, 1), (KILLED, 1)] {
        let faults = heard.faults.get(&witness).cloned().unwrap_or_default();
        let lie = |fault: &String| {
            let mut words = fault.split(' ').skip(1);
            let iteration: u64 = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
            (plan.lies.0..=plan.lies.1).contains(&iteration) && fault.ends_with("was outvoted")
        };
        assert!(faults.iter().any(lie), "replica {witness:?} names the liar");
    }
    // The one that came back had noticed nothing in its second life.
    let statuses: Vec<_> = heard.statuses.values().copied().collect();
    assert_eq!(statuses, [Some(1), Some(0), Some(1)]);
    for pid in pids {
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "process {pid} is left");
    }
}

/// Addresses that nobody had a moment ago.
pub(crate) fn addresses() -> Vec<SocketAddr> {
    let sockets = [(); 3].map(|()| UdpSocket::bind("127.0.0.1:0").expect("a free port"));
    sockets.iter().map(|socket| socket.local_addr().expect("it is bound")).collect()
}

/// Runs one replica, which must fail. What it says.
pub(crate) fn refused(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).expect("text")
}

//! A replica is killed a thousand times, as a process, and stopped once: the others go on voting right values, it comes back each time, and nobody is named.

mod common;

use common::{Heard, Plan, Processes, addresses, arguments};
use std::process::Command;

const REPLICA: &str = env!("CARGO_BIN_EXE_replica");
const KILLED: usize = 1;
const KILLS: u32 = 1_000;
/// Far beyond what the kills take; the test ends what is left.
const WITHOUT_END: Plan =
    Plan { last: 1_000_000_000, lies: (1, 0), killed_at: 0, patience: 20_000, value: "word" };

/// Three replicas, and what was heard of them.
struct Run {
    places: String,
    processes: Processes,
    heard: Heard,
    /// Which life of the one that is killed runs.
    life: u32,
}

impl Run {
    fn begin() -> Run {
        let places: Vec<String> = addresses().iter().map(ToString::to_string).collect();
        let (processes, heard) = (Processes::new(), Heard::default());
        let mut run = Run { places: places.join(","), processes, heard, life: 1 };
        (0..3).for_each(|number| run.start(number));
        run
    }

    fn start(&mut self, number: usize) {
        let life = if number == KILLED { self.life } else { 1 };
        let mut command = Command::new(REPLICA);
        command.args(arguments(&WITHOUT_END, number, "udp", &self.places));
        self.processes.start(number, life, command);
    }

    /// The last vote of a replica in the life that runs; 0 before the first.
    fn reached(&self, number: usize) -> u64 {
        let life = if number == KILLED { self.life } else { 1 };
        let votes = self.heard.votes.get(&(number, life));
        votes.and_then(|votes| votes.last()).copied().unwrap_or(0)
    }

    /// Hears until then; each vote that it hears is right, or the test fails.
    fn until(&mut self, is_so: impl Fn(&Run) -> bool) {
        while !is_so(self) {
            match self.processes.hears() {
                (number, life, Some(line)) => _ = self.heard.hears(number, life, &line),
                // The output of a life that was killed.
                (number, life, None) => assert!(number == KILLED && life < self.life, "{number}"),
            }
        }
    }

    /// Sends a signal to the replica, in the life that runs.
    fn signals(&self, signal: &str) {
        let pid = self.processes.pid(KILLED).to_string();
        let done = Command::new("sh").args(["-c", "kill -s \"$0\" \"$1\"", signal, &pid]).status();
        assert!(done.expect("there is a shell").success(), "{signal}");
    }
}

#[test]
fn law_one_that_is_killed_a_thousand_times_and_stopped_once_comes_back() {
    let mut run = Run::begin();
    run.until(|run| (0..3).all(|number| run.reached(number) > 0));
    for _ in 0..KILLS {
        let reached = run.reached(0).max(run.reached(2));
        run.processes.kill(KILLED);
        run.life += 1;
        run.start(KILLED);
        // It begins where the others are, and has a vote of its own.
        run.until(|run| run.reached(KILLED) > reached);
    }
    run.signals("STOP");
    let reached = run.reached(0);
    // Of what it has said before, less than 4,000 votes are not heard yet (the room of a pipe).
    let further = reached + 20_000;
    run.until(|run| run.reached(0) > further && run.reached(2) > further);
    let (gone_on, alone) = (run.reached(0), run.reached(KILLED));
    assert!(alone < reached + 10_000, "it stood still at {alone}, and not at {gone_on}");
    run.signals("CONT");
    run.until(|run| run.reached(KILLED) > gone_on);
    assert_eq!(run.heard.votes.len(), 3 + usize::try_from(KILLS).expect("few"));
    assert!(run.heard.faults.is_empty(), "{:?}", run.heard.faults);
    assert!(run.heard.none.is_empty(), "{:?}", run.heard.none);
}

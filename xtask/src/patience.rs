//! A test that hangs ends the chore, and says where it hangs: nobody waits for hours for what will not come.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// So long may no line come from tests that are built; the longest of them takes a third of it on 2 cores.
const PATIENCE: Duration = Duration::from_mins(15);
/// So long may it take to look at what hangs and to end it. The kernel may keep waiting whoever asks about a thread that hangs.
const LOOK: Duration = Duration::from_secs(20);

/// Ends this process unless [`line`](Patience::line) is called now and then, until it is dropped.
pub(crate) struct Patience(Sender<()>);

impl Patience {
    /// With a process that is killed together with all that it has made.
    pub(crate) fn with(child: u32) -> Patience {
        let (lines, watched) = channel::<()>();
        std::thread::spawn(move || {
            loop {
                match watched.recv_timeout(PATIENCE) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => end(child),
                }
            }
        });
        Patience(lines)
    }

    /// A line has come.
    pub(crate) fn line(&self) {
        let _ = self.0.send(()); // the other end lives as long as this
    }
}

fn end(child: u32) -> ! {
    eprintln!("xtask: no line for {} s: a test hangs. What was made for it:", PATIENCE.as_secs());
    let (done, looked) = channel();
    std::thread::spawn(move || {
        let all = descendants(child);
        for pid in &all {
            tell(*pid);
        }
        let _ = done.send(kill(&all));
    });
    if looked.recv_timeout(LOOK) != Ok(true) {
        eprintln!("xtask: not all of it could be looked at and killed");
    }
    std::process::exit(1)
}

/// Whether all could be killed. The shell knows how, where there is no such command.
fn kill(all: &BTreeSet<u32>) -> bool {
    let numbers = all.iter().map(u32::to_string);
    let killed = Command::new("sh").args(["-c", "kill -9 \"$@\"", "kill"]).args(numbers).status();
    killed.is_ok_and(|status| status.success())
}

/// A process and all that it has made, as far as their makers live.
fn descendants(root: u32) -> BTreeSet<u32> {
    let mut all = BTreeSet::from([root]);
    loop {
        let before = all.len();
        for pid in numbers("/proc") {
            if maker(pid).is_some_and(|maker| all.contains(&maker)) {
                all.insert(pid);
            }
        }
        if all.len() == before {
            return all;
        }
    }
}

fn maker(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

/// What each thread of a process does: its name, state, class, and, as root, where in the kernel it is.
fn tell(pid: u32) {
    for tid in numbers(&format!("/proc/{pid}/task")) {
        let of = |file: &str| fs::read_to_string(format!("/proc/{pid}/task/{tid}/{file}"));
        let status = of("status").unwrap_or_default();
        let word = |key: &str| {
            let found = status.lines().find_map(|line| line.strip_prefix(key));
            found.unwrap_or("?").trim().to_owned()
        };
        let (name, state, where_) = (word("Name:"), word("State:"), word("Cpus_allowed_list:"));
        eprintln!("  {pid}/{tid} {name}: {state}, processors {where_}");
        for line in of("stack").unwrap_or_default().lines().take(8) {
            eprintln!("      {line}");
        }
    }
}

fn numbers(folder: &str) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_what_a_process_has_made_is_found() {
        let mut shell =
            Command::new("sh").args(["-c", "sleep 77; :"]).spawn().expect("there is a shell");
        let find = || {
            (0..200).find_map(|_| {
                std::thread::sleep(Duration::from_millis(10));
                let all = descendants(shell.id());
                (all.len() == 2).then_some(all)
            })
        };
        let found = find();
        let killed = kill(found.as_ref().unwrap_or(&BTreeSet::from([shell.id()])));
        let _ = shell.wait();
        assert!(found.is_some_and(|all| all.contains(&shell.id())));
        assert!(killed);
    }
}

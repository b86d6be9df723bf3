//! Three processes vote over each transport that is built. Nothing of them is left.

mod common;

use common::{LOCAL, Plan, Processes, addresses, law_a_lie_and_a_kill_are_tolerated};
use std::net::{SocketAddr, UdpSocket};
use std::process::Command;
use std::time::{Duration, Instant};

const REPLICA: &str = env!("CARGO_BIN_EXE_replica");

fn list(addresses: &[SocketAddr]) -> String {
    addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn refused(args: &[&str]) -> String {
    common::refused(REPLICA, args)
}

#[test]
fn law_udp_tolerates_a_lie_and_a_kill() {
    let addresses = addresses();
    law_a_lie_and_a_kill_are_tolerated(&LOCAL, |_| Command::new(REPLICA), "udp", &list(&addresses));
    for address in addresses {
        UdpSocket::bind(address).expect("no socket is left");
    }
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

#[test]
fn law_records_and_states_tolerate_a_lie_and_a_kill() {
    for value in ["4-words", "100-words", "5000"] {
        let plan = Plan { last: 30_000, lies: (500, 900), killed_at: 1_000, value, ..LOCAL };
        let places = list(&addresses());
        law_a_lie_and_a_kill_are_tolerated(&plan, |_| Command::new(REPLICA), "udp", &places);
    }
}

#[test]
fn refuses_replicas_with_values_of_another_size() {
    let places = list(&addresses());
    let args = |number: &str, value: &str| {
        let args = ["udp", number, &places, "--patience", "2000", "--value", value];
        args.map(str::to_owned)
    };
    let mut others = Processes::new();
    for number in [1, 2] {
        let mut command = Command::new(REPLICA);
        command.args(args(&number.to_string(), "4-words"));
        others.start(number, 1, command);
    }
    let own = args("0", "100-words");
    let said = refused(&own.each_ref().map(String::as_str));
    assert!(said.contains("the values of replicas 1, 2 have another size"), "{said}");
    assert!(!said.contains("nothing was heard"), "{said}");
    // Those that agree go on, and name it.
    let of_the_other = loop {
        if let (_, _, Some(line)) = others.hears()
            && line.starts_with("fault")
        {
            break line;
        }
    };
    assert!(of_the_other.ends_with("sends values of 100 words, allowed: 4"), "{of_the_other}");
}

/// Shared memory of replicas.
#[cfg(feature = "iceoryx2")]
mod shared_memory {
    use super::*;
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, PoisonError};
    use windfall_ports::transport::Transport;
    use windfall_remote::shared_memory::{SharedMemory, config};

    /// One test at a time, since each looks for what is left of all.
    static ONE: Mutex<()> = Mutex::new(());

    fn find(folder: &Path, prefix: &str, files: &mut Vec<PathBuf>) {
        for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = file.path();
            if path.is_dir() {
                find(&path, prefix, files);
            } else if file.file_name().to_string_lossy().starts_with(prefix) {
                files.push(path);
            }
        }
    }

    /// Files of replicas in shared memory, and beside it.
    fn left() -> Vec<PathBuf> {
        let mut files = Vec::new();
        let config = config().expect("it is known who runs this");
        let prefix = config.global.prefix.to_string();
        for folder in ["/dev/shm", &config.global.root_path().to_string()] {
            find(Path::new(folder), &prefix, &mut files);
        }
        files
    }

    fn clean() -> String {
        let mut command = Command::new(REPLICA);
        let output = command.arg("clean").output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    #[test]
    fn law_iceoryx2_tolerates_a_lie_and_a_kill() {
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        clean();
        law_a_lie_and_a_kill_are_tolerated(&LOCAL, |_| Command::new(REPLICA), "iceoryx2", "3");
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
            let mut command = Command::new(REPLICA);
            command.args(args);
            processes.start(number, 1, command);
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
    fn law_runs_of_one_replica_come_in_order_and_leave_the_others() {
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let run = u64::from(std::process::id());
        let open = |own| SharedMemory::open(own, 3, run).expect("shared memory");
        let (mut zero, mut one, mut two) = (open(0), open(1), open(2));
        let now = windfall_time::Instant::ZERO;
        for word in 0..10 {
            assert!(one.send(now, 0, [word; 8]) && two.send(now, 0, [100 + word; 8]));
        }
        let first: Vec<u64> = zero.receive_all(1).take(4).map(|record| record[7]).collect();
        assert_eq!(first, [0, 1, 2, 3]);
        let rest: Vec<u64> = zero.receive_all(1).map(|record| record[0]).collect();
        assert_eq!(rest, [4, 5, 6, 7, 8, 9]);
        assert_eq!(zero.receive(now), Some((2, [100; 8])));
        assert_eq!(zero.receive_all(2).count(), 9);
        for nobody in [0, 3] {
            assert_eq!(zero.receive_all(nobody).count(), 0, "{nobody}");
        }
        drop((zero, one, two));
        clean();
    }

    #[test]
    fn refuses_replicas_that_cannot_be() {
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(refused(&["iceoryx2", "3", "3"]).contains("replica 3 is none of the 3"));
        assert!(refused(&["iceoryx2", "0", "1"]).contains("1 replicas cannot vote"));
        assert!(refused(&["iceoryx2", "0", "many"]).contains("`many` is no number"));
    }
}

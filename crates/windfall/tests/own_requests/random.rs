//! Random requests to a run: one client whose answers are believed, beside others that are killed at any moment, that do
//! not read, and that send without a pause. In every case the tree is the result of the accepted requests.

use super::{MACHINE, Run, WINDFALL};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How long each of the two parts lasts.
const LENGTH: Duration = Duration::from_secs(3);

/// Random numbers of a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Sends a request and reads the answer.
fn exchange(socket: &Path, request: &Value) -> Value {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(format!("{request}\n").as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap_or_else(|why| panic!("{request}: {why}: {line}"))
}

/// A supervised thread, and the scheduler that the accepted requests put it below.
struct Member {
    name: String,
    tid: i64,
    parent: &'static str,
}

/// A random request about two members, and what it changes if it is accepted.
fn draw(
    random: &mut Random,
    members: &[Member],
) -> (&'static str, Value, Vec<(usize, &'static str)>) {
    let at = usize::try_from(random.below(2)).unwrap();
    let (name, tid) = (members[at].name.as_str(), members[at].tid);
    let amount = format!("{}ms/10ms", 1 + random.below(9));
    let guarantee = format!("RESBH {}ms 10ms", 1 + random.below(9));
    let place = ["ts", "root", "nowhere"][usize::try_from(random.below(3)).unwrap()];
    match random.below(9) {
        0 => (
            "own reserve",
            json!({"do": "reserve", "own": tid, "reserve": amount, "to": "res"}),
            vec![(at, "res")],
        ),
        1 => (
            "own guarantee",
            json!({"do": "guarantee", "own": tid, "guarantee": guarantee, "to": "res"}),
            vec![(at, "res")],
        ),
        2 => (
            "own unreserve",
            json!({"do": "unreserve", "own": tid}),
            if members[at].parent == "res" { vec![(at, "ts")] } else { vec![] },
        ),
        3 => ("own share", json!({"do": "share", "own": tid, "share": random.below(4)}), vec![]),
        4 => (
            "own priority",
            json!({"do": "priority", "own": tid, "priority": random.below(20)}),
            vec![],
        ),
        5 => ("own move", json!({"do": "move", "own": tid, "to": place}), vec![(at, "ts")]),
        6 => (
            "move",
            json!({"do": "move", "thread": name, "to": "res", "reserve": amount}),
            vec![(at, "res")],
        ),
        7 => {
            let part = |member: &Member, amount: &str| json!({"do": "move", "thread": member.name, "to": "res", "reserve": amount});
            let second = format!("{}ms/10ms", 1 + random.below(9));
            let parts = [part(&members[0], &amount), part(&members[1], &second)];
            (
                "transaction",
                json!({"do": "transaction", "requests": parts}),
                vec![(0, "res"), (1, "res")],
            )
        }
        _ => (
            "query",
            json!({"do": "move", "thread": name, "to": "res", "reserve": amount, "query": true}),
            vec![],
        ),
    }
}

/// Clients that are killed: connections that are closed within a request, or before its answer, and processes that get SIGKILL.
fn killed(socket: &Path, victim: &Member, over: &AtomicBool, killed: &AtomicU32) {
    let mut random = Random(7);
    let mut deaf = Vec::new();
    let until = Instant::now() + 2 * LENGTH; // should the other client panic
    while !over.load(Ordering::Relaxed) && Instant::now() < until {
        let request = match random.below(3) {
            0 => {
                json!({"windfall": 2, "do": "reserve", "own": victim.tid, "reserve": "1ms/10ms", "to": "res"})
            }
            1 => json!({"windfall": 2, "do": "unreserve", "own": victim.tid}),
            _ => json!({"windfall": 2, "do": "transaction", "requests": [
                {"do": "create", "name": "new", "with": {"scheduler": "round-robin", "parent": "ts"}},
                {"do": "move", "thread": victim.name, "to": "new"},
                {"do": "destroy", "scheduler": "new"},
            ]}),
        };
        let line = format!("{request}\n");
        if let Ok(mut stream) = UnixStream::connect(socket) {
            let length = usize::try_from(random.below(line.len() as u64 + 1)).unwrap();
            let length = if random.below(2) == 0 { line.len() } else { length };
            let _ = stream.write_all(&line.as_bytes()[..length]);
            killed.fetch_add(1, Ordering::Relaxed);
        }
        if deaf.len() < 4
            && let Ok(mut stream) = UnixStream::connect(socket)
        {
            let _ =
                writeln!(stream, "{}", json!({"windfall": 2, "do": "notices", "own": victim.tid}));
            deaf.push(stream);
        }
        if random.below(4) == 0 {
            let words = ["reserve", &victim.name, "RESBH 1ms 10ms", "--at", "res"];
            let mut command = Command::new(WINDFALL);
            let command = command.args(["ctl", "--socket"]).arg(socket).args(words);
            let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
            if let Ok(mut child) = child {
                std::thread::sleep(Duration::from_micros(random.below(12_000)));
                let _ = child.kill();
                let _ = child.wait();
                killed.fetch_add(1, Ordering::Relaxed);
            }
        }
        std::thread::sleep(Duration::from_millis(random.below(8)));
    }
}

/// Sends without waiting for answers, 200 requests at once, most of them no requests at all, and counts what was sent and how much of it was refused as too often.
fn flood(socket: &Path, member: &Member, over: &AtomicBool) -> (u32, u32) {
    let request = json!({"windfall": 2, "do": "share", "own": member.tid, "share": 2});
    let line = format!("{request}\n");
    let (mut sent, mut refused) = (0, 0);
    let until = Instant::now() + 2 * LENGTH; // should the other client panic
    while !over.load(Ordering::Relaxed) && Instant::now() < until {
        let requested = (0..200).filter_map(|number| {
            let mut stream = UnixStream::connect(socket).ok()?;
            stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
            let line = if number % 20 == 0 { line.as_str() } else { "{\"do\":\n" };
            stream.write_all(line.as_bytes()).ok().map(|()| stream)
        });
        for stream in requested.collect::<Vec<_>>() {
            sent += 1;
            let mut answer = String::new();
            let read = BufReader::new(stream).read_line(&mut answer);
            refused += u32::from(read.is_ok() && answer.contains("requests a second"));
        }
    }
    (sent, refused)
}

/// Makes random requests; after each the members stand where the accepted ones put them. Counts by kind: accepted, refused.
fn believed(
    run: &Run,
    members: &mut [Member],
    random: &mut Random,
    counts: &mut [(&'static str, [u32; 2])],
) {
    let until = Instant::now() + LENGTH;
    while Instant::now() < until {
        let (kind, mut request, then) = draw(random, members);
        request["windfall"] = json!(2);
        let answer = exchange(&run.socket(), &request);
        if answer.to_string().contains("requests a second") {
            std::thread::sleep(Duration::from_millis(2));
            continue;
        }
        let accepted = answer["ok"] == true;
        if accepted {
            then.iter().for_each(|(at, parent)| members[*at].parent = parent);
        }
        let counted = counts.iter_mut().find(|(known, _)| *known == kind).unwrap();
        counted.1[usize::from(!accepted)] += 1;
        if random.below(8) == 0 {
            stands(run, members, &request);
        }
    }
    stands(run, members, &Value::Null);
}

/// The listing is what the accepted requests make of the tree.
fn stands(run: &Run, members: &[Member], last: &Value) {
    let threads = run.threads();
    for member in members {
        let listed = threads.iter().find(|thread| thread["name"] == member.name.as_str()).unwrap();
        assert_eq!(listed["parent"], member.parent, "after {last}: {listed:#}");
        let promised = listed["promises"].as_array().unwrap();
        assert!(promised.is_empty() || member.parent == "res", "after {last}: {listed:#}");
    }
}

#[test]
fn law_whatever_clients_do_the_tree_is_what_accepted_requests_make_of_it() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let threads = |_: &Path| {
        let sleeper = |name| format!("[threads.{name}]\nexec = [\"sleep\", \"60\"]\n");
        ["one", "two", "victim", "busy"].map(sleeper).concat() + "[threads.spin]\nrun = \"spin\"\n"
    };
    let Some(run) = Run::of("own-random", threads) else { return };
    let member = |name: &str| {
        let thread = run.when(name, |thread| thread["tid"].as_i64().is_some_and(|tid| tid > 0));
        let name = thread["name"].as_str().unwrap().to_owned();
        Member { name, tid: thread["tid"].as_i64().unwrap(), parent: "ts" }
    };
    let mut members = ["one", "two"].map(member);
    let [victim, busy] = ["victim", "busy"].map(member);
    let kinds = [
        "own reserve",
        "own guarantee",
        "own unreserve",
        "own share",
        "own priority",
        "own move",
        "move",
        "transaction",
        "query",
    ];
    let mut counts = kinds.map(|kind| (kind, [0; 2]));
    let (over, gone) = (AtomicBool::new(false), AtomicU32::new(0));
    let socket: PathBuf = run.socket();
    let mut random = Random(1);
    // First beside clients that are killed, then beside one that floods.
    std::thread::scope(|scope| {
        scope.spawn(|| killed(&socket, &victim, &over, &gone));
        believed(&run, &mut members, &mut random, &mut counts);
        over.store(true, Ordering::Relaxed);
    });
    over.store(false, Ordering::Relaxed);
    let (sent, often) = std::thread::scope(|scope| {
        let flood = scope.spawn(|| flood(&socket, &busy, &over));
        believed(&run, &mut members, &mut random, &mut counts);
        over.store(true, Ordering::Relaxed);
        flood.join().unwrap()
    });
    let gone = gone.into_inner();
    println!("{counts:?}; {gone} killed; {sent} in a flood, {often} refused as too often");
    for (kind, [accepted, refused]) in counts {
        assert!(accepted > 0 && refused > 0, "{kind}: {accepted} accepted, {refused} refused");
    }
    assert!(gone > 50 && often > 100 && often < sent, "{gone}, {often} of {sent}");
    // Of the victim nobody knows what was carried out, but none of it half.
    let left = run.when("victim", |_| true);
    let promises = left["promises"].as_array().unwrap();
    assert!(left["parent"] == "res" || left["parent"] == "ts" && promises.is_empty(), "{left:#}");
    let list: Value = serde_json::from_str(&run.ctl(&["list", "--json"]).unwrap()).unwrap();
    let names = list["nodes"].as_array().unwrap().iter().map(|node| node["name"].as_str().unwrap());
    assert!(names.clone().all(|name| ["root", "res", "ts"].contains(&name)), "{list:#}");
    let outcome = run.stop();
    assert_eq!(outcome["failure"], Value::Null);
    assert_eq!(outcome["quarantined"], json!([]));
}

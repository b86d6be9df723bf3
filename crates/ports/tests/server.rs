//! The example server: what the guide shows of it, a crowd of requests, and its last line.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "../examples/server.rs"]
#[expect(dead_code, reason = "its `main` is another program's")]
mod server;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;
use tokio::net::TcpListener;

const GUIDE: &str = include_str!("../../../docs/guide/src/deadlines.md");
/// Where the guide's server listens.
const PORT: &str = "127.0.0.1:8080";

/// A response, or nothing if the client leaves first.
fn get(server: SocketAddr, path: &str, headers: &str, leaves: Option<Duration>) -> String {
    let mut stream = TcpStream::connect(server).unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: {server}\r\n{headers}connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    match leaves {
        Some(after) => std::thread::sleep(after),
        None => drop(stream.read_to_string(&mut response).unwrap()),
    }
    response.replace("\r\n", "\n")
}

fn status(response: &str) -> &str {
    response.split(' ').nth(1).unwrap_or_default()
}

/// The text between single quotes, or the word.
fn words(command: &str) -> Vec<&str> {
    let quoted = command.split('\'').enumerate();
    let each = quoted.flat_map(|(n, part)| match n % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    each.collect()
}

/// What a `curl` of the guide prints: with `-i` the head, too.
fn curl(server: SocketAddr, command: &str) -> String {
    let words = words(command);
    let header = words.iter().position(|word| *word == "-H").map(|at| words[at + 1]);
    let headers = header.map(|header| format!("{header}\r\n")).unwrap_or_default();
    let url = words.last().unwrap().trim_start_matches("http://");
    let response = get(server, url.strip_prefix(PORT).unwrap(), &headers, None);
    match response.split_once("\n\n") {
        Some((_, body)) if !words[1].contains('i') => body.to_owned(),
        _ => response,
    }
}

/// Each line is there, in order; `...` stands for the rest of a line, or for lines.
fn follows(expected: &str, printed: &str) {
    let mut lines = printed.lines();
    for line in expected.lines().filter(|line| *line != "...") {
        let fits = |other: &str| match line.strip_suffix("...") {
            Some(begin) => other.starts_with(begin),
            None => other == line,
        };
        assert!(lines.by_ref().any(fits), "no line\n{line}\nin its place in\n{printed}");
    }
}

fn shown_in_the_guide(server: SocketAddr) -> usize {
    let (_, block) = GUIDE.split_once("--example server -- ").unwrap();
    let (block, _) = block.split_once("\n```").unwrap();
    assert!(block.starts_with(PORT));
    let (_, commands) = block.split_once("\n$ ").unwrap();
    let commands = commands.split("\n$ ").filter(|part| part.starts_with("curl "));
    let each = commands.map(|part| {
        let (command, expected) = part.split_once('\n').unwrap();
        follows(expected, &curl(server, command));
    });
    each.count()
}

fn terminate() {
    let own = std::process::id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &own]).status().unwrap().success());
}

/// Requests at once: each is served or refused with the earliest time.
fn crowd(server: SocketAddr) -> (usize, usize) {
    let all: Vec<String> = std::thread::scope(|scope| {
        let each = || get(server, "/work?ms=9", "grpc-timeout: 900m\r\n", None);
        let clients: Vec<_> = (0..30).map(|_| scope.spawn(each)).collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    let served = all.iter().filter(|response| status(response) == "200").count();
    let stopped = all.iter().filter(|response| response.contains("windfall-ended: exceeded"));
    for response in all.iter().filter(|response| response.contains("windfall-refused")) {
        assert_eq!(status(response), "503");
        assert!(response.contains("windfall-earliest: ") && response.contains("retry-after: "));
        assert!(response.contains("; the earliest that fits is in "), "{response}");
    }
    let refused = all.iter().filter(|response| response.contains("windfall-refused")).count();
    let stopped = stopped.count();
    assert_eq!(served + stopped + refused, 30, "{all:#?}");
    (served + stopped, refused)
}

#[test]
fn accepts_what_the_guide_shows_and_ends_with_its_counts() {
    let (sender, listening) = std::sync::mpsc::channel();
    let server = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            sender.send(listener.local_addr().unwrap()).unwrap();
            server::serve(listener).await.map_err(|why| why.to_string())
        })
    });
    let at = listening.recv().unwrap();
    assert!(shown_in_the_guide(at) >= 3);
    let (admitted, refused) = crowd(at);
    // A client that leaves is no refusal.
    let mut left = 0;
    let given_up = || {
        let counts = get(at, "/counts", "", None);
        let (before, _) = counts.split_once(" given up").unwrap();
        before.rsplit(' ').next().unwrap().parse::<u32>().unwrap()
    };
    while given_up() == 0 {
        get(at, "/work?ms=19", "grpc-timeout: 9S\r\n", Some(Duration::from_millis(1)));
        left += 1;
        assert!(left < 200);
    }
    // A request that is under way has its answer before the server ends. Those of clients that left are not it.
    let runs = || !get(at, "/counts", "", None).contains(" 0 running");
    while runs() {}
    let under_way =
        std::thread::spawn(move || get(at, "/work?ms=90", "grpc-timeout: 9S\r\n", None));
    while !runs() {}
    terminate();
    let answer = under_way.join().unwrap();
    assert_eq!(status(&answer), "200", "{answer}");
    let last = server.join().unwrap().unwrap();
    // The guide's: one served, one refused, one malformed.
    let submitted = admitted + refused + left + 3 + 1;
    assert!(last.starts_with(&format!("{submitted} submitted: ")), "{last}");
    let no_room = refused + 1;
    assert!(last.contains(&format!(" {no_room} refused ({no_room} no room, 0 ")), "{last}");
    assert!(last.contains(" 1 malformed, ") && last.ends_with(" 0 running"), "{last}");
}

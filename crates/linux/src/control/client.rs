//! The client's end of the control socket.

use super::Listing;
use super::wire::{self, ControlError, VERSION};
use serde_json::{Map, Value, json};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;
use windfall_os::peer;

/// Longest time that a run may take to answer; supervised threads may leave it little processor time.
const PATIENCE: Duration = Duration::from_secs(10);

/// Longest answer, in bytes; a trace has some ten million.
const LONGEST_ANSWER: u64 = 256 << 20;

/// The socket of a run for which no other path is given: in `/run/windfall` for root, else below `$XDG_RUNTIME_DIR`, else below the
/// folder for temporary files. One path is enough, since one run at a time supervises a machine.
pub(crate) fn usual_socket() -> PathBuf {
    let folder = match std::env::var_os("XDG_RUNTIME_DIR") {
        _ if peer::own_user() == 0 => PathBuf::from("/run/windfall"),
        Some(folder) => PathBuf::from(folder).join("windfall"),
        None => std::env::temp_dir().join(format!("windfall-{}", peer::own_user())),
    };
    folder.join("windfall.sock")
}

/// Sends a request to the run at `socket`, or at the usual path. A request has the keys of an entry of `[[at]]` without `time`, or
/// `do` alone.
///
/// The inner result is the run's answer. If it is an error, the run has changed nothing.
///
/// # Errors
/// When there is no such run, or it does not answer.
pub fn send(
    socket: Option<&Path>,
    request: Map<String, Value>,
) -> Result<Result<Value, ControlError>, ControlError> {
    Ok(wire::understand(&answer(socket, request)?.0))
}

/// Gets the last 262,144 records of a run's trace, in Windfall's trace format: some seconds at ten thousand switches a second,
/// minutes at less.
///
/// # Errors
/// The same errors as [`send`].
pub fn trace(socket: Option<&Path>) -> Result<Vec<u8>, ControlError> {
    let request = Map::from_iter([("do".to_owned(), json!("trace"))]);
    let (line, trace) = answer(socket, request)?;
    let told = wire::understand(&line)?["bytes"].as_u64();
    if told != Some(trace.len() as u64) {
        let why = format!("{} bytes arrived, of {}", trace.len(), told.unwrap_or(0));
        return Err(ControlError::new("the trace", why, "ask again"));
    }
    Ok(trace)
}

/// Sends a request; returns the line of the answer, and the bytes that follow it.
fn answer(
    socket: Option<&Path>,
    mut request: Map<String, Value>,
) -> Result<(Vec<u8>, Vec<u8>), ControlError> {
    let path = socket.map_or_else(usual_socket, Path::to_owned);
    request.insert("windfall".to_owned(), json!(VERSION));
    let line = format!("{}\n", Value::Object(request));
    let mut line = exchange(&path, line.as_bytes()).map_err(|error| {
        let what = format!("the run at {}", path.display());
        let why = match error.kind() {
            ErrorKind::NotFound | ErrorKind::ConnectionRefused => "there is none".to_owned(),
            _ => error.to_string(),
        };
        let help = "start `windfall run FILE`, or name the socket that it has with `--socket PATH`";
        ControlError::new(what, why, help)
    })?;
    let end = line.iter().position(|byte| *byte == b'\n').map_or(line.len(), |end| end + 1);
    let rest = line.split_off(end);
    Ok((line, rest))
}

/// Gets the state of a run: its processors, schedulers, threads and promises.
///
/// # Errors
/// The same errors as [`send`].
pub fn list(socket: Option<&Path>) -> Result<Listing, ControlError> {
    let request = Map::from_iter([("do".to_owned(), json!("list"))]);
    let answer = send(socket, request)??;
    serde_json::from_value(answer).map_err(|why| {
        let help = "use the same version of windfall on both ends";
        ControlError::new("the list", why.to_string(), help)
    })
}

fn exchange(path: &Path, line: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(line)?;
    let mut answer = Vec::new();
    stream.take(LONGEST_ANSWER + 1).read_to_end(&mut answer)?;
    if answer.len() as u64 > LONGEST_ANSWER {
        let why = format!("its answer is longer than {LONGEST_ANSWER} bytes");
        return Err(std::io::Error::other(why));
    }
    if answer.is_empty() {
        return Err(std::io::Error::other("it did not answer"));
    }
    Ok(answer)
}

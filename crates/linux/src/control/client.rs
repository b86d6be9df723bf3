//! The other end of the socket.

use super::Listing;
use super::wire::{self, ControlError, VERSION};
use serde_json::{Map, Value, json};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;
use windfall_os::peer;

/// How long a run may take to answer, when supervised threads leave little to others.
const PATIENCE: Duration = Duration::from_secs(10);

/// No answer is longer than this, in bytes; a trace is some ten million.
const LONGEST_ANSWER: u64 = 256 << 20;

/// Where a run is reached that was told no other place: `/run/windfall`, for root, else below
/// `$XDG_RUNTIME_DIR`, else below the folder for temporary files. A machine is supervised once at a time.
pub(crate) fn usual_socket() -> PathBuf {
    let folder = match std::env::var_os("XDG_RUNTIME_DIR") {
        _ if peer::own_user() == 0 => PathBuf::from("/run/windfall"),
        Some(folder) => PathBuf::from(folder).join("windfall"),
        None => std::env::temp_dir().join(format!("windfall-{}", peer::own_user())),
    };
    folder.join("windfall.sock")
}

/// Asks a run for something: the keys of an entry of `[[at]]` without `time`, or `do` alone. The run is
/// the one at `socket`, or in the usual place.
///
/// The inner answer is the run's own: done, or refused, and then nothing has changed.
///
/// # Errors
/// When there is no such run, or it does not answer.
pub fn ask(
    socket: Option<&Path>,
    request: Map<String, Value>,
) -> Result<Result<Value, ControlError>, ControlError> {
    Ok(wire::understand(&answer(socket, request)?.0))
}

/// What a run has recorded lately, in Windfall's trace format: the last 262,144 records, which are some seconds
/// at ten thousand switches a second, and minutes at less.
///
/// # Errors
/// As [`ask`].
pub fn trace(socket: Option<&Path>) -> Result<Vec<u8>, ControlError> {
    let request = Map::from_iter([("do".to_owned(), json!("trace"))]);
    let (line, trace) = answer(socket, request)?;
    let told = wire::understand(&line)?["bytes"].as_u64();
    if told != Some(trace.len() as u64) {
        let why = format!("{} bytes of it came, of {}", trace.len(), told.unwrap_or(0));
        return Err(ControlError::new("the trace", why, "ask again"));
    }
    Ok(trace)
}

/// A run's answer: a line, and what follows it.
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

/// What there is in a run.
///
/// # Errors
/// As [`ask`].
pub fn list(socket: Option<&Path>) -> Result<Listing, ControlError> {
    let request = Map::from_iter([("do".to_owned(), json!("list"))]);
    let answer = ask(socket, request)??;
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
        let why = format!("it answers more than {LONGEST_ANSWER} bytes");
        return Err(std::io::Error::other(why));
    }
    if answer.is_empty() {
        return Err(std::io::Error::other("it did not answer"));
    }
    Ok(answer)
}

//! The thread that serves the control socket: one request per client.
//!
//! It is an ordinary thread, so that clients take no time from supervised threads, except for what it has the event loop do
//! ([`Locked::call`]). A client that is slow with its request delays nobody (`clients.rs`); one that is slow to take the answer is
//! dropped after a while.

use super::clients::Clients;
use super::history::{EVERY, History};
use super::notices::Listeners;
use super::own;
use super::present::{carry_out, plan, refusal, there, together};
use super::query;
use super::rights::{self, Rates};
use super::tasks;
use super::wire::{self, Answer, ClientRequest, ControlError, LONGEST};
use crate::control::view;
use crate::supervise::locked::Locked;
use crate::supervise::settle::settle;
use crate::supervise::trace_reader;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant as Clock};
use windfall_os::clock;
use windfall_os::events::EventFd;
use windfall_os::peer::{self, Peer};
use windfall_os::{LinuxError, LinuxErrorKind};
use windfall_scenario::{LiveThread, PlannedRequest};
use windfall_time::Instant;

/// Longest time that a client may take to receive the answer. It is generous because ordinary processes may have to wait for a
/// processor while supervised threads have it.
const PATIENCE: Duration = Duration::from_secs(2);

/// The socket of a run.
pub(crate) struct Server {
    listener: UnixListener,
    path: PathBuf,
    name: String,
    end: Instant,
    history: History,
    /// For threads that were moved for a reservation: the scheduler that they came from.
    former: BTreeMap<String, String>,
    rates: Rates,
    listeners: Listeners,
}

impl Server {
    /// Opens the socket. Replaces one that no process serves any more.
    pub(crate) fn open(path: &Path, name: &str, end: Instant) -> Result<Server, LinuxError> {
        let what = || format!("cannot serve {}", path.display());
        let trouble = |e: io::Error| {
            LinuxError::of(what(), &e, "name a path in a folder of yours with `--socket PATH`")
        };
        if path.exists() {
            if UnixStream::connect(path).is_ok() {
                let help = "choose another path, or leave `--socket` out";
                let served = LinuxError::new(what(), "another run serves it", help);
                return Err(served.of_kind(LinuxErrorKind::Busy));
            }
            std::fs::remove_file(path).map_err(trouble)?;
        }
        if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
            let mut builder = std::fs::DirBuilder::new();
            builder.recursive(true).mode(0o711).create(folder).map_err(trouble)?;
        }
        let listener = UnixListener::bind(path).map_err(trouble)?;
        // Programs of other users may ask for themselves; who may ask for what is looked at for each request.
        let everybody = std::fs::Permissions::from_mode(0o666);
        std::fs::set_permissions(path, everybody).map_err(trouble)?;
        listener.set_nonblocking(true).map_err(trouble)?;
        Ok(Server {
            listener,
            path: path.to_owned(),
            name: name.to_owned(),
            end,
            history: History::default(),
            former: BTreeMap::new(),
            rates: Rates::default(),
            listeners: Listeners::default(),
        })
    }

    /// Serves until `over` is signalled, on processors that are not supervised if there are any.
    pub(crate) fn serve(mut self, host: &Locked, over: &EventFd) {
        host.step_apart("control");
        let noticed = host.call(|s| s.host.machine.noticed.clone());
        let Ok(mut clients) = Clients::new(&self.listener, over, &noticed) else { return };
        let mut looked: Option<Instant> = None;
        loop {
            let now = clock::now();
            if looked.is_none_or(|looked| now.saturating_since(looked) >= EVERY) {
                looked = Some(now);
                let counts = host.call(view::counts);
                self.history.keep(counts);
            }
            let Some(heard) = clients.listen(&self.listener, EVERY) else { return };
            for (client, line) in heard {
                self.serve_one(host, client, line);
            }
            noticed.clear(); // what comes later shows in the next poll
            self.listeners.send(host);
        }
    }

    /// Answers a client, and keeps it if it wants notices.
    fn serve_one(&mut self, host: &Locked, mut client: UnixStream, line: Option<Vec<u8>>) {
        let peer = peer::of(&client).unwrap_or(Peer { pid: 0, user: u32::MAX });
        let mut listens = None;
        let answer = wire::answer(self.meet(host, peer, line, &mut listens));
        // A client that is gone, or does not read, harms only itself.
        if write_all(&mut client, &answer).is_ok()
            && let Some(thread) = listens
        {
            self.listeners.join(host, client, peer.pid, thread);
        }
    }

    fn meet(
        &mut self,
        host: &Locked,
        peer: Peer,
        line: Option<Vec<u8>>,
        listens: &mut Option<(u32, String)>,
    ) -> Result<Answer, ControlError> {
        self.rates.count(peer.pid, Clock::now())?;
        let Some(line) = line else {
            let why = format!("is longer than {LONGEST} bytes");
            return Err(ControlError::new("a request", why, "send one JSON object on one line"));
        };
        match wire::read(&line)? {
            ClientRequest::Own { tid, verb, request } => {
                rights::own(peer, tid)?;
                let thread = own::thread(host, tid)?;
                if verb == "notices" {
                    self.listeners.room(peer.pid)?;
                    *listens = Some(thread.clone());
                    return Ok(Answer::from(json!({ "thread": thread.1 })));
                }
                own::may(host, thread.0, &verb, &request)?;
                self.answer(host, wire::about(&thread.1, &verb, request)?)
            }
            requested => {
                rights::owner(peer)?;
                self.answer(host, requested)
            }
        }
    }

    fn answer(&mut self, host: &Locked, requested: ClientRequest) -> Result<Answer, ControlError> {
        let value = match requested {
            ClientRequest::Own { tid, .. } => {
                let why = format!("is about thread {tid}, and was not made one by name");
                return Err(ControlError::new("a request", why, "report it"));
            }
            ClientRequest::Trace => return lately(host),
            ClientRequest::List => {
                let view = host.call(view::view);
                let now = host.call(|s| s.time());
                let listing = view.listing(&self.name, self.end, self.history.before(now));
                serde_json::to_value(listing)
                    .map_err(|why| ControlError::new("`list`", why.to_string(), "report it"))?
            }
            ClientRequest::Stop => {
                host.call(|s| s.ending = true);
                json!({ "done": "the run ends" })
            }
            ClientRequest::Query { scheduler, tasks } => query::answer(host, &scheduler, tasks)?,
            ClientRequest::Task(thread, requested) => tasks::answer(host, &thread, requested)?,
            ClientRequest::Unreserve(thread) => self.unreserve(host, &thread)?,
            ClientRequest::Change { verb, text, query: true, .. } => {
                Server::query(host, &verb, &text)?
            }
            ClientRequest::Change { verb, text, lends, force, .. } => {
                self.change(host, &verb, &text, lends.as_deref(), force)?
            }
        };
        Ok(Answer::from(value))
    }

    /// Plans a request for the present tree, and carries it out.
    fn change(
        &mut self,
        host: &Locked,
        verb: &str,
        text: &str,
        lends: Option<&str>,
        force: bool,
    ) -> Result<Value, ControlError> {
        let (live, (nodes, threads)) = there(host)?;
        let request = plan(&live, &nodes, &threads, verb, text)?;
        let broken = live.breaks(&nodes, &threads, &request);
        if let (Some(first), false) = (broken.first(), force) {
            let more = broken.len() - 1;
            let more = if more > 0 { format!(", and {more} more promises") } else { String::new() };
            let why = format!(
                "it would break what is granted: {} of `{}`{more}",
                first.guarantee, first.owner
            );
            let help = "ask for less, or do it all the same with `--force` (`\"force\":true`)";
            return Err(ControlError::new(format!("`{verb}`"), why, help));
        }
        let from = lends.and_then(|name| threads.iter().find(|thread| thread.name == name));
        carry_out(host, &live, (&nodes, &threads), request)?;
        if let Some(LiveThread { name, parent: Some(parent), .. }) = from
            && own::stands_elsewhere(host, name, parent)
        {
            self.former.entry(name.clone()).or_insert_with(|| parent.clone());
        }
        Ok(json!({ "done": true }))
    }

    /// The answer that a request would have, and which promises to others it would break; changes nothing.
    fn query(host: &Locked, verb: &str, text: &str) -> Result<Value, ControlError> {
        let (live, (nodes, threads)) = there(host)?;
        let mut request = plan(&live, &nodes, &threads, verb, text)?;
        let broken = live.breaks(&nodes, &threads, &request);
        let broken: Vec<Value> = broken
            .iter()
            .map(|promise| json!({ "owner": promise.owner, "guarantee": promise.guarantee.to_string() }))
            .collect();
        let planned = together(std::mem::take(&mut request.planned));
        let refused = host.call(move |s| {
            settle(s);
            s.host.query(planned)
        });
        refused.into_iter().next().map_or(Ok(()), |first| Err(refusal(first)))?;
        Ok(json!({ "would": "be carried out", "breaks": broken }))
    }

    /// Ends a thread's reservation: it returns to its former scheduler, with what it had there, or stays where it is without the
    /// reservation.
    fn unreserve(&mut self, host: &Locked, name: &str) -> Result<Value, ControlError> {
        let requested = name.to_owned();
        let known = host.call(move |s| own::former(s, &requested));
        let known = known.or_else(|| self.former.get(name).cloned());
        let Some(to) = known else {
            let text =
                format!("[[at]]\ntime=\"0s\"\ndo=\"unreserve\"\nthread={}", wire::quoted(name));
            return self.change(host, "unreserve", &text, None, true);
        };
        let (thread, to_text) = (wire::quoted(name), wire::quoted(&to));
        let text = format!("[[at]]\ntime=\"0s\"\ndo=\"move\"\nthread={thread}\nto={to_text}");
        let (live, (nodes, threads)) = there(host)?;
        let mut request = plan(&live, &nodes, &threads, "unreserve", &text)?;
        let at = threads.iter().position(|thread| thread.name == name);
        let place = to.clone();
        let number = at.and_then(|at| u32::try_from(at).ok());
        let home = number.and_then(|at| host.call(move |s| s.host.home(at, &place)));
        for planned in &mut request.planned {
            if let (PlannedRequest::Move { messages, .. }, Some(home)) = (planned, &home) {
                messages.clone_from(home);
            }
        }
        carry_out(host, &live, (&nodes, &threads), request)?;
        self.former.remove(name);
        let forgotten = name.to_owned();
        host.call(move |s| {
            let now = s.time();
            if let Some(live) = s.host.live(now) {
                live.forget(&forgotten);
            }
        });
        Ok(json!({ "done": format!("`{name}` is back in `{to}`") }))
    }
}

/// Answers a `trace` request.
fn lately(host: &Locked) -> Result<Answer, ControlError> {
    let bytes = trace_reader::window(host);
    let bytes = bytes.map_err(|why| ControlError::new("`trace`", why.to_string(), "report it"))?;
    Ok(Answer { value: json!({ "bytes": bytes.len() }), bytes })
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path); // fails if it was removed already
    }
}

fn write_all(client: &mut UnixStream, mut bytes: &[u8]) -> io::Result<()> {
    client.set_nonblocking(false)?;
    let until = Clock::now() + PATIENCE;
    while !bytes.is_empty() {
        client.set_write_timeout(Some(left(until)?))?;
        let count = client.write(bytes)?;
        bytes = &bytes[count..];
    }
    Ok(())
}

fn left(until: Clock) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Clock::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

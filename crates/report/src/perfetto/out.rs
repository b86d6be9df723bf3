//! Packets to bytes, one at a time, and the tracks that they lie on.
//!
//! Invariants: a track is described before its first event and has one number for the whole file;
//! after the first failure nothing is written and the failure is kept.

use super::proto::{
    Annotation, Counter, Packet, TaskState, ThreadDescriptor, Trace, TrackDescriptor, TrackEvent,
    kind,
};
use prost::Message;
use std::collections::BTreeMap;
use std::io::{self, Write};
use windfall_time::{Instant, Span};
use windfall_trace::{Cpu, NodeId, ThreadId};

/// A line of the viewer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Track {
    /// Parent of all scheduler nodes.
    Schedulers,
    Node(NodeId),
    Budget(NodeId, ThreadId),
    Thread(ThreadId),
    Jobs(ThreadId, u8),
    Activities(ThreadId),
    Received(ThreadId),
    Promised(ThreadId),
    /// Parent of all processors.
    Processors,
    Cpu(Cpu),
    Overheads(Cpu),
    Unknown(Cpu),
    Control,
}

/// Where packets go.
#[derive(Debug)]
pub(super) struct Out<W> {
    to: W,
    failure: Option<io::Error>,
    begun: bool,
    tracks: BTreeMap<Track, u64>,
    buffer: Vec<u8>,
}

/// All packets belong to one sequence.
const SEQUENCE: u32 = 1;

impl<W: Write> Out<W> {
    pub(super) fn new(to: W) -> Out<W> {
        Out { to, failure: None, begun: false, tracks: BTreeMap::new(), buffer: Vec::new() }
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        match self.failure {
            Some(failure) => Err(failure),
            None => self.to.flush().map(|()| self.to),
        }
    }

    pub(super) fn packet(&mut self, at: Option<Instant>, mut packet: Packet) {
        if self.failure.is_some() {
            return;
        }
        packet.timestamp = at.map(Instant::as_nanos);
        packet.sequence = Some(SEQUENCE);
        packet.sequence_flags = (!self.begun).then_some(1);
        self.begun = true;
        self.buffer.clear();
        let trace = Trace { packet: vec![packet] };
        let written = trace
            .encode(&mut self.buffer)
            .map_err(io::Error::other)
            .and_then(|()| self.to.write_all(&self.buffer));
        self.failure = written.err();
    }

    pub(super) fn state(&mut self, at: Instant, state: TaskState) {
        self.packet(Some(at), Packet { task_state: Some(state), ..Packet::default() });
    }

    pub(super) fn is_described(&self, track: Track) -> bool {
        self.tracks.contains_key(&track)
    }

    fn number(&mut self, track: Track) -> u64 {
        let next = self.tracks.len() as u64 + 1;
        *self.tracks.entry(track).or_insert(next)
    }

    /// Describes a track, again when its name or parent has changed.
    pub(super) fn describe(&mut self, track: Track, name: &str, parent: Option<Track>) {
        let counter = matches!(track, Track::Budget(..) | Track::Received(_) | Track::Promised(_));
        let descriptor = TrackDescriptor {
            uuid: Some(self.number(track)),
            name: Some(name.to_owned()),
            parent: parent.map(|parent| self.number(parent)),
            counter: counter.then(|| Counter { unit: Some("ms".to_owned()) }),
            thread: None,
        };
        self.packet(None, Packet { track_descriptor: Some(descriptor), ..Packet::default() });
    }

    /// Describes the line that the viewer draws for a thread.
    pub(super) fn describe_thread(&mut self, thread: ThreadId, pid: i32, tid: i64, name: &str) {
        let descriptor = TrackDescriptor {
            uuid: Some(self.number(Track::Thread(thread))),
            thread: Some(ThreadDescriptor {
                pid: Some(pid),
                tid: Some(tid),
                name: Some(name.to_owned()),
            }),
            ..TrackDescriptor::default()
        };
        self.packet(None, Packet { track_descriptor: Some(descriptor), ..Packet::default() });
    }

    fn event(&mut self, at: Instant, track: Track, event: TrackEvent) {
        let event = TrackEvent { track: Some(self.number(track)), ..event };
        self.packet(Some(at), Packet { track_event: Some(event), ..Packet::default() });
    }

    pub(super) fn begin(&mut self, at: Instant, track: Track, name: &str, notes: &[(&str, &str)]) {
        self.event(at, track, named(kind::BEGIN, name, notes));
    }

    pub(super) fn end(&mut self, at: Instant, track: Track, notes: &[(&str, &str)]) {
        let event = TrackEvent { name: None, ..named(kind::END, "", notes) };
        self.event(at, track, event);
    }

    /// An instant, in a category that the viewer can search for.
    pub(super) fn instant(&mut self, at: Instant, track: Track, category: &str, name: &str) {
        let categories = vec![category.to_owned()];
        self.event(at, track, TrackEvent { categories, ..named(kind::INSTANT, name, &[]) });
    }

    /// A counter's value, shown in milliseconds.
    #[expect(clippy::cast_precision_loss, reason = "shown, never compared")]
    pub(super) fn count(&mut self, at: Instant, track: Track, value: Span) {
        let value = Some(value.as_nanos() as f64 / 1e6);
        let event = TrackEvent { kind: Some(kind::COUNTER), value, ..TrackEvent::default() };
        self.event(at, track, event);
    }
}

fn named(kind: i32, name: &str, notes: &[(&str, &str)]) -> TrackEvent {
    let notes = notes
        .iter()
        .map(|(name, text)| Annotation {
            name: Some((*name).to_owned()),
            text: Some((*text).to_owned()),
        })
        .collect();
    TrackEvent { notes, kind: Some(kind), name: Some(name.to_owned()), ..TrackEvent::default() }
}

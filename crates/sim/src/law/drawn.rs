//! Random numbers, from which trees are made by remainders. So smaller numbers give a smaller tree.

use proptest::prelude::*;

/// A scheduler.
#[derive(Clone, Debug)]
pub(super) struct NodeSeed {
    pub(super) kind: u16,
    pub(super) owns: u8,
    pub(super) parents: [u16; 3],
    pub(super) requires: [RequestSeed; 3],
    pub(super) settings: u32,
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestSeed {
    pub(super) kind: u8,
    pub(super) part: u8,
    pub(super) period: u8,
    pub(super) priority: u8,
    /// Which parameters, and their values; none where it is zero.
    pub(super) parameters: u32,
}

/// A thread.
#[derive(Clone, Debug)]
pub(super) struct ThreadSeed {
    pub(super) parent: u16,
    pub(super) request: RequestSeed,
    pub(super) program: u8,
    pub(super) pace: u16,
    pub(super) start: u8,
}

/// A tree.
#[derive(Clone, Debug)]
pub(super) struct Seeds {
    pub(super) processors: u16,
    pub(super) nodes: Vec<NodeSeed>,
    pub(super) threads: Vec<ThreadSeed>,
    pub(super) stolen: bool,
    /// The frequency of a timer that ticks.
    pub(super) ticks: Option<u64>,
    pub(super) seed: u64,
}

fn request() -> impl Strategy<Value = RequestSeed> {
    (any::<u8>(), any::<u8>(), any::<u8>(), 0_u8..4, any::<u32>()).prop_map(
        |(kind, part, period, priority, parameters)| RequestSeed {
            kind,
            part,
            period,
            priority,
            parameters,
        },
    )
}

pub(super) fn seeds() -> impl Strategy<Value = Seeds> {
    let requires = || [request(), request(), request()];
    let node = (any::<u16>(), 0_u8..8, any::<[u16; 3]>(), requires(), any::<u32>()).prop_map(
        |(kind, owns, parents, requires, settings)| NodeSeed {
            kind,
            owns,
            parents,
            requires,
            settings,
        },
    );
    let thread = (any::<u16>(), request(), 0_u8..11, any::<u16>(), any::<u8>()).prop_map(
        |(parent, request, program, pace, start)| ThreadSeed {
            parent,
            request,
            program,
            pace,
            start,
        },
    );
    let nodes = prop::collection::vec(node, 1..9);
    let threads = prop::collection::vec(thread, 1..12);
    let stolen = prop::bool::weighted(0.2);
    let ticks = prop::option::weighted(0.125, 60_u64..2_000);
    (1_u16..=3, nodes, threads, stolen, ticks, any::<u64>()).prop_map(
        |(processors, nodes, threads, stolen, ticks, seed)| Seeds {
            processors,
            nodes,
            threads,
            stolen,
            ticks,
            seed,
        },
    )
}
